"""The dashboard's server over real HTTP: what it refuses, what it shows, what its orders do."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from focuscrawl.dashboard.actions import ORDERS
from focuscrawl.dashboard.answers import Answers
from focuscrawl.dashboard.guard import POLICY, REPORT_POLICY, TOKEN_HEADER
from focuscrawl.dashboard.server import ASSETS, Dashboard
from focuscrawl.dashboard.source import Source, find_source
from focuscrawl.dashboard.state import StateReader
from focuscrawl.errors import StoreError
from focuscrawl.fleet import folder_channel
from focuscrawl.page.urls import url_key
from focuscrawl.report.explanation import explain_url, explanation_json
from focuscrawl.report.read import read_run
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.keys import hex_key
from focuscrawl.storage.run_settings import record_start, record_stop
from focuscrawl.teaching.run import TaughtRun
from focuscrawl.topic.spec import load_topic
from focuscrawl.wording.base import Language

OPENING = "https://chess.example.org/openings/italian"


class Client:
    """Asks a dashboard as a browser would, unless told otherwise."""

    def __init__(self, board: Dashboard) -> None:
        self.board = board

    def ask(
        self, path: str, *, method: str = "GET", body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.board.port, timeout=60)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def look(self, path: str) -> Any:
        return json.loads(self.ask(f"/api/{path}")[2])

    def order(self, name: str, body: object = None, **headers: str) -> tuple[int, Any]:
        given = {"Content-Type": "application/json", TOKEN_HEADER: self.board.token, **headers}
        data = json.dumps({} if body is None else body).encode()
        status, _, answer = self.ask(f"/api/orders/{name}", method="POST", body=data, headers=given)
        return status, json.loads(answer)

    def events(self, number: int) -> list[tuple[str, Any]]:
        """Return the first events of the stream."""
        connection = http.client.HTTPConnection("127.0.0.1", self.board.port, timeout=60)
        connection.request("GET", "/api/events")
        answer = connection.getresponse()
        found: list[tuple[str, Any]] = []
        name = ""
        while len(found) < number:
            line = answer.readline().decode()
            if line.startswith("event: "):
                name = line[7:].strip()
            elif line.startswith("data: "):
                found.append((name, json.loads(line[6:])))
        connection.close()
        return found


@pytest.fixture
def client(finished: Any) -> Iterator[Client]:
    board = Dashboard(find_source([str(finished.folder.path)]), port=0)
    thread = Thread(target=board.serve)
    thread.start()
    yield Client(board)
    board.close()
    thread.join()


def test_in_a_container_it_listens_on_all_addresses_and_answers_to_loopback_alone(finished: Any) -> None:
    board = Dashboard(find_source([str(finished.folder.path)]), port=0, listen="0.0.0.0")
    thread = Thread(target=board.serve)
    thread.start()
    try:
        assert board.own_address.startswith(f"http://127.0.0.1:{board.port}/#token=")
        assert Client(board).ask("/")[0] == 200
        assert Client(board).ask("/", headers={"Host": f"0.0.0.0:{board.port}"})[0] == 403
    finally:
        board.close()
        thread.join()


@pytest.mark.parametrize("shared", [False, True])
def test_folders_of_workers_elsewhere_are_read_where_the_volume_is_shared(finished: Any, shared: bool) -> None:
    source = Source([], shared=shared)
    folder = str(finished.folder.path.resolve())
    source.add_folders([{"run": folder, "machine": "another"}, {"run": folder + "/none", "machine": "another"}])
    assert source.references == ([folder] if shared else [])


# ------------------------------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("headers", "word"),
    [
        ({"Host": "evil.example"}, "Host"),  # DNS rebinding: the name of a stranger leads here
        ({"Host": "127.0.0.1"}, "Host"),  # another port
        ({"Host": ""}, "Host"),
        ({"Origin": "http://evil.example"}, "Origin"),
        ({"Origin": "null"}, "Origin"),
        ({"Origin": "https://127.0.0.1"}, "Origin"),
        ({"Sec-Fetch-Site": "cross-site"}, "Sec-Fetch-Site"),
        ({"Sec-Fetch-Site": "same-site"}, "Sec-Fetch-Site"),  # another port of this machine
    ],
)
def test_what_a_stranger_asks_is_refused(client: Client, headers: dict[str, str], word: str) -> None:
    for path in ("/", "/api/search?q=x", "/api/events", "/assets/app.js"):
        status, _, body = client.ask(path, headers=headers)
        assert status == 403
        assert json.loads(body)["fault"].startswith(word)
    assert client.order("stop", **headers)[0] == 403
    assert folder_channel.read(Path(client.board.source.references[0])) == ([], 0)


@pytest.mark.parametrize(
    ("headers", "word"),
    [
        ({TOKEN_HEADER: ""}, "Token"),
        ({TOKEN_HEADER: "guessed"}, "Token"),
        ({"Content-Type": "text/plain"}, "Content-Type"),  # what a form of another site can send unasked
        ({"Content-Type": "application/x-www-form-urlencoded"}, "Content-Type"),
    ],
)
def test_no_order_without_token_and_json(client: Client, headers: dict[str, str], word: str) -> None:
    for order in ORDERS:
        status, answer = client.order(order, **headers)
        assert (status, answer["fault"].partition(":")[0]) == (403, word)
    assert folder_channel.read(Path(client.board.source.references[0])) == ([], 0)


def test_the_names_of_this_machine_are_taken(client: Client) -> None:
    port = client.board.port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}"):
        assert client.ask("/", headers={"Host": host, "Origin": f"http://{host.lower()}"})[0] == 200


def test_only_loopback_is_listened_on(client: Client) -> None:
    assert client.board._server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize(
    ("body", "length", "status"),
    [(b"{", None, 400), (b"[]", None, 400), (b"{}", "99999999", 400), (b"{}", "many", 400), (b"", None, 400)],
)
def test_what_is_no_order_is_refused(client: Client, body: bytes, length: str | None, status: int) -> None:
    headers = {"Content-Type": "application/json", TOKEN_HEADER: client.board.token}
    headers |= {"Content-Length": length} if length else {}
    assert client.ask("/api/orders/pause", method="POST", body=body, headers=headers)[0] == status


def test_unknown_paths_and_orders_are_said(client: Client) -> None:
    assert client.ask("/api/nothing")[0] == 404
    assert client.ask("/../../etc/passwd")[0] == 404
    assert client.ask("/assets/../server.py")[0] == 404
    assert client.order("explode")[0] == 404


def test_every_answer_has_the_policy(client: Client) -> None:
    for path in ("/", "/assets/app.js", "/api/texts", "/nothing"):
        headers = client.ask(path)[1]
        assert headers["Content-Security-Policy"] == POLICY
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "unsafe" not in POLICY


class _Inline(HTMLParser):
    """Collects what a policy without inline scripts would not run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.asked: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.found += [name for name in given if name.startswith("on") or name == "style"]
        if tag in ("script", "link"):
            address = given.get("src") or given.get("href")
            if address is None:
                self.found.append(tag)
            else:
                self.asked.append(address)


