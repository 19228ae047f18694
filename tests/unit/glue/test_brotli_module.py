"""Another package's module `brotli` in the place of the one that answers are read with."""

from __future__ import annotations

import zlib

import brotli
import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from focuscrawl.glue import limits
from focuscrawl.glue.failures import BrokenCodingError
from focuscrawl.storage import body_codings

BODY = brotli.compress(b"<html><p>A lamp and a keeper.</p></html>")


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == limits.__name__]


def test_brotli_is_asked_for_where_it_can_be_read(caplog: pytest.LogCaptureFixture) -> None:
    request = Request("http://a.example/")
    limits.CompressionMiddleware(get_crawler()).process_request(request)
    assert request.headers["Accept-Encoding"] == b"gzip, deflate, br, zstd"
    assert not warnings(caplog)
    assert body_codings.decoded(BODY, "br", 100).endswith(b"keeper.</p></html>")


def test_brotli_is_not_asked_for_where_it_cannot_be_read(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(limits, "READS_BROTLI", False)
    monkeypatch.setattr(body_codings, "READS_BROTLI", False)
    middleware = limits.CompressionMiddleware(get_crawler())
    (warning,) = warnings(caplog)
    assert warning.endswith("to mend it: pip uninstall brotlipy, pip install --force-reinstall brotli")
    request = Request("http://a.example/")
    middleware.process_request(request)
    assert request.headers["Accept-Encoding"] == b"gzip, deflate, zstd"
    headers = {"Content-Type": "text/html", "Content-Encoding": "Br"}
    with pytest.raises(BrokenCodingError, match="in brotli, which was not asked for and cannot be read"):
        middleware.process_response(request, Response(request.url, body=BODY, headers=headers))
    with pytest.raises(zlib.error, match="brotli cannot be read here"):
        body_codings.decoded(BODY, "br", 100)
