"""Analysis of a page: the plain data of one parse, for scorers, judges and rankers.

Nothing here refers to a parser. The tree itself is `PageAnalysis.tree`; only extractors look at it, and
nobody changes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from focuscrawl.types import HostKey, UrlKey

if TYPE_CHECKING:
    from focuscrawl.page.tree import PageTree


REFRESH = "meta"
"""Tag of a link that a page's refresh makes: a redirect in other words."""


class PageKind(StrEnum):
    """Kind of a page, by its shape."""

    ARTICLE = "article"  # one body of running text
    HUB = "hub"  # mostly links: sections, listings, directories
    MULTI_BODY = "multi-body"  # several bodies: threads, questions and answers
    MULTIMEDIA = "multimedia"  # pictures or video with little text
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Block:
    """A text-bearing block of a page (docs/formulas.md D; tree edges lead to the nearest block ancestor).

    `tokens` are those of the block's *own* text, nested blocks excluded, anchors included.
    """

    index: int  # in document order
    parent: int  # index of the nearest block above, -1 at the top
    tag: str
    siblings: int  # blocks with the same parent, itself included (k of rule 3)
    tokens: tuple[str, ...]
    chars: int  # non-whitespace characters of the own text
    link_chars: int  # of these, inside links
    boilerplate: bool  # navigation, header, footer, side bar, or mostly links (page/blocks.py)
    plain: tuple[str, ...] = ()  # those of `tokens` outside links


@dataclass(frozen=True, slots=True)
class Link:
    """A link with its extended metadata (docs/formulas.md A.1, A.2); each field is '' or empty when the page has none.

    Text fields are whitespace-collapsed and cut at 512 characters. Parallel links to one URL are merged.
    """

    url: str  # normal form (A.3)
    key: UrlKey
    host: HostKey
    tag: str  # 'a', 'area', 'frame', 'iframe', 'img', 'link' or 'meta', which goes before the others
    anchor: str  # visible text of the link
    image_text: str = ""  # of its pictures, or its aria-label where it shows nothing
    area_text: str = ""
    frame_text: str = ""
    title: str = ""
    name: str = ""
    onmouseover: str = ""
    src: str = ""
    rel: frozenset[str] = frozenset()
    heading: str = ""  # nearest heading above
    anchor_tokens: tuple[str, ...] = ()
    text_tokens: tuple[str, ...] = ()  # class TEXT without the surroundings: anchor, image, area, frame text
    surrounding_tokens: tuple[str, ...] = ()  # 20 before and 20 after, this anchor's own left out
    title_tokens: tuple[str, ...] = ()  # class TITLE: title, name
    extra_url_tokens: tuple[str, ...] = ()  # class URL besides the URL itself: onmouseover, src
    url_tokens: tuple[str, ...] = ()  # of the URL (page/urls.py: url_tokens)
    dom_path: tuple[str, ...] = ()  # tag names from the root to the link
    dom_sig: tuple[str, ...] = ()  # the same with '#id' and '.class' of each step (docs/formulas.md J.9)
    block: int = -1  # index of the innermost block, -1 outside all blocks
    position: int = 0  # ordinal among the page's links
    n_links: int = 1  # links on the page
    multiplicity: int = 1  # how often the page links to this URL
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed that a page announces."""

    url: str
    title: str = ""
    type: str = ""


@dataclass(frozen=True, slots=True)
class SiteWide:
    """Site-wide parts of a page, which say nothing of the page itself (`focuscrawl.page.site`)."""

    known: bool = False  # enough pages of the host were met to tell
    pages: int = 0  # of the host that were met, this one included; older ones fade
    blocks: frozenset[int] = frozenset()  # numbers of blocks
    links: frozenset[UrlKey] = frozenset()
    title: tuple[str, ...] = ()  # parts of the title
    tokens: tuple[str, ...] = ()  # of the blocks and the parts of the title
    repeated: bool = False  # other addresses of the host gave the same text
    titled: bool = False  # the page has a title, and no other page of the host that was met has the same
    keywords: bool = False  # the declared ones are those of most pages of the host
    description: bool = False  # so is the declared one


@dataclass(frozen=True, slots=True)
class PageAnalysis:
    """Everything the crawl needs to know of one fetched page.

    `content_tokens` is the text outside links and boilerplate blocks, what a judge should read;
    `tokens` is all visible text of the body. Both come from one pass of segmentation.
    """

    url: str  # final URL, after redirects
    key: UrlKey
    host: HostKey
    encoding: str
    title: str
    title_tokens: tuple[str, ...]
    headings: tuple[str, ...]
    heading_tokens: tuple[str, ...]  # of its own headings: outside links to other pages
    description: str
    keywords: tuple[str, ...]
    canonical: str | None  # normal form of <link rel=canonical>, None when absent
    noindex: bool
    nofollow: bool
    language: str  # BCP-47 primary subtag, '' when unknown
    kind: PageKind
    feeds: tuple[Feed, ...]
    blocks: tuple[Block, ...]
    tokens: tuple[str, ...]
    content_tokens: tuple[str, ...]
    links: tuple[Link, ...]
    dropped_links: int = 0  # unparsable, refused by A.3, or beyond the limit a page may have
    parts: tuple[str, ...] = ()  # other addresses of it, each of one of its messages (`focuscrawl.page.message_links`)
    own_messages: int = 0  # its elements with a number in the id that links with its address or their own lead to
    is_discussion: bool = False  # of another page, as a wiki marks its own (rel=discussion)
    messages_elsewhere: int = 0  # links to single messages of other pages of its site
    truncated: bool = False  # the parser cut it (nesting, length)
    undecodable: bool = False  # bytes of it stand for nothing in its encoding
    empty_reason: str = ""  # why there is nothing: 'empty body', 'not html', 'its text needs JavaScript, …', …
    heading_words: tuple[tuple[int, tuple[str, ...]], ...] = ()  # the same: block, -1 outside all, and words of each
    site_wide: SiteWide = SiteWide()  # left out of the words above in a page's own view (`focuscrawl.page.own`)
    tree: PageTree | None = field(default=None, repr=False, compare=False)
