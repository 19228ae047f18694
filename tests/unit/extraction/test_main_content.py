from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.extraction.base import Extraction
from focuscrawl.extraction.features import line_features
from focuscrawl.extraction.main_content import (
    SURE,
    MainContentExtractor,
    judge_lines,
    page_threshold,
    says_only_article,
    settled,
)
from focuscrawl.extraction.page_type import PAGE_TYPES, PageType
from focuscrawl.extraction.segments import segment
from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer

TOKENIZER = make_tokenizer("words")
SENTENCES = (
    "The keeper of the upper lock has closed its gates for the winter, and boats wait below the weir.",
    "Repairs began on Monday, when divers found that two of the oak beams had split along their length.",
    "Nobody expects the canal to open before the ice has gone, which in this valley may take until March.",
    "A market that stood on the quay for three hundred years has moved to the mill in the meantime.",
)
CHINESE = (
    "上游的船闸入冬以后就关闭了，船只都停在水坝下面，等着开春。",
    "维修从星期一开始，潜水员发现两根橡木横梁已经顺着木纹裂开。",
    "山谷里的冰要到三月才会化完，在那以前没有人指望运河能够通航。",
    "码头上有三百年历史的集市暂时搬到了磨坊，小贩们说生意还过得去。",
)


def extract(html: str, url: str = "http://a.example/news/lock.html") -> Extraction:
    found = MainContentExtractor().extract(analyse(html.encode(), url, tokenizer=TOKENIZER))
    assert found is not None
    return found


def article(sentences: tuple[str, ...], title: str) -> str:
    menu = "".join(f'<li><a href="/{n}">Section {n}</a></li>' for n in range(25))
    related = "".join(f'<li><a href="/r{n}">{sentences[n % 4][:20]}</a></li>' for n in range(12))
    body = "".join(f"<p>{sentences[n % 4]}{sentences[(n + 1) % 4]}</p>" for n in range(8))
    return (
        f"<html><head><title>{title}</title></head><body><div class=nav><ul>{menu}</ul></div><div class=main>"
        f"<h1>{title}</h1><div class=meta>2021-03-04 09:05</div><div class=content>{body}</div>"
        f"<div class=share>分享到：微信 微博</div><div class=related><h3>相关阅读</h3><ul>{related}</ul></div></div>"
        "<div class=footer>Copyright © 2021 Canal News, all rights reserved</div></body></html>"
    )


@pytest.mark.parametrize(("sentences", "title"), [(SENTENCES, "The lock is closed"), (CHINESE, "船闸今年冬天关闭")])
def test_an_article_without_what_stands_around_it(sentences: tuple[str, ...], title: str) -> None:
    found = extract(article(sentences, title))
    for sentence in sentences:
        assert sentence in found.text
    for other in ("Section 3", "分享到", "相关阅读", "all rights reserved"):
        assert other not in found.text
    assert found.title == title
    assert found.published == "2021-03-04T09:05"
    assert found.method == "main-content"
    assert 0.5 < found.confidence.value <= 1.0
    assert found.xpaths == ("/html/body/div[2]/div[2]",)


def test_every_post_of_a_thread() -> None:
    posts = "".join(
        f'<div class=post><div class=user><a href="/u{n}">rower{n}</a> joined 2019</div><div class=message>'
        f"<p>{SENTENCES[n % 4]} {SENTENCES[(n + 2) % 4]}</p></div></div>"
        for n in range(7)
    )
    found = extract(f"<title>Winter closing</title><h1>Winter closing</h1>{posts}", "http://forum.example/thread/7")
    assert all(found.text.count(sentence) >= 3 for sentence in SENTENCES)
    assert "joined 2019" not in found.text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00\x01\x02" * 300,
        b"<html></html>",
        b"<frameset><frame src=a></frameset>",
        b"<p>",
        b"<?xml version='1.0'?><rss/>",
    ],
)
def test_bad_input_gives_no_text_and_a_reason(body: bytes) -> None:
    page = analyse(body, "http://a.example/", tokenizer=TOKENIZER)
    found = MainContentExtractor().extract(page)
    if found is None:
        assert page.empty_reason
    else:
        assert found.text == ""
        assert found.confidence.reason


def test_a_hundred_thousand_nested_tags() -> None:
    found = extract("<div>" * 100_000 + SENTENCES[0])
    assert found.confidence.reason


