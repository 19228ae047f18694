"""Archive files as other programs write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

HTML = (("Content-Type", "text/html; charset=utf-8"),)
DATE = "2026-09-21T14:13:20Z"


@dataclass(frozen=True, slots=True)
class Sent:
    """An answer to be archived."""

    url: str
    body: bytes = b"<p>text</p>"
    status: str = "200 OK"
    headers: Sequence[tuple[str, str]] = HTML


def records(answers: Sequence[Sent], *, gzip: bool = True) -> list[bytes]:
    """Return a warcinfo record, and a request and a response record of each answer."""
    made = [_record("warcinfo", None, b"software: other\r\n", gzip=gzip)]
    for sent in answers:
        http = StatusAndHeaders("GET / HTTP/1.1", [("Host", "x")], is_http_request=True)
        made.append(_record("request", sent.url, b"", gzip=gzip, http=http))
        http = StatusAndHeaders(sent.status, list(sent.headers), protocol="HTTP/1.1")
        made.append(_record("response", sent.url, sent.body, gzip=gzip, http=http))
    return made


def warc(path: Path, *answers: Sent, gzip: bool = True) -> Path:
    """Write a WARC file of these answers."""
    path.write_bytes(b"".join(records(answers, gzip=gzip)))
    return path


def conversion(url: str, text: str) -> bytes:
    """Return a record of a WET file."""
    return _record("conversion", url, text.encode(), content_type="text/plain")


def _record(
    kind: str,
    url: str | None,
    body: bytes,
    *,
    gzip: bool = True,
    http: StatusAndHeaders | None = None,
    content_type: str | None = None,
) -> bytes:
    block = BytesIO()
    writer = WARCWriter(block, gzip=gzip)
    record = writer.create_warc_record(
        url,
        kind,
        payload=BytesIO(body),
        length=len(body),  # else warcio leaves a temporary file open
        http_headers=http,
        warc_content_type=content_type,
        warc_headers_dict={"WARC-Date": DATE},
    )
    writer.write_record(record)
    return block.getvalue()
