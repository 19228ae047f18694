"""InfoSpiders (docs/formulas.md J.7)."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_kit import HandTopic, judged, link, page

from focuscrawl.lab.strategies.infospiders import (
    BETA,
    COST,
    Agent,
    InfoSpiders,
    link_inputs,
    places_of_links,
)

WORDS = ["chess", "rook", "a", "b", "c"]
texts = st.lists(st.sampled_from(WORDS), max_size=40)


def test_gumbel_lots_choose_in_those_shares():
    """The link of the highest score is followed as often as the softmax says."""
    outs = [0.9, 0.1]
    topic = HandTopic()
    first = 0
    for seed in range(2000):
        spiders = InfoSpiders(topic, seed=seed)
        spiders.agents.append(Agent(1.0, {"chess": 1.0}))
        links = [link(f"http://e.com/{i}") for i in range(2)]
        ranked = [
            spiders.rank(judged(page("http://e.com/", text=word)), [one], {})[0].score.parts["lot"]
            for one, word in zip(links, ("a", "b"), strict=True)
        ]
        values = [BETA * out - math.log(-math.log(lot)) for out, lot in zip(outs, ranked, strict=True)]
        first += values[0] > values[1]
    share = math.exp(BETA * 0.9) / (math.exp(BETA * 0.9) + math.exp(BETA * 0.1))
    assert share == pytest.approx(0.916827, abs=1e-6)
    assert first / 2000 == pytest.approx(share, abs=0.02)


def brute(links, tokens, keywords):
    out = []
    for one, start in zip(links, places_of_links(links, tokens), strict=True):
        end = start + max(1, len(one.anchor_tokens)) - 1
        inputs = {}
        for at, token in enumerate(tokens):
            distance = 0 if start <= at <= end else min(abs(at - start), abs(at - end))
            if token in keywords and distance <= 100:
                inputs[token] = inputs.get(token, 0.0) + 1.0 / max(1, distance)
        out.append(inputs)
    return out


@given(texts, st.lists(st.sampled_from(WORDS), max_size=3))
def test_inputs_are_sums_over_occurrences(tokens, anchors):
    links = [link(f"http://e.com/{i}", word, position=i, n_links=len(anchors)) for i, word in enumerate(anchors)]
    expected = brute(links, tokens, ["chess", "rook"])
    for inputs, wanted in zip(link_inputs(links, tokens, ["chess", "rook"]), expected, strict=True):
        assert inputs == pytest.approx(wanted)


def test_links_are_found_where_they_stand():
    tokens = ["home", "news", "chess", "club", "meets", "news", "rook"]
    links = [
        link("http://e.com/1", "home", position=0, n_links=4),
        link("http://e.com/2", "chess club", position=1, n_links=4),
        link("http://e.com/3", "news", position=2, n_links=4),  # the second one: links stand in order
        link("http://e.com/4", "", position=3, n_links=4),
    ]
    assert places_of_links(links, tokens) == [0, 2, 5, 5]


def spiders():
    ranker = InfoSpiders(HandTopic())
    place = ranker.seed(1, "http://e.com/", "e.com")
    assert place.group == "agent|0"
    assert set(ranker.agents[0].weights) == {"chess", "rook"}
    return ranker


def fetch(ranker, relevance, *, text="", group="agent|0", **changes):
    here = judged(page("http://e.com/p", text=text), relevance, group=group, **changes)
    ranker.observe(here)
    return here


def test_links_beside_keywords_are_estimated_higher():
    ranker = spiders()
    here = fetch(ranker, 0.5, text="chess here " + "word " * 300 + "there")
    near = link("http://e.com/1", "here", position=0, n_links=2)
    far = link("http://e.com/2", "there", position=1, n_links=2)
    one, two = ranker.rank(here, [near, far], {})
    assert one.score.parts["estimate"] > 0.5 == two.score.parts["estimate"]
    assert one.inherit == {"chess": 1.0}
    assert two.inherit == {}


def test_energy_falls_until_the_agent_dies_and_lives_again():
    ranker = spiders()
    for _ in range(9):
        fetch(ranker, 0.0)
    assert ranker.offsets() == {}
    assert ranker.agents[0].energy == pytest.approx(1.0 - 9 * COST)
    while ranker.agents[0].alive:
        fetch(ranker, 0.0)
    assert ranker.offsets() == {"agent|0": -1.0}
    fetch(ranker, 0.9)  # nothing else was left
    assert ranker.agents[0].energy == pytest.approx(1.0 + 0.9 - COST)
    assert ranker.offsets() == {"agent|0": 0.0}


def test_rich_agents_split_and_the_child_learns_a_word():
    ranker = spiders()
    fetch(ranker, 0.9)
    here = fetch(ranker, 0.9, text="castle castle tower chess")
    links = [link(f"http://e.com/{i}") for i in range(40)]
    groups = {one.group for one in ranker.rank(here, links, {})}
    assert groups == {"agent|0", "agent|1"}
    parent, child = ranker.agents
    assert parent.energy == child.energy == pytest.approx((1.0 + 2 * (0.9 - COST)) / 2)
    assert "castle" in child.weights
    assert len(child.weights) == len(parent.weights) == 2


def test_what_the_best_link_promises_counts_nine_tenths():
    ranker = spiders()
    before = ranker.agents[0].weights["chess"]
    here = fetch(ranker, 0.3, text="chess here", inherited={"chess": 1.0})
    [one] = ranker.rank(here, [link("http://e.com/1", "here")], {})
    promised = math.tanh(before)
    assert one.score.parts["estimate"] == pytest.approx(0.5 + 0.5 * promised)
    moved = 0.1 * (0.3 + 0.9 * promised - math.tanh(before))
    assert ranker.agents[0].weights["chess"] == pytest.approx(before + moved)


def test_weights_move_towards_what_pages_are_worth():
    for relevance, direction in ((0.9, 1), (0.0, -1)):
        ranker = spiders()
        here = fetch(ranker, relevance, inherited={"chess": 1.0})
        before = ranker.agents[0].weights["chess"]
        ranker.rank(here, [link("http://e.com/x")], {})
        gain = relevance - math.tanh(0.5)
        assert ranker.agents[0].weights["chess"] == pytest.approx(before + 0.1 * gain)
        assert (ranker.agents[0].weights["chess"] - before) * direction > 0
        assert ranker.agents[0].weights["rook"] == 0.5


def test_it_goes_on_from_its_snapshot():
    one, other = spiders(), InfoSpiders(HandTopic())
    here = fetch(one, 0.9, text="castle chess", inherited={"chess": 1.0})
    one.rank(here, [link("http://e.com/x")], {})
    other.restore(json.loads(json.dumps(one.snapshot())))
    links = [link("http://e.com/y", "chess")]
    assert other.rank(fetch(other, 0.2, text="chess a"), links, {}) == one.rank(
        fetch(one, 0.2, text="chess a"), links, {}
    )


def test_population_is_bounded():
    ranker = InfoSpiders(HandTopic())
    for number in range(1000):
        ranker.seed(number, f"http://e{number}.com/", "e.com")
    assert len(ranker.agents) == 64
    for number in range(3000):
        here = fetch(ranker, 1.0, group=f"agent|{number % len(ranker.agents)}")
        ranker.rank(here, [], {})
    assert len(ranker.agents) == 256
