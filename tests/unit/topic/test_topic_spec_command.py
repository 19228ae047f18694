from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest

from focuscrawl.cli.main import run


def focuscrawl(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        run(["topic", *arguments])
    return int(caught.value.code or 0)


def test_check_accepts_a_shipped_topic(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert focuscrawl("check", "xiangqi") == 0
    out = capfdbinary.readouterr().out.decode()
    assert "xiangqi.toml: ok (8 terms, 6 seeds, digest " in out
    strongest = next(line for line in out.splitlines() if "strongest words: " in line)
    assert len(strongest.partition("strongest words: ")[2].split(", ")) == 10


def test_check_shows_the_words_as_they_are_written(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    topic = tmp_path / "films.toml"
    topic.write_text('name = "films"\nlanguage = "en"\n[terms]\nseries = 1.0\nmovies = 1.0\n', "utf-8")
    assert focuscrawl("check", str(topic)) == 0
    assert "strongest words: movies, series" in capfdbinary.readouterr().out.decode()


def test_check_reports_every_file_and_exits_with_1(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text('name = "Bad"\n[terms]\na = 2\n', "utf-8")
    assert focuscrawl("check", str(bad), "tea", "--json") == 1
    results = json.loads(capfdbinary.readouterr().out)
    assert [result["ok"] for result in results] == [False, True]
    assert len(results[0]["faults"]) == 2
    assert focuscrawl("check", str(bad)) == 1
    assert "bad.toml: 2 faults" in capfdbinary.readouterr().out.decode()


def test_check_names_all_unknown_parts_at_once(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    topic = tmp_path / "tea.toml"
    topic.write_text('name = "tea"\n[terms]\ntea = 1\n[judge]\nname = "vmx"\n[ranking]\nstrategy = "rvb"\n', "utf-8")
    assert focuscrawl("check", str(topic), "--json") == 1
    judge, strategy = json.loads(capfdbinary.readouterr().out)[0]["faults"]
    assert '"vmx": unknown judge' in judge
    assert '"rvb": unknown strategy' in strategy


def test_check_names_unknown_parts_beside_other_faults_and_goes_on(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.toml").write_text(
        'name = "bad"\ntokenizer = "xx"\n[terms]\ntea = 1\n[budget]\npages = -3\n[scope]\ninclude = ["("]\n'
        '[judge]\nname = "vmx"\n[ranking]\nstrategy = "rvb"\n[scorers.wrods]\nweight = 0.1\n'
        "[scorers.rvv]\nweight = 1\n",
        "utf-8",
    )
    Path("good.toml").write_text('name = "good"\n[terms]\ntea = 1\n', "utf-8")
    assert focuscrawl("check", "bad.toml", "good.toml", "--json") == 1
    bad, good = json.loads(capfdbinary.readouterr().out)
    assert good["ok"]
    for fault, start in zip(
        bad["faults"],
        (
            "bad.toml: [budget] pages = -3: must be",
            'bad.toml: [scope] include[0] = "(": not a regular',
            'bad.toml: tokenizer = "xx": unknown tokenizer; known: ',
            'bad.toml: [judge] name = "vmx": unknown judge; known: ',
            'bad.toml: [ranking] strategy = "rvb": unknown strategy; known: ',
            "bad.toml: [scorers.wrods]: unknown scorer; known: ",
            "bad.toml: [scorers.rvv]: unknown scorer; known: ",
        ),
        strict=True,
    ):
        assert fault.startswith(start)
    assert focuscrawl("check", "bad.toml", "--lang", "zh") == 1
    out = capfdbinary.readouterr().out.decode()
    assert 'bad.toml: [judge] name = "vmx"：没有这个判断器；可用：' in out
    assert "bad.toml：7 处错误" in out


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ('tokenizer = "xx"\n', 'tea.toml: tokenizer = "xx": unknown tokenizer; known: '),
        ('[judge]\nname = "vsm"\nspeed = 3\n', 'tea.toml: [judge]: judge "vsm": unknown option "speed"; known: '),
        ("[ranking.options]\nspeed = 3\n", 'tea.toml: [ranking]: strategy "apprentice": unknown option "speed"'),
        ("[scorers.dom]\nweight = 1\nspeed = 3\n", 'tea.toml: [scorers.dom]: scorer "dom": unknown option "speed"'),
    ],
)
def test_a_part_that_cannot_be_built_is_told_with_its_place(
    tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    start: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tea.toml").write_text(f'name = "tea"\nterms = {{tea = 1}}\n{text}', "utf-8")
    assert focuscrawl("check", "tea.toml") == 1
    fault, count, *_ = capfdbinary.readouterr().out.decode().splitlines()
    assert fault.startswith(start)
    assert count == "tea.toml: 1 fault"
    if text.startswith("tokenizer"):
        assert focuscrawl("show", "tea.toml") == 1
        assert capfdbinary.readouterr().err.decode().startswith(start)


def test_check_without_a_file_is_wrong_usage(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert focuscrawl("check") == 2


def test_show_prints_the_model(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert focuscrawl("show", "tea", "--json") == 0
    shown = json.loads(capfdbinary.readouterr().out)
    assert shown["topic"]["name"] == "tea"
    assert "绿茶" in [row["term"] for row in shown["top_terms"]]
    assert shown["samples"] == {"relevant": 4, "irrelevant": 0}
    assert all(0 < row["relatedness"] < 1 for row in shown["related"])


def test_tables_keep_chinese_columns_in_line(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert focuscrawl("show", "tea", "--terms", "5") == 0
    lines = capfdbinary.readouterr().out.decode().splitlines()
    start = next(at for at, line in enumerate(lines) if line.lstrip().startswith("Term"))
    end = next(at for at in range(start, len(lines)) if not lines[at].strip())
    weights = [line for line in lines[start + 2 : end] if line.strip()]
    assert len(weights) == 12
    ends = set()
    for line in weights:
        upto = re.match(r"\s*\S+\s+[\d.]+", line)
        assert upto is not None
        ends.add(sum(2 if unicodedata.east_asian_width(char) == "W" else 1 for char in upto[0]))
    assert ends == {lines[start].index("Weight") + len("Weight")}


def test_show_of_an_unknown_topic_exits_with_1(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert focuscrawl("show", "tee") == 1
    assert 'Did you mean "tea"?' in capfdbinary.readouterr().err.decode()


def test_list_browses_the_classes(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert focuscrawl("list", "clc:", "--json") == 0
    roots = json.loads(capfdbinary.readouterr().out)
    assert {"name": "clc:E", "zh": "军事", "en": "Military science"}.items() <= roots[
        [row["name"] for row in roots].index("clc:E")
    ].items()
    assert focuscrawl("list", "clc:e", "--json") == 0
    rows = json.loads(capfdbinary.readouterr().out)
    assert [row["name"] for row in rows][:2] == ["clc:E", "clc:E0"]
    assert focuscrawl("list", "clc:E") == 0
    assert "军事理论" in capfdbinary.readouterr().out.decode()


@pytest.mark.parametrize("word", ["克劳塞维茨", "clausewitz"])
def test_list_searches_topics_and_classes(word: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert focuscrawl("list", word, "--json") == 0
    assert [row["name"] for row in json.loads(capfdbinary.readouterr().out)] == ["clc:E0"]
    assert focuscrawl("list", word) == 0
    assert "Military theory" in capfdbinary.readouterr().out.decode()


def test_list_finds_topics_by_a_word_and_says_when_there_is_none(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert focuscrawl("list", "绿茶", "--json") == 0
    assert "tea" in [row["name"] for row in json.loads(capfdbinary.readouterr().out)]
    assert focuscrawl("list", "zzzz") == 1
    assert 'Neither a topic nor a class has "zzzz"' in capfdbinary.readouterr().out.decode()


def test_show_tells_of_a_class(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert focuscrawl("show", "clc:E0", "--json") == 0
    shown = json.loads(capfdbinary.readouterr().out)
    assert shown["class"]["path"] == ["clc:E", "clc:E0"]
    assert shown["inherited_samples"] == ["E0/1", "E0/2", "E0/3"]
    assert focuscrawl("show", "clc:E", "--terms", "3") == 0
    out = capfdbinary.readouterr().out.decode()
    assert "E0 军事理论" in out
    assert "breadth   1 (0 narrow, 1 broad)" in out
    assert focuscrawl("show", "clc:E01") == 1
    assert "Did you mean clc:E0, 军事理论 (Military theory)?" in capfdbinary.readouterr().err.decode()


def test_list_names_shipped_topics_and_marks_broken_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics" / "broken.toml").write_text("name = 3\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert focuscrawl("list", "--json") == 0
    rows = {row["name"]: row for row in json.loads(capfdbinary.readouterr().out)}
    assert rows["broken"]["ok"] is False
    assert rows["web-crawling"]["ok"] is True
    assert focuscrawl("list") == 0
    assert "focuscrawl topic check" in capfdbinary.readouterr().out.decode()


def test_examples_are_counted_by_check_and_listed_by_show(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    topic = tmp_path / "tea.toml"
    topic.write_text('name = "tea"\nlanguage = "en"\n[terms]\ntea = 1.0\n', "utf-8")
    assert focuscrawl("check", str(topic)) == 0
    assert "examples:" not in capfdbinary.readouterr().out.decode()
    tmp_path.joinpath("tea.examples.toml").write_text(
        '[[examples]]\nurl = "http://e.org/golf"\nrelevant = false\ntitle = "Tees"\nby = "qwen"\ntext = "Golf."\n'
        '[[examples]]\nurl = "http://e.org/oolong"\nrelevant = true\ntitle = "Oolong"\ntext = "Half oxidised."\n',
        "utf-8",
    )
    assert focuscrawl("check", str(topic)) == 0
    assert "examples: 1 relevant, 1 irrelevant" in capfdbinary.readouterr().out.decode()
    assert focuscrawl("check", str(topic), "--json") == 0
    assert json.loads(capfdbinary.readouterr().out)[0]["examples"] == {"relevant": 1, "irrelevant": 1}
    assert focuscrawl("show", str(topic)) == 0
    shown = capfdbinary.readouterr().out.decode()
    rows = [line.split() for line in shown.splitlines() if line.strip().startswith("http://e.org/")]
    assert rows == [["http://e.org/oolong", "yes", "Oolong", "you"], ["http://e.org/golf", "no", "Tees", "qwen"]]
    assert focuscrawl("show", str(topic), "--json") == 0
    listed = json.loads(capfdbinary.readouterr().out)["examples"]
    assert [(one["url"], one["relevant"], "text" in one) for one in listed] == [
        ("http://e.org/golf", False, False),
        ("http://e.org/oolong", True, False),
    ]
