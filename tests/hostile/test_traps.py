"""Endless spaces beside a thousand real pages: what is fetched are real pages, each once."""

from __future__ import annotations

import random
import re
from datetime import date
from functools import partial

import pytest

from hostile.made_web import Made, crawl, html, words

REAL = 300
MOST_TRAPPED = 50  # 5 % of 1,000: what a trap costs before it is known does not grow with the real pages
HOSTS = 10
_REAL = re.compile(r"http://real(\d+)\.example/story/(\d+)\.html")
MENU = " Opening hours of the lighthouse museum: nine to five, the lamp and the lens are shown by the keeper."


def real_url(number: int) -> str:
    return f"http://real{number % HOSTS}.example/story/{number}.html"


def is_real(url: str) -> bool:
    return _REAL.fullmatch(url) is not None


def real_page(number: int, more: list[tuple[str, str]]) -> str:
    draw = random.Random(number)
    links = [(real_url(draw.randrange(REAL)), words(f"a{number}{n}", 3)) for n in range(6)]
    links.append((real_url((number + 1) % REAL), "the next story"))
    return html(f"Lighthouse {words(f't{number}', 3)}", words(f"p{number}", 90), [*links, *more])


def calendar(path: str) -> str | None:
    found = re.fullmatch(r"/calendar/(\d+)/(\d+)/", path)
    if not found:
        return None
    year, month = int(found[1]), int(found[2])
    near = [(f"/calendar/{year + (month == 12)}/{month % 12 + 1}/", "next month of the lighthouse calendar")]
    near += [(f"/calendar/{year + step}/{month}/", f"lighthouse calendar {year + step}") for step in (1, 2, 3)]
    return html(f"Lighthouse calendar {date(2000, month, 1):%B} {year}", "No lamp was lit." + MENU, near)


def relative(path: str) -> str | None:
    if not path.startswith("/guide/"):
        return None
    return html("Lighthouse guide", words("guide", 80), [("guide/lamp/", "lamp guide"), ("lens/guide/", "lens guide")])


def session(path: str) -> str | None:
    found = re.fullmatch(r"/s/([0-9a-f]{12})/(\d+)", path)
    if not found:
        return None
    draw = random.Random(path)
    links = [(f"/s/{draw.getrandbits(48):012x}/{n}", f"lighthouse room {n}") for n in range(5)]
    return html(f"Lighthouse room {found[2]}", words(f"room{found[2]}", 80), links)


def facets(path: str) -> str | None:
    if not path.startswith("/shop"):
        return None
    given = dict(part.split("=") for part in path.partition("?")[2].split("&") if "=" in part)
    names = ("colour", "size", "sort", "brand", "view", "price", "lamp")
    links = []
    for name in names:
        for value in ("a", "b", "c"):
            query = "&".join(f"{key}={one}" for key, one in sorted({**given, name: value}.items()))
            links.append((f"/shop?{query}", f"lighthouse lamps by {name} {value}"))
    chosen = " ".join(f"{key} {value}" for key, value in given.items())
    return html("Lighthouse lamps", f"{chosen}. {words('shop', 80)}", links)


def tags(path: str) -> str | None:
    if not path.startswith("/tag/"):
        return None
    chosen = path.removeprefix("/tag/").split("+")
    more = [word for word in ("lamp", "lens", "fog", "keeper", "tower", "ship", "rock", "storm") if word not in chosen]
    links = [(f"/tag/{'+'.join([*chosen, word])}", f"lighthouse and {word}") for word in more]
    return html(f"Lighthouse stories on {' and '.join(chosen)}", words("tag", 200) + MENU, links)


def copies(path: str) -> str | None:
    found = re.fullmatch(r"/copy/([a-z]+)", path)
    if not found:
        return None
    draw = random.Random(path)
    names = ["".join(draw.choices("abcdefghij", k=6)) for _ in range(6)]
    text = f"{words('copy', 400)} printed for {found[1]}"
    return html("The lighthouse lamp", text, [(f"/copy/{name}", f"lighthouse for {name}") for name in names])


