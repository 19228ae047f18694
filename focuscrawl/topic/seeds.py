"""Seed lists: one URL a line, ``#`` comments."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from focuscrawl.errors import TopicError
from focuscrawl.topic.faults import quoted
from focuscrawl.topic.files import display, read_text

_COMMENT = re.compile(r"(?:^|\s)#.*")  # a "#" inside a URL starts its fragment
_COMMA = re.compile(r",\s*(?=https?://)", re.IGNORECASE)  # a comma elsewhere is one inside a URL
_EXPECTED = "expected an http or https URL"


def url_fault(url: str) -> str:
    """Return what is wrong with a seed's URL, or ""."""
    if re.search(r"[\s<>\"]", url):
        return f"{_EXPECTED} without spaces, quotes or angle brackets"
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port
    except ValueError as error:
        return f"{_EXPECTED} ({error})"
    if parts.scheme.lower() not in ("http", "https"):
        is_address = "." in url and "://" not in url and "@" not in url  # no mailto:
        return f"{_EXPECTED}, such as https://{url}" if is_address else _EXPECTED
    return "" if host else f"{_EXPECTED} with a host"


def read_seed_file(path: Path) -> list[str]:
    """Return the URLs of a seed file, in order, each once.

    Raises
    ------
    TopicError
        If it cannot be read, is not UTF-8, or has lines that are no http or https URL; one fault a line, numbered.
    """
    urls: dict[str, None] = {}
    faults = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        url = _COMMENT.sub("", line).strip()
        if not url:
            continue
        fault = url_fault(url)
        if fault:
            faults.append(f"{display(path)}: line {number}: {quoted(url)}: {fault}")
        urls[url] = None
    if faults:
        raise TopicError(faults)
    return list(urls)


def split_seeds(seeds: str) -> list[str]:
    """Return the URLs of a command-line argument: a seed file's name, or URLs separated by commas, or one a line.

    A comma inside a URL is kept: only one that is followed by ``http://`` or ``https://`` separates.

    Raises
    ------
    TopicError
        As `read_seed_file`, and if an argument is neither a file nor a URL.
    """
    if "://" not in seeds:
        if not Path(seeds).exists():
            like = f", such as https://{seeds}" if re.fullmatch(r"[\w-]+(\.[\w-]+)+(/\S*)?", seeds) else ""
            raise TopicError([f"{seeds}: there is no such file; seeds are a file of URLs, or URLs{like}"])
        return read_seed_file(Path(seeds))
    given = seeds.strip().strip(",")
    urls = [url.strip() for url in (given.split("\n") if "\n" in given else _COMMA.split(given))]
    return checked(urls, "seeds")


def checked(urls: Iterable[str], source: str) -> list[str]:
    """Return `urls`, each once, or raise one TopicError that names every bad one."""
    unique = list(dict.fromkeys(urls))
    faults = [f"{source}: {quoted(url)}: {fault}" for url in unique if (fault := url_fault(url))]
    if faults:
        raise TopicError(faults)
    return unique
