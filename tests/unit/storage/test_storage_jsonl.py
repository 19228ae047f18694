"""pages.jsonl: what is in a line, what survives a crash."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from record_kit import stored_record as record

from focuscrawl.errors import StoreError
from focuscrawl.records import PageRecord
from focuscrawl.storage.base import Store
from focuscrawl.storage.fanout import FanOutStore
from focuscrawl.storage.jsonl import JsonlStore, page_line
from focuscrawl.storage.reading import PageQuery, Pages

FRONT_DOOR = [
    "url",
    "final_url",
    "host",
    "fetched_at",
    "status",
    "title",
    "text",
    "language",
    "published",
    "category",
    "extractor",
    "relevance",
    "threshold",
    "relevant",
    "depth",
    "tunnel",
    "parent",
    "anchor",
    "predicted",
    "priority",
    "content_digest",
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[JsonlStore]:
    store = JsonlStore(tmp_path / "pages.jsonl")
    store.open()
    yield store
    store.close()


def table(*records: PageRecord) -> Pages:
    """Return what a database with these rows has for ``pages``."""

    def pages(query: PageQuery) -> Iterator[PageRecord]:
        for one in records:
            if query.relevant in (None, one.relevant):
                yield one if query.with_text else dataclasses.replace(one, text="")

    return pages


def reopened(store: JsonlStore) -> JsonlStore:
    store.close()
    store.open()
    return store


def lines(store: JsonlStore) -> list[int]:
    return [int(json.loads(line)["url"].rpartition("/")[2]) for line in store.path.read_bytes().splitlines()]


def test_a_line_has_the_names_of_the_contract_and_plain_chinese() -> None:
    line = page_line(record(1, parent=5)).decode()
    assert set(FRONT_DOOR) <= set(json.loads(line))
    assert '"title": "第1页"' in line
    assert json.loads(line)["key"] == "8000000000000001"
    assert json.loads(line)["parent"] == "0000000000000005"


@settings(deadline=None)  # the machine may be busy
@given(st.text(st.characters(exclude_categories=[]), max_size=40))
def test_any_text_gives_one_line_of_utf8(text: str) -> None:
    line = page_line(record(1, title=text, text=text))
    assert line.decode("utf-8").splitlines() == [line.decode("utf-8").removesuffix("\n")]
    assert json.loads(line)["text"] == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def test_results_only(store: JsonlStore) -> None:
    refused = [
        record(1, relevant=False),
        record(2, duplicate_of=9),
        record(3, withheld="asks not to be indexed"),
    ]
    assert not any(r.is_result for r in refused)
    assert store.put([*refused, record(4)]) == 1
    assert lines(store) == [4]


def test_writing_twice_writes_once(store: JsonlStore) -> None:
    assert store.put([record(1), record(1)]) == 1
    assert store.put([record(1), record(2)]) == 1
    assert reopened(store).put([record(1), record(2)]) == 0
    assert lines(store) == [1, 2]


def test_a_batch_is_readable_at_once(store: JsonlStore) -> None:
    store.put([record(1)])
    assert lines(store) == [1]


def test_killed_in_the_middle_of_a_line_the_file_is_completed(store: JsonlStore) -> None:
    rows = [record(n) for n in range(4)]
    store.put(rows)
    whole = store.path.read_bytes()
    store.close()
    for size in [*range(0, len(whole), 13), *range(len(whole) - 5, len(whole))]:
        store.path.write_bytes(whole[:size])
        store.open()
        assert store.path.read_bytes() == whole[: whole[:size].rfind(b"\n") + 1]
        store.complete(table(*rows))
        assert store.path.read_bytes() == whole
        store.close()
    assert not store.path.with_name("pages.jsonl.old").exists()


def test_a_missing_file_is_made_anew_from_the_rows(store: JsonlStore) -> None:
    rows = [record(n) for n in range(1203)] + [record(5000, relevant=False)]
    assert store.complete(table(*rows)) == 1203
    assert lines(store) == list(range(1203))


def test_a_hole_in_the_middle_is_mended_and_the_old_file_kept(store: JsonlStore) -> None:
    rows = [record(n) for n in range(3)]
    store.put(rows)
    whole = store.path.read_bytes()
    damaged = whole.replace(b'"key": "8000000000000001"', b"\0" * 25)
    store.path.write_bytes(damaged)
    reopened(store).complete(table(*rows))
    assert store.path.read_bytes() == whole
    assert store.path.with_name("pages.jsonl.old").read_bytes().startswith(damaged)


def test_a_line_without_a_row_goes(store: JsonlStore) -> None:
    store.put([record(1), record(2)])
    reopened(store).complete(table(record(2)))
    assert lines(store) == [2]


def test_a_failed_write_leaves_whole_lines(store: JsonlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.put([record(1)])

    class Full:
        """The open file, on a disk that takes ten more bytes."""

        def __init__(self, file: object) -> None:
            self.file, self.first = file, True

        def __getattr__(self, name: str) -> object:
            return getattr(self.file, name)

        def write(self, data: memoryview) -> int:
            if not self.first:
                raise OSError(28, "No space left on device")
            self.first = False
            return int(self.file.write(data[:10]))  # type: ignore[attr-defined]

    good = store._file
    monkeypatch.setattr(store, "_file", Full(good))
    with pytest.raises(StoreError, match=r"cannot be written: no space left on device; the pages are in crawl\.db"):
        store.put([record(2)])
    assert lines(store) == [1]
    monkeypatch.setattr(store, "_file", good)
    assert store.put([record(2)]) == 1
    assert lines(store) == [1, 2]


def test_a_folder_in_the_place_of_the_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "pages.jsonl").mkdir()
    with pytest.raises(StoreError, match="cannot be opened: is a directory"):
        JsonlStore(tmp_path / "pages.jsonl").open()


class Broken(Store):
    """A store that fails where it is told to."""

    def __init__(self, *failing: str) -> None:
        self.failing = failing

    def _do(self, what: str) -> None:
        if what in self.failing:
            raise StoreError(f"{what} failed")

    def open(self) -> None:
        self._do("open")

    def put(self, records: object) -> int:
        self._do("put")
        return 0

    def flush(self) -> None:
        self._do("flush")

    def close(self) -> None:
        self._do("close")


def test_a_failing_store_costs_its_own_copy_only(
    store: JsonlStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    both = FanOutStore({"broken": Broken("put", "flush"), "jsonl": JsonlStore(tmp_path / "other.jsonl")})
    both.open()
    assert both.put([record(1), record(2)]) == 2
    assert both.put([record(3)]) == 1
    both.flush()
    both.close()
    assert both.last_error == {"broken": "flush failed"}
    assert [r.getMessage() for r in caplog.records] == ["store broken: put failed"]
    assert (tmp_path / "other.jsonl").read_bytes().count(b"\n") == 3


def test_what_a_store_wants_or_returns_costs_its_own_copy_only(tmp_path: Path) -> None:
    class Odd(Broken):
        def put(self, records: object) -> int:
            return object()  # type: ignore[return-value]

        def wants(self, record: PageRecord) -> bool:
            raise KeyError("mime")

    class Archive(Broken):
        def wants(self, record: PageRecord) -> bool:
            return True

    jsonl = JsonlStore(tmp_path / "other.jsonl")
    stores = FanOutStore({"odd": Odd(), "jsonl": jsonl})
    stores.open()
    assert not stores.archives(record(1))
    assert stores.put([record(1)]) == 1
    assert stores.last_error.keys() == {"odd"}
    stores.close()
    beside = FanOutStore({"odd": Odd(), "archive": Archive()})
    beside.open()
    assert beside.archives(record(1))
    beside.close()


def test_stores_are_completed_apart(tmp_path: Path) -> None:
    class Incomplete(Broken):
        def complete(self, pages: object) -> int:
            raise OSError("no")

    lines_store = JsonlStore(tmp_path / "pages.jsonl")
    both = FanOutStore({"plain": Broken(), "bad": Incomplete(), "jsonl": lines_store})
    both.open()
    both.complete(table(record(1), record(2, relevant=False)))
    assert lines(lines_store) == [1]
    assert both.last_error.keys() == {"bad"}
    both.close()


def test_what_is_no_store_is_refused() -> None:
    class Duck:
        """Has the methods of a store, but may lack the next one."""

        def open(self) -> None: ...

    with pytest.raises(StoreError, match=r'store "duck": expected a subclass of focuscrawl\.storage\.base\.Store'):
        FanOutStore({"duck": Duck()})  # type: ignore[dict-item]


def test_hooks_a_store_does_not_have_do_nothing() -> None:
    stores = FanOutStore({"plain": Broken()})
    stores.open()
    assert not stores.archives(record(1))
    assert not stores.wants([record(1, relevant=False)])
    stores.note(lambda notes: notes.set_setting("topic", "chess"))
    stores.note(lambda notes: notes.add_event("started"))
    stores.archive([])
    stores.complete(table(record(1)))
    stores.close()
    assert not stores.last_error


class Optional(Broken):
    required = False


def test_no_store_at_all_is_an_error() -> None:
    with pytest.raises(StoreError, match=r"No store can be opened\. open failed"):
        FanOutStore({"broken": Optional("open")}).open()


def test_a_store_that_cannot_be_opened_is_left_out_only_where_it_says_so(tmp_path: Path) -> None:
    class Odd(Broken):
        def open(self) -> None:
            (tmp_path / "none" / "titles.txt").touch()

    class Odder(Broken):
        def open(self) -> None:
            raise KeyError("geheim")  # may be an address with a password

    closed = Broken("close")
    for store, said in (
        (Odd(), rf"{tmp_path}/none/titles\.txt: no such file .*"),
        (Odder(), r"KeyError \(.*, line \d+\)"),
    ):
        with pytest.raises(StoreError, match=rf'^store "odd" cannot be opened: {said}$'):
            FanOutStore({"plain": closed, "odd": store}).open()
    stores = FanOutStore({"plain": Broken(), "broken": Optional("open")})
    stores.open()
    assert stores.last_error == {"broken": "open failed"}
    stores.close()


def test_a_revision_reads_no_line_before_the_first_that_changes(store: JsonlStore) -> None:
    with store.path.open("r+b") as file:  # what is not read is not there to be found wrong
        earlier = [record(n) for n in range(200)]
        store.put(earlier)
        file.write(b"?")
    last, fallen = earlier[-2], earlier[-1]
    begin = store.path.stat().st_ino
    assert store.revise([dataclasses.replace(last, relevance=0.9), dataclasses.replace(fallen, relevant=False)]) == 3
    data = store.path.read_bytes()
    assert data.startswith(b"?" + page_line(earlier[0])[1:] + page_line(earlier[1]))
    lines = [json.loads(line) for line in data.splitlines()[1:]]
    assert [line["url"] for line in lines] == [one.url for one in earlier[1:-1]]
    assert (lines[-1]["relevance"], lines[-2]["relevance"]) == (0.9, 0.5)
    assert store.path.stat().st_ino == begin  # whoever follows the file sees what comes


def test_lines_behind_one_that_is_taken_out_stay_and_are_known(store: JsonlStore) -> None:
    one, two, three = (record(n) for n in range(3))
    store.put([one, two, three])
    assert store.revise([dataclasses.replace(one, relevant=False)]) == 1
    assert store.put([one, two, three]) == 1
    assert store.revise([dataclasses.replace(three, relevance=0.1)]) == 2
    store.close()
    assert store.path.read_bytes() == b"".join(map(page_line, (two, one, dataclasses.replace(three, relevance=0.1))))


def test_a_revision_that_cannot_be_written_leaves_whole_lines(
    store: JsonlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, three = (record(n) for n in range(3))
    store.put([one, two, three])
    monkeypatch.setattr("focuscrawl.storage.jsonl.TemporaryFile", _full)
    with pytest.raises(StoreError, match="no space left"):
        store.revise([dataclasses.replace(two, relevance=0.1)])
    assert store.path.read_bytes() == b"".join(map(page_line, (one, two, three)))


def _full(**_: object) -> None:
    raise OSError(28, "No space left on device")
