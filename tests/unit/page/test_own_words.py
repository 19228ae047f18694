"""Headings and tags that are a page's own, told from the titles of other pages it links to."""

from __future__ import annotations

import pytest

from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.site import SiteMemory
from focuscrawl.page.tags import tag_words
from focuscrawl.text.tokenize import make_tokenizer
from focuscrawl.topic.evidence import evidence_of, own_terms
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.spec import TopicSpec

TOKENIZER = make_tokenizer("en")
TOPIC = fit_topic(TopicSpec.model_validate({"name": "tea", "terms": {"teapot": 1.0, "green tea": 1.0}}))


def page(body: str, *, title: str = "A day out", number: int = 0) -> PageAnalysis:
    html = f"<title>{title}</title>{body}"
    return analyse(html.encode(), f"http://blog.example/p{number}", tokenizer=TOKENIZER)


@pytest.mark.parametrize(
    ("heading", "own"),
    [
        ("<h2>Teapot made</h2>", True),
        ("<h2><a href=/p0>Teapot made</a></h2>", True),  # to itself
        ("<h2><a href=#made>Teapot made</a></h2>", True),
        ("<h2><a href=/p7>Teapot made</a></h2>", False),
        ("<h2><a href=http://other.example/>Teapot</a> made</h2>", False),
        ("<h2>Teapot <a href=/p7>made</a></h2>", True),
    ],
)
def test_a_heading_that_links_to_another_page_is_that_page_s(heading: str, own: bool) -> None:
    found = page(f"{heading}<p>We went out, and it rained all day long.</p>")
    assert ("teapot" in found.heading_tokens) is own
    assert found.headings == ("Teapot made",)  # what is shown stays as it is
    assert "teapot" in found.tokens


def test_a_linked_heading_that_says_what_the_title_says_is_the_page_s() -> None:
    found = page("<h1><a href=/posts/teapot>Teapot made</a></h1>", title="Teapot made | A blog")
    assert found.heading_tokens == tuple(TOKENIZER.tokens("Teapot made"))


def test_own_headings_stay_when_what_the_host_repeats_goes() -> None:
    sites = SiteMemory(TOKENIZER)
    words = ["oak", "ash", "elm", "fir", "yew", "box", "bay", "fig"]
    for number, word in enumerate(words):
        related = f"<h3><a href=/p{number + 40}>Teapot of {word}</a></h3>"
        body = f"<div><h4>Recent posts here</h4></div><h2>The {word}</h2><p>It is a {word} indeed.</p>{related}"
        view = sites.own(page(body, number=number))
    assert view.site_wide.known
    assert view.heading_tokens == tuple(TOKENIZER.tokens("The fig"))


TAGS = "<p>Tags: <a rel=tag href=/x>teapot</a>, <a href=/tag/green-tea>green tea</a></p>"


def test_tags_are_told_from_other_links() -> None:
    found = page(f"<p>It rained all day long.</p>{TAGS}<p><a href=/p9>Teapot shop</a> and more</p>")
    assert tag_words(found) == tuple(TOKENIZER.tokens("teapot green tea"))
    evidence = evidence_of(found, TOPIC)
    assert evidence["tags"] == {"teapot": 1, "green tea": 1}
    assert evidence["links"] == {"teapot": 1}
    assert own_terms(evidence, TOPIC) == 2


def test_words_beside_the_stored_text_are_told() -> None:
    teaser = "<div><h3><a href=/p9>Tea</a></h3><p>A teapot of green tea, and a teapot again.</p></div>"
    found = page(f"<h2>Teapot made</h2><p>It rained all day long, and the teapot broke.</p>{teaser}")
    stored = (found.title_tokens, TOKENIZER.tokens("It rained all day long, and the teapot broke."))
    evidence = evidence_of(found, TOPIC, text=stored)
    assert evidence["text"] == evidence["headings"] == {"teapot": 1}
    assert evidence["links"] == {"teapot": 2, "green tea": 1}
    assert own_terms(evidence, TOPIC) == 1


def test_evidence_outside_links_is_no_evidence_of_links() -> None:
    found = page("<p>A teapot, and green tea in the teapot.</p><p><a href=/p9>Teapot shop</a></p>")
    assert evidence_of(found, TOPIC) == {"text": {"teapot": 2, "green tea": 1}, "links": {"teapot": 1}}


def test_evidence_of_title_and_text_is_that_of_what_is_stored() -> None:
    found = page("<p>A teapot in the rain.</p>", title="Green tea and a teapot")
    stored = TOKENIZER.tokens("Green tea"), TOKENIZER.tokens("It rained.")
    assert evidence_of(found, TOPIC, text=stored) == {"title": {"green tea": 1}, "links": {"teapot": 1}}


def test_a_block_with_other_links_is_no_list_of_tags() -> None:
    mixed = "<p>It rained all day long.</p><p><a rel=tag href=/x>teapot</a> <a href=/p9>Why a teapot breaks</a></p>"
    assert tag_words(page(mixed)) == ()
    assert own_terms(evidence_of(page(mixed), TOPIC), TOPIC) == 0


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        (("4", "10", "12"), "green tea"),
        (("(4)", "(10)", "(2)"), "green tea"),
        (("4", "", "9"), None),
        (("2013", "2014", "2015"), None),
    ],
)
def test_tags_with_their_numbers_of_pages_are_a_list_of_the_site(
    counts: tuple[str, str, str], found: str | None
) -> None:
    names = [f"{name} {count}".strip() for name, count in zip(("teapot", "fig", "plum"), counts, strict=True)]
    items = "".join(f"<li><a href=/categories/{n}/>{name}</a></li>" for n, name in enumerate(names))
    words = tag_words(page(f"<p>Tags: <a href=/tag/green-tea>green tea</a></p><ul>{items}</ul>"))
    assert words == tuple(TOKENIZER.tokens(found if found is not None else " ".join(["green tea", *names])))


def test_a_cloud_of_tags_on_the_first_page_of_a_host_is_nobody_s_word() -> None:
    cloud = "".join(f"<a rel=tag href=/tag/{n}>tag{n}</a> " for n in range(30))
    found = page(f"{TAGS}<p>{cloud}</p>")
    assert not found.site_wide.known
    assert tag_words(found) == ()