def test_the_page_runs_nothing_inline_and_asks_nobody_else() -> None:
    folder = files("focuscrawl.dashboard").joinpath("assets")
    page = _Inline()
    page.feed(folder.joinpath("index.html").read_text())
    assert page.found == []
    assert set(page.asked) <= set(ASSETS)
    for name in ASSETS.values():
        text = folder.joinpath(*name.split("/")).read_text()
        for imported in re.findall(r'from "(\./[^"]+)"', text):
            assert f"/assets/{imported[2:]}" in ASSETS
        if not name.startswith("vendor/"):
            assert set(re.findall(r"https?://[^\"'\s)]+", text)) <= {"http://www.w3.org/2000/svg"}


def test_scripts_of_others_come_with_their_licences() -> None:
    folder = files("focuscrawl.dashboard").joinpath("assets", "vendor")
    for name, words in (
        ("htm", "Apache License"),
        ("preact", "Permission is hereby"),
        ("uplot", "Permission is hereby"),
    ):
        assert words in folder.joinpath(f"LICENSE-{name}.txt").read_text()


# --------------------------------------------------------------------------------------------------------------- looks


def test_the_state_has_the_numbers_of_the_status(client: Client, finished: Any) -> None:
    (name, finds), (_, first), (_, state) = client.events(3)
    assert first["numbers"]["queued"] is None  # a long queue takes a while to count
    with CrawlDb.open_readonly(finished.folder.db) as db:
        run = read_run(db)
    numbers = state["numbers"]
    assert name == "finds"
    assert numbers["pages"] == run.pages
    assert numbers["relevant"] == run.found == state["curve"]["found"][-1]
    assert numbers["stored"] == run.stored == len(finds)
    assert numbers["harvest"] == pytest.approx(run.harvest)
    assert numbers["threshold"] == run.last_threshold
    assert numbers["queued"] == 2
    assert numbers["goal"] == 6
    assert state["run"]["state"] == "ended"
    assert state["run"]["reason"] == "budget"
    assert {line["host"]: line["queued"] for line in state["hosts"]}["chess.example.org"] == 2
    assert sum(line["count"] for line in state["errors"]) == run.failed + run.refused
    assert state["curve"]["breadth"][0] == [0.0, 0.0]


