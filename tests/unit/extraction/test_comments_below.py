from __future__ import annotations

import pytest
from cpu_kit import cpu_limit

from focuscrawl.extraction.router import RouterExtractor
from focuscrawl.page.analysis import analyse
from focuscrawl.text.tokenize import make_tokenizer

TOKENIZER = make_tokenizer("words")
TEXT = (
    "<p>The lock at the mill was built in 1871, and for a century it was worked by hand, winter and summer.</p>"
    "<p>Today a motor turns the gates, yet the keeper still walks over the planks twice a day to look at them.</p>"
    "<p>In spring the water stands so high that the lower gate is left open, and boats pass without a stop.</p>"
)
SHORT = "<p>The lock at the mill was built in 1871, and for a century it was worked by hand, winter and summer.</p>"
FIRST = "I have passed this lock every summer for eleven years, and never once saw the lower gate open."
SECOND = "My grandfather was the keeper there until the motor came, and he told the same story of the spring."


def text_of(body: str, url: str = "http://a.example/lock.html", head: str = "") -> str:
    html = f"<meta charset=utf-8>{head}<title>The lock</title><h1>The lock</h1>{body}"
    found = RouterExtractor().extract(analyse(html.encode(), url, tokenizer=TOKENIZER))
    assert found is not None
    return found.text


def comments(first: str = "Rosa wrote on 15 July 2019:") -> str:
    return (
        f'<div class="c"><p class="w">{first}</p><p>{FIRST}</p></div>'
        f'<div class="c"><p class="w">Jim wrote on 16 July 2019:</p><p>{SECOND}</p></div>'
    )


@pytest.mark.parametrize(
    "title",
    [
        "Comments",
        "2 Comments",
        "Comments (2)",
        "网友评论（2条）",
        "已有 2 条评论",
        "留言",
        "2 thoughts on “The lock”",
        "2 replies on “The lock”",
    ],
)
@pytest.mark.parametrize("around", ["{}", '<div class="pl">{}</div>'])
def test_comments_below_an_article_are_no_part_of_it(title: str, around: str) -> None:
    text = text_of(f'<div class="t">{TEXT}</div>' + around.format(f"<h2>{title}</h2>{comments()}"))
    assert "walks over the planks" in text
    assert FIRST not in text
    assert SECOND not in text


def test_a_heading_of_no_comments_is_no_part_of_the_article_above() -> None:
    assert "Responses" not in text_of(f"<div>{TEXT}<h3>No Responses to “The lock”</h3></div>")


@pytest.mark.parametrize(
    "title",
    [
        "2 replies on “The lock”",
        'One comment on "The lock"',
        "2条回应：“水闸：一座老闸”",
        "一条回应：《水闸》",
        "在〈水閘〉中有 2 則留言",
        "「水閘」有一則迴響",
        "关于“水闸”的2个想法",
    ],
)
def test_a_heading_that_names_the_article_parts_comments_from_a_short_one(title: str) -> None:
    text = text_of(f"<div>{SHORT}</div><h2>{title}</h2>{comments()}")
    assert "worked by hand" in text
    assert FIRST not in text
    assert FIRST in text_of(f"<div>{SHORT}</div><h2>2 comments</h2>{comments()}")


def test_text_below_the_comments_stays() -> None:
    after = "<h2>How to get there</h2><p>Take the road along the canal from the church to the third bridge.</p>"
    text = text_of(f"<div>{TEXT}<h2>Comments</h2>{comments()}{after}</div>")
    assert FIRST not in text
    assert "third bridge" in text


@pytest.mark.parametrize(
    ("title", "first"), [("Comments", "Rosa wrote:"), ("Comment", "15 July 2019"), ("No comment", "15 July 2019")]
)
def test_a_section_on_comments_stays(title: str, first: str) -> None:
    section = f"<h2>{title}</h2><p>{first}</p><p>{FIRST}</p><p>{SECOND}</p>"
    assert FIRST in text_of(f'<div class="article">{TEXT}{section}</div>')


def test_posts_of_a_thread_stay() -> None:
    head = '<script type="application/ld+json">{"@type": "DiscussionForumPosting"}</script>'
    assert FIRST in text_of(f"<div>{TEXT}</div><h2>2 comments</h2>{comments()}", head=head)


def test_comments_are_the_text_where_there_is_no_other() -> None:
    assert FIRST in text_of(f"<p>The lock.</p><h2>2 comments</h2>{comments()}")


def test_time_is_linear_in_headings() -> None:
    with cpu_limit(8.0):
        text_of(f"<div>{TEXT}{'<div><h2>2 comments</h2></div>' * 9000}</div>")


@pytest.mark.parametrize("count", ["2 comments", "Comments (2)", "2 Comments on The lower gate"])
def test_a_link_with_the_number_of_comments_of_a_listed_post_is_no_heading_of_comments(count: str) -> None:
    first = f'<article><h2><a href="/lock">The old lock</a></h2><div class="entry">{TEXT}</div></article>'
    head = f'<h2><a href="/gate">The lower gate</a></h2><ul><li><a href="/gate#comments">{count}</a></li></ul>'
    second = f'<article>{head}<div class="entry"><p>{FIRST}</p><p>{SECOND}</p></div></article>'
    text = text_of(first + second, "http://a.example/page/2/")
    assert FIRST in text
    assert SECOND in text
