"""The title of a page where its site's name stands beside it, in ``<title>``, headings and what is declared."""

from __future__ import annotations

import pytest

from focuscrawl.extraction.fields import page_fields
from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer

POST = "http://a.example/blog/2014/08/the-lower-gate/"


def title(html: str, url: str = POST) -> str:
    return page_fields(analyse(html.encode(), url, tokenizer=make_tokenizer("words"))).title


@pytest.mark.parametrize(
    "home",
    [
        "/",
        "../../../../",
        "../../../../index.html",
        "http://a.example",
        "/index.php",
        "/Default.aspx",
        "/blog/' rel='home",
    ],
)
def test_a_heading_that_leads_home_is_no_title(home: str) -> None:
    head = f"<h1><a href='{home}'>Canal talk</a></h1><h2>Lower gate</h2>"
    assert title(f"<title>Lower gate | Canal talk</title>{head}") == "Lower gate"


def test_a_heading_that_leads_to_the_page_itself_is_no_name_of_the_site() -> None:
    head = "<h1><a href='index.html'>Lower gate</a></h1>"
    assert title(f"<title>Canal talk : Lower gate</title>{head}") == "Lower gate"


@pytest.mark.parametrize(
    ("head", "heading", "expected"),
    [
        ("<title>Lower gate leaks</title>", "Thread: <span>Lower gate leaks</span>", "Lower gate leaks"),
        ("<title>修好了下闸 - 闲谈 - 运河论坛</title>", "<a href='/x'>[原创]</a><span>修好了下闸</span>", "修好了下闸"),
        (
            "<title>[2101.1] Lower gates leak</title><meta property='og:title' content='Lower gates leak'>",
            "<span>Title:</span>Lower gates leak",
            "Lower gates leak",
        ),
        ("<title>Review: gates - Canal talk</title>", "Review: gates", "Review: gates"),
        ("<title>Upper gates of old locks</title>", "Tag: Upper gates of old locks", "Tag: Upper gates of old locks"),
    ],
)
def test_a_label_before_the_title_in_its_heading_is_no_part_of_it(head: str, heading: str, expected: str) -> None:
    assert title(f"{head}<h1>{heading}</h1>") == expected


@pytest.mark.parametrize("declared", ["", '<meta property="og:site_name" content="The Canal Book">'])
def test_the_name_of_a_book_is_no_title_of_its_chapters(declared: str) -> None:
    shown = "<h1>The Canal Book</h1><h2>What is a gate?</h2>"
    page = f"<title>What is a Gate? - The Canal Book</title>{declared}{shown}"
    assert title(page) == "What is a gate?"


def test_a_site_that_declares_its_name_as_the_title_of_all_pages_says_nothing() -> None:
    declared = "".join(f'<meta property="og:{name}" content="运河记">' for name in ("title", "site_name"))
    assert title(f"<title>标签: 船闸 | 运河记</title>{declared}<h1>运河记</h1><h2>船闸</h2>") == "标签: 船闸"


def test_the_permanent_link_of_a_post_is_its_title_where_all_pages_are_called_like_the_site() -> None:
    post = f"<h2><a rel='bookmark' href='{POST}'>Lower gate</a></h2>"
    others = "<h1><a href='/blog'>Canal talk</a></h1><h2><a rel='bookmark' href='/blog/2014/07/mill/'>Mill</a></h2>"
    assert title(f"<title>Canal talk</title>{others}{post}") == "Lower gate"


def test_a_listing_has_no_permanent_link_of_its_own() -> None:
    posts = "".join(f"<h2><a rel='bookmark' href='/{name}/'>{name}</a></h2>" for name in ("gate", "mill"))
    assert title(f"<title>Canal talk archive</title>{posts}", "http://a.example/archive/") == "Canal talk archive"


@pytest.mark.parametrize("url", ["http://a.example/", "http://a.example/index.html", "http://a.example/default.asp"])
def test_a_front_page_is_called_like_its_site(url: str) -> None:
    shown = "<h1><a href='/'>Canal talk</a></h1><h2>Boats and mills</h2>"
    page = f"<title>Canal talk | Boats and mills of the country</title>{shown}"
    assert title(page, url) == "Canal talk"


