"""Title of a page: a heading that ``<title>`` agrees with, else what is declared (docs/formulas.md H.6)."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from focuscrawl.extraction.segments import tree_lines
from focuscrawl.extraction.shown_title import shown_title
from focuscrawl.extraction.text_start import pieces_of
from focuscrawl.extraction.unread import is_unread, without_marks
from focuscrawl.extraction.visible_lines import visible
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.tree import Element, PageTree
from focuscrawl.page.urls import INDEX_FILE, INDEX_NAME, registered_domain
from focuscrawl.text.scripts import HAN, WORD

# White space is only tried where it begins: trying each of a long run would take the square of its length.
_SEPARATOR = re.compile(
    r"(?<!\s)\s++(?:[-|_–—»«‹›·•:]++\s++|[|_»]++\s*+|[—–]{1,2}+\s*+)|[|_»]++\s*+|[—–]{1,2}+\s*+|"
    rf"(?<=[{HAN}”」』》）)】！？!?])-(?=[{HAN}])|(?<=[^\s-])--(?=[{HAN}])"
)
_MAX_HEADINGS = 60
_MAX_CHARS = 250
_READINGS = frozenset({"rt", "rp"})
_HOME = re.compile(rf"(?:https?://[^/?#]+)?/?(?:\.\.?/)*(?:\.\.?|{INDEX_NAME})?", re.IGNORECASE)
_FRONT = re.compile(rf"https?://[^/?#]+/?(?:page/\d+/?)?(?:{INDEX_NAME})?", re.IGNORECASE)
"""Front pages, with what older posts are shown on."""
# "Ann's blog", 王一的博客: no title of a page that has another part, however short.
_SOMEBODYS_SITE = re.compile(
    r"(?:的(?:[个個]人)?(?:博客|部落格|[网網]站|主[页頁]|小站|空[间間])|['’]s\s(?:blog|weblog|journal|website|home\s?page))$",
    re.I,
)
# "Thread: ", "[原创]": what forums put before the title of a page in its heading. A tag says what it is for a reader.
_LABEL = re.compile(
    r"\s*+(?!(?:tags?|categor(?:y|ies)|archives?|authors?|标签|标籤|分类|分類)\b)"
    r"(?:\[[^\[\]]{1,20}\]|【[^【】]{1,20}】|[^\W\d_]{2,12}+\s?[:：])\s*+",
    re.IGNORECASE,
)
# What themes call the heading with the name of the site, where it leads to a start page that is not at the root.
_SITE_NAMES = frozenset({"logo", "site-title", "site-name", "sitename", "site_title", "blog-title", "navbar-brand"})
# "garden:pruning [Our wiki]", as wikis write the name of the site.
_IN_BRACKETS = re.compile(r"(?<!\s)\s++\[([^\[\]]{1,80})\]$")
_NAME_PART = re.compile("[/:._-]")  # between the parts of a page's name in its address
_TOP, _SURE, _LIKE = 0.25, 0.9, 0.6
_NEAR = 4  # headings after that of a part of the site, within which the title follows


class _Heading(NamedTuple):
    """A heading that may be the title."""

    text: str
    bonus: float  # of its level
    own: bool  # it is marked as the link to the page itself

    def rate(self, title: str) -> float:
        """Return how well ``<title>``, or a part of it, agrees, in [0, 1.25]."""
        return _overlap(self.text, title) + self.bonus


def page_title(page: PageAnalysis, og_title: str = "", headline: str = "", *, site: str = "") -> str:
    """Return the title: a heading that ``<title>`` agrees with, else what is declared, else ``<title>`` cut.

    Many sites set their name as a heading, too, and some declare it as the title of each page. Such a name is no title
    where ``<title>`` says more: it is what the page says its site is called, what a heading calls the home page, or the
    last part of a ``<title>`` whose other parts have a heading of their own. A front page is called like its site.
    Where ``<title>`` only repeats a name of the page's address (``garden:pruning``), the first h1 says more.

    Parameters
    ----------
    page
        The page, with its tree.
    og_title, headline
        Titles that it declares.
    site
        The name of its site that it declares.
    """
    whole = page.title
    names = [site] if site else []
    headings: list[_Heading] = []
    first = top = ""
    for element in page.tree.declarations.headings[:_MAX_HEADINGS] if page.tree is not None else ():
        text = without_marks(" ".join(_shown(element).split()))
        if not 1 < len(text) <= _MAX_CHARS:
            continue
        link = _link(element)
        if link is not None and (_leads_home(page.url, link) or _is_site_mark(page.url, element, link)):
            names.append(text)
            continue
        if element.tag != "h3" and not first and (link is None or _leads_to(page.url, link)):
            first = text
        if element.tag == "h1" and not top and link is None:
            top = text
        bonus = _TOP if element.tag == "h1" else 0.0
        headings.append(_Heading(text, bonus, link is not None and _is_permanent(page.url, link)))
    known = {_letters(name) for name in names} - {""}
    front = _FRONT.fullmatch(page.url) is not None
    own = not front and _letters(whole) not in known
    of_page = whole
    if own:
        starts = [_site_start(at, known, whole, headings) for at in range(len(headings))]
        of_page = whole[: min((at for at in starts if at >= 0), default=len(whole))] or whole
        headings = [one for one, at in zip(headings, starts, strict=True) if at < 0]
    linked = {one.text for one in headings if one.own}
    if len(linked) == 1:
        return linked.pop()
    if own:
        known.add(_letters(registered_domain(page.host).partition(".")[0]))
    best = max(headings, key=lambda one: one.rate(of_page), default=_Heading("", 0.0, False))
    if best.rate(of_page) >= _SURE:
        return _without_label(best.text, (whole, _SEPARATOR.split(whole, 1)[0], headline, og_title))
    if first and whole in names and not front:
        return first  # every page of the site has the same <title>
    if own and top and _is_part_of_address(_without_site(whole, known, own=own), page.url):
        return top
    declared = " ".join((headline or og_title).split())
    if own and _letters(declared) in known:
        declared = ""
    if declared and _overlap(declared, whole) >= _LIKE:
        return _without_site(declared, known, own=own)
    return _without_site(whole, known, own=own) or declared or best.text or _by_setting(page.tree)


def _without_label(text: str, titles: Sequence[str]) -> str:
    """Return the `text` of a heading without a label before it, where one of the page's `titles` is the rest of it."""
    label = _LABEL.match(text)
    rest = text[label.end() :] if label is not None else ""
    return rest if rest and any(" ".join(title.split()) == rest for title in titles) else text