def test_a_find_has_its_address_for_people(client: Client) -> None:
    (_, finds), _ = client.events(2)
    other = next(find for find in finds if "blog" in find["host"])
    assert other["shown"] == "https://blog.example.com/意大利开局/1"
    assert "%" in other["url"]


def test_an_explanation_is_that_of_the_command(client: Client, finished: Any) -> None:
    with CrawlDb.open_readonly(finished.folder.db) as db:
        wanted = json.loads(json.dumps(explanation_json(explain_url(db, OPENING))))
    answer = client.look(f"explain?url={OPENING}")
    assert {name: answer[name] for name in wanted} == wanted


def test_what_is_not_known_is_one_sentence(client: Client) -> None:
    assert "has not seen this URL" in client.look("explain?url=https://chess.example.org/x")["fault"]
    assert "no fetched page" in client.look("neighbourhood?key=1")["fault"]
    assert "16 hex digits" in client.look("neighbourhood?key=zz")["fault"]


@pytest.mark.parametrize(
    ("query", "found"),
    [("白方", 1), ("ITALIAN", 1), ("italian%20白方", 1), ("italian%20nowhere", 0), ("%25", 1), ("_", 0), ("", 0)],
)
def test_search_takes_all_words_anywhere_and_nothing_as_a_pattern(client: Client, query: str, found: int) -> None:
    from urllib.parse import quote

    pages = client.look(f"search?q={quote(query, safe='%')}")["pages"]
    assert len(pages) == found


@pytest.mark.parametrize("query", ["Москва", "москва", "МОСКВА", "étude", "ÉTUDE"])
def test_search_finds_letters_beyond_ascii_small_and_capital(client: Client, finished: Any, query: str) -> None:
    from urllib.parse import quote

    with CrawlDb.open(finished.folder.db) as db, db.transaction() as connection:
        connection.execute("UPDATE pages SET title = 'Étude: Москва' WHERE final_url = ?", (OPENING,))
    assert [page["url"] for page in client.look(f"search?q={quote(query)}")["pages"]] == [OPENING]


def test_pages_at_the_border_have_text(client: Client) -> None:
    pages = client.look("borderline")["pages"]
    assert pages
    assert all(page["kept"] for page in pages)


def test_the_neighbourhood_is_that_of_the_links(client: Client, finished: Any) -> None:
    db = CrawlDb.open(finished.folder.db)
    home, opening = url_key("https://chess.example.org/"), url_key(OPENING)
    with db.transaction() as connection:
        for source, targets in ((home, [opening, url_key("https://chess.example.org/next")]), (opening, [home])):
            signed = [key - (1 << 64) if key >> 63 else key for key in (source, *targets)]
            connection.execute("INSERT INTO page_links VALUES (?, ?)", (signed[0], json.dumps(signed[1:])))
    db.close()
    answer = client.look(f"neighbourhood?key={hex_key(home)}")
    assert [node["url"] for node in answer["from"]] == [OPENING]
    assert [node["url"] for node in answer["to"]] == [OPENING]
    assert [node["label"] for node in answer["waiting"]] == ["下一页"]


def test_the_host_map_has_every_host_inside(client: Client) -> None:
    answer = client.look("hosts")
    assert {host["host"] for host in answer["hosts"]} >= {"chess.example.org", "blog.example.com"}
    assert all(0.0 <= host[axis] <= 1.0 for host in answer["hosts"] for axis in ("x", "y"))


