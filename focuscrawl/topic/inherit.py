"""What a topic takes over from the class it names: words and sample texts, more of them the broader it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import Any

from focuscrawl.errors import TopicError
from focuscrawl.text.normalize import collapse, fold
from focuscrawl.topic.faults import did_you_mean, quoted
from focuscrawl.topic.files import Sample
from focuscrawl.topic.taxonomy import ClassSample, TaxonomyNode, library_classification

BREADTHS = {"narrow": 0.0, "broad": 1.0}


def checked_breadth(breadth: object) -> object:
    """Return a topic file's breadth as a number in [0, 1].

    Raises
    ------
    ValueError
        If it is something else.
    """
    if isinstance(breadth, str) and breadth in BREADTHS:
        return BREADTHS[breadth]
    if breadth is None:
        return None
    if isinstance(breadth, int | float) and not isinstance(breadth, bool) and 0.0 <= breadth <= 1.0:
        return float(breadth)
    raise ValueError('must be "broad", "narrow" or a number in [0, 1]')


def classification_fault(reference: str) -> str:
    """Return what is wrong with the value of ``classification``, or ""."""
    if not reference:
        return ""
    try:
        library_classification().node(reference)
    except TopicError as error:
        return "; ".join(error.faults).removeprefix(f'"{reference}": ')
    return ""


def node_of(data: Mapping[str, Any]) -> TaxonomyNode | None:
    """Return the class a topic's data name; None without one, or when it is unknown."""
    reference = data.get("classification")
    if not isinstance(reference, str) or not reference or classification_fault(reference):
        return None
    return library_classification().node(reference)


def breadth_of(node: TaxonomyNode | None, breadth: object) -> float:
    """Return how broad a topic is, in [0, 1]: as it says, else 1 for a class with others below it, else 0."""
    try:
        value = checked_breadth(breadth)
    except ValueError:
        value = None
    if isinstance(value, float):
        return value
    return 1.0 if node is not None and node.children else 0.0


def with_inherited_words(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a topic's data with the words of its class, after its own.

    A class brings its own words with their weights, and those of the n classes below it with their weights times
    breadth / sqrt(n): a page speaks of one of them, and all together are to weigh no more than one class does, as
    judges compare with the length of the weight vector. A group has no words of its own, so it brings those below it in
    full. A word the topic has keeps its weight; one it excludes is left out. Both names of a word are found on pages;
    in a topic in English the English one comes first, in all others the Chinese one, so that what is shown and what
    search engines are asked first is in its language. Data without a class are returned as they are.
    """
    node = node_of(data)
    own, synonyms, excluded = (data.get(key, {}) for key in ("terms", "synonyms", "excluded"))
    if node is None or not all(isinstance(table, Mapping) for table in (own, synonyms, excluded)):
        return dict(data)
    terms: dict[str, Any] = dict(own)
    forms: dict[str, Any] = dict(synonyms)
    spelled = {_plain(term): term for term in terms}
    known = set(spelled) | {_plain(word) for word in excluded}
    known |= {_plain(form) for words in forms.values() if isinstance(words, list | tuple) for form in words}
    for chinese, weight, others in _inherited(node, breadth_of(node, data.get("breadth"))):
        term, names = _in_language(_language_of(data), chinese, others)
        mine = spelled.get(_plain(term), spelled.get(_plain(chinese)))
        if mine is None:
            if _plain(term) in known or _plain(chinese) in known:
                continue
            mine = spelled[_plain(term)] = term
            terms[term] = weight
            known.add(_plain(term))
        have = forms.get(mine, ())
        if not isinstance(have, list | tuple):
            continue
        new = [name for name in names if _plain(name) not in known]
        known |= {_plain(name) for name in new}
        if new:
            forms[mine] = [*have, *new]
    return {**data, "terms": terms, "synonyms": forms}


def _in_language(language: str, term: str, names: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the name of a word in the topic's language, and its other names."""
    first = next((name for name in names if name.isascii()), term) if language == "en" else term
    return first, tuple(name for name in (term, *names) if name != first)


def _language_of(data: Mapping[str, Any]) -> str:
    return str(data.get("language", "auto")).lower().partition("-")[0]


def _plain(word: object) -> str:
    return collapse(fold(str(word)))


def _inherited(node: TaxonomyNode, breadth: float) -> Iterator[tuple[str, float, tuple[str, ...]]]:
    """Yield word, weight and other names, each word once with its largest weight."""
    best: dict[str, tuple[float, tuple[str, ...]]] = {}
    below = sum(1 for other in node.walk() if other is not node and other.terms)
    share = breadth / sqrt(max(1, below)) if node.terms else 1.0
    for source in node.walk():
        factor = 1.0 if source is node else share
        for term, weight in source.terms.items():
            value = round(weight * factor, 4)
            if value > best.get(term, (0.0, ()))[0]:
                best[term] = (value, source.synonyms.get(term, ()))
    for term, (weight, names) in best.items():
        yield term, weight, names


def class_samples(data: Mapping[str, Any]) -> list[ClassSample]:
    """Return the sample texts a topic's class offers at its breadth, in the topic's language, before any choice."""
    node = node_of(data)
    if node is None:
        return []
    below = breadth_of(node, data.get("breadth")) > 0.0 or not node.terms
    offered = [sample for source in (node.walk() if below else (node,)) for sample in source.samples]
    language = _language_of(data)
    return [sample for sample in offered if language in ("auto", sample.language)]


def inherited_samples(data: Mapping[str, Any]) -> tuple[list[Sample], dict[tuple[object, ...], str]]:
    """Return the samples a topic takes from its class, and what is wrong with its choice, by place in the file.

    ``inherit`` names those to take (default: all), ``drop`` those to leave out; a class stands for all of its samples.
    """
    table = data.get("samples", {})
    if not isinstance(table, Mapping):
        return [], {}
    offered = {sample.name: sample for sample in class_samples(data)}
    faults: dict[tuple[object, ...], str] = {}
    chosen = set(offered)
    for key in ("inherit", "drop"):
        names = table.get(key)
        if not isinstance(names, list | tuple):
            continue
        named: set[str] = set()
        for at, name in enumerate(names):
            hits = {known for known in offered if isinstance(name, str) and _stands_for(name, known)}
            if not hits:
                faults["samples", key, at] = _unknown_sample(name, offered)
            named |= hits
        chosen = chosen & named if key == "inherit" else chosen - named
    samples = [Sample("relevant", None, text=s.text, name=s.name) for s in offered.values() if s.name in chosen]
    return samples, faults


def _stands_for(name: str, sample: str) -> bool:
    return name == sample or name == sample.rpartition("/")[0]


def _unknown_sample(name: object, offered: Sequence[str] | Mapping[str, object]) -> str:
    if not offered:
        return "the topic inherits no samples: it names no class with texts in its language"
    hint = did_you_mean(str(name), offered)
    return f"no inherited sample {quoted(name)}; they are {', '.join(offered)}.{hint}"
