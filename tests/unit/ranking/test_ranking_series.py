"""Series and sections of URLs."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_kit import page

from focuscrawl.page.model import PageKind
from focuscrawl.ranking.series import continues, page_series, source_series, target_section


@pytest.mark.parametrize(
    ("url", "series", "numbered"),
    [
        ("http://e.org/categories/science/page/11/", "e.org/categories/science/", True),
        ("http://e.org/categories/science/", "e.org/categories/science/", False),
        ("http://e.org/news/list_4.html", "e.org/news/", True),
        ("http://e.org/news/page-2.html", "e.org/news/", True),
        ("http://e.org/thread-12.html", "e.org/thread.html", True),
        ("http://e.org/forum?id=7&page=3", "e.org/forum?id=7", True),
        ("http://e.org/posts/2024.html", "e.org/posts/2024.html", False),
        ("http://e.org/a/12345.html", "e.org/a/12345.html", False),
        ("http://e.org/标签/茶/page/2", "e.org/标签/茶/", True),
        ("http://e.org/tags/tea/index.html", "e.org/tags/tea/", False),
        ("http://e.org/tags/tea/page/2/index.html", "e.org/tags/tea/", True),
        ("http://e.org/tags/tea/Default.aspx?page=2", "e.org/tags/tea/", True),
        ("http://e.org/index.php?id=7", "e.org/?id=7", False),
    ],
)
def test_series_is_the_url_without_its_page_number(url: str, series: str, numbered: bool) -> None:
    assert page_series(url) == (series, numbered)


@pytest.mark.parametrize(
    ("url", "section"),
    [
        ("http://e.org/2024/06/09/a-walk/", "e.org/0/0/0/"),
        ("http://e.org/2023/12/31/another/", "e.org/0/0/0/"),
        ("http://e.org/articles/2013-11-15-collisions/", "e.org/articles/"),
        ("http://e.org/tags/tea/page/2/", "e.org/tags/tea/"),
        ("http://e.org/tags/tea/", "e.org/tags/"),
        ("http://e.org/2024/06/09/a-walk/index.html", "e.org/0/0/0/"),
        ("http://e.org/tags/tea/index.html", "e.org/tags/"),
        ("http://e.org/tags/tea/page/2/index.html", "e.org/tags/tea/"),
        ("http://e.org/index.html", "e.org/"),
        ("http://e.org/an-index.html", "e.org/"),
        ("http://e.org/", "e.org/"),
        ("http://e.org/about", "e.org/"),
        ("http://e.org", "e.org/"),
        ("http://e.org/%E8%8C%B6%E5%85%B7/2024/a.html", "e.org/茶具/0/"),
        ("http://e.org/%E6%A0%87%E7%AD%BE/%E8%8C%B6/page/2/", "e.org/标签/茶/"),
        ("http://e.org/%B2%E8/a.html", "e.org/%B2%E8/"),  # GBK
    ],
)
def test_section_is_the_directory_with_digits_folded(url: str, section: str) -> None:
    assert target_section(url) == section


def test_the_first_page_of_a_listing_does_not_continue_it() -> None:
    first, second, third = (f"http://e.org/tags/tea/{rest}" for rest in ("", "page/2/", "page/3/"))
    assert continues(first, second)
    assert continues(second, third)
    assert not continues(second, first)


@pytest.mark.parametrize(
    ("url", "kind", "source"),
    [
        ("http://e.org/tags/tea/page/2/", PageKind.ARTICLE, "e.org/tags/tea/"),
        ("http://e.org/tags/tea/", PageKind.HUB, "e.org/tags/tea/"),
        ("http://e.org/%E6%A0%87/%E8%8C%B6/", PageKind.HUB, "e.org/标/茶/"),
        ("http://e.org/posts/a-walk/", PageKind.ARTICLE, "e.org/posts/"),
    ],
)
def test_links_of_a_listing_share_its_series_and_those_of_other_pages_their_directory(
    url: str, kind: PageKind, source: str
) -> None:
    assert source_series(replace(page(url), kind=kind)) == source


@given(st.integers(1, 999), st.integers(1, 999))
def test_all_pages_of_a_listing_are_one_section(first: int, second: int) -> None:
    form = "http://e.org/board/tea/page/{}"
    assert target_section(form.format(first)) == target_section(form.format(second))


def test_two_chinese_folders_are_two_sections() -> None:
    names = (
        "茶",
        "地",
        "茶叶的种植和加工与冲泡",
        "茶叶的种植和加工与历史",
    )  # the first two differ in digits of escapes
    assert len({target_section(f"http://e.org/{quote(name)}/a.html") for name in names}) == len(names)


@given(st.text(max_size=60))
def test_any_path_has_a_section_of_its_host(path: str) -> None:
    assert target_section("http://e.org/" + path.replace("/", "")).startswith("e.org")
