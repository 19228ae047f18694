"""Site memory: what a host repeats on its pages, told from what a page says itself.

A menu, a list of categories, a footer or a site's name say nothing of the page they stand on. They are told by
repetition: for each host a count-min sketch [1]_ with conservative update [2]_ counts on how many pages a block of
text, a link or a piece of the title stood, and in how many extracted texts a line. Numbers are masked, so that dated
boilerplate counts as one. What stood on `LEAST_PAGES` pages and on a share of `SHARE` is *site-wide*. For blocks that
is a share of the pages which have something in the same slot (`focuscrawl.page.slots`), for parts of a title one of
those whose title has a repeated part at the same position: neither depends on which pages a crawl chose to fetch.

Memory is bounded: 9 kB a host, the hosts met least recently are forgotten. Counts are halved every `WINDOW` pages, so
that a site may change its template.

References
----------
.. [1] Graham Cormode, S. Muthukrishnan, An improved data stream summary: the count-min sketch and its applications,
   Journal of Algorithms 55(1), 2005.
.. [2] Cristian Estan, George Varghese, New directions in traffic measurement and accounting, SIGCOMM 2002.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64decode, b64encode
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from focuscrawl.page.kept_lines import keep_inside
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.own import own_page, own_title, site_pieces, title_pieces
from focuscrawl.page.same_text import same_text_item
from focuscrawl.page.slots import Slots, fingerprint
from focuscrawl.page.urls import path_tokens
from focuscrawl.text.base import Tokenizer
from focuscrawl.types import HostKey

LEAST_PAGES = 3
SURE_PAGES = 6
"""Pages of a host after which what is its own and what a page's is told well enough to judge the first ones again."""
SHARE = 0.9
"""Of the pages that have something at its slot."""
SLOT_SHARE = 0.97
"""The same for short lists of links, which may be categories."""
TURN_SHARE = 0.98
"""Of the repeated parts of titles at one spot: a second one that is repeated makes both names of sections."""
TITLE_SHARE = 0.5
"""Of the host's pages with such a title, and of all of them for what titles begin with: a part that stands on fewer is
at most the name of a section."""
LINK_SHARE = 0.3
"""Of the host's pages. A link that stood on three pages was queued long ago, whatever it is."""
DECLARED_SHARE = 0.5
"""Of the host's pages: keywords, or a description, that so many declare are those of the site."""
LINE_SHARE = 0.3
"""Of the host's extracted texts: a line that every third article has says nothing of any of them."""
WINDOW = 60
MAX_HOSTS = 2_000
"""18 MB."""

_ROWS, _WIDTH = 4, 1 << 11
_TEXT_WIDTH = 1 << 8
"""Of the counts of whole pages and titles, two items a page: among all blocks and links each would seem met."""
_CELLS = _ROWS * (_WIDTH + _TEXT_WIDTH)
_SHIFTS = np.arange(_ROWS, dtype=np.uint64) * np.uint64(16)
_PARTS = np.uint64(_WIDTH - 1), np.arange(_ROWS, dtype=np.int64) * _WIDTH
_TEXTS = np.uint64(_TEXT_WIDTH - 1), np.arange(_ROWS, dtype=np.int64) * _TEXT_WIDTH + _ROWS * _WIDTH
"""Mask and first cell of each row."""
_TURNS, _CHANCE_LINES = 4, 0.25
_HEAD_TOKENS = 5
_LONG_LINE, _LONGEST_LINE = 8, 80
"""A line of so many words that begins and ends as many others do ("This entry was posted on … pings are currently
closed.") is theirs, whatever stands between."""

_REPETITION = fingerprint("title", "repetition")


class OwnText(NamedTuple):
    """A text without the lines that many of its host have."""

    text: str
    words: Sequence[str]
    known_share: float = 0.0
    """Share of the whole text's characters in lines that an earlier page of the host had."""


@dataclass(slots=True)
class _Site:
    """Fingerprints of one host."""

    number: int  # under which it is saved; that of a forgotten host is given anew
    counts: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(_CELLS, dtype=np.uint8))
    pages: int = 0
    texts: int = 0
    changed: bool = False


