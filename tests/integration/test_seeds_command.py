"""``focuscrawl seeds`` beside servers on this machine: an engine that answers as SearXNG does, and sites to look at."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from loopback import Answering, address, serving

from focuscrawl.cli.seeds import chosen_numbers

TEA = "<title>Oolong tea</title><h1>Oolong tea</h1><p>" + "Green tea and oolong tea are brewed from tea leaves. " * 12
SALE = "<title>parked</title><p>This domain is for sale. Buy this domain.</p>"
OTHER = "<title>Cars</title><p>" + "Engines and wheels of fast cars on the road. " * 20


class Web(ThreadingHTTPServer):
    """Search engine and sites in one; what is asked of it is kept."""

    @property
    def base(self) -> str:
        return address(self)


class _Handler(Answering):
    server: Web

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        pages = {"/tea": TEA, "/sale": SALE, "/cars": OTHER}
        if path == "/search":
            rows = [
                {"url": f"{self.server.base}/{name}", "title": title, "content": text}
                for name, title, text in (
                    ("cars", "Fast cars", "engines"),
                    ("tea", "Oolong tea", "brewing green tea and oolong tea"),
                    ("gone", "Tea shop", "tea"),
                )
            ]
            body, kind, status = json.dumps({"results": rows}), "application/json", 200
        else:
            body, kind, status = pages.get(path, ""), "text/html; charset=utf-8", 200 if path in pages else 404
        self.answer(status, kind, body.encode())


@pytest.fixture
def web() -> Iterator[Web]:
    with serving(Web(("127.0.0.1", 0), _Handler)) as server:
        yield server


@pytest.fixture
def topic(tmp_path: Path, web: Web) -> Path:
    path = tmp_path / "tea.toml"
    seeds = [f"{web.base}/{name}" for name in ("tea", "gone", "sale", "cars")]
    path.write_text(f'name = "tea"\ntitle = "Tea"\nseeds = {json.dumps(seeds)}\n[terms]\ntea = 1.0\noolong = 0.8\n')
    return path


def seeds(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "focuscrawl", "seeds", *arguments]
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, env=kept, stdin=subprocess.DEVNULL, check=False
    )


def test_found_seeds_are_judged_and_written(web: Web, topic: Path, tmp_path: Path) -> None:
    out = tmp_path / "seeds" / "tea.txt"
    done = seeds("find", str(topic), "--searxng", web.base, "--take", "2", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "Asking for: Tea; tea oolong" in done.stderr
    lines = out.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# for tea: 2 seeds"
    assert {line.split()[0] for line in lines[1:]} == {f"{web.base}/tea", f"{web.base}/gone"}
    assert f"2 seeds written to {out}; crawl from them: focuscrawl crawl {topic} --seeds {out}" in " ".join(
        done.stdout.split()
    )
    again = seeds("find", str(topic), "--searxng", web.base, "--take", "2", "--out", str(out))
    assert again.returncode == 2
    assert "is there already" in again.stderr
    assert "Asking for" not in again.stderr, "before any engine is asked"


def test_with_a_look_what_is_dead_or_off_the_topic_is_left_out(web: Web, topic: Path) -> None:
    done = seeds("find", str(topic), "--searxng", web.base, "--look", "--allow-private", "--json")
    assert done.returncode == 0, done.stderr
    assert [row["url"] for row in json.loads(done.stdout)] == [f"{web.base}/tea"]
    assert "/gone: dead: HTTP 404" in done.stderr
    assert "/cars: off topic" in done.stderr


def test_without_a_terminal_a_number_is_asked_for(web: Web, topic: Path) -> None:
    done = seeds("find", str(topic), "--searxng", web.base)
    assert done.returncode == 2
    assert "--take 20" in done.stderr
    assert "Asking for" not in done.stderr


def test_public_engines_do_not_go_with_a_server(web: Web, topic: Path) -> None:
    done = seeds("find", str(topic), "--searxng", web.base, "--engines", "mojeek", "--take", "2")
    assert done.returncode == 2
    assert "--engines names public engines" in done.stderr
    assert "Asking for" not in done.stderr


def test_an_engine_that_cannot_be_reached_is_said(topic: Path, web: Web) -> None:
    web.shutdown()
    web.server_close()
    done = seeds("find", str(topic), "--searxng", web.base, "--take", "5")
    assert done.returncode == 1
    assert "no answer" in done.stderr
    assert "No candidates: no query was answered with results." in done.stderr
    assert done.stderr.count("no answer") == 1, "six queries fail for one reason"


def test_states_of_seeds_are_told_and_none_is_fatal(topic: Path) -> None:
    done = seeds("check", str(topic), "--allow-private", "--json")
    assert done.returncode == 0, done.stderr
    assert [look["state"] for look in json.loads(done.stdout)] == ["fine", "dead", "parked", "off topic"]


def test_private_addresses_are_not_contacted_unless_allowed(topic: Path) -> None:
    done = seeds("check", str(topic), "--json")
    assert done.returncode == 0
    assert {look["state"] for look in json.loads(done.stdout)} == {"dead"}


def test_a_list_is_imported_as_it_stands_or_judged(tmp_path: Path, topic: Path) -> None:
    given = tmp_path / "links.md"
    given.write_text("[Cars](http://cars.example/) and [Oolong tea](http://tea.example/)\n", encoding="utf-8")
    plain = seeds("import", str(given))
    assert plain.returncode == 0
    assert plain.stdout.splitlines()[1:] == ["http://cars.example/ # Cars", "http://tea.example/ # Oolong tea"]
    best = seeds("import", str(given), "--topic", str(topic), "--take", "1", "--json")
    assert [row["url"] for row in json.loads(best.stdout)] == ["http://tea.example/"]


def test_no_list_is_written_of_seeds_that_nobody_has_chosen(web: Web, tmp_path: Path, topic: Path) -> None:
    given, out = tmp_path / "links.txt", tmp_path / "tea.txt"
    given.write_text("http://cars.example/\nhttp://tea.example/\n", encoding="utf-8")
    importing = ["import", str(given), "--out", str(out), "--json"]
    for asked in ([*importing, "--topic", str(topic)], ["find", str(topic), "--searxng", web.base, *importing[2:]]):
        done = seeds(*asked)
        assert (done.returncode, done.stdout) == (2, "")
        assert "say how many to write, as in --take 20" in " ".join(done.stderr.split())
    assert not out.exists()
    assert len(json.loads(seeds(*importing).stdout)) == 2  # without a topic there is nothing to choose by
    assert out.exists()


def test_lines_of_a_list_that_are_no_address_are_told(tmp_path: Path) -> None:
    given = tmp_path / "links.txt"
    given.write_text("http://tea.example/\nftp://tea.example/\noolong.example\n", encoding="utf-8")
    done = seeds("import", str(given))
    assert done.returncode == 0
    assert 'links.txt: 2 lines are no http or https address and are left out; the first is line 2: "ftp' in done.stderr
    given.write_text("http://tea.example/\noolong.example\n", encoding="utf-8")
    assert "有 1 行不是 http 或 https 网址" in seeds("import", str(given), "--lang", "zh").stderr


def test_the_query_of_a_candidate_is_told_in_chinese(web: Web, topic: Path) -> None:
    done = seeds("find", str(topic), "--searxng", web.base, "--take", "2", "--lang", "zh")
    assert done.returncode == 0, done.stderr
    assert "搜索“Tea" in done.stdout
    assert 'search "' not in done.stdout
    rows = seeds("find", str(topic), "--searxng", web.base, "--take", "2", "--lang", "zh", "--json").stdout
    assert {row["source"].partition('"')[0] for row in json.loads(rows)} == {"search "}


def test_a_reader_of_chinese_is_told_in_chinese_and_a_program_in_english(tmp_path: Path, topic: Path) -> None:
    done = seeds("check", str(topic), "--allow-private", "--lang", "zh")
    assert done.returncode == 0, done.stderr
    for words in ("状态", "正常", "无法访问", "域名待售", "离题", "网页上没有主题词", "4 个种子中 1 个正常。"):
        assert words in done.stdout
    programs = seeds("check", str(topic), "--allow-private", "--lang", "zh", "--json")
    assert [look["detail"] for look in json.loads(programs.stdout)][2:] == [
        "the name is for sale",
        "no word of the topic on it",
    ]
    out = tmp_path / "seeds.txt"
    given = tmp_path / "links.txt"
    given.write_text("http://tea.example/ Oolong tea\n", encoding="utf-8")
    done = seeds("import", str(given), "--lang", "zh", "--out", str(out))
    assert "1 个种子已写入" in done.stdout
    assert out.read_text(encoding="utf-8").startswith("# 网址列表：1 个种子\n")


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("1-3,5", [1, 2, 3, 5]),
        (" 5，1、2 ", [1, 2, 5]),
        ("all", [1, 2, 3, 4, 5]),
        ("全部", [1, 2, 3, 4, 5]),
        ("none", []),
        ("6", None),
        ("0", None),
        ("3-1", None),
        ("x", None),
        ("1-", None),
    ],
)
def test_numbers_of_an_answer(answer: str, numbers: list[int] | None) -> None:
    assert chosen_numbers(answer, 5) == numbers
