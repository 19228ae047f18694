"""The fixed-weight mix."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from link_kit import HandTopic, block, judged, link, page

from focuscrawl.errors import ConfigError
from focuscrawl.page.model import PageKind
from focuscrawl.ranking.heuristic import WEIGHTS, Heuristic, graded
from focuscrawl.scoring.base import PageScorer
from focuscrawl.scoring.quality import make_quality
from focuscrawl.scoring.relevance import make_rw
from focuscrawl.types import Explained

TOPIC = HandTopic()
SCORERS = PageScorer({"rw": make_rw(), "quality": make_quality()})


def rank(links, here=None, relevance=0.0, **options):
    here = here or page()
    return Heuristic(TOPIC, **options).rank(judged(here, relevance), links, SCORERS.score(links, here, TOPIC))


def values(*links, here=None):
    return [r.score.value for r in rank(list(links), here)]


def test_default_weights_sum_to_1_and_need_registered_scorers_only():
    assert math.fsum(WEIGHTS.values()) == pytest.approx(1.0, abs=1e-12)
    assert set(Heuristic(TOPIC).needs) == {"rw", "quality"}


def test_parts_times_weights_are_the_score():
    here = page(title="chess", blocks=[block(0, -1, "chess", boilerplate=True)])
    links = [link("http://f.org/chess", "rook", around="board chess", block=0), link("http://e.com/2", "opening")]
    ranker = Heuristic(TOPIC)
    for ranked in ranker.rank(judged(here), links, SCORERS.score(links, here, TOPIC)):
        total = math.fsum(ranker.weights[part] * value for part, value in ranked.score.parts.items())
        assert total == ranked.score.value


def test_topic_word_in_the_link_outweighs_everything_else():
    here = page(title="chess", blocks=[block(0, -1, "nav", boilerplate=True)])
    worst_match = link("http://e.com/1", "chess", block=0)
    best_other = link("http://f.org/2", "weather", around="chess board")
    match, other = values(worst_match, best_other, here=here)
    assert match > other


def test_more_and_heavier_topic_words_say_more():
    heavy, both, light, none = values(
        link("http://e.com/1", "chess"), link("http://e.com/2", "chess rook"), link("http://e.com/3", "rook"), link()
    )
    assert both > heavy > light > none


def test_word_in_anchor_and_url_counts_once():
    assert values(link("http://e.com/chess", "chess")) == values(link("http://e.com/1", "chess"))


def test_links_without_evidence_share_one_score_so_that_discovery_decides():
    plain = [link(f"http://e.com/{i}", "weather") for i in range(5)]
    assert len({id(r.score) for r in rank(plain)}) == 1
    assert len({r.score.value for r in rank(plain, relevance=0.9)}) == 1


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (link("http://f.org/1", "x"), link("http://e.com/1", "x")),  # another host
        (link(anchor="x", around="chess"), link(anchor="x")),  # words beside it
        (link(anchor="opening"), link(anchor="x")),  # related words
        (link(anchor="x"), link(anchor="x", block=0)),  # outside navigation
        (link("http://e.com/p"), link("http://e.com/login")),  # no machinery
    ],
)
def test_each_piece_of_evidence_raises_the_score(better, worse):
    here = page(blocks=[block(0, -1, "nav", boilerplate=True)])
    high, low = values(better, worse, here=here)
    assert high > low


def test_links_of_a_page_titled_on_the_topic_are_better():
    assert values(link(), here=page(title="all about chess")) > values(link(), here=page(title="weather"))


def test_files_are_refused():
    ranked = rank([link("http://e.com/chess.jpg", "chess"), link("http://e.com/chess")])
    assert [r.keep for r in ranked] == [False, True]


def test_failed_quality_scorer_refuses_nothing():
    links = [link("http://e.com/1", "chess")]
    failed = {"rw": [Explained(0.0)], "quality": [Explained(0.0, reason="scorer quality failed")]}
    assert Heuristic(TOPIC).rank(judged(), links, failed)[0].keep


def test_without_the_quality_scorer_nothing_is_refused_and_every_address_counts():
    picture, login = link("http://e.com/chess-club.jpg"), link("http://e.com/login?next=/chess")
    ranked = Heuristic(TOPIC, weights={"quality": 0.0}).rank(judged(), [picture, login], {"rw": [Explained(0.0)] * 2})
    assert [(place.keep, place.score.parts["words"]) for place in ranked] == [(True, 0.8), (True, 0.8)]


def test_group_is_the_section():
    assert [r.group for r in rank([link("http://e.com/a/b"), link("http://e.com/x")])] == ["e.com/a/", "e.com"]


def test_weights_of_the_topic_file_replace_and_add_parts():
    ranker = Heuristic(TOPIC, weights={"dom": 0.5, "rw": 0.0, "parent": 0.5})
    assert set(ranker.needs) == {"dom", "quality"}
    assert math.fsum(ranker.weights.values()) == pytest.approx(1.0)
    scores = {"dom": [Explained(0.4)], "quality": [Explained(1.0)]}
    [ranked] = ranker.rank(judged(relevance=0.7), [link()], scores)
    assert ranked.score.parts["dom"] == 0.4
    assert ranked.score.parts["parent"] == 0.7


@pytest.mark.parametrize("weights", [{"words": -1.0}, {"rw": float("nan")}, dict.fromkeys(WEIGHTS, 0.0)])
def test_wrong_weights_are_refused(weights):
    with pytest.raises(ConfigError, match=r"\[scorers"):
        Heuristic(TOPIC, weights=weights)


def test_grade_of_no_words_is_0():
    assert graded((), {}) == 0.0


def test_a_word_of_the_title_counts_in_a_link_and_more_in_a_listing_it_names():
    topic = HandTopic(own_words={"science": 0.5})
    here = page()
    links = [
        link("http://e.com/categories/science/", "Science"),
        link("http://e.com/categories/science/page/7/", "7"),
        link("http://e.com/1", "a headline on science and much else to read"),
        link("http://e.com/2", "weather"),
    ]
    named, further, headline, other = Heuristic(topic).rank(judged(here), links, SCORERS.score(links, here, topic))
    assert named.score.value == further.score.value > headline.score.value > other.score.value
    assert named.score.parts["words"] == pytest.approx(0.9)
    assert "named by the topic: science" in named.score.reason


def test_what_stands_on_a_listing_that_the_topic_names_is_next_to_named_links():
    topic = HandTopic(own_words={"science": 0.5})
    links = [link("http://e.com/posts/17ea", "Why the sky is blue"), link("http://other.org/posts/17ea", "Elsewhere")]

    def ranked(url, kind, anchor=""):
        here = replace(page(url), kind=kind)
        return Heuristic(topic).rank(judged(here, anchor=anchor), links, SCORERS.score(links, here, topic))

    inside, outside = ranked("http://e.com/tags/science/page/2/", PageKind.OTHER)
    assert inside.score.parts["words"] == pytest.approx(0.6 * 0.9)
    assert "on a listing that the topic names: science" in inside.score.reason
    assert "words" not in outside.score.parts, "another site's page is not filed there"
    by_text, _ = ranked("http://e.com/c/7/", PageKind.HUB, "Science")
    assert by_text.score.value == inside.score.value == by_text.without_anchor
    for url, kind in (("http://e.com/tags/history/page/2/", PageKind.HUB), ("http://e.com/science/", PageKind.ARTICLE)):
        assert "words" not in ranked(url, kind, "History")[0].score.parts


def test_of_posts_shown_in_full_below_a_tag_that_the_topic_names_the_titles_are_listed():
    topic = HandTopic(own_words={"science": 0.5})
    title = replace(link("http://e.com/posts/17ea", "Why the sky is blue"), dom_path=("html", "body", "h2", "a"))
    date = replace(link("http://e.com/2026/", "2026"), dom_path=("html", "body", "p", "a"))

    def ranked(url):
        here = replace(page(url), kind=PageKind.MULTI_BODY)
        return Heuristic(topic).rank(judged(here), [title, date], SCORERS.score([title, date], here, topic))

    of_title, of_date = ranked("http://e.com/tags/science/")
    assert of_title.score.parts["words"] == pytest.approx(0.6 * 0.9)
    assert "on a listing that the topic names: science" in of_title.score.reason
    assert "words" not in of_date.score.parts
    assert "words" not in ranked("http://e.com/tags/history/")[0].score.parts
    assert "words" not in ranked("http://e.com/science/")[0].score.parts, "an article links to others of its site"


def test_a_link_that_says_more_than_its_listing_keeps_its_own_words():
    topic = HandTopic(own_words={"science": 0.5})
    here = page("http://e.com/tags/science/page/2/")
    links = [link("http://e.com/tags/science/page/3/", "3"), link("http://e.com/1", "rook chess science")]
    further, own = Heuristic(topic).rank(judged(here), links, SCORERS.score(links, here, topic))
    assert further.score.parts["words"] == pytest.approx(0.9)
    assert own.score.parts["words"] > 0.6 * 0.9
    assert "listing" not in own.score.reason


def test_words_in_addresses_of_the_machinery_say_nothing():
    share, login, view = rank(
        [
            link("http://blogs.example/abuse?report_url=http://e.com/a/chess", "Report this"),
            link("http://e.com/login?next=chess", "Log in"),
            link("http://e.com/view?page=chess", "View"),
        ],
        page("http://e.com/a/chess"),
    )
    assert "words" in view.score.parts
    assert "words" not in share.score.parts
    assert "words" not in login.score.parts
    assert login.score.value < view.score.value