class SiteMemory:
    """Memory of what the hosts of a crawl repeat.

    Parameters
    ----------
    tokenizer
        Cuts what remains of a title, and the lines of texts.
    max_hosts
        How many hosts are remembered.
    """

    def __init__(self, tokenizer: Tokenizer, *, max_hosts: int = MAX_HOSTS) -> None:
        self._tokenizer = tokenizer
        self._max_hosts = max_hosts
        self._sites: OrderedDict[HostKey, _Site] = OrderedDict()
        self._next = 0  # number that no host has had

    def own(self, page: PageAnalysis) -> PageAnalysis:
        """Note a page and return its own view: without what its host repeats, which `site_wide` of the view names."""
        return self._own(page, again=False)

    def own_again(self, page: PageAnalysis) -> PageAnalysis:
        """Return the own view of a page that was noted before, by what is known of its host now."""
        return self._own(page, again=True)

    def _own(self, page: PageAnalysis, *, again: bool) -> PageAnalysis:
        site = self._site(page.host)
        slots = Slots(page)
        links = [link.key ^ _text_item("link", link.anchor) for link in page.links]
        pieces = title_pieces(page.title)
        spots, titles = _title_items(pieces)
        declared = [_text_item("keywords", "\n".join(page.keywords)), _text_item("description", page.description)]
        seen = _note(site, [*slots.texts, *links, *titles, *slots.slots, *declared], again=again)
        whole = [same_text_item(page), _text_item("title whole", page.title.casefold())]
        same_text, same_title = _note(site, whole, again=again, rows=_TEXTS).tolist()
        site.pages += not again
        of_links, of_titles = len(page.blocks), len(page.blocks) + len(links)
        of_slots = of_titles + len(titles)
        often = seen >= LEAST_PAGES
        least = np.where(slots.few, SLOT_SHARE, SHARE) * seen[of_slots:][slots.slot_of] if slots.texts else 0.0
        same_keywords, same_description = (often[-2:] & (seen[-2:] >= DECLARED_SHARE * site.pages)).tolist()
        titled = _title_wide(site, spots, titles, seen[of_titles:of_slots], again=again)
        wide_links = often[of_links:of_titles] & (seen[of_links:of_titles] >= LINK_SHARE * site.pages)
        view = own_page(
            page,
            blocks=slots.site_wide(often[:of_links] & (seen[:of_links] >= least)),
            links=frozenset(page.links[at].key for at in np.flatnonzero(wide_links)),
            pieces=site_pieces(page, pieces, _outer(titled)),
            known=site.pages >= LEAST_PAGES,
            pages=site.pages,
            repeated=same_text >= LEAST_PAGES,
            titled=same_title == 1,
            keywords=same_keywords,
            description=same_description,
            tokenizer=self._tokenizer,
        )
        if site.pages >= WINDOW and not again:
            _halve(site)
        return view

    def own_text(self, host: HostKey, text: str, *, url: str = "", again: bool = False) -> OwnText:
        """Note an extracted text of `host`; return it without the lines that many have, and its words.

        The lines are cut into words to tell which are the host's, so that nobody has to cut the text again: a word
        never goes over the end of a line.

        Parameters
        ----------
        url
            Of the page: long lines that differ by words of their page's address only are one.
        again
            The text says what others say, or will: as of a list with the beginnings of posts. It is not noted.
        """
        if not text.strip():
            return OwnText(text, ())
        site = self._site(host)
        lines = text.split("\n")
        words = self._tokenizer.chunks(lines)
        wholes = [_text_item("line", " ".join(tokens)) for tokens in words]
        framed = [_LONG_LINE <= len(tokens) <= _LONGEST_LINE for tokens in words]
        heads = [
            _text_item("head", " ".join(tokens[:_HEAD_TOKENS])) if is_framed else 0
            for tokens, is_framed in zip(words, framed, strict=True)
        ]
        tails = [
            _text_item("tail", " ".join(tokens[-_HEAD_TOKENS:])) if is_framed else 0
            for tokens, is_framed in zip(words, framed, strict=True)
        ]
        named = frozenset(path_tokens(url, self._tokenizer)) if url and True in framed else frozenset()
        echoes = [_echo(tokens, named) if is_framed else 0 for tokens, is_framed in zip(words, framed, strict=True)]
        chance = _chance_count(site, len(lines))
        seen = _note(site, [*wholes, *heads, *tails, *echoes], again=again)
        site.texts += not again
        is_known = seen > chance + (not again)
        wide = (seen >= LEAST_PAGES) & (seen >= LINE_SHARE * site.texts) & is_known
        count = len(lines)
        known_chars = sum(len(line) for line, known in zip(lines, is_known[:count].tolist(), strict=True) if known)
        known_share = known_chars / sum(map(len, lines))
        is_wide, by_head, by_tail, by_echo = wide.reshape(4, count)
        gone = (is_wide | (by_head & by_tail) | by_echo).tolist()
        keep_inside(gone, lines, words)
        if True not in gone:
            return OwnText(text, list(chain.from_iterable(words)), known_share)
        kept = [at for at, is_gone in enumerate(gone) if not is_gone]
        own = re.sub(r"\n{3,}", "\n\n", "\n".join([lines[at] for at in kept])).strip()
        return OwnText(own, list(chain.from_iterable([words[at] for at in kept])), known_share)

    def own_result(self, host: HostKey, title: str, text: str) -> tuple[str, str]:
        """Note what was extracted of a page that is not analysed here; return title and text without the site's.

        A text of which nothing would be left stays as it is.
        """
        site = self._site(host)
        pieces = title_pieces(title)
        spots, titles = _title_items(pieces)
        seen = _note(site, titles)
        site.pages += 1
        wide = _outer(_title_wide(site, spots, titles, seen, again=False))
        own = self.own_text(host, text).text
        if site.pages >= WINDOW:
            _halve(site)
        return own_title(title, [pieces[at] for at in wide]), own or text

    # ------------------------------------------------------------------ state

    def changed(self) -> dict[int, dict[str, object]]:
        """Return the state of the known hosts that changed since the last call by number, JSON-safe: some 2 kB each."""
        out: dict[int, dict[str, object]] = {}
        for host, site in self._sites.items():
            if site.changed and site.pages >= LEAST_PAGES:
                packed = b64encode(zlib.compress(site.counts.tobytes(), 6)).decode("ascii")
                out[site.number] = {"host": host, "pages": site.pages, "texts": site.texts, "counts": packed}
                site.changed = False
        return out

    def restore(self, states: Mapping[int, Mapping[str, object]]) -> None:
        """Take up what `changed` returned, under the same numbers; damaged data is left alone."""
        for number, state in sorted(states.items()):
            host, pages, texts, counts = (state.get(name) for name in ("host", "pages", "texts", "counts"))
            if not (isinstance(host, str) and isinstance(counts, str)):
                continue
            if not (isinstance(pages, int) and isinstance(texts, int)):
                continue
            cells = _unpacked(counts)
            if cells is not None and 0 <= pages <= WINDOW and texts >= 0:
                site = self._site(host)
                site.number, self._next = number, max(self._next, number + 1)  # hosts of few pages were not saved
                site.counts, site.pages, site.texts, site.changed = cells, pages, texts, False

    # ---------------------------------------------------------------- private

    def _site(self, host: HostKey) -> _Site:
        site = self._sites.get(host)
        if site is None:
            if len(self._sites) >= self._max_hosts:
                number = self._sites.popitem(last=False)[1].number
            else:
                number = self._next
                self._next += 1
            site = self._sites[host] = _Site(number)
        else:
            self._sites.move_to_end(host)
        site.changed = True
        return site


