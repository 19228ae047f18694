"""Run folders of several workers, read as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from focuscrawl.errors import StoreError
from focuscrawl.records import PageRecord
from focuscrawl.report.read import read_run
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.page_rows import PAGES
from focuscrawl.storage.reading import PageQuery
from focuscrawl.storage.run_settings import RunSettings, RunTimes, record_start, record_stop
from focuscrawl.storage.several import SeveralRuns
from focuscrawl.storage.unsettled import begin_worker


def page(key: int, at: float, outcome: str = "done", **fields: object) -> PageRecord:
    url = f"http://{'ab'[key % 2]}.example/{key}"
    relevant = fields.pop("relevant", outcome == "done")
    return PageRecord(key, url, url, url.split("/")[2], at, 200, outcome=outcome, relevant=relevant, **fields)  # type: ignore[arg-type]


def worker(path: Path, records: Sequence[PageRecord], *, fleet: bool = True, **changes: object) -> Path:
    """Write the crawl.db of a worker."""
    given: dict[str, object] = {"topic": "chess", "overrides": {"FOCUSCRAWL_FRONTIER_URL": "redis://h:1/0"}, **changes}
    with CrawlDb.open(path / "crawl.db") as db:
        RunSettings(**given).save(db)  # type: ignore[arg-type]
        if fleet:
            begin_worker(db, path.name, "e", settled=None)
        with db.transaction() as connection:
            connection.executemany(PAGES.insert, map(PAGES.to_row, records))
    return path


@contextmanager
def several(*paths: Path) -> Iterator[SeveralRuns]:
    with ExitStack() as opened:
        runs = {p.name: opened.enter_context(CrawlDb.open_readonly(p / "crawl.db")) for p in paths}
        yield opened.enter_context(SeveralRuns.open(runs))


def test_a_page_of_two_workers_is_one_row_in_the_order_of_fetching(tmp_path: Path) -> None:
    high = 2**64 - 1
    one = worker(tmp_path / "one", [page(1, 10.0, text="from one"), page(2, 40.0, "failed"), page(high, 20.0)])
    two = worker(
        tmp_path / "two", [page(1, 30.0, text="from two", keywords=("棋",)), page(2, 5.0, text="a page"), page(4, 1.0)]
    )
    with several(one, two) as run:
        records = list(run.pages())
        assert [record.key for record in records] == [4, 2, high, 1]
        assert [record.text for record in records] == ["", "a page", "", "from two"]  # done first, then the latest
        assert records[3].keywords == ("棋",)
        assert list(run.select("SELECT number, url FROM pages WHERE key = ?", (1,))) == [(4, "http://b.example/1")]
        assert run.counts()["pages"] == 4
        assert [record.key for record in run.pages(PageQuery(after=1, limit=2))] == [2, high]
        assert [record.key for record in run.pages(PageQuery(host="a.example"))] == [4, 2]
        assert [record.text for record in run.pages(PageQuery(with_text=False, after=3))] == [""]
        assert run.page(1) == records[3]
        assert run.page(3) is None
        with pytest.raises(StoreError, match="no such column: text"):
            list(run.select("SELECT text FROM pages"))


def test_what_a_worker_saw_of_a_page_that_another_has_fetched_is_said_of_its_row(tmp_path: Path) -> None:
    changed = page(3, 45.0, visited_at=45.0, revisit="changed")
    one = worker(tmp_path / "one", [page(1, 10.0), page(2, 20.0), page(3, 15.0), page(4, 60.0)])
    two = worker(tmp_path / "two", [changed, page(5, 5.0, "failed")])
    seen = [(1, 30.0, "gone"), (1, 50.0, "failed"), (2, 30.0, "gone"), (2, 40.0, "unchanged"), (3, 40.0, "unchanged")]
    seen += [(4, 50.0, "gone"), (5, 50.0, "gone")]
    with CrawlDb.open(two / "crawl.db") as db, db.transaction() as connection:
        row = "INSERT INTO visits (key, at, saw, status, body, text, etag, modified, reason)"
        connection.executemany(f"{row} VALUES (?, ?, ?, 200, '', '', '', '', '')", seen)
    with several(one, two) as run:
        told = {record.key: (record.visited_at, record.revisit) for record in run.pages()}
        assert told == {1: (30.0, "gone"), 2: (40.0, "unchanged"), 3: (45.0, "changed"), 4: (0.0, ""), 5: (0.0, "")}
        first = run.page(1)
        assert first is not None
        assert first.revisit == "gone"
    with CrawlDb.open(two / "crawl.db") as db, db.transaction() as connection:
        connection.execute("DROP TABLE visits")  # as in a run of an earlier version
    with several(one, two) as run:
        assert {record.revisit for record in run.pages()} == {"", "changed"}


def test_links_are_those_of_the_row_that_counts(tmp_path: Path) -> None:
    one = worker(tmp_path / "one", [page(1, 10.0), page(2, 40.0)])
    two = worker(tmp_path / "two", [page(1, 30.0), page(2**64 - 1, 5.0)])
    links = ((one, [(1, "[7]"), (2, "[1,-1]")]), (two, [(1, "[2]"), (-1, "[3]")]))
    for path, rows in links:
        with CrawlDb.open(path / "crawl.db") as db, db.transaction() as connection:
            connection.executemany("INSERT INTO page_links VALUES (?, ?)", rows)
    with several(one, two) as run:
        assert dict(run.edges()) == {1: [2], 2: [1, 2**64 - 1], 2**64 - 1: [3]}


def test_numbers_of_a_report_are_those_of_all_workers(tmp_path: Path) -> None:
    one = worker(tmp_path / "one", [page(1, 10.0, relevance=0.5), page(3, 12.0, "refused", reason="HTTP 404")])
    two = worker(tmp_path / "two", [page(2, 11.0, relevance=0.9, text="最好"), page(5, 13.0, duplicate_of=1)])
    for path, begin, end in ((one, 1.0, 50.0), (two, 2.0, 60.0)):
        with CrawlDb.open(path / "crawl.db") as db:
            record_start(db, at=begin)
            record_stop(db, "exhausted", at=end)
    with several(one, two) as run:
        data = read_run(run)
        assert (data.pages, data.found, data.stored, data.refused) == (3, 3, 2, 1)
        assert (data.started_at, data.ended_at, data.stop_reason) == (1.0, 60.0, "exhausted")
        assert [best.snippet for best in data.best] == ["最好", ""]
        assert {(host.host, host.fetched, host.failed) for host in data.hosts} == {
            ("a.example", 1, 0),
            ("b.example", 2, 1),
        }
        assert data.frontier == "redis://h:1/0"
        assert [(event.at, event.worker) for event in run.events()] == [
            (1.0, "one"), (2.0, "two"), (50.0, "one"), (60.0, "two"),
        ]  # fmt: skip
    with CrawlDb.open(two / "crawl.db") as db:
        record_start(db, at=70.0)
    with several(one, two) as run:
        assert RunTimes.load(run).stopped_at is None  # one of them is at work


def test_more_folders_than_sqlite_can_attach(tmp_path: Path) -> None:
    paths = [worker(tmp_path / f"w{n:02}", [page(n, float(n))]) for n in range(14)]
    with several(*paths) as run:
        assert [record.key for record in run.pages()] == list(range(14))


def test_everything_is_as_of_one_moment_while_a_worker_writes_on(tmp_path: Path) -> None:
    one, two = worker(tmp_path / "one", [page(1, 1.0, text="old")]), worker(tmp_path / "two", [page(2, 2.0)])
    with several(one, two) as run:
        with CrawlDb.open(one / "crawl.db") as db, db.transaction() as connection:
            row = PAGES.to_row(page(1, 9.0, text="new"))
            connection.execute(PAGES.insert, row)
            connection.execute("DELETE FROM pages WHERE number = 1")
        assert [record.text for record in run.pages()] == ["old", ""]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"topic": "tea"}, 'two: it is about "tea", one about "chess"'),
        ({"overrides": {"FOCUSCRAWL_CRAWL": "b"}}, 'two: it belongs to the crawl "b", one to "chess"'),
        ({"fleet": False}, "two: a crawl of a single process"),
    ],
)
def test_what_does_not_belong_together_is_refused(tmp_path: Path, changes: Mapping[str, object], sentence: str) -> None:
    one, two = worker(tmp_path / "one", []), worker(tmp_path / "two", [], **changes)  # type: ignore[arg-type]
    with pytest.raises(StoreError, match=sentence), several(one, two):
        pass


rows = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from(["done", "failed", "refused"])), max_size=8
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(rows, min_size=1, max_size=4))
def test_the_merged_rows_are_those_a_plain_look_through_all_finds(
    tmp_path_factory: pytest.TempPathFactory, given: Sequence[Sequence[tuple[int, int, str]]]
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    paths, best = [], dict[int, tuple[bool, float, int, str]]()
    for n, worker_rows in enumerate(given):
        mine = {key: page(key, float(at), outcome, text=f"{n}") for key, at, outcome in worker_rows}
        paths.append(worker(folder / f"{n}", list(mine.values())))
        for key, record in mine.items():
            rank = record.outcome == "done", record.fetched_at, -n, record.outcome
            best[key] = max(best.get(key, rank), rank)
    with several(*paths) as run:
        found = {
            record.key: (record.outcome == "done", record.fetched_at, -int(record.text), record.outcome)
            for record in run.pages()
        }
        assert found == best
        at = [record.fetched_at for record in run.pages(PageQuery(with_text=False))]
        assert at == sorted(at)
        assert [number for (number,) in run.select("SELECT number FROM pages ORDER BY number")] == list(
            range(1, len(best) + 1)
        )
