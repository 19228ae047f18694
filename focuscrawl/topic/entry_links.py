"""Is a page a list of links to other pages of its site, with hardly more than a name or a day beside each?"""

from __future__ import annotations

from collections import defaultdict
from itertools import accumulate, pairwise

from focuscrawl.page.model import Link, PageAnalysis

_LEAST = 10  # entries
_PATH = 3  # last tags of the path to an entry: trees of messages have them at several depths
_LINK_SHARE = 0.5  # of the text of an entry's own block
_ANCHOR_WORDS = 2  # in the mean: names of pages, and no "Reply"
_LEAST_NAMES = 4  # that differ: the posts of a thread have its subject each
_MOST_BESIDE = 12  # words outside links beside an entry, in the mean
_AROUND_SHARE, _MOST_AROUND = 0.4, 15  # words before the first entry and after the last, by those between, or so many
_LONGEST_SHARE = 0.3  # of these, between two entries: an article between two menus has nearly all


def lists_entries(page: PageAnalysis) -> bool:
    """Tell whether most of a page are entries that lead to other pages of its host.

    An entry is a link that most of the text of its block belongs to, in blocks of one kind. Links that the host
    repeats are none, and what stands between two entries is short: neither is an article with menus around it such a
    list, nor a thread whose posts lead to their authors. Time is linear in links and blocks.
    """
    if len(page.links) < _LEAST:
        return False
    groups: dict[tuple[str, ...], list[Link]] = defaultdict(list)
    for link in page.links:
        if link.block < 0 or link.host != page.host or link.key == page.key or link.key in page.site_wide.links:
            continue
        block = page.blocks[link.block]
        if block.chars and block.link_chars >= _LINK_SHARE * block.chars:
            groups[link.dom_path[-_PATH:]].append(link)
    entries = max(groups.values(), key=len, default=[])
    if len(entries) < _LEAST or not _are_names(entries):
        return False
    starts = sorted({link.block for link in entries})
    first, last = starts[0], starts[-1]
    running = list(accumulate((len(block.plain) for block in page.blocks), initial=0))
    beside = [running[after] - running[before] for before, after in pairwise(starts)]
    inside = sum(beside)
    # "From:" beside each message of a list is the site's on all of its indexes, and as little an article's.
    around = sum(
        len(block.plain)
        for number, block in enumerate(page.blocks)
        if not first <= number <= last and number not in page.site_wide.blocks
    )
    return (
        bool(beside)
        and inside <= _MOST_BESIDE * len(beside)
        and around <= max(_AROUND_SHARE * inside, _MOST_AROUND)
        and max(beside) <= max(_LONGEST_SHARE * inside, _MOST_BESIDE)
    )


def _are_names(entries: list[Link]) -> bool:
    words = sum(len(link.anchor_tokens) for link in entries)
    return words >= _ANCHOR_WORDS * len(entries) and len({link.anchor for link in entries}) >= _LEAST_NAMES
