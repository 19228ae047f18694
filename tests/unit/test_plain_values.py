"""What plug-ins return is checked, and made plain, where it enters the crawl."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from link_kit import HandTopic, link
from lxml import etree

import focuscrawl
from focuscrawl.errors import PluginError
from focuscrawl.extraction.base import Extraction, Record
from focuscrawl.extraction.blocks import BlocksExtractor
from focuscrawl.extraction.plain_extraction import extracted
from focuscrawl.page.blank import blank_page
from focuscrawl.page.model import PageAnalysis
from focuscrawl.ranking.base import Judged, Ranked, Ranker
from focuscrawl.ranking.plain_ranks import changed_offsets, changed_scores, plain_ranks, told_looks
from focuscrawl.records import LookLink, LookNews
from focuscrawl.scoring.base import LinkScorer, PageScorer
from focuscrawl.topic.base import PageJudge, Verdict
from focuscrawl.topic.plain_verdict import plain_verdict
from focuscrawl.types import Explained

NAN, INF = float("nan"), float("inf")
GOOD = Verdict(Explained(0.5, {"words": 0.5}, "five"), 0.2, True, "lamps@1")
FOUND = Extraction("mine", "The lamp.", published="2026-01-02", records=(Record("The lamp."),), tags=("lamp",))
RANK = Ranked(Explained(0.5, {"words": 0.5}, "five"), "a.example")


class MyJudge(PageJudge):
    name = "mine"

    def judge(self, page: PageAnalysis) -> Verdict:
        raise NotImplementedError


class MyRanker(Ranker):
    name = "mine"

    def __init__(self, offsets: Any = (), scores: Any = ()) -> None:
        self.changes = offsets, scores

    def offsets(self) -> Any:
        return self.changes[0]

    def rescored(self) -> Any:
        return self.changes[1]

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
        ([RANK, 0.5], "expected a Ranked, found float"),
        ([RANK, replace(RANK, score=scored(NAN))], "score nan: expected a finite number"),
        ([RANK, replace(RANK, score=scored(float("inf")))], "score inf: expected a finite number"),
        ([RANK, replace(RANK, score=scored("0.5"))], "score '0.5': expected a finite number"),
        ([RANK, replace(RANK, score=scored(0.5, words=NAN))], 'part "words" nan: expected a finite number'),
        ([RANK, replace(RANK, score=Explained(0.5, {}, 5))], "reason 5: expected a text"),  # type: ignore[arg-type]
        ([RANK, replace(RANK, group=None)], "group None: expected a text"),
        ([RANK, replace(RANK, inherit={"trail": "0.5"})], "inherit \"trail\" '0.5': expected a finite number"),
        ([RANK, replace(RANK, inherit=0.5)], r"inherit 0\.5: expected a mapping"),
        ([RANK, replace(RANK, without_anchor=NAN)], "without_anchor nan: expected a finite number"),
        ([RANK, replace(RANK, without_anchor="0.5")], "without_anchor '0.5': expected a finite number"),
    ],
)
def test_a_place_that_could_not_be_stored_names_the_strategy(ranks: object, said: str) -> None:
    with pytest.raises(PluginError, match=rf'^strategy "mine": {said}\.$'):
        plain_ranks(MyRanker(), ranks, 2)


@pytest.mark.parametrize(
    "news",
    [[], "links", LookNews(hosts=-1), LookNews(best=NAN), LookNews(links=(("a.example", 0.5),))],  # type: ignore[arg-type]
)
def test_looks_that_other_workers_could_not_read_name_the_strategy(
    news: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranker = MyRanker()
    monkeypatch.setattr(ranker, "look_news", lambda: news)
    with pytest.raises(PluginError, match=r'^strategy "mine": look news .*: expected LookNews or None\.$'):
        told_looks(ranker)


def test_looks_are_told_in_plain_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    ranker, links = MyRanker(), (LookLink("a.example", np.float32(0.5), 7, True, "a"),)  # type: ignore[arg-type]
    assert told_looks(ranker) is None
    monkeypatch.setattr(ranker, "look_news", lambda: LookNews(links=links, hosts=np.int64(2)))  # type: ignore[arg-type]
    assert repr(told_looks(ranker)) == repr(LookNews(links=(LookLink("a.example", 0.5, 7, True, "a"),), hosts=2))


def test_plain_places_stay_what_they_are() -> None:
    ranks = [RANK, replace(RANK, score=scored(0.5, words=1))]
    assert plain_ranks(MyRanker(), ranks, 2) is ranks


class MyExtractor:
    name = "mine"

    def __init__(self, found: object) -> None:
        self.found = found

    def extract(self, page: PageAnalysis) -> Any:
        return self.found


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ("text", "expected an Extraction or None, found str"),
        (replace(FOUND, text=None), "text None: expected a text"),
        (replace(FOUND, published=date(2026, 1, 2)), r"published datetime\.date\(2026, 1, 2\): expected a text"),
        (replace(FOUND, author=["A", "B"]), r"author \['A', 'B'\]: expected a text"),
        (replace(FOUND, tags="lamps"), "tags 'lamps': expected a list of texts"),
        (replace(FOUND, tags=(1,)), "tags 1: expected a text"),
        (replace(FOUND, confidence=0.5), "confidence: expected a score of type Explained, found float"),
        (replace(FOUND, records=[{"text": "a"}]), "record: expected a Record, found dict"),
        (
            replace(FOUND, records=(Record("a", published=date(2026, 1, 2)),)),
            r"record: published datetime\..*: expected a text",
        ),
    ],
)
def test_an_extraction_that_could_not_be_stored_names_the_extractor(found: object, said: str) -> None:
    with pytest.raises(PluginError, match=rf'^extractor "mine": {said}\.$'):
        extracted(MyExtractor(found), blank_page("http://a.example/"))


def test_an_extractor_that_raises_outside_a_crawl_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("a fault of a plug-in")

    monkeypatch.setattr(BlocksExtractor, "extract", fails)
    said = (
        r'^extractor "blocks" fails over http://a\.example/: ZeroDivisionError: a fault of a plug-in \(.*, line \d+\)$'
    )
    with pytest.raises(PluginError, match=said) as raised:
        focuscrawl.extract("<p>The lamp.</p>", url="http://a.example/", method="blocks")
    assert raised.value.exit_code == 1


def test_plain_extractions_stay_what_they_are_and_odd_strings_become_pythons() -> None:
    page = blank_page("http://a.example/")
    assert extracted(MyExtractor(None), page) is None
    assert extracted(MyExtractor(FOUND), page) == FOUND
    (title,) = etree.HTML("<title>Lamps</title>").xpath("//title/text()")
    made = extracted(MyExtractor(replace(FOUND, title=title, tags=["lamp"])), page)
    assert made == replace(FOUND, title="Lamps", tags=("lamp",))
    assert type(made.title) is str  # not one that holds the tree


@pytest.mark.parametrize(
    ("offsets", "scores", "said"),
    [
        (None, {}, "offsets None: expected a mapping"),
        ({"a.example": NAN}, {}, "offset nan: expected a finite number"),
        ({"a.example": "0.5"}, {}, "offset '0.5': expected a finite number"),
        ({7: 0.5}, {}, "offset of group 7: expected a text"),
        ({}, [(7, 0.5)], r"new scores \[\(7, 0.5\)\]: expected a mapping"),
        ({}, {7: NAN}, "new score nan: expected a finite number"),
        ({}, {6: -INF, 7: INF}, "new score -inf: expected a finite number"),
        ({}, {"7": 0.5}, "new score of key '7': expected the key of a link"),
    ],
)
def test_a_change_that_could_not_be_stored_names_the_strategy(offsets: Any, scores: Any, said: str) -> None:
    ranker = MyRanker(offsets, scores)
    with pytest.raises(PluginError, match=rf'^strategy "mine": {said}\.$'):
        changed_offsets(ranker), changed_scores(ranker)


def test_changes_in_numbers_of_numpy_become_pythons() -> None:
    ranker = MyRanker({"a.example": np.float32(0.5)}, {np.uint64(2**63): np.float64(0.5)})
    assert json.dumps([changed_offsets(ranker), changed_scores(ranker)]) == (
        '[{"a.example": 0.5}, {"9223372036854775808": 0.5}]'
    )


class MyScorer(LinkScorer):
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def score(self, links: Any, page: PageAnalysis, topic: Any) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, 'scorer "mine": expected a list of Explained, found NoneType.'),
        ([0.5, 0.5], 'scorer "mine": expected a score of type Explained, found float.'),
        ([scored(0.5)], 'scorer "mine": 1 scores for 2 links.'),
        ([scored(0.5), scored(NAN)], 'scorer "mine": score nan: expected a finite number.'),
        ([scored(0.5), scored("0.5")], "scorer \"mine\": score '0.5': expected a finite number."),
        (SystemExit("the end of a program"), "the end of a program"),
    ],
)
def test_a_scorer_with_a_fault_costs_its_own_score_with_a_sentence(
    answer: object, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    page = blank_page("http://a.example/")
    links = [link("http://a.example/1"), link("http://a.example/2")]
    scorer = PageScorer({"mine": MyScorer(answer), "other": MyScorer((scored(0.5), scored(1)))})
    for _ in range(2):
        scores = scorer.score(links, page, HandTopic())
    assert [score.value for score in scores["mine"]] == [0.0, 0.0]
    assert [score.value for score in scores["other"]] == [0.5, 1]
    assert caplog.messages == [f"scorer mine failed on http://a.example/; its score counts as 0: {said}"]
    assert ("Traceback" in caplog.text) is isinstance(answer, BaseException)
    assert scorer.errors == {"mine": 2}
