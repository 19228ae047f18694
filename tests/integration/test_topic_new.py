"""``focuscrawl topic new`` by options: a site and a model on loopback, bookmarks, an earlier run, files."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from crawl_kit import clean_environment
from forked_commands import fork_server
from loopback import Answering, address, serving
from typer.testing import CliRunner

from focuscrawl.cli.topic import app
from focuscrawl.topic.spec import load_topic

CHINESE = (
    "榫卯结构是两个木构件之间的一种连接方式，凸出的部分叫榫，凹进的部分叫卯。明式家具的榫卯结构不用一根铁钉，"
    "木匠用刨子和凿子加工，榫卯结构受潮膨胀后反而更紧。明式家具多用黄花梨和紫檀。"
)
BONSAI = "A bonsai is pruned in spring. Copper wire bends the branches of the bonsai, and copper wire is cut away. "


ASKED, RELEASED = Event(), Event()


class Site(Answering):
    """A page in GBK, an English one, one that robots.txt forbids, and a language model."""

    def do_GET(self) -> None:
        kind, status, body = "text/html", 200, b""
        match self.path:
            case "/gbk":
                body = f"<html><meta charset=gbk><title>榫卯</title><p>{CHINESE}</p></html>".encode("gbk")
            case "/bonsai":
                body = f"<html><title>Bonsai</title><h1>Bonsai</h1><p>{BONSAI * 3}</p></html>".encode()
            case "/slow":
                ASKED.set()
                RELEASED.wait(60)
            case "/robots.txt":
                kind, body = "text/plain", b"User-agent: *\nDisallow: /private\n"
            case _:
                status = 404
        self.answer(status, kind, body)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        draft = {"terms": {"mortise": 1.0, "tenon": 0.9}, "synonyms": {"tenon": ["榫"]}, "paragraphs": [BONSAI]}
        message = {"choices": [{"message": {"content": json.dumps(draft)}}]}
        if self.path.startswith("/broken"):
            message = {"choices": [{"message": {"content": "I would rather not."}}]}
        self.answer(200, "application/json", json.dumps(message).encode())


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Site)) as server:
        yield address(server)


def new(folder: Path, *arguments: str) -> tuple[int, str, str]:
    process = fork_server().start(
        ["focuscrawl", "topic", "new", *arguments], cwd=folder, env=clean_environment() | {"LC_ALL": "C.UTF-8"}
    )
    out, err = process.communicate(60)
    return process.wait(), out.decode(), err.decode()


def made(folder: Path, *arguments: str) -> dict[str, Any]:
    code, out, err = new(folder, *arguments, "--json")
    assert code == 0, err
    answer: dict[str, Any] = json.loads(out)
    return answer


def test_a_page_in_gbk_gives_words_a_sample_and_a_seed(site: str, tmp_path: Path) -> None:
    facts = made(tmp_path, "sunmao", "--example", f"{site}/gbk", "--allow-private")
    spec = load_topic(str(tmp_path / facts["file"]))
    assert spec.language == "zh"
    assert {"榫卯结构", "明式家具"} <= set(spec.terms)
    assert spec.seed_urls() == [f"{site}/gbk"]
    assert "凸出的部分叫榫" in spec.samples.relevant_text[0]
    assert facts["next"] == "Next: focuscrawl crawl topics/sunmao.toml"


def test_examples_are_fetched_under_the_rules_of_a_crawl(site: str, tmp_path: Path) -> None:
    code, out, err = new(
        tmp_path,
        "tea",
        "--words",
        "tea",
        "--example",
        f"{site}/private/x",
        "--example",
        f"{site}/gone",
        "--allow-private",
    )
    assert code == 0, err
    assert "robots.txt" in out
    assert "HTTP 404" in out
    code, out, err = new(tmp_path, "--example", f"{site}/bonsai")
    assert (code, out.count("is not a public address")) == (1, 1)
    assert "nothing says what the topic is about: give words or an example\n" in err
    assert [path.name for path in tmp_path.rglob("*.toml")] == ["tea.toml"]


def test_ctrl_c_while_pages_are_fetched_writes_nothing(site: str, tmp_path: Path) -> None:
    command = ["focuscrawl", "topic", "new", "tea", "--words", "tea", "--example", f"{site}/slow", "--allow-private"]
    process = fork_server().start(command, cwd=tmp_path, env=clean_environment())
    assert ASKED.wait(60)
    process.send_signal(signal.SIGINT)
    RELEASED.set()
    _, err = process.communicate(60)
    assert (process.wait(), err.decode()) == (1, "Interrupted: nothing was written.\n")
    assert not list(tmp_path.iterdir())


def test_bookmarks_of_a_folder_give_words_and_seeds(tmp_path: Path) -> None:
    marks = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><H3>Trees</H3><DL><p>"
    marks += '<DT><A HREF="http://a.example/">Bonsai pots and bonsai tools</A>'
    marks += '<DT><A HREF="http://b.example/">Bonsai forum</A></DL><p>'
    marks += '<DT><H3>Money</H3><DL><p><DT><A HREF="http://c.example/">Bonds</A></DL><p></DL>'
    (tmp_path / "marks.html").write_text(marks, encoding="utf-8")
    facts = made(tmp_path, "--bookmarks", "marks.html", "--folder", "trees")
    spec = load_topic(str(tmp_path / facts["file"]))
    assert spec.name == "bonsai"
    assert spec.seed_urls() == ["http://a.example/", "http://b.example/"]
    assert "bonds" not in spec.terms


def test_a_model_drafts_words_other_names_and_a_sample(site: str, tmp_path: Path) -> None:
    facts = made(tmp_path, "joints", "--about", "Joints of wood", "--ask", f"{site}/v1", "--model", "m")
    spec = load_topic(str(tmp_path / facts["file"]))
    assert spec.terms["mortise"] == 1.0
    assert spec.synonyms["tenon"] == ("榫",)
    assert "# Written by m, not by a person" in (tmp_path / facts["file"]).read_text(encoding="utf-8")
    code, _, err = new(tmp_path, "other", "--about", "Joints of wood", "--ask", f"{site}/broken", "--model", "m")
    assert (code, err.count("\n")) == (1, 1)
    assert "no draft" in err


def test_nobody_is_told_to_lower_what_weighs_little(tmp_path: Path) -> None:
    _, out, _ = new(tmp_path, "music", "--about", "Music for children")
    assert load_topic(str(tmp_path / "topics" / "music.toml")).terms["children"] < 0.2
    assert "many pages have" not in out


def test_common_words_of_a_sentence_are_kept_with_less_weight_and_those_left_out_are_told(tmp_path: Path) -> None:
    code, out, err = new(tmp_path, "film", "--about", "Film and cinema: projectors, studios", "--take", "3")
    assert (code, err, "hits too much" in out) == (0, "", False)
    assert "Words of the sentence that many pages have: film. If they bring too much, lower their weights in " in out
    assert 'that are not in the topic: studios. One that matters goes into --words "studios=0.5", or below' in out
    assert 'below [terms] of topics/film.toml: "studios" = 0.5\n' in out
    assert load_topic(str(tmp_path / "topics" / "film.toml")).terms == {"cinema": 0.8, "projectors": 0.8, "film": 0.8}
    assert made(tmp_path, "cut", "--about", "Film and cinema", "--take", "1")["unused_words"] == ["cinema"]


def test_a_word_with_a_hyphen_is_found_without_one_too(tmp_path: Path) -> None:
    code, _, err = new(tmp_path, "shops", "--about", "E-commerce in villages", "-o", "topic.toml")
    assert code == 0, err
    topic = load_topic(tmp_path / "topic.toml")
    assert topic.terms["e-commerce"] == 0.8
    assert topic.synonyms["e-commerce"] == ("ecommerce",)


def test_a_class_alone_is_a_topic(tmp_path: Path) -> None:
    facts = made(tmp_path, "--class", "clc:R2", "--words", "针灸|acupuncture")
    assert (facts["name"], facts["samples"] > 1) == ("acupuncture", True)
    code, _, err = new(tmp_path, "--class", "clc:R99")
    assert (code, "clc:R9" in err) == (2, True)


def test_a_file_is_not_overwritten_without_force(tmp_path: Path) -> None:
    path = tmp_path / "topics" / "tea.toml"
    path.parent.mkdir()
    path.write_text("mine", encoding="utf-8")
    code, _, err = new(tmp_path, "tea", "--words", "tea")
    assert (code, path.read_text(encoding="utf-8")) == (1, "mine")
    assert "--force" in err
    assert new(tmp_path, "tea", "--words", "tea", "--force")[0] == 0
    assert load_topic(str(path)).terms == {"tea": 1.0}


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ((), 2, "nobody is here to ask"),
        (("Tee!", "--words", "tea"), 2, "lower-case letters"),
        (("--words", "茶"), 1, "no letters a-z to make a name of"),
        (("茶道",), 2, 'what the topic is about is said by --about "茶道"'),
        (("--words", "tea=3"), 2, "weights are in (0, 1]"),
        (("--about", "x", "--ask", "http://localhost:1/v1"), 2, "go together"),
        (("tea", "--bookmarks", "gone.html"), 1, "no such file"),
        (("tea", "--run", "gone"), 1, "gone"),
        (("tea", "--words", "tea", "--folder", "x"), 2, "--folder goes with --bookmarks"),
        (("tea", "--words", "tea", "--example", "ftp://h.example/tea"), 2, "begins with http:// or https://"),
        (("tea", "--words", "tea", "--language", "not a tag"), 2, '--language "not a tag": must be a BCP-47'),
        (("tea", "--class", "nope"), 2, "no class has this code"),
        (("tea", "--words", "tea", "--out", "."), 1, "is a folder"),
    ],
)
def test_wrong_usage_is_a_sentence_and_writes_nothing(
    tmp_path: Path, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    ended, _, err = new(tmp_path, *arguments)
    assert (ended, "Traceback" in err) == (code, False)
    assert sentence in " ".join(err.replace("│", " ").split())
    assert not list(tmp_path.rglob("*"))


@pytest.mark.parametrize("option", ["--about", "--words", "--title"])
def test_bytes_that_are_no_text_are_refused(option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    gbk = os.fsdecode("\u8336\u53f6".encode("gbk"))  # as a shell in UTF-8 hands over the argument of a script in GBK
    done = CliRunner().invoke(app, ["new", "tea", "--words", "tea", option, gbk])
    assert done.exit_code == 2
    assert f"{option}: is no text in UTF-8" in done.output
    assert not list(tmp_path.iterdir())


def test_messages_and_comments_are_in_chinese_when_asked(tmp_path: Path) -> None:
    code, out, err = new(tmp_path, "cha", "--words", "乌龙茶", "--lang", "zh")
    assert (code, err) == (0, "")
    assert "最强的词：乌龙茶" in out
    assert "# 抓取的起点" in (tmp_path / "topics" / "cha.toml").read_text(encoding="utf-8")