def _shown(heading: Element) -> str:
    """Return the text of a heading without how its words are read, the links that lead to it, and buttons beside it."""
    if heading.find(".//button") is not None:
        text = "".join(pieces_of(heading, _READINGS | {"button"}, is_unread))
        if text.strip():
            return text
    if heading.find(".//rt") is None and heading.find(".//a[@href]") is None:
        return "".join(heading.itertext())
    return "".join(pieces_of(heading, _READINGS, is_unread))


def _by_setting(tree: PageTree | None) -> str:
    """Return the title by how the page sets its paragraphs, for pages that neither declare one nor have a heading."""
    return shown_title(visible(tree.once(tree_lines))) if tree is not None else ""


def _link(heading: Element) -> Element | None:
    """Return the link in a heading or around it."""
    link = heading.find(".//a[@href]")
    if link is not None:
        return link
    parent = heading.getparent()
    return parent if parent is not None and parent.tag == "a" else None


def _leads_home(url: str, link: Element) -> bool:
    """Tell whether a link on the page `url` is to the home page of its site, so that its text is the site's name."""
    if "home" in (link.get("rel") or "").split():
        return True
    return _HOME.fullmatch((link.get("href") or "").strip()) is not None and not _leads_to(url, link)


def _is_site_mark(url: str, heading: Element, link: Element) -> bool:
    """Tell whether a heading is marked as the name of the site, and leads to another page than the one at `url`."""
    marks = f"{heading.get('class') or ''} {heading.get('id') or ''} {link.get('class') or ''}"
    return not _SITE_NAMES.isdisjoint(marks.split()) and not _leads_to(url, link)


