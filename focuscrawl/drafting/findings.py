"""What a draft comes to: its strongest words, how far its samples agree, and words that would hit too much."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from focuscrawl.drafting.commonness import CommonWord, common_words, page_shares
from focuscrawl.topic.model import UNLIKE_OTHERS, fit_topic
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.topic.strongest import strongest_words


@dataclass(frozen=True, slots=True)
class Findings:
    """What a topic was understood as.

    Parameters
    ----------
    strongest
        Words of the fitted topic as its texts write them, strongest first.
    similarity
        Mean cosine of a relevant sample to the topic fitted without it, in [0, 1]; None without samples.
    misfits
        Number (from 0, among the topic's own samples) and that cosine of each sample that shares hardly any words
        with the others.
    common
        Words that would hit too much, commonest first.
    pages
        Pages of a run that words were counted on.
    warnings
        As `focuscrawl topic check` shows them.
    """

    strongest: tuple[str, ...]
    similarity: float | None
    misfits: tuple[tuple[int, float], ...]
    common: tuple[CommonWord, ...]
    pages: int
    warnings: tuple[str, ...]


def findings_of(spec: TopicSpec, pages: Iterable[str] = (), *, words: Iterable[str] = ()) -> Findings:
    """Return what `spec` was understood as.

    Parameters
    ----------
    pages
        Texts of pages of a run that are not on the topic.
    words
        The topic's own terms, which are looked at; those of its class are not the person's to change.

    Raises
    ------
    TopicError
        If neither words nor samples hold a word.
    """
    model = fit_topic(spec)
    samples = spec.samples_loaded()
    relevant = [sample for sample in samples if sample.kind == "relevant"]
    shares, counted = page_shares(model.matcher, (model.tokens(text) for text in pages))
    own = len(spec.samples.relevant_text)  # they come first; those of a class after them
    alone = len(relevant) < 2 and not spec.terms
    return Findings(
        strongest=tuple(strongest_words(spec, model)),
        similarity=sum(model.cohesion) / len(model.cohesion) if model.cohesion and not alone else None,
        misfits=tuple(
            (at, value) for at, value in enumerate(model.cohesion[:own]) if value < UNLIKE_OTHERS and not alone
        ),
        common=tuple(
            common_words(words, tokenizer=model.tokenizer, background=model.background, shares=shares, pages=counted)
        ),
        pages=counted,
        warnings=model.warnings,
    )
