"""``focuscrawl extract``: the main content of one page."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl.cli import console
from focuscrawl.cli.usage import EXPECTED_SOURCE
from focuscrawl.errors import ConfigError, PluginError, StoreError, os_reason
from focuscrawl.report.markup import clean

if TYPE_CHECKING:
    from focuscrawl.extraction.base import Extraction, Extractor
    from focuscrawl.page.model import PageAnalysis
    from focuscrawl.text.base import Tokenizer

DEFAULT_METHOD = "router"  # the same as the crawl's; a test compares
_WEB = re.compile(r"https?://", re.IGNORECASE)
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_GZIP = b"\x1f\x8b"
_MAX_BYTES = 16 * 2**20  # decoded; the crawl takes no larger page either


@dataclass(frozen=True, slots=True)
class Extracted:
    """A page and what was found on it; `found` is None when the method does not handle such a page."""

    page: PageAnalysis
    method: str
    found: Extraction | None

    def fields(self, *, markdown: bool = False) -> dict[str, object]:
        """Return the result as JSON-safe data."""
        from focuscrawl.api.pages import extracted_page

        return asdict(extracted_page(self.page, self.found, method=self.method, markdown=markdown))


def show_extraction(
    source: str,
    *,
    method: str | None,
    model: Path | None,
    url: str | None,
    allow_private: bool,
    markdown: bool = False,
    as_json: bool,
) -> None:
    """Print what is found on the page `source`, a file or an http or https URL; with `markdown` that and no more.

    Raises
    ------
    ConfigError
        If `source` is an address of another scheme, `url` is none, or stands beside an address.
    """
    if _ADDRESS.match(source) and not _WEB.match(source):
        raise ConfigError(f"{source}: {EXPECTED_SOURCE}.")
    if url is not None and _WEB.match(source):
        raise ConfigError("--url: expected with a FILE; a page that is fetched has the address it is fetched from.")
    if url is not None and not _ADDRESS.match(url):
        raise ConfigError(f"--url {url}: expected a whole address, as https://example.org/page.")
    if _WEB.match(source):
        from focuscrawl.cli.fetch import fetch_page

        answer = fetch_page(source, allow_private=allow_private)
        result = extract_body(answer.body, answer.url, method=method, model=model, content_type=answer.content_type)
    else:
        path = Path(source)
        result = extract_body(read_page(path), url or file_url(path), method=method, model=model)
    fields = result.fields(markdown=markdown)
    if as_json:
        console.print_json(fields)
        return
    if markdown:
        console.write_text(clean(f"{fields['markdown']}\n"))
        return
    _print(fields)


def extract_body(
    body: bytes, url: str, *, method: str | None = None, model: Path | None = None, content_type: str | None = None
) -> Extracted:
    """Return the main content of a page by the extractor `method`, with the numbers in `model` if it takes any.

    Raises
    ------
    PluginError
        If there is no such method, or it takes no model.
    StoreError
        If the model cannot be read.
    """
    from focuscrawl.extraction.plain_extraction import extracted_or_told
    from focuscrawl.page.analysis import analyse

    name = method or DEFAULT_METHOD
    extractor = page_extractor(name, model)
    page = analyse(body, url, content_type=content_type, tokenizer=page_tokenizer())
    return Extracted(page, name, extracted_or_told(extractor, page, name))


def read_page(path: Path) -> bytes:
    """Return the bytes of a page, unpacked when it is gzipped.

    Raises
    ------
    StoreError
        If it cannot be read, or is longer than any page the crawl would take.
    """
    try:
        with path.open("rb") as file:
            packed = file.read(2) == _GZIP
        with gzip.open(path, "rb") if packed else path.open("rb") as stream:
            body = stream.read(_MAX_BYTES + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise StoreError(f"{path}: damaged gzip file: {error}.") from error
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {os_reason(error)}.") from error
    if len(body) > _MAX_BYTES:
        raise StoreError(f"{path}: longer than {_MAX_BYTES // 2**20} MB; that is no page for people.")
    return body


def file_url(path: Path) -> str:
    """Return the address a local page is taken to have, for its relative links."""
    return path.absolute().as_uri()


def page_tokenizer() -> Tokenizer:
    """Return the tokenizer pages are read with."""
    from focuscrawl.api.pages import page_tokenizer as shared

    return shared()


@cache
def page_extractor(name: str, model: Path | None = None) -> Extractor:
    """Return the extractor `name`, with the numbers in `model` if given; one for all pages."""
    from focuscrawl import plugins
    from focuscrawl.options import options_of

    if model is not None and "model" not in options_of(plugins.load("extractors", name)).annotations:
        raise PluginError(
            f'extractor "{name}" takes no model; leave --model out, or name the method it was trained for.'
        )
    options = {} if model is None else {"model": model}
    extractor: Extractor = plugins.build("extractors", name, options=options)
    return extractor


def _print(fields: Mapping[str, object]) -> None:
    shown = ("title", "url", "published", "author", "category", "language", "kind", "encoding", "method")
    facts = [(name, str(fields[name])) for name in shown if fields[name]]
    keywords = fields["keywords"]
    if isinstance(keywords, list) and keywords:
        facts.append(("keywords", ", ".join(keywords)))
    if fields["summary"]:
        facts.append(("summary", str(fields["summary"])))
    why = str(fields["reason"])
    parts = fields["parts"]
    if isinstance(parts, Mapping) and parts:
        why += f" ({', '.join(f'{name} {value:.2f}' for name, value in parts.items())})"
    facts.append(("confidence", f"{fields['confidence']:.2f}: {why}"))
    xpaths = fields["xpaths"]
    if isinstance(xpaths, list) and xpaths:
        facts.append(("found at", "  ".join(xpaths[:5]) + (" …" if len(xpaths) > 5 else "")))
    records = fields["records"]
    if isinstance(records, list) and records:
        facts.append(("records", f"{len(records)}; --json lists them"))
    console.print_facts(facts)
    console.write_text("\n")
    for paragraph in str(fields["text"]).split("\n"):
        console.print_line(paragraph)