def lines(draw: random.Random, name: str, count: int) -> str:
    """Return some of forty paragraphs."""
    return "</p><p>".join(words(f"{name}{n}", 18) for n in draw.sample(range(40), count))


def shelves(path: str) -> str | None:
    """Facets in any order, each of which shows some of forty lamps."""
    if not path.startswith("/lighthouse-lamps"):
        return None
    given = [part for part in path.partition("?")[2].split("&") if part]
    draw, links = random.Random(path), []
    for name in ("colour", "size", "sort", "brand", "view", "price", "lamp"):
        for value in ("a", "b", "c"):
            query = [*(part for part in given if not part.startswith(f"{name}=")), f"{name}={value}"]
            links.append((f"/lighthouse-lamps?{'&'.join(draw.sample(query, len(query)))}", f"lighthouse lamps {value}"))
    return html("Lighthouse lamps", lines(draw, "shelf", 8), links)


def suggestions(path: str) -> str | None:
    """No page: six of the forty best-liked stories instead."""
    if not path.startswith("/lighthouse-lens/"):
        return None
    draw = random.Random(path)
    names = [f"{words(str(draw.random()), 3).replace(' ', '-')}-{draw.randrange(10**6)}" for _ in range(10)]
    text = f"This lighthouse page does not exist. Readers like:</p><p>{lines(draw, 'liked', 6)}"
    return html("Page not found", text, [(f"/lighthouse-lens/{name}", name.replace("-", " ")) for name in names])


def products(path: str) -> str | None:
    """Forty lamps, each under addresses without end, beside four others."""
    found = re.match(r"/lighthouse-shop/(\d+)", path)
    if not found:
        return None
    draw = random.Random(path)
    links = [
        (f"/lighthouse-shop/{n}?from={draw.randrange(10**6)}", f"lighthouse lamp {n}")
        for n in [int(found[1]), *draw.sample(range(40), 6)]
    ]
    text = f"{words(f'product{found[1]}', 120)}</p><p>You came by {path}.</p><p>{lines(draw, 'also', 4)}"
    return html(f"Lighthouse lamp {words(found[1], 2)}", text, links)


def echoes(path: str) -> str | None:
    """No page: the words that were asked for, and links to such words."""
    if not path.startswith("/lighthouse-search/"):
        return None
    draw, asked = random.Random(path), path.rpartition("/")[2].replace("-", " ")
    text = f"Nothing on {asked} was found here. Ask the keeper of the museum, or try a word that is not {asked}."
    near = [words(str(draw.random()), 3, topical=0.6) for _ in range(12)]
    links = [(f"/lighthouse-search/{name.replace(' ', '-')}", name) for name in near]
    return html(f"Search: {asked}", text, links)


def babble(path: str, *, count: int = 10) -> str | None:
    """Text made up for each address, on the topic, with ten links to more of it."""
    if not path.startswith("/lighthouse-notes/"):
        return None
    draw = random.Random(path)
    names = [
        f"lighthouse-{words(str(draw.random()), 3).replace(' ', '-')}-{draw.randrange(10**6)}" for _ in range(count)
    ]
    links = [(f"/lighthouse-notes/{name}", name.replace("-", " ")) for name in names]
    return html(f"Lighthouse {words(f't{path}', 3)}", words(path, 150), links)


def feeds(path: str) -> str | None:
    """Feeds whose entries, on the topic, are feeds."""
    if not path.startswith("/lighthouse-feeds/"):
        return None
    draw = random.Random(path)
    names = [f"{words(str(draw.random()), 2).replace(' ', '-')}-{draw.randrange(10**6)}" for _ in range(20)]
    items = "".join(
        f"<item><title>lighthouse {name}</title><link>/lighthouse-feeds/{name}</link>"
        f"<description>{words(name, 40, topical=0.8)}</description></item>"
        for name in names
    )
    return f"<rss version='2.0'><channel><title>Lighthouses</title>{items}</channel></rss>"


