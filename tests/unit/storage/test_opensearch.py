"""Results in an index: against a double of the server's protocol, with the real client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext

import pytest
from record_kit import stored_record
from search_kit import Server, search_server

from focuscrawl.config import FocusConfig
from focuscrawl.errors import ConfigError, StoreError
from focuscrawl.records import PageRecord
from focuscrawl.storage.keys import hex_key
from focuscrawl.storage.opensearch import OpenSearchStore
from focuscrawl.storage.page_index import PageIndex, document, mapping, parse_index

pytest.importorskip("opensearchpy", reason="the extra opensearch is not installed")


@pytest.fixture
def server() -> Iterator[Server]:
    with search_server() as state:
        yield state


@pytest.fixture
def url(server: Server) -> str:
    return server.url


@pytest.fixture
def store(url: str) -> Iterator[OpenSearchStore]:
    made = OpenSearchStore(url)
    made.open()
    yield made
    made.close()


def record(n: int, **changes: object) -> PageRecord:
    fields: dict[str, object] = {
        "text": "茶的历史。\ud800",
        "keywords": ("茶", "壶"),
        "records": ({"text": "绿茶", "author": "Jo \ud800"},),
        "evidence": {"title": {"茶": 2}},
    }
    return stored_record(n, **fields | changes)


def test_results_are_documents_under_their_keys(server: Server, store: OpenSearchStore) -> None:
    assert store.put([record(1), record(2, relevant=False), record(3), record(1)]) == 3
    assert set(server.documents) == {hex_key(2**63 + 1), hex_key(2**63 + 3)}
    found = server.documents[hex_key(2**63 + 1)]
    assert found == json.loads(json.dumps(document(record(1))))
    assert (found["title"], found["fetched_at"], found["text"]) == (
        "第1页",
        "2026-09-21T14:13:21.250+00:00",
        "茶的历史。\ufffd",
    )
    assert found["records"] == [{"text": "绿茶", "author": "Jo \ufffd"}]


def test_the_index_is_made_with_an_analyser_for_chinese_and_left_alone_when_it_is_there(
    server: Server, store: OpenSearchStore, url: str
) -> None:
    assert server.index == json.loads(json.dumps(mapping()))
    fields = server.index["mappings"]["properties"]
    assert (fields["text"]["analyzer"], fields["text"]["fields"]["en"]["analyzer"]) == ("cjk", "english")
    assert (fields["fetched_at"]["type"], fields["host"]["type"], fields["evidence"]["enabled"]) == (
        "date",
        "keyword",
        False,
    )
    server.index = {"own": True}
    again = OpenSearchStore(url)
    again.open()
    again.close()
    assert server.index == {"own": True}
    assert store.put([record(1)]) == 1


def test_what_broke_off_goes_on_where_it_stopped(server: Server, store: OpenSearchStore) -> None:
    store.put([record(n) for n in range(5)])
    server.sent = 0
    changed = record(2, relevance=0.75)
    pages = [record(0), record(1), changed, record(9), record(10, relevant=False)]
    assert store.complete(lambda *_: iter(pages)) == 2
    assert server.sent == 2
    assert server.documents[hex_key(changed.key)]["relevance"] == 0.75


def test_pages_that_are_results_no_more_are_taken_out(server: Server, store: OpenSearchStore) -> None:
    store.put([record(1), record(2)])
    assert store.revise([record(1, relevant=False), record(3), record(4, relevant=False)]) == 2
    assert set(server.documents) == {hex_key(2**63 + 2), hex_key(2**63 + 3)}


def test_a_run_that_goes_on_takes_out_what_is_no_result_since(server: Server, store: OpenSearchStore) -> None:
    store.put([record(n) for n in range(4)])
    pages = [
        record(0),
        record(1, relevant=False, relevance=0.2),  # by examples
        record(2, relevant=False, fetched_at=1.0),  # of another fetch: another run has found it since
        record(9, relevant=False),
    ]
    assert store.complete(lambda *_: iter(pages)) == 0
    assert set(server.documents) == {hex_key(2**63 + n) for n in (0, 2, 3)}


def test_a_server_without_room_is_asked_again(
    server: Server, store: OpenSearchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("opensearchpy.helpers.actions.time.sleep", waits.append)
    server.busy = 2
    assert store.put([record(1), record(2)]) == 2
    assert waits == [1]


def test_a_refused_document_is_one_sentence_and_the_others_are_kept(server: Server, store: OpenSearchStore) -> None:
    server.amiss = {hex_key(2**63 + 2)}
    with pytest.raises(StoreError, match=r"/tea: 1 of 3 pages were refused: failed to parse field\.$"):
        store.put([record(1), record(2), record(3)])
    assert len(server.documents) == 2


def test_a_server_that_is_away_is_asked_after_a_pause_and_at_the_end(server: Server, url: str) -> None:
    now = 0.0
    store = OpenSearchStore(url, clock=lambda: now)
    store.open()
    server.status = 503
    with pytest.raises(StoreError, match="the server answers 503"):
        store.put([record(1)])
    server.status = 0
    assert store.put([record(2)]) == 0  # a crawl waits for each batch, and must not wait for the server each time
    now = 1.0
    assert store.put([record(3)]) == 3
    server.status = 503
    for at, is_asked in ((1.0, True), (1.5, False), (2.0, True), (3.5, False), (4.0, True), (6.0, False)):
        now = at
        with pytest.raises(StoreError) if is_asked else nullcontext():
            assert store.put([record(4 + int(10 * at))]) == 0
    server.status = 0
    store.flush()
    assert server.sent == 9
    store.close()


def test_a_page_that_is_a_result_now_waits_for_a_server_that_is_away(server: Server, store: OpenSearchStore) -> None:
    server.status = 503
    with pytest.raises(StoreError, match="the server answers 503"):
        store.revise([record(1, relevant=False), record(2)])
    server.status = 0
    store.flush()
    assert set(server.documents) == {hex_key(2**63 + 2)}


def test_what_a_server_was_away_too_long_for_is_told_and_counted(
    server: Server, url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("focuscrawl.storage.opensearch._MAX_PENDING", 3)
    now = 0.0
    store = OpenSearchStore(url, clock=lambda: now)
    store.open()
    server.status = 503
    with pytest.raises(StoreError):
        store.put([record(n) for n in range(3)])
    assert store.dropped == 0
    store.put([record(3), record(4)])
    store.put([record(5)])
    where = url.replace("opensearch:", "http:")

    def told() -> list[str]:
        return [one.getMessage() for one in caplog.records if one.name == "focuscrawl.storage.opensearch"]

    full = f"{where}: 3 results wait for the server, no more can; the oldest are sent when the run goes on"
    assert (store.dropped, told()) == (3, [full])
    server.status, now = 0, 1.0
    assert store.put([record(6)]) == 4
    assert set(server.documents) == {hex_key(2**63 + n) for n in (3, 4, 5, 6)}
    server.status = 503
    with pytest.raises(StoreError):
        store.put([record(7)])
    with pytest.raises(StoreError):
        store.flush()
    store.close()
    assert store.dropped == 4
    assert told()[1:] == [
        f"{where}: 4 results were not sent; they are when the run goes on, or with focuscrawl export RUN --to"
    ]


@pytest.mark.parametrize(
    ("status", "sentence"),
    [(401, "wants other credentials"), (403, "may not write there"), (500, "the server answers 500")],
)
def test_a_server_that_refuses_is_one_sentence(server: Server, url: str, status: int, sentence: str) -> None:
    server.status = status
    index = PageIndex(parse_index(url))
    with pytest.raises(StoreError, match=sentence) as raised:
        index.open()
    assert "\n" not in str(raised.value)
    index.close()


def test_a_server_that_is_not_there_is_one_sentence() -> None:
    index = PageIndex(parse_index("opensearch://127.0.0.1:1/tea"))
    with pytest.raises(StoreError, match=r"^http://127.0.0.1:1/tea: no server answers there\.$"):
        index.open()
    index.close()


def test_credentials_are_of_the_environment_and_go_nowhere_else(
    server: Server, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENSEARCH_USER", "me")
    monkeypatch.setenv("OPENSEARCH_PASSWORD", "s3cret")
    index = PageIndex(parse_index(url))
    index.open()
    index.close()
    assert {line[2] for line in server.asked} == {"Basic bWU6czNjcmV0"}
    with pytest.raises(StoreError, match="credentials are not sent without TLS") as raised:
        PageIndex(parse_index("opensearch://search.example/tea")).open()
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "http://a/b",
        "opensearch://a",
        "opensearch:///b",
        "opensearch://a/b/c",
        "opensearch://a/B",
        "opensearch://a:x/b",
    ],
)
def test_an_address_that_is_none_is_one_sentence(url: str) -> None:
    with pytest.raises(ConfigError, match=r"expected opensearch\+https://host:9200/index"):
        parse_index(url)
    with pytest.raises(ConfigError, match=r"^FOCUSCRAWL_OPENSEARCH_URL: The address of an index"):
        FocusConfig.from_settings({"FOCUSCRAWL_STORES": "opensearch", "FOCUSCRAWL_OPENSEARCH_URL": url})


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigError) as raised:
        parse_index("opensearch+https://me:s3cret@a.example/tea")
    assert "s3cret" not in str(raised.value)
    assert "OPENSEARCH_PASSWORD" in str(raised.value)
