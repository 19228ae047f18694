"""What a draft is gathered from: words, a class, bookmarks, examples, an earlier run, a language model."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl.errors import FocusCrawlError, TopicError
from focuscrawl.topic.files import display
from focuscrawl.wording import drafting as words
from focuscrawl.wording.base import Say
from focuscrawl.wording.seeds import KINDS

if TYPE_CHECKING:
    from focuscrawl.drafting.draft import Draft
    from focuscrawl.drafting.model_draft import ModelDraft
    from focuscrawl.drafting.texts import SourceText
    from focuscrawl.text.base import Tokenizer

SEEDS_OF_A_RUN = 20
_SAMPLES = 12


class TopicOptionError(TopicError):
    """An option that tells words or a class is wrong, not a file."""

    exit_code = 2


@dataclass(slots=True)
class Sources:
    """What a person has named."""

    about: str = ""
    words: str = ""
    classification: str = ""
    examples: list[str] = field(default_factory=list)  # files and URLs
    bookmarks: list[str] = field(default_factory=list)
    folder: str = ""  # of the bookmarks
    run: str = ""
    against: str = ""  # a run on another subject
    ask: str = ""  # address of a language model
    model: str = ""
    allow_insecure: bool = False
    allow_private: bool = False

    @property
    def any(self) -> bool:
        """Whether something says what the topic is about."""
        return bool(self.about or self.words or self.classification or self.examples or self.bookmarks or self.run)


def gather(draft: Draft, sources: Sources, *, tokenizer: Tokenizer, say: Say, tell: Callable[[str], None]) -> list[str]:
    """Fill a draft from its sources; return a sentence for each that could not be used.

    Parameters
    ----------
    tell
        Shows what is going on.

    Raises
    ------
    TopicOptionError
        If the words or the class cannot be what was given.
    KeyboardInterrupt
        On Ctrl-C, while pages are fetched, too.
    """
    from focuscrawl.drafting.draft import parse_words
    from focuscrawl.topic.taxonomy import library_classification

    draft.about = " ".join(sources.about.split())
    try:
        listed = parse_words(sources.words)
        if sources.classification:
            draft.classification = library_classification().node(sources.classification).reference
    except TopicError as error:
        raise TopicOptionError(error.faults) from error
    for word, weight, names in listed:
        draft.add(word, weight, names)
    faults: list[str] = []
    for one in sources.bookmarks:
        try:
            _bookmarks(draft, Path(one), sources.folder, say, tell)
        except FocusCrawlError as error:
            faults.append(str(error))
    if sources.run:
        try:
            _earlier_run(draft, sources.run)
        except FocusCrawlError as error:
            faults.append(str(error))
    texts, refused = _examples(sources, tokenizer=tokenizer, say=say, tell=tell)
    faults += refused
    draft.samples += texts
    draft.seeds += [one.url for one in texts if one.url]
    draft.samples = draft.samples[:_SAMPLES]
    return faults


def _bookmarks(draft: Draft, path: Path, folder: str, say: Say, tell: Callable[[str], None]) -> None:
    from focuscrawl.drafting.texts import SourceText
    from focuscrawl.seeding.imports import SeedFileError, read_candidates

    read = read_candidates(path)
    found = [one for one in read.candidates if folder.casefold() in one.source.casefold()]
    tell(say(words.READ_BOOKMARKS, file=display(path), kind=say.known(KINDS, read.kind), n=len(found)))
    if not found:
        raise SeedFileError(f'{display(path)}: no bookmark in a folder with "{folder}" in its name.')
    draft.seeds += [one.url for one in found]
    titles = [" ".join(filter(None, (one.title, one.snippet))) for one in found]
    draft.hints.append(SourceText(display(path), "", "\n".join(filter(None, titles))))


def _earlier_run(draft: Draft, reference: str) -> None:
    from focuscrawl.drafting.earlier_run import best_texts
    from focuscrawl.drafting.texts import ExampleError
    from focuscrawl.seeding.run_hosts import best_hosts
    from focuscrawl.storage.open_run import open_pages

    with open_pages(reference) as run:
        texts = best_texts(run.reader)
        if not texts:
            raise ExampleError(f"{run.name}: no relevant page with text in this run.")
        draft.samples += texts
        draft.seeds += [one.url for one in best_hosts(run.reader, most=SEEDS_OF_A_RUN)]


def _examples(
    sources: Sources, *, tokenizer: Tokenizer, say: Say, tell: Callable[[str], None]
) -> tuple[list[SourceText], list[str]]:
    """Return the texts of the examples in their order, and what was wrong with the others."""
    from focuscrawl.drafting.texts import is_url, read_example, text_of

    urls = list(dict.fromkeys(one for one in sources.examples if is_url(one)))
    answers = {}
    if urls:
        from focuscrawl.cli.fetch import fetch_pages

        tell(say(words.FETCHING, n=len(urls)))
        answers = fetch_pages(urls, allow_private=sources.allow_private)
    texts: list[SourceText] = []
    faults: list[str] = []
    for one in dict.fromkeys(sources.examples):
        answer = answers.get(one)
        try:
            if answer is None:
                texts.append(read_example(Path(one), tokenizer))
            elif isinstance(answer, FocusCrawlError):
                faults.append(str(answer))
            else:
                kind = answer.content_type
                texts.append(text_of(answer.body, name=one, tokenizer=tokenizer, url=answer.url, content_type=kind))
        except FocusCrawlError as error:
            faults.append(str(error))
    return texts, faults


def model_draft(draft: Draft, sources: Sources, *, say: Say, tell: Callable[[str], None]) -> ModelDraft:
    """Return the draft of the language model that the sources name.

    Raises
    ------
    ConfigError
        If its address may not be used.
    ModelError
        If it cannot be asked, or gives no draft.
    """
    from focuscrawl.drafting.model_draft import draft_by_model
    from focuscrawl.teaching.language_model import KEY_VARIABLE, LanguageModel

    key = os.environ.get(KEY_VARIABLE, "")
    asked = LanguageModel(sources.ask, sources.model, key=key, allow_insecure=sources.allow_insecure)
    tell(say(words.ASKING_MODEL, model=sources.model))
    if not asked.is_local:
        tell(say(words.SENT_ELSEWHERE))
    about = draft.about or draft.title or draft.guessed_title()
    return draft_by_model(asked, about, list(draft.terms))