@pytest.mark.parametrize(
    ("whole", "expected"),
    [
        ("Gate | All of the canal's news", "Gate"),
        ("归档 | 一条运河的博客", "归档"),
        ("关于 - 一条运河的博客", "关于"),
        ("About - Ann's Blog", "About"),
        ("Gates of the summit • Canal talk", "Gates of the summit"),
        ("Gates of the summit « Canal talk", "Gates of the summit"),
        ("Gates of the summit ‹ Canal talk", "Gates of the summit"),
        ("标签 - 夏季的船闸维修", "夏季的船闸维修"),
        ("Git - branches in a nutshell", "branches in a nutshell"),  # nothing tells a short name from a short title
    ],
)
def test_what_follows_a_bar_or_is_called_a_blog_is_the_name_of_the_site_however_long(whole: str, expected: str) -> None:
    assert title(f"<title>{whole}</title><p>text</p>") == expected


def test_a_link_that_is_no_address_is_passed_over() -> None:
    head = "<h1><a rel='bookmark' href='http://[x/gate/'>Lower gate</a></h1>"
    assert title(f"<title>Lower gate | Canal talk</title>{head}") == "Lower gate"


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (f"<title>To the lock</title><h2><a rel='bookmark' href='{POST}'>♥ ♥</a></h2>", "♥ ♥"),
        (f"<title>To the lock</title><h1>★</h1><h2><a rel='bookmark' href='{POST}'>★★</a></h2>", "★★"),
        ("<title>★ | Lower gate</title><p>text</p>", "Lower gate"),
    ],
)
def test_a_name_without_a_letter_is_that_of_the_site_only_where_it_is_the_same(page: str, expected: str) -> None:
    assert title(f'<meta property="og:site_name" content="★">{page}') == expected


@pytest.mark.parametrize(
    "whole", ["修好“下闸”-运河网", "修好下闸（图）-运河网", "修好下闸(图)--运河网", "修好下闸--运河网"]
)
def test_the_name_of_a_chinese_site_stands_behind_a_hyphen(whole: str) -> None:
    assert title(f"<title>{whole}</title>") == whole.partition("-")[0]


def test_the_name_of_a_site_may_stand_behind_a_space() -> None:
    shown = "<h1>运河网</h1><h2>船闸不“深” 船闸“大”</h2>"
    assert title(f"<title>船闸不“深” 船闸“大” 运河网</title>{shown}") == "船闸不“深” 船闸“大”"
    assert title("<title>Gates and how to mend them</title><h1>mend them</h1>") != ""


@pytest.mark.parametrize("url", ["http://a.example/page/2/", "http://a.example/tag/locks/"])
def test_a_list_of_posts_is_not_called_like_its_first_post(url: str) -> None:
    site = "<h1><a href='/'>Canal talk</a></h1>"
    posts = "".join(f"<h2><a href='/{name}/'>The {name}</a></h2>" for name in ("gate", "mill"))
    assert title(f"<title>Canal talk</title>{site}{posts}", url) == "Canal talk"


def test_a_front_page_is_not_called_like_a_heading_of_its_first_post() -> None:
    shown = "<h1><a href='/'>Canal talk</a></h1><h2><a href='/gate/'>The gate</a></h2><h2>How it was built</h2>"
    assert title(f"<title>Canal talk</title>{shown}", "http://a.example/page/2/") == "Canal talk"


@pytest.mark.parametrize(
    ("declared", "url", "expected"),
    [
        ("Canal Talk | Release 2.1 of the lock", "http://canaltalk.example/2.1/", "Release 2.1 of the lock"),
        ("Locks – Canal Talk", "http://www.canal-talk.co.uk/tag/locks/", "Locks"),
        ("Canal Talk | Release 2.1 of the lock", "http://a.example/2.1/", "Canal Talk"),
    ],
)
def test_the_name_of_a_site_that_its_host_has_is_no_title(declared: str, url: str, expected: str) -> None:
    assert title(f"<title>{declared}</title><p>text</p>", url) == expected


