"""Title, category and date of a feed's page."""

from __future__ import annotations

from datetime import date

import pytest

from focuscrawl.extraction.feed_fields import learn_category, learn_date, learn_title, read_date
from focuscrawl.extraction.feed_paths import find_all, generalise, indexed_path, vote
from focuscrawl.page.tree import Element, parse


def _body(html: str) -> Element:
    tree = parse(f"<body>{html}</body>")
    assert tree is not None
    return tree.root.find("body")


def _path(element: Element | None) -> str | None:
    return indexed_path(element) if element is not None else None


TITLE = "How green tea is made"


@pytest.mark.parametrize(
    ("html", "path"),
    [
        (f"<p>{TITLE}</p><h1>{TITLE}</h1>", "/html/body/h1[1]"),
        (f"<div>{TITLE}</div><h2><a>{TITLE}</a></h2>", "/html/body/h2[1]/a[1]"),
        (f"<div>{TITLE}</div><b>{TITLE}</b>", "/html/body/b[1]"),
        (f"<h1>{TITLE} | Tea house</h1><h2>{TITLE}</h2>", "/html/body/h2[1]"),
        (f"<ul><li>{TITLE}</li></ul><div>{TITLE}</div>", "/html/body/div[1]"),
        (f"<p>{TITLE}</p><div>{TITLE}</div>", "/html/body/div[1]"),
        (f"<div>{TITLE}</div><div>{TITLE}</div>", "/html/body/div[1]"),
        ("<h1>How Green  Tea</h1>", "/html/body/h1[1]"),  # a part of 15 of 17 characters
        ("<h1>Green tea</h1>", None),  # 8 of 17: too little
        ("<h1>Something else</h1>", None),
    ],
)
def test_rules_of_the_title(html: str, path: str | None) -> None:
    wanted = TITLE if "How Green  Tea" not in html else "How green tea is"
    assert _path(learn_title(_body(html), wanted)) == path


def test_full_width_and_case_make_no_difference() -> None:
    assert learn_title(_body("<h1>Ｔｅａ：茶 的 做法</h1>"), "tea:茶的做法") is not None


def test_a_category_in_the_crumbs_goes_before_one_elsewhere() -> None:
    html = "<h1>T</h1><a>Craft</a><div class=breadcrumb><a>home</a><a>craft</a></div>"
    assert _path(learn_category(_body(html), ("Craft",), None)) == "/html/body/div[1]/a[2]"
    body = _body("<i>craft</i><h1>T</h1><a>Craft</a>")
    assert _path(learn_category(body, ("Craft",), body.find("h1"))) == "/html/body/i[1]"
    assert learn_category(_body("<a>Leaf</a>"), ("Craft",), None) is None


def test_the_date_may_be_a_day_off_for_the_time_zone() -> None:
    body = _body("<p>2020-01-01</p><span>2025年3月4日</span>")
    assert _path(learn_date(body, "2025-03-03T20:00:00+00:00")) == "/html/body/span[1]"
    assert learn_date(body, "2024-05-05T00:00:00+00:00") is None
    assert learn_date(body, "") is None
    exact = _body("<p>2025-03-04</p><time datetime='2025-03-03T10:00:00Z'>yesterday</time>")
    assert _path(learn_date(exact, "2025-03-03T20:00:00+00:00")) == "/html/body/time[1]"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("发布于 2025-03-04 10:00", date(2025, 3, 4)),
        ("2025/3/4", date(2025, 3, 4)),
        ("2025 年 3 月 4 日", date(2025, 3, 4)),
        ("March 4th, 2025", date(2025, 3, 4)),
        ("4 Mar 2025", date(2025, 3, 4)),
        ("2025-13-04", None),
        ("Room 4, 2025", None),
        ("", None),
    ],
)
def test_dates_people_write(text: str, day: date | None) -> None:
    assert read_date(text) == day


def test_votes_of_three_pages() -> None:
    a, b, c = "/html/body/div[2]/div[1]", "/html/body/div[3]/div[1]", "/html/body/table[1]"
    assert vote([b, a, a]) == a
    assert vote([a, b, c]) == "/html/body/div/div[1]"
    assert vote([a, c]) == a
    assert vote([a]) == a


def test_paths_that_differ_in_more_than_an_index_have_no_common_form() -> None:
    assert generalise("/html/body/div[1]/p[1]", "/html/body/div[2]/p[2]") is None
    assert generalise("/html/body/div[1]", "/html/body/p[1]") is None
    assert generalise("/html/body/div[1]", "/html/body/div[1]/p[1]") is None


def test_what_is_no_path_finds_nothing() -> None:
    assert find_all(_body("<p>x</p>"), "//*[@id='") == []
    assert find_all(_body("<p>x</p>"), "count(//p)") == []
