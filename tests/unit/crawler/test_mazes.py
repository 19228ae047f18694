"""Pages that link to nothing but new pages, for ever, and those of honest sites."""

from __future__ import annotations

import pytest

from focuscrawl.crawler.mazes import DEPTH, LEAST_LINKS, LEAST_PAGES, Mazes
from focuscrawl.types import UrlKey

SITE = "http://canal.example"


class Site:
    """Pages of a site that are fetched in order of their links; keys are numbers, the first page's is 0."""

    def __init__(self) -> None:
        self.mazes = Mazes()
        self.met: set[UrlKey] = {UrlKey(0)}

    def page(self, number: int, links: list[int], *, parent: int | None, folder: str = "notes") -> None:
        keys = [UrlKey(link) for link in links]
        found_on = None if parent is None else UrlKey(parent)
        name = f"{SITE}/{folder}/page-{'abcdefghij'[number % 10]}{'klmnopqrst'[number // 10 % 10]}x"
        self.mazes.fetched(UrlKey(number), name, "canal.example", found_on, keys, self.met)
        self.met.update(keys)

    @property
    def waits(self) -> str:
        return self.mazes.behind(f"{SITE}/notes/next", "canal.example")


def test_a_chain_of_new_links_waits_once_it_is_deep_and_long() -> None:
    site = Site()
    for number in range(LEAST_PAGES + DEPTH - 1):
        assert not site.waits
        site.page(
            number, [number + 1, *range(1000 + 10 * number, 1009 + 10 * number)], parent=number - 1 if number else None
        )
    assert site.waits == f"pages of {SITE}/notes/** link to nothing but new pages"
    assert not site.mazes.behind("http://other.example/notes/next", "other.example")


@pytest.mark.parametrize(("links", "pages"), [(2, 10), (3, 8)])
def test_where_pages_have_few_links_more_of_them_have_to_lead_on(links: int, pages: int) -> None:
    site = Site()
    for number in range(pages):
        assert not site.waits
        new = [number + 1, *range(1000 + 10 * number, 1000 + 10 * number + links - 1)]
        site.page(number, new, parent=number - 1 if number else None)
    assert site.waits


def test_lists_of_what_stands_nowhere_else_do_not_wait() -> None:
    site = Site()
    site.page(0, list(range(1, 100)), parent=None)
    for number in range(1, 60):
        site.page(number, list(range(1000 * number, 1000 * number + 20)), parent=0)
    assert not site.waits


@pytest.mark.parametrize("links", [[], [1], [0, 1, 2, 3, 4, 5]], ids=["leaves", "a serial", "a way back"])
def test_pages_with_one_link_or_a_way_back_do_not_wait(links: list[int]) -> None:
    site = Site()
    for number in range(80):
        new = [1000 + 10 * number + link if link else 0 for link in links]
        site.page(number, new, parent=number - 1 if number else None)
    assert LEAST_LINKS == 2
    assert not site.waits


def test_a_folder_waits_and_the_site_around_it_does_not() -> None:
    site = Site()
    for number in range(40):
        site.page(number, list(range(1000 + 10 * number, 1010 + 10 * number)), parent=number - 1 if number else None)
        site.page(500 + number, [0, 500, 501, 502, 503], parent=0, folder="locks")
    assert site.waits
    assert not site.mazes.behind(f"{SITE}/locks/next", "canal.example")
