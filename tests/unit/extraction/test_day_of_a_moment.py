from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.extraction.dates import as_shown, is_in_utc
from focuscrawl.extraction.fields import page_fields
from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer

DECLARED = "<meta property='article:published_time' content='2022-08-25T16:00:00.000Z'>"
TEXT = f"<p>{'The gate of the lock leaks. ' * 9}</p>"
TIME = '<time datetime="2022-08-25T16:00:00.000Z"{}>{}</time>'


def published(html: str, url: str = "http://a.example/gate") -> str | None:
    return page_fields(analyse(html.encode(), url, tokenizer=make_tokenizer("words"))).published


@pytest.mark.parametrize(
    ("stated", "shown", "expected"),
    [
        ("2022-08-25T16:00:00Z", "2022-08-26T00:00:00+08:00", "2022-08-26T00:00:00+08:00"),
        ("2017-07-06T01:27:37+00:00", "2017-07-05T21:27", "2017-07-05T21:27-04:00"),
        ("2017-07-06T01:27:37Z", "2017-07-05", "2017-07-05"),
        ("2022-08-25T18:15:00Z", "2022-08-26T00:00", "2022-08-26T00:00+05:45"),
        # No place is so far ahead of UTC, or behind it.
        ("2022-08-25T09:00:00Z", "2022-08-26", "2022-08-25T09:00:00Z"),
        ("2022-08-25T13:00:00Z", "2022-08-24", "2022-08-25T13:00:00Z"),
        # Another moment: by its zone, or as no zone has seven minutes.
        ("2022-08-25T16:00:00Z", "2022-08-26T00:00:00+09:00", "2022-08-25T16:00:00Z"),
        ("2022-08-25T16:00:00Z", "2022-08-26T00:07", "2022-08-25T16:00:00Z"),
        ("2022-08-25T16:00:00+08:00", "2022-08-26", "2022-08-25T16:00:00+08:00"),
        ("2022-08-25", "2022-08-26", "2022-08-25"),
    ],
)
def test_a_moment_in_utc_is_on_the_day_that_the_page_shows(stated: str, shown: str, expected: str) -> None:
    assert as_shown(stated, shown) == expected


@given(st.datetimes(min_value=datetime(1971, 1, 1), max_value=datetime(2037, 1, 1)), st.sampled_from(range(-12, 15)))
def test_a_moment_shown_in_any_zone_stays_that_moment(moment: datetime, hours: int) -> None:
    stated = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    zone = f"{hours:+03d}:00"
    local = datetime.fromisoformat(stated).astimezone(datetime.fromisoformat(f"2000-01-01T00:00{zone}").tzinfo)
    found = as_shown(stated, local.strftime("%Y-%m-%dT%H:%M:%S"))
    assert datetime.fromisoformat(found) == datetime.fromisoformat(stated)
    assert found[:10] == local.strftime("%Y-%m-%d")


@pytest.mark.parametrize(
    ("head", "line", "expected"),
    [
        (DECLARED, "<p>发表于 2022-08-26</p>", "2022-08-26"),
        (DECLARED, TIME.format("", "2022-08-26"), "2022-08-26"),
        ("", TIME.format("", "2022-08-26"), "2022-08-26"),
        (DECLARED, TIME.format(' title="发表于 2022-08-26 00:00:00"', "x"), "2022-08-26T00:00:00+08:00"),
        ("", TIME.format(' title="发表于 2022-08-26 00:00:00"', "x"), "2022-08-26T00:00:00+08:00"),
        (DECLARED, "<p>更新于 2022-08-26</p>", "2022-08-25T16:00:00Z"),
        (DECLARED, "<p>no day</p>", "2022-08-25T16:00:00Z"),
    ],
)
def test_a_page_is_of_the_day_that_it_shows(head: str, line: str, expected: str) -> None:
    page = f"<html><head>{head}</head><body><h1>Locks</h1>{line}{TEXT}</body></html>"
    assert published(page) == expected


def test_a_page_is_of_the_day_in_its_address() -> None:
    page = f"<html><head>{DECLARED}</head><body><h1>Locks</h1>{TEXT}</body></html>"
    assert published(page, "http://a.example/2022/08/26/gate/") == "2022-08-26"
    assert published(page, "http://a.example/2022/09/26/gate/") == "2022-08-25T16:00:00Z"


def test_moments_in_utc() -> None:
    assert is_in_utc("2022-08-25T16:00:00Z")
    assert is_in_utc("2022-08-25T16:00+00:00")
    assert not is_in_utc("2022-08-25T16:00:00+08:00")
    assert not is_in_utc("2022-08-25")
