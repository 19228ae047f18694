"""First pages of a host are judged again when it is known: row, counters, what was learned, pages.jsonl."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.counters import CrawlCounters
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.revision import FirstPages, revised_record
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.page.analysis import analyse
from focuscrawl.page.site import SURE_PAGES
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.ranking.base import Judged
from focuscrawl.ranking.group_rates import GroupParts, Levels
from focuscrawl.records import Entry, Lease, PageRecord
from focuscrawl.row_reasons import NO_INDEX, not_stored_reason
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.jsonl import JsonlStore
from focuscrawl.storage.settled import write_settled
from focuscrawl.text.tokenize import make_tokenizer
from focuscrawl.topic.base import Verdict
from focuscrawl.topic.spec import TopicSpec
from focuscrawl.types import Explained

SITE = "http://canal.example"
# The words of the topic stand in a heading of the template, where position tells nothing.
PAGE = (
    "<title>Post on {word}</title><div><h2>Locks and gates, gate and lock, sluice</h2></div>"
    "<article><p>Red paint of {word} dries fast and the {word} dog sleeps.</p></article>"
)
WORDS = ("boats", "chairs", "fences", "doors", "roofs", "tables", "walls", "bridges")


def made_step() -> PageStep:
    spec = {"name": "locks", "terms": {"lock": 1.0, "gate": 0.8, "sluice": 0.8}, "judge": {"threshold": 0.3}}
    return build_step(TopicSpec.model_validate(spec), choices=StepChoices())


def read(step: PageStep, number: int) -> StepResult:
    url = f"{SITE}/post-{WORDS[number]}"
    entry = Entry(url, url_key(url), host_of(SITE), 1.0)
    body = PAGE.format(word=WORDS[number]).encode()
    lease = Lease(entry, token=number + 1, expires_at=0.0, attempt=1, priority=1.0)
    return step.process(Fetched(url, 200, body, 1_700_000_000.0 + number, "text/html"), lease)


def record(**fields: object) -> PageRecord:
    base = PageRecord(key=7, url=SITE, final_url=SITE, host="canal.example", fetched_at=1.5, status=200)
    return replace(base, **fields)  # type: ignore[arg-type]


def test_a_strategy_that_fails_over_a_revision_costs_the_page_that_brought_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("a fault of a plug-in")

    step = made_step()
    monkeypatch.setattr(step.ranker, "revise", fails)
    for number in range(SURE_PAGES - 1):
        read(step, number)
    before = step.counters.progress()
    with pytest.raises(ZeroDivisionError):
        read(step, SURE_PAGES - 1)
    assert step.counters.progress() == before
    assert read(step, SURE_PAGES).settlement.revised == ()


def test_the_first_pages_change_once_and_nothing_else_does() -> None:
    step = made_step()
    results = [read(step, number) for number in range(len(WORDS))]
    assert results[0].record.relevant
    assert not results[-1].record.relevant
    changed = [result.settlement.revised for result in results]
    assert [bool(rows) for rows in changed] == [number == SURE_PAGES - 1 for number in range(len(WORDS))]
    (first, *_) = rows = changed[SURE_PAGES - 1]
    assert first.key == results[0].record.key
    assert not any(row.relevant for row in rows)
    assert results[SURE_PAGES - 1].settlement.more_relevant == -len(rows)
    assert results[SURE_PAGES - 1].settlement.more_stored == -len(rows)
    assert results[-1].settlement.more_relevant == results[-1].settlement.more_stored == 0
    assert first.reason.startswith("judged again when its host was known: relevance was ")
    assert "site" in first.evidence
    assert first.own_terms == 0
    assert step.counters.relevant == step.counters.stored == sum(step.counters.progress().words.wordless.values()) == 0
    assert step.counters.progress().relevant_hosts == 0


def test_the_row_changes_and_a_row_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    step = made_step()
    settlements = [read(step, number).settlement for number in range(SURE_PAGES)]
    with CrawlDb.open(tmp_path / "crawl.db") as db:
        with db.transaction() as connection:
            write_settled(connection, [settlements[0], *settlements[2:]], at=1.0)
        rows = {row.final_url: row for row in db.pages()}
    assert len(rows) == SURE_PAGES - 1  # the second came too late
    assert not rows[f"{SITE}/post-boats"].relevant


def test_a_result_leaves_the_lines_and_a_near_miss_joins_them(tmp_path: Path) -> None:
    store = JsonlStore(tmp_path / "pages.jsonl")
    store.open()
    one, two = (record(key=key, fetched_at=1.5 + key, relevant=True, text="Locks.") for key in (1, 2))
    store.put([one, two])
    late = record(key=3, fetched_at=9.0, relevant=True, text="Gates.")
    assert store.revise([replace(one, relevant=False), late]) == 2
    assert store.revise([replace(two, relevance=0.9)]) == 2
    store.close()
    lines = [json.loads(line) for line in store.path.read_text().splitlines()]
    assert [line["key"] for line in lines] == [f"{key:016x}" for key in (3, 2)]
    assert lines[1]["relevance"] == 0.9


@pytest.mark.parametrize(
    ("before", "score", "after"),
    [
        ({"relevant": True, "relevance": 0.8, "text": "t", "duplicate_of": 5}, 0.2, (False, "t", "", None)),
        ({"relevant": False, "relevance": 0.4, "set_aside": "t"}, 0.6, (True, "t", "", None)),
        ({"relevant": False, "relevance": 0.4}, 0.6, None),
        ({"relevant": True, "relevance": 0.8, "text": "t", "duplicate_of": 5}, 0.7, (True, "t", "", 5)),
        ({"relevant": True, "relevance": 0.8, "text": "t"}, 0.8, None),
    ],
)
def test_rows_of_pages_judged_again(
    before: dict[str, object], score: float, after: tuple[bool, str, str, int | None] | None
) -> None:
    row = revised_record(record(**before), Verdict(Explained(score), 0.5, score >= 0.5, "locks"), {}, 0)
    assert (row and (row.relevant, row.text, row.set_aside, row.duplicate_of)) == after
    assert row is None or row.judged_again


def test_a_page_that_must_not_be_stored_stays_so_when_it_is_judged_again() -> None:
    before = record(relevant=True, relevance=0.8, reason=not_stored_reason(NO_INDEX), withheld=NO_INDEX)
    row = revised_record(before, Verdict(Explained(0.7), 0.5, True, "locks"), {}, 0)
    assert row is not None
    assert (row.not_stored, row.judged_again) == (NO_INDEX, True)


def test_waiting_pages_are_bounded_and_lose_their_trees() -> None:
    pages = FirstPages(most=3)
    verdict = Verdict(Explained(0.5), 0.5, True, "locks")
    for number in range(5):
        page = analyse(b"<p>Red paint dries.</p>", f"http://h{number}.example/", tokenizer=make_tokenizer("en"))
        pages.add(page, Judged(page, verdict), record())
    assert [len(pages.take(f"h{number}.example")) for number in range(4)] == [0, 0, 1, 1]
    (last,) = pages.take("h4.example")
    assert last.page.tree is last.judged.page.tree is None
    assert pages.take("h4.example") == []


@pytest.mark.parametrize(
    "body", [b"<p>Red paint dries.</p>" * 100, b"<p>" + b"".join(b"<a href=%d>" % n for n in range(8))]
)
def test_long_pages_that_wait_are_bounded_by_their_words(body: bytes) -> None:
    pages = FirstPages(most_words=1_100)
    verdict = Verdict(Explained(0.5), 0.5, True, "locks")
    for number in range(5):
        page = analyse(body, f"http://h{number}.example/", tokenizer=make_tokenizer("en"))
        pages.add(page, Judged(page, verdict), record())
    assert [len(pages.take(f"h{number}.example")) for number in range(5)] == [0, 0, 1, 1, 1]
    page = analyse(b"<p>Red paint dries.</p>" * 900, "http://long.example/", tokenizer=make_tokenizer("en"))
    pages.add(page, Judged(page, verdict), record())
    assert pages.take("long.example") == [], "longer than all may be together"


def test_counts_are_those_of_the_last_verdicts() -> None:
    counters = CrawlCounters()
    rows = [record(relevant=True, own_terms=0), record(relevant=True, own_terms=2, duplicate_of=3)]
    for row in rows:
        counters.recorded(row)
    counters.revised(rows[0], replace(rows[0], relevant=False))
    look = counters.progress()
    assert (look.pages, look.relevant, look.stored) == (2, 1, 0)
    assert (look.words.wordless, look.not_stored) == ({}, {"duplicate": 1})
    counters.revised(replace(rows[0], relevant=False), rows[0])
    assert counters.progress().stored == 1


def test_a_corrected_rate_is_that_of_the_other_outcome() -> None:
    parts = GroupParts("canal.example", "canal.example/a", "p")
    rates = []
    for outcomes, change in (((1.0, 1.0), -1.0), ((1.0, 0.0), 0.0)):
        levels = Levels(prior=0.1, crawl=10.0, host=4.0, section=2.0, group=2.0)
        for outcome in outcomes:
            levels.add("g", parts, outcome)
        levels.correct("g", parts, change)
        rates.append(levels.rate("g", parts))
    assert rates[0] == pytest.approx(rates[1], abs=0.001)
