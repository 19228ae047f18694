"""Links to nothing by the words of the topic: they wait once it is known, and the real pages are fetched."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

from hostile.made_web import crawl, html, words

REAL, HOSTS, PAGES, DEAD = 200, 8, 150, 40
_REAL = re.compile(r"http://real\d+\.example/story/(\d+)\.html")
KINDS: dict[str, Callable[[str], str]] = {
    "pages": lambda name: f"/lighthouse/{name}",
    "answers": lambda name: f"/find?lighthouse={name}",
    "hosts of a domain": lambda name: f"http://{name}.dead.example/",
    "domains": lambda name: f"http://{name}.example/",
}


def real_url(number: int) -> str:
    return f"http://real{number % HOSTS}.example/story/{number}.html"


@pytest.mark.parametrize("kind", KINDS)
def test_links_to_nothing_cost_few_fetches(kind: str) -> None:
    """Each of the real pages has forty of them, more than 6,000 in all."""

    def web(url: str) -> str | None:
        real = _REAL.fullmatch(url)
        if not real:
            return None
        number = int(real[1])
        draw = random.Random(number)
        links = [(real_url(draw.randrange(REAL)), words(f"a{number}{n}", 3)) for n in range(6)]
        links += [(real_url(number + 1), "the next story")] if number + 1 < REAL else []
        dead = [f"{words(f'{number} {n}', 2).replace(' ', '-')}-{number}-{n}" for n in range(DEAD)]
        links += [(KINDS[kind](name), f"lighthouse lamp lens {name}") for name in dead]
        return html(f"Lighthouse {words(f't{number}', 3)}", words(f"p{number}", 90), links)

    made = crawl(web, [real_url(number) for number in range(HOSTS)], pages=PAGES)
    assert len(set(made.urls)) >= PAGES
    assert len(made.records) - len(made.urls) <= 40 * HOSTS
