"""Candidates for seeds: URLs with what is known of them before they are fetched."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from focuscrawl.page.urls import host_of, normalize_url, registered_domain
from focuscrawl.topic.seeds import url_fault
from focuscrawl.types import storable

FUSION_DEPTH = 60.0
"""Constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): the first places of one list do not rule."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A URL that may become a seed.

    Parameters
    ----------
    url
        In normal form; http or https.
    title, snippet
        What its source says of it; "" where it says nothing.
    source
        Where it was found: a folder of bookmarks, an engine and its query, a run.
    score
        How well title and snippet fit the topic, in [0, 1]; None before they were judged.
    reason
        Why, for people.
    """

    url: str
    title: str = ""
    snippet: str = ""
    source: str = ""
    score: float | None = None
    reason: str = ""

    @property
    def site(self) -> str:
        """The registered domain, which stands for whoever runs the site."""
        return registered_domain(host_of(self.url))


def candidate(url: str, *, title: str = "", snippet: str = "", source: str = "") -> Candidate | None:
    """Return a candidate with its URL in normal form, None for what is no http or https URL."""
    url = url.strip()
    if url_fault(url):
        return None
    normal = normalize_url(url, url)
    if normal is None:
        return None
    # A title that was cut within an emoji ends with half of it, which no file can hold.
    return Candidate(normal, storable(" ".join(title.split())), storable(" ".join(snippet.split())), storable(source))


def each_once(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates, the first of each URL."""
    unique: dict[str, Candidate] = {}
    for found in candidates:
        unique.setdefault(found.url, found)
    return list(unique.values())


def fused(lists: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """Return the candidates of several ranked lists, merged by reciprocal rank fusion, best first.

    A URL's value is the sum of 1 / (60 + place) over the lists it is in; between equals the one met first comes first.
    """
    values: defaultdict[str, float] = defaultdict(float)
    first: dict[str, Candidate] = {}
    for ranked in lists:
        for place, found in enumerate(each_once(ranked), start=1):
            values[found.url] += 1.0 / (FUSION_DEPTH + place)
            known = first.setdefault(found.url, found)
            if len(found.snippet) > len(known.snippet):
                first[found.url] = replace(known, snippet=found.snippet)
    order = {url: number for number, url in enumerate(first)}
    return [first[url] for url in sorted(first, key=lambda url: (-values[url], order[url]))]


def limited_by_site(candidates: Iterable[Candidate], most: int) -> list[Candidate]:
    """Return the candidates in their order, of each site at most `most`: seeds of one site make a crawl of one site."""
    taken: Counter[str] = Counter()
    kept = []
    for found in candidates:
        taken[found.site] += 1
        if taken[found.site] <= most:
            kept.append(found)
    return kept