TRAPS = {
    "calendar": (calendar, "/calendar/2026/5/"),
    "relative": (relative, "/guide/"),
    "session": (session, "/s/0123456789ab/1"),
    "facets": (facets, "/shop"),
    "tags": (tags, "/tag/lamp"),
    "copies": (copies, "/copy/first"),
    "shelves": (shelves, "/lighthouse-lamps"),
    "suggestions": (suggestions, "/lighthouse-lens/lamp"),
    "products": (products, "/lighthouse-shop/1"),
    "echoes": (echoes, "/lighthouse-search/lamp"),
    "babble": (babble, "/lighthouse-notes/lamp"),
    "babble of three links": (partial(babble, count=3), "/lighthouse-notes/lamp"),
    "babble of two links": (partial(babble, count=2), "/lighthouse-notes/lamp"),
    "feeds": (feeds, "/lighthouse-feeds/lamp"),
}


def crawl_beside(*names: str) -> Made:
    """Crawl the real pages, each host of which has these traps, linked from every tenth page."""

    def web(url: str) -> str | None:
        real = _REAL.fullmatch(url)
        if real:
            number = int(real[2])
            doors = [(TRAPS[name][1], f"lighthouse lamp {name}") for name in names] if number % 7 == 0 else []
            return real_page(number, doors)
        path = "/" + url.partition("://")[2].partition("/")[2]
        return next((page for name in names if (page := TRAPS[name][0](path)) is not None), None)

    return crawl(web, [real_url(0), real_url(5)], pages=REAL)


@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_costs_a_twentieth_of_a_thousand_pages_at_most(name: str) -> None:
    made = crawl_beside(name)
    assert len(set(made.urls)) == len(made.urls)
    assert sum(not is_real(url) for url in made.urls) <= MOST_TRAPPED


def test_one_error_page_under_many_addresses_is_no_result() -> None:
    def web(url: str) -> str | None:
        name = url.rpartition("/")[2]
        if url == "http://soft.example/":
            return html(
                "Lighthouse",
                words("home", 90),
                [(f"/story/{n:x}-{words(str(n), 1)}", f"lighthouse {n}") for n in range(300)],
            )
        text = f"The lighthouse page {name} was not found. The keeper of the lamp suggests the home page."
        return html("Lighthouse lamp and lens", text, [("/", "lighthouse home")])

    made = crawl(web, ["http://soft.example/"], pages=301)
    errors = [record for record in made.records if record.url != "http://soft.example/"]
    assert sum(record.is_result for record in errors) <= 2  # before it is known
    told = [record for record in errors if "says what many addresses of its host say" in record.reason]
    assert len(told) >= 3
    assert made.step is not None
    assert "mostly repeat others" in made.step.budgets.held_back("http://soft.example/story/ff-new", "soft.example")


def test_links_to_one_page_under_many_addresses_do_not_hold_back_its_site() -> None:
    def harbour(number: int) -> str:
        near = [(f"/{n}.html", "harbour") for n in random.Random(number).sample(range(600), 6)]
        return html("Harbour", words(f"h{number}", 90, topical=0.0), near)

    def web(url: str) -> str | None:
        if url == "http://slander.example/":
            links = [(f"{real_url(1)}?x={n}", "lighthouse lamp keeper") for n in range(30)]
            links += [(real_url(5), "lighthouse story"), ("http://harbour.example/0.html", "harbour")]
            return html("Lighthouses", words("list", 120), links)
        host, _, path = url.partition("://")[2].partition("/")
        number = re.search(r"(\d+)\.html", path)
        if number is None:
            return None
        return harbour(int(number[1])) if host == "harbour.example" else real_page(int(number[1]), [])

    made = crawl(web, ["http://slander.example/"], pages=150)
    assert sum("?x=" in url for url in made.urls) <= 20  # 15
    assert made.share(is_real) > 0.5  # .77; none when the copies counted against the site itself
