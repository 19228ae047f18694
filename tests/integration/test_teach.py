"""Teaching: a real run, answers, and the run judged anew."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from select import select

import numpy as np
import pytest
from crawl_kit import Crawled, crawl_here, topic_file
from site_kit import Site

import focuscrawl
from focuscrawl.cli.main import run as command_line
from focuscrawl.demo.web import topic_file as demo_topic
from focuscrawl.errors import ConfigError
from focuscrawl.lab.simulate.replay import FinishedRun
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.reading import PageQuery
from focuscrawl.storage.run_settings import RunSettings
from focuscrawl.teaching.run import open_taught
from focuscrawl.topic.examples import examples_file, read_examples
from focuscrawl.topic.spec import load_topic

Command = Callable[..., tuple[int, str, str]]
PATIENCE_S = 60.0
# A shell lets what it starts in the background ignore Ctrl-C, and so does all that this starts in its turn.
_WITH_CTRL_C = (
    "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    " runpy.run_module('focuscrawl', run_name='__main__', alter_sys=True)"
)


@pytest.fixture(scope="module")
def crawled(_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """A run of 40 pages, to be copied."""
    folder = tmp_path_factory.mktemp("taught")
    topic = topic_file(folder, _site.url("/page/0"))
    return crawl_here(folder / "run", topic=str(topic), pages="40")


@pytest.fixture
def run(crawled: Crawled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Crawled:
    """A copy of it with a topic file of its own."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(crawled.run, tmp_path / "run")
    topic = shutil.copy(crawled.run.parent / "lighthouses.toml", tmp_path)
    with CrawlDb.open(tmp_path / "run" / "crawl.db") as db:
        db.set_setting("topic_file", str(topic))
    return Crawled(tmp_path / "run")