def test_texts_come_in_both_languages(client: Client) -> None:
    english, chinese = client.look("texts?lang=en")["texts"], client.look("texts?lang=zh")["texts"]
    assert english.keys() == chinese.keys()
    assert english["PAUSE"] == "Pause"
    assert chinese["PAUSE"] == "暂停"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_begins_in_the_language_that_was_named(finished: Any, language: Language) -> None:
    board = Dashboard(find_source([str(finished.folder.path)]), port=0, language=language)
    thread = Thread(target=board.serve)
    thread.start()
    try:
        assert Client(board).look("texts")["language"] == language
        assert Client(board).look("texts?lang=en")["language"] == "en"  # the button of the page goes first
    finally:
        board.close()
        thread.join()


def test_every_text_the_script_asks_for_is_there(client: Client) -> None:
    known = client.look("texts?lang=en")["texts"]
    folder = files("focuscrawl.dashboard").joinpath("assets")
    asked: set[str] = set()
    for name in ASSETS.values():
        if name.endswith(".js") and not name.startswith("vendor/"):
            text = folder.joinpath(name).read_text()
            asked |= set(re.findall(r'\bt\("([A-Z_]+)"', text)) | set(re.findall(r'"([A-Z]+_[A-Z_]+)"', text))
    assert len(asked) > 60
    assert asked <= known.keys()


# -------------------------------------------------------------------------------------------------------------- orders


@pytest.mark.parametrize(
    ("name", "body", "fields"),
    [
        ("pause", {}, {}),
        ("resume", {}, {}),
        ("stop", {}, {"detail": "from the dashboard"}),
        ("ban-host", {"host": "Spam.Example"}, {"host": "spam.example"}),
        (
            "add-seeds",
            {"urls": "http://a.example/x\nhttps://b.example\n"},
            {"urls": ["http://a.example/x", "https://b.example/"]},
        ),
        ("set", {"limit": "pages=50"}, {"name": "pages", "value": 50.0}),
        ("retopic", {"topic": "clc:R2"}, {}),
    ],
)
def test_an_order_is_a_command_of_the_control_plane(
    client: Client, finished: Any, name: str, body: dict[str, str], fields: dict[str, object]
) -> None:
    status, answer = client.order(name, body)
    assert (status, answer.get("number")) == (200, 1), answer
    (command,), _ = folder_channel.read(finished.folder.path)
    given = command.model_dump()
    assert given["command"] == name
    assert {field: given[field] for field in fields} == fields


@pytest.mark.parametrize(
    ("name", "body", "word"),
    [
        ("ban-host", {"host": "a b/c"}, "no host"),
        ("ban-host", {}, "host"),
        ("ban-host", {"host": "x", "more": 1}, "more"),
        ("add-seeds", {"urls": "/etc/passwd"}, "http"),  # a file of this machine is no list of seeds here
        ("add-seeds", {"urls": "  "}, "no URLs"),
        ("set", {"limit": "pages=-1"}, "0 or more"),
        ("retopic", {"topic": "nowhere.toml"}, "nowhere"),
        ("answer", {"key": "0" * 16}, "relevant"),
        ("answer", {"key": "0" * 17, "relevant": True}, "key"),
        ("answer", {"key": "0" * 16, "relevant": "yes"}, "relevant"),
        ("undo-answer", {}, "no answer to take back"),
    ],
)
def test_a_wrong_order_is_one_sentence_and_does_nothing(
    client: Client, finished: Any, name: str, body: dict[str, Any], word: str
) -> None:
    status, answer = client.order(name, body)
    assert status == 422
    assert word in answer["fault"]
    assert folder_channel.read(finished.folder.path) == ([], 0)


def test_the_last_event_is_the_final_state(finished: Any) -> None:
    folder = finished.folder
    with CrawlDb.open(folder.db) as db:
        record_start(db)  # it goes on
        board = Dashboard(find_source([str(folder.path)]), port=0)
        thread = Thread(target=board.serve)
        thread.start()
        connection = http.client.HTTPConnection("127.0.0.1", board.port, timeout=60)
        connection.request("GET", "/api/events")
        answer = connection.getresponse()
        while not answer.readline().startswith(b"event: state"):
            pass
        before = json.loads(answer.readline()[6:])
        # A page judged again when its host was known changes its row, not its number; then the crawl ends
        with db.transaction() as rows:
            rows.execute("UPDATE pages SET relevant = 1 WHERE number = (SELECT min(number) FROM pages)")
        record_stop(db, "exhausted")
        board.close()
        thread.join()
        *_, last = [json.loads(line[6:]) for line in answer.read().splitlines() if line.startswith(b"data: {")]
        connection.close()
    assert before["run"]["state"] == "running"
    assert (last["run"]["state"], last["run"]["reason"]) == ("ended", "exhausted")
    assert last["numbers"]["relevant"] == before["numbers"]["relevant"] + 1
    # This process lives on, but crawls no more
    assert (len(before["workers"]), last["workers"], last["numbers"]["rate"]) == (1, [], 0.0)


