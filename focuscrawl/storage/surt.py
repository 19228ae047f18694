"""Sort-friendly URIs (SURT): keys of archives' indexes, by which programs for replay look addresses up.

The rules are those of the Internet Archive's package ``surt``, which pywb uses: what two programs make of an address
has to be the same to the letter, or the answer is not found.
"""

from __future__ import annotations

import re
from contextlib import suppress
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

_SAFE = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
_WWW = re.compile(r"^www\d*\.")
_PORTS = {"http": 80, "https": 443}
_PATH_SESSIONS = (
    re.compile(r"^.*/(\((?:[a-z]\([0-9a-z]{24}\))+\)/)", re.DOTALL),
    re.compile(r"^.*/(\([0-9a-z]{24}\)/)", re.DOTALL),
)
_QUERY_SESSIONS = tuple(
    re.compile(rf"^(.*)(?:{session})(?:&(.*))?$", re.IGNORECASE | re.DOTALL)
    for session in (
        "jsessionid=[0-9a-z]{32}",
        "phpsessid=[0-9a-z]{32}",
        "sid=[0-9a-z]{32}",
        "aspsessionid[a-z]{8}=[a-z]{24}",
        "cfid=(?:(?!cfid=[^&])[^&])+&cftoken=[^&]+",  # [^&]+ would read on from each of many cfid=
    )
)


def surt(url: str) -> str:
    """Return the key of an http address: its host from the end, then path and query, in lower case and ASCII.

    >>> surt("https://www.Example.org:8080/A/b/?q=1&a"), surt("http://example.org")
    ('org,example:8080)/a/b?a&q=1', 'org,example)/')
    """
    parts = urlsplit(url.strip())
    path = _escaped(_whole_path(_unescaped(parts.path))).lower()
    for session in _PATH_SESSIONS:
        path = _without_session(path, session)
    if len(path) > 1:
        path = path.removesuffix("/")
    query = _query(_escaped(_unescaped(parts.query)))
    return f"{_host(parts.hostname or '')}{_port(parts.scheme, parts.port)}){path}{query}"


def _host(host: str) -> str:
    name = _unescaped(host).decode("utf-8", "ignore")
    if not name.isascii():
        with suppress(UnicodeError):  # it is escaped then
            name = name.encode("idna").decode("ascii")
    name = _escaped(name.replace("..", ".").strip(".").lower().encode())
    return ",".join(reversed(_WWW.sub("", name).split(".")))


def _port(scheme: str, port: int | None) -> str:
    return "" if port is None or port == _PORTS.get(scheme.lower()) else f":{port}"


def _whole_path(path: bytes) -> bytes:
    """Return a path without empty parts, ``.`` and ``..``; one that ends in a slash still does."""
    kept: list[bytes] = []
    for part in path.split(b"/")[1:]:
        if part == b".." and kept:
            kept.pop()
        elif part != b".":
            kept.append(part)
    if not kept:
        return b"/"
    return b"/" + b"".join(part + b"/" for part in kept[:-1] if part) + kept[-1]


def _without_session(path: str, session: re.Pattern[str]) -> str:
    """Return a path without the last name of a session that stands before a page of ``.aspx``, with no ``?`` between.

    One pattern for all of it would read on to ``.aspx`` from each of many names.
    """
    pieces = path.split("?")
    for i, piece in reversed(list(enumerate(pieces))):
        found = session.match(piece, 0, max(0, piece.rfind(".aspx") - 1))  # at least one character is the page's name
        if found is not None:
            pieces[i] = piece[: found.start(1)] + piece[found.end(1) :]
            return "?".join(pieces)
    return path


def _query(query: str) -> str:
    for session in _QUERY_SESSIONS:
        query = session.sub(lambda found: found[1] + (found[2] or ""), query)
    query = query.lower()
    arguments = sorted(tuple(argument.split("=", 1)) for argument in query.split("&"))
    return f"?{'&'.join('='.join(argument) for argument in arguments)}" if query else ""


def _unescaped(text: str) -> bytes:
    escaped, plain = text.encode("utf-8", "replace"), unquote_to_bytes(text.encode("utf-8", "replace"))
    while plain != escaped:
        escaped, plain = plain, unquote_to_bytes(plain)
    return plain


def _escaped(plain: bytes) -> str:
    return quote_from_bytes(plain, safe=_SAFE)
