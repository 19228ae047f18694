"""Content codings that are none, beside those that can be undone."""

from __future__ import annotations

import gzip

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from focuscrawl.glue.limits import CompressionMiddleware

PAGE = b"<html><p>A lamp and a keeper.</p></html>"


@pytest.mark.filterwarnings("ignore::scrapy.exceptions.ScrapyDeprecationWarning")
@pytest.mark.parametrize(
    ("codings", "packed"),
    [
        ([b"gz\xefp"], 0),
        ([b"utf-8"], 0),
        ([b""], 0),
        ([b"identity"], 0),
        ([b"gzip,"], 1),
        ([b"gzip, identity"], 1),
        ([b"GZip", b"utf-8"], 1),
        ([b"\xe9, gzip"], 1),
        ([b"x-gzip, none, gzip"], 2),
    ],
)
def test_codings_that_are_none_are_left_out(codings: list[bytes], packed: int) -> None:
    body = PAGE
    for _ in range(packed):
        body = gzip.compress(body, mtime=0)
    middleware = CompressionMiddleware(get_crawler())
    request = Request("http://a.example/")
    headers = {"Content-Type": "text/html", "Content-Encoding": codings}
    answer = middleware.process_response(request, Response(request.url, body=body, headers=headers))
    assert isinstance(answer, Response)
    assert answer.body == PAGE
    assert "Content-Encoding" not in answer.headers
    assert isinstance(answer, HtmlResponse) or not packed