def _note(
    site: _Site,
    items: Sequence[int],
    *,
    again: bool = False,
    rows: tuple[np.uint64, NDArray[np.int64]] = _PARTS,
) -> NDArray[np.int64]:
    """Count each item once more; return how often it was met, this time included. Item 0 is none: never met.

    Nothing is counted of a page that is looked at again.
    """
    array = np.fromiter(items, np.uint64, len(items))
    mask, starts = rows
    cells = ((array[:, None] >> _SHIFTS) & mask).astype(np.int64) + starts
    seen: NDArray[np.int64] = site.counts[cells].min(axis=1, initial=255).astype(np.int64) + (not again)
    seen[array == 0] = 0
    if again:
        return seen
    # Of cells that several items share the largest count stays: an item met twice on a page counts once.
    np.maximum.at(site.counts, cells.ravel(), np.repeat(np.minimum(seen, 255).astype(np.uint8), _ROWS))
    return seen


def _chance_count(site: _Site, lines: int) -> int:
    """Return the count that less than one line in a text of so many, never met before, has by chance.

    A cell of each row are those of no item but by chance. A few books or long threads fill all cells; then each line
    of a text seems to be met before, and an essay has hundreds of them.
    """
    first, second, third, fourth = site.counts[: _ROWS * _WIDTH].reshape(_ROWS, _WIDTH)
    one, other = np.minimum(first, second), np.minimum(third, fourth)
    lowest = np.concatenate([np.minimum(one, np.roll(other, turn)) for turn in range(_TURNS)])
    most = max(int(_CHANCE_LINES * len(lowest) / lines), 1)
    return int(np.partition(lowest, -most)[-most])


