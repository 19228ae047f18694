"""The DOM-tree scorer (docs/formulas.md D)."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_kit import HandTopic, block, link, page

from focuscrawl.errors import ConfigError
from focuscrawl.scoring import dom
from focuscrawl.scoring.dom import DomParams, dom_scores, idf, make_dom, norm, parent_share, sim_v
from focuscrawl.text.distance import sim_l

TOPIC = HandTopic()


def test_idf_worked_example():
    assert 3 * idf(100, 10) == pytest.approx(6.910754, abs=1e-6)
    assert idf(100, 0) == 0.0
    assert idf(10, 20) == 0.0  # never below 0


def test_cosine_worked_example():
    query = {"A": 1, "B": 1}
    assert sim_v(query, {"A": 2, "C": 1}, query_norm=norm(query)) == pytest.approx(0.632456, abs=1e-6)
    assert sim_v({}, {"A": 1}, query_norm=0.0) == 0.0


def test_parent_share_worked_example():
    assert [parent_share(k) for k in (1, 2, 4, 8)] == pytest.approx([0.5, 0.25, 0.166667, 0.125], abs=1e-6)


@pytest.mark.parametrize(("siblings", "expected"), [(4, 0.454167), (2, 0.46875)])
def test_rules_1_to_3_worked_example(monkeypatch, siblings, expected):
    # simV 0.6 and simL 0.25 give 0.425; the title's 0.8 and the top text's 0.4 give the top 0.6.
    def similarity(self, tokens):
        return {
            ("title",): dom.BlockScore(0.8),
            ("top",): dom.BlockScore(0.4),
            ("child",): dom.BlockScore(0.5 * 0.6 + 0.5 * 0.25, 0.6, 0.25),
        }[tokens]

    monkeypatch.setattr(dom._Page, "similarity", similarity)
    here = page(title="title", blocks=[block(0, -1, "top"), block(1, 0, "child", siblings=siblings)])
    top, child = dom_scores(here, TOPIC)
    assert top.value == pytest.approx(0.6)
    assert child.value == pytest.approx(expected, abs=1e-6)


def test_without_a_title_the_top_is_its_own_text():
    here = page(blocks=[block(0, -1, "chess rook")])
    assert dom_scores(here, TOPIC)[0].value == pytest.approx(0.5 * dom_scores(here, TOPIC)[0].vsm + 0.5)


def test_links_get_the_score_of_their_block():
    blocks = [block(0, -1, "all about"), block(1, 0, "chess rook", siblings=2), block(2, 0, "weather", siblings=2)]
    here = page(title="news", blocks=blocks)
    links = [link(block=1), link(block=2), link(block=-1), link(block=99)]
    values = [s.value for s in make_dom().score(links, here, TOPIC)]
    assert values[0] > 0.5
    assert values[1:] == [0.0, 0.0, 0.0]


def test_link_outside_all_blocks_has_the_title_only():
    here = page(title="chess rook", blocks=[block(0, -1, "weather")])
    [outside] = make_dom().score([link(block=-1)], here, TOPIC)
    assert outside.value == pytest.approx(0.5 * dom._Page(here, TOPIC, DomParams()).similarity(("chess", "rook")).value)


def test_title_reaches_all_blocks_below():
    blocks = [block(0, -1, "weather"), block(1, 0, "more weather", siblings=3)]
    top, child = dom_scores(page(title="chess", blocks=blocks), TOPIC)
    assert top.value > child.value > 0.0


def test_fewer_siblings_take_more_from_the_parent():
    def child(siblings):
        blocks = [block(0, -1, "chess"), block(1, 0, "weather", siblings=siblings)]
        return dom_scores(page(blocks=blocks), TOPIC)[1].value

    assert child(1) > child(2) > child(8) > 0.0


words = st.sampled_from(["chess", "rook", "board", "a", "b", "c"])
texts = st.lists(words, max_size=8).map(" ".join)


@given(texts, st.lists(st.tuples(texts, st.integers(0, 5), st.integers(1, 9)), max_size=6))
def test_scores_agree_with_a_plain_reading_of_the_rules(title, raw):
    blocks = [block(i, min(up, i) - 1, text, siblings=k) for i, (text, up, k) in enumerate(raw)]
    here = page(title=title, blocks=blocks)
    docs = [set(b.tokens) for b in blocks] + [set(here.title_tokens)]

    def similarity(tokens):
        n = {t: sum(t in d for d in docs) for t in tokens}
        vector = {t: f * max(0.0, math.log(len(docs) / n[t] + 0.01)) for t, f in Counter(tokens).items()}
        dot = sum(vector.get(t, 0.0) * v for t, v in TOPIC.expanded.items())
        norms = math.hypot(*vector.values()) * math.hypot(*TOPIC.expanded.values())
        return 0.5 * (dot / norms if norms else 0.0) + 0.5 * sim_l(TOPIC.query, tokens, alpha=5)

    def score(b):
        own = similarity(b.tokens)
        if b.parent < 0:
            return 0.5 * own + 0.5 * similarity(here.title_tokens) if here.title_tokens else own
        w = 0.5 / (1 + math.log2(b.siblings))
        return (1 - w) * own + w * score(blocks[b.parent])

    got = dom_scores(here, TOPIC)
    # A text that shares only words of the expansion has no query word and so no simL; one of "board" alone counts.
    assert [s.value for s in got] == pytest.approx([score(b) for b in blocks], abs=1e-9)
    assert all(0.0 <= s.value <= 1.0 for s in got)


@pytest.mark.parametrize("options", [{"beta": 1.1}, {"mu": -0.1}, {"w0": "half"}, {"alpha": 0}, {"alpha": 1.5}])
def test_wrong_options_are_refused(options):
    with pytest.raises(ConfigError, match=r"\[scorers\.dom\]"):
        make_dom(**options)
