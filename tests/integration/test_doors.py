"""The two doors to a crawl beside Scrapy's command: ``focuscrawl crawl`` and Python."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import pytest
from crawl_kit import FAST, clean_environment, crawl_command, topic_file, until
from forked_commands import fork_server
from redis_kit import RedisServer
from site_kit import Site

import focuscrawl
from focuscrawl.errors import NoRunError, PluginError, StoreError, TopicError

SETTINGS = {**FAST, "FOCUSCRAWL_ALLOW_PRIVATE": "127.0.0.1"}
LASTING = {**SETTINGS, "DOWNLOAD_DELAY": 0.5}  # half a minute for the whole site: long enough to be stopped


@pytest.fixture
def topic(tmp_path: Path, site: Site) -> Path:
    return topic_file(tmp_path, site.url("/"))


def command(folder: Path, *arguments: str, **settings: object) -> tuple[int, bytes, list[str]]:
    """Run ``focuscrawl`` in `folder`; return the exit code, standard output, and the lines on standard error."""
    words = [word for name, value in {**SETTINGS, **settings}.items() for word in ("-s", f"{name}={value}")]
    process = fork_server().start(["focuscrawl", *arguments, *words], cwd=folder, env=clean_environment())
    out, err = process.communicate(60)
    return process.wait(), out, err.decode().splitlines()


def focuscrawl_crawl(folder: Path, *arguments: str, **settings: object) -> tuple[int, list[str]]:
    """Run ``focuscrawl crawl`` in `folder`; return the exit code and the lines on standard error."""
    code, out, said = command(folder, "crawl", *arguments, **settings)
    assert out == b""
    return code, said


# -------------------------------------------------------------------------------------------------------- command line


def test_the_command_crawls_in_any_folder_as_scrapy_does_in_the_checkout(
    site: Site, topic: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    # somebody's own project has no say
    (elsewhere / "scrapy.cfg").write_text("[settings]\ndefault = theirs.settings\n")
    one_by_one = {"CONCURRENT_REQUESTS": 1}
    code, said = focuscrawl_crawl(
        elsewhere, "../lighthouses.toml", "--pages", "8", "--strategy", "breadth-first", **one_by_one
    )
    assert code == 0, said
    assert said[0] == "Loading Scrapy …"
    assert said[1] == "Reading the topic ../lighthouses.toml …"
    assert any("the budget is used up: 8 pages" in line for line in said)
    assert [run.parent.name for run in (elsewhere / "crawls").glob("*/*")] == ["lighthouses"]
    ours = site.paths()
    site.clear()
    scrapys = ("-a", f"topic={topic}", "-a", "pages=8", "-a", "strategy=breadth-first")
    assert crawl_command(tmp_path / "run", *scrapys, settings=one_by_one).exit_code == 0
    assert site.paths() == ours
    assert len(ours) == 8


def test_a_run_goes_on_by_the_command_that_is_named_when_it_is_stopped(site: Site, topic: Path, tmp_path: Path) -> None:
    given = {**LASTING, "FOCUSCRAWL_STORES": "jsonl,warc", "FOCUSCRAWL_POSTGRES_URL": "postgresql://me:hush@db/pages"}
    process = fork_server().start(
        ["focuscrawl", "crawl", str(topic), "--run", "my 文件夹", *(f"-s{k}={v}" for k, v in given.items())],
        cwd=tmp_path,
        env=clean_environment(),
    )
    until(lambda: len(site.paths()) >= 5)
    process.send_signal(signal.SIGINT)
    err = process.communicate(60)[1].decode()
    assert process.wait() == 0
    words = shlex.split(err.partition("Go on with ")[2].splitlines()[0])
    assert words[:4] == ["focuscrawl", "crawl", "--run", "my 文件夹"]
    # What is not named again counts no more, as the stores do, whose archive would end here.
    settings = dict(word.split("=", 1) for word in words[5::2])
    assert settings == {name: str(value).replace("me:hush", "***") for name, value in given.items()}
    fetched = focuscrawl.open_run(tmp_path / "my 文件夹").counts()["pages"]
    code, said = focuscrawl_crawl(tmp_path, *words[2:4], "--pages", str(fetched + 3))
    assert code == 0, said
    left = "-s FOCUSCRAWL_STORES=jsonl,warc -s 'FOCUSCRAWL_POSTGRES_URL=postgresql://***@db/pages'"
    assert any(f"are not given now; to keep them, stop and go on with {left}" in line for line in said), said
    assert focuscrawl.open_run(tmp_path / "my 文件夹").counts()["pages"] == fetched + 3


@pytest.mark.parametrize("environment", [False, True])
def test_a_worker_goes_on_by_the_redis_it_was_given_and_by_no_other_word_of_it(
    environment: bool, site: Site, topic: Path, tmp_path: Path, redis_server: RedisServer
) -> None:
    given = {**LASTING, "FOCUSCRAWL_CRAWL": str(tmp_path)}
    url = {"FOCUSCRAWL_FRONTIER_URL": redis_server.url}
    settings = {**given, **({} if environment else url)}
    options = [f"-s{name}={value}" for name, value in settings.items()]
    # No fork: the bundled project reads the environment when it is loaded.
    process = subprocess.Popen(
        [sys.executable, "-m", "focuscrawl", "crawl", str(topic), "--run", "one", *options],
        cwd=tmp_path,
        env={**clean_environment(), **(url if environment else {})},
        stderr=subprocess.PIPE,
    )
    until(lambda: len(site.paths()) >= 2)
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=60)[1].decode()
    words = shlex.split(err.partition("Go on with ")[2].splitlines()[0])
    assert words[:4] == ["focuscrawl", "crawl", "--run", "one"]
    assert dict(word.split("=", 1) for word in words[5::2]) == {name: str(value) for name, value in settings.items()}


def status(folder: Path, run: str) -> bytes:
    process = fork_server().start(["focuscrawl", "status", run, "--json"], cwd=folder, env=clean_environment())
    out, _ = process.communicate(60)
    assert process.wait() == 0
    return out


def test_json_at_the_end_is_the_status_of_the_run(site: Site, topic: Path, tmp_path: Path) -> None:
    code, out, said = command(tmp_path, "crawl", topic.name, "--pages", "4", "--run", "r", "--json")
    assert (code, out) == (0, status(tmp_path, "r"))
    assert (json.loads(out)["pages"], json.loads(out)["stop_reason"]) == (4, "budget: 4 pages")
    assert any("the budget is used up" in line for line in said)

    code, out, _ = command(tmp_path, "recrawl", "r", "--pages", "2", "--json")
    assert (code, out) == (0, status(tmp_path, "r"))
    assert len(json.loads(out)["rounds"]) == 1
    (tmp_path / "typer.py").write_text("raise SystemExit(9)\n")  # of the current folder, and none of a round's business
    code, out, _ = command(tmp_path, "recrawl", "r", "--pages", "2", "--every", "1s", "--rounds", "1", "--json")
    assert (code, out) == (0, status(tmp_path, "r"))
    assert len(json.loads(out)["rounds"]) == 2

    site.clear()
    code, out, _ = command(tmp_path, "crawl", topic.name, "--run", "none", "--json", FOCUSCRAWL_FRONTIER="memory")
    assert code == 0
    in_memory = json.loads(out)
    assert in_memory["pages"] == len(site.paths())
    assert in_memory["stop_reason"].startswith("exhausted")
    assert set(in_memory) < set(json.loads(status(tmp_path, "r")))


def test_json_comes_of_a_crawl_that_failed_and_not_of_one_that_could_not_begin(
    site: Site, topic: Path, tmp_path: Path
) -> None:
    gone = ("--seeds", site.url("/status/404"), "--run", "gone")
    code, out, _ = command(tmp_path, "crawl", topic.name, *gone, "--json")
    assert (code, json.loads(out)["pages"]) == (1, 0)
    assert json.loads(out)["stop_reason"].startswith("exhausted: no seed could be fetched")
    code, out, said = command(tmp_path, "crawl", "no-such-topic", "--json")
    assert (code, out) == (1, b"")
    assert "no such file" in said[-1]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ((), 2, "name a topic file"),
        (("lighthouses.toml", "--pages", "many"), 2, "Invalid value for '--pages'"),
        (("lighthouses.toml", "--strategy", "best"), 2, '"best": unknown strategy'),
        (("other.toml",), 1, 'other.toml: [judge] name = "vmx": unknown judge'),
        (("other.toml", "--strategy", "best"), 2, '[judge] name = "vmx": unknown judge'),
        (("--run", "empty"), 2, "name a topic: focuscrawl crawl TOPIC --run empty (scrapy: -a topic=)."),
        (("no-such-topic",), 1, 'topic "no-such-topic": no such file'),
    ],
)
def test_wrong_usage_and_a_missing_topic_are_said(
    topic: Path, tmp_path: Path, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    other = topic.read_text(encoding="utf-8").replace('name = "vsm"', 'name = "vmx"')
    (tmp_path / "other.toml").write_text(other, encoding="utf-8")
    got, said = focuscrawl_crawl(tmp_path, *arguments)
    assert got == code
    assert sentence in " ".join(said)
    assert "Traceback" not in " ".join(said)


# -------------------------------------------------------------------------------------------------------------- Python


def test_python_crawls_again_and_again_with_an_event_loop_or_without(
    site: Site, topic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def in_a_notebook() -> focuscrawl.CrawlRun:
        return focuscrawl.crawl("lighthouses.toml", pages=9, settings=SETTINGS)

    run = asyncio.run(in_a_notebook())
    assert run.path.parent == tmp_path / "crawls" / "lighthouses"
    assert run.stopped == ("budget", "9 pages")
    assert len(list(run.pages(every=True))) == run.counts()["pages"] == len(site.paths()) == 9
    results = list(run.pages())
    assert results
    assert all(page.relevant and page.relevance >= page.threshold and "Lighthouse" in page.title for page in results)
    assert 'Crawl of "lighthouses"' in capsys.readouterr().err

    more = focuscrawl.crawl(run=run.path, pages=12, settings=SETTINGS, quiet=True)
    assert more.counts()["pages"] == 12
    assert capsys.readouterr().err == ""
    assert focuscrawl.open_run("lighthouses").path.samefile(run.path)


def test_a_class_of_the_taxonomy_is_crawled_from_python(site: Site, tmp_path: Path) -> None:
    done = focuscrawl.crawl(
        focuscrawl.load_topic("clc:E0"),
        seeds=[site.url("/page/1")],
        pages=3,
        run=tmp_path / "run",
        settings=SETTINGS,
        quiet=True,
    )
    assert done.counts()["pages"] == 3


def test_seeds_may_be_named(site: Site, topic: Path, tmp_path: Path) -> None:
    seeds = [site.url("/page/3"), site.url("/page/6")]
    run = focuscrawl.crawl(
        topic, seeds=seeds, strategy="breadth-first", pages=2, run=tmp_path / "r", settings=SETTINGS, quiet=True
    )
    assert sorted(page.url for page in run.pages(every=True)) == sorted(seeds)
    with pytest.raises(focuscrawl.FocusCrawlError, match="expected a list of URLs"):
        focuscrawl.crawl(topic, seeds=seeds[0])
    with pytest.raises(focuscrawl.FocusCrawlError, match=r"seeds is empty: .* leave it out for the topic's"):
        focuscrawl.Crawl(topic, seeds=[url for url in seeds if "/page/9" in url])
    with pytest.raises(focuscrawl.FocusCrawlError, match=r'^seeds: "ftp://a\.example/": expected an http'):
        focuscrawl.crawl(topic, seeds=[*seeds, "ftp://a.example/"])


@pytest.mark.parametrize("more", [0, 2000])  # so many that a file has them
def test_a_run_that_could_fetch_nothing_begins_again_at_the_seeds_it_was_given(
    site: Site, topic: Path, tmp_path: Path, more: int
) -> None:
    seeds = [site.url("/page/3"), *(site.url(f"/page/3?of={'3' * 30}{n}") for n in range(more))]
    with pytest.raises(focuscrawl.FocusCrawlError, match="not a public address"):
        focuscrawl.crawl(topic, seeds=seeds, run=tmp_path / "r", settings=FAST, quiet=True)
    again = focuscrawl.crawl(run=tmp_path / "r", pages=1, settings=SETTINGS, quiet=True)
    assert [page.url in seeds for page in again.pages(every=True) if page.outcome == "done"] == [True]


def test_a_topic_that_is_not_loaded_is_told(topic: Path) -> None:
    for door in (focuscrawl.judge, focuscrawl.score_links):
        with pytest.raises(focuscrawl.FocusCrawlError, match=r"expected what focuscrawl\.load_topic returns"):
            door(str(topic), "<p>x", url="http://a.example/")  # type: ignore[arg-type]


def test_a_crawl_runs_beside_a_block_and_an_error_in_it_stops_the_crawl(
    site: Site, topic: Path, tmp_path: Path
) -> None:
    async def beside() -> None:
        async with focuscrawl.Crawl(topic, run=tmp_path / "r", settings=LASTING, quiet=True) as crawl:
            while len(site.paths()) < 4:
                await asyncio.sleep(0.01)
            raise RuntimeError(str(crawl.run.path))

    with pytest.raises(RuntimeError, match=str(tmp_path / "r")):
        asyncio.run(beside())
    assert focuscrawl.open_run(tmp_path / "r").stopped[0] == "stopped"

    async def to_the_end() -> list[str]:
        async with focuscrawl.Crawl(run=tmp_path / "r", pages=30, settings=SETTINGS, quiet=True) as crawl:
            assert (await crawl.finished()).stopped == ("budget", "30 pages")
        return [page.url for page in crawl.pages(every=True)]

    assert len(asyncio.run(to_the_end())) == 30


def test_a_time_limit_around_a_block_stops_the_crawl_that_its_end_waits_for(
    site: Site, topic: Path, tmp_path: Path
) -> None:
    async def waits() -> None:
        async with focuscrawl.Crawl(topic, run=tmp_path / "r", settings=LASTING, quiet=True):
            pass

    async def limited() -> None:
        waiting = asyncio.create_task(waits())
        while len(site.paths()) < 4:
            await asyncio.sleep(0.01)
        waiting.cancel()
        await waiting

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(limited())
    assert focuscrawl.open_run(tmp_path / "r").stopped[0] == "stopped"


def test_the_threads_of_an_event_loop_are_free_while_a_crawl_is_waited_for(
    site: Site, topic: Path, tmp_path: Path
) -> None:
    async def beside() -> str:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        async with focuscrawl.Crawl(topic, pages=3, run=tmp_path / "r", settings=SETTINGS, quiet=True) as crawl:
            waiting = asyncio.create_task(crawl.finished())
            await asyncio.sleep(0)  # it waits now
            stopped, _ = await asyncio.to_thread(lambda: crawl.run.stopped)
            await waiting
        return stopped

    assert asyncio.run(beside()) == ""  # asked while the crawl ran


def test_a_crawl_that_begins_has_no_pages_yet(site: Site, topic: Path, tmp_path: Path) -> None:
    async def looks_at_once() -> tuple[list[object], int, tuple[str, str]]:
        async with focuscrawl.Crawl(topic, pages=3, run=tmp_path / "r", settings=SETTINGS, quiet=True) as crawl:
            assert not (tmp_path / "r" / "crawl.db").exists()
            return list(crawl.pages(every=True)), crawl.run.counts()["pages"], crawl.run.stopped

    assert asyncio.run(looks_at_once()) == ([], 0, ("", ""))
    assert focuscrawl.open_run(tmp_path / "r").counts()["pages"] == 3

    begun = focuscrawl.Crawl(topic, strategy="best", run=tmp_path / "none", settings=SETTINGS, quiet=True)
    begun.start()
    with pytest.raises(PluginError):
        begun.wait()
    with pytest.raises(NoRunError, match="no such run folder"):  # nothing runs that could make one
        list(begun.pages())


@pytest.mark.parametrize("begun", ["process", "opening"])
def test_a_crawl_that_is_stopped_while_it_begins_ends_in_order_and_goes_on_later(
    site: Site, topic: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], begun: str
) -> None:
    crawl = focuscrawl.Crawl(topic, run=tmp_path / "r", settings=LASTING)
    crawl.start()
    if begun == "opening":
        until((tmp_path / "r" / "crawl.lock").exists)
    crawl.stop()
    crawl.stop()  # twice is no other wish
    run = crawl.wait()
    assert run.stopped[0] == "stopped"
    assert "Traceback" not in capfd.readouterr().err
    crawl.stop()
    assert focuscrawl.crawl(run=run.path, pages=9, settings=SETTINGS, quiet=True).stopped == ("budget", "9 pages")


def test_ctrl_c_ends_the_crawl_in_order(site: Site, topic: Path, tmp_path: Path) -> None:
    def press() -> None:
        until(lambda: len(site.paths()) >= 4)
        os.kill(os.getpid(), signal.SIGINT)

    finger = Thread(target=press)
    # A shell that starts tests in the background has them ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        finger.start()
        with pytest.raises(KeyboardInterrupt):
            focuscrawl.crawl(topic, run=tmp_path / "r", settings=LASTING, quiet=True)
        finger.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert focuscrawl.open_run(tmp_path / "r").stopped[0] == "stopped"


def test_what_fails_outside_of_the_package_is_raised_as_a_sentence(topic: Path, tmp_path: Path) -> None:
    settings = {**SETTINGS, "ITEM_PIPELINES": {"nowhere.Pipeline": 1}}
    with pytest.raises(focuscrawl.FocusCrawlError) as wrong:
        focuscrawl.crawl(topic, run=tmp_path / "r", settings=settings, quiet=True)
    assert str(wrong.value) == f"The crawl in {tmp_path / 'r'} failed: ModuleNotFoundError: No module named 'nowhere'."


def test_every_waiter_hears_of_a_crawl_that_failed(topic: Path, tmp_path: Path) -> None:
    crawl = focuscrawl.Crawl(topic, strategy="best", run=tmp_path / "r", settings=SETTINGS, quiet=True)
    heard: list[BaseException] = []

    async def several() -> None:
        async with crawl:
            heard.extend(await asyncio.gather(crawl.finished(), crawl.finished(), return_exceptions=True))  # type: ignore[arg-type]

    with pytest.raises(PluginError):
        asyncio.run(several())
    with pytest.raises(PluginError) as again:
        crawl.wait()
    heard.append(again.value)
    assert [type(error) for error in heard] == [PluginError] * 3
    assert {str(error) for error in heard} == {str(again.value)}


def test_what_is_wrong_is_raised_as_the_error_it_is(site: Site, topic: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text('name = "bad"\n[terms]\n"lamp" = 7\n')
    with pytest.raises(TopicError, match="lamp") as wrong:
        focuscrawl.crawl(bad)
    assert any("weight must be in" in fault for fault in wrong.value.faults)
    with pytest.raises(PluginError, match='"best": unknown strategy'):
        focuscrawl.crawl(topic, strategy="best", run=tmp_path / "new", settings=SETTINGS, quiet=True)
    assert not (tmp_path / "new").exists()
    with pytest.raises(StoreError, match="not a run folder"):
        focuscrawl.crawl(topic, run=tmp_path, settings=SETTINGS, quiet=True)
    assert bad.exists()
    with pytest.raises(focuscrawl.FocusCrawlError, match="no seed could be fetched"):
        focuscrawl.crawl(topic, seeds=[site.url("/status/404")], run=tmp_path / "gone", settings=SETTINGS, quiet=True)
