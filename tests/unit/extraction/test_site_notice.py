from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.extraction import site_notice
from focuscrawl.extraction.base import Extraction
from focuscrawl.extraction.router import RouterExtractor
from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer

TOKENIZER = make_tokenizer("words")
RIGHTS = "版权所有 © 2024 运河网 京ICP备12345678号-1 京公网安备 11010802020134号"
PLACE = "地址：杭州市西湖区龙井路1号 电话：0571-8888888"
MENU = '<div class="nav"><a href="/">首页</a> <a href="/list.html">文章</a> <a href="/about.html">关于我们</a></div>'
LINKS = "".join(f'<li><a href="/a/{n}.html">{n}号船闸</a></li>' for n in range(9))


def extract(body: str, footer: str) -> Extraction:
    html = f'<meta charset="utf-8"><title>通知 - 运河网</title>{MENU}{body}{footer}'
    found = RouterExtractor().extract(analyse(html.encode(), "http://a.example/1.html", tokenizer=TOKENIZER))
    assert found is not None
    return found


@pytest.mark.parametrize(
    "footer",
    [
        f'<div class="footer"><p>{RIGHTS}</p><p>{PLACE}</p></div>',
        f"<footer><p>{RIGHTS}</p><p>{PLACE}</p></footer>",
        f'<div role="contentinfo">{RIGHTS}<br>{PLACE}</div>',
        f'<div id="copyright"><p>Copyright © 2024 Canal News</p><p>{PLACE}</p></div>',
    ],
)
@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<h1>通知</h1><p>船闸周一关闭。</p>", "船闸周一关闭。"),
        ('<h1>船闸的照片</h1><img src="/a.jpg">', "船闸的照片"),
        # Links alone may be no main content at all.
        (f'<div class="list"><h2>船闸</h2><ul>{LINKS}</ul></div>', ""),
    ],
)
def test_a_short_page_has_no_footer_for_its_text(body: str, text: str, footer: str) -> None:
    found = extract(body, footer).text
    assert text in found
    for other in ("©", "ICP", "公网安备", "0571"):
        assert other not in found


@pytest.mark.parametrize("name", ["REGISTERED", "RIGHTS"])
@given(data=st.data())
def test_no_notice_is_passed_over_for_want_of_its_words(name: str, data: st.DataObject) -> None:
    pattern: re.Pattern[str] = getattr(site_notice, f"_{name}")
    assert site_notice._may_be_notice(data.draw(st.from_regex(pattern)))


def test_a_registration_number_is_no_text_wherever_it_stands() -> None:
    found = extract("<h1>通知</h1><p>船闸周一关闭，周二开放。</p>", f"<center>{RIGHTS}</center>").text
    assert "ICP" not in found
    assert "周二开放" in found


def test_what_an_article_says_of_rights_and_of_registration_stays() -> None:
    sentences = (
        "备案号必须放在首页的底部，写成京ICP备12345678号的样子，并且链接到主管部门的网站。",
        "© 这个符号表示版权所有，一九五二年的公约规定了它的写法，今天大多数国家已经不再要求。",
        "没有备案的网站会被接入商关闭，重新开通要等二十个工作日，所以应当尽早提交材料。",
    )
    body = "".join(f"<p>{sentence}</p>" for sentence in sentences)
    found = extract(f"<article><h1>备案指南</h1>{body}<footer><p>{sentences[1]}</p></footer></article>", "").text
    for sentence in sentences:
        assert sentence in found


MOTTO = "一条船，一条河，一个人慢慢地走。"
POSTS = '<h2>船闸 标签</h2><div class="post"><a href="/a/1.html">冬天的船闸</a> <time>10-08</time></div>'


@pytest.mark.parametrize("name", ["site-description", "site-subtitle animated", "site-tagline"])
@pytest.mark.parametrize("inner", ["{}", "<p>{}</p>"])
def test_the_motto_of_a_site_is_no_text_of_a_page_with_hardly_any(name: str, inner: str) -> None:
    motto = f'<div class="{name}">{inner.format(MOTTO)}</div>'
    assert MOTTO in extract(POSTS, motto.replace(name, "words")).text
    assert MOTTO not in extract(POSTS, motto).text


def test_what_a_page_says_of_many_sites_is_its_text() -> None:
    said = '<p class="site-description">{n}号船闸的网站写了河上的船和岸上的人，每周更新一次。</p>'
    sites = "".join(f'<div class="entry"><h3>{n}号船闸</h3>{said.format(n=n)}</div>' for n in range(3))
    assert "2号船闸的网站写了" in extract(f"<h1>船闸的网站</h1>{sites}", "").text


def test_a_long_description_of_a_site_stays() -> None:
    long = "".join(f"第{n}年，船工们在河边修起了一座木头的船闸，水涨的时候开门，水落的时候关门。" for n in range(8))
    assert long in extract("<h1>关于本站</h1>", f'<div class="site-description">{long}</div>').text
