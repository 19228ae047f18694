"""A page's own view: its analysis without what its host repeats."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain

from focuscrawl.page.content import LEAST_SHARE, LEAST_TOKENS
from focuscrawl.page.model import PageAnalysis, SiteWide
from focuscrawl.text.base import Tokenizer
from focuscrawl.text.scripts import HAN
from focuscrawl.types import UrlKey

# Signs between the parts of a title; a colon or a dash counts with white space, or beside Chinese.
# White space is only tried where it begins: trying each of a long run would take the square of its length.
_TITLE_BORDER = re.compile(
    r"(?<!\s)\s++(?:(?:[|»«›·•_]|::)\s*+|[-–—/~]++\s++)|(?:[|»«›·•_]|::)\s*+|:\s++|"
    rf"(?<=[{HAN}])\s*+[-–—]\s*+|(?<!\s)\s++[-–—]\s*+(?=[{HAN}])|[-–—]\s*+(?=[{HAN}])"
)
# Before the subject of half of the messages of a list, and no name of its site.
_REPLY = re.compile(r"(?:(?:re|aw|antw|sv|fwd?|回[复覆復]|答[复覆復]|[转轉][发發])\s?[:：]\s*+)++", re.IGNORECASE)
_TITLE_CHARS = 512
_BESIDE_NAME = 2
"""Words beside the site's name in a block that says no more than it: "From the Tea Encyclopedia"."""
_LEAST_NAME = 2  # words: the cells and items of a site called "Tea" say "green tea", too
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def title_pieces(title: str) -> list[str]:
    """Return the parts of a title; the mark of a reply is no part of its own.

    >>> title_pieces("Tea and sleep » Blog Archive - The site: news"), title_pieces("Re: Tea - The list")
    (['Tea and sleep', 'Blog Archive', 'The site', 'news'], ['Re: Tea', 'The list'])
    """
    title = title[:_TITLE_CHARS]
    reply = _REPLY.match(title)
    pieces = [piece for piece in _TITLE_BORDER.split(title[reply.end() :] if reply is not None else title) if piece]
    return [reply[0] + pieces[0], *pieces[1:]] if reply is not None and pieces else pieces


def own_title(title: str, wide: Collection[str]) -> str:
    """Return a title without the parts in `wide`; as it is when nothing would remain."""
    if not wide:
        return title
    kept = [piece for piece in title_pieces(title) if piece not in wide]
    if not kept or len(kept) == len(title_pieces(title)):
        return title
    first, last = title.find(kept[0]), title.rfind(kept[-1]) + len(kept[-1])
    inside = title[first:last]
    # What stands between the own parts stays as it was written, unless a site's part is among it.
    return " ".join(kept) if any(piece in inside for piece in wide) else inside


def site_pieces(page: PageAnalysis, pieces: Sequence[str], repeated: Collection[int]) -> list[str]:
    """Return the parts of a title that are the site's.

    The text of a link to the front page is the site's name on most sites, which tells it on the first page; that of
    another link of the site names a section, which is the page's own, however many pages of it were met.

    Parameters
    ----------
    repeated
        Numbers of the parts that stand at their end of the title on all pages.
    """
    if not pieces:
        return []
    front = (f"http://{page.host}/", f"https://{page.host}/")
    names = {link.anchor.casefold() for link in page.links if link.url in front}
    found = [at for at, piece in enumerate(pieces) if at in repeated or piece.casefold() in names]
    if repeated and len(pieces) > 1:
        lengths = {len(pieces[at]) for at in found}
        same = [link.anchor for link in page.links if len(link.anchor) in lengths and link.host == page.host]
        sections = {anchor.casefold() for anchor in same} - names
        found = [at for at in found if pieces[at].casefold() not in sections]
    return [pieces[at] for at in found]


def own_page(
    page: PageAnalysis,
    *,
    blocks: frozenset[int],
    links: frozenset[UrlKey],
    pieces: Sequence[str],
    known: bool,
    pages: int,
    repeated: bool = False,
    titled: bool = False,
    keywords: bool = False,
    description: bool = False,
    tokenizer: Tokenizer,
) -> PageAnalysis:
    """Return the own view of a page.

    Parameters
    ----------
    blocks, links, pieces
        What is site-wide: numbers of blocks, keys of links, parts of the title.
    known
        Enough pages of the host were met to tell.
    pages
        How many.
    repeated
        Other addresses of the host gave the same text.
    titled
        No other page of the host has its title.
    keywords, description
        Most pages of the host declare the same.
    """
    title_tokens = page.title_tokens
    site_tokens: tuple[str, ...] = ()
    if pieces:
        site_tokens = tuple(tokenizer.tokens(" | ".join(pieces)))
        left = [piece for piece in title_pieces(page.title) if piece not in pieces]
        title_tokens = tuple(tokenizer.tokens(" | ".join(left)))
        blocks |= _naming_blocks(page, [tokenizer.tokens(piece) for piece in pieces])
    tokens, content, heading_tokens = page.tokens, page.content_tokens, page.heading_tokens
    if blocks:
        own = [block for block in page.blocks if block.index not in blocks]
        site_tokens += tuple(chain.from_iterable([block.tokens for block in page.blocks if block.index in blocks]))
        tokens = tuple(chain.from_iterable([block.tokens for block in own]))
        content = tuple(chain.from_iterable([block.plain for block in own if not block.boilerplate]))
        if len(content) < LEAST_TOKENS:  # as in `choose_content`: the rules took the page apart
            plain = tuple(chain.from_iterable([block.plain for block in own]))
            for wider in (plain, tokens):
                if len(content) < LEAST_SHARE * len(wider):
                    content = wider
        heading_tokens = tuple(chain.from_iterable([words for at, words in page.heading_words if at not in blocks]))
    return replace(
        page,
        title_tokens=title_tokens,
        tokens=tokens,
        content_tokens=content,
        heading_tokens=heading_tokens,
        site_wide=SiteWide(
            known, pages, blocks, links, tuple(pieces), site_tokens, repeated, titled, keywords, description
        ),
    )


def _naming_blocks(page: PageAnalysis, names: Sequence[Sequence[str]]) -> frozenset[int]:
    """Return the blocks outside links and headings that say the name of the site and hardly a word beside it.

    Repetition does not tell them where pages of another kind have something else in the same slot.
    """
    found: set[int] = set()
    texts = [block for block in page.blocks if not block.link_chars and block.tag not in _HEADINGS]
    for name in names:
        size, name_tokens = len(name), tuple(name)
        if size < _LEAST_NAME:
            continue
        for block in texts:
            tokens = block.tokens
            spare = len(tokens) - size
            if spare <= _BESIDE_NAME and any(tokens[at : at + size] == name_tokens for at in range(spare + 1)):
                found.add(block.index)
    return frozenset(found)
