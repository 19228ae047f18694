"""The steps from sources to a written topic file; with a person they are questions, without one decisions."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focuscrawl.atomic_file import is_stream, replacement
from focuscrawl.cli.topic_dialogue import Choice, Dialogue
from focuscrawl.cli.topic_sources import Sources, gather, model_draft
from focuscrawl.errors import FocusCrawlError, TopicError, os_reason
from focuscrawl.topic.files import display
from focuscrawl.topic.tables import topic_name
from focuscrawl.wording import drafting as words
from focuscrawl.wording.base import Say
from focuscrawl.wording.topic_faults import error_in_words, fault_in_words

if TYPE_CHECKING:
    from focuscrawl.drafting.draft import Draft
    from focuscrawl.drafting.findings import Findings
    from focuscrawl.text.base import Tokenizer
    from focuscrawl.topic.spec import TopicSpec

_CLASSES_OFFERED = 8
FOLDER = "topics"

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Target:
    """What the person wants of the file."""

    name: str = ""
    title: str = ""
    language: str = ""
    out: Path | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class Proposed:
    """A word to take or not, with where it is from, for people."""

    word: str
    weight: float
    names: tuple[str, ...]
    where: str
    named: bool = False  # by the sentence


@dataclass(frozen=True, slots=True)
class Made:
    """A topic file that was written."""

    path: Path
    spec: TopicSpec
    findings: Findings
    unused: tuple[str, ...]  # words of the sentence that are not in the topic
    faults: tuple[str, ...]  # sources that could not be used
    next: str  # in English, for programs

    def facts(self) -> dict[str, Any]:
        """Return it for programs."""
        found = self.findings
        return {
            "file": str(self.path),
            "name": self.spec.name,
            "title": self.spec.title,
            "language": self.spec.language,
            "terms": dict(self.spec.terms),
            "samples": len(self.spec.samples_loaded()),
            "seeds": len(self.spec.seeds),
            "strongest": list(found.strongest),
            "self_similarity": None if found.similarity is None else round(found.similarity, 4),
            "misfits": [{"sample": at + 1, "similarity": round(value, 4)} for at, value in found.misfits],
            "too_common": [
                {
                    "word": one.word,
                    "language_share": round(one.language_share, 4),
                    "run_share": None if one.run_share is None else round(one.run_share, 4),
                }
                for one in found.common
            ],
            "unused_words": list(self.unused),
            "left_out": list(self.faults),
            "next": self.next,
        }


def make_topic(
    sources: Sources, target: Target, *, dialogue: Dialogue | None, take: int, say: Say, tell: Tell
) -> Made | None:
    """Make a topic file; return None where the person does not want it written.

    Parameters
    ----------
    dialogue
        With the person; None takes decisions by the options.
    take
        Proposed words to take without a person.
    tell
        Shows what is going on, without a person.

    Raises
    ------
    FocusCrawlError
        If nothing can be made of the sources, or the file is there already or cannot be written.
    KeyboardInterrupt
        On Ctrl-C: nothing is written.
    """
    from focuscrawl.drafting.draft import Draft
    from focuscrawl.text.tokenize import make_auto

    tell = dialogue.tell if dialogue is not None else tell
    if target.out is not None or target.name:
        _check_free(_path(target, target.name), target, dialogue)
    if dialogue is not None and not sources.any:
        ask_sources(dialogue, sources, say)
    draft = Draft(title=target.title, language=target.language)
    tokenizer = make_auto(language=target.language or "auto")
    faults = gather(draft, sources, tokenizer=tokenizer, say=say, tell=tell)
    for fault in faults:
        tell(say(words.LEFT_OUT, fault=fault))
    proposed = _proposals(draft, sources, faults, tokenizer=tokenizer, dialogue=dialogue, say=say, tell=tell)
    take_words(draft, proposed, take=take, dialogue=dialogue, say=say)
    if draft.is_empty:
        raise TopicError(["nothing says what the topic is about: give words or an example", *faults])
    _name(draft, target, dialogue, say)
    path = _path(target, draft.name)
    subject = {one.word for one in proposed if one.named}
    findings = _reviewed(draft, sources, display(path), named=subject, dialogue=dialogue, say=say, tell=tell)
    if not (target.out is not None or target.name):
        _check_free(path, target, dialogue)
    if dialogue is not None and not _wanted(path, target, dialogue, say):
        return None
    spec = _write(draft, path, say)
    unused = _left_out(draft, proposed if dialogue is not None else [], tokenizer)
    if unused:
        tell(say(words.WORDS_LEFT_OUT, words=", ".join(unused), first=unused[0], file=display(path)))
    seeds = display(_seed_list(path))
    following = words.NEXT_CRAWL if draft.seeds else words.NEXT_SEEDS
    named = {"file": shlex.quote(display(path)), "seeds": shlex.quote(str(seeds))}
    counts = {"terms": len(draft.terms), "samples": len(spec.samples_loaded()), "seeds": len(spec.seeds)}
    tell(say(words.WRITTEN, file=display(path), **counts))
    tell(say(following, **named))
    return Made(path, spec, findings, unused, tuple(faults), Say("en")(following, **named))


def _left_out(draft: Draft, asked: Iterable[Proposed], tokenizer: Tokenizer) -> tuple[str, ...]:
    """Return the words of the sentence that are not in the topic, without those the person was asked about."""
    from focuscrawl.drafting.proposals import left_out

    known = [form for term in draft.terms for form in (term, *draft.synonyms.get(term, ()))]
    known += [one.word for one in asked]
    return left_out(draft.about, known, tokenizer=tokenizer, language=draft.language)


def ask_sources(dialogue: Dialogue, sources: Sources, say: Say) -> None:
    """Ask for everything a topic can be made from; each may be left out."""
    from focuscrawl.drafting.draft import parse_words
    from focuscrawl.drafting.texts import is_url
    from focuscrawl.seeding.imports import is_address_file

    dialogue.tell(say(words.WELCOME))
    sources.about = dialogue.ask(say(words.ASK_ABOUT))
    while True:
        given = dialogue.ask(say(words.ASK_WORDS))
        try:
            parse_words(given)
        except TopicError as error:
            dialogue.tell(error_in_words(error, say))
            continue
        sources.words = given
        break
    sources.classification = _ask_class(dialogue, say)
    while source := dialogue.ask(say(words.ASK_EXAMPLE)):
        if is_url(source):
            sources.examples.append(source)
        elif not os.path.isfile(source):  # pathlib's raises for a name that is too long
            dialogue.tell(say(words.NO_FILE, name=source))
        elif is_address_file(Path(source)):
            sources.bookmarks.append(source)
        else:
            sources.examples.append(source)
    sources.run = dialogue.ask(say(words.ASK_RUN))


def _ask_class(dialogue: Dialogue, say: Say) -> str:
    while wanted := dialogue.ask(say(words.ASK_CLASS)):
        reference = _class_of(wanted, dialogue, say)
        if reference:
            return reference
    return ""


def _class_of(wanted: str, dialogue: Dialogue, say: Say) -> str:
    """Return the class meant by a code, or chosen among those that have a word; "" for none."""
    from focuscrawl.topic.taxonomy import library_classification

    taxonomy = library_classification()
    try:
        return taxonomy.node(wanted).reference
    except TopicError:
        found = taxonomy.search(wanted)[:_CLASSES_OFFERED]
    if not found:
        dialogue.tell(say(words.NO_CLASS, word=wanted))
        return ""
    place = dialogue.pick(say(words.ASK_WHICH_CLASS), [f"{one.node.reference}  {one.node.title}" for one in found])
    return found[place].node.reference if place is not None else ""


def _proposals(
    draft: Draft,
    sources: Sources,
    faults: list[str],
    *,
    tokenizer: Tokenizer,
    dialogue: Dialogue | None,
    say: Say,
    tell: Tell,
) -> list[Proposed]:
    """Return words of the sentence, of the language model, and of the texts, in this order."""
    from focuscrawl.drafting.proposals import other_spellings, proposals, words_of_sentence

    language = draft.language or draft.guessed_language()
    found = [
        Proposed(word, weight, other_spellings(word, tokenizer=tokenizer), say(words.IN_SENTENCE), named=True)
        for word, weight in words_of_sentence(draft.about, tokenizer=tokenizer, language=language).items()
    ]
    if sources.ask:
        try:
            drafted = model_draft(draft, sources, say=say, tell=tell)
        except FocusCrawlError as error:
            if dialogue is None:
                raise
            faults.append(str(error))  # a person has answered questions by now
            tell(say(words.LEFT_OUT, fault=error))
        else:
            where = say(words.BY_MODEL, model=sources.model)
            found += [Proposed(word, w, drafted.synonyms.get(word, ()), where) for word, w in drafted.terms.items()]
            draft.samples += drafted.samples
            draft.title = draft.title or drafted.title
    known = [form for term in draft.terms for form in (term, *draft.synonyms.get(term, ()))]
    known += [one.word for one in found]
    texts = [*draft.samples, *draft.hints]
    found += [
        Proposed(one.word, one.weight, (), say(words.IN_TEXTS, n=one.texts))
        for one in proposals(
            texts, tokenizer=tokenizer, known=[*known, *(one.word for one in found)], language=language
        )
    ]
    return found


def take_words(draft: Draft, proposed: list[Proposed], *, take: int, dialogue: Dialogue | None, say: Say) -> None:
    """Take proposed words into the draft: those the person wants, or the first `take`."""
    if dialogue is None:
        for one in proposed[:take]:
            draft.add(one.word, one.weight, one.names)
        return
    fresh = [one for one in proposed if not draft.has(one.word)]
    if fresh:
        dialogue.tell(say(words.PROPOSALS, n=len(fresh)))
    for one in fresh:
        word = " | ".join((one.word, *one.names))
        answer = dialogue.choose(say(words.ASK_WORD, word=word, weight=one.weight, where=one.where))
        if answer is Choice.QUIT:
            return
        if answer is Choice.YES:
            draft.add(one.word, one.weight, one.names)


def _name(draft: Draft, target: Target, dialogue: Dialogue | None, say: Say) -> None:
    draft.language = draft.language or draft.guessed_language()
    draft.title = draft.title or draft.guessed_title()
    draft.name = target.name or draft.guessed_name()
    if dialogue is not None:
        draft.title = target.title or dialogue.ask(say(words.ASK_TITLE), default=draft.title)
        while not target.name:
            draft.name = dialogue.ask(say(words.ASK_NAME), default=draft.name)
            fault = topic_name(draft.name)
            if not fault:
                break
            dialogue.tell(fault_in_words(f'"{draft.name}": {fault}', say))
    elif not draft.name:
        raise TopicError(["no letters a-z to make a name of: give one, as in focuscrawl topic new xiangqi …"])


def _reviewed(
    draft: Draft,
    sources: Sources,
    file: str,
    *,
    named: Collection[str],
    dialogue: Dialogue | None,
    say: Say,
    tell: Tell,
) -> Findings:
    """Show what the draft was understood as, and drop what the person does not want; return the findings.

    Words that a sentence has `named` are the subject, and stay however common they are in the language.
    """
    from focuscrawl.drafting.findings import findings_of
    from focuscrawl.drafting.proposals import LIGHTEST

    pages = list(_other_pages(sources))
    found = findings_of(draft.spec(file=file), pages, words=draft.terms)
    dropped = False
    for at, value in reversed(found.misfits):
        sentence = say(words.MISFIT, name=draft.samples[at].name, value=value)
        if dialogue is None:
            tell(sentence)
        elif dialogue.choose(say(words.ASK_DROP_SAMPLE, sentence=sentence)) is Choice.YES:
            del draft.samples[at]
            dropped = True
    ordinary = []
    for one in found.common:
        share = one.run_share or 0.0
        by_run = share > one.language_share
        if not by_run and one.word in named:
            ordinary += [one.word] if draft.terms[one.word] >= LIGHTEST else []  # a lighter one brings nothing alone
            continue
        sentence = say(
            words.COMMON_IN_RUN if by_run else words.COMMON_IN_LANGUAGE,
            word=one.word,
            share=share if by_run else one.language_share,
            pages=found.pages,
        )
        if dialogue is None:
            tell(sentence)
        elif dialogue.choose(say(words.ASK_KEEP_COMMON, sentence=sentence), default=Choice.NO) is not Choice.YES:
            draft.drop(one.word)
            dropped = True
    if dropped and draft.is_empty:
        raise TopicError(["nothing is left of the topic: give other words or an example"])
    if dropped:
        found = findings_of(draft.spec(file=file), pages, words=draft.terms)
    if ordinary:
        tell(say(words.COMMON_IN_SENTENCE, words=", ".join(ordinary), file=file))
    tell(say(words.STRONGEST, words=", ".join(found.strongest)))
    tell(say(words.NO_SAMPLES) if found.similarity is None else say(words.SIMILARITY, value=found.similarity))
    return found


def _other_pages(sources: Sources) -> Iterator[str]:
    from focuscrawl.drafting.earlier_run import other_pages
    from focuscrawl.storage.open_run import open_pages

    with ExitStack() as opened:
        for reference, relevant_too in ((sources.against, True), (sources.run, False)):
            if reference:
                yield from other_pages(opened.enter_context(open_pages(reference)).reader, relevant_too=relevant_too)


def _path(target: Target, name: str) -> Path:
    return target.out if target.out is not None else Path(FOLDER) / f"{name}.toml"


def _seed_list(path: Path) -> Path:
    """Return where a seed list goes: into the folder ``seeds`` beside ``topics``, or beside the topic."""
    if path.parent.name == FOLDER:
        return path.parent.parent / "seeds" / f"{path.stem}.txt"
    return path.with_name(f"{path.stem}-seeds.txt")


def _check_free(path: Path, target: Target, dialogue: Dialogue | None) -> None:
    if path.is_dir():
        raise TopicError([f"{display(path)}: is a folder; name a file with --out"])
    if is_stream(path):
        raise TopicError([f"{display(path)}: is a device or a pipe; a file was expected"])
    if dialogue is None and not target.force and path.exists():
        raise TopicError([f"{display(path)}: is there already; --force overwrites it, another NAME or --out keeps it"])


def _wanted(path: Path, target: Target, dialogue: Dialogue, say: Say) -> bool:
    if path.exists() and not target.force:
        question = say(words.ASK_OVERWRITE, file=display(path))
        return dialogue.choose(question, default=Choice.NO) is Choice.YES
    return dialogue.choose(say(words.ASK_WRITE, file=display(path))) is Choice.YES


def _write(draft: Draft, path: Path, say: Say) -> TopicSpec:
    """Write the file as a whole, and return it as it is read."""
    from focuscrawl.drafting.topic_text import topic_text
    from focuscrawl.topic.spec import load_topic

    draft.spec(file=display(path))  # before anything is written
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacement(path) as file:
            file.write(topic_text(draft, file=display(path), say=say).encode())
    except OSError as error:
        raise TopicError([f"{display(path)}: cannot be written: {os_reason(error)}"]) from error
    return load_topic(str(path))