def test_the_report_is_served_in_a_sandbox(client: Client, finished: Any) -> None:
    assert client.ask("/report")[0] == 404
    assert StateReader(client.board.source).read()["report"] == ""
    finished.folder.report.write_text("<!doctype html>a report")
    status, headers, body = client.ask("/report")
    assert (status, body) == (200, b"<!doctype html>a report")
    assert headers["Content-Security-Policy"] == REPORT_POLICY
    sandbox, *_ = REPORT_POLICY.split(";")
    assert sandbox.startswith("sandbox ")
    assert "allow-same-origin" not in sandbox  # it could take the token of the page
    assert StateReader(client.board.source).read()["report"] == str(finished.folder.report)


def test_answers_are_kept_as_they_come_and_taken_back(
    client: Client, finished: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    topic = tmp_path / "chess.toml"
    topic.write_text('name = "chess"\nlanguage = "zh"\n[terms]\n"象棋" = 1.0\n', encoding="utf-8")
    with CrawlDb.open(finished.folder.db) as db:
        db.set_setting("topic_file", str(topic))
    key = hex_key(url_key(OPENING))
    status, answer = client.order("answer", {"key": key, "relevant": True})
    assert (status, answer["answers"], answer["waiting"], answer["undo"]) == (200, {OPENING: True}, 1, True)
    assert [(one.url, one.relevant) for one in load_topic(str(topic)).examples] == [(OPENING, True)]
    _, answer = client.order("answer", {"key": key, "relevant": False})
    assert (answer["answers"], answer["waiting"]) == ({OPENING: False}, 1)
    _, answer = client.order("undo-answer")
    assert (answer["answers"], answer["undo"]) == ({OPENING: True}, True)
    # Another dashboard has them, and knows that the run is not judged by them yet
    again = Answers(client.board.source).given()
    assert (again["answers"], again["waiting"], again["undo"]) == ({OPENING: True}, 1, False)
    _, answer = client.order("apply-answers")
    assert (answer["examples"], answer["running"], answer["waiting"]) == (1, False, 0)
    assert Answers(client.board.source).given()["waiting"] == 0
    # What was applied is not taken back by undo
    assert client.order("undo-answer")[0] == 422
    gone = hex_key(url_key("https://chess.example.org/gone"))
    status, answer = client.order("answer", {"key": gone, "relevant": True})
    assert (status, "keeps no text" in answer["fault"]) == (422, True)


def test_an_answer_that_cannot_be_written_is_none_and_one_that_stands_can_be_taken_back(
    client: Client, finished: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keep(self: TaughtRun, examples: object) -> None:
        raise StoreError("no space left on the disk.")

    topic = tmp_path / "chess.toml"
    topic.write_text('name = "chess"\nlanguage = "zh"\n[terms]\n"象棋" = 1.0\n', encoding="utf-8")
    with CrawlDb.open(finished.folder.db) as db:
        db.set_setting("topic_file", str(topic))
    order = {"key": hex_key(url_key(OPENING)), "relevant": True}
    with monkeypatch.context() as full:
        full.setattr(TaughtRun, "keep", keep)
        assert client.order("answer", order)[0] == 422
    given = client.look("answers")
    assert (given["answers"], given["waiting"], given["undo"]) == ({}, 0, False)
    client.order("answer", order)
    with monkeypatch.context() as full:
        full.setattr(TaughtRun, "keep", keep)
        assert client.order("undo-answer")[0] == 422
    _, given = client.order("undo-answer")
    assert (given["answers"], given["waiting"], given["undo"]) == ({}, 0, False)


def test_a_crawl_that_cannot_be_steered_says_so(client: Client) -> None:
    client.board.source.place = None
    assert client.order("pause")[1]["fault"] == "This crawl cannot be steered from here."
