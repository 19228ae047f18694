"""Farms of hosts that name the topic and link to each other: a fifth of the crawl at most."""

from __future__ import annotations

import random
import re

import pytest

from focuscrawl.crawler import standing
from hostile.made_web import Made, crawl, html, words

REAL, HOSTS, PAGES = 800, 40, 250
LEAST = 50  # in the place of 200, a fifth of the crawl as there: so it need not be as long
_REAL = re.compile(r"http://real(\d+)\.example/story/(\d+)\.html")
_FARM = re.compile(r"http://(?:(\w+)\.)?farm(\d+)\.example/(\d+)")


def real_url(number: int) -> str:
    return f"http://real{number % HOSTS}.example/story/{number}.html"


def is_farm(url: str) -> bool:
    return _FARM.match(url) is not None


def real_page(number: int, more: list[tuple[str, str]]) -> str:
    draw = random.Random(number)
    links = [(real_url(draw.randrange(REAL)), words(f"a{number}{n}", 3)) for n in range(6)]
    links.append((real_url((number + 1) % REAL), "the next story"))
    return html(f"Lighthouse {words(f't{number}', 3)}", words(f"p{number}", 90), [*links, *more])


def wildcard(draw: random.Random) -> str:
    """One registered domain with host names without end."""
    return f"http://h{draw.randrange(10_000)}.farm0.example/{draw.randrange(50)}"


def ring(draw: random.Random) -> str:
    """A thousand domains."""
    return f"http://farm{draw.randrange(1_000)}.example/{draw.randrange(50)}"


def farm_page(url: str, kind: str) -> str:
    draw = random.Random(url)
    target = wildcard if kind == "wildcard" else ring
    links = [(target(draw), f"lighthouse lamp lens {n}") for n in range(20)]
    text = words("clone", 120, topical=0.5) if kind == "clones" else words(url, 120, topical=0.5)
    return html("Lighthouse lamp and lens keeper", text, links)


def crawl_beside(kind: str) -> Made:
    """Crawl the real pages, some of which have a link to the farm."""

    def web(url: str) -> str | None:
        real = _REAL.fullmatch(url)
        if real:
            number = int(real[2])
            door = [(f"http://farm{0 if kind == 'wildcard' else 7}.example/1", "lighthouse lamp lens")]
            return real_page(number, door if number % 50 == 0 else [])
        return farm_page(url, kind) if _FARM.fullmatch(url) else None

    return crawl(web, [real_url(0), real_url(5)], pages=PAGES)


@pytest.mark.parametrize("kind", ["wildcard", "ring", "clones"])
def test_a_farm_takes_a_fifth_of_the_crawl_at_most(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing, "LEAST_PAGES", LEAST)
    made = crawl_beside(kind)
    assert made.share(is_farm) <= 0.2
