"""No regular expression and no scanner of the package takes more than linear time, whatever a stranger writes."""

from __future__ import annotations

import ast
import gc
import gzip
import io
import re
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from html import escape
from typing import Any

import pytest
from cpu_kit import TooMuchCpu, cpu_limit
from pattern_kit import PACKAGE, Found, attacks, package_patterns

from focuscrawl.errors import ConfigError
from focuscrawl.extraction.markdown import to_markdown
from focuscrawl.page.prologue import read_prologue
from focuscrawl.page.tree import _without_unseen
from focuscrawl.page.tree import parse as page_tree
from focuscrawl.storage.archive_bytes import ArchiveBytes
from focuscrawl.storage.body_codings import _inflated
from focuscrawl.topic.expression import parse

_SMALL, _MIDDLE, _LARGE = 4_000, 16_000, 64_000
# Seconds of CPU. Less for 4,000 characters is not worth a closer look: of what grows with the square the quickest found
# takes .0006, and half of that on a fast machine. A linear pattern takes no more than 1.5 for all.
_SUSPICIOUS = 0.0001
_LONGEST = 1.5
# 64,000 characters are four times 16,000; what grows with the square takes sixteen times as long.
_STEEP = 9.0
_SHORT = 0.05


@pytest.mark.timeout(600)
def test_every_pattern_of_the_package_takes_linear_time() -> None:
    patterns = package_patterns()
    assert len(patterns) > 120
    slow = [fault for found in patterns if (fault := _fault(found))]
    assert not slow, "\n".join(slow)


@pytest.mark.parametrize(
    ("pattern", "anchored"),
    [
        (r"(?:<!--.*?-->|<![^>]*>)*<a", True),
        (r"[^<]*[x][^<]*", False),
        (r"\s*,\s*", False),
        (r"(a+)+$", False),
        (r"<\?xml[^>]*>", False),
        (r"\s*[\d.]*\s*[;,]?\s*(?:url\s*=)?\s*x", True),
        (r"(?:ab|a|b)+c", False),
        (r"calendar.*?\d", False),
    ],
)
def test_patterns_that_take_more_are_found_out(pattern: str, anchored: bool) -> None:
    assert _fault(Found("here", re.compile(pattern, re.DOTALL), anchored))


@pytest.mark.parametrize("pattern", [r"&\s*\w+\s*;", r"(?<!\s)\s++,", r"<[^<>]*+>", r"a{1,20}+b", "[^<]+", r"\w+|\s"])
def test_patterns_that_take_no_more_are_not(pattern: str) -> None:
    assert not _fault(Found("here", re.compile(pattern), anchored=False))


def test_every_scanner_of_text_is_among_those_tried_here() -> None:
    """A scanner is a loop that looks for a piece of text from where the last one ended."""
    assert _scanners() == set(_SCANNERS) | _NO_SCANNERS


@pytest.mark.parametrize(
    "name",
    [
        "prologue.read_prologue",
        "expression.parse",
        "archive_bytes.find_record",
        "archive_bytes.readline",
        "markdown._aligned",
        "tree._without_unseen",
        "body_codings._inflated",
    ],
)
def test_every_scanner_takes_linear_time(name: str) -> None:
    scanner, pieces = _SCANNERS[name]
    slow = [
        f"{name}: {piece!r} repeated, then {tail!r}"
        for piece in pieces
        for tail in ("", "x", "]>", "<a>")
        if _is_steep(lambda text: _timed(scanner, text), "", piece, tail)
    ]
    assert not slow, "\n".join(slow)


def _records(text: str) -> None:
    source = ArchiveBytes(io.BytesIO(text.encode("latin-1", "replace")))
    while source.find_record():
        source.readline(100)


def _lines(text: str) -> None:
    source = ArchiveBytes(io.BytesIO(text.encode()))
    while source.readline(100):
        pass


def _markdown(text: str) -> None:
    tree = page_tree(f"<body><p>{escape(text)}</p><pre>{escape(text)}</pre></body>")
    to_markdown(text, tree, "https://a.example/")


def _expression(text: str) -> None:
    with suppress(ConfigError):
        parse(text)


