"""The sample web as a whole: its files, what it answers, and which pages are on the demo's topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from focuscrawl.demo import blogs, newsroom, places
from focuscrawl.demo.layouts import Site
from focuscrawl.demo.library import Library
from focuscrawl.demo.publish import RELEVANT, SampleFile
from focuscrawl.demo.trap import trap_page

SEED = 20260501
_BUILDERS = (
    newsroom.newspaper,
    newsroom.forum,
    blogs.tea_blog,
    blogs.mountain_tea,
    blogs.star_blog,
    blogs.garden_blog,
    blogs.chess_blog,
    blogs.travel_blog,
    places.directory,
    places.shop,
    places.wiki,
    places.events,
)


@dataclass(frozen=True, slots=True)
class SampleWeb:
    """The sample web.

    `files` holds everything but the endless calendar: URL -> what it is answered with.
    """

    files: Mapping[str, SampleFile]
    sites: Mapping[str, Site] = field(repr=False)
    disallowed: frozenset[str] = frozenset()  # URLs that robots.txt closes

    @property
    def pages(self) -> dict[str, tuple[bytes, str]]:
        """URL -> bytes and content type, of HTML pages."""
        return {
            url: (f.body, f.content_type) for url, f in self.files.items() if f.content_type.startswith("text/html")
        }

    @property
    def labels(self) -> dict[str, bool]:
        """URL -> whether the page is on the demo's topic, of pages a crawl may fetch."""
        return {url: self.files[url].grade == RELEVANT for url in self.pages if url not in self.disallowed}

    @property
    def hosts(self) -> list[str]:
        """The host names, sorted."""
        return sorted(self.sites)

    def answer(self, url: str) -> SampleFile | None:
        """Return what an http URL is answered with, pages of the calendar made as they are asked for; None for 404."""
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").lower(), parts.port
        except ValueError:
            return None
        if parts.scheme != "http" or host not in self.sites or port not in (None, 80):
            return None
        path = parts.path or "/"
        found = self.files.get(f"http://{host}{path}")
        if found is None and host == "events.test" and (text := trap_page(self.sites[host], path)) is not None:
            return SampleFile(text.encode(), "text/html; charset=utf-8")
        return found


@cache
def sample_web() -> SampleWeb:
    """Return the sample web, the same one on every machine."""
    library = Library(seed=SEED)
    found: dict[str, SampleFile] = {}
    sites: dict[str, Site] = {}
    disallowed: set[str] = set()
    for build in _BUILDERS:
        host = build(library)
        sites[host.site.host] = host.site
        found.update((host.url(path), file) for path, file in host.files.items())
        closed = tuple(
            line.removeprefix("Disallow: ")
            for line in host.files["/robots.txt"].body.decode("ascii").splitlines()
            if line.startswith("Disallow: /")
        )
        disallowed.update(host.url(path) for path in host.files if path.startswith(closed) and closed)
    return SampleWeb(files=found, sites=sites, disallowed=frozenset(disallowed))


def topic_file() -> Path:
    """Return the demo's topic file.

    Raises
    ------
    FileNotFoundError
        If the package is not installed as files (zipped).
    """
    path = Path(str(files("focuscrawl.demo").joinpath("tea-culture.toml")))
    if not path.is_file():
        raise FileNotFoundError(2, "the demo's topic file is missing from the installed package", str(path))
    return path