def test_probabilities_are_finite() -> None:
    judged = judge_lines(analyse(article(SENTENCES, "A").encode(), "http://a.example/", tokenizer=TOKENIZER))
    assert judged is not None
    assert np.isfinite(judged.probabilities).all()
    assert len(judged.probabilities) == len(judged.found.lines)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from(["<div>", "</div>", "<p>", "<td>", "<a href=x>", "</a>", "<br>", "<pre>", "船闸。", "lock "])
    )
)
def test_no_markup_raises(parts: list[str]) -> None:
    page = analyse(("<html>" + "".join(parts)).encode(), "http://a.example/", tokenizer=TOKENIZER)
    found = MainContentExtractor().extract(page)
    if found is not None:
        assert re.fullmatch(r"(船闸。|lock|[|\s])*", found.text), found.text


def test_threshold_falls_on_pages_without_sure_lines() -> None:
    weights = np.full(4, 30.0, np.float32)
    sure = page_threshold(np.array([0.9, 0.9, 0.1, 0.1], np.float32), weights)
    unsure = page_threshold(np.array([0.3, 0.3, 0.1, 0.1], np.float32), weights)
    assert unsure < 0.3 < sure


def test_the_cut_is_where_the_f1_to_expect_is_greatest() -> None:
    # taken: 1: 2 * .9 / (1 + 1.7) = .67; 2: 2 * 1.4 / (2 + 1.7) = .757; 3: 2 * 1.6 / (3 + 1.7) = .68
    p, weights = np.array([0.9, 0.2, 0.5, 0.1], np.float32), np.ones(4, np.float32)
    cut = page_threshold(p, weights)
    assert (p > cut).tolist() == [True, False, True, False]


@given(st.lists(st.tuples(st.floats(0.125, 0.5625, width=32), st.integers(1, 50)), min_size=1, max_size=7))
def test_no_other_cut_promises_more(lines: list[tuple[float, int]]) -> None:
    p = np.array([one for one, _ in lines], np.float32)
    weights = np.array([one for _, one in lines], np.float32)
    total = float((p * weights).sum())

    def promised(taken: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
        return 2.0 * float((p * weights)[taken].sum()) / (float(weights[taken].sum()) + total)

    assert promised(p > page_threshold(p, weights)) == pytest.approx(max(promised(p >= one) for one in p), rel=1e-5)


def test_doubtful_lines_below_a_sure_article_are_left() -> None:
    p, weights = np.array([0.95, 0.5, 0.5], np.float32), np.array([60.0, 20.0, 20.0], np.float32)
    assert (p > page_threshold(p, weights)).sum() == 3
    assert (p > page_threshold(p, weights, sure_from=SURE)).sum() == 1
    article, about = 1 << PAGE_TYPES.index("article"), 1 << PAGE_TYPES.index("about")
    assert says_only_article(PageType(article, 0, 0))
    assert not says_only_article(PageType(article, about, 0))
    assert says_only_article(PageType(article | about, 0, 0))  # publishers are organisations
    assert not says_only_article(PageType(article, 1 << PAGE_TYPES.index("thread"), 0))


@pytest.mark.parametrize(
    ("classes", "path", "is_list"),
    [
        ("archive date", "/lists/7", True),
        ("home", "/2016/10/", True),
        ("home", "/page/4/", True),
        ("single", "/2016/10/03/lock", False),
    ],
)
def test_a_list_of_posts_is_no_article_whatever_its_posts_say(classes: str, path: str, is_list: bool) -> None:
    post = '<div class="post" itemscope itemtype="http://schema.org/BlogPosting"><h2>The lock</h2><p>{}</p></div>'
    html = f'<title>Posts</title><body class="{classes}">{"".join(map(post.format, SENTENCES))}'
    page = analyse(html.encode(), f"http://a.example{path}", tokenizer=TOKENIZER)
    judged = judge_lines(page)
    assert judged is not None
    assert judged.article is not is_list


def test_a_list_of_posts_keeps_doubtful_posts_below_sure_ones() -> None:
    page = analyse(f"<p>{'</p><p>'.join(SENTENCES)}</p>".encode(), "http://a.example/", tokenizer=TOKENIZER)
    assert page.tree is not None
    found, said = segment(page.tree.root), PageType(1 << PAGE_TYPES.index("article"), 0, 0)
    features = line_features(found, title="")
    p = np.array([0.95, 0.95, 0.95, 0.5], np.float32)
    assert settled(found, p, features, said).threshold > 0.5
    assert settled(found, p, features, said._replace(archive=True)).threshold < 0.5
