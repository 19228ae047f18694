"""Classes as topics: how they are named, found and inherited from."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import pytest

from focuscrawl.errors import TopicError
from focuscrawl.page.analysis import analyse
from focuscrawl.topic.judges import make_judge
from focuscrawl.topic.model import fit_topic
from focuscrawl.topic.packed import pack_topic, unpack_topic
from focuscrawl.topic.spec import TopicSpec, dump_topic, load_topic
from focuscrawl.topic.taxonomy import Taxonomy, library_classification

CLASS = """
[[class]]
code = "{code}"
zh = "{zh}"
en = "{en}"
[class.terms]
{terms}
[[class.sample]]
text = \"\"\"
{zh}的第一篇文字。
\"\"\"
[[class.sample]]
text = "A second text, about {en}."
language = "en"
"""


def leaf(code: str, zh: str, en: str, terms: str = "") -> str:
    return CLASS.format(code=code, zh=zh, en=en, terms=terms or f'"{zh}" = [1.0, "{en}"]')


@pytest.fixture
def taxonomy(tmp_path: Path) -> Taxonomy:
    head = 'code = "B"\nzh = "哲学、宗教"\nen = "Philosophy"\n[terms]\n"哲学" = [1.0, "philosophy"]\n'
    groups = '[groups]\n"B8" = ["思维等", "Thinking"]\n[alternates]\n"B88" = ["旧心理学", "Old psychology", "B84"]\n'
    classes = leaf("B0", "哲学理论", "Philosophical theory") + leaf("B3/5", "各洲哲学", "Philosophy by continent")
    classes += leaf("B81", "逻辑学", "Logic") + leaf("B84", "心理学", "Psychology", '"心理" = [0.5, "mind", "psyche"]')
    (tmp_path / "B.toml").write_text(head + groups + classes + leaf("B9", "宗教", "Religion"), "utf-8")
    return Taxonomy(tmp_path)


def test_a_class_is_found_by_its_code(taxonomy: Taxonomy) -> None:
    (root,) = taxonomy.roots()
    assert [node.code for node in root.walk()] == ["B", "B0", "B3/5", "B8", "B81", "B84", "B9"]
    for reference in ("clc:B84", "CLC:b84", "B84", "clc: B84", "ｃｌｃ：Ｂ８４", "clc:B88"):
        assert taxonomy.node(reference).code == "B84"
    for reference in ("clc:B3", "clc:B4", "clc:B5", "clc:B3/5"):
        assert taxonomy.node(reference).code == "B3/5"
    assert [step.code for step in taxonomy.path(taxonomy.node("B84"))] == ["B", "B8", "B84"]
    assert taxonomy.node("B84").synonyms == {"心理": ("mind", "psyche")}
    assert taxonomy.node("B3/5").topic_name == "clc-b3-5"
    assert [(s.name, s.language) for s in taxonomy.node("B81").samples] == [("B81/1", "zh"), ("B81/2", "en")]


@pytest.mark.parametrize(
    ("reference", "fault"),
    [
        ("clc:B842", "the taxonomy ends at the second level. Did you mean clc:B84, 心理学 (Psychology)?"),
        ("clc:B7", "no class has this code; known: B, B0, B3/5, B8, B81, B84, B9."),
        ("clc:X3", "no class has this code; known: B."),
        ("clc:psychology", "no class has this code. Did you mean clc:B84, 心理学 (Psychology)?"),
        ("clc:逻辑学", "no class has this code. Did you mean clc:B81, 逻辑学 (Logic)?"),
        ("clc:", "no class has this code; known: B."),
    ],
)
def test_an_unknown_class_comes_with_the_nearest(taxonomy: Taxonomy, reference: str, fault: str) -> None:
    with pytest.raises(TopicError) as caught:
        taxonomy.node(reference)
    assert str(caught.value).startswith(f'"{reference}": {fault}')


def test_search_finds_names_and_words_of_both_languages(taxonomy: Taxonomy) -> None:
    assert [(hit.node.code, hit.word) for hit in taxonomy.search("心理学")] == [("B84", "心理学")]
    assert [(hit.node.code, hit.word) for hit in taxonomy.search("Psyche")] == [("B84", "psyche")]
    # a name that is the word, then a word that is, then a part of a name
    assert [hit.node.code for hit in taxonomy.search("philosophy")] == ["B", "B3/5"]
    assert [hit.node.code for hit in taxonomy.search("哲学")] == ["B", "B0", "B3/5"]
    assert taxonomy.search("sophy") == []  # words of letters are found from their beginning
    assert taxonomy.search("  ") == []


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "B.toml").write_text('code = "B"\n', "utf-8")
    with pytest.raises(TopicError, match=r"B\.toml: this file of the classification is damaged"):
        Taxonomy(tmp_path).node("B")


# --------------------------------------------------------------------------------------------- topics that name a class


def topic(**keys: object) -> TopicSpec:
    return TopicSpec.model_validate({"name": "mine", **keys})


def test_a_leaf_gives_its_words_and_samples() -> None:
    spec = load_topic("clc:E0")
    assert (spec.name, spec.title, spec.path, spec.reference) == (
        "clc-e0",
        "军事理论 (Military theory)",
        None,
        "clc:E0",
    )
    assert spec.terms["军事理论"] == 1.0
    assert "military theory" in spec.synonyms["军事理论"]
    assert "军事" not in spec.terms  # a word of the whole class E
    assert [sample.name for sample in spec.samples_loaded()] == ["E0/1", "E0/2", "E0/3"]
    assert spec.breadth_value == 0.0
    model = fit_topic(spec)
    assert model.breadth == 0.0
    assert model.top_terms(1)[0][0] == "军事理论"


def test_a_branch_takes_in_what_is_below_it_as_far_as_it_is_broad() -> None:
    broad, half, narrow = (topic(classification="clc:E", breadth=b) for b in ("broad", 0.5, "narrow"))
    assert topic(classification="clc:E").terms == broad.terms  # a branch is broad unless it says otherwise
    assert broad.terms["军事"] == half.terms["军事"] == narrow.terms["军事"] == 1.0
    # 0.8, shared among the seven classes of E so that all of them together weigh as much as one
    assert broad.terms["军事学"] == 0.3024 == pytest.approx(0.8 / 7**0.5, abs=1e-4)
    assert half.terms["军事学"] == 0.1512
    assert "军事学" not in narrow.terms
    assert [bool(spec.samples_loaded()) for spec in (broad, half, narrow)] == [True, True, False]
    assert len({spec.digest for spec in (broad, half, narrow)}) == 3


def test_the_words_of_all_classes_below_weigh_no_more_than_those_of_one() -> None:
    taxonomy = library_classification()
    for code in ("E", "F", "R"):
        node = taxonomy.node(code)
        inherited = topic(classification=f"clc:{code}").terms
        below = sqrt(sum(weight**2 for word, weight in inherited.items() if word not in node.terms))
        heaviest = max(sqrt(sum(weight**2 for weight in child.terms.values())) for child in node.children)
        assert below <= heaviest


def test_a_group_brings_what_is_below_it_in_full() -> None:
    spec = topic(classification="clc:B8", breadth="narrow")
    assert spec.terms["逻辑学"] == spec.terms["心理学"] == 1.0
    assert [sample.name for sample in spec.samples_loaded()][:2] == ["B80/1", "B80/2"]


@pytest.mark.parametrize(
    "text",
    [
        "图上等高线密的地方坡陡。出发以前用指北针标定方向，量好方位角，再按图行进，兵要地志里记着沿途的关隘。",
        "Where contour line follows contour line the slope is steep. Set the topographic map by compass before land"
        " navigation, and look up each fortress in the gazetteer.",
    ],
)
def test_a_broad_topic_keeps_a_page_on_a_part_of_it_that_a_narrow_one_leaves(text: str) -> None:
    html = f"<html><title>-</title><body><p>{text}</p></body></html>"
    verdicts = {}
    for breadth in ("narrow", "broad"):
        spec = topic(classification="clc:E", breadth=breadth, samples={"inherit": []})
        model = fit_topic(spec)
        page = analyse(html.encode(), "http://example.org/a/b.html", tokenizer=model.tokenizer)
        verdicts[breadth] = make_judge(model, spec).judge(page)
    assert verdicts["broad"].score.value > verdicts["narrow"].score.value
    assert verdicts["broad"].relevant
    assert not verdicts["narrow"].relevant


def test_breadth_without_a_class_leaves_the_words_alone() -> None:
    plain, broad = topic(terms={"茶": 1.0}), topic(terms={"茶": 1.0}, breadth="broad")
    assert plain.terms == broad.terms
    assert (plain.breadth_value, broad.breadth_value) == (0.0, 1.0)


def test_the_topics_own_words_come_first() -> None:
    spec = topic(
        classification="clc:E0",
        terms={"军事学": 0.1, "On War": 1.0},
        synonyms={"军事学": ["兵学"], "军事训练": ["练兵"]},
        excluded={"军事心理学": 1.0, "military training": 0.5},
    )
    assert spec.terms["军事学"] == 0.1
    assert spec.synonyms["军事学"] == ("兵学", "military science")
    assert spec.synonyms["军事训练"] == ("练兵",)
    assert "军事心理学" not in spec.terms
    assert spec.synonyms["战争论"] == ("Clausewitz", "克劳塞维茨")  # "On War" is a term of its own now


def test_samples_are_chosen_or_dropped(tmp_path: Path) -> None:
    def names(**samples: object) -> list[str]:
        return [s.name for s in topic(classification="clc:E0", samples=samples).samples_loaded()]

    assert names(inherit=["E0/2"]) == ["E0/2"]
    assert names(drop=["E0/2"]) == ["E0/1", "E0/3"]
    assert names(inherit=["E0"], drop=["E0/1"]) == ["E0/2", "E0/3"]
    assert names(inherit=[]) == []
    assert names(inherit=[], relevant_text=["我的文字"]) == [""]
    file = tmp_path / "t.toml"
    file.write_text('name = "t"\nclassification = "clc:E0"\n[samples]\ndrop = ["E0/1", "E0/11"]\n', "utf-8")
    with pytest.raises(TopicError) as caught:
        load_topic(str(file))
    (fault,) = caught.value.faults
    assert fault.endswith(
        '[samples] drop[1] = "E0/11": no inherited sample "E0/11"; they are E0/1, E0/2, E0/3. Did you mean "E0/1"?'
    )


def test_a_topic_in_one_language_leaves_texts_of_others_out() -> None:
    def names(language: str) -> list[str]:
        return [sample.name for sample in topic(classification="clc:E0", language=language).samples_loaded()]

    assert names("en") == ["E0/3"]
    assert names("zh-CN") == ["E0/1", "E0/2"]
    assert names("de") == []
    with pytest.raises(TopicError, match="names no class with texts in its language"):
        topic(classification="clc:E0", language="de", samples={"inherit": ["E0/1"]}).samples_loaded()


def test_it_can_be_written_sent_and_read_again(tmp_path: Path) -> None:
    spec = topic(classification="clc:E", breadth=0.25, terms={"兵法": 0.9}, samples={"drop": ["E0/1"]})
    file = tmp_path / "mine.toml"
    file.write_text(dump_topic(spec), "utf-8")
    assert load_topic(str(file)).model_dump() == spec.model_dump()
    assert load_topic(str(file)).digest == spec.digest
    sent = unpack_topic(pack_topic(spec))
    assert sent.digest == spec.digest
    assert fit_topic(sent).vector == fit_topic(spec).vector


def test_a_topic_without_the_new_keys_keeps_its_version() -> None:
    # As it was before topics could name a class; runs made then go on.
    assert TopicSpec(name="tea", terms={"茶": 1.0}).digest == "c7c7342a355bf4e8"


def test_words_of_a_class_are_named_in_the_language_of_the_topic_and_found_in_both() -> None:
    def topic(**keys: object) -> TopicSpec:
        return TopicSpec.model_validate({"name": "weather", "classification": "clc:P4", **keys})

    english, chinese = topic(language="en-GB"), topic(language="zh")
    assert list(chinese.terms)[:2] == ["气象", "天气预报"]
    assert list(english.terms)[:2] == ["meteorology", "weather forecast"]
    assert "气象" in english.synonyms["meteorology"]
    assert "meteorology" in chinese.synonyms["气象"]
    assert list(english.terms.values())[:2] == list(chinese.terms.values())[:2]
    assert topic(language="en", terms={"climate": 0.3}).terms["climate"] == 0.3
    assert topic(language="en", terms={"气候": 0.3}).terms["气候"] == 0.3
    for word in ("气候", "climate"):
        assert "climate" not in topic(language="en", excluded={word: 0.5}).terms
