"""A page's own text: what was extracted of it without what its host repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from focuscrawl.extraction.base import Extraction
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.own import own_title
from focuscrawl.page.site import SiteMemory
from focuscrawl.types import Explained

NO_OWN_TEXT = "no text of its own: all of it stands on many pages of the host"
# Of an extracted text: with less of its own the page repeats others.
_OWN_SHARE = 0.2
# Of an extracted text: with more of it on earlier pages a page under a title they had is put together from them.
_KNOWN_SHARE = 0.8


def own_text(
    sites: SiteMemory, page: PageAnalysis, text: Extraction | None, *, lists: bool = False
) -> tuple[Extraction | None, Sequence[str], float]:
    """Return what was extracted without what the page's host repeats, the words of that, and the known share of all.

    Known are lines that earlier pages of the host had.

    Parameters
    ----------
    lists
        The page is an index of others, or a near miss, which is one mostly. Its text is compared and not noted: it has
        the beginnings of posts to come, or all of them. On a small site three indexes have each post.
    """
    if text is None:
        return None, (), 0.0
    title = own_title(text.title or page.title, page.site_wide.title)
    own, words, known_share = sites.own_text(page.host, text.text, url=page.url, again=lists)
    confidence = text.confidence if own or not text.text else Explained(0.0, {}, NO_OWN_TEXT)
    return replace(text, text=own, title=title, confidence=confidence), words, known_share


def is_mostly_gone(extracted: Extraction | None, own: Extraction | None) -> bool:
    """Tell whether nearly all of an extracted text stands on other pages of the host, too."""
    return extracted is not None and own is not None and len(own.text) < _OWN_SHARE * len(extracted.text)


def says_more(page: PageAnalysis, words: Sequence[str]) -> bool:
    """Tell whether a page has a title no other page of its host has, and says something of its own beside it.

    As a post of pictures or a daily table does, of which nearly all stands on other pages, too. A page for every
    combination of tags has a title of its own and nothing else.

    Parameters
    ----------
    words
        Of the page's own text.
    """
    return page.site_wide.titled and not set(words).issubset(page.title_tokens)


def is_put_together(page: PageAnalysis, known_share: float) -> bool:
    """Tell whether a page says what earlier pages of its host said, each a part of it, under a title they had.

    As the same goods by other facets, or a product beside other "similar products": no line is on so many pages that
    it is the site's, and none is new.

    Parameters
    ----------
    known_share
        Share of the extracted text in lines that earlier pages had.
    """
    return known_share > _KNOWN_SHARE and not page.site_wide.titled


def has_nothing_own(extracted: Extraction | None, own: Extraction | None) -> bool:
    """Tell whether all of an extracted text stands on other pages of the host, too.

    As of an article under many addresses, each with other links around it: it would be a result without a text.
    """
    return extracted is not None and own is not None and bool(extracted.text) and not own.text
