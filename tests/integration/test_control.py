"""Orders to a crawl that runs: of one process by its run folder, of a fleet over Redis."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from crawl_kit import comes_true, crawl_here, crawl_together, topic_file, until
from redis_kit import RedisServer
from site_kit import Site

from focuscrawl.cli.fleet_status import _row
from focuscrawl.cli.main import run as command_line
from focuscrawl.cli.status import show_status
from focuscrawl.crawler.control import CrawlControl
from focuscrawl.crawler.summary import summary
from focuscrawl.dashboard.source import find_source
from focuscrawl.dashboard.state import StateReader
from focuscrawl.errors import ConfigError
from focuscrawl.fleet import redis_channel
from focuscrawl.fleet.channel import WorkerReport, WorkerStatus
from focuscrawl.fleet.overview import worker_overview
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.glue.session import CrawlSession
from focuscrawl.report.read import read_run
from focuscrawl.report.sections import failures
from focuscrawl.report.times import when
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.run_settings import PAUSED, RESUMED, STARTED, STOPPED, RunSettings, RunTimes
from focuscrawl.wording.base import Say

KITCHEN = """
name = "kitchen"
language = "en"

[terms]
"bread" = 1.0
"butter" = 0.8
"dough" = 0.8
"oven" = 0.6

[judge]
name = "vsm"
threshold = 0.15
"""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Crawls look for commands ten times a second."""
    monkeypatch.setitem(CrawlControl.__init__.__kwdefaults__, "every_s", 0.1)


def fleet(*args: str) -> int:
    """Give an order on the command line; return its exit code."""
    try:
        command_line(["fleet", *args])
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@contextmanager
def meanwhile(work: Callable[[], None]) -> Iterator[None]:
    """Do something in a thread beside the crawl; what goes wrong there goes wrong here."""
    faults: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:
            faults.append(error)

    thread = threading.Thread(target=guarded)
    thread.start()
    try:
        yield
    finally:
        thread.join(60)
    if faults:
        raise faults[0]


def asked(site: Site, least: int) -> Callable[[], bool]:
    return lambda: len(site.paths()) >= least


@contextmanager
def in_a_pause(run: Path, site: Site, steer: Callable[[tuple[str, str]], None]) -> Iterator[list[int]]:
    """Pause the crawl of a run once it has asked for four pages, and let it go on after `steer`.

    The list has then how much the site was asked before. `steer` is given the options that name the run.
    """
    asked_before: list[int] = []
    on = ("--on", str(run))

    def work() -> None:
        until(asked(site, 4))
        assert fleet("pause", *on) == 0
        until(lambda: _rests(run, site))
        asked_before.append(len(site.paths()))
        steer(on)
        assert fleet("resume", *on) == 0

    with meanwhile(work):
        yield asked_before


def _rests(run: Path, site: Site) -> bool:
    """Tell whether a crawl is paused, and nothing is under way any more."""
    if "paused; " not in (run / "run.log").read_text(encoding="utf-8"):
        return False
    before = len(site.paths())
    time.sleep(0.25)
    return len(site.paths()) == before