@pytest.fixture
def command(capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            command_line([*arguments])
        out, err = capfdbinary.readouterr()
        return int(end.value.code or 0), out.decode(), err.decode()

    return call


def urls(run: Crawled, *, relevant: bool, count: int) -> list[str]:
    return [page.url for page in run.pages() if page.relevant is relevant and (page.text or page.set_aside)][:count]


def labels(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("url,label\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_answers_of_a_file_turn_verdicts_results_and_queue(run: Crawled, tmp_path: Path, command: Command) -> None:
    before = {page.url: page for page in run.pages()}
    wrong = urls(run, relevant=True, count=6)
    with CrawlDb.open_readonly(run.run / "crawl.db") as db:
        queue_before = {entry.entry.key: entry.priority for entry in db.queue(limit=1000)}
    file = labels(tmp_path / "urls.csv", [f"{url},no" for url in wrong])
    code, out, err = command("topic", "teach", str(run.run), "--labels", str(file), "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told["examples"] == {"relevant": 0, "irrelevant": 6}
    assert told["rejudged"]["no_more_relevant"] >= 6
    assert any('Only "no" so far' in sentence for sentence in told["told"])
    after = {page.url: page for page in run.pages()}
    assert list(after) == list(before), "the order of the pages is that of their fetches"
    relevant = [page for page in after.values() if page.relevant]
    assert len(relevant) == told["rejudged"]["relevant"] < sum(page.relevant for page in before.values())
    assert [line["url"] for line in run.jsonl()] == [page.url for page in relevant if not page.not_stored]
    for url in wrong:
        assert not after[url].relevant
        assert after[url].judged["untaught"] == before[url].relevance
        assert after[url].set_aside == before[url].text
        assert after[url].text == ""
        assert "+" in after[url].topic
    with CrawlDb.open_readonly(run.run / "crawl.db") as db:
        queue_after = {entry.entry.key: entry.priority for entry in db.queue(limit=1000)}
        (event,) = db.events("taught")
    assert event.data["no_more_relevant"] == told["rejudged"]["no_more_relevant"]
    assert queue_after.keys() == queue_before.keys()
    changed = [key for key, score in queue_after.items() if score != queue_before[key]]
    assert len(changed) == told["rejudged"]["rescored"] > 0
    examples = tomllib.loads((tmp_path / "lighthouses.examples.toml").read_text(encoding="utf-8"))["examples"]
    assert {example["url"] for example in examples} == set(wrong)
    assert all(example["by"] == "urls.csv" and example["text"] for example in examples)


def test_what_was_turned_can_be_turned_back(run: Crawled, tmp_path: Path, command: Command) -> None:
    before = {page.url: page for page in run.pages()}
    wrong = urls(run, relevant=True, count=6)
    command("topic", "teach", str(run.run), "--labels", str(labels(tmp_path / "a.csv", [f"{url},no" for url in wrong])))
    command(
        "topic", "teach", str(run.run), "--labels", str(labels(tmp_path / "b.csv", [f"{url},yes" for url in wrong]))
    )
    after = {page.url: page for page in run.pages()}
    for url in wrong:
        assert after[url].relevant
        assert after[url].text == before[url].text
        assert after[url].keywords, "made of the text anew"


def standing(run: Crawled) -> dict[str, tuple[object, ...]]:
    """Return what an answer changes of each page but its keywords, which are made of the text anew."""
    return {
        page.url: (page.relevant, round(page.relevance, 12), page.threshold, page.text, page.set_aside, page.topic)
        for page in run.pages()
        if page.text or page.set_aside
    }


@pytest.mark.parametrize("empty", [True, False])
def test_a_run_whose_answers_are_all_taken_back_is_what_it_was(
    run: Crawled, tmp_path: Path, command: Command, empty: bool
) -> None:
    before, lines = standing(run), [line["url"] for line in run.jsonl()]
    wrong = urls(run, relevant=True, count=6)
    command("topic", "teach", str(run.run), "--labels", str(labels(tmp_path / "a.csv", [f"{url},no" for url in wrong])))
    assert standing(run) != before
    examples = tmp_path / "lighthouses.examples.toml"
    if empty:
        examples.write_text("", encoding="utf-8")
    else:
        examples.unlink()
    code, out, err = command("topic", "teach", str(run.run), "--questions", "0")
    assert (code, err) == (0, "")
    assert "No answers: the topic file alone says what is on the topic." in out
    assert f"{len(before)} pages judged anew" in out
    assert standing(run) == before
    assert [line["url"] for line in run.jsonl()] == lines
    assert command("topic", "teach", str(run.run), "--questions", "0")[1] == "No answers: the run is as it was.\n"


def test_a_run_at_work_is_told_that_there_are_no_answers_left(run: Crawled, tmp_path: Path, command: Command) -> None:
    (url,) = urls(run, relevant=True, count=1)
    with CrawlDb.open(run.run / "crawl.db"):
        command("topic", "teach", str(run.run), "--labels", str(labels(tmp_path / "a.csv", [f"{url},no"])))
        (tmp_path / "lighthouses.examples.toml").unlink()
        code, out, _ = command("topic", "teach", str(run.run), "--questions", "0")
    assert code == 0
    assert "it forgets the answers within a second or two" in out
    taught, forgotten = (run.run / "control.jsonl").read_text(encoding="utf-8").splitlines()
    assert tomllib.loads(json.loads(taught)["topic"])["examples"]
    assert not tomllib.loads(json.loads(forgotten)["topic"]).get("examples")


def test_an_adaptive_threshold_is_again_where_each_page_met_it(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("focuscrawl.topic.threshold._MIN_PAGES", 10)  # the site is small
    monkeypatch.setattr("focuscrawl.topic.threshold._EVERY", 10)
    topic = topic_file(tmp_path, site.url("/page/0"))
    text = topic.read_text(encoding="utf-8")
    topic.write_text(text.replace("threshold = 0.15", 'threshold = "adaptive"'), encoding="utf-8")
    run = crawl_here(tmp_path / "run", topic=str(topic), pages="60")
    before = standing(run)
    assert len({threshold for _, _, threshold, *_ in before.values()}) > 1
    page = next(iter(before))
    focuscrawl.teach(run.run, {page: not before[page][0]})
    assert standing(run) != before
    (tmp_path / "lighthouses.examples.toml").unlink()
    taught = focuscrawl.teach(run.run, {})
    assert (taught.judged, taught.examples, taught.running) == (len(before), 0, False)
    assert standing(run) == before


def test_a_run_whose_topic_file_was_edited_says_so_and_is_judged_by_it(
    run: Crawled, site: Site, tmp_path: Path, command: Command, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "lighthouses.toml"
    before, text = standing(run), file.read_text(encoding="utf-8")
    file.write_text(text.replace('"lamp" = 0.6', '"lamp" = 0.1'), encoding="utf-8")
    crawl_here(run.run, topic=str(file), pages="42")
    told = "the topic file has changed since this run was last at work"
    assert sum(told in line and f"teach {run.run} --questions 0" in line for line in caplog.messages) == 1
    assert {url: verdict for url, verdict in standing(run).items() if url in before} == before
    caplog.clear()
    crawl_here(run.run, topic=str(file), pages="44")
    assert not any(told in line for line in caplog.messages), "it is told once"
    _, out, _ = command("topic", "teach", str(run.run), "--questions", "0")
    assert "No answers: the topic file alone says what is on the topic." in out
    spec = load_topic(str(file))
    after = standing(run)
    assert {verdict[-1] for verdict in after.values()} == {f"{spec.name}@{spec.digest}"}
    assert sum(after[url][1] != verdict[1] for url, verdict in before.items() if url in after) > 5
    assert command("topic", "teach", str(run.run), "--questions", "0")[1] == "No answers: the run is as it was.\n"


def test_a_taught_run_goes_on_with_what_it_was_taught(
    run: Crawled, site: Site, tmp_path: Path, command: Command
) -> None:
    wrong = urls(run, relevant=True, count=8)
    command("topic", "teach", str(run.run), "--labels", str(labels(tmp_path / "a.csv", [f"{url},no" for url in wrong])))
    verdicts = {page.url: (page.relevance, page.topic) for page in run.pages()}
    crawl_here(run.run, pages="55")
    pages = run.pages()
    assert len(pages) > len(verdicts)
    assert {page.url: (page.relevance, page.topic) for page in pages if page.url in verdicts} == verdicts
    new = [page for page in pages if page.url not in verdicts]
    assert {page.topic for page in new} == {page.topic for page in pages if page.set_aside}
    assert all(not page.relevant for page in new if "Lighthouse" in page.title)


def test_labels_that_cannot_be_used_are_told(run: Crawled, tmp_path: Path, command: Command) -> None:
    (good,) = urls(run, relevant=True, count=1)
    (other,) = urls(run, relevant=True, count=2)[1:]
    lines = [f"{good},yes", f"{other},yes", f"{other},no", "http://nowhere.example/,no"]
    code, out, err = command("topic", "teach", str(run.run), "--labels", str(labels(tmp_path / "urls.csv", lines)))
    assert (code, err) == (0, "")
    assert f"{other}: labelled yes and no; left out." in out
    assert "http://nowhere.example/: not among the pages of the run whose text was kept" in out
    assert "1 example: 1 on the topic, 0 not." in out


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("http://e.org/,perhaps", 'line 2: "perhaps": expected yes or no after the URL'),
        ("http://e.org/", 'line 2: "": expected yes or no after the URL'),
        ("e.org,yes", 'line 2: "e.org": expected an http or https URL'),
        ("", "has no labels; expected lines such as https://example.org/page,yes"),
    ],
)
def test_a_file_that_is_none_changes_nothing(
    run: Crawled, tmp_path: Path, command: Command, line: str, sentence: str
) -> None:
    before = (run.run / "pages.jsonl").read_bytes()
    code, out, err = command("topic", "teach", str(run.run), "--labels", str(labels(tmp_path / "urls.csv", [line])))
    assert (code, out) == (1, "")
    assert sentence in err
    assert (run.run / "pages.jsonl").read_bytes() == before
    assert not (tmp_path / "lighthouses.examples.toml").exists()


def test_python_teaches_too(run: Crawled) -> None:
    wrong = urls(run, relevant=True, count=6)
    taught = focuscrawl.teach(run.run, {**dict.fromkeys(wrong, False), "http://nowhere.example/": True})
    assert taught.unknown == ("http://nowhere.example/",)
    assert (taught.examples, taught.running) == (6, False)
    assert taught.no_more_relevant >= 6
    assert not [page for page in run.pages() if page.url in wrong and page.relevant]
    assert taught.examples_file.name == "lighthouses.examples.toml"


def test_labels_are_truth_values_of_numpy_and_words_or_refused(run: Crawled) -> None:
    first, second, third = urls(run, relevant=True, count=3)
    with pytest.raises(ConfigError, match=f"label of {second}: nan: expected True or False. Nothing was taken."):
        focuscrawl.teach(run.run, {first: False, second: float("nan")})
    taught = focuscrawl.teach(run.run, {first: np.False_, second: 1, third: "no"})
    given = {example.url: example.relevant for example in read_examples(taught.examples_file)}
    assert given == {first: False, second: True, third: False}


def test_labels_in_a_list_are_refused_in_a_sentence() -> None:
    with pytest.raises(ConfigError, match=r"labels=\[\('http://e.org/', True\)\]: expected addresses and their labels"):
        focuscrawl.teach("latest", [("http://e.org/", True)])  # type: ignore[arg-type]


def test_a_run_at_work_is_given_the_answers_as_a_change_of_topic(
    run: Crawled, tmp_path: Path, command: Command
) -> None:
    (url,) = urls(run, relevant=True, count=1)
    before = run.pages()
    file = labels(tmp_path / "a.csv", [f"{url},no"])
    with CrawlDb.open(run.run / "crawl.db"):
        code, out, _ = command("topic", "teach", str(run.run), "--labels", str(file))
    assert code == 0
    assert "it judges by the answers within a second or two" in out
    assert run.pages() == before
    (line,) = (run.run / "control.jsonl").read_text(encoding="utf-8").splitlines()
    assert [example["url"] for example in tomllib.loads(json.loads(line)["topic"])["examples"]] == [url]


def test_keys_of_a_pipe_answer_too(run: Crawled, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr(sys, "stdin", io.StringIO("perhaps\ny\nn\nu\ns\nn\nq\n"))
    code, out, _ = command("topic", "teach", str(run.run), "--questions", "9")
    assert code == 0
    assert "[lighthouse]" in out or "[Lighthouse]" in out, "words of the topic are marked"
    assert "2 examples: 1 on the topic, 1 not." in out
    with CrawlDb.open_readonly(run.run / "crawl.db") as db:
        assert len(list(db.pages(PageQuery(relevant=True)))) > 0


def test_ctrl_c_keeps_the_answers_and_leaves_the_run(run: Crawled, tmp_path: Path) -> None:
    before = run.pages()
    arguments = [sys.executable, "-c", _WITH_CTRL_C, "topic", "teach", str(run.run)]
    own, theirs = pty.openpty()
    with subprocess.Popen(arguments, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as process:
        os.close(theirs)
        try:
            terminal = Terminal(own)
            terminal.until(b"[q]uit: ")
            os.write(own, b"y")
            terminal.until(b"Question 2", b"[q]uit: ")
            os.write(own, b"n")
            terminal.until(b"Question 3", b"[q]uit: ")
            process.send_signal(2)
            terminal.until(b"2 answers kept in lighthouses.examples.toml", b"--questions 0")
        finally:
            os.close(own)
            process.kill()
    assert b"\x1b[" in terminal.seen, "a terminal gets colours"
    examples = tomllib.loads((tmp_path / "lighthouses.examples.toml").read_text(encoding="utf-8"))["examples"]
    assert [example["relevant"] for example in examples] == [True, False]
    assert not list(tmp_path.glob(".*.part"))
    assert run.pages() == before


class Terminal:
    """The other end of a terminal, which is read as far as it is asked for."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.seen = b""
        self._read = 0

    def until(self, *wanted: bytes) -> None:
        """Read until all of `wanted` have been shown, one after the other."""
        for one in wanted:
            while (at := self.seen.find(one, self._read)) < 0:
                ready, _, _ = select([self.handle], [], [], PATIENCE_S)
                assert ready, f"nothing more came after {self.seen[-200:]!r}"
                self.seen += os.read(self.handle, 65536)
            self._read = at + len(one)


def test_a_run_on_a_class_is_taught_in_a_copy_with_the_texts_of_the_class(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    crawl_here(tmp_path / "run", topic="clc:E0", seeds=site.url("/page/1"), pages=3)
    taught = open_taught(str(tmp_path / "run"))
    assert taught.copied
    copy = load_topic(str(taught.topic_file))
    assert taught.topic_file == Path("topics/clc-e0.toml")
    assert copy.terms == taught.spec.terms
    assert [one.text for one in copy.samples_loaded()] == [one.text for one in taught.spec.samples_loaded()]


def test_answers_on_a_topic_of_the_package_stay_beside_its_copy(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = demo_topic()
    run = crawl_here(
        tmp_path / "run",
        topic=str(shipped),
        seeds=site.url("/page/1"),
        pages=6,
        settings={"FOCUSCRAWL_KEEP_IRRELEVANT": True},
    )
    first, second, third = urls(run, relevant=False, count=3)
    for file, url in (("a.csv", first), ("b.csv", second)):
        assert command("topic", "teach", "run", "--labels", str(labels(tmp_path / file, [f"{url},no"])))[0] == 0
    assert not examples_file(shipped).exists()
    kept = read_examples(Path("topics/tea-culture.examples.toml"))
    assert {one.url for one in kept} == {first, second}
    digest = load_topic(str(shipped)).taught(kept).digest

    crawl_here(tmp_path / "run", pages=8, settings={"FOCUSCRAWL_KEEP_IRRELEVANT": True})
    with CrawlDb.open_readonly(tmp_path / "run" / "crawl.db") as db:
        settings, pages = RunSettings.load(db), list(db.pages())
    assert settings.topic_version == digest
    assert pages[-1].topic == f"tea-culture@{digest}"

    FinishedRun(Path("run"))  # a topic that has changed since is refused

    _, out, _ = command("topic", "teach", "run", "--questions", "0")
    assert "2 examples" in out
    assert command("topic", "teach", "run", "--labels", str(labels(tmp_path / "c.csv", [f"{third},no"])))[0] == 0
    assert len(open_taught("run").spec.examples) == 3


def test_answers_on_a_topic_in_an_egg_outlive_the_process(
    run: Crawled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    with zipfile.ZipFile(tmp_path / "towers.egg", "w") as egg:
        egg.writestr("towers_of_mine/__init__.py", "")
        egg.write(tmp_path / "lighthouses.toml", "towers_of_mine/topics/lighthouses.toml")
    monkeypatch.syspath_prepend(str(tmp_path / "towers.egg"))
    reference = "pkg:towers_of_mine/topics/lighthouses.toml"
    with CrawlDb.open(run.run / "crawl.db") as db:
        db.set_setting("topic_file", reference)
    (url,) = urls(run, relevant=True, count=1)
    assert command("topic", "teach", "run", "--labels", str(labels(tmp_path / "a.csv", [f"{url},no"])))[0] == 0
    assert {one.url for one in read_examples(Path("topics/lighthouses.examples.toml"))} == {url}
    with CrawlDb.open_readonly(run.run / "crawl.db") as db:
        assert RunSettings.load(db).examples_file == str(tmp_path / "topics" / "lighthouses.examples.toml")
