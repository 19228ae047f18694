"""The slips of a first topic file, each answered with the line that would be right."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from focuscrawl.errors import TopicError
from focuscrawl.topic.spec import load_topic
from focuscrawl.topic.toml_slips import toml_slip

TERMS = "[terms]\n"


def said(text: str) -> str:
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    return toml_slip(text, str(caught.value))


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("title = Tea\n", 'line 1: Tea is no value of TOML: title = "Tea"'),
        ("title = “茶”\n", 'line 1: “茶” is no value of TOML: title = "茶"'),
        ('title = "Tea\n', 'line 1: the quotation mark of "Tea is not closed: title = "Tea"'),
        (TERMS + "茶 = 1.0\n", 'line 2: the key 茶 needs quotes: "茶" = 1.0'),
        (TERMS + "“茶” = 1.0\n", 'line 2: the key “茶” needs quotes: "茶" = 1.0'),
        (TERMS + "green tea = 1\n", 'line 2: the key green tea needs quotes: "green tea" = 1'),
        (TERMS + '"a" : 0.5\n', 'line 2: : stands where = belongs: "a" = 0.5'),
        ('title ＝ "茶"\n', 'line 1: ＝ stands where = belongs: title = "茶"'),
        (TERMS + '"a" = 0,5\n', 'line 2: 0,5 is no value of TOML: "a" = 0.5'),
        (TERMS + "a = .5\n", "line 2: .5 is no value of TOML: a = 0.5"),
        (TERMS + "a = １.0\n", "line 2: １.0 is no value of TOML: a = 1.0"),
        (TERMS + "a = 1\nb = 1\na = 2\n", "line 4: a stands twice: in line 2, too; keep one of them"),
        (
            TERMS + "a = 1\n[terms]\nb = 1\n",
            "line 3: [terms] stands twice: in line 1, too; put both parts below one of them",
        ),
        ("[terms\na = 1\n", "line 1: ] is missing after [terms"),
        ("seeds = [\n  “http://x/”,\n]\n", 'line 2: “ is no quotation mark of TOML: write "…"'),
        ('a = "C:\\Users"\n', "line 1: \"C:\\Users\" is no value of TOML: a = 'C:\\Users'"),
        ("# tea\ntitle: Tea\n", 'it looks like YAML; a topic file is TOML: title = "Tea" in the place of title: Tea'),
        (
            '{"title": "Tea"}\n',
            'it looks like JSON; a topic file is TOML: title = "Tea" in the place of {"title": "Tea"}',
        ),
    ],
)
def test_a_slip_is_answered_with_the_right_line(text: str, cure: str) -> None:
    assert said(text) == cure


@pytest.mark.parametrize(
    "cure", [said(text).rpartition(": ")[2] for text in ("a = Tea\n", TERMS + "茶 = 1\n", "a = 0,5\n", "a : 1\n")]
)
def test_what_is_advised_is_toml(cure: str) -> None:
    assert tomllib.loads(cure)


def test_the_same_key_in_two_tables_is_no_slip() -> None:
    assert "twice" not in said("[terms]\na = 1\n[excluded]\na = 0,5\n")


@pytest.mark.parametrize("text", ["a = 1 2\n", 'a = ["a" "b"]\n', "= 1\n", "a = \x01\n", "]\n"])
def test_other_faults_are_left_to_the_parser_or_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TopicError, match=r"not valid TOML: .*line 1"):
        load_topic(str(path))


def test_a_key_of_the_file_below_a_table_of_words(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text('name = "tea"\n[terms]\ntea = 1.0\nseeds = ["http://x.example/"]\n', encoding="utf-8")
    with pytest.raises(TopicError, match=r"is no word of \[terms\]. It belongs to the whole file"):
        load_topic(str(path))


@pytest.mark.parametrize(
    ("text", "encoding", "named"),
    [
        ('title = "茶叶"\n', "gbk", "looks like GBK"),
        ('title = "围棋"\n', "gb18030", "looks like GBK"),
        ('title = "國際象棋與圍棋"\n', "big5", "looks like Big5"),
        ('title = "Thé à la crème, garçon"\n', "latin-1", "looks like Latin-1"),
        ('title = "Größe und Länge"\n', "latin-1", "looks like Latin-1"),
    ],
)
def test_an_old_encoding_is_named(text: str, encoding: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_bytes(text.encode(encoding))
    with pytest.raises(TopicError, match=named):
        load_topic(str(path))


def test_a_folder_is_no_topic_file(tmp_path: Path) -> None:
    (tmp_path / "tea.toml").write_text('name = "tea"\n', encoding="utf-8")
    with pytest.raises(TopicError, match=r"is a folder; a topic file was expected, such as .*tea\.toml"):
        load_topic(str(tmp_path))
