"""Links that wait, and the scores they get while they do."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from focuscrawl.ranking.link_model import LinkExample, LinkModel
from focuscrawl.ranking.waiting_links import WaitingLinks


def learned(seed: int = 3) -> tuple[LinkModel, LinkModel]:
    """Return a model and a hub model that have learned something."""
    rng = random.Random(seed)
    models = LinkModel({}, rate=0.6, pull=0.001), LinkModel({}, rate=0.6, pull=0.001)
    for model in models:
        for _ in range(40):
            words = rng.choices("abcdefgh", k=rng.randint(0, 4))
            model.learn(LinkExample({"bias": 1.0, "x": rng.random()}, words, words[:2]), rng.random())
    return models


def note(links: WaitingLinks, key: int, score: float, *, text: str = "", path: str = "", group: str = "g") -> None:
    number = links.evidence({"bias": 1.0, "x": 0.5})
    links.add(key, fixed=0.3, score=score, evidence=number, group=group, text=[*text], path=[*path])


def test_the_log_odds_are_those_that_the_models_give_each_link_alone() -> None:
    links, (model, hub) = WaitingLinks(100), learned()
    rng = random.Random(1)
    shares = {"g": 0.25, "h": 1.0}
    wanted = []
    for key in range(30):
        text, path = rng.choices("abcdefghij", k=rng.randint(0, 20)), rng.choices("abcdefghij", k=rng.randint(0, 5))
        features = {"bias": 1.0, "x": rng.random()}
        group = rng.choice("gh")
        number = links.evidence(features)
        links.add(key, fixed=0.3, score=0.5, evidence=number, group=group, text=text, path=path)
        one, other = (one.logit(LinkExample(features, text, path)) for one in (model, hub))
        wanted.append(shares[group] * one + (1.0 - shares[group]) * other)
    assert links.log_odds(model, hub, shares).tolist() == pytest.approx(wanted)
    assert np.ptp(wanted) > 0.5


def test_only_what_moved_enough_is_told_and_small_steps_add_up() -> None:
    links = WaitingLinks(100)
    for key in range(3):
        note(links, key, 0.5)
    assert links.take(np.array([0.52, 0.54, 0.5]), {}, least=0.03, first=0) == {1: 0.54}
    assert links.take(np.array([0.54, 0.55, 0.46]), {}, least=0.03, first=0) == {0: 0.54, 2: 0.46}
    assert [links.score(key) for key in range(4)] == [0.54, 0.54, 0.46, -1.0]


def test_of_the_first_in_line_the_least_change_is_told() -> None:
    links = WaitingLinks(100)
    for key, group in enumerate("ghgh"):
        note(links, key, 0.5, group=group)
    links.leave([1])
    new = np.array([0.51, 0.51, 0.515, 0.5])  # with the offsets .31, .71, .315 and .7
    assert links.take(new, {"g": -0.2, "h": 0.2}, least=0.03, first=1) == {}
    assert links.take(new, {"g": -0.2, "h": 0.2}, least=0.03, first=2) == {2: 0.515}
    assert links.take(new, {"g": -0.2, "h": 0.2}, least=0.03, first=9) == {0: 0.51}


def test_links_that_left_and_links_called_up_are_not_scored() -> None:
    links = WaitingLinks(100)
    for key in range(4):
        note(links, key, 0.5)
    links.leave([0, 99])
    links.call_up([1])
    assert (len(links), links.score(0), links.score(1)) == (2, -1.0, math.inf)
    assert links.take(np.full(4, 0.9), {}, least=0.03, first=0) == {2: 0.9, 3: 0.9}
    links.leave([1])  # it is fetched
    assert links.score(1) == -1.0


def test_a_link_met_again_is_scored_by_its_better_mention() -> None:
    links, (model, hub) = WaitingLinks(100), learned()
    note(links, 7, 0.4, text="a")
    note(links, 7, 0.6, text="bc")
    assert len(links) == 1
    z = links.log_odds(model, hub, {"g": 1.0})
    assert z[1] == pytest.approx(model.logit(LinkExample({"bias": 1.0, "x": 0.5}, ["b", "c"])))
    assert links.take(np.array([0.9, 0.8]), {}, least=0.03, first=0) == {7: 0.8}


def test_of_too_many_links_the_better_half_stays_and_rows_of_others_go() -> None:
    links, (model, hub) = WaitingLinks(most=1000), learned()
    for key in range(2500):
        note(links, key, (key * 7919 % 2500) / 2500, text="ab" if key % 2 else "cd", group=f"g{key % 5}")
    links.leave(range(0, 2500, 10))
    shares = {f"g{n}": n / 4 for n in range(5)}
    z = links.log_odds(model, hub, shares)
    assert len(links) == len(z) == 500
    kept = [key for key in range(2500) if links.score(key) >= 0.0]
    assert len(kept) == 500
    assert all(key % 10 for key in kept)
    assert min(map(links.score, kept)) == sorted((k * 7919 % 2500) / 2500 for k in range(2500) if k % 10)[-500]
    told = links.take(1.0 + np.arange(500.0), {}, least=0.03, first=0)
    for row, key in enumerate(kept):
        example = LinkExample({"bias": 1.0, "x": 0.5}, [*("ab" if key % 2 else "cd")])
        share = shares[f"g{key % 5}"]
        assert z[row] == pytest.approx(share * model.logit(example) + (1.0 - share) * hub.logit(example))
        assert told[key] == 1.0 + row


def test_no_links_are_no_scores() -> None:
    links, models = WaitingLinks(10), learned()
    assert links.log_odds(*models, {}).tolist() == []
    assert links.take(np.zeros(0), {}, least=0.03, first=0) == {}
    assert links.fixed().tolist() == []
