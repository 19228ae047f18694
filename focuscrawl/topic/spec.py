"""The topic file: what is wanted, as its author wrote it.

`load_topic` reads one, checks all of it, and reports every fault at once; `TopicSpec` is the checked result.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, PrivateAttr, Strict, ValidationError, model_validator

from focuscrawl.errors import TopicError
from focuscrawl.text.normalize import collapse, fold
from focuscrawl.topic.examples import Example, Examples, contradictions, examples_file, merged, read_examples
from focuscrawl.topic.faults import did_you_mean, fault_at, faults_of, quoted
from focuscrawl.topic.files import OUTSIDE, Sample, display, find_topic, is_inside, load_samples, read_text
from focuscrawl.topic.inherit import (
    breadth_of,
    checked_breadth,
    classification_fault,
    inherited_samples,
    node_of,
    with_inherited_words,
)
from focuscrawl.topic.lexicon import WORDNET, Lexicon, open_lexicon
from focuscrawl.topic.packaged import is_packaged, packaged_topic
from focuscrawl.topic.seeds import read_seed_file
from focuscrawl.topic.tables import (
    Budget,
    JudgeChoice,
    RankingChoice,
    SampleTable,
    ScopeTable,
    ScorerChoice,
    Table,
    Term,
    Terms,
    Text,
    Texts,
    Urls,
    Weight,
    Word,
    check,
    language_tag,
    topic_name,
)
from focuscrawl.topic.taxonomy import is_reference, library_classification
from focuscrawl.topic.toml_slips import toml_slip


class TopicSpec(Table):
    """A topic file, checked; the tables and keys are those of the file.

    A spec may also be built directly: files are then looked up from the current directory, at the first use.
    """

    name: Annotated[str, Strict(), check(topic_name), Field(description="a short name of [a-z0-9-] is required")]
    title: Text = ""
    language: Annotated[str, Strict(), check(language_tag)] = "auto"
    tokenizer: Word = "auto"
    lexicon: Text = ""
    description: Text = ""
    classification: Annotated[str, Strict(), check(classification_fault)] = ""
    breadth: Annotated[float | None, BeforeValidator(checked_breadth)] = None
    seeds: Urls = ()
    seed_files: Texts = ()
    terms: dict[Term, Weight] = Field(default_factory=dict)
    synonyms: dict[Term, Terms] = Field(default_factory=dict)
    excluded: dict[Term, Weight] = Field(default_factory=dict)
    samples: SampleTable = SampleTable()
    budget: Budget = Budget()
    scope: ScopeTable = ScopeTable()
    judge: JudgeChoice = JudgeChoice()
    ranking: RankingChoice = RankingChoice()
    scorers: dict[str, ScorerChoice] = Field(default_factory=dict)
    examples: Examples = ()

    _path: Path | None = PrivateAttr(default=None)
    _reference: str = PrivateAttr(default="")
    _allow_outside: bool = PrivateAttr(default=True)  # a spec built in Python is the caller's own
    _lexicon: Lexicon | None = PrivateAttr(default=None)
    _samples: tuple[Sample, ...] | None = PrivateAttr(default=None)
    _seed_urls: tuple[str, ...] | None = PrivateAttr(default=None)

    @model_validator(mode="before")
    @classmethod
    def _inherit(cls, data: object) -> object:
        return with_inherited_words(data) if isinstance(data, Mapping) else data

    @property
    def path(self) -> Path | None:
        """The file it was loaded from."""
        return self._path

    @property
    def reference(self) -> str:
        """What `load_topic` finds it by again: the file or the class; "" for a spec built in code."""
        return self._reference or (str(self._path.resolve()) if self._path is not None else "")

    @property
    def breadth_value(self) -> float:
        """How broad it is, in [0, 1]: as it says, else 1 for a class with others below it, else 0."""
        return breadth_of(node_of(self._keys), self.breadth)

    @property
    def _keys(self) -> dict[str, object]:
        return self.model_dump(include={"classification", "breadth", "language", "samples"})

    def samples_loaded(self) -> list[Sample]:
        """Return all samples: files in order of the globs and their names, then the texts; relevant ones first.

        Raises
        ------
        TopicError
            If a file cannot be read; never for a spec that came from `load_topic`.
        """
        if self._samples is None:
            samples, faults = _read_samples(self._keys, self._base, allow_outside=self._allow_outside)
            if faults:
                raise TopicError([f"[samples] {fault}" for fault in faults.values()])
            self._samples = tuple(samples)
        return list(self._samples)

    def seed_urls(self) -> list[str]:
        """Return the URLs of `seeds` and of the seed files, in this order, each once; all are http or https.

        Raises
        ------
        TopicError
            If a seed file cannot be read; never for a spec that came from `load_topic`.
        """
        if self._seed_urls is None:
            urls = list(self.seeds)
            for name in self.seed_files:
                urls += read_seed_file(self._base / name)
            self._seed_urls = tuple(dict.fromkeys(urls))
        return list(self._seed_urls)

    def lexicon_loaded(self) -> Lexicon | None:
        """Return the lexicon the file names, None where it names none.

        Raises
        ------
        TopicError
            If it cannot be read; never for a spec that came from `load_topic`.
        """
        if self._lexicon is None and self.lexicon:
            self._lexicon = open_lexicon(self.lexicon, base=self._base)
        return self._lexicon

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with some keys changed (unchecked, as pydantic has it); files named anew are read anew."""
        copy = super().model_copy(update=update, deep=deep)
        changed = set(update or ())
        if changed & {"seeds", "seed_files"}:
            copy._seed_urls = None
        if "lexicon" in changed:
            copy._lexicon = None
        if changed & {"samples", "classification", "breadth", "language"}:
            copy._samples = None
        return copy

    @property
    def digest(self) -> str:
        """16 hex digits over the content, sample texts included, and with examples ``+`` and 8 over these.

        Where the files lie plays no part.
        """
        if not self.examples:
            return self.untaught_digest
        examples = json.dumps(sorted([one.url, one.relevant, one.title, one.text] for one in self.examples))
        return f"{self.untaught_digest}+{blake2b(examples.encode('ascii'), digest_size=4).hexdigest()}"

    @property
    def untaught_digest(self) -> str:
        """The digest without examples: of the topic as its author wrote it."""
        samples = [(s.kind, s.text, s.html.hex() if s.html is not None else None) for s in self.samples_loaded()]
        keys = self.model_dump(mode="json", exclude={"examples"})
        # The digest of a topic that does not use a key stays what it was before there was that key.
        for table, key, unused in (
            (keys, "tokenizer", "auto"),
            (keys, "lexicon", ""),
            (keys, "breadth", None),
            (keys["samples"], "inherit", None),
            (keys["samples"], "drop", []),
        ):
            if table[key] == unused:
                del table[key]
        content = json.dumps([keys, samples], sort_keys=True, ensure_ascii=True)
        return blake2b(content.encode("ascii"), digest_size=8).hexdigest()

    def taught(self, examples: Sequence[Example]) -> Self:
        """Return the topic with these examples and no others."""
        return self.model_copy(update={"examples": tuple(examples)})

    def taught_by(self, file: Path) -> Self:
        """Return the topic with the examples of a file, too; of one that is not there there are none.

        Raises
        ------
        TopicError
            If the file cannot be read.
        """
        return self.taught(merged(self.examples, read_examples(file)))

    @property
    def _base(self) -> Path:
        return self._path.parent if self._path is not None else Path()