def _is_part_of_address(title: str, url: str) -> bool:
    """Tell whether a title is a name of several parts without a blank that the address of its page ends with.

    A name of one part may be a word, and what people call the page.
    """
    if " " in title or _NAME_PART.search(title) is None:
        return False
    address = unquote(url.partition("://")[2])
    return address.endswith((f"/{title}", f"={title}"))


def _is_permanent(url: str, link: Element) -> bool:
    """Tell whether a link is marked as the permanent one to the page `url`, as that of a post's title is."""
    return "bookmark" in (link.get("rel") or "").split() and _leads_to(url, link)


def _leads_to(url: str, link: Element) -> bool:
    """Tell whether a link is to the page `url` that has it."""
    try:
        return _bare(urljoin(url, (link.get("href") or "").strip())) == _bare(url)
    except ValueError:
        return False


def _bare(url: str) -> str:
    return INDEX_FILE.sub("", url.partition("://")[2]).rstrip("/")


def _site_start(number: int, known: Set[str], title: str, headings: Sequence[_Heading]) -> int:
    """Return where a title begins to say what a heading does when that is the name of the site or of a part of it.

    Its end where it does not, and -1 for any other heading; `known` are the letters of what the site is called.
    """
    text = headings[number].text
    name = _letters(text)
    if name in known:
        return len(title)
    separators = list(_SEPARATOR.finditer(title))
    ends = [*(separator.start() for separator in separators[1:]), len(title)]
    for separator, end in zip(separators, ends, strict=False):
        rest = title[: separator.start()]
        if _letters(title[separator.end() :]) == name:
            return len(rest) if _have_others(headings, text, rest) else -1
        if _letters(title[separator.end() : end]) == name:
            # "Lower gate - The canal project - The tracker": the heading of a part of the site stands above the title.
            following = headings[number + 1 : number + 1 + _NEAR]
            is_above = any(_overlap(below.text, rest) >= _SURE for below in following)
            return len(rest) if is_above else -1
    rest = title.removesuffix(text)
    return len(rest) if rest != title and rest[-1:].isspace() and _have_others(headings, text, rest) else -1


def _have_others(headings: Sequence[_Heading], text: str, rest: str) -> bool:
    """Tell whether a heading other than `text` is what the `rest` of a title says."""
    return any(_overlap(other.text, rest) >= _LIKE for other in headings if other.text != text)


def _letters(text: str) -> str:
    """Return what names are compared by: the letters and digits of `text`, all of it where it has none."""
    return "".join(WORD.findall(text.lower())) or text.strip()


def _overlap(text: str, title: str) -> float:
    """Return the share of the words of `text` that `title` has, times how much of `title` they are, softened."""
    words, others = WORD.findall(text.lower()), set(WORD.findall(title.lower()))
    if not words or not others:
        return 0.0
    shared = len(set(words) & others)
    return float(shared / len(set(words)) * min(1.0, 0.5 + shared / len(others)))


def _without_site(title: str, known: Set[str], *, own: bool) -> str:
    """Return `title` without the site's name: the part that is one of `known`, else the last when it is the shorter.

    What follows a bar, and what is called somebody's blog, is the site's name however long it is, but on a front page
    (`own` is false).
    """
    bracketed = _IN_BRACKETS.search(title)
    if bracketed is not None and _letters(bracketed[1]) in known:
        title = title[: bracketed.start()]
    separators = list(_SEPARATOR.finditer(title))
    if not separators:
        return title
    first = title[: separators[0].start()].strip()
    head = title[: separators[-1].start()].strip()
    tail = title[separators[-1].end() :].strip()
    if _letters(tail) in known:
        return head
    if _letters(first) in known:
        return title[separators[0].end() :].strip()
    if len(separators) > 1 and len(first) >= 0.4 * len(title):
        return first
    if len(tail) <= len(head) or (own and head and ("|" in separators[-1][0] or _SOMEBODYS_SITE.search(tail))):
        return head
    return tail if len(WORD.findall(head)) <= 2 < len(WORD.findall(tail)) else title