def _parts_of_gzip(text: str) -> None:
    with suppress(zlib.error):
        _inflated(text.encode("latin-1"), 31, 1 << 24)


_SCANNERS: dict[str, tuple[Callable[[str], object], list[str]]] = {
    "archive_bytes.find_record": (_records, ["WARC/", "WARC/1.", "\nWARC/1.0", "\nWARC/", "\n"]),
    "body_codings._inflated": (
        _parts_of_gzip,
        [gzip.compress(data).decode("latin-1") for data in (b"", b"x", b"x" * 1000)],
    ),
    "markdown._aligned": (_markdown, ["a\n", " | ", "x | ", "*", "`", "a", "x\n\n"]),
    "tree._without_unseen": (
        _without_unseen,
        ["<script>", "<script", "<style>", "</script", "</script>", "<script></script>", "<", "<script type=math/tex>"],
    ),
    "archive_bytes.readline": (_lines, ["\n", "x", "x\n"]),
    "prologue.read_prologue": (
        read_prologue,
        [
            " ",
            "<??>",
            "<?",
            "<!>",
            "<!",
            "<!-- -->",
            "<!--",
            "<!a[",
            "<!a[]>",
            "<!a[]",
            "]",
            "<!a[] ",
            "<!-->",
            "<!a>[",
        ],
    ),
    "expression.parse": (_expression, [" ", "a ", '"', "“", '"a" ', "(", ")", "NOT ", "a OR ", "a"]),
}
# Loops with such a search that do not look through a text: over ancestors, tokens, marks of a list.
_NO_SCANNERS = {
    "feed_paths.indexed_path",
    "feed_paths.anchored_path",
    "archive_bytes.read",
    "archive_bytes._next_member",
    "archive_reader._answers",
    "taxonomy.node",
    "code_mark.code_mark",
    "matcher._longer",
    "markdown._columns",
    "markdown.pass_taken",
    "partition_move._keys",
}
_SEARCHES = frozenset({"find", "rfind", "index", "rindex", "startswith", "match", "search"})


def _scanners() -> set[str]:
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                loops = [node for node in ast.walk(function) if isinstance(node, ast.While)]
                if any(_searches(node) for loop in loops for node in ast.walk(loop)):
                    found.add(f"{path.stem}.{function.name}")
    return found


def _searches(node: ast.AST) -> bool:
    """Tell whether a node is a search, or takes the first piece off a list, which moves all the others."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    first = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
    return node.func.attr in _SEARCHES or (node.func.attr == "pop" and first == [0])


def _fault(found: Found) -> str:
    """Return on which input the time of a pattern grows faster than the text, '' when on none."""
    wide = isinstance(found.pattern.pattern, bytes)

    def seconds(text: str) -> float:
        return _timed(lambda given: _run(found, given), text.encode("latin-1", "replace") if wide else text)

    for head, piece, tail in attacks(found.pattern):
        if _is_steep(seconds, head, piece, tail):
            return f"{found.where}: {found.pattern.pattern!r}: {head!r}, {piece!r} repeated, {tail!r}"
    return ""


def _run(found: Found, text: Any) -> None:
    if found.anchored:
        found.pattern.match(text)
        found.pattern.fullmatch(text)
    else:
        for _ in found.pattern.finditer(text):
            pass


def _timed(function: Callable[[Any], object], text: Any) -> float:
    gc.disable()  # a collection of the whole heap would count for the text that happens to set it off
    try:
        start = time.thread_time()
        function(text)
        return time.thread_time() - start
    finally:
        gc.enable()


def _is_steep(seconds: Callable[[str], float], head: str, piece: str, tail: str) -> bool:
    def text(size: int) -> str:
        return head + piece * (size // len(piece)) + tail

    def grows() -> bool:
        try:
            with cpu_limit(_LONGEST):
                if seconds(text(_SMALL)) < _SUSPICIOUS:
                    return False
                middle, large = seconds(text(_MIDDLE)), seconds(text(_LARGE))
        except TooMuchCpu:
            return True
        return large > _SHORT and large > _STEEP * middle

    return grows() and grows()  # what else the process did in between does not come twice