def _halve(site: _Site) -> None:
    site.counts >>= 1
    site.pages //= 2
    site.texts //= 2


def _title_items(pieces: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the spot of each part of a title, from the beginning and from the end, and items for part and spot.

    A spot is a position and whether more of the title follows in that direction: what stands before the page's own
    part is compared with what stands there on other pages, however many titles have no such part.
    """
    count = len(pieces)
    ends = [*range(count), *range(-count, 0)]
    spots = [f"{end} {end not in (count - 1, -count)}" for end in ends]
    parts = [_text_item(f"title {spot}", piece.casefold()) for spot, piece in zip(spots, [*pieces] * 2, strict=True)]
    return spots, [*parts, *(_text_item("title spot", spot) for spot in spots)]


def _title_wide(
    site: _Site, spots: Sequence[str], titles: Sequence[int], seen: NDArray[np.int64], *, again: bool
) -> list[bool]:
    """Return whether a part of the title is the only one that is repeated at its spot, on half of the pages with one.

    Titles that end otherwise each in its own way (a page without the site's name) do not count against it. Those that
    begin otherwise do: what a few titles begin with is the name of a series or a column ("Review: Spy"). What is
    compared are repetitions, the first meeting left out on both sides, so that halved counts still agree.
    """
    count = len(spots)
    met, pages = seen[:count], seen[count:]
    least = TITLE_SHARE * pages
    least[:1] = np.maximum(least[:1], TITLE_SHARE * site.pages)
    repeated = (met > 1).tolist()
    items = [_text_item("title turn", spot) if is_met else 0 for spot, is_met in zip(spots, repeated, strict=True)]
    items += [part ^ _REPETITION if is_met else 0 for part, is_met in zip(titles[:count], repeated, strict=True)]
    noted = _note(site, items, again=again)
    turns, repetitions = noted[:count], noted[count:]
    wide = (met >= LEAST_PAGES) & (repetitions >= TURN_SHARE * turns) & (met >= least)
    return [bool(is_wide) for is_wide in wide]


def _outer(wide: Sequence[bool]) -> list[int]:
    """Return the numbers of the parts at either end of a title that are the site's without a gap.

    >>> _outer([False, True, False, False, True, True])
    [1, 2]
    """
    count = len(wide) // 2
    found = [
        *takewhile(lambda at: wide[at], range(count)),
        *takewhile(lambda at: wide[at - count], reversed(range(count))),
    ]
    return sorted(set(found))


@lru_cache(maxsize=8_192)
def _text_item(kind: str, text: str) -> int:
    # "Episode 12:" is a page's own part of a title; the name of a site has no count.
    return fingerprint(kind, text, masked=not kind.startswith("title")) if text or kind == "link" else 0


def _echo(tokens: Sequence[str], named: Collection[str]) -> int:
    """Return an item for what a line says beside the words of its page's address, 0 when that is little or all."""
    others = [token for token in tokens if token not in named]
    return _text_item("echo", " ".join(others)) if _LONG_LINE <= len(others) < len(tokens) else 0


def _unpacked(counts: str) -> NDArray[np.uint8] | None:
    try:
        data = zlib.decompressobj().decompress(b64decode(counts, validate=True), _CELLS + 1)
    except (ValueError, zlib.error):
        return None
    return np.frombuffer(data, dtype=np.uint8).copy() if len(data) == _CELLS else None
