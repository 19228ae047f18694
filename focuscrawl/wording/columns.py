"""Width of a text on a terminal, where a Chinese character takes two columns.

Rich measures it as well, but a crawl that only shows a line of progress should not load it (0.1 s of CPU).
"""

from __future__ import annotations

from unicodedata import combining, east_asian_width


def columns(text: str) -> int:
    """Return how many columns of a terminal `text` takes.

    >>> columns("queue"), columns("待抓取 3")
    (5, 8)
    """
    return sum(_columns(char) for char in text)


def fitted(text: str, width: int) -> str:
    """Return `text` in exactly `width` columns: cut at a character, or filled with spaces.

    >>> fitted("收获率", 8), fitted("收获率", 5)
    ('收获率  ', '收获 ')
    """
    used = 0
    for i, char in enumerate(text):
        if used + _columns(char) > width:
            text = text[:i]
            break
        used += _columns(char)
    return text + " " * (width - used)


def _columns(char: str) -> int:
    return 0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1
