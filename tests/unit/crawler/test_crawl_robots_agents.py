"""Names of crawlers in a robots.txt that are not this one's."""

from __future__ import annotations

import pytest
from cpu_kit import cpu_limit
from protego import Protego

from focuscrawl.crawler.robots_agents import with_own_names

AGENT = "focuscrawl/0.1 (+https://example.org/about)"
FILES = [
    "User-agent: focuscrawl\nDisallow: /a\n\nUser-agent: *\nDisallow: /b",
    "User-agent: other\nUser-agent: focuscrawl\nDisallow: /a\nUser-agent: *\nDisallow: /b",
    "User-agent: other\nDisallow: /a\nUser-agent: more\nDisallow: /b\nAllow: /",
    "User-agent other\nuser agent focuscrawl # us\nDisallow: /a\nUser-agent:*\nDisallow: /b",
    "User-agent: *\nUser-agent: other\nDisallow: /a\nCrawl-delay: 7",
    "USERAGENT: Focus*Crawl\nDisallow: /a\n\nuser-agent: *\nDisallow: /b",
    "User-agent:\nDisallow: /a\nUser-agent: other\nSitemap: x\nUser-agent: *\n# no\nDisallow: /b",
    "\ufeffUser-agent: other\rDisallow: /a\x0bUser-agent: *\u2028Disallow: /b",
    "Disallow: /a\nUser-agents: *\nUser-agent\nUser-agent: foc\nDisallow: /b",
]


@pytest.mark.parametrize("text", FILES)
def test_a_file_says_the_same_to_this_crawler(text: str) -> None:
    before = Protego.parse(text.removeprefix("\ufeff"))
    after = Protego.parse(with_own_names(text.encode(), AGENT).decode())
    for path in ("/", "/a", "/b"):
        assert before.can_fetch(f"http://a.example{path}", AGENT) is after.can_fetch(f"http://a.example{path}", AGENT)
    assert before.crawl_delay(AGENT) == after.crawl_delay(AGENT)
    assert list(before.sitemaps) == list(after.sitemaps)


@pytest.mark.parametrize(
    ("names", "own"),
    [
        ([f"User-agent: other{number}" for number in range(6_000)], False),
        ([f"user agent other{number}*" for number in range(6_000)], False),
        ([f"User-agent: {'*' * number}focuscrawl" for number in range(400)], True),
    ],
)
def test_many_names_above_many_rules_take_no_longer(names: list[str], own: bool) -> None:
    body = "\n".join((*names, *["Disallow: /private"] * 6_000)).encode()
    with cpu_limit(5.0):
        parser = Protego.parse(with_own_names(body, AGENT).decode())
    assert parser.can_fetch("http://a.example/private", AGENT) is not own
