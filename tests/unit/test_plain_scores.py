"""What judges and strategies return is checked, and made plain, where it enters the crawl."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from focuscrawl.errors import PluginError
from focuscrawl.page.model import PageAnalysis
from focuscrawl.ranking.base import Judged, Ranked, Ranker
from focuscrawl.ranking.plain_ranks import plain_ranks
from focuscrawl.topic.base import PageJudge, Verdict
from focuscrawl.topic.plain_verdict import plain_verdict
from focuscrawl.types import Explained

NAN = float("nan")
GOOD = Verdict(Explained(0.5, {"words": 0.5}, "five"), 0.2, True, "lamps@1")
RANK = Ranked(Explained(0.5, {"words": 0.5}, "five"), "a.example")


class MyJudge(PageJudge):
    name = "mine"

    def judge(self, page: PageAnalysis) -> Verdict:
        raise NotImplementedError


class MyRanker(Ranker):
    name = "mine"

    def rank(self, page: Judged, links: Any, scores: Any) -> list[Ranked]:
        raise NotImplementedError


def scored(value: Any, **parts: Any) -> Explained:
    return Explained(value, parts, "so")


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (None, "expected a Verdict, found NoneType"),
        (0.7, "expected a Verdict, found float"),
        (replace(GOOD, score=0.7), "expected a score of type Explained, found float"),
        (replace(GOOD, score=scored(NAN)), "score nan: expected a finite number"),
        (replace(GOOD, score=scored("0.7")), "score '0.7': expected a finite number"),
        (replace(GOOD, score=scored(7.0)), r"relevance 7\.0: expected a number in \[0, 1\]"),
        (replace(GOOD, score=scored(-0.1)), r"relevance -0\.1: expected a number in \[0, 1\]"),
        (replace(GOOD, score=scored(0.5, words=NAN)), 'part "words" nan: expected a finite number'),
        (replace(GOOD, score=scored(0.5, words=None)), 'part "words" None: expected a finite number'),
        (replace(GOOD, threshold=NAN), "threshold nan: expected a finite number"),
        (replace(GOOD, threshold=None), "threshold None: expected a finite number"),
    ],
)
def test_a_verdict_that_could_not_be_stored_names_the_judge(verdict: object, said: str) -> None:
    with pytest.raises(PluginError, match=rf'^judge "mine": {said}\.$'):
        plain_verdict(MyJudge(), verdict)


def test_a_plain_verdict_stays_what_it_is() -> None:
    assert plain_verdict(MyJudge(), GOOD) is GOOD


def test_numbers_of_numpy_become_pythons() -> None:
    score = scored(np.float32(0.5), words=np.float32(0.5), links=np.int64(1))
    made = plain_verdict(MyJudge(), replace(GOOD, score=score, threshold=np.float64(0.2), relevant=np.bool_(True)))
    assert json.loads(json.dumps([made.score.value, made.score.parts, made.relevant])) == [
        0.5,
        {"words": 0.5, "links": 1.0},
        True,
    ]
    assert type(made.threshold) is float
    (rank,) = plain_ranks(MyRanker(), [replace(RANK, score=score)], 1)
    assert json.dumps([rank.score.value, rank.score.parts]) == '[0.5, {"words": 0.5, "links": 1.0}]'


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        (None, "expected a list of Ranked, found NoneType"),
        ([RANK], "1 places for 2 links"),
        ([RANK, 0.5], "expected a Ranked for each link, found float"),
        ([RANK, replace(RANK, score=scored(NAN))], "score nan: expected a finite number"),
        ([RANK, replace(RANK, score=scored(float("inf")))], "score inf: expected a finite number"),
        ([RANK, replace(RANK, score=scored("0.5"))], "score '0.5': expected a finite number"),
        ([RANK, replace(RANK, score=scored(0.5, words=NAN))], 'part "words" nan: expected a finite number'),
        ([RANK, replace(RANK, score=Explained(0.5, {}, 5))], "reason 5: expected a text"),  # type: ignore[arg-type]
        ([RANK, replace(RANK, group=None)], "group None: expected a text"),
    ],
)
def test_a_place_that_could_not_be_stored_names_the_strategy(ranks: object, said: str) -> None:
    with pytest.raises(PluginError, match=rf'^strategy "mine": {said}\.$'):
        plain_ranks(MyRanker(), ranks, 2)


def test_plain_places_stay_what_they_are() -> None:
    ranks = [RANK, replace(RANK, score=scored(0.5, words=1))]
    assert plain_ranks(MyRanker(), ranks, 2) is ranks