def load_topic(reference: str, *, search: Sequence[Path] = (), allow_outside: bool = False) -> TopicSpec:
    """Return the topic meant by `reference`.

    Parameters
    ----------
    reference
        A topic file, the name of one in a topics folder (those of `search`, `topics` in the current directory, that
        of the Scrapy project around it, and the topics that come with the package), a class of the taxonomy such as
        ``clc:R2``, or a file of a package such as ``pkg:shop/topics/tea.toml``.
    allow_outside
        Read samples and seed lists that lie outside the topic's folder (and the folder ``seeds`` beside it), too.

    Raises
    ------
    TopicError
        With one sentence for every fault of the file and of the samples and seed lists it names.
    """
    reference = str(reference)
    if is_reference(reference):
        return _class_topic(reference)
    path = packaged_topic(reference) if is_packaged(reference) else find_topic(reference, search=search)
    file = display(path)
    text = read_text(path)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TopicError([f"{file}: not valid TOML: {toml_slip(text, str(error)) or error}"]) from error
    except RecursionError as error:
        raise TopicError([f"{file}: not valid TOML: tables or lists are nested too deeply"]) from error
    except ValueError as error:  # Python reads no integer of more than 4,300 digits
        raise TopicError([f"{file}: not valid TOML: a number in it is too long"]) from error
    faults: list[str] = []
    spec = None
    try:
        spec = TopicSpec.model_validate(data)
    except ValidationError as error:
        faults += faults_of(error, file=file, data=data, model=TopicSpec)
    beside, example_faults = _read_examples(path, spec, data)
    faults += example_faults
    faults += _word_faults(file, with_inherited_words(data))
    samples, sample_faults = _read_samples(data, path.parent, allow_outside=allow_outside)
    faults += [fault_at(file, location, data, fault) for location, fault in sample_faults.items()]
    urls, seed_faults = _read_seeds(file, data, path.parent, allow_outside=allow_outside)
    faults += seed_faults
    lexicon, lexicon_faults = _read_lexicon(file, data, path.parent, allow_outside=allow_outside)
    faults += lexicon_faults
    if faults or spec is None:
        raise TopicError(faults)
    spec = spec.taught(merged(spec.examples, beside))
    spec._path = path
    spec._reference = reference if is_packaged(reference) else ""
    spec._allow_outside = allow_outside
    spec._lexicon = lexicon
    spec._samples = tuple(samples)
    spec._seed_urls = tuple(dict.fromkeys([*spec.seeds, *urls]))
    return spec


def _class_topic(reference: str) -> TopicSpec:
    """Return the topic that is a class of the taxonomy: its words and samples, no seeds."""
    node = library_classification().node(reference)
    spec = TopicSpec.model_validate({"name": node.topic_name, "title": node.title, "classification": node.reference})
    spec._reference = node.reference
    return spec


