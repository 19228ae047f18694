from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shipped import TOPICS

from focuscrawl.errors import TopicError
from focuscrawl.topic.dump import to_toml
from focuscrawl.topic.files import Sample, shipped_topics, topic_files
from focuscrawl.topic.seeds import read_seed_file, split_seeds
from focuscrawl.topic.spec import TopicSpec, dump_topic, load_topic

FULL = """
name = "chess"
title = "国际象棋"
language = "zh"
description = '''Two
lines'''
seeds = ["http://example.org/chess/"]
seed_files = ["../seeds/chess.txt"]
[terms]
"国际象棋" = 1.0
"开局" = 0.5
chess = 1
[synonyms]
"国际象棋" = ["西洋棋"]
[excluded]
"象棋" = 0.4
[samples]
relevant = ["samples/*.txt", "samples/*.html"]
relevant_text = ["一段文字"]
irrelevant = []
irrelevant_text = ["别的"]
[budget]
pages = 500
minutes = 2.5
relevant = 0
[scope]
allow_hosts = ["Example.org", "例子.中国"]
deny_hosts = []
include = ['/chess/']
exclude = []
max_depth = 7
[judge]
name = "bm25"
threshold = 0.3
k1 = 1.2
[ranking]
strategy = "rwb"
[ranking.options]
c = 0.4
[scorers.rwb]
weight = 0.4
d = 0.7
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "topics" / "samples").mkdir(parents=True)
    (tmp_path / "seeds").mkdir()
    (tmp_path / "topics" / "chess.toml").write_text(FULL, "utf-8")
    (tmp_path / "topics" / "samples" / "b.txt").write_text("第二个样例", "utf-8")
    (tmp_path / "topics" / "samples" / "a.txt").write_text("第一个样例", "utf-8-sig")
    (tmp_path / "topics" / "samples" / "页.html").write_bytes("<p>网页</p>".encode("gb18030"))
    (tmp_path / "seeds" / "chess.txt").write_text(
        "# seeds\nhttp://example.org/chess/  # again\n\nhttps://example.com/棋#top\n", "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_key_arrives(folder: Path) -> None:
    spec = load_topic("chess")
    assert spec.title == "国际象棋"
    assert spec.terms == {"国际象棋": 1.0, "开局": 0.5, "chess": 1.0}
    assert spec.synonyms == {"国际象棋": ("西洋棋",)}
    assert spec.excluded == {"象棋": 0.4}
    assert (spec.budget.pages, spec.budget.minutes, spec.budget.relevant) == (500, 2.5, 0)
    assert spec.scope.allow_hosts == ("example.org", "xn--fsqu00a.xn--fiqs8s")
    assert (spec.scope.include, spec.scope.max_depth) == (("/chess/",), 7)
    assert (spec.judge.name, spec.judge.threshold, spec.judge.options) == ("bm25", 0.3, {"k1": 1.2})
    assert (spec.ranking.strategy, spec.ranking.options) == ("rwb", {"c": 0.4})
    assert (spec.scorers["rwb"].weight, spec.scorers["rwb"].options) == (0.4, {"d": 0.7})
    assert spec.path == folder / "topics" / "chess.toml"


def test_samples_come_with_their_kind_and_html_as_bytes(folder: Path) -> None:
    samples = folder / "topics" / "samples"
    assert load_topic("chess").samples_loaded() == [
        Sample("relevant", samples / "a.txt", text="第一个样例"),
        Sample("relevant", samples / "b.txt", text="第二个样例"),
        Sample("relevant", samples / "页.html", html="<p>网页</p>".encode("gb18030")),
        Sample("relevant", None, text="一段文字"),
        Sample("irrelevant", None, text="别的"),
    ]


def test_seed_urls_join_both_sources_without_repeats(folder: Path) -> None:
    assert load_topic("chess").seed_urls() == ["http://example.org/chess/", "https://example.com/棋#top"]


def test_a_copy_with_other_seeds_forgets_the_old_ones(folder: Path) -> None:
    spec = load_topic("chess")
    copy = spec.model_copy(update={"seeds": ("http://new.org/",), "seed_files": ()})
    assert copy.seed_urls() == ["http://new.org/"]
    assert copy.samples_loaded() == spec.samples_loaded()
    assert spec.seed_urls()[0] == "http://example.org/chess/"


def test_defaults(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('name = "small"\nterms = { tea = 1 }\n', "utf-8")
    spec = load_topic(str(path))
    assert (spec.language, spec.budget.pages, spec.scope.max_depth) == ("auto", 1000, None)
    assert (spec.judge.name, spec.judge.threshold, spec.ranking.strategy) == ("focus", "adaptive", "")
    assert spec.samples_loaded() == spec.seed_urls() == []


def test_a_spec_is_frozen(folder: Path) -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_topic("chess").name = "other"  # type: ignore[misc]


def test_the_digest_follows_the_content_and_not_the_place(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    first = load_topic("chess").digest
    assert len(first) == 16
    assert int(first, 16) >= 0
    moved = tmp_path_factory.mktemp("moved") / "all"
    folder.rename(moved)
    assert load_topic(str(moved / "topics" / "chess.toml")).digest == first
    (moved / "topics" / "samples" / "b.txt").write_text("改了", "utf-8")
    changed = load_topic(str(moved / "topics" / "chess.toml")).digest
    assert changed != first
    html = moved / "topics" / "samples" / "页.html"
    html.write_bytes(html.read_bytes() + b" ")
    assert load_topic(str(moved / "topics" / "chess.toml")).digest not in (first, changed)


@pytest.mark.parametrize("name", ["topics [old]", "topics?", "topics*"])
def test_samples_are_found_in_a_folder_whose_name_looks_like_a_pattern(folder: Path, name: str) -> None:
    before = load_topic("chess")
    moved = folder / name
    (folder / "topics").rename(moved)
    assert load_topic(str(moved / "chess.toml")).digest == before.digest


def test_dump_gives_a_file_that_loads_the_same(folder: Path) -> None:
    spec = load_topic("chess")
    copy = folder / "topics" / "copy.toml"
    copy.write_text(dump_topic(spec), "utf-8")
    assert load_topic(str(copy)).model_dump() == spec.model_dump()
    assert load_topic(str(copy)).digest == spec.digest


_PLAIN = st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.integers(-(2**53), 2**53), st.booleans())
_VALUES = st.one_of(_PLAIN, st.floats(allow_nan=False), st.lists(_PLAIN, max_size=3))
_KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.dictionaries(_KEYS, st.one_of(_VALUES, st.dictionaries(_KEYS, _VALUES, max_size=3)), max_size=4))
@settings(deadline=None)  # other work on the machine is no fault of ours
def test_written_toml_reads_back(data: dict[str, object]) -> None:
    assert tomllib.loads(to_toml(data)) == data


def test_a_spec_built_in_code_reads_its_files_from_here(folder: Path) -> None:
    spec = TopicSpec(name="here", terms={"茶": 1.0}, seed_files=("seeds/chess.txt",))
    assert spec.seed_urls() == ["http://example.org/chess/", "https://example.com/棋#top"]
    missing = TopicSpec.model_validate({"name": "here", "samples": {"relevant": ["none/*.txt"]}})
    with pytest.raises(TopicError, match="no file matches"):
        missing.samples_loaded()


def test_names_are_looked_up_here_then_in_the_project_then_among_the_shipped(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_topic("web-crawling").path is not None  # shipped
    extra = tmp_path / "extra"
    extra.mkdir()
    (extra / "web-crawling.toml").write_text('name = "mine"\nterms = { tea = 1 }\n', "utf-8")
    assert load_topic("web-crawling", search=[extra]).name == "mine"
    (folder / "scrapy.cfg").touch()
    below = folder / "deep" / "down"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert load_topic("chess").name == "chess"


def test_the_shipped_topics_are_sound() -> None:
    folder = shipped_topics()
    assert folder is not None
    # By name: whoever followed the tutorial in this checkout has a file of their own beside them.
    specs = [load_topic(str(folder / f"{name}.toml")) for name in TOPICS]
    assert {"zh", "en", "auto"} == {spec.language for spec in specs}
    for spec in specs:
        assert spec.path is not None
        assert spec.name == spec.path.stem
        assert sum(sample.kind == "relevant" for sample in spec.samples_loaded()) >= 3
        assert len(spec.seed_urls()) >= 5
        assert spec.excluded
        assert spec.synonyms
    assert {path.stem for path in topic_files()} >= {spec.name for spec in specs}


def test_command_line_seeds(folder: Path) -> None:
    assert split_seeds("https://a.org/x,y, http://b.org/") == ["https://a.org/x,y", "http://b.org/"]
    assert split_seeds("seeds/chess.txt") == read_seed_file(folder / "seeds" / "chess.txt")
    with pytest.raises(TopicError, match="there is no such file"):
        split_seeds("seeds/none.txt")
    with pytest.raises(TopicError, match='seeds: "ftp://a'):
        split_seeds("ftp://a.org/")
