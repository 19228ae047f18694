"""Shapes of URLs: what the addresses of one endless space have in common.

A calendar varies numbers, a session its token, a relative link that goes wrong repeats directories, a list with facets
varies the set of its parameters, and an archive of tags the last directory. Each of these is folded.
"""

from __future__ import annotations

import re
from functools import lru_cache

_DIGITS = re.compile(r"\d+")
_TOKEN = re.compile(r"[0-9A-Za-z]{8,}+")
_HEX = frozenset("0123456789abcdefABCDEF")
_LONG_TOKEN = 16  # letters and digits mixed; from 8 on when all are hexadecimal
# More parameters than this are facets: each set of them would be a shape of its own.
_MOST_PARAMETERS = 2
_MOST_FOLDERS = 4
_CACHE = 1 << 14


@lru_cache(_CACHE)
def url_pattern(url: str) -> str:
    """Return the shape of a URL.

    Runs of digits become 0, tokens of a session ~, query values vanish, a name that comes again in a path is left out,
    and three parameters or more count as any.

    >>> url_pattern("http://e.org/cal/2026/11?view=week&day=21")
    'http://e.org/cal/0/0?day=&view='
    >>> url_pattern("http://e.org/s/9f3ac01b77de/a/b/a/b/list?color=red&size=m&sort=up")
    'http://e.org/s/~/a/b/list?*'
    """
    head, _, query = url.partition("?")
    origin, names = _split(head)
    shape = "/".join((origin, *names))
    if not query:
        return shape
    parameters = sorted({part.partition("=")[0] for part in query.split("&")} - {""})
    if len(parameters) > _MOST_PARAMETERS:
        return shape + "?*"
    return f"{shape}?{'&'.join(_DIGITS.sub('0', name) + '=' for name in parameters)}"


@lru_cache(_CACHE)
def url_spaces(url: str) -> tuple[str, ...]:
    """Return the spaces a URL is in, from its own shape to its first folder.

    >>> url_spaces("http://e.org/tag/red/blue?page=3")
    ('http://e.org/tag/red/blue?page=', 'http://e.org/tag/red/blue?', 'http://e.org/tag/**', 'http://e.org/tag/red/**')
    """
    origin, names = _split(url.partition("?")[0])
    spaces = [url_pattern(url)]
    if "?" in url:
        spaces.append("/".join((origin, *names)) + "?")
    folders = names[:-1][:_MOST_FOLDERS]
    spaces += ["/".join((origin, *folders[: at + 1], "**")) for at in range(len(folders))]
    return tuple(dict.fromkeys(spaces))


def parameter_space(url: str) -> str:
    """Return the space of the addresses of a host that have the parameters of a URL, whatever their path.

    >>> parameter_space("http://e.org/2024/a-walk/?replytocom=12")
    'http://e.org/**?replytocom='
    """
    origin = "/".join(url.split("/", 3)[:3]).partition("?")[0]
    return f"{origin}/**?{url_pattern(url).partition('?')[2]}"


def _split(head: str) -> tuple[str, list[str]]:
    """Return the origin of a URL and the folded names of its path, each name with a letter once."""
    scheme, _, rest = head.partition("://")
    host, _, path = rest.partition("/")
    names: list[str] = []
    for name in path.split("/"):
        if name and name in names and not name.isdigit():
            continue
        names.append(name)
    return f"{scheme}://{host}", [_folded(name) for name in names]


def _folded(name: str) -> str:
    if len(name) >= 8:  # most names are shorter than any token
        name = _TOKEN.sub(_token, name)
    return _DIGITS.sub("0", name)


def _token(match: re.Match[str]) -> str:
    text = match[0]
    is_mixed = not text.isdigit() and not text.isalpha()
    return "~" if is_mixed and (len(text) >= _LONG_TOKEN or _HEX.issuperset(text)) else text
