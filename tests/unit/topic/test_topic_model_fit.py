"""Fitting a topic from terms and samples."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.errors import TopicError
from focuscrawl.topic.feedback import FeedbackVector, rocchio
from focuscrawl.topic.model import FittedTopic, fit_topic
from focuscrawl.topic.spec import TopicSpec

BREAD = """Feed the sourdough starter in the evening and mix the dough in the morning: flour, water, salt. Fold it every
half hour, let it prove in a basket overnight in the fridge and bake the loaf in a hot oven under steam, until the
crust is dark and the crumb open. Rye flour makes the dough sticky and the bread keeps for a week."""
ROLLS = """For soft rolls knead wheat flour with milk, butter, yeast and a little sugar until the dough is smooth. Let
it prove until it has doubled, shape the rolls, brush them with egg and bake them in the oven for a quarter of an hour.
The crust stays thin. Yeast dough likes a warm kitchen, and the flour decides how much milk it takes."""
TRAINS = """The night express leaves the terminus at eleven and reaches the coast before dawn. Its carriages were built
in the fifties; the sleeping compartments have wooden panels and brass lamps. At the border the locomotive is changed,
and passengers who are still awake watch the signals, the sidings and the empty platforms of small stations go by."""


def spec(**data: object) -> TopicSpec:
    return TopicSpec.model_validate({"name": "bread", "language": "en", **data})


def fit(**data: object) -> FittedTopic:
    return fit_topic(spec(**data))


@pytest.fixture(scope="module")
def bread() -> FittedTopic:
    return fit(terms={"bread": 1.0, "sourdough": 0.8, "baker's yeast": 0.5}, samples={"relevant_text": [BREAD, ROLLS]})


def test_texts_on_the_topic_are_more_similar_than_others(bread: FittedTopic):
    similar, other, empty = bread.similarity([bread.tokens(BREAD), bread.tokens(TRAINS), []])
    assert similar > 0.3 > 0.05 > other
    assert empty == 0.0


def test_similarity_agrees_with_numpy(bread: FittedTopic):
    tokens = bread.tokens(BREAD + TRAINS)
    counts = Counter(tokens)
    words = sorted(set(counts) | set(bread.vector))
    page = np.array([(1 + math.log(counts[w])) * bread.idf(w) if counts[w] else 0.0 for w in words])
    topic = np.array([bread.vector.get(w, 0.0) for w in words])
    expected = page @ topic / np.linalg.norm(page) / np.linalg.norm(topic)
    assert bread.similarity([tokens])[0] == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.lists(st.sampled_from(["bread", "flour", "train", "the", "zzz"]), max_size=30), max_size=5))
def test_similarity_has_one_value_in_range_for_each_text(docs: list[list[str]]):
    topic = fit(terms={"bread": 1.0})
    values = topic.similarity(docs)
    assert values.shape == (len(docs),)
    assert ((values >= 0) & (values <= 1)).all()


def test_stop_words_weigh_nothing(bread: FittedTopic):
    assert bread.idf("the") == 0.0
    assert "the" not in bread.vector
    assert bread.similarity([["the", "and", "of"]])[0] == 0.0


def test_relatedness_is_one_for_topic_words_and_less_for_sample_words(bread: FittedTopic):
    term, learned, unknown = bread.relatedness(["bread", "oven", "locomotive"])
    assert term == 1.0
    assert 0.5 < learned < 1.0
    assert unknown == 0.0


def test_parts_of_a_phrase_are_no_topic_words(bread: FittedTopic):
    assert bread.related.get("baker", 0.0) < 1.0
    assert bread.query[:2] == ("bread", "sourdough")


def test_expanded_query_keeps_thirty_words_and_all_terms(bread: FittedTopic):
    assert set(bread.query) <= set(bread.expanded)
    assert len(set(bread.expanded) - set(bread.query)) <= 30
    most = max(bread.expanded.values())
    assert all(bread.expanded[token] >= most - 1e-9 or token not in bread.query for token in bread.expanded)


def test_top_terms_descend(bread: FittedTopic):
    weights = [weight for _, weight in bread.top_terms(10)]
    assert len(weights) == 10
    assert weights == sorted(weights, reverse=True)
    assert 0.0 < weights[-1] <= weights[0] <= 1.0


def test_version_follows_the_content():
    first = fit(terms={"bread": 1.0}, samples={"relevant_text": [BREAD]})
    again = fit(terms={"bread": 1.0}, samples={"relevant_text": [BREAD]})
    other = fit(terms={"bread": 1.0}, samples={"relevant_text": [ROLLS]})
    assert first.version == again.version != other.version
    assert first.vector == again.vector


def test_a_sample_on_something_else_is_reported():
    topic = fit(terms={"bread": 1.0, "dough": 1.0}, samples={"relevant_text": [BREAD, ROLLS, TRAINS]})
    assert [w for w in topic.warnings if "sample 3" in w and "same topic" in w]
    assert not [w for w in topic.warnings if "sample 1" in w or "sample 2" in w]
    assert topic.cohesion[2] < min(topic.cohesion[:2])


def test_a_sample_in_the_other_language_fits_by_the_other_names_of_the_terms():
    terms, names = {"面包": 1.0, "面粉": 0.5}, {"面包": ["bread"], "面粉": ["flour"]}
    chinese = "面包师清晨揉好面团，面粉、水和盐慢慢发酵，烤箱里的面包渐渐上色，整条街都是香气。" * 2
    topic = fit(language="auto", terms=terms, synonyms=names, samples={"relevant_text": [chinese, BREAD, TRAINS]})
    assert [w for w in topic.warnings if "sample 3" in w and "same topic" in w]
    assert not [w for w in topic.warnings if "sample 2" in w]


def test_another_name_of_a_term_is_no_odd_word():
    text = "测量总有误差，随机误差靠重复测量来减小，系统误差要靠校准仪器才能发现，两者都写在实验报告的最后。" * 2
    other = "实验室的仪器每年校准一次，测量误差不许超过规定。" * 3
    topic = fit(
        language="zh",
        terms={"测量误差": 1.0},
        synonyms={"测量误差": ["随机误差"]},
        samples={"relevant_text": [text, other]},
    )
    assert not [w for w in topic.warnings if "随机误差" in w]


def test_short_samples_and_missing_parts_are_reported():
    assert "telling words" in fit(terms={"bread": 1.0}, samples={"relevant_text": ["Bread is good."]}).warnings[0]
    assert "no relevant samples" in fit(terms={"bread": 1.0}).warnings[0]
    assert "no terms" in fit(samples={"relevant_text": [BREAD, ROLLS]}).warnings[0]


def test_a_fitting_topic_has_no_warnings(bread: FittedTopic):
    assert bread.warnings == ()


def test_samples_only_make_a_topic():
    topic = fit(samples={"relevant_text": [BREAD, ROLLS]})
    assert topic.query == ()
    assert topic.similarity([topic.tokens(ROLLS)])[0] > 0.3


def test_irrelevant_samples_push_the_vector_away():
    plain = fit(samples={"relevant_text": [BREAD + TRAINS]})
    pushed = fit(samples={"relevant_text": [BREAD + TRAINS], "irrelevant_text": [TRAINS]})
    trains = plain.tokens(TRAINS)
    assert pushed.similarity([trains])[0] < plain.similarity([trains])[0]
    assert pushed.negative_centroid


def test_nothing_to_go_by_is_an_error():
    with pytest.raises(TopicError, match="write what is wanted"):
        fit(terms={"!!": 1.0})


def test_html_samples_are_extracted_first(tmp_path: Path):
    menu = "".join(f"<li><a href='/{n}'>Timetable {n}</a></li>" for n in range(30))
    html = f"<html><head><title>Bread</title></head><body><nav><ul>{menu}</ul></nav><p>{BREAD}</p></body></html>"
    (tmp_path / "bread.html").write_text(html, encoding="utf-8")
    topic = fit(terms={"bread": 1.0}, samples={"relevant": [str(tmp_path / "bread.html")]})
    assert "sourdough" in topic.samples[0]
    assert "timetable" not in topic.samples[0]
    assert "li" not in topic.samples[0]


def test_chinese_topic():
    topic = fit_topic(
        TopicSpec.model_validate(
            {
                "name": "tea",
                "language": "zh",
                "terms": {"绿茶": 1.0, "冲泡": 0.5},
                "synonyms": {"绿茶": ["龙井"]},
                "samples": {
                    "relevant_text": ["春天的绿茶要用八十度的水冲泡，茶叶在玻璃杯里慢慢舒展，香气清淡，回味甘甜。"]
                },
            }
        )
    )
    assert topic.matcher.in_tokens(topic.tokens("今年的龙井怎么样")) == ("绿茶",)
    assert topic.related["龙井"] == 1.0
    on, off = topic.similarity([topic.tokens("玻璃杯冲泡绿茶，香气好"), topic.tokens("火车晚点了两个小时")])
    assert on > 0.2 > 0.01 > off


def test_amounts_dates_and_single_characters_are_no_words_of_a_topic():
    text = "第一天我们去了雪山，门票一百五十元，山上很冷。拍了几百张照片，晚上住客栈，两百元一晚。"
    fitted = fit(language="zh", terms={"旅行": 1.0}, samples={"relevant_text": [text, "第一天" + text]})
    words = {*fitted.vector, *fitted.related, *fitted.expanded, *(word for sample in fitted.samples for word in sample)}
    assert {"雪山", "门票", "客栈"} <= words
    assert not {"第一天", "一百五十元", "几百张", "两百元", "冷", "晚"} & words


def test_a_term_keeps_its_numbers():
    fitted = fit(terms={"3d printing": 1.0, "1984": 1.0}, samples={"relevant_text": ["1984 is a novel of 1949."]})
    assert "1984" in fitted.samples[0]
    assert "1949" not in fitted.samples[0]


def test_odd_words_are_reported():
    fitted = fit(terms={"bread": 1.0, "1999": 0.5}, samples={"relevant_text": [f"{BREAD} Zq11 zq11 zq11 zq11.", ROLLS]})
    told = "\n".join(fitted.warnings)
    assert "term '1999' is a number" in told
    assert "'zq11' is among the topic's strongest words, but only sample 1 has it" in told


def test_rocchio_worked_example():
    moved = rocchio({"x": 1.0}, [{"x": 2.0, "y": 1.0}], [{"x": 1.0, "y": 3.0}])
    assert moved == pytest.approx({"x": 2.35, "y": 0.30})


def test_rocchio_drops_what_goes_below_zero():
    assert "y" not in rocchio({"x": 1.0}, [], [{"y": 1.0}])


def test_feedback_moves_towards_relevant_pages():
    learned = FeedbackVector({"bread": 1.0}, every=2)
    for _ in range(4):
        learned.observe({"oven": 1.0}, score=0.9, threshold=0.5)
        learned.observe({"train": 1.0}, score=0.1, threshold=0.5)
        learned.observe({"news": 1.0}, score=0.5, threshold=0.5)  # not sure enough to learn from
    assert learned.vector["bread"] > learned.vector["oven"] > 0.0
    assert not {"train", "news"} & set(learned.vector)


def test_feedback_between_two_updates_goes_on_after_a_restart_as_if_there_had_been_none():
    learned = FeedbackVector({"bread": 1.0}, every=3)
    for number in range(5):
        learned.observe({"oven": 0.6, f"flour{number}": 0.8}, score=0.9, threshold=0.5)
    again = FeedbackVector({"bread": 1.0}, every=3)
    again.restore(json.loads(json.dumps(learned.snapshot())))
    assert again.vector == learned.vector
    for one in (learned, again):
        one.observe({"oven": 1.0}, score=0.9, threshold=0.5)
    assert again.vector == learned.vector != FeedbackVector({"bread": 1.0}).vector


def xiangqi(**keys: object) -> TopicSpec:
    terms = {"象棋": 1.0, "屏风马": 0.6}
    data = {"name": "xiangqi", "language": "zh", "terms": terms, "synonyms": {"象棋": ["特级大师"]}, **keys}
    return TopicSpec.model_validate(data)


@pytest.mark.parametrize("name", ["auto", "rjieba", "jieba"])
def test_chinese_words_of_a_topic_are_not_cut(name: str) -> None:
    topic = fit_topic(xiangqi(tokenizer=name))
    assert topic.tokens("特级大师走出屏风马") == ["特级大师", "走出", "屏风马"]
    assert topic.query == ("象棋", "屏风马")
    assert topic.related["特级大师"] == 1.0


def test_a_topic_names_its_tokenizer() -> None:
    assert fit_topic(xiangqi(tokenizer="ngram")).tokens("屏风马") == ["屏风", "风马"]
    assert fit_topic(xiangqi(tokenizer="words")).tokens("走出屏风马") == ["走出屏风马"]
    with pytest.raises(TopicError, match=r'"rjeiba": unknown tokenizer; known: .*Did you mean "rjieba"'):
        fit_topic(xiangqi(tokenizer="rjeiba"))


def test_only_a_tokenizer_that_is_named_changes_the_version() -> None:
    assert xiangqi().digest == xiangqi(tokenizer="auto").digest != xiangqi(tokenizer="ngram").digest


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        (ZeroDivisionError("x"), r"tokenizer \"words\" fails over the topic: ZeroDivisionError: x \(.*, line \d+\)"),
        (None, r"tokenizer \"words\": tokens None: expected a list of texts\."),
        (["bread", 7], r"tokenizer \"words\": tokens 7: expected a text\."),
    ],
)
@pytest.mark.parametrize("samples", [{}, {"relevant_text": [BREAD]}])
def test_a_tokenizer_that_fails_over_a_topic_is_a_fault_of_the_topic_file(
    tokens: object, said: str, samples: dict[str, list[str]]
) -> None:
    class Faulty:
        name = "faulty"

        def tokens(self, text: str) -> Any:
            if samples and len(text) < len(BREAD):
                return ["bread"]
            if isinstance(tokens, Exception):
                raise tokens
            return tokens

        def chunks(self, chunks: Sequence[str]) -> Any:
            return [self.tokens(chunk) for chunk in chunks]

    with pytest.raises(TopicError, match=rf"^tokenizer: {said}$"):
        fit_topic(spec(terms={"bread": 1.0}, tokenizer="words", samples=samples), tokenizer=Faulty())
