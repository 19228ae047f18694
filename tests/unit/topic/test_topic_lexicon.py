"""Lexicons: Cilin files, word nets of the package wn, and the words of a topic they widen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.plan import make_plan
from focuscrawl.errors import TopicError
from focuscrawl.topic.lexicon import CilinLexicon, Lexicon, WordNetLexicon, open_lexicon, read_cilin
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.packed import pack_topic, unpack_topic
from focuscrawl.topic.spec import load_topic

CILIN = """Bh06A27= 茶 茶叶 茗
Bh06A28= 普洱 乌龙
Bh06A29# 花草茶 果茶
Bh07B01= 咖啡
Ba01A01@ 机器
"""
NET = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.0.dtd">
<LexicalResource xmlns:dc="http://purl.org/dc/elements/1.1/">
<Lexicon id="mini" label="Mini" language="en" email="a@example.org" license="CC0" version="1">
{entries}
<Synset id="mini-1-n" ili="" partOfSpeech="n"><SynsetRelation relType="hyponym" target="mini-2-n"/></Synset>
<Synset id="mini-2-n" ili="" partOfSpeech="n"><SynsetRelation relType="hypernym" target="mini-1-n"/>
<SynsetRelation relType="hyponym" target="mini-3-n"/></Synset>
<Synset id="mini-3-n" ili="" partOfSpeech="n"><SynsetRelation relType="hypernym" target="mini-2-n"/>
<SynsetRelation relType="hyponym" target="mini-4-n"/></Synset>
<Synset id="mini-4-n" ili="" partOfSpeech="n"><SynsetRelation relType="hypernym" target="mini-3-n"/></Synset>
</Lexicon></LexicalResource>
"""


@pytest.fixture
def cilin(tmp_path: Path) -> Path:
    path = tmp_path / "cilin.txt"
    path.write_text(CILIN, encoding="utf-8")
    return path


@pytest.fixture
def net(tmp_path: Path) -> Iterator[WordNetLexicon]:
    """Return a real word net of four concepts: beverage, tea or cuppa, oolong, formosa."""
    wn = pytest.importorskip("wn", reason="the extra wordnet is not installed")
    before = wn.config.data_directory
    wn.config.data_directory = tmp_path / "wn"
    entries = "".join(
        f'<LexicalEntry id="mini-e{number}"><Lemma writtenForm="{word}" partOfSpeech="n"/>'
        f'<Sense id="mini-s{number}" synset="mini-{concept}-n"/></LexicalEntry>'
        for number, (word, concept) in enumerate(
            [("beverage", 1), ("tea", 2), ("cuppa", 2), ("oolong", 3), ("formosa", 4)], start=1
        )
    )
    (tmp_path / "mini.xml").write_text(NET.format(entries=entries), encoding="utf-8")
    wn.add(tmp_path / "mini.xml", progress_handler=None)
    yield WordNetLexicon()
    wn.config.data_directory = before


def topic(folder: Path, **keys: str) -> Path:
    path = folder / "tea.toml"
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
    path.write_text(f'name = "tea"\nseeds = ["http://a.example/"]\n{lines}[terms]\n"茶" = 0.8\n"tea" = 1.0\n', "utf-8")
    return path


def test_a_cilin_file_gives_near_words_of_the_atomic_group(cilin: Path) -> None:
    lexicon = open_lexicon("cilin.txt", base=cilin.parent)
    assert lexicon("茶", "茗") == 1.0
    near = lexicon.near("茶")
    assert set(near) == {"茶叶", "茗", "普洱", "乌龙", "花草茶", "果茶"}
    assert 0.5 < near["普洱"] == lexicon("普洱", "茶") < 1.0
    assert lexicon("花草茶", "果茶") == 0.5
    assert lexicon("机器", "机器") == 0.0
    assert lexicon.near("没有") == {}


@pytest.mark.parametrize("encoding", ["gb18030", "utf-8-sig"])
def test_cilin_files_are_read_in_their_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "cilin.txt"
    path.write_bytes((CILIN * 20).encode(encoding))
    assert read_cilin(path)["茗"][0] == "Bh06A27="


