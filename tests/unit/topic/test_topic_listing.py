"""Which addresses are those of listings."""

from __future__ import annotations

import pytest
from link_kit import page

from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer
from focuscrawl.topic.listing import listing_sign


@pytest.mark.parametrize(
    "path",
    [
        "/tags/tea/",
        "/tag/tea/page/2/",
        "/categories/%E8%8C%B6/index.html",
        "/分类/茶/",
        "/author/li",
        "/archives/",
        "/archives.html",
        "/archives/2024/",
        "/archives/2024/05/index.html",
        "/archive/2024/05/06",
        "/archives/2024/page/3/",
        "/2024/05/",
        "/timeline/",
        "/时间轴",
        "/news/page/7",
        "/?paged=2",
        "/wiki/Category:Tea",
        "/index.php/%E5%88%86%E7%B1%BB:%E8%8C%B6",
        "/index.php?title=Category:Tea",
        "/index.php?title=%E5%88%86%E9%A1%9E:%E8%8C%B6",
    ],
)
def test_indexes_by_their_address(path: str) -> None:
    assert listing_sign(page(f"http://e.com{path}")) == "URL"


@pytest.mark.parametrize(
    "path",
    [
        "/archives/7",
        "/archives/17/",
        "/archives/4711",
        "/archives/4711.html",
        "/archives/20250315a1b2c3d4/index.html",
        "/archives/a-walk-in-the-hills/",
        "/archive/2024/05/a-walk/",
        "/2024/05/06/a-walk/",
        "/rome/timeline/",
        "/timeline-of-rome/",
        "/catalogue/tea",
        "/pages/tea",
        "/wiki/Category_theory",
        "/wiki/Talk:Tea",
    ],
)
def test_posts_of_archives_are_no_indexes(path: str) -> None:
    assert listing_sign(page(f"http://e.com{path}")) == ""


MESSAGES = """<div id="post-{0}"><a href="{1}#post-{0}">#</a><p>Oil it.</p></div>"""


@pytest.mark.parametrize(
    ("path", "link", "sign"),
    [
        ("/topic/locks/?page=2", "?post=31", ""),
        ("/topic/locks/page/2/", "/topic/locks/page/2/", ""),
        ("/topic/locks/page/2/", "", "URL"),  # a tab or a slide
        ("/blog/page/2/", "/blog/locks/", "URL"),
        ("/tag/locks/?page=2", "?post=31", "URL"),
        ("/topic/locks/?cat=2", "?post=31", "URL"),
    ],
)
def test_a_further_page_with_messages_is_that_of_a_thread(path: str, link: str, sign: str) -> None:
    body = MESSAGES.format(31, link).encode()
    found = analyse(body, f"http://e.com{path}", tokenizer=make_tokenizer("words"))
    assert listing_sign(found) == sign


LINKED = '<div class="post"><p><a href="{0}">Re: Locks</a></p><p>{1}</p></div>'
SAID = "We let the chamber run dry in January and found a log below the sill, so that the gate stuck at half height. "


@pytest.mark.parametrize(
    ("links", "sign"),
    [
        (["/t/locks/?post=31#31", "/t/boats/?post=32#p32", "/t/weirs/?post=33#msg33"], "links to messages"),
        (["/t/locks/?post=31#31", "/t/boats/?post=32#p32"], ""),
        (["/t/locks/#comment-31", "/t/boats/#comment-32", "/t/weirs/#comment-33"], ""),
        (["/t/locks/?page=31#31", "/t/boats/?page=32#p32", "/t/weirs/?page=33#p33"], ""),
        (["?post=31#31", "?post=32#p32", "?post=33#msg33"], ""),
        (["//f.com/t/?p=31#31", "//f.com/t/?p=32#p32", "//f.com/t/?p=33#p33"], ""),
        (["/t/locks/?post=31#31", "/t/boats/?post=32#p32", "/t/weirs/?post=33#p33", "?post=31#post-31"], ""),
    ],
)
def test_a_page_of_messages_of_others_is_an_index(links: list[str], sign: str) -> None:
    own = MESSAGES.format(31, "") if len(links) > 3 else ""
    body = own + "".join(LINKED.format(link, SAID) for link in links)
    found = analyse(f"<h1>Ann</h1>{body}".encode(), "http://e.com/ann/", tokenizer=make_tokenizer("words"))
    assert listing_sign(found) == sign


