"""The X-Robots-Tag header is obeyed as the robots meta tag is."""

from __future__ import annotations

import pytest

from focuscrawl.crawler.build import build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.robots_header import robots_rules
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.records import Entry, Lease
from focuscrawl.topic.spec import TopicSpec

URL = "http://canal.example/locks"
TEXT = "The lower gate of our lock sticks at half height since the frost, and the lock keeper is away until spring."


@pytest.mark.parametrize(
    ("values", "rules"),
    [
        ((), set()),
        (("NOINDEX , nofollow",), {"noindex", "nofollow"}),
        (("noindex", "nofollow"), {"noindex", "nofollow"}),
        (("otherbot: noindex, nofollow",), set()),
        (("noindex, otherbot: nofollow", "none"), {"noindex", "none"}),
        (("unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow",), {"unavailable_after", "nofollow"}),
        (("unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex",), {"unavailable_after", "noindex"}),
        (("unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, noindex",), {"unavailable_after", "noindex"}),
        (("otherbot: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex",), set()),
    ],
)
def test_rules_are_read_of_all_headers_and_those_of_other_robots_left_out(
    values: tuple[str, ...], rules: set[str]
) -> None:
    assert robots_rules([("Server", "noindex"), *(("x-robots-tag", value) for value in values)]) == rules


@pytest.mark.parametrize(
    ("value", "kept", "links"),
    [
        ("all", True, 1),
        ("noindex", False, 1),
        ("nofollow", True, 0),
        ("none", False, 0),
        ("otherbot: none", True, 1),
    ],
)
def test_the_header_decides_on_text_and_links(value: str, kept: bool, links: int) -> None:
    step = build_step(TopicSpec.model_validate({"name": "locks", "terms": {"lock": 1.0, "gate": 0.8, "keeper": 0.8}}))
    body = f"<title>The lower gate</title><p>{TEXT}</p><a href=/gates>The lock gates</a>".encode()
    lease = Lease(Entry(URL, url_key(URL), host_of(URL), 1.0), token=1, expires_at=0.0, attempt=1, priority=1.0)
    fetched = Fetched(URL, 200, body, 1_700_000_000.0, "text/html", (("X-Robots-Tag", value),))
    result = step.process(fetched, lease)
    assert result.record.relevant
    assert bool(result.record.text) is kept
    assert len(result.settlement.found) == links


@pytest.mark.parametrize("header", [(), (("X-Robots-Tag", "nofollow"),)])
def test_nofollow_of_a_link_is_no_nofollow_of_the_page(header: tuple[tuple[str, str], ...]) -> None:
    step = build_step(TopicSpec.model_validate({"name": "locks", "terms": {"lock": 1.0, "gate": 0.8, "keeper": 0.8}}))
    links = "<a href=/gates rel=nofollow>The lock gates</a> <a href=/keepers>The lock keepers</a>"
    body = f"<title>The lower gate</title><p>{TEXT}</p>{links}".encode()
    lease = Lease(Entry(URL, url_key(URL), host_of(URL), 1.0), token=1, expires_at=0.0, attempt=1, priority=1.0)
    found = step.process(Fetched(URL, 200, body, 1_700_000_000.0, "text/html", header), lease).settlement.found
    assert [entry.url.rpartition("/")[2] for entry in found] == ([] if header else ["gates", "keepers"])
