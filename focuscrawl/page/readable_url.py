"""Addresses and texts of links as people read them."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes, urlsplit

# Of ASCII only what needs no escape in any part of an address: all else could end a part, or change what it says.
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPES = re.compile("(?:%[0-9A-Fa-f]{2})+")
_MOST = 4_000
_ANCHOR_CHARS = 120


def readable_anchor(anchor: str) -> str:
    """Return the text of a link in one line of 120 characters at most: whole cards of a list are links on some sites.

    >>> readable_anchor("The Ruy  Lopez")
    'The Ruy Lopez'
    """
    line = " ".join(anchor.split())
    return line if len(line) <= _ANCHOR_CHARS else f"{line[: _ANCHOR_CHARS - 1].rstrip()}…"


def readable_url(url: str) -> str:
    """Return `url` for people: what escapes stand for, where that can be seen, and the host in its own alphabet.

    It is for looking only; a program takes the address itself.

    >>> readable_url("https://xn--fiqs8s.example/%E8%8C%B6%E9%81%93?q=a%20b")
    'https://中国.example/茶道?q=a%20b'
    >>> readable_url("http://example.org/%ff%E2%80%AE")
    'http://example.org/%ff%E2%80%AE'
    """
    if len(url) > _MOST or ("%" not in url and "xn--" not in url):
        return url
    try:
        parts = urlsplit(url)
    except ValueError:  # no address, as people type or bookmark them
        return url
    host = parts.netloc
    if "xn--" in host:
        host = ".".join(_label(label) for label in host.split("."))
    start, found, rest = url.partition(parts.netloc) if parts.netloc else ("", "", url)
    return f"{start}{host if found else ''}{_ESCAPES.sub(_shown, rest)}"


def _label(label: str) -> str:
    """Return a label of a host name in its own alphabet, as it is where that says nothing or could mislead."""
    name, colon, port = label.partition(":")
    try:
        shown = name.encode("ascii").decode("idna") if name.startswith("xn--") else name
    except UnicodeError:
        return label
    return f"{shown}{colon}{port}" if _one_alphabet(shown) else label


def _one_alphabet(text: str) -> bool:
    """Tell whether no letter of Latin stands among others: a mixture may be a name that only looks like another."""
    letters = [char for char in text if char.isalpha()]
    return text.isprintable() and (
        all(char.isascii() for char in letters) or not any(char.isascii() for char in letters)
    )


def _shown(found: re.Match[str]) -> str:
    escaped = found[0]
    try:
        text = unquote_to_bytes(escaped).decode("utf-8")
    except UnicodeDecodeError:
        return escaped
    if not text.isprintable():
        return escaped
    return "".join(char if char in _PLAIN or not char.isascii() else f"%{ord(char):02X}" for char in text)