def test_a_process_is_paused_goes_on_bans_and_gets_another_limit(
    site: Site, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    topic = topic_file(tmp_path, site.url("/page/0"))
    site.page_delay(0.05)
    run = tmp_path / "run"

    def steer(on: tuple[str, str]) -> None:
        assert fleet("status", "--json", *on) == 0
        assert fleet("set", "pages=12", *on) == 0
        assert fleet("ban-host", "other.example", *on) == 0
        assert fleet("add-seeds", site.url("/page/59"), *on) == 0

    with in_a_pause(run, site, steer) as asked_before:
        done = crawl_here(run, topic=str(topic), pages=0, settings={"CONCURRENT_REQUESTS": 1})
    assert done.session is not None
    assert done.session.ending is not None
    assert (done.session.ending.reason, done.session.ending.detail) == ("budget", "12 pages")
    assert len(site.paths()) == 12
    assert site.paths().index("/page/59") <= asked_before[0] + 2
    assert done.session.crawl.step.scope.refusal("http://a.other.example/", "a.other.example", 1) == "host is banned"
    out = capfd.readouterr().out
    status = json.loads(out[out.index("{") : out.rindex("}") + 1])
    assert status["paused"]
    assert status["process"]
    assert status["pages"] == asked_before[0]
    with CrawlDb.open_readonly(run / "crawl.db") as db:
        began, paused, resumed, ended = [
            event.at for event in db.events() if event.kind in (STARTED, PAUSED, RESUMED, STOPPED)
        ]
        assert status["paused_since"] == paused
        assert RunTimes.load(db).worked_s(None) == pytest.approx(ended - began - (resumed - paused))


def test_a_run_goes_on_beyond_a_limit_it_was_told(site: Site, tmp_path: Path) -> None:
    topic = topic_file(tmp_path, site.url("/page/0"))
    run = tmp_path / "run"

    def pages(**arguments: Any) -> tuple[int, str]:
        done = crawl_here(run, **arguments)
        assert done.session is not None
        assert done.session.ending is not None
        return len(done.pages()), done.session.ending.detail

    assert pages(topic=str(topic), pages=5) == (5, "5 pages")
    for limit in (7, 9):
        assert fleet("set", f"pages={limit}", "--on", str(run)) == 0
    assert pages() == (9, "9 pages")
    assert pages(pages=12) == (12, "12 pages")
    assert pages() == (12, "12 pages")
    with pytest.raises(ConfigError, match="pages = 12 leaves nothing to fetch, the run has 12 pages already"):
        crawl_here(run, pages=12)
    assert fleet("set", "pages=14", "--on", str(run)) == 0
    assert pages() == (14, "14 pages")


def test_a_pause_of_a_fleet_is_noted_in_every_run_folder_and_told(
    site: Site, tmp_path: Path, redis_server: RedisServer, capfd: pytest.CaptureFixture[str]
) -> None:
    topic_file(tmp_path, site.url("/page/0"))
    site.page_delay(0.5)  # until all have begun and heard of the pause
    on = ("--on", redis_server.url, "--crawl", str(tmp_path))
    told: list[tuple[float | None, str, float | None]] = []

    def times(number: int) -> RunTimes:
        with CrawlDb.open_readonly(tmp_path / f"run{number}" / "crawl.db") as db:
            return RunTimes.load(db)

    def look() -> None:
        assert fleet("status", *on) == 0
        run = StateReader(find_source([], redis_server.url, str(tmp_path))).read()["run"]
        told.append((run["paused_since"], run["state"], times(0).paused_since))
        site.page_delay(0.0)

    async def steer(sessions: Sequence[CrawlSession]) -> None:
        await comes_true(lambda: all(one.is_open and one.crawl.step.counters.pages for one in sessions))
        assert await asyncio.to_thread(fleet, "pause", *on) == 0
        await comes_true(lambda: all(times(number).paused_since for number in (0, 1)))
        await asyncio.to_thread(look)
        assert await asyncio.to_thread(fleet, "resume", *on) == 0

    crawl_together(tmp_path, redis_server, steer=steer, pages=60, settings={"CONCURRENT_REQUESTS": 1})
    ((since, state, noted),) = told
    assert since is not None
    assert noted is not None
    assert state == "paused"
    assert since <= noted  # the order was given before a worker carried it out
    assert f"paused since {when(since)}" in capfd.readouterr().out
    for number in (0, 1):
        after = times(number)
        assert after.paused_since is None
        assert after.idle_s > 0.0


def test_another_topic_of_a_fleet_is_the_title_of_every_run(
    site: Site, tmp_path: Path, redis_server: RedisServer
) -> None:
    topic_file(tmp_path, site.url("/page/0"))
    (tmp_path / "kitchen.toml").write_text(KITCHEN, encoding="utf-8")
    site.page_delay(0.2)
    on = ("--on", redis_server.url, "--crawl", str(tmp_path))
    shown: list[dict[str, Any]] = []

    def kept(number: int) -> tuple[str, str]:
        with CrawlDb.open_readonly(tmp_path / f"run{number}" / "crawl.db") as db:
            settings = RunSettings.load(db)
        return settings.topic, settings.title

    def look() -> None:
        shown.append(StateReader(find_source([], redis_server.url, str(tmp_path))).read()["run"])
        site.page_delay(0.0)

    async def steer(sessions: Sequence[CrawlSession]) -> None:
        await comes_true(lambda: all(one.is_open and one.crawl.step.counters.pages for one in sessions))
        assert await asyncio.to_thread(fleet, "retopic", str(tmp_path / "kitchen.toml"), *on) == 0
        await comes_true(lambda: all(kept(number)[1] == "kitchen" for number in (0, 1)))
        await asyncio.to_thread(look)

    crawl_together(tmp_path, redis_server, steer=steer, pages=60, settings={"CONCURRENT_REQUESTS": 1})
    assert [kept(number) for number in (0, 1)] == [("lighthouses", "kitchen")] * 2  # it belongs to the same crawl
    assert (shown[0]["topic"], shown[0]["title"]) == ("kitchen", "kitchen")


def test_no_link_of_a_banned_host_waits_or_is_fetched(
    site: Site, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    topic = topic_file(tmp_path, site.url("/page/0"))
    site.page_delay(0.05)
    run = tmp_path / "run"

    def steer(on: tuple[str, str]) -> None:
        assert fleet("ban-host", "127.0.0.1", *on) == 0

    with in_a_pause(run, site, steer) as asked_before:
        done = crawl_here(run, topic=str(topic), pages=0, settings={"CONCURRENT_REQUESTS": 1})
    assert [len(site.paths())] == asked_before
    assert (done.counts()["queued"], done.counts()["leased"]) == (0, 0)
    refused = [record for record in done.pages() if record.outcome == "refused"]
    assert refused
    assert {record.reason for record in refused} == {"host is banned"}
    # They are told apart from fetches, by the crawl and by all that reads its run.
    assert done.session is not None
    crawl = done.session.crawl
    progress = crawl.step.counters.progress()
    assert (progress.failed, progress.unasked) == (0, len(refused))
    said = summary(crawl, Say("en"), go_on=("", ""))
    assert f"; {len(refused)} links were dropped without a request" in said
    assert "gave no page" not in said
    with CrawlDb.open_readonly(run / "crawl.db") as db:
        read = read_run(db, results=0)
    assert (read.no_page, read.unasked, read.refused) == (0, len(refused), len(refused))
    assert "gave no page" not in str(failures(read, Say("en")))
    assert done.session.crawler.stats is not None
    stats = done.session.crawler.stats.get_stats()
    names = ("no_page", "unasked", "unasked/host is banned")
    assert [stats[f"focuscrawl/{name}"] for name in names] == [0, len(refused), len(refused)]
    capfd.readouterr()
    show_status([str(run)], lang="en", as_json=False)
    lines = capfd.readouterr().out.splitlines()
    assert [line.split("  ", 1)[1].strip() for line in lines if line.startswith("not asked for")] == [
        f"{len(refused)} × host is banned"
    ]
    assert not any(line.startswith("no page") for line in lines)


def test_another_topic_turns_the_queue_round(site: Site, tmp_path: Path) -> None:
    topic = topic_file(tmp_path, site.url("/page/0"))
    (tmp_path / "kitchen.toml").write_text(KITCHEN, encoding="utf-8")
    site.page_delay(0.05)
    run = tmp_path / "run"

    def steer(on: tuple[str, str]) -> None:
        site.page_delay(0.0)
        assert fleet("retopic", str(tmp_path / "kitchen.toml"), *on) == 0
        until(lambda: '"done"' in (run / "control.jsonl").read_text())

    with in_a_pause(run, site, steer) as asked_before:
        done = crawl_here(run, topic=str(topic), pages=30, settings={"CONCURRENT_REQUESTS": 1})
    numbers = [int(path.rpartition("/")[2]) for path in site.paths()]
    held = 2  # one under way and one at hand, when the machine is busy
    before, after = numbers[: asked_before[0]], numbers[asked_before[0] + held :]
    assert sum(n % 3 == 0 for n in before) >= 0.7 * len(before), numbers
    assert len(after) >= 10
    assert sum(n % 3 != 0 for n in after) >= 0.8 * len(after), numbers
    relevant = {int(record.url.rpartition("/")[2]): record.relevant for record in done.pages()}
    assert all(relevant[n] == (n % 3 != 0) for n in after)
    assert done.session is not None
    assert done.session.crawl.step.topic.name == "kitchen"

    # The run is about the topic it was given last, and goes on with it, whichever of the two is named.
    for pages, named in ((34, None), (38, tmp_path / "kitchen.toml"), (42, topic), (46, None)):
        with CrawlDb.open_readonly(run / "crawl.db") as db:
            settings = RunSettings.load(db)
        assert (settings.topic, settings.title) == ("kitchen", "")
        assert settings.topic_file == str(tmp_path / "kitchen.toml")
        again = crawl_here(run, pages=pages, **({"topic": str(named)} if named is not None else {}))
        assert again.session is not None
        assert again.session.crawl.step.topic.name == "kitchen"
        assert len(again.pages()) == pages
    third = tmp_path / "third.toml"
    third.write_text(KITCHEN.replace("kitchen", "third"), encoding="utf-8")
    with pytest.raises(ConfigError, match='this run is about "kitchen", not "third"'):
        crawl_here(run, topic=str(third), pages=50)


def test_a_crawl_that_ends_at_once_notes_its_new_topic(site: Site, tmp_path: Path) -> None:
    run, topic = tmp_path / "run", topic_file(tmp_path, site.url("/page/0"))
    (tmp_path / "kitchen.toml").write_text(KITCHEN, encoding="utf-8")
    crawl_here(run, topic=str(topic), pages=4)
    assert fleet("retopic", str(tmp_path / "kitchen.toml"), "--on", str(run)) == 0
    crawl_here(run, pages=5)
    scored = '"done"' in (run / "control.jsonl").read_text()  # it is not on a machine that is slow enough
    with CrawlDb.open_readonly(run / "crawl.db") as db:
        assert RunSettings.load(db).topic == ("kitchen" if scored else "lighthouses")


def test_a_fleet_is_seen_and_stopped(
    site: Site, tmp_path: Path, redis_server: RedisServer, capfd: pytest.CaptureFixture[str]
) -> None:
    topic = topic_file(tmp_path, site.url("/page/0"))
    site.page_delay(0.05)
    on = ("--on", redis_server.url, "--crawl", "seen-and-stopped")
    settings = {
        "FOCUSCRAWL_FRONTIER_URL": redis_server.url,
        "FOCUSCRAWL_CRAWL": "seen-and-stopped",
        "CONCURRENT_REQUESTS": 1,
    }

    def steer() -> None:
        until(asked(site, 12))
        assert fleet("status", "--json", *on) == 0
        assert fleet("status", *on) == 0
        assert fleet("stop", *on) == 0

    with meanwhile(steer):
        done = crawl_here(tmp_path / "run", topic=str(topic), pages=0, settings=settings)
    assert done.session is not None
    assert done.session.ending is not None
    assert (done.session.ending.reason, done.session.ending.detail) == ("stopped", "by focuscrawl fleet stop")
    assert len(site.paths()) < 60
    out = capfd.readouterr().out
    status, end = json.JSONDecoder().raw_decode(out[out.index("{") :])
    (worker,) = status["workers"]
    assert worker["alive"]
    assert worker["trainer"]
    assert worker["pages"] >= 1
    assert worker["in_flight"] <= 2  # one that is fetched, and one whose page is being settled
    assert status["queue"]["queued"] > 0
    assert status["harvest"] > 0
    table = out[out.index("{") + end :]
    assert "and trains" in table
    assert "seen-and-stopped on unix://" in table


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run that may be steered, and files that cannot be used."""
    monkeypatch.chdir(tmp_path)
    with CrawlDb.open(tmp_path / "run" / "crawl.db") as db:
        db.set_setting("overrides", {})
    (tmp_path / "list.txt").write_text("http://a.example/\nno url\n", encoding="utf-8")
    (tmp_path / "utf16.txt").write_text("http://a.example/", encoding="utf-16")
    (tmp_path / "table.toml").write_text('name = "x"\n[terms\n', encoding="utf-8")
    (tmp_path / "judge.toml").write_text(KITCHEN.replace('"vsm"', '"vms"'), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("pause", "--on", "nowhere"), 1, "no run of this name"),
        (("set", "speed=3"), 2, '"speed" cannot be set'),
        (("set", "pages=many"), 2, "pages = many: expected a whole number, 0 or more."),
        (("ban-host", "http://"), 2, '"http://": no host; expected a name such as example.org'),
        (("add-seeds", "list.txt"), 1, 'list.txt: line 2: "no url": expected an http or https URL'),
        (("add-seeds", "utf16.txt"), 1, "utf16.txt: line 1 is not UTF-8; the file looks like UTF-16: save it as UTF-8"),
        (("add-seeds", "run"), 1, "run: "),
        (("add-seeds", "none.txt"), 1, "none.txt: there is no such file; seeds are a file of URLs, or URLs"),
        (("retopic", "none.toml"), 1, "none.toml: there is no such file"),
        (("retopic", "table.toml"), 1, "table.toml: not valid TOML"),
        (("retopic", "judge.toml"), 1, "vms"),
    ],
)
def test_what_cannot_be_done_is_said(
    folder: Path, args: tuple[str, ...], code: int, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert fleet(*args, *(() if "--on" in args else ("--on", str(folder / "run")))) == code
    (line,) = capfd.readouterr().err.splitlines()
    assert said in line
    assert not (folder / "run" / "control.jsonl").exists()


def test_a_redis_that_does_not_answer_is_named_without_its_password(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_channel, "_LOOK_PATIENCE_S", 0.2)
    assert fleet("pause", "--on", "redis://:hush@127.0.0.1:1/0", "--crawl", "a") == 1
    error = capfd.readouterr().err
    assert "redis://:***@127.0.0.1:1/0: no answer" in error
    assert "hush" not in error


def test_a_scheme_that_is_none_of_redis_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    assert fleet("status", "--on", "redsi://:hush@127.0.0.1:1/0") == 2
    error = capfd.readouterr().err
    assert '--on = "redsi://:***@127.0.0.1:1/0": "redsi" is no scheme of a Redis' in error
    assert 'Did you mean "redis://"?' in error


def test_a_crawl_that_is_not_there_is_named(redis_server: RedisServer, capfd: pytest.CaptureFixture[str]) -> None:
    assert fleet("status", "--on", redis_server.url, "--crawl", "none-such") == 1
    assert 'there is no crawl "none-such" on this server' in capfd.readouterr().err


def test_a_server_without_a_crawl_is_no_wrong_usage(
    redis_server: RedisServer, capfd: pytest.CaptureFixture[str]
) -> None:
    empty = redis_server.url.replace("db=0", "db=9")
    assert [fleet(command, "--on", empty) for command in ("status", "pause")] == [1, 1]
    assert capfd.readouterr().err.count("there is no crawl on this server; its first worker makes it.") == 2


def test_the_run_of_one_worker_is_no_place_for_commands(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with CrawlDb.open(tmp_path / "crawl.db") as db:
        db.set_setting("overrides", {"FOCUSCRAWL_FRONTIER_URL": "redis://***@example.org/0"})
    assert fleet("pause", "--on", str(tmp_path)) == 2
    assert "one worker of a fleet" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("order", "told"),
    [
        (("pause",), "without effect, unless the crawl is at work on another machine: nothing runs here"),
        (("stop",), "without effect, unless the crawl is at work on another machine: nothing runs here"),
        (("set", "pages=9"), "carried out when the crawl goes on: nothing runs here"),
    ],
)
def test_orders_to_a_run_without_a_process_say_what_becomes_of_them(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], order: tuple[str, ...], told: str
) -> None:
    CrawlDb.open(tmp_path / "crawl.db").close()
    assert fleet(*order, "--on", str(tmp_path)) == 0
    assert f"{order[0]}: given to {tmp_path}; {told}." in capfd.readouterr().out


def test_orders_to_a_fleet_without_workers_say_so(
    redis_server: RedisServer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async def begin() -> None:
        frontier = RedisFrontier(redis_server.url, crawl=tmp_path.name)
        await frontier.open()
        await frontier.close()

    asyncio.run(begin())
    on = ("--on", redis_server.url, "--crawl", tmp_path.name)
    assert fleet("set", "pages=5", *on) == 0
    assert "; carried out when a worker comes: none is there." in capfd.readouterr().out
    assert fleet("stop", *on) == 0
    assert "; no worker is there, and the next that comes goes on." in capfd.readouterr().out
    assert fleet("status", *on) == 0
    assert "no worker is there; ended: stopped by hand: by focuscrawl fleet stop" in capfd.readouterr().out


def test_a_worker_not_heard_of_is_silent_and_has_no_rate() -> None:
    status = WorkerStatus(pages=9, rate=24.5)
    shown = [_row(worker_overview(WorkerReport("w", silent_s, status), "w"), Say()) for silent_s in (9.0, 11.0, 61.0)]
    assert [row[-1] for row in shown] == ["crawls and trains", "silent and trains", "dead and trains"]
    assert [row[4] for row in shown] == ["24.5", "0.0", "0.0"]
