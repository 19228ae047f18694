"""What becomes of fetches that gave no page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from scrapy.http import Response

from focuscrawl.crawler.archive_pass import failure_of
from focuscrawl.glue.failures import HostNotNow, Refused, failure_of_error, failure_of_status, retry_after
from focuscrawl.records import Outcome
from focuscrawl.storage.archive_reader import ArchivedAnswer

NOW = 1_800_000_000.0  # Fri, 15 Jan 2027 08:00:00 GMT


def answer(status: int, **headers: str) -> Response:
    return Response("http://e.example/", status=status, headers={k.replace("_", "-"): v for k, v in headers.items()})


def test_a_page_is_no_failure() -> None:
    assert failure_of_status(answer(200), now=NOW) is None
    assert failure_of_status(answer(204), now=NOW) is None


@pytest.mark.parametrize(
    ("content_range", "is_page"),
    [
        ("bytes 0-99/100", True),
        ("Bytes 0-99/100 ", True),
        ("bytes 0-98/100", False),
        ("bytes 1-99/100", False),
        ("bytes 0-99/*", False),
        ("bytes */100", False),
        ("bytes 0-" + "9" * 5000 + "/1", False),
        ("", False),
    ],
)
def test_a_part_is_a_page_only_where_it_is_all(content_range: str, is_page: bool) -> None:
    failure = failure_of_status(answer(206, Content_Range=content_range), now=NOW)
    assert (failure is None) == is_page
    archived = ArchivedAnswer(
        "http://e.example/", NOW, 206, (("content-range", content_range),), b"<p>lock", "text/html"
    )
    assert failure_of(archived) == failure


@pytest.mark.parametrize(
    ("header", "wait_s"),
    [
        ("120", 120.0),
        ("0", 0.0),
        ("Fri, 15 Jan 2027 08:01:00 GMT", 60.0),
        ("Fri, 15 Jan 2027 07:00:00 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        ("", None),
        ("1" * 400, 1111111111.0),
        ("Fri, 15 Jan 99999999999999 08:01:00 GMT", None),
        ("Fri, 15 Jan 2027 08:01:00 +99999999999999999999", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(header: str, wait_s: float | None) -> None:
    assert retry_after(answer(503, Retry_After=header), now=NOW) == wait_s


@given(st.integers(min_value=100, max_value=599), st.text(max_size=30))
def test_every_status_is_a_failure_or_a_page(status: int, header: str) -> None:
    response = answer(status, Retry_After=header.encode("utf-8", "replace").decode("latin-1"))
    failure = failure_of_status(response, now=NOW)
    assert (failure is None) == (200 <= status < 300 and status != 206)
    if failure is not None:
        assert failure.reason == f"HTTP {status}"
        assert (failure.wait_s is not None) == (status in (429, 503))


@pytest.mark.parametrize(
    ("error", "outcome", "reason", "host_failed"),
    [
        (CannotResolveHostError("x"), Outcome.FAILED, "no such host", False),
        (DownloadConnectionRefusedError("x"), Outcome.FAILED, "connection refused", True),
        (DownloadTimeoutError("x"), Outcome.FAILED, "timed out", True),
        (DownloadCancelledError("larger than download max size"), Outcome.REFUSED, "too long", False),
        (Refused("127.0.0.1 is not a public address"), Outcome.REFUSED, "127.0.0.1 is not a public address", False),
        (IgnoreRequest("max redirections reached"), Outcome.REFUSED, "too many redirects", False),
        (IgnoreRequest(), Outcome.REFUSED, "ignored by a middleware", False),
        (ValueError("x"), Outcome.REFUSED, "failed: ValueError", False),
        (ConnectionResetError(), Outcome.FAILED, "failed: ConnectionResetError", True),
    ],
)
def test_errors_of_the_downloader_and_of_middlewares(
    error: Exception, outcome: Outcome, reason: str, host_failed: bool
) -> None:
    failure = failure_of_error(error, now=NOW)
    assert (failure.outcome, failure.reason, failure.host_failed) == (outcome, reason, host_failed)


def test_a_host_whose_robots_txt_cannot_be_read_waits() -> None:
    failure = failure_of_error(HostNotNow("robots.txt cannot be read: HTTP 503", wait_s=20), now=NOW)
    assert failure.wait_s == 20
