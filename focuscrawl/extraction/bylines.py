"""Names of authors: in lines that say who wrote a page, and in blocks that are named after authors."""

from __future__ import annotations

import re
from itertools import chain, islice

from focuscrawl.page.tree import Element
from focuscrawl.text.scripts import HAN

_DOTS = "·・‧•"  # within foreign names
_CHINESE_AUTHOR = re.compile(
    rf"(?:作者|[记記]者|撰文|撰稿人?|(?<![^\W图圖])文)\s*[:：/／]\s*([{HAN}A-Za-z{_DOTS}.]{{2,20}}(?:\s[A-Z][a-z]+)?)"
    # "本报记者 王一 摄", and no sentence on what a reporter learned
    rf"|[记記]者\s([{HAN}]{{2,4}})(?=\s|$|[)）])"
)
_NAMES = r"((?:[A-Z][\w.'’-]++\s?+){%s,4}+)"
_BYLINE = re.compile(r"^(?:(?i:posted |published |written )by|by|von|par|por)\s+" + _NAMES % 1)
# Labels of lists and buttons begin so, too ("By Category"), but have one more word.
_CAPITAL_BYLINE = re.compile(r"^By\s+" + _NAMES % 2)
_BYLINE_STARTS = frozenset("bBwWvVpP")
# A line that ends before the name, which stands in an element of its own. What begins otherwise names the author of a
# theme, a picture, a licensed work.
_OPENER = re.compile(
    r"\W*(?:(?:(?:posted|published|written|submitted|contributed)\b.*\W)?by|authors?\s*:|(?:本文|文章|原文)?作者\s*[:：])\W*",
    re.IGNORECASE | re.DOTALL,
)
OPENER_ENDS = frozenset("yY:：")
"""Last characters of text that may lead up to the name of an author, white space left out."""
_LABEL = re.compile(
    r"(?:(?:posted|published|written)\s+by\b|by\b|authors?\b|作者(?=\s*[:：]))\s*[:：]?\s*", re.IGNORECASE
)
_EMAIL = re.compile(r"[(<\[]?(?<![\w.+-])[\w.+-]++@[\w.-]++[)>\]]?")
_ROUND_NAMES = " \n\t\r,;:|/\\·•–—-，、；："
_MAX_PERSON_CHARS = 120  # of all authors of a page
_MAX_NAME_CHARS, _MAX_NAME_WORDS = 40, 5
_AUTHOR_CLASSES = frozenset({"author", "byline", "p-author"})
_OTHERS_WORDS = re.compile(
    r"(?<![^\s_-])(?:comments?|commentlist|respond|repl(?:y|ies)|disqus|pingbacks?|testimonials?|quotes?)(?![^\s_-])",
    re.IGNORECASE,
)
_MAX_TEXT_CHARS = 400  # that are looked at of a block, white space included
_MAX_LEVELS = 50  # of blocks around a name
_TEXT_TAGS = frozenset({"article", "main"})


def person(text: str) -> str:
    """Return the author or authors that `text` states, without label, addresses and punctuation around; '' for none."""
    text = " ".join(text.split())
    if not text or len(text) > _MAX_PERSON_CHARS or "://" in text:
        return ""
    if "@" in text:
        text = _EMAIL.sub("", text)
    text = text.strip(_ROUND_NAMES)
    return text[3:] if text[:3].lower() == "by " else text


def byline(text: str) -> str:
    """Return the author that a line names, '' for none."""
    match = _CHINESE_AUTHOR.search(text) if "者" in text or "文" in text or "稿" in text else None
    if match is None:
        start = text.strip()
        if start[:1] in _BYLINE_STARTS:
            match = _BYLINE.match(start) or _CAPITAL_BYLINE.match(start)
    return match[match.lastindex or 0].strip(_ROUND_NAMES) if match is not None else ""


def is_opener(line: str) -> bool:
    """Tell whether a line of text leads up to the name of an author; its last character is in `OPENER_ENDS` then."""
    return _OPENER.fullmatch(line) is not None


def classed_author(names: str, element: Element) -> str:
    """Return the name in an element whose class `names` say that it holds an author, '' for none."""
    low = names.lower()
    if ("author" not in low and "byline" not in low) or _AUTHOR_CLASSES.isdisjoint(low.split()):
        return ""
    return whole_name(text_start(element))


def related_author(relations: str, element: Element) -> str:
    """Return the name in an element, a link mostly, whose `relations` to the page are its author's, '' for none."""
    return whole_name(text_start(element)) if "author" in relations.lower().split() else ""


def text_start(element: Element) -> str:
    """Return the text of an element, cut after the piece that makes it longer than any name, label or date."""
    pieces: list[str] = []
    chars = 0
    for piece in element.itertext():
        pieces.append(piece)
        chars += len(piece)
        if chars > _MAX_TEXT_CHARS:
            break
    return "".join(pieces)


def is_of_page(element: Element) -> bool:
    """Tell whether an element stands in no block of comments, replies or quotations, nor in the page's footer."""
    footer = inside = False
    for above in islice(chain((element,), element.iterancestors()), _MAX_LEVELS):
        if above.tag == "body":
            break
        if any(_OTHERS_WORDS.search(name) for name in (above.get("class"), above.get("id")) if name):
            return False
        inside = inside or above.tag in _TEXT_TAGS
        footer = footer or above.tag == "footer"
    return inside or not footer


def whole_name(text: str) -> str:
    """Return `text` when that is a name, its label left out; '' otherwise."""
    text = " ".join(text.split())
    text = person(_LABEL.sub("", text, count=1) if _LABEL.match(text) else text)
    is_name = 1 < len(text) <= _MAX_NAME_CHARS and text.count(" ") < _MAX_NAME_WORDS and not text.isdigit()
    return text if is_name else ""