def test_a_thread_whose_messages_have_another_path_is_none() -> None:
    own = "".join(MESSAGES.format(n, f"/viewtopic.php?p={n}") for n in (11, 12))
    lists = "".join(LINKED.format(f"/viewtopic.php?p={n}#post-{n}", SAID) for n in (31, 32, 33))
    found = analyse(f"<h1>Locks</h1>{own}{lists}".encode(), "http://e.com/t-3.html", tokenizer=make_tokenizer("words"))
    assert (found.own_messages, found.messages_elsewhere, found.parts) == (2, 3, ())
    assert listing_sign(found) == ""


def test_an_article_beside_the_last_messages_of_its_site_is_none() -> None:
    links = "".join(f'<li><a href="/t/?post={n}#{n}">Re: Locks</a></li>' for n in range(31, 36))
    body = f"<article><h1>Locks</h1><p>{SAID * 9}</p></article><ul>{links}</ul>"
    found = analyse(body.encode(), "http://e.com/ann/", tokenizer=make_tokenizer("words"))
    assert listing_sign(found) == ""


@pytest.mark.parametrize(
    "path", ["/browse", "/browse/?type=author", "/sets/locks/?sort=price-asc", "/locks?c=2&order_by=name"]
)
def test_lists_by_an_order_or_to_browse_are_indexes(path: str) -> None:
    assert listing_sign(page(f"http://e.com{path}")) == "URL"


@pytest.mark.parametrize("path", ["/browse/LOCK-12", "/locks/?resort=1", "/sort/locks/"])
def test_words_of_orders_elsewhere_make_no_index(path: str) -> None:
    assert listing_sign(page(f"http://e.com{path}")) == ""


def test_a_thread_in_another_order_is_none() -> None:
    body = MESSAGES.format(31, "?post=31").encode()
    found = analyse(body, "http://e.com/topic/locks/?sort=new", tokenizer=make_tokenizer("words"))
    assert listing_sign(found) == ""


@pytest.mark.parametrize(
    ("path", "language", "sign"),
    [
        ("/en/", "en", "front page"),
        ("/zh-cn/index.html", "zh", "front page"),
        ("/en-GB", "en", "front page"),
        ("/zh-cn/", "", "front page"),
        ("/faq/", "", ""),
        ("/de/", "en", ""),
        ("/en/locks/", "en", ""),
    ],
)
def test_the_front_page_in_the_language_of_a_page(path: str, language: str, sign: str) -> None:
    name = {"zh": "船闸的木门", "": "12345"}.get(language, "The gate of the lock")
    links = "".join(f'<a href="/p{n}.html">{name}</a> ' for n in range(12))
    html = f'<html lang="{language}"><h1>{name}</h1>{links}'.encode()
    assert listing_sign(analyse(html, f"http://e.com{path}", tokenizer=make_tokenizer("words"))) == sign


@pytest.mark.parametrize(("sentences", "sign"), [(9, ""), (3, "headings")])
def test_an_article_above_related_ones_is_no_index(sentences: int, sign: str) -> None:
    related = "".join(f'<h3><a href="/{name}/">The {name}</a></h3><p>Some words.</p>' for name in ("weir", "towpath"))
    body = f"<main><article><h1>Locks</h1><p>{SAID * sentences}</p></article><section>{related}</section></main>"
    found = analyse(body.encode(), "http://e.com/locks/", tokenizer=make_tokenizer("words"))
    assert listing_sign(found) == sign