@pytest.mark.parametrize("sign", ["\uf0c1", " \u200b"])
def test_a_mark_that_leads_to_a_heading_is_no_part_of_the_title(sign: str) -> None:
    """The theme of Read the Docs writes one of its font of icons, VitePress one that nobody sees."""
    heading = f"<h1>The gate of the lock<a href='#gate'>{sign}</a></h1>"
    assert title(f"<title>The gate of the lock | Canal talk</title>{heading}") == "The gate of the lock"


_WIKI = "<title>garden:{} [Our wiki]</title><h1 class='logo'><a href='/doku.php?id=start'>Our wiki</a></h1>"


@pytest.mark.parametrize("number", ["", "Bug #7"])
def test_a_part_of_the_site_that_stands_above_the_title_is_none(number: str) -> None:
    whole = f"{number}: Lower gate sticks" if number else "Lower gate sticks"
    head = f"<title>{whole} - Locks and gates - Canal talk</title><div id=header><h1>Locks and gates</h1></div>"
    assert title(f"{head}<h2>{number}</h2><h3>Lower gate sticks</h3>") == "Lower gate sticks"


def test_a_middle_part_of_a_title_is_no_part_of_the_site_where_its_heading_stands_first() -> None:
    head = "<title>gates - Why is the lower gate stuck? - Canal talk</title><h1>Why is the lower gate stuck?</h1>"
    answers = "".join(f"<h2>Answer {number}</h2>" for number in "abcd")
    assert title(f"{head}{answers}<h2>Gates</h2>") == "Why is the lower gate stuck?"


def test_a_part_of_the_site_is_the_title_of_its_own_page() -> None:
    assert (
        title("<title>Locks and gates - Canal talk</title><h1>Locks and gates</h1><h2>News</h2>") == "Locks and gates"
    )


def test_a_heading_marked_as_the_name_of_the_site_is_no_title() -> None:
    page = _WIKI.format("pruning") + "<h1 id='x'>When to cut roses</h1><p>Late in winter, as a rule.</p>"
    assert title(page, "http://a.example/doku.php?id=garden:pruning") == "When to cut roses"


def test_a_name_of_the_address_is_the_title_of_a_page_without_a_heading() -> None:
    page = _WIKI.format("pruning") + "<h2>Late winter</h2><p>Late in winter, as a rule.</p>"
    assert title(page, "http://a.example/doku.php?id=garden:pruning") == "garden:pruning"


@pytest.mark.parametrize(
    ("declared", "url", "expected"),
    [
        ("Garden/roses – Trees", "http://a.example/wiki/Garden/roses", "When to cut"),
        ("花园/月季 – Trees", "http://a.example/wiki/%E8%8A%B1%E5%9B%AD/%E6%9C%88%E5%AD%A3", "When to cut"),
        ("Roses – Trees", "http://a.example/wiki/Roses", "Roses"),
        ("Garden/roses – Trees", "http://a.example/news/12", "Garden/roses"),
    ],
)
def test_a_title_that_repeats_the_address_gives_way_to_the_first_heading(
    declared: str, url: str, expected: str
) -> None:
    assert title(f"<title>{declared}</title><h1>When to cut</h1><p>Late in winter.</p>", url) == expected


def test_the_link_that_leads_to_a_heading_is_no_part_of_the_title() -> None:
    link = '<a class="anchor" href="#lower-gate"><span class="hidden">Permalink to “Lower gate”</span> #</a>'
    assert title(f'<title>Lower gate | Canal talk</title><h1 id="lower-gate">Lower gate {link}</h1>') == "Lower gate"


@pytest.mark.parametrize("heading", ["Lower gate leaks <button>edit</button>", "<button>Lower gate leaks</button>"])
def test_a_button_beside_a_title_is_no_part_of_it(heading: str) -> None:
    assert title(f"<title>Lower gate leaks - Canal talk</title><h1>{heading}</h1>") == "Lower gate leaks"
