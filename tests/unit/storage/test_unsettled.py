"""What a worker of a fleet has written and its frontier has not acknowledged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from focuscrawl.errors import FrontierError
from focuscrawl.records import Entry, Lease, Origin, Outcome, PageRecord, Settlement
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.own_settings import UNSETTLED, WORKER
from focuscrawl.storage.unsettled import EarlierWorker, begin_worker, earlier_worker, end_unsettled, write_unsettled
from focuscrawl.storage.visits import read_visits
from focuscrawl.visits import Earlier, Saw, Visit

HIGH = 2**64 - 7  # SQLite's integers are signed, and many readers of JSON round


def settlement(key: int, token: int, *, title: str = "", record: bool = True) -> Settlement:
    url = f"http://a.example/{key}"
    page = PageRecord(key, url, url, "a.example", float(token), 200, title=title) if record else None
    lease = Lease(Entry(url, key, "a.example", 0.5), token, 100.0, 1, 0.5)
    return Settlement(lease, Outcome.DONE, edges=[key + 1] if record else [], record=page)


def keys(db: CrawlDb) -> list[int]:
    return [record.key for record in db.pages()]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[CrawlDb]:
    with CrawlDb.open(tmp_path / "crawl.db") as db:
        yield db


def test_rows_of_leases_that_had_run_out_are_deleted_with_their_links(db: CrawlDb) -> None:
    begin_worker(db, "w", "e", settled=None)
    write_unsettled(db, [settlement(1, 10), settlement(HIGH, 11), settlement(3, 12)], at=1.0)
    assert keys(db) == [1, HIGH, 3]  # there before the frontier is told
    assert end_unsettled(db, [True, False, True]) == 1
    assert keys(db) == [1, 3]
    assert sorted(source for source, _ in db.edges()) == [1, 3]
    assert earlier_worker(db) == EarlierWorker("w", "e")


def test_a_killed_worker_leaves_what_it_was_about_to_settle(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    with CrawlDb.open(path) as db:
        assert earlier_worker(db) is None
        begin_worker(db, "old", "e1", settled=None)
        write_unsettled(db, [settlement(1, 10)], at=1.0)
        end_unsettled(db, [True])
        write_unsettled(db, [settlement(HIGH, 11), settlement(2, 12)], at=2.0)
    with CrawlDb.open(path) as db:
        left = earlier_worker(db)
        assert left == EarlierWorker("old", "e1", unsettled=((HIGH, 11), (2, 12)))
        assert left.last == (HIGH, 11)
        assert begin_worker(db, "new", "e1", settled=[False, True]) == 1
        assert keys(db) == [1, 2]
        assert earlier_worker(db) == EarlierWorker("new", "e1")


def test_rows_stay_where_nobody_can_tell(db: CrawlDb) -> None:
    begin_worker(db, "old", "e1", settled=None)
    write_unsettled(db, [settlement(1, 10), settlement(2, 11)], at=1.0)
    assert begin_worker(db, "new", "e2", settled=None) == 0
    assert keys(db) == [1, 2]
    assert earlier_worker(db) == EarlierWorker("new", "e2")


def test_a_page_leased_twice_by_the_same_worker_keeps_the_row_of_the_valid_lease(db: CrawlDb) -> None:
    write_unsettled(db, [settlement(1, 10, title="late"), settlement(1, 20, title="valid")], at=1.0)
    assert end_unsettled(db, [False, True]) == 0
    assert [record.title for record in db.pages()] == ["valid"]


def test_a_settlement_without_a_record_deletes_nothing(db: CrawlDb) -> None:
    write_unsettled(db, [settlement(1, 10)], at=1.0)
    end_unsettled(db, [True])
    write_unsettled(db, [settlement(1, 11, record=False)], at=2.0)
    assert end_unsettled(db, [False]) == 0
    assert keys(db) == [1]


def test_a_visit_that_is_not_taken_leaves_the_page_and_the_visits_before(db: CrawlDb) -> None:
    first = replace(settlement(1, 10, title="first"), visit=Visit(1, 1.0, Saw.FIRST, 200))
    write_unsettled(db, [first, replace(settlement(2, 11), visit=Visit(2, 1.0, Saw.FIRST, 200))], at=1.0)
    end_unsettled(db, [True, True])
    entry = Entry("http://a.example/1", 1, "a.example", 2e6, origin=Origin(earlier=Earlier(0.5, "http://a.example/1")))
    again = replace(settlement(1, 12, title="changed"), visit=Visit(1, 2.0, Saw.CHANGED, 200))
    again = replace(again, lease=replace(again.lease, entry=entry))
    late = replace(settlement(3, 13), visit=Visit(3, 2.0, Saw.FIRST, 200))
    write_unsettled(db, [again, late], at=2.0)
    assert end_unsettled(db, [False, False]) == 1
    assert {record.key: record.title for record in db.pages()} == {1: "changed", 2: ""}
    assert [(visit.key, visit.saw) for visit in read_visits(db)] == [(1, Saw.FIRST), (2, Saw.FIRST)]
    write_unsettled(db, [again], at=3.0)
    end_unsettled(db, [True])
    assert [(visit.key, visit.saw) for visit in read_visits(db)][2:] == [(1, Saw.CHANGED)]


def test_an_answer_to_something_else_is_not_taken(db: CrawlDb) -> None:
    write_unsettled(db, [settlement(1, 10)], at=1.0)
    with pytest.raises(ValueError, match="shorter"):
        end_unsettled(db, [])
    assert keys(db) == [1]


def test_the_notes_are_no_settings_of_the_run(db: CrawlDb) -> None:
    begin_worker(db, "w", "e", settled=None)
    assert db.settings() == {}
    for name in (WORKER, UNSETTLED):
        with pytest.raises(FrontierError, match="keeps this setting itself"):
            db.set_setting(name, "x")


batches = st.lists(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=4), max_size=5)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches, st.booleans())
def test_exactly_the_pages_the_frontier_knows_have_a_row(
    tmp_path: Path, given: Sequence[Sequence[tuple[int, bool]]], killed: bool
) -> None:
    """A key is valid at most once in a crawl; whatever is killed or late, its row is there exactly then."""
    path = tmp_path / "crawl.db"
    path.unlink(missing_ok=True)
    known: set[int] = set()
    token = 0
    with CrawlDb.open(path) as db:
        for batch in given:
            valid, settlements = [], []
            for key, ok in batch:
                token += 1
                if key in known:
                    continue  # never leased again
                settlements.append(settlement(key, token))
                valid.append(ok and key not in known)
                known |= {key} if ok else set()
            write_unsettled(db, settlements, at=1.0)
            if killed:
                begin_worker(db, "again", "e", settled=valid)
            else:
                end_unsettled(db, valid)
        assert set(keys(db)) == known
        assert {source for source, _ in db.edges()} == known
