"""Schemes of Redis URLs, and the sentence about a URL of another scheme."""

from __future__ import annotations

from urllib.parse import urlsplit

from focuscrawl.topic.faults import did_you_mean

SCHEMES = ("redis://", "rediss://", "unix://")
# Servers that speak the same protocol, and other clients' words for a socket.
_SAME = {"valkey": "redis", "valkeys": "rediss", "keydb": "redis", "redis+socket": "unix", "redis+unix": "unix"}


def is_redis(url: object) -> bool:
    """Tell whether `url` is one of a Redis server."""
    return isinstance(url, str) and url.strip().lower().startswith(SCHEMES)


def without_secret(url: str) -> str:
    """Return a URL fit for logs and messages: password and query, which may hold one, are left out.

    >>> without_secret("redis://me:secret@host:6379/0?password=x")
    'redis://me:***@host:6379/0'
    """
    parts = urlsplit(url)
    place = parts.netloc
    if "@" in place:
        login, _, host = place.rpartition("@")
        place = f"{login.partition(':')[0]}:***@{host}"
    return f"{parts.scheme}://{place}{parts.path}" if parts.scheme else ""


def unknown_scheme(where: str, url: str) -> str:
    """Return the sentence about a URL that is none of Redis; a password in it is not shown.

    Parameters
    ----------
    where
        The setting or option that gave it.

    >>> unknown_scheme("--on", "valkey://me:secret@host:6379/0")  # doctest: +ELLIPSIS
    '--on = "valkey://me:***@host:6379/0": "valkey" is no scheme ... Did you mean "redis://"?'
    """
    scheme, mark, _ = url.strip().partition("://")
    expected = "expected redis://host:6379/0, rediss://… for TLS, or unix://… for a socket."
    if not mark:
        shown = "***@" + url.rpartition("@")[2] if "@" in url else url
        path = url.lstrip().startswith(("/", "."))
        near = f"unix://{shown}" if path else f"redis://{shown}"
        return f'{where} = "{shown}": the scheme is missing; {expected} Did you mean "{near}"?'
    near = _SAME.get(scheme.lower(), "")
    hint = f' Did you mean "{near}://"?' if near else did_you_mean(f"{scheme}://", SCHEMES)
    return f'{where} = "{without_secret(url.strip())}": "{scheme}" is no scheme of a Redis; {expected}{hint}'
