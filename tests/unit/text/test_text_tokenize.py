from __future__ import annotations

import tempfile
import time
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shipped import TOPICS

from focuscrawl.errors import ConfigError
from focuscrawl.text import segment, tokenize
from focuscrawl.text.tokenize import ScriptTokenizer, is_han, make_tokenizer

FOLDER = Path(__file__).parents[3] / "topics" / "samples"
SAMPLES = sorted(path for name in TOPICS for path in (FOLDER / name).glob("*.txt"))
ODD_TEXTS = [
    "Python3编程，ＡＢＣ１２３与C++课程，T恤3.14元，卡拉OK",
    "二〇二四年㐀𠀀龘々人々",
    "中|国||｜文\x1e中文\x00中\n文\r\n\t中　文",
    "他说：“我们去北京大学吧！”——于是大家都去了。。。！！",
    "日本語のテキスト、한국어와 中文混排",
    "𓂀🙂中文👨‍👩‍👧‍👦emoji❤️好\ud800坏",
    "乒乓球拍卖完了 结婚的和尚未结婚的 研究生命起源 长春市长春药店",
    "的" * 300 + "是" * 300,
    "",
    "|",
    "一",
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, World 42!", ["hello", "world", "42"]),
        ("recipes recipe", ["recipe", "recipe"]),
        ("the_name don't", ["the", "name", "don", "t"]),
        ("ＡＢＣ１２３", ["abc123"]),
        ("Grüße aus Москва ΑΘΗΝΑ", ["grüße", "aus", "москва", "αθηνα"]),
        ("我们在北京大学学Python3编程", ["我们", "在", "北京大学", "学", "python3", "编程"]),
        ("第3章c++", ["第", "3", "章", "cplusplus"]),
        ("二〇", ["二", "〇"]),
        ("🙂ok🙂", ["ok"]),
        ("un\xadwit\xadting\xadly in\u2060gre\ufeffdients 编\xad程", ["unwittingly", "ingredient", "编程"]),
        ("ไทย\u200bภาษา", ["ไทย", "ภาษา"]),
        ("坏\ud800好", ["坏", "好"]),
        ("", []),
        ("，。！ _ |", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert make_tokenizer().tokens(text) == expected


def test_both_segmenters_give_the_same_tokens() -> None:
    compiled, plain = make_tokenizer(name="rjieba"), make_tokenizer(name="jieba")
    texts = [path.read_text("utf-8") for path in SAMPLES] + ODD_TEXTS
    assert len(texts) > 30
    for text in texts:
        assert compiled.tokens(text) == plain.tokens(text)


@pytest.mark.parametrize("name", ["rjieba", "ngram", "words"])
@given(chunks=st.lists(st.text(st.sampled_from("abc++# s1中国文学的|,，\x1e 🙂é\ud800ＡⅣ"), max_size=12), max_size=8))
@settings(max_examples=60, deadline=None)
def test_chunks_are_cut_like_single_texts(name: str, chunks: list[str]) -> None:
    tokenizer = make_tokenizer(name=name)
    assert tokenizer.chunks(chunks) == [tokenizer.tokens(chunk) for chunk in chunks]


def test_a_page_is_segmented_once() -> None:
    calls = []

    def counting(text: str) -> list[str]:
        calls.append(text)
        return segment.rjieba_segment(text)

    tokenizer = ScriptTokenizer("counting", counting)
    assert tokenizer.chunks(["中文", "english only", "", "网页abc", "再来"])[3] == ["网页", "abc"]
    assert len(calls) == 1


def test_places_are_told_with_and_without_the_compiled_segmenter(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["上海", "重庆", "历史", "人物", "民国时期", "tea", ""]
    told = [segment.is_place(word) for word in words]
    monkeypatch.setattr(segment, "find_spec", lambda name: None)
    segment._tag.cache_clear()
    try:
        assert [segment.is_place(word) for word in words] == told == [True, True, False, False, False, False, False]
    finally:
        segment._tag.cache_clear()


def test_ascii_and_other_scripts_never_reach_the_segmenter() -> None:
    def refuse(text: str) -> list[str]:
        raise AssertionError(text)

    tokenizer = ScriptTokenizer("refusing", refuse)
    assert tokenizer.chunks(["plain text", "Größe – “Москва”"]) == [["plain", "text"], ["größe", "москва"]]


def test_returned_lists_belong_to_the_caller() -> None:
    tokenizer = make_tokenizer()
    tokenizer.chunks(["首页", "新闻"])[0].append("changed")
    assert tokenizer.chunks(["首页", "新闻"]) == [["首页"], ["新闻"]]


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenize, "_MAX_CHUNKS", 10)
    monkeypatch.setattr(tokenize, "_MAX_GAPS", 10)
    tokenizer = ScriptTokenizer("words", lambda text: tokenize._whole_runs(text))
    for number in range(50):
        assert tokenizer.chunks([f"中{number}文", f"{number}"]) == [["中", str(number), "文"], [str(number)]]
    assert len(tokenizer._short_chunks) <= 12
    assert len(tokenizer._short_gaps) <= 10


@pytest.mark.parametrize("unit", ["中", "中文a", "a", "龘靐", "的|", "，", "ａ", "é"])
def test_a_megabyte_on_one_line_takes_linear_time(unit: str) -> None:
    tokenizer = make_tokenizer()

    def cost(chars: int) -> float:
        start = time.process_time()
        tokenizer.tokens(unit * (chars // len(unit)))
        return time.process_time() - start

    cost(1000)
    # Quadratic time would be a hundredfold on top of the factor ten; small times are mostly noise.
    assert cost(1_000_000) < 40 * max(cost(100_000), 0.02)


def test_ngrams_need_no_dictionary() -> None:
    assert make_tokenizer(name="ngram").tokens("网络爬虫，是A程序") == ["网络", "络爬", "爬虫", "是", "a", "程序"]


def test_stemming_is_optional_and_depends_on_the_language() -> None:
    assert make_tokenizer(stemming="none").tokens("recipes") == ["recipes"]
    assert make_tokenizer("de").tokens("Haus des Kreises") == ["haus", "des", "kreises"]
    assert make_tokenizer("en-GB").tokens("Kitchens") == ["kitchen"]


def test_same_arguments_share_one_tokenizer() -> None:
    assert make_tokenizer("zh") is make_tokenizer("auto")


@pytest.mark.parametrize("arguments", [{"name": "jeiba"}, {"stemming": "porter"}])
def test_unknown_names_are_refused_with_the_known_ones(arguments: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="known:"):
        make_tokenizer(**arguments)


def test_without_the_compiled_segmenter_jieba_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenize, "_has_rjieba", lambda: False)
    assert make_tokenizer().name == "jieba"
    assert make_tokenizer(words=["屏风马"]).tokens("屏风马布局") == ["屏风马", "布局"]


def test_jieba_never_touches_the_shared_temporary_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    segment._jieba.cache_clear()
    assert segment.jieba_segment("中文网页") == ["中文", "网页"]
    assert list(tmp_path.iterdir()) == []  # neither a cache others could replace, nor a private one left behind


WORDS = ["屏风马", "特级大师", "茶艺师", "格密码", "象棋", "Chinese chess", "AI 技术", "棋", "  "]


@pytest.mark.parametrize("name", ["rjieba", "jieba"])
def test_words_of_a_topic_are_not_cut(name: str) -> None:
    text = "对屏风马，特级大师走出了新着；屏风马布局。一位茶艺师谈格密码"
    plain, own = make_tokenizer(name=name), make_tokenizer(name=name, words=WORDS)
    assert not {"屏风马", "特级大师", "茶艺师", "格密码"} & set(plain.tokens(text))
    assert own.tokens(text) == make_tokenizer(name="rjieba", words=WORDS).tokens(text)
    assert {"屏风马", "特级大师", "茶艺师", "格密码"} <= set(own.tokens(text))
    assert own.tokens("chinese chess") == ["chinese", "chess"]
    assert plain.tokens(text) == make_tokenizer(name=name).tokens(text)  # the other dictionary is as it was


def test_two_common_words_are_not_torn_apart_by_a_word_between_them() -> None:
    assert make_tokenizer(words=["茶艺术"]).tokens("茶艺术与红茶艺术节")[0] == "茶艺术"
    assert make_tokenizer(words=["民银"]).tokens("人民银行") == ["人民银行"]


def test_both_segmenters_agree_on_words_of_a_topic() -> None:
    compiled, plain = make_tokenizer(name="rjieba", words=WORDS), make_tokenizer(name="jieba", words=WORDS)
    for text in [path.read_text("utf-8") for path in SAMPLES] + ODD_TEXTS:
        assert compiled.tokens(text) == plain.tokens(text)


def test_one_name_stands_for_one_way_of_cutting() -> None:
    plain = make_tokenizer()
    assert make_tokenizer(words=["象棋", "chess"]) is plain  # nothing in it that would be cut
    names = [plain.name, make_tokenizer("de").name, make_tokenizer(words=["屏风马"]).name]
    names += [make_tokenizer(words=["特级大师"]).name, make_tokenizer("de", words=["特级大师"]).name]
    assert len(set(names)) == len(names)
    assert make_tokenizer(words=["屏风马", "特级大师"]).name == make_tokenizer(words=["特级大师", "屏风马"]).name


@pytest.mark.parametrize("name", ["ngram", "words"])
def test_tokenizers_without_a_dictionary_take_no_words(name: str) -> None:
    assert make_tokenizer(name=name, words=["屏风马"]) is make_tokenizer(name=name)


def test_is_han() -> None:
    assert is_han("中a")
    assert is_han("㐀")
    assert not is_han("a中")
    assert not is_han("")


def test_every_name_is_a_plug_in() -> None:
    declared = {point.name: point.value for point in entry_points(group="focuscrawl.tokenizers")}
    table = tomllib.loads(Path(__file__).parents[3].joinpath("pyproject.toml").read_text("utf-8"))
    assert table["project"]["entry-points"]["focuscrawl.tokenizers"].keys() == set(tokenize.TOKENIZERS)
    for name, target in declared.items():
        assert target == f"focuscrawl.text.tokenize:make_{name}"
        assert getattr(tokenize, f"make_{name}")("zh").tokens("a") == ["a"]


def test_a_text_longer_than_a_piece_is_cut_into_the_same_words() -> None:
    sentence = "船闸看守人清晨打开下闸门，"
    words = segment.rjieba_segment(sentence * 20_000)
    assert "".join(words) == sentence * 20_000
    first = segment.rjieba_segment(sentence)
    assert words[: len(first)] == first
    assert len({id(word) for word in words}) == len(set(words))  # equal ones are one object


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C++ and C# templates", ["cplusplus", "and", "csharp", "template"]),
        ("C++语言，Ｃ＋＋ 与C/C++", ["cplusplus", "语言", "cplusplus", "与", "c", "cplusplus"]),
        ("vitamin C, i++, c+++, #c", ["vitamin", "c", "i", "c", "c"]),
        ("C++11", ["cplusplus", "11"]),
    ],
)
def test_languages_that_end_with_signs_are_words(text: str, expected: list[str]) -> None:
    tokenizer = make_tokenizer("auto")
    assert tokenizer.tokens(text) == expected
    assert tokenizer.chunks([text, "其他", text]) == [expected, tokenizer.tokens("其他"), expected]
