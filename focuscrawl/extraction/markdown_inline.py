"""Inline Markdown: a block's own text with its links, code and emphasis, and plain text in which nothing is a mark."""

from __future__ import annotations

import re
from itertools import islice

from focuscrawl.extraction.segments import BLOCK, clean_code, without_zero_width
from focuscrawl.extraction.unread import SKIPPED, UNSPACED, formula_source, is_unread
from focuscrawl.page.shown import is_shown
from focuscrawl.page.tree import Element
from focuscrawl.page.urls import normalize_url

_CODE = frozenset({"code", "kbd", "samp", "tt"})
_MARKS = {"b": "**", "strong": "**", "em": "*", "i": "*", "cite": "*", "dfn": "*"}
_SPECIAL = re.compile(r"([\\`*\[\]]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?]))")
_BEGINS = re.compile(r"(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|[-=]{3,}\s*$|~~~)")
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
# What highlighters name a block of code after: "language-go", "highlight-python", "hljs python".
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|mw-highlight-lang|highlight)-|brush:\s?|sourceCode |hljs )"
    r"([A-Za-z0-9+#_-]{1,20})"
)
_FIGURE_LANGUAGE = re.compile(r"(?:^|\s)highlight\s([A-Za-z0-9+#_-]{1,20})(?:$|\s)")
_LANGUAGE_NAME = re.compile(r"[A-Za-z0-9+#_-]{1,20}")
_NO_LANGUAGE = frozenset({"default", "none", "nohighlight", "plain", "plaintext", "text", "txt", "copyable"})
_CODE_BLOCKS = frozenset({"code", "pre", "table", "tbody", "td", "tr"})
_MAX_LEVELS = 10  # of elements around a block
_LEVELS_AROUND = 2  # above the columns of numbers and code
_TICKS = re.compile(r"`+")
_MAX_URL = 2_000


def inline_lines(block: Element, base: str) -> dict[str, str]:
    """Return the lines of a block's own text as they are read -> as Markdown; nested blocks are left out."""
    lines: dict[str, str] = {}
    plain: list[str] = []
    marked: list[str] = []
    opened: list[tuple[str, str, int]] = []  # of elements around: mark before, mark behind, where in `marked`

    def flush() -> None:
        text = " ".join(without_zero_width("".join(plain)).split())
        if text:
            for at, (_, behind, start) in reversed(list(enumerate(opened))):
                _close(marked, opened[at][0], behind, start)
            lines.setdefault(text, _led(" ".join(without_zero_width("".join(marked)).split())))
        plain.clear()
        marked.clear()
        for at, (before, behind, _) in enumerate(opened):
            opened[at] = before, behind, 0

    def add(text: str | None) -> None:
        if text:
            plain.append(text)
            marked.append(text if any(mark[0] == "`" for mark in opened) else _SPECIAL.sub(r"\\\1", text))

    for outer in islice(block.iterancestors(), _MAX_LEVELS):
        if outer.tag in BLOCK:
            break
        if outer.tag == "a" and (url := _target(outer, base)):
            opened.append(("[", f"]({url})", 0))
            break
    add(block.text)
    stack = [iter(block)]
    closing: list[bool] = []  # of each element below the block: whether it opened a mark
    inside: list[Element] = []
    while stack:
        element = next(stack[-1], None)
        if element is None:
            stack.pop()
            if not inside:
                break
            done = inside.pop()
            if closing.pop():
                before, behind, start = opened.pop()
                _close(marked, before, behind, start)
            add(done.tail)
            continue
        tag = element.tag
        if tag in BLOCK or tag == "br":
            flush()
            add(element.tail)
        elif (tag in SKIPPED and not is_shown(element)) or is_unread(element):
            add(" " if tag in SKIPPED - UNSPACED else formula_source(element) if tag == "script" else "")
            add(element.tail)
        else:
            mark = _marks_of(element, base)
            if mark is not None and all(mark[0] != one[0] for one in opened):
                opened.append((*mark, len(marked)))
                closing.append(True)
            else:
                closing.append(False)
            inside.append(element)
            add(element.text)
            stack.append(iter(element))
    flush()
    return lines


def _marks_of(element: Element, base: str) -> tuple[str, str] | None:
    tag = element.tag
    if tag == "a":
        url = _target(element, base)
        return ("[", f"]({url})") if url else None
    if tag in _CODE:
        return "`", "`"
    mark = _MARKS.get(tag)
    return None if mark is None else (mark, mark)


def _close(marked: list[str], before: str, behind: str, start: int) -> None:
    """Put marks around what was added since `start`, but for its white space."""
    text = "".join(marked[start:])
    inner = text.strip()
    del marked[start:]
    if not inner:
        marked.append(text)
        return
    if before == "`":
        ticks = "`" * (max((len(run) for run in _TICKS.findall(inner)), default=0) + 1)
        edge = " " if inner.startswith("`") or inner.endswith("`") else ""
        before, behind = ticks + edge, edge + ticks
    left = text[: len(text) - len(text.lstrip())]
    right = text[len(text.rstrip()) :]
    marked.append(f"{left}{before}{inner}{behind}{right}")


def _target(element: Element, base: str) -> str:
    """Return where a link leads, '' for one that leads nowhere else."""
    href = element.get("href")
    if not href or len(href) > _MAX_URL or href.lstrip().startswith("#"):
        return ""
    url = normalize_url(href, base)
    if url is None:
        return ""
    return f"<{url}>" if "(" in url or ")" in url else url


def fenced(text: str, element: Element) -> str:
    """Return code between fences, with its language where the page names one."""
    fence = "`" * max(3, max((len(run) for run in _TICKS.findall(text)), default=0) + 1)
    language = _language(element)
    return f"{fence}{language}\n{clean_code(text)}\n{fence}"


def _language(code: Element) -> str:
    """Return the language that a block of code, its first child or the blocks around state or are named after."""
    blocks = [code, *code[:1]]
    outside = 0
    for above in islice(code.iterancestors(), _MAX_LEVELS):
        outside += above.tag not in _CODE_BLOCKS
        if outside > _LEVELS_AROUND or above.tag == "body":
            break
        blocks.append(above)
    for block in blocks:
        stated = block.get("data-language") or block.get("data-lang") or ""
        if _LANGUAGE_NAME.fullmatch(stated) is not None and stated.lower() not in _NO_LANGUAGE:
            return stated
        names = block.get("class")
        if names is None:
            continue
        match = _LANGUAGE.search(names) or (_FIGURE_LANGUAGE.search(names) if block.tag == "figure" else None)
        if match is not None and match[1].lower() not in _NO_LANGUAGE:
            return match[1]
    return ""


def escaped(text: str) -> str:
    """Return plain text in which nothing is a mark of Markdown.

    >>> escaped("1. f(*x*) is snake_case [a]"), escaped("# no heading")
    ('1\\\\. f(\\\\*x\\\\*) is snake_case \\\\[a\\\\]', '\\\\# no heading')
    """
    return _led(_SPECIAL.sub(r"\\\1", text))


def _led(text: str) -> str:
    """Return a line that does not begin a heading, an item or a quotation by chance."""
    if _BEGINS.match(text):
        return "\\" + text
    return _NUMBERED.sub(r"\1\\\2", text, count=1) if _NUMBERED.match(text) else text
