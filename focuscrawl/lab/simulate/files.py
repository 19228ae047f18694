"""The files of a recorded web: which one a URL is answered with, and which page it stands for.

Two questions that look alike. *Answering* follows the server the web is served with (nginx, ``try_files $uri
$uri.html $uri/``, index files, a redirect from a folder to its slash). *Identity* follows the scoring of a crawl, which
folds all spellings and aliases of a page into one name: its file, relative to ``www/``.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urldefrag, urlsplit

from focuscrawl.errors import InputError
from focuscrawl.page.media_types import HTML_TYPES

INDEX_FILES = ("index.html", "index.htm", "default.html")
# Media types of the server's list (nginx mime.types) for what recorded webs hold; the rest is octet-stream there too.
_MEDIA_TYPES = {
    "html": "text/html",
    "htm": "text/html",
    "shtml": "text/html",
    "xhtml": "application/xhtml+xml",
    "xml": "text/xml",
    "rss": "application/rss+xml",
    "atom": "application/atom+xml",
    "txt": "text/plain",
    "css": "text/css",
    "json": "application/json",
    "js": "application/javascript",
    "pdf": "application/pdf",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "svg": "image/svg+xml",
    "ico": "image/x-icon",
    "zip": "application/zip",
}
_INDEX_END = re.compile(r"/(index|default)\.html?$")
_SLASHES = re.compile(r"/{2,}")
# What nginx leaves as it is in the Location of a redirect, and what `canonical` leaves in a path.
_SAFE = "/~!$&'()*+,;=:@-._"


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer of the recorded web's server."""

    status: int
    url: str  # after redirects
    redirects: tuple[str, ...] = ()  # URLs that led here, the final one left out
    file: str = ""  # relative to www/, '' without one
    content_type: str = ""

    @property
    def is_html(self) -> bool:
        """Tell whether the answer is a page."""
        return self.status == 200 and self.content_type in HTML_TYPES


def canonical(url: str) -> str:
    """Return the one spelling of a URL of a recorded web: http, no port, query or fragment, index files folded.

    Raises
    ------
    ValueError
        If the URL cannot be split (a broken IPv6 address).
    """
    parts = urlsplit(urldefrag(url.strip())[0])
    host = (parts.hostname or "").lower()
    path = quote(unquote(parts.path or "/"), safe=_SAFE)
    return f"http://{host}{_INDEX_END.sub('/', path)}"


class WebFiles:
    """All files below ``www/``, listed once, so that no question about a URL touches the disk."""

    def __init__(self, www: Path) -> None:
        self.www = www
        self.files: set[str] = set()
        self.folders: set[str] = set()
        for folder, _, names in os.walk(www):
            inside = os.path.relpath(folder, www)
            if inside == ".":
                continue
            inside = inside.replace(os.sep, "/")
            self.folders.add(inside)
            self.files.update(f"{inside}/{name}" for name in names)
        if not self.files:
            raise InputError(f"{www}: holds no pages; expected www/<host>/<path>")
        self.hosts = frozenset(f for f in self.folders if "/" not in f)
        self._identities: dict[str, str | None] = {}

    # --------------------------------------------------------------- identity

    def identity(self, url: str) -> str | None:
        """Return the page a URL stands for, by its file relative to www/; None when it is not in this web."""
        found = self._identities.get(url, "")
        if found == "":
            try:
                found = self._locate(canonical(url))
            except ValueError:
                found = None
            self._identities[url] = found
        return found

    def _locate(self, url: str) -> str | None:
        parts = urlsplit(url)
        steps = [step for step in unquote(parts.path).split("/") if step not in ("", ".")]
        target = "/".join([parts.hostname or "_", *steps])
        if target in self.files:
            return target
        for other in (target + ".html", *(f"{target}/{name}" for name in INDEX_FILES)):
            if other in self.files:
                return other
        return None

    # ---------------------------------------------------------------- answers

    def answer(self, url: str) -> Answer:
        """Return what the server answers, redirects followed."""
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").lower()
        except ValueError:
            return Answer(400, url)
        if parts.scheme not in ("http", "https"):
            return Answer(400, url)
        if host not in self.hosts:
            return Answer(404, url)
        path = _plain_path(parts.path or "/")
        if path is None:
            return Answer(400, url)
        target = host + path
        if not path.endswith("/"):
            if target in self.files:
                return _found(url, target)
            if target + ".html" in self.files:
                return _found(url, target + ".html")
            if target in self.folders:
                query = f"?{parts.query}" if parts.query else ""
                there = f"{parts.scheme}://{parts.netloc}{quote(path, safe=_SAFE, errors='surrogateescape')}/{query}"
                final = self._index(there, target)
                return Answer(final.status, there, (url,), final.file, final.content_type)
            return Answer(404, url)
        folder = target[:-1]
        if target + ".html" in self.files:
            return _found(url, target + ".html")
        return self._index(url, folder) if folder in self.folders else Answer(404, url)

    def _index(self, url: str, folder: str) -> Answer:
        for name in INDEX_FILES:
            if f"{folder}/{name}" in self.files:
                return _found(url, f"{folder}/{name}")
        return Answer(403, url)

    def read(self, file: str) -> bytes:
        """Return the bytes of a file, named relative to www/."""
        return (self.www / file).read_bytes()


def _plain_path(path: str) -> str | None:
    """Return the path as the server looks it up: escapes resolved, slashes merged, dot segments gone; None if bad."""
    path = _SLASHES.sub("/", unquote(path, errors="surrogateescape"))
    if "\0" in path:
        return None
    if "/." not in path:
        return path
    kept: list[str] = []
    steps = path.split("/")[1:]
    for step in steps:
        if step == "..":
            if not kept:
                return None
            kept.pop()
        elif step not in ("", "."):
            kept.append(step)
    slash = "/" if kept and steps[-1] in ("", ".", "..") else ""
    return "/" + "/".join(kept) + slash


def _found(url: str, file: str) -> Answer:
    name = file.rsplit("/", 1)[-1]
    suffix = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    return Answer(200, url, (), file, _MEDIA_TYPES.get(suffix, "application/octet-stream"))
