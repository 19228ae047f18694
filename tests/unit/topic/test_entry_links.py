"""Pages that are lists of links to others of their site."""

from __future__ import annotations

import time

import pytest

from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.site import LEAST_PAGES, SiteMemory
from focuscrawl.text.tokenize import make_tokenizer
from focuscrawl.topic.listing import listing_sign

TOKENIZER = make_tokenizer("words")
SUBJECTS = (
    "The lower gate is stuck",
    "A winch for the weir",
    "Ice on the sill",
    "Who paints the boats",
    "Low water in May",
)
SIGN = "list of links"
TEXT = "<p>" + 40 * "The lower gate of our lock sticks at half height since the frost came. " + "</p>"


def analysed(body: str, number: int = 3) -> PageAnalysis:
    html = f"<title>The list by date</title><h1>The list by date</h1>{body}"
    return analyse(html.encode(), f"http://lists.example/lock/index{number}.html", tokenizer=TOKENIZER)


def messages(count: int = 12, beside: str = "<em>From</em>: Ann Lee &lt;ann@lock.example&gt;") -> list[str]:
    return [
        f"<li><b><a href=m{number}.html>Re: {SUBJECTS[number % 5]}</a></b><ul><li>{beside}</li></ul></li>"
        for number in range(count)
    ]


def test_a_list_of_messages_with_their_senders_is_an_index() -> None:
    assert listing_sign(analysed(f"<ul>{''.join(messages())}</ul>")) == SIGN


def test_messages_at_the_depth_of_their_threads_are_one_list() -> None:
    tree = "".join(
        f"<ul><li><b><a href=m{number}.html>{SUBJECTS[number % 5]}</a></b>, <em>Ann</em>" for number in range(12)
    )
    assert listing_sign(analysed(tree)) == SIGN


def test_a_table_of_reports_is_an_index() -> None:
    rows = "".join(
        f"<tr><td>{n}</td><td>Bug</td><td>New</td><td><a href=/bugs/{n}>{SUBJECTS[n % 5]}</a></td><td>2021</td></tr>"
        for n in range(12)
    )
    assert listing_sign(analysed(f"<table>{rows}</table>")) == SIGN


@pytest.mark.parametrize(
    "body",
    [
        f"<ul>{''.join(messages(9))}</ul>",
        f"<ul>{''.join(messages(6))}</ul>{TEXT}<ul>{''.join(messages(12)[6:])}</ul>",
        f"{TEXT}<ul>{''.join(messages())}</ul>",
        f"<ul>{''.join(messages(beside=30 * 'so we tried again and '))}</ul>",
        "<ul>" + "".join(f"<li><a href=/u/{n}>Reply</a> <i>said so</i></li>" for n in range(12)) + "</ul>",
        "<ul>" + "".join(f"<li><a href=#s{n}>{SUBJECTS[n % 5]}</a></li>" for n in range(12)) + "</ul>",
        "<ul>" + "".join(f"<li><a href=http://h{n}.example/>{SUBJECTS[n % 5]}</a></li>" for n in range(12)) + "</ul>",
        "".join(f"<p>We saw <a href=w{n}>{SUBJECTS[n % 5]}</a> and went on to the next lock.</p>" for n in range(12)),
    ],
    ids=["few", "menus", "related", "posts", "buttons", "contents", "other sites", "sentences"],
)
def test_what_else_has_many_links_is_none(body: str) -> None:
    assert listing_sign(analysed(body)) == ""


def test_a_line_beside_the_entries_that_all_indexes_of_the_site_repeat_counts_for_them() -> None:
    sites = SiteMemory(TOKENIZER)
    for number in range(LEAST_PAGES + 1):
        view = sites.own(analysed(f"<p>{SUBJECTS[number % 5]}</p><ul>{''.join(messages())}</ul>", number))
    assert view.site_wide.blocks
    view = sites.own(analysed(f"<ul>{''.join(messages(30)[15:])}</ul>", LEAST_PAGES + 1))
    assert listing_sign(view) == SIGN


def test_a_page_of_many_links_is_looked_through_quickly() -> None:
    page = analysed(f"<ul>{''.join(messages(20_000))}</ul>")
    begun = time.process_time()
    listing_sign(page)
    assert time.process_time() - begun < 1.0
