"""Schemes of Redis URLs, and the sentence about a URL of another scheme."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from focuscrawl.topic.faults import did_you_mean

SCHEMES = ("redis://", "rediss://", "unix://", "valkey://", "valkeys://", "redis+sentinel://", "rediss+sentinel://")
# A server that speaks the same protocol.
_VALKEY = {"valkey://": "redis://", "valkeys://": "rediss://"}
# Another such server, a cluster, of which any node does, and other clients' words for a socket.
_SAME = {"keydb": "redis", "redis+cluster": "redis", "redis+socket": "unix", "redis+unix": "unix"}
_SENTINEL_PORT = 26379
# Between two URLs, not between the sentinels of one.
_BETWEEN = re.compile(r"[,\s](?=[A-Za-z+]{2,20}://)")
# A scheme that lacks its colon or one of its slashes; "redis:6379" is a host.
_CUT_SHORT = re.compile(r"(rediss?|valkeys?|unix)(?::/|//)", re.IGNORECASE)


def is_redis(url: object) -> bool:
    """Tell whether `url` is one of a Redis server."""
    return isinstance(url, str) and url.strip().lower().startswith(SCHEMES)


def servers_of(url: str) -> list[str]:
    """Return the URLs of the servers of a crawl, which stand one after the other with commas between them.

    >>> servers_of("redis://a:6379/0,redis+sentinel://one,two/mymaster/0")
    ['redis://a:6379/0', 'redis+sentinel://one,two/mymaster/0']
    """
    return [one for one in (part.strip(", \n\t") for part in _BETWEEN.split(url)) if one]


def as_redis(url: str) -> str:
    """Return the URL that the client library knows a server by.

    >>> as_redis("valkeys://host:6379/0")
    'rediss://host:6379/0'
    """
    for valkey, same in _VALKEY.items():
        if url.lower().startswith(valkey):
            return same + url[len(valkey) :]
    return url


def sentinel_parts(url: str) -> tuple[list[tuple[str, int]], str, str] | None:
    """Return the sentinels, the name of the master they watch, and its URL as of one server; None without sentinels.

    Raises
    ------
    ValueError
        If no master is named, or a port is no number.

    >>> sentinel_parts("redis+sentinel://me:secret@one,two:26380/mymaster/1?ssl_ca_certs=ca.pem")
    ([('one', 26379), ('two', 26380)], 'mymaster', 'redis://me:secret@master/1?ssl_ca_certs=ca.pem')
    """
    scheme, mark, rest = url.partition("+sentinel://")
    if not mark:
        return None
    place, _, path = rest.partition("/")
    login, at, hosts = place.rpartition("@")
    path, query_mark, query = path.partition("?")
    service, _, db = path.partition("/")
    if not service:
        raise ValueError("the name of the master is missing, as in redis+sentinel://host:26379/mymaster/0")
    addresses = []
    for one in hosts.split(","):
        parts = urlsplit(f"//{one}")
        if not parts.hostname:
            raise ValueError("a sentinel has no name")
        addresses.append((parts.hostname, parts.port or _SENTINEL_PORT))
    return addresses, service, f"{scheme.lower()}://{login}{at}master/{db or 0}{query_mark}{query}"


def check_login(url: str) -> None:
    """Refuse a URL whose password has a character that is another part of a URL.

    Raises
    ------
    ValueError
        With how to write it; nothing of the password is in it.

    >>> check_login("redis://me:se/cret@host:6379/0")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: a character of the password means something else in a URL; write / as %2F, ...
    """
    login = url.partition("://")[2].rpartition("@")[0]
    if _is_cut_off(url) or "[" in login or "]" in login:
        raise ValueError(
            "a character of the password means something else in a URL; write / as %2F, ? as %3F, # as %23, [ as %5B,"
            " ] as %5D, @ as %40, : as %3A and % as %25"
        )


def check_database(url: str) -> None:
    """Refuse a URL of a server whose path is no number: the client library would take database 0.

    Raises
    ------
    ValueError
        If it is none.

    >>> check_database("redis://host:6379/crawls")
    Traceback (most recent call last):
        ...
    ValueError: what follows the host is no number of a database
    """
    parts = urlsplit(url)
    database = parts.path.strip("/")
    if parts.scheme.lower() != "unix" and database and not (database.isascii() and database.isdecimal()):
        raise ValueError("what follows the host is no number of a database")


def without_secret(url: str) -> str:
    """Return a URL fit for logs and messages: password and query, which may hold one, are left out, but for a database.

    >>> without_secret("redis://me:secret@host:6379/0?password=x")
    'redis://me:***@host:6379/0'
    >>> without_secret("unix://me:secret@/run/redis.sock?db=1&password=x")
    'unix://me:***@/run/redis.sock?db=1'
    >>> without_secret("redis://me:se/cret@host:6379/0")
    'redis://***'
    """
    return ",".join(map(_without_secret, servers_of(url)))


def place_of(url: str) -> str:
    """Return how a server is called in ``places`` of a crawl on several: without user and password, which may differ.

    >>> place_of("redis://me:secret@host:6379/0")
    'redis://host:6379/0'
    """
    scheme, _, rest = without_secret(url).partition("://")
    place, path = _place_and_rest(rest)
    return f"{scheme}://{place.rpartition('@')[2]}{path}"


def _without_secret(url: str) -> str:
    scheme, mark, rest = url.partition("://")
    if not mark:
        return ""
    if _is_cut_off(url):
        return f"{scheme.lower()}://***"
    place, path = _place_and_rest(rest)
    if "@" in place:
        login, _, host = place.rpartition("@")
        place = f"{login.partition(':')[0]}:***@{host}"
    path, _, query = path.partition("#")[0].partition("?")
    # Two databases of a server are two places: a socket has no other way to name one.
    (database,) = parse_qs(query).get("db", ["0"])[:1]
    shown = f"?db={database}" if database.isascii() and database.isdecimal() and int(database) else ""
    return f"{scheme.lower()}://{place}{path}{shown}"


def _is_cut_off(url: str) -> bool:
    """Tell whether a "/", "?" or "#" cuts the password of a URL off, so that its rest stands behind the host."""
    scheme, _, rest = url.partition("://")
    place, behind = _place_and_rest(rest)
    if "@" not in behind:
        return False
    if scheme.lower().endswith("unix"):
        return bool(place) and not place.endswith("@")  # the path of a socket may have an "@"
    path, _, query = behind.partition("?")
    ports = [host.rpartition(":")[2] for host in place.rpartition("@")[2].split(",") if ":" in host and host[-1] != "]"]
    # A value of the query may have one, as ?sentinel_password= does.
    return "@" in path + query.partition("=")[0] or not all(port.isdecimal() for port in ports if port)


def _place_and_rest(rest: str) -> tuple[str, str]:
    """Return login and host of what follows the scheme of a URL, and what comes behind them."""
    place = re.split("[/?#]", rest, maxsplit=1)[0]
    return place, rest[len(place) :]


def unknown_scheme(where: str, url: str) -> str:
    """Return the sentence about a URL that is none of Redis; a password in it is not shown.

    Parameters
    ----------
    where
        The setting or option that gave it.

    >>> unknown_scheme("--on", "keydb://me:secret@host:6379/0")  # doctest: +ELLIPSIS
    '--on = "keydb://me:***@host:6379/0": "keydb" is no scheme ... Did you mean "redis://"?'
    """
    scheme, mark, _ = url.strip().partition("://")
    expected = "expected redis://host:6379/0, rediss://… for TLS, unix://… for a socket, or redis+sentinel://."
    if not mark:
        shown = "***@" + url.rpartition("@")[2] if "@" in url else url
        path = url.lstrip().startswith(("/", "."))
        cut_short = _CUT_SHORT.match(shown)
        near = f"unix://{shown}" if path else f"redis://{shown}"
        if cut_short is not None:
            near = f"{cut_short[1].lower()}://{shown[cut_short.end() :]}"
        return f'{where} = "{shown}": the scheme is missing; {expected} Did you mean "{near}"?'
    near = _SAME.get(scheme.lower(), "")
    hint = f' Did you mean "{near}://"?' if near else did_you_mean(f"{scheme}://", SCHEMES)
    return f'{where} = "{without_secret(url.strip())}": "{scheme}" is no scheme of a Redis; {expected}{hint}'
