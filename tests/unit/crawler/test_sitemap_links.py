"""Links of a host that its sitemaps name."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.sitemap_links import SitemapLinks, SitemapUrl
from focuscrawl.crawler.step import PageStep
from focuscrawl.topic.spec import TopicSpec

SITEMAP = "http://e.org/sitemap.xml"


@pytest.fixture(scope="module")
def step() -> PageStep:
    spec = TopicSpec.model_validate(
        {
            "name": "chess",
            "language": "en",
            "seeds": ["http://e.org/"],
            "terms": {"chess": 1.0},
            "scope": {"exclude": ["/private/"]},
        }
    )
    return build_step(spec, choices=StepChoices())


def best(step: PageStep, urls: Sequence[SitemapUrl], **bounds: int) -> list[str]:
    links = SitemapLinks("e.org", **bounds)
    asyncio.run(links.add(step, urls, SITEMAP))
    return [entry.url for entry in links.best()]


def test_topic_words_come_first_then_the_newer_page(step: PageStep) -> None:
    urls = [
        SitemapUrl("http://e.org/old", "2020-01-01"),
        SitemapUrl("http://e.org/undated"),
        SitemapUrl("http://e.org/new", "2025-01-01"),
        SitemapUrl("http://e.org/chess", "2019-01-01"),
    ]
    assert best(step, urls) == [f"http://e.org/{one}" for one in ("chess", "new", "old", "undated")]


def test_other_hosts_files_doubles_and_what_is_out_of_scope_are_left_out(step: PageStep) -> None:
    urls = [
        SitemapUrl(url)
        for url in (
            "http://evil.net/chess",
            "http://e.org/chess.jpg",
            "http://e.org/private/chess",
            "http://e.org/a",
            "http://e.org/a",
        )
    ]
    assert best(step, urls) == ["http://e.org/a"]


def test_only_the_best_of_the_first_addresses_are_kept(step: PageStep) -> None:
    urls = [SitemapUrl(f"http://e.org/{'chess' if n in (40, 90) else 'x'}/{n}") for n in range(100)]
    kept = best(step, urls, most_urls=60, most_kept=3)
    assert kept[0] == "http://e.org/chess/40"
    assert len(kept) == 3
    assert "http://e.org/chess/90" not in kept


def test_an_entry_tells_where_it_comes_from_and_has_its_group(step: PageStep) -> None:
    links = SitemapLinks("e.org")
    asyncio.run(links.add(step, [SitemapUrl("http://e.org/chess/1", "2025-03-04T10:00:00Z")], SITEMAP))
    (entry,) = links.best()
    assert entry.origin.parent_url == SITEMAP
    assert entry.origin.parent is not None
    assert entry.origin.reason.endswith("in a sitemap, changed 2025-03-04")
    assert entry.group.startswith("e.org/chess/|")
    assert 0.0 < entry.score <= 1.0


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 40), st.sampled_from(["", "2024", "2025-01-01"])), max_size=40))
def test_the_bounds_hold_and_nothing_comes_twice(step: PageStep, given_urls: list[tuple[int, str]]) -> None:
    urls = [SitemapUrl(f"http://e.org/{n}", when) for n, when in given_urls]
    links = SitemapLinks("e.org", most_urls=30, most_kept=10)
    asyncio.run(links.add(step, urls, SITEMAP))
    entries = links.best()
    assert links.considered <= 30
    assert len(entries) == len({entry.key for entry in entries}) <= 10
    scores = [entry.score for entry in entries]
    assert scores == sorted(scores, reverse=True)