@settings(deadline=None, max_examples=30)
@given(
    st.dictionaries(
        st.sampled_from(["茶", "叶", "茗", "普洱", "水"]),
        st.lists(
            st.sampled_from(["Aa01A01=", "Aa01A01#", "Aa01A02=", "Aa01B01=", "Ab01A01=", "Ba01A01@"]),
            min_size=1,
            max_size=3,
        ),
    )
)
def test_cilin_similarity_is_symmetric_and_near_words_are_similar(codes: dict[str, list[str]]) -> None:
    lexicon = CilinLexicon(codes)
    for a in codes:
        assert all(0.0 <= lexicon(a, b) == lexicon(b, a) <= 1.0 for b in codes)
        assert all(value == lexicon(a, b) > 0.0 for b, value in lexicon.near(a).items())


def test_steps_of_a_word_net_count_a_half_and_a_third(net: Lexicon) -> None:
    assert net.near("tea") == {"cuppa": 1.0, "beverage": 0.5, "oolong": 0.5, "formosa": pytest.approx(1 / 3)}
    assert (net("cuppa", "tea"), net("tea", "Tea"), net("tea", "unknown")) == (1.0, 1.0, 0.0)
    assert net("formosa", "beverage") == net("beverage", "formosa") == 0.0
    assert net("oolong", "tea") == net("tea", "oolong") == 0.5


def test_a_lexicon_widens_the_words_for_links_by_the_terms_weight(cilin: Path) -> None:
    plain = fit_topic(load_topic(str(topic(cilin.parent))))
    widened = fit_topic(load_topic(str(topic(cilin.parent, lexicon="cilin.txt"))))
    assert list(plain.relatedness(["茗", "普洱"])) == [0.0, 0.0]
    first, second = widened.relatedness(["茗", "普洱"])
    assert first == pytest.approx(0.8)
    assert 0.4 < second < 0.8
    assert list(widened.relatedness(["茶", "tea"])) == [1.0, 1.0]
    assert widened.vector == plain.vector


def test_without_a_lexicon_nothing_changes(cilin: Path) -> None:
    before = load_topic(str(topic(cilin.parent)))
    assert before.lexicon_loaded() is None
    named = load_topic(str(topic(cilin.parent, lexicon="cilin.txt")))
    assert named.digest != before.digest
    assert before.digest == before.model_copy(update={"lexicon": ""}).digest


def test_a_word_net_is_named_in_the_topic(net: Lexicon, tmp_path: Path) -> None:
    model = fit_topic(load_topic(str(topic(tmp_path, lexicon="wordnet"))))
    assert list(model.relatedness(["cuppa", "oolong"])) == [1.0, 0.5]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gone.txt", "there is no such file"),
        ("tea.toml", "is no lexicon in the format of Cilin"),
        (".", "is a directory"),
    ],
)
def test_what_is_no_lexicon_is_told_with_the_other_faults(tmp_path: Path, name: str, sentence: str) -> None:
    path = topic(tmp_path, lexicon=name, judg="vsm")
    with pytest.raises(TopicError) as raised:
        load_topic(str(path))
    assert len(raised.value.faults) == 2
    assert any(sentence in fault and "lexicon" in fault for fault in raised.value.faults)


def test_a_lexicon_outside_the_topics_folder_needs_leave(cilin: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    path = topic(folder, lexicon="../cilin.txt")
    with pytest.raises(TopicError, match="lexicon"):
        load_topic(str(path))
    assert load_topic(str(path), allow_outside=True).lexicon_loaded() is not None


def test_a_word_net_that_is_not_installed_is_one_sentence(net: Lexicon, tmp_path: Path) -> None:
    import wn

    wn.config.data_directory = tmp_path / "empty"
    with pytest.raises(TopicError, match="python -m wn download"):
        open_lexicon("wordnet")


def test_a_packed_topic_names_its_lexicon_by_the_whole_path(cilin: Path) -> None:
    spec = unpack_topic(pack_topic(load_topic(str(topic(cilin.parent, lexicon="cilin.txt")))))
    assert spec.lexicon == str(cilin.resolve())
    assert fit_topic(spec).relatedness(["茗"])[0] == pytest.approx(0.8)


def test_the_setting_gives_a_lexicon_to_topics_that_name_none(cilin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(cilin.parent)
    path = str(topic(cilin.parent))
    config = FocusConfig(lexicon="cilin.txt")
    plan = make_plan(CrawlArguments(topic=path), config)
    assert plan.step.topic.relatedness(["茗"])[0] == pytest.approx(0.8)
    assert plan.spec.digest == load_topic(path).digest
