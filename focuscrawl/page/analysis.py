"""From bytes to a `PageAnalysis`: decode, parse, walk, segment once, put together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

from focuscrawl.page.blank import EMPTY_BODY, NOTHING_IN_IT, blank_page
from focuscrawl.page.blocks import Kept, keep_blocks, last_short_texts
from focuscrawl.page.build import builder
from focuscrawl.page.content import choose_content
from focuscrawl.page.decode import Decoded, decode
from focuscrawl.page.documents import text_html
from focuscrawl.page.headings import heading_words
from focuscrawl.page.kind import page_kind
from focuscrawl.page.links import LinkCollector, Preference
from focuscrawl.page.media_types import HTML_TYPES, media_type
from focuscrawl.page.message_links import MessageLinks
from focuscrawl.page.metadata import collapse, collapse_span, html_language, read_metadata
from focuscrawl.page.model import Block, PageAnalysis
from focuscrawl.page.places import Places
from focuscrawl.page.prologue import read_prologue
from focuscrawl.page.scripted import NEEDS_JAVASCRIPT, needs_javascript
from focuscrawl.page.texts import Texts, UrlMemory
from focuscrawl.page.tree import PageTree, parse
from focuscrawl.page.urls import UrlJoiner, host_of, normalize_url, url_key
from focuscrawl.page.walk import Walked, walk
from focuscrawl.text.base import Tokenizer
from focuscrawl.text.language import guess_language

_READ_AS_HTML = HTML_TYPES | {"", "text/plain", "text/markdown", "text/x-markdown", "application/octet-stream"}
_XML_TYPES = frozenset({"text/xml", "application/xml"})
_SIGNATURES = (
    (b"%PDF-", "PDF"),
    (b"\x89PNG", "PNG"),
    (b"GIF8", "GIF"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"PK\x03\x04", "ZIP"),
    (b"\x1f\x8b", "gzip"),
    (b"Rar!", "RAR"),
    (b"7z\xbc\xaf", "7z"),
    (b"\xd0\xcf\x11\xe0", "Office document"),
    (b"ID3", "MP3"),
    (b"OggS", "Ogg"),
    (b"RIFF", "RIFF"),
    (b"wOFF", "font"),
    (b"wOF2", "font"),
)
_SNIFF_CHARS = 3000
# Letters of binary data that no signature told: more control characters than any text has.
_CONTROLS = re.compile("[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MAX_CONTROL_SHARE = 0.02
_MAX_ROOT_CHARS = 100  # of a reason
_LANGUAGE_CHARS = 600  # more hardly changes the answer and costs as much again
_MAX_HEADINGS = 100

_block = builder(Block)


def analyse(
    body: bytes,
    url: str,
    *,
    content_type: str | None = None,
    tokenizer: Tokenizer,
    max_links: int = 500,
    follow_images: bool = False,
    urls: UrlMemory | None = None,
    prefer: Preference | None = None,
    ftp: bool = False,
) -> PageAnalysis:
    """Return everything the crawl needs to know of a fetched page.

    Parameters
    ----------
    body
        As it came, content encodings (gzip, br) undone.
    url
        Final URL, after redirects.
    content_type
        The header's value, with its charset.
    tokenizer
        Called once, with all texts of the page.
    max_links
        Links to different URLs that are kept; the rest is counted in `dropped_links`.
    follow_images
        Make links of ``<img src>``.
    urls
        Memory of a crawl for the URLs of its pages, which are the same on every page of a host; none by default.
    prefer
        Which links are kept of a page with more than `max_links`; the first ones by default.
    ftp
        Keep links to ftp, too.

    Never raises for what is in a page: a page that is empty, binary or no HTML gives an analysis without text and
    links whose `empty_reason` says why.
    """
    page_url = normalize_url(url, url, ftp=ftp) or url
    reason = _refusal(body, content_type)
    if reason:
        return blank_page(page_url, encoding="", reason=reason)
    decoded = decode(body, content_type)
    text = decoded.text
    reason = _text_refusal(text)
    if reason:
        return blank_page(page_url, encoding=decoded.encoding, reason=reason)
    # Text that is served as HTML has character references, if no tags; the parser makes a paragraph of it.
    if "<" not in text[:_SNIFF_CHARS] and media_type(content_type) not in HTML_TYPES:
        text = text_html(text)
    tree = parse(text, prefer=prefer, max_links=max_links)
    if tree is None:
        return blank_page(page_url, encoding=decoded.encoding, reason="no element in it")
    walked = walk(tree.root, follow_images=follow_images)
    tree.truncated |= walked.truncated
    urls = UrlMemory() if urls is None else urls
    return _assemble(tree, walked, page_url, decoded, tokenizer, max_links, urls, prefer, ftp)


def _assemble(
    tree: PageTree,
    walked: Walked,
    page_url: str,
    decoded: Decoded,
    tokenizer: Tokenizer,
    max_links: int,
    urls: UrlMemory,
    prefer: Preference | None,
    ftp: bool,
) -> PageAnalysis:
    encoding = decoded.encoding
    join = UrlJoiner(page_url, encoding, ftp=ftp)
    if walked.base and (base := join(walked.base)) is not None:
        # The normal form has lost what a base may not lose only in its query and fragment, which bases do not use.
        join = UrlJoiner(base, encoding, ftp=ftp)
    metadata = read_metadata(walked.metas, walked.head_links, join)
    texts = Texts(walked.chunks)
    urls.keep_small()
    messages = MessageLinks(tree.root, page_url)
    collector = LinkCollector(page_url, join, texts, urls, messages=messages, max_links=max_links, prefer=prefer)
    collector.collect(metadata, walked.links, walked.chunk_chars)
    chunks, chars = walked.chunks, walked.chunk_chars
    headings = [(collapse_span(chunks, first, end, chars), first, end, tag) for first, end, tag in walked.headings]
    title = collapse(walked.title) or metadata.og_title
    if not title:
        title = next((text for text, _, _, tag in headings if tag == "h1" and text), "")
    title_number = texts.add(title)

    tokens = tokenizer.chunks(texts.texts)

    blocks = walked.blocks
    kept = keep_blocks(blocks, last_short_texts(blocks, walked.chunks, walked.chunk_blocks))
    places = Places(walked.chunks, tokens, walked.chunk_blocks, walked.chunk_linked, kept.index, len(kept.raw))
    content = choose_content(walked, kept, tokens)
    links = collector.build(
        tokens, places, _headings_above([text for text, _, _, _ in headings]), nofollow=metadata.nofollow
    )
    tree.set_paragraphs(walked.chunks, walked.chunk_blocks, content.in_paragraphs)
    title_tokens = tuple(tokens[title_number]) if title_number >= 0 else ()
    own_headings = heading_words(
        walked,
        tokens,
        kept.index,
        title=frozenset(title_tokens),
        page_url=page_url,
        join=join,
        most=_MAX_HEADINGS,
    )
    return PageAnalysis(
        url=page_url,
        key=url_key(page_url),
        host=host_of(page_url),
        encoding=encoding,
        title=title,
        title_tokens=title_tokens,
        headings=tuple([text for text, _, _, _ in headings if text][:_MAX_HEADINGS]),
        heading_tokens=tuple(chain.from_iterable([words for _, words in own_headings])),
        heading_words=own_headings,
        description=metadata.description,
        keywords=metadata.keywords,
        canonical=metadata.canonical,
        noindex=metadata.noindex,
        nofollow=metadata.nofollow,
        language=guess_language(_sample(title, walked, content.chunks), html_language(tree.root) or metadata.language),
        kind=page_kind(blocks, kept.boilerplate, links=collector.count, images=walked.images, media=walked.media),
        feeds=tuple(metadata.feeds),
        blocks=_blocks(walked, kept, places),
        tokens=places.all,
        content_tokens=tuple(chain.from_iterable([tokens[at] for at in content.chunks])),
        links=links,
        dropped_links=collector.dropped,
        parts=tuple(messages.own)[:max_links],
        own_messages=len(messages.places),
        is_discussion=collector.is_discussion,
        messages_elsewhere=len(messages.elsewhere),
        truncated=tree.truncated,
        undecodable=decoded.damaged,
        empty_reason=_why_empty(tree, len(places.all), len(links)),
        tree=tree,
    )


def _why_empty(tree: PageTree, words: int, links: int) -> str:
    if needs_javascript(tree, words):
        return NEEDS_JAVASCRIPT
    return "" if words or links else NOTHING_IN_IT


def _blocks(walked: Walked, kept: Kept, places: Places) -> tuple[Block, ...]:
    siblings: dict[int, int] = {}
    for parent in kept.parent:
        siblings[parent] = siblings.get(parent, 0) + 1
    raw_blocks, boilerplate = walked.blocks, kept.boilerplate
    blocks = []
    for at, raw in enumerate(kept.raw):
        block = raw_blocks[raw]
        parent = kept.parent[at]
        blocks.append(
            _block(
                at,
                parent,
                block.tag,
                siblings[parent],
                places.blocks[at],
                block.chars,
                block.link_chars,
                boilerplate[raw],
                places.plain[at],
            )
        )
    return tuple(blocks)


def _headings_above(headings: Sequence[str]) -> list[str]:
    """Return for each heading its text, for an empty one that of the last heading before it that has any."""
    texts: list[str] = []
    last = ""
    for text in headings:
        last = text or last
        texts.append(last)
    return texts


def _sample(title: str, walked: Walked, chunks: Sequence[int]) -> str:
    parts = []
    left = _LANGUAGE_CHARS
    for at in chunks:
        parts.append(walked.chunks[at])
        left -= walked.chunk_chars[at]
        if left < 0:
            break
    return f"{title} {' '.join(parts)}"


def _refusal(body: bytes, content_type: str | None) -> str:
    if not body or body.isspace():
        return EMPTY_BODY
    mime = media_type(content_type)
    if mime and mime not in _READ_AS_HTML and mime not in _XML_TYPES:
        return f"not html: {mime}"
    for signature, name in _SIGNATURES:
        if body.startswith(signature):
            return f"not html: {name}"
    return ""


def _text_refusal(text: str) -> str:
    if not text or text.isspace():
        return EMPTY_BODY
    head = text[:_SNIFF_CHARS]
    if _CONTROLS.search(head) and len(_CONTROLS.findall(head)) > _MAX_CONTROL_SHARE * len(head):
        return "not html: binary data"
    root = read_prologue(head).root
    name = root.lower()
    if name in _XML_ROOTS or (root and name != "html" and head.lstrip("\ufeff \r\n\t").startswith("<?xml")):
        return f"not html: XML ({root[:_MAX_ROOT_CHARS]})"
    return ""


_XML_ROOTS = frozenset({"rss", "feed", "rdf:rdf", "urlset", "sitemapindex", "opml", "opensearchdescription", "svg"})
