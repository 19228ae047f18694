"""``scrapy crawl focused`` as a user runs it: a process of its own, the real reactor, real signals."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from crawl_kit import ROOT, Crawled, clean_environment, command, crawl_command, end, start_command, topic_file, until
from forked_commands import Forked
from site_kit import PAGES, Site

from focuscrawl.storage.crawldb import CrawlDb

GO_ON = "Go on with focuscrawl crawl --run "
_WITH_CTRL_C_AS_IT_OPENS = """
import os, signal, sys
from focuscrawl.cli.main import run
from focuscrawl.glue import session

def interrupted(*given, **named):
    os.kill(os.getpid(), signal.SIGINT)
    return make_plan(*given, **named)

make_plan, session.make_plan = session.make_plan, interrupted
run(sys.argv[1:])
"""


@pytest.fixture
def topic(tmp_path: Path, site: Site) -> str:
    return f"topic={topic_file(tmp_path, site.url('/'))}"


def test_one_command_crawls_and_says_what_came_of_it(site: Site, topic: str, tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    done = crawl_command(
        tmp_path / "run", "-a", topic, "-a", "pages=20", "-O", str(items), settings={"FOCUSCRAWL_REPORT": True}
    )
    assert done.exit_code == 0, done.err
    assert len(site.paths()) == 20
    assert {path.name for path in (tmp_path / "run").iterdir()} >= {"crawl.db", "pages.jsonl", "report.html", "run.log"}
    exported = [json.loads(line) for line in items.read_text(encoding="utf-8").splitlines()]
    assert {item["url"] for item in exported} == {line["url"] for line in done.jsonl()}
    for words in ("Fetched    20 pages of 1 host", "Relevant", "Harvest", "the budget is used up: 20 pages", "Results"):
        assert words in done.err
    assert "Traceback" not in done.err
    assert "WARNING" not in done.err
    assert done.out == ""
    assert all(str(line["agent"]).startswith("focuscrawl/") for line in site.log(pages_only=False))


def test_the_summary_is_in_the_language_of_the_locale(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_command(
        tmp_path / "run",
        "-a",
        topic,
        "-a",
        "pages=4",
        settings={"FOCUSCRAWL_LANG": "auto"},
        env={"LC_ALL": "zh_CN.UTF-8", "PYTHONIOENCODING": "utf-8"},
    )
    assert done.exit_code == 0, done.err
    for words in ("写入", "抓取       4 个网页，来自 1 个主机", "收获率     ", "结束       预算用完：4 个网页"):
        assert words in done.err


def test_a_crawl_that_is_killed_goes_on_and_loses_nothing(site: Site, topic: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    site.page_delay(0.05)
    for kill_at in (12, 35):
        process = start_command(run, "-a", topic, "-a", "pages=0")
        until(partial(reached, site, process, kill_at))
        end(process, signal.SIGKILL)
    killed = Crawled(run)
    kept = {record.url for record in killed.pages()}
    site.page_delay(0)
    done = crawl_command(run)
    assert done.exit_code == 0, done.err
    records = [record.url for record in done.pages()]
    assert len(records) == len(set(records)) == PAGES + 1
    assert kept <= set(records)
    # what was in flight at a kill is fetched again, nothing else
    again = [path for path, times in Counter(site.paths()).items() if times > 1]
    assert len(again) <= 3 * (16 + 4)
    lines = [line["url"] for line in done.jsonl()]
    relevant = [record.url for record in done.pages() if record.relevant and record.duplicate_of is None]
    assert sorted(lines) == sorted(relevant)


def reached(site: Site, process: Forked, pages: int) -> bool:
    return len(site.paths()) >= pages or process.poll() is not None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_in_order_and_the_crawl_can_go_on(
    site: Site, topic: str, tmp_path: Path, number: signal.Signals
) -> None:
    run = tmp_path / "run"
    site.page_delay(0.1)
    process = start_command(run, "-a", topic, settings={"FOCUSCRAWL_REPORT": True})
    until(lambda: len(site.paths()) >= 12)
    if number != signal.SIGINT:  # shell and system may each send one, and timeout sends two
        process.send_signal(number)
    code, err = end(process, number)
    assert code == 0
    assert "Stopped    stopped by hand" in err
    assert f"Go on with focuscrawl crawl --run {run}" in err
    assert "Traceback" not in err
    assert (run / "report.html").is_file()
    fetched = Counter(site.paths())
    site.page_delay(0)
    done = crawl_command(run)
    assert done.exit_code == 0, done.err
    # all that was fetched before the stop was also processed: nothing is fetched twice
    assert set(Counter(site.paths()).values()) == {1}
    assert set(fetched) <= set(Counter(site.paths()))


def test_a_second_ctrl_c_says_how_to_go_on(site: Site, topic: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    site.page_delay(1.0)
    process = start_command(run, "-a", topic)
    until(lambda: len(site.paths()) >= 2)
    process.send_signal(signal.SIGINT)
    until(lambda: "shutting down gracefully" in (run / "run.log").read_text(encoding="utf-8"))
    code, err = end(process, signal.SIGINT)
    assert code == 130
    assert f"Interrupted before the crawl could end in order: all that was settled is kept. {GO_ON}{run} -s " in err
    assert "Traceback" not in err
    site.page_delay(0)
    assert crawl_command(run, "-a", "pages=5").exit_code == 0


def run_script(script: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a script that runs a command of focuscrawl, private addresses allowed."""
    return subprocess.run(
        [sys.executable, "-c", script, *arguments, "-s", "FOCUSCRAWL_ALLOW_PRIVATE=1"],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("sub", ["crawl", "recrawl"])
def test_ctrl_c_while_the_run_opens_says_that_nothing_was_fetched(
    site: Site, topic: str, tmp_path: Path, sub: str
) -> None:
    run = tmp_path / "run"
    arguments = ["crawl", topic.partition("=")[2], "--run", str(run)]
    if sub == "recrawl":
        assert crawl_command(run, "-a", topic, "-a", "pages=5").exit_code == 0
        site.clear()
        arguments = ["recrawl", str(run)]
    done = run_script(_WITH_CTRL_C_AS_IT_OPENS, arguments)
    assert done.returncode == 130, done.stderr
    assert "Interrupted before the crawl began: nothing was fetched. The same command starts it again.\n" in done.stderr
    assert "Traceback" not in done.stderr
    assert site.paths() == []


def test_a_run_is_opened_where_there_is_one(site: Site, topic: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert "Opening the run" not in crawl_command(run).err  # and no topic is named
    assert crawl_command(run, "-a", topic, "-a", "pages=2").exit_code == 0
    assert f"Opening the run {run} …" in crawl_command(run, "-a", "pages=3").err


@pytest.mark.parametrize("argument", ["run", "seeds"])
def test_a_name_that_is_too_long_is_one_sentence(topic: str, tmp_path: Path, argument: str) -> None:
    name = "茶" * 300
    seeds = ("-a", f"seeds={tmp_path / name}") if argument == "seeds" else ()
    run = tmp_path / (name if argument == "run" else "run")
    done = crawl_command(run, "-a", topic, "-a", "pages=1", *seeds)
    assert done.exit_code == 1
    assert "file name too long.\n" in done.err
    assert "Traceback" not in done.err


def test_ctrl_c_after_the_start_was_noted_is_noted_as_the_stop(topic: str, tmp_path: Path) -> None:
    script = _WITH_CTRL_C_AS_IT_OPENS.replace("glue import session", "crawler import opening as session")
    script = script.replace("make_plan", "make_frontier")
    arguments = ["crawl", topic.partition("=")[2], "--run", str(tmp_path / "run")]
    done = run_script(script, arguments)
    assert done.returncode == 130, done.stderr
    assert "nothing was fetched" in done.stderr
    with closing(sqlite3.connect(tmp_path / "run" / "crawl.db")) as db:
        kinds = [(kind, json.loads(data).get("reason")) for kind, data in db.execute("SELECT kind, data FROM events")]
    assert kinds == [("started", None), ("stopped", "stopped")]


def test_a_signal_while_the_run_opens_is_noted_as_the_stop_under_plain_scrapy_too(topic: str, tmp_path: Path) -> None:
    script = """
import os, signal, sys
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.settings import Settings
from focuscrawl.crawler import opening
from focuscrawl.spiders.focused import FocusedSpider

def interrupted(*given, **named):
    os.kill(os.getpid(), signal.SIGINT)
    return make_frontier(*given, **named)

make_frontier, opening.make_frontier = opening.make_frontier, interrupted
settings = Settings({"ADDONS": {"focuscrawl.addon.FocusCrawlAddon": 1}, "FOCUSCRAWL_ALLOW_PRIVATE": True})
process = AsyncCrawlerProcess(settings)
process.crawl(FocusedSpider, topic=sys.argv[1], run=sys.argv[2])
process.start()
"""
    run = tmp_path / "run"
    done = run_script(script, [topic.partition("=")[2], str(run)])
    assert "Traceback" not in done.stderr
    with closing(sqlite3.connect(run / "crawl.db")) as db:
        kinds = [(kind, json.loads(data).get("reason")) for kind, data in db.execute("SELECT kind, data FROM events")]
    assert kinds == [("started", None), ("stopped", "stopped")], done.stderr


def test_the_delay_of_a_host_holds_in_the_real_downloader(site: Site, topic: str, tmp_path: Path) -> None:
    crawl_command(tmp_path / "run", "-a", topic, "-a", "pages=5", settings={"DOWNLOAD_DELAY": 0.3})
    at = [float(str(line["at"])) for line in site.log(pages_only=False)]
    assert len(at) == 6
    assert at[-1] - at[0] >= 0.3 * (len(at) - 2)  # requests leave in time; how long one is on its way differs


# ------------------------------------------------------------------------------------------------------------- safety


def test_an_address_that_is_not_public_is_not_contacted(site: Site, topic: str, tmp_path: Path) -> None:
    hosts = ["127.0.0.1", "0x7f.1", "localhost", "a.localhost", "[::ffff:127.0.0.1]", "[::1]"]
    seeds = ",".join(f"http://{host}:{site.port}/page/{n}" for n, host in enumerate(hosts))
    done = crawl_command(
        tmp_path / "run", "-a", topic, "-a", f"seeds={seeds}", settings={"FOCUSCRAWL_ALLOW_PRIVATE": False}
    )
    assert done.exit_code == 1
    assert "no seed could be fetched" in done.err
    assert "FOCUSCRAWL_ALLOW_PRIVATE=1 lets a crawl reach" in done.err
    assert {record.outcome for record in done.pages()} == {"refused"}
    assert len(done.pages()) == len(hosts)
    assert site.log(pages_only=False) == []


def test_a_redirect_to_an_address_that_is_not_allowed_is_not_followed(site: Site, topic: str, tmp_path: Path) -> None:
    links = f"/links/private~localhost:{site.port},private~127.0.0.1:{site.port},page~3"
    done = crawl_command(tmp_path / "run", "-a", topic, "-a", f"seeds={site.url(links)}", "-a", "pages=3")
    assert done.exit_code == 0, done.err
    refused = done.page(f"/private/localhost:{site.port}")
    assert (refused.outcome, refused.reason) == ("refused", "localhost is this machine")
    assert done.page(f"/private/127.0.0.1:{site.port}").outcome == "done"


def test_a_name_that_resolves_to_this_machine_is_not_contacted(site: Site, topic: str, tmp_path: Path) -> None:
    name = own_name()
    done = crawl_command(
        tmp_path / "run",
        "-a",
        topic,
        "-a",
        f"seeds=http://{name}:{site.port}/page/0",
        settings={"FOCUSCRAWL_ALLOW_PRIVATE": "nothing.example"},
    )
    assert done.exit_code == 1
    assert "is not a public address" in done.err
    assert site.log(pages_only=False) == []


def own_name() -> str:
    """Return a name that the system's own files, not a name server, resolve to a loopback address."""
    for line in Path("/etc/hosts").read_text(encoding="utf-8").splitlines():
        address, *names = line.partition("#")[0].split() or [""]
        for name in names:
            if address.startswith("127.") and not name.startswith(("localhost", "ip6-")):
                return name
    pytest.skip("no name of this machine's own in /etc/hosts")


# --------------------------------------------------------------------------------------------------------------- proxy


def test_through_a_proxy_names_are_the_proxys_matter(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_command(
        tmp_path / "run",
        "-a",
        topic,
        "-a",
        "seeds=http://lighthouse.invalid/page/0,http://127.0.0.1:1/page/0,http://localhost/page/0",
        "-a",
        "pages=10",
        settings={"FOCUSCRAWL_ALLOW_PRIVATE": False},
        env={"http_proxy": site.url("")},
    )
    assert done.exit_code == 0, done.err
    log = site.log(pages_only=False)
    assert {line["host"] for line in log} == {"lighthouse.invalid"}
    assert all(line["proxied"] for line in log)
    assert len(site.paths()) == 10
    assert {record.reason for record in done.pages() if record.outcome == "refused"} == {
        "127.0.0.1 is not a public address",
        "localhost is this machine",
    }


def test_a_proxy_that_opens_no_tunnel_refuses_a_site_at_once(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_command(
        tmp_path / "run",
        "-a",
        topic,
        "-a",
        "seeds=https://lighthouse.invalid/page/0",
        # What waited for another try would wait longer than the crawl does, and have no row.
        settings={"FOCUSCRAWL_ROBOTS_RETRY_S": 3600, "FOCUSCRAWL_PATIENCE_S": 1},
        env={"http_proxy": site.url(""), "https_proxy": site.url("")},
    )
    assert done.exit_code == 1, done.err
    (record,) = done.pages()
    assert (record.outcome, record.reason) == ("refused", "robots.txt cannot be read: the proxy made no connection")


def test_a_proxy_that_is_not_there_is_told_of_once(topic: str, tmp_path: Path) -> None:
    done = crawl_command(
        tmp_path / "run",
        "-a",
        topic,
        "-a",
        "seeds=http://one.invalid/,http://two.invalid/",
        settings={"FOCUSCRAWL_ALLOW_PRIVATE": False, "FOCUSCRAWL_ROBOTS_RETRY_S": 0, "FOCUSCRAWL_PATIENCE_S": 1},
        env={"http_proxy": "http://me:s3cret@127.0.0.1:1"},
    )
    told = (
        "WARNING: the proxy 127.0.0.1:1 cannot be reached: connection refused. http_proxy and https_proxy name it in "
    )
    assert done.err.count(told) == 1, done.err
    assert "s3cret" not in done.err


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1080", "SOCKS5H://127.0.0.1:1080"])
def test_a_proxy_of_socks_is_named_as_the_reason(topic: str, tmp_path: Path, proxy: str) -> None:
    done = crawl_command(
        tmp_path / "run",
        "-a",
        topic,
        "-a",
        "seeds=http://one.invalid/",
        settings={"FOCUSCRAWL_ALLOW_PRIVATE": False},
        env={"http_proxy": proxy},
    )
    assert done.exit_code == 1
    assert "the proxy is none for HTTP: http_proxy and https_proxy take http://host:port" in done.err


def test_many_hosts_are_fetched_side_by_side_each_at_its_own_pace(site: Site, topic: str, tmp_path: Path) -> None:
    hosts = [f"host{n}.invalid" for n in range(8)]
    seeds = ",".join(f"http://{host}/page/0" for host in hosts)
    done = crawl_command(
        tmp_path / "run",
        "-a",
        topic,
        "-a",
        f"seeds={seeds}",
        "-a",
        "pages=24",
        settings={"DOWNLOAD_DELAY": 0.5},
        env={"http_proxy": site.url("")},
    )
    assert done.exit_code == 0, done.err
    log = site.log(pages_only=False)
    for host in hosts:
        at = [float(str(line["at"])) for line in log if line["host"] == host]
        assert at[-1] - at[0] >= 0.5 * (len(at) - 2)
    # One host after the other, the last one's turn would come when seven eighths are done.
    first = [next(number for number, line in enumerate(log) if line["host"] == host) for host in hosts]
    assert max(first) < len(log) / 2


# ----------------------------------------------------------------------------------------------------------- bad input


def test_wrong_usage_is_said_and_exits_with_2(site: Site, topic: str, tmp_path: Path) -> None:
    done = crawl_command(tmp_path / "run", "-a", topic, settings={"FOCUSCRAWL_FRONTEIR": "x"})
    assert done.exit_code == 2
    assert done.err == (
        f"Reading the topic {topic.removeprefix('topic=')} …\n"
        'FOCUSCRAWL_FRONTEIR: there is no such setting. Did you mean "FOCUSCRAWL_FRONTIER"?\n'
    )


def test_values_scrapy_cannot_read_are_said_together(site: Site, topic: str, tmp_path: Path) -> None:
    values = {"DOWNLOAD_DELAY": "abc", "COOKIES_ENABLED": "maybe", "CONCURRENT_REQUESTS": "-3", "LOG_LEVEL": "FOO"}
    done = crawl_command(tmp_path / "run", "-a", topic, settings=values)
    assert done.exit_code == 2
    assert done.err.splitlines()[1:] == [
        'setting CONCURRENT_REQUESTS = "-3": expected a whole number, 0 or more, as in -s CONCURRENT_REQUESTS=16.',
        'setting COOKIES_ENABLED = "maybe": expected true or false, as in -s COOKIES_ENABLED=True.',
        'setting DOWNLOAD_DELAY = "abc": expected a number, as in -s DOWNLOAD_DELAY=0.',
        'setting LOG_LEVEL = "FOO": expected one of CRITICAL, ERROR, WARNING, INFO, DEBUG.',
    ]
    assert not (tmp_path / "run").exists()


def test_a_misspelt_setting_of_scrapy_is_told_and_one_of_a_component_is_not(topic: str, tmp_path: Path) -> None:
    values = {"DOWNLOAD_DELY": 2, "useragent": "me", "FILES_STORE": "files", "MONGO_URI": "mongodb://127.0.0.1"}
    done = crawl_command(tmp_path / "run", "-a", topic, "-a", "seeds=http://127.0.0.1:1/", settings=values)
    assert [line for line in done.err.splitlines() if line.startswith("WARNING: setting")] == [
        'WARNING: setting DOWNLOAD_DELY: Scrapy has none of this name. Did you mean "DOWNLOAD_DELAY"?',
        'WARNING: setting useragent: Scrapy has none of this name. Did you mean "USER_AGENT"?',
    ]
    log = (tmp_path / "run" / "run.log").read_text(encoding="utf-8").splitlines()
    assert "WARNING: setting DOWNLOAD_DELY: Scrapy has none of this name." in log[0], "before the run had a folder"
    assert "WARNING: setting useragent" in log[1]
    assert "INFO: crawl of lighthouses begins" in log[2]


def test_settings_in_the_environment_are_told_to_have_no_effect(
    topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOCUSCRAWL_CRAWL", "tea-2026")
    monkeypatch.setenv("FOCUSCRAWL_STORES", "warc")
    monkeypatch.setenv("FOCUSCRAWL_FRONTIER_URL", "")
    given = {"FOCUSCRAWL_STORES": "jsonl"}
    done = crawl_command(tmp_path / "run", "-a", topic, "-a", "seeds=http://127.0.0.1:1/", settings=given)
    assert [line for line in done.err.splitlines() if line.startswith("WARNING: FOCUSCRAWL")] == [
        "WARNING: FOCUSCRAWL_CRAWL is in the environment, and is not read from there: give it with"
        " -s FOCUSCRAWL_CRAWL=…, or in a settings.py."
    ]


def test_a_folder_in_the_place_of_the_log_is_told_and_costs_the_log_only(
    site: Site, topic: str, tmp_path: Path
) -> None:
    log = tmp_path / "run" / "run.log"
    assert crawl_command(tmp_path / "run", "-a", topic, "-a", "pages=3").exit_code == 0
    log.unlink()
    log.mkdir()
    done = crawl_command(tmp_path / "run", "-a", "pages=5")
    assert done.exit_code == 0
    assert f"WARNING: {log}: cannot be written: is a directory; the crawl goes on without it\n" in done.err
    assert "Traceback" not in done.err
    assert len(done.pages()) == 5


def test_fewer_pages_than_a_run_has_leave_it_as_it_is(site: Site, topic: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert crawl_command(run, "-a", topic, "-a", "pages=5").exit_code == 0
    again = crawl_command(run, "-a", "pages=3")
    assert again.exit_code == 2
    assert f"{run}: pages = 3 leaves nothing to fetch, the run has 5 pages already" in again.err
    assert "as in --pages 8 (scrapy: -a pages=8)." in again.err
    assert len(site.paths()) == 5


def test_what_is_wrong_with_a_run_is_told_in_chinese(site: Site, topic: str, tmp_path: Path) -> None:
    run, zh = tmp_path / "run", {"FOCUSCRAWL_LANG": "zh"}
    assert f"{run}：这里没有可以继续的运行；要开始一个，请给出主题：" in crawl_command(run, settings=zh).err
    without = tmp_path / "seedless.toml"
    without.write_text('name = "seedless"\n[terms]\n"sea" = 1.0\n', encoding="utf-8")
    assert f"没有种子：主题 {without} 里" in crawl_command(run, "-a", f"topic={without}", settings=zh).err
    crawl_command(run, "-a", topic, "-a", "pages=5")
    assert f"{run}：pages = 3 没有留下可抓取的，" in crawl_command(run, "-a", "pages=3", settings=zh).err
    other = crawl_command(run, "-a", f"topic={without}", settings=zh).err
    assert f'{run}：这个运行的主题是 "lighthouses"，不是 "seedless"；' in other
    with CrawlDb.open(run / "crawl.db"):
        in_use = crawl_command(run, "-a", "pages=9", settings=zh).err
    assert f"{run}：process {os.getpid()} 正在这个运行目录里抓取；" in in_use


def test_redirects_take_none_of_the_pages_a_run_may_still_have(site: Site, tmp_path: Path) -> None:
    # Five links of which four send on: five are done, and there is one page.
    run, topic = tmp_path / "run", topic_file(tmp_path, site.url("/redirect/4"))
    assert crawl_command(run, "-a", f"topic={topic}", "-a", "pages=1").exit_code == 0
    assert Crawled(run).counts()["done"] == 5
    again = crawl_command(run, "-a", "pages=2")
    assert again.exit_code == 0, again.err
    assert Crawled(run).counts()["pages"] == 2


def test_what_cannot_be_done_is_said_and_exits_with_1(site: Site, tmp_path: Path) -> None:
    done = crawl_command(tmp_path / "run", "-a", "topic=lighthous")
    assert done.exit_code == 1
    first, said = done.err.splitlines()
    assert first == "Reading the topic lighthous …"
    assert said.startswith('topic "lighthous": no such file')


def test_a_damaged_database_is_said_and_left_as_it_is(site: Site, topic: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    bad = b"dear reader, this is no database " * 200
    (run / "crawl.db").write_bytes(bad)
    done = crawl_command(run, "-a", topic)
    assert done.exit_code == 1
    (said,) = done.err.splitlines()[1:]
    assert said.startswith(f"{run / 'crawl.db'}: this is not an SQLite database")
    assert (run / "crawl.db").read_bytes() == bad


def test_a_run_in_use_is_said(site: Site, topic: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    site.page_delay(5)
    process = start_command(run, "-a", topic)
    try:
        until(lambda: len(site.paths()) >= 1 and (run / "crawl.db").is_file())
        done = crawl_command(run, "-a", topic)
        assert done.exit_code == 1
        assert f"process {process.pid} is crawling in this run folder" in done.err
        assert "Traceback" not in done.err
    finally:
        end(process, signal.SIGKILL)
    with closing(sqlite3.connect(run / "crawl.db")) as db, db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_shipped_topic_is_crawled_by_its_name_without_loading_what_others_need(site: Site, tmp_path: Path) -> None:
    say_modules = (
        "import atexit, sys; from scrapy.cmdline import execute;"
        " atexit.register(lambda: print(*{name.partition('.')[0] for name in sys.modules}));"
        " execute(['scrapy', *sys.argv[1:]])"
    )
    crawl = command(tmp_path / "run", "-a", "topic=tea", "-a", f"seeds={site.url('/page/0')}", "-a", "pages=2")
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", say_modules, *crawl[1:]],
        cwd=ROOT,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert Crawled(tmp_path / "run").counts()["pages"] == 2
    loaded = set(done.stdout.split())
    assert "numpy" in loaded
    # They cost 0.1 to 2 s of CPU and up to 50 MB each; exports, training and fleets need them.
    others = {"scipy", "sklearn", "networkx", "datasketch", "redis", "psycopg", "rich", "typer", "aiohttp"}
    assert loaded & others == set()


def test_a_name_that_does_not_exist_is_looked_up_three_times_for_all_its_links(
    site: Site, topic: str, tmp_path: Path
) -> None:
    # through a proxy for http, https names are looked up here: ".invalid" never exists
    links = ",".join(f"https://gone.invalid/{n}" for n in range(6))
    seeds = f"{links},http://here.invalid/page/3"
    done = crawl_command(
        tmp_path / "run", "-a", topic, "-a", f"seeds={seeds}", "-a", "pages=8", env={"http_proxy": site.url("")}
    )
    assert done.exit_code == 0, done.err
    assert done.counts()["done"] >= 8
    assert {record.reason for record in done.pages() if record.outcome != "done"} <= {"no such host"}
    assert {line["host"] for line in site.log(pages_only=False)} == {"here.invalid"}
