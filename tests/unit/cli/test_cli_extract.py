"""focuscrawl extract, as a person calls it."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from focuscrawl.cli import extract as module

Command = Callable[..., tuple[int, str, str]]

PAGE = (
    "<html><head><title>国际象棋开局</title></head><body><nav><a href='/a'>首页</a></nav><article><h1>开局的道理</h1>"
    "<p>意大利开局是最古老的开局之一，白方第三步走象，眼睛盯着对方的弱点。</p>"
    "<p>双方都有很多计划，最要紧的是中心与王的安全。</p></article></body></html>"
)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "第一页.html"
    path.write_bytes(PAGE.encode("gb18030"))
    return path


def test_a_page_is_shown_with_how_it_was_found(page: Path, command: Command) -> None:
    code, out, _ = command("extract", str(page))
    assert code == 0
    assert "国际象棋开局" in out
    assert "method      main-content" in out
    assert "意大利开局是最古老的开局之一" in out
    assert "首页" not in out
    assert "\x1b" not in out


def test_json_has_the_fields(page: Path, command: Command) -> None:
    code, out, _ = command("extract", str(page), "--json", "--url", "http://example.org/a")
    assert code == 0
    found = json.loads(out)
    assert found["url"] == "http://example.org/a"
    assert found["encoding"] == "gb18030"
    assert {"title", "text", "published", "category", "method", "confidence", "parts", "xpaths"} <= set(found)


def test_a_gzipped_page_is_the_same(page: Path, command: Command) -> None:
    packed = page.with_name("packed")
    packed.write_bytes(gzip.compress(page.read_bytes()))
    texts = {json.loads(command("extract", str(p), "--json")[1])["text"] for p in (page, packed)}
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: no such file or directory"),
        (gzip.compress(b"x" * 1000, mtime=0)[:-12], "damaged gzip file"),
        (b"x" * (16 * 2**20 + 1), "longer than 16 MB"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    tmp_path: Path, command: Command, content: bytes | None, message: str
) -> None:
    path = tmp_path / "页.html"
    if content is not None:
        path.write_bytes(content)
    code, out, err = command("extract", str(path))
    assert (code, out) == (1, "")
    assert message in err
    assert err.count("\n") == 1


def test_an_unknown_method_names_the_nearest(page: Path, command: Command) -> None:
    code, _, err = command("extract", str(page), "--method", "blokcs")
    assert code == 2
    assert 'Did you mean "blocks"?' in err


@pytest.mark.parametrize("arguments", [(), ("a.html", "--pages", "b"), ("a", "--jobs", "0"), ("--nonsense",)])
def test_wrong_usage_is_2(command: Command, arguments: tuple[str, ...]) -> None:
    assert command("extract", *arguments)[0] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ftp://127.0.0.1/a.html",), "ftp://127.0.0.1/a.html: expected a file, or an address that begins with http"),
        (("page.html", "--url", "example.org/a"), "--url example.org/a: expected a whole address"),
        (("http://127.0.0.1/a", "--url", "http://a.example/"), "--url: expected with a FILE"),
        (("--pages", "a.jsonl", "--url", "http://a.example/"), "--url is of one FILE"),
    ],
)
def test_an_address_that_cannot_be_is_2_and_a_sentence(
    command: Command, arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = command("extract", *arguments)
    assert (code, out) == (2, "")
    assert message in " ".join(err.replace("│", " ").split())


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_many_pages_keep_their_order_and_bad_ones_are_data(page: Path, command: Command, jobs: str) -> None:
    tasks = [{"id": i, "url": f"http://example.org/{i}", "file": page.name} for i in range(20)]
    lines = [json.dumps(task) for task in tasks]
    lines[3] = "not json"
    lines[5] = json.dumps({"id": "gone", "file": "gone.html"})
    lines[7] = json.dumps({"id": "empty"})
    lines[9] = json.dumps({"file": str(page)})
    listing = page.with_name("list.jsonl")
    listing.write_text("\n".join(lines) + "\n\n")
    out_file = page.with_name("out.jsonl")
    code, out, err = command(
        "extract", "--pages", str(listing), "--jobs", jobs, "--out", str(out_file), "--method", "blocks"
    )
    assert (code, out) == (0, "")
    assert "3 of 20 pages could not be extracted" in err
    results = [json.loads(line) for line in out_file.read_text("utf-8").splitlines()]
    ids = [i if i not in (3, 5, 7, 9) else {3: 4, 5: "gone", 7: "empty", 9: 10}[i] for i in range(20)]
    assert [r["id"] for r in results] == ids
    assert "not JSON" in results[3]["error"]
    assert "no such file" in results[5]["error"]
    assert '"file"' in results[7]["error"]
    assert all(r["method"] == "blocks" and "意大利开局" in r["text"] for r in results if "error" not in r)
    assert results[9]["url"].startswith("file://")
    text = (Path(__file__).parents[3] / "docs" / "commands.md").read_text(encoding="utf-8")
    named = text.partition("writes an object a line in the same\norder: ")[2].partition("Only `file` is required")[0]
    assert re.findall(r"`(\w+)`", named) == list(results[0])


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_a_host_repeats_leaves_its_later_pages(tmp_path: Path, command: Command, jobs: str) -> None:
    words = ("apples", "boats", "chairs", "doors", "elms", "figs")
    lines = []
    for word in words:
        body = (
            f"<p>The long story of {word} begins on a morning when all {word} were new, and ends with old {word}.</p>"
        )
        end = "<p>This entry was posted by the keeper of the lighthouse and both comments and pings are closed.</p>"
        path = tmp_path / f"{word}.html"
        path.write_text(f"<title>On {word} - The Lighthouse</title><article>{body}{end}</article>", encoding="utf-8")
        lines += [json.dumps({"file": str(path), "url": f"http://light.example/{word}"})]
    listing = tmp_path / "list.jsonl"
    listing.write_text("\n".join([*lines, json.dumps({"file": str(path), "id": "no address"})]), encoding="utf-8")
    code, out, _ = command("extract", "--pages", str(listing), "--jobs", jobs, "--method", "blocks")
    assert code == 0
    results = [json.loads(line) for line in out.splitlines()]
    assert "comments and pings" in results[0]["text"]
    assert results[5]["title"] == "On figs"
    assert "story of figs" in results[5]["text"]
    assert "comments and pings" not in results[5]["text"]
    assert results[6]["title"] == "On figs - The Lighthouse"


def test_a_missing_list_is_said(tmp_path: Path, command: Command) -> None:
    code, _, err = command("extract", "--pages", str(tmp_path / "no.jsonl"))
    assert code == 1
    assert err.endswith("no.jsonl: cannot be read: no such file or directory.\n")


def test_a_crashing_method_costs_one_line(page: Path, monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    class Crashing:
        def extract(self, page: object) -> None:
            raise RuntimeError("deep inside")

    monkeypatch.setattr(module, "page_extractor", lambda *_: Crashing())
    listing = page.with_name("list.jsonl")
    listing.write_text(json.dumps({"id": 1, "file": page.name}) + "\n")
    code, out, _ = command("extract", "--pages", str(listing))
    assert code == 0
    error = json.loads(out)["error"]
    assert error.startswith('extractor "router" fails over file://')
    assert f": RuntimeError: deep inside ({__file__}, line " in error


def test_the_default_method_is_the_crawls() -> None:
    from focuscrawl.crawler.build import DEFAULT_EXTRACTOR

    assert module.DEFAULT_METHOD == DEFAULT_EXTRACTOR


def python(*code: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, *code], capture_output=True, env={**os.environ, **environment}, timeout=60, check=False
    )


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom focuscrawl.cli.main import run\n"
        "try: run(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'scrapy', 'twisted', 'numpy', 'sklearn', 'lxml', 'pydantic', 'rich.table'} & set(sys.modules)\n"
        "sys.stderr.write(' '.join(sorted(heavy)))\n"
    )
    done = python("-c", code)
    assert b"explain" in done.stdout
    assert done.stderr == b""


def test_chinese_is_written_in_any_locale(page: Path) -> None:
    done = python("-m", "focuscrawl", "extract", str(page), LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "意大利开局" in done.stdout.decode("utf-8")


@pytest.mark.parametrize(("terminals", "written"), [("gbk", "gbk"), ("gb18030", "gb18030"), ("ascii", "utf-8")])
def test_a_terminal_gets_its_own_encoding_where_that_has_chinese(page: Path, terminals: str, written: str) -> None:
    reader, terminal = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "focuscrawl", "extract", str(page)],
            stdout=terminal,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": terminals},
            timeout=60,
            check=False,
        )
        shown = os.read(reader, 1 << 16)
    finally:
        os.close(terminal)
        os.close(reader)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "意大利开局" in shown.decode(written)


def test_a_reader_that_leaves_is_no_error(page: Path) -> None:
    listing = page.with_name("list.jsonl")
    listing.write_text((json.dumps({"file": page.name}) + "\n") * 300)
    with subprocess.Popen(
        [sys.executable, "-m", "focuscrawl", "extract", "--pages", str(listing)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


def test_version(command: Command) -> None:
    assert command("--version")[:2] == (0, "focuscrawl 0.1.0\n")