def _table(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = data.get(name)
    return table if isinstance(table, Mapping) else {}


def _strings(value: object) -> list[tuple[int, str]]:
    """Return the strings of a list that may be anything, with their places."""
    items = value if isinstance(value, list | tuple) else ()
    return [(at, item) for at, item in enumerate(items) if isinstance(item, str) and item.strip()]


def _word_faults(file: str, data: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with words: none and no samples, several in one, synonyms of nothing, for and against."""
    faults = []
    terms, synonyms, samples = _table(data, "terms"), _table(data, "synonyms"), _table(data, "samples")
    wanted = terms or samples.get("relevant") or samples.get("relevant_text") or data.get("classification")
    if not wanted:
        faults.append(
            f"{file}: neither [terms] nor relevant [samples] nor a classification: one must say what is wanted"
        )
    for word in terms:
        if "|" in word:
            first, *others = (name.strip() for name in word.split("|"))
            faults.append(
                f'{file}: [terms] {quoted(word)}: a word has no "|"; its other names go below [synonyms]: '
                f"{quoted(first)} = [{', '.join(map(quoted, others))}]"
            )
    folded = {collapse(fold(term)) for term in terms}
    for word in synonyms:
        if collapse(fold(word)) not in folded:
            hint = did_you_mean(word, terms)
            faults.append(f"{file}: [synonyms] {quoted(word)}: is not in [terms], so it cannot have synonyms.{hint}")
    folded.update(collapse(fold(word)) for words in synonyms.values() for _, word in _strings(words))
    for word, weight in _table(data, "excluded").items():
        if collapse(fold(word)) in folded:
            faults.append(
                f"{file}: [excluded] {quoted(word)} = {quoted(weight)}: is also a word of [terms] or [synonyms]; "
                "a word can speak for a page or against it, not both"
            )
    return faults


def _read_examples(path: Path, spec: TopicSpec | None, data: object) -> tuple[tuple[Example, ...], list[str]]:
    """Return the examples beside a topic file, and what is wrong with them and with those inside."""
    faults = contradictions(spec.examples, file=display(path), data=data) if spec is not None else []
    try:
        return read_examples(examples_file(path)), faults
    except TopicError as error:
        return (), [*faults, *error.faults]


def _read_samples(
    data: Mapping[str, Any], base: Path, *, allow_outside: bool
) -> tuple[list[Sample], dict[tuple[object, ...], str]]:
    """Return the samples, those of the topic's class included, and what is wrong with them by place in the file."""
    table = data.get("samples", {})
    samples: list[Sample] = []
    faults: dict[tuple[object, ...], str] = {}
    if not isinstance(table, Mapping):
        return samples, faults
    for kind in ("relevant", "irrelevant"):
        for at, pattern in _strings(table.get(kind)):
            try:
                samples += load_samples(pattern, kind=kind, base=base, allow_outside=allow_outside)
            except TopicError as error:
                faults["samples", kind, at] = "; ".join(error.faults)
        samples += [Sample(kind, None, text=text) for _, text in _strings(table.get(f"{kind}_text"))]
        if kind == "relevant":
            inherited, inherited_faults = inherited_samples(data)
            samples += inherited
            faults |= inherited_faults
    return samples, faults


def _read_seeds(file: str, data: Mapping[str, Any], base: Path, *, allow_outside: bool) -> tuple[list[str], list[str]]:
    urls: list[str] = []
    faults: list[str] = []
    for at, name in _strings(data.get("seed_files")):
        path = base / name
        if not os.path.isfile(path):  # pathlib's raises for a name that is too long
            faults.append(fault_at(file, ("seed_files", at), data, f"no such file, seen from {display(base)}/"))
            continue
        if not allow_outside and not is_inside(path, base):
            faults.append(fault_at(file, ("seed_files", at), data, OUTSIDE))
            continue
        try:
            urls += read_seed_file(path)
        except TopicError as error:
            faults += error.faults
    return urls, faults


def _read_lexicon(
    file: str, data: Mapping[str, Any], base: Path, *, allow_outside: bool
) -> tuple[Lexicon | None, list[str]]:
    name = data.get("lexicon")
    if not isinstance(name, str) or not name:
        return None, []
    if name != WORDNET and not allow_outside and (base / name).exists() and not is_inside(base / name, base):
        return None, [fault_at(file, ("lexicon",), data, OUTSIDE)]
    try:
        return open_lexicon(name, base=base), []
    except TopicError as error:
        return None, [fault_at(file, ("lexicon",), data, "; ".join(error.faults))]


def dump_topic(spec: TopicSpec) -> str:
    """Return `spec` as the text of a topic file; keys that have their default are left out.

    Paths stay as they are written in the spec, so the text belongs into the folder the spec was loaded from.
    """
    from focuscrawl.topic.dump import to_toml

    data = spec.model_dump(mode="json", exclude_defaults=True)
    for table in (data.get("judge", {}), *data.get("scorers", {}).values()):
        table.update(table.pop("options", {}))  # they stand beside the table's own keys
    return to_toml(data)
