"""The judges, over pages parsed as the crawl parses them."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl import plugins
from focuscrawl.errors import ConfigError, PluginError
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.tokenize import make_tokenizer
from focuscrawl.topic.base import PageJudge
from focuscrawl.topic.judge_base import page_counts, term_counts
from focuscrawl.topic.judge_bm25 import Bm25Judge, belief, bm25_idf, bm25_term
from focuscrawl.topic.judge_boolean import BooleanJudge
from focuscrawl.topic.judge_focus import FocusJudge, sample_weights
from focuscrawl.topic.judge_pnorm import PnormJudge
from focuscrawl.topic.judge_vsm import VsmJudge
from focuscrawl.topic.judges import make_judge
from focuscrawl.topic.listing import listing_sign, stub_sign
from focuscrawl.topic.model import FittedTopic, fit_topic
from focuscrawl.topic.site_pages import site_page_name
from focuscrawl.topic.spec import TopicSpec

HIVE = """The colony needs a strong queen and enough honey before winter. In August the beekeeper opens each hive,
counts the frames of brood, and treats the bees against varroa mites. Weak colonies are united under newspaper."""
SWARM = """A swarm hangs in the apple tree: twenty thousand bees around their old queen. Brush them into a box in the
evening, leave it open until the last bees have followed, and hive them on fresh frames with a little sugar syrup."""
ON = """Our apiary wintered well. Twelve hives came through, and the first brood frames show that every queen lays. The
bees bring pollen from the hazel; honey stores are down to four kilograms a colony, so the beekeeper feeds a little."""
OFF = """The committee approved the budget for the new swimming pool. Work begins after the summer holidays, and the
mayor expects the opening within two years. Residents asked about parking spaces and the price of season tickets."""
JUDGES = (FocusJudge, VsmJudge, BooleanJudge, PnormJudge, Bm25Judge)


def topic(**data: object) -> FittedTopic:
    given = {
        "terms": {"beekeeping": 1.0, "beehive": 1.0, "bee": 0.8, "honey": 0.6, "beekeeper": 1.0, "brood frames": 0.7},
        "samples": {"relevant_text": [HIVE, SWARM]},
        **data,
    }
    return fit_topic(TopicSpec.model_validate({"name": "bees", "language": "en", **given}))


BEES = topic()


def page(
    text: str, *, title: str = "", url: str = "http://example.org/posts/one.html", extra: str = ""
) -> PageAnalysis:
    html = f"<html><head><title>{title}</title></head><body><article><p>{text}</p></article>{extra}</body></html>"
    return analyse(html.encode(), url, tokenizer=make_tokenizer("en"))


@pytest.mark.parametrize("judge", JUDGES)
def test_a_page_on_the_topic_is_relevant_and_another_is_not(judge: type[PageJudge]):
    on, off = judge(BEES).judge(page(ON, title="Spring in the apiary")), judge(BEES).judge(page(OFF))
    assert on.relevant
    assert not off.relevant
    assert on.score.value > 0.5 > off.score.value
    assert on.topic == f"bees@{BEES.version}"


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("text", ["", "   ", "the of and", "1234 !? 5678", "中文网页", "bee " * 5000])
def test_odd_pages_have_a_verdict_too(judge: type[PageJudge], text: str):
    verdict = judge(BEES).judge(page(text))
    for value in (verdict.score.value, verdict.threshold, *verdict.score.parts.values()):
        assert math.isfinite(value)
        assert 0.0 <= value <= 1.0
    json.dumps(dict(verdict.score.parts))


@pytest.mark.parametrize("judge", JUDGES)
def test_topics_of_terms_only_and_of_samples_only_work(judge: type[PageJudge]):
    for fitted in (topic(samples={}), topic(terms={})):
        if judge in (BooleanJudge, PnormJudge) and not fitted.weights:
            continue  # these two know words only
        one = judge(fitted)
        assert one.judge(page(ON)).score.value > one.judge(page(OFF)).score.value


@pytest.mark.parametrize("judge", JUDGES)
def test_the_same_calls_give_the_same_verdicts(judge: type[PageJudge]):
    pages = [page(text) for text in (ON, OFF, HIVE, "", f"{OFF} The bees kept away.")] * 30
    first, second = judge(BEES), judge(topic())
    verdicts = [first.judge(p) for p in pages]
    assert verdicts == [second.judge(p) for p in pages]
    assert len({verdict.threshold for verdict in verdicts}) > 1 or judge is BooleanJudge  # it adapts on the way


def test_verdicts_do_not_depend_on_the_order_of_sets():
    program = """
import json
from test_judges import BEES, HIVE, JUDGES, OFF, ON, page
verdicts = [one(BEES).judge(page(text)).score for one in JUDGES for text in (ON, OFF, HIVE)]
print(json.dumps([[score.value, list(score.parts.items()), score.reason] for score in verdicts]))
"""
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    told = [
        subprocess.run(  # nothing but hash seeds differs
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert told[0] == told[1]
    assert len(json.loads(told[0])) == 3 * len(JUDGES)


@pytest.mark.parametrize("judge", JUDGES)
def test_a_restored_judge_goes_on_as_the_first(judge: type[PageJudge]):
    first, second = judge(BEES), judge(BEES)
    pages = [page(text) for text in (ON, OFF, HIVE, SWARM)]
    for _ in range(60):
        for one in pages:
            first.judge(one)
    second.restore(json.loads(json.dumps(first.snapshot())))
    assert [first.judge(p) for p in pages] == [second.judge(p) for p in pages]


@pytest.mark.parametrize("judge", JUDGES)
def test_a_snapshot_of_another_topic_is_left_alone(judge: type[PageJudge]):
    other = judge(topic(terms={"bee": 1.0}))
    state = {**judge(BEES).snapshot(), "threshold": {"value": 0.4, "counts": [1] * 80}}
    before = other.snapshot()
    other.restore(state)
    other.restore({})
    assert other.snapshot() == before


@pytest.mark.parametrize("judge", JUDGES)
def test_a_snapshot_of_another_judge_is_left_alone(judge: type[PageJudge]):
    other, before = judge(BEES), judge(BEES).snapshot()
    other.restore({**before, "judge": "another", "threshold": {"value": 0.4, "counts": [1] * 80}})
    assert other.snapshot() == before


@pytest.mark.parametrize("judge", JUDGES)
def test_a_fixed_threshold_is_kept(judge: type[PageJudge]):
    verdict = judge(BEES, threshold=0.05).judge(page(ON))
    assert verdict.threshold == 0.05


@pytest.mark.parametrize("name", ["focus", "vsm", "boolean", "pnorm", "bm25"])
def test_judges_are_found_by_name(name: str):
    judge = plugins.build("judges", name, BEES, threshold="adaptive")
    assert judge.name == name


def test_the_topic_file_chooses_judge_threshold_and_options():
    spec = TopicSpec.model_validate(
        {"name": "bees", "terms": {"bee": 1.0}, "judge": {"name": "pnorm", "threshold": 0.3, "p": 3.0}}
    )
    judge = make_judge(fit_topic(spec), spec)
    assert isinstance(judge, PnormJudge)
    assert judge.p == 3.0
    assert judge.judge(page(ON)).threshold == 0.3


def test_an_unknown_option_is_a_clear_error():
    with pytest.raises(PluginError, match="vsm"):
        plugins.build("judges", "vsm", BEES, treshold=0.5)


@pytest.mark.parametrize(
    ("judge", "options"),
    [
        (VsmJudge, {"rule": "angle"}),
        (VsmJudge, {"rule": "nearest"}),  # no irrelevant samples
        (BooleanJudge, {"mode": "some"}),
        (BooleanJudge, {"mode": "all", "expression": "bee"}),
        (BooleanJudge, {"expression": "bee AND"}),
        (PnormJudge, {"p": 0.5}),
        (PnormJudge, {"p": float("nan")}),
        (Bm25Judge, {"model": "bm26"}),
        (Bm25Judge, {"b": 1.5}),
        (FocusJudge, {"listings": 2.0}),
        (FocusJudge, {"threshold": "fixed"}),
    ],
)
def test_wrong_options_are_refused(judge: type, options: dict[str, object]):
    with pytest.raises(ConfigError):
        judge(BEES, **options)


# -- vsm


def test_title_words_count_three_times_and_those_of_headings_twice():
    here = page(f"{OFF} They keep bees.", title="Honey sold", extra="<article><h2>A beehive stands</h2></article>")
    [honey, bee, hive] = make_tokenizer("en").tokens("honey bees beehive")
    counts = page_counts(here)
    assert (counts[honey], counts[bee], counts[hive]) == (3, 1, 2)
    assert term_counts(BEES.matcher, here) == {"honey": 3, "bee": 1, "beehive": 2}
    assert VsmJudge(BEES).judge(here).score.value > VsmJudge(BEES).judge(page(OFF)).score.value


def test_nearest_centroid_compares_with_the_irrelevant_samples():
    fitted = topic(samples={"relevant_text": [HIVE, SWARM], "irrelevant_text": [OFF]})
    judge = VsmJudge(fitted, rule="nearest", threshold=0.5)
    assert judge.judge(page(ON)).relevant
    assert not judge.judge(page(OFF)).relevant
    for nothing in ("", "zyzzyva qwertz"):  # no word of either kind of samples
        verdict = judge.judge(page(nothing))
        assert (verdict.score.value, verdict.relevant) == (0.0, False)


def test_nearest_centroid_has_no_vector_that_feedback_could_move():
    fitted = topic(samples={"relevant_text": [HIVE, SWARM], "irrelevant_text": [OFF]})
    with pytest.raises(ConfigError, match='feedback moves the topic vector, which rule "nearest" does not read'):
        VsmJudge(fitted, rule="nearest", feedback=True)


def test_inner_product_ranks_too():
    judge = VsmJudge(BEES, rule="inner")
    assert judge.judge(page(ON)).score.value > judge.judge(page(OFF)).score.value


def test_feedback_is_off_by_default_and_moves_the_vector_when_on():
    assert VsmJudge(BEES).feedback is None
    judge = VsmJudge(BEES, feedback=True)
    before = judge.judge(page("hazel pollen in the apiary")).score.value
    for _ in range(40):
        judge.judge(page(ON + HIVE, title="Bees and honey"))
    assert judge.judge(page("hazel pollen in the apiary")).score.value > before


# -- boolean and p-norm


def test_default_expression_is_any_topic_word_and_no_excluded_one():
    judge = BooleanJudge(topic(excluded={"wasp": 0.5}))
    assert judge.judge(page("One bee.")).score.value == 1.0
    assert judge.judge(page("One bee and a wasp.")).score.value == 0.0
    assert judge.judge(page("Nothing.")).score.value == 0.0


def test_an_expression_decides():
    judge = BooleanJudge(BEES, expression='("brood frames" OR swarm) AND NOT pool')
    assert judge.judge(page("The swarm is gone.")).relevant
    assert judge.judge(page("Brood frames everywhere.")).relevant
    assert not judge.judge(page("The swarm is in the pool.")).relevant


def test_full_scan_wants_all_words_and_counts_them():
    judge = BooleanJudge(topic(terms={"bee": 1.0, "honey": 1.0}), mode="all")
    assert judge.judge(page("bee bee bee")).score.value == 0.0
    assert judge.judge(page("bee bee bee honey honey")).score.value == pytest.approx(0.5)


def test_p_norm_degree_grows_with_the_words():
    judge = PnormJudge(BEES)
    few, many = judge.judge(page("honey " + OFF)), judge.judge(page("honey bee beekeeper " + OFF))
    assert few.score.parts["degree"] < many.score.parts["degree"]


# -- bm25


def test_bm25_worked_example():
    idf = bm25_idf(10, 2)
    assert idf == pytest.approx(1.481605, abs=1e-6)
    assert bm25_term(3, idf, relative_length=1.2) == pytest.approx(2.232555, abs=1e-6)


def test_inference_network_worked_example():
    assert belief(3, 10, 2, relative_length=1.2) == pytest.approx(0.634861, abs=1e-6)
    assert belief(0, 10, 2, relative_length=1.2) == 0.4


def test_words_in_no_document_are_ignored():
    assert bm25_idf(10, 0) == 0.0
    assert belief(3, 10, 0, relative_length=1.0) == 0.4


@given(st.floats(0, 1000), st.floats(0, 50))
def test_bm25_stays_below_its_limit(tf: float, relative_length: float):
    assert 0.0 <= bm25_term(tf, 2.0, relative_length=relative_length) <= 2.0 * 2.2 + 1e-9


def test_a_sample_is_relevant():
    assert Bm25Judge(BEES).judge(page(HIVE)).relevant


def test_the_network_ranks_as_a_belief():
    verdict = Bm25Judge(BEES, model="network").judge(page(ON))
    assert 0.4 < verdict.score.parts["belief"] <= 1.0
    assert verdict.relevant


# -- focus


def test_several_words_beat_one_word_repeated():
    judge = FocusJudge(BEES)
    many = page("honey from the beehive, says the beekeeper, is what the bee makes. " + OFF)
    assert judge.judge(many).score.value > judge.judge(page("honey " * 40 + OFF)).score.value


@pytest.mark.parametrize("judge", JUDGES)
def test_both_scripts_of_chinese_give_the_same_score(judge: type[PageJudge]):
    traditional = (
        "三月初我們從臺灣飛到雲南旅遊，先在麗江古城的客棧住了四天，再坐車去瀘沽湖。導遊說，雨季以後景點的遊客就少了，"
        "門票也便宜。旅遊線路要提前訂，湖邊的風景最值得拍照。後來我們還參觀了寺廟和博物館。"
    )
    simple = (
        "三月初我们从台湾飞到云南旅游，先在丽江古城的客栈住了四天，再坐车去泸沽湖。导游说，雨季以后景点的游客就少了，"
        "门票也便宜。旅游线路要提前订，湖边的风景最值得拍照。后来我们还参观了寺庙和博物馆。"
    )
    terms = {"旅游": 1.0, "景点": 0.8, "門票": 0.6, "導遊": 0.6}
    sample = "导游带游客参观景点，门票在旅游线路的价钱里。"
    travel = fit_topic(TopicSpec(name="travel", language="zh", terms=terms, samples={"relevant_text": [sample]}))
    scores = [
        judge(travel).judge(page(text, title=title)).score
        for text, title in ((traditional, "雲南旅遊"), (simple, "云南旅游"))
    ]
    assert scores[0] == scores[1]
    assert scores[0].value > 0.4


def test_the_rarer_of_two_words_of_a_sample_weighs_more_and_common_ones_nothing():
    sample = "propolis winter year"  # each once
    fitted = topic(samples={"relevant_text": [sample]})
    weights = sample_weights(fitted, scale=1.0)
    [rare, known, common] = make_tokenizer("en").tokens(sample)
    assert fitted.idf(rare) > fitted.idf(known) > 2.0 > fitted.idf(common)
    assert weights == pytest.approx({rare: fitted.idf(rare), known: fitted.idf(known) ** 2 / fitted.idf(rare)})


def test_links_count_less_than_text():
    menu = (
        "<ul>" + "".join(f'<li><a href="/{w}">{w}</a></li>' for w in ("honey", "beehive", "beekeeper", "bee")) + "</ul>"
    )
    judge = FocusJudge(BEES)
    in_menu = judge.judge(page(OFF, extra=menu)).score.parts["topicality"]
    in_text = judge.judge(page(OFF + " honey beehive beekeeper bee")).score.value
    assert 0.0 < in_menu < in_text


def test_a_listing_is_worth_less_than_the_pages_it_lists():
    judge = FocusJudge(BEES)
    article, listing = page(ON), page(ON + HIVE, url="http://example.org/tag/bees/")
    one, other = judge.judge(article).score, judge.judge(listing).score
    assert other.value < one.value
    assert other.parts["topicality"] >= one.parts["topicality"]
    assert "index" in other.reason
    assert FocusJudge(BEES, listings=1.0).judge(listing).score.value == other.parts["topicality"]


OTHERS = "".join(
    f"<li><a href=/{name}>{name}</a></li>"
    for name in ("beekeeping for all", "my beehive", "honey and the beekeeper", "why brood frames", "a bee on honey")
)


def test_titles_of_other_pages_do_not_stand_for_words_of_the_page_s_own():
    found = FocusJudge(BEES).judge(page(OFF, extra=f"<ul>{OTHERS}</ul>")).score
    assert found.value == 0.0  # no word of its own
    assert found.parts["links"] == 0.0
    assert found.parts["lead"] == found.parts["topicality"] > 0.0
    assert found.reason.startswith("speaks of ")


@pytest.mark.parametrize(
    "own",
    [
        {"title": "Of honey"},
        {"text": f"{OFF} There was honey for the guests."},
        {"extra": "<p>Filed under <a rel=tag href=/x>honey</a></p>"},
    ],
)
def test_they_bear_out_a_page_that_names_the_topic_itself(own: dict[str, str]):
    said = {"text": OFF, **own, "extra": f"{own.get('extra', '')}<ul>{OTHERS}</ul>"}
    found = FocusJudge(BEES).judge(page(**said)).score
    assert "links" not in found.parts
    assert found.value == found.parts["topicality"] > 0.0


def test_they_add_half_of_what_address_and_sample_words_give():
    text = "The queen and her swarm went into winter on twelve frames, and the frames were opened in August."
    judge = FocusJudge(BEES)
    alone, beside = (judge.judge(page(text, extra=extra)).score for extra in ("", f"<ul>{OTHERS}</ul>"))
    bare, most = (value / (1.0 - value) for value in (alone.value, beside.value))
    # A longer page asks for a little more of each word.
    assert bare < most <= 1.5 * bare
    assert beside.parts["links"] == pytest.approx(
        most / (beside.parts["topicality"] / (1 - beside.parts["topicality"]))
    )


@pytest.mark.parametrize("host", ["honey.example.org", "bee-and-beehive.github.io", "www.beekeeper.com"])
def test_the_name_of_a_host_does_not_stand_for_words_of_its_pages(host: str):
    assert FocusJudge(BEES).judge(page(OFF, url=f"http://{host}/posts/one.html")).score.value == 0.0


def test_the_name_of_a_host_bears_out_what_its_pages_say():
    judge = FocusJudge(BEES)
    text = f"{OFF} There was honey for the guests."
    alone, named = (
        judge.judge(page(text, url=f"http://{host}/posts/one.html")).score
        for host in ("example.org", "beehive-and-bee.org")
    )
    bare, most = (value / (1.0 - value) for value in (alone.value, named.value))
    assert bare < most <= 1.5 * bare + 1e-9
    assert named.parts["site"] == pytest.approx(1.0 - bare / most)


def test_words_of_the_path_are_the_page_s_own():
    found = FocusJudge(BEES).judge(page(OFF, url="http://example.org/honey-of-our-bees.html")).score
    assert found.value > 0.0
    assert "site" not in found.parts


def test_an_index_of_the_topic_is_no_result_and_leads_to_it():
    index = "http://example.org/tag/bees/"
    of_topic = FocusJudge(BEES).judge(page(ON + HIVE, url=index))
    assert not of_topic.relevant
    assert of_topic.leads
    other = FocusJudge(BEES).judge(page(OFF, url=index))
    assert not other.relevant
    assert not other.leads
    assert FocusJudge(BEES).judge(page(ON)).leads


REFRESH = '<meta http-equiv="refresh" content="0; url=/honey/beekeeping">'


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("", "a page without text"),
        ('<p>Redirecting … <a href="/honey/beekeeping">Click here if nothing happens</a>', "sends its visitors on"),
    ],
)
def test_a_stub_is_no_result_and_leads_to_the_topic(body: str, why: str):
    url = "http://example.org/beekeeper/beehive/honey-and-brood-frames"
    found = analyse(f"<title>{url}</title>{REFRESH}{body}".encode(), url, tokenizer=make_tokenizer("en"))
    verdict = FocusJudge(BEES).judge(found)
    assert verdict.leads
    assert not verdict.relevant
    assert verdict.score.parts["stub"] == 0.1
    assert verdict.score.parts["lead"] == verdict.score.parts["topicality"]
    assert why in verdict.score.reason


def test_a_page_that_sends_its_readers_on_after_an_article_is_no_stub():
    found = page(ON, extra=REFRESH)
    assert [link.tag for link in found.links] == ["meta"]
    assert stub_sign(found) == ""
    assert FocusJudge(BEES).judge(found).relevant


def test_excluded_words_take_the_score_down():
    plain, guarded = FocusJudge(BEES), FocusJudge(topic(excluded={"wasp": 0.8}))
    text = page(ON + " wasp" * 5)
    assert guarded.judge(text).score.value < plain.judge(text).score.value
    assert guarded.judge(text).score.parts["excluded"] > 0.3


def test_an_excluded_word_inside_a_topic_term_does_not_count():
    fitted = fit_topic(
        TopicSpec.model_validate(
            {"name": "chess", "language": "zh", "terms": {"国际象棋": 1.0}, "excluded": {"象棋": 0.9}}
        )
    )
    judge = FocusJudge(fitted)
    assert "excluded" not in judge.judge(page("国际象棋比赛，国际象棋开局。")).score.parts
    assert judge.judge(page("中国象棋比赛，国际象棋开局。")).score.parts["excluded"] > 0.1


def test_contributions_name_the_words_and_add_up_to_at_most_one():
    score = FocusJudge(BEES).judge(page(ON)).score
    named = {name: share for name, share in score.parts.items() if name.startswith("term:")}
    assert 1 <= len(named) <= 5
    assert 0.0 < sum(named.values()) <= 1.001
    assert "speaks of" in score.reason


@given(st.lists(st.sampled_from([*ON.split(), *OFF.split(), "bee", "honey"]), max_size=60))
@settings(max_examples=40)
def test_another_topic_word_never_lowers_the_score(words: list[str]):
    judge = FocusJudge(BEES)
    # Same length, one neutral word swapped for a topic word.
    plain, better = page(" ".join([*words, "zzyzx"])), page(" ".join([*words, "beehive"]))
    assert judge.judge(better).score.value >= judge.judge(plain).score.value


# -- listings


@pytest.mark.parametrize(
    ("url", "sign"),
    [
        ("http://e.org/tag/bees/", "URL"),
        ("http://e.org/blog/page/3/", "URL"),
        ("http://e.org/categories/garden/", "URL"),
        ("http://e.org/2019/", "URL"),
        ("http://e.org/2019/04/", "URL"),
        ("http://e.org/?paged=2", "URL"),
        ("http://e.org/%E5%88%86%E7%B1%BB/%E8%8C%B6/", "URL"),
        ("http://e.org/2019/04/12/first-swarm/", ""),
        ("http://e.org/index.php?page=imprint", ""),
        ("http://e.org/pages/about.html", ""),
        ("http://e.org/tagesschau/", ""),
        ("http://e.org/homepage/12", ""),
        ("http://e.org/", ""),  # a front page without links is a page of its own
    ],
)
def test_listings_are_told_by_their_url(url: str, sign: str):
    assert listing_sign(page("Text.", url=url)) == sign


@pytest.mark.parametrize("path", ["", "index.html", "index.php", "default.aspx"])
def test_a_front_page_with_many_links_is_a_listing(path: str):
    links = "".join(f'<a href="/p{n}.html">Entry {n}</a> ' for n in range(12))
    assert listing_sign(page("Text.", url=f"http://e.org/{path}", extra=links)) == "front page"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("About us", "About us"),
        ("Contact | The apiary", "Contact"),
        ("关于我们 - 蜂场", "关于我们"),
        ("聯絡我們", "聯絡我們"),
        ("關於我們", "關於我們"),
        ("“蜜蜂”的搜索结果", "的搜索结果"),
        ("Search results for bees", "search results for"),
        ("用户登录", "用户登录"),
        ("Revision history | The apiary", "Revision history"),
        ("版本歷史 - 蜂场", "版本歷史"),
        ("Member list", "Member list"),
        ("Members of the hive", ""),
        ("About bees", ""),
        ("Contact dermatitis", ""),
        ("登录网站的办法", ""),
        ("", ""),
    ],
)
def test_pages_about_their_site_by_their_title(title: str, name: str):
    assert site_page_name(page("Text.", title=title)) == name


def test_a_page_about_its_site_is_worth_less_than_one_of_its_subject():
    judge = FocusJudge(BEES)
    article, about = (judge.judge(page(ON, title=title)) for title in ("Spring in the apiary", "Contact us"))
    assert about.score.parts["listing"] == 0.1
    assert about.score.parts["topicality"] > 0.5 > about.score.value
    assert not about.relevant
    assert article.relevant
    assert "about its site" in about.score.reason


def test_the_discussion_of_an_article_of_a_wiki_is_worth_less_than_the_article():
    tab = '<a rel="discussion" href="{}">Talk</a>'
    article = FocusJudge(BEES).judge(page(ON, extra=tab.format("/wiki/Talk:Bees")))
    talk = FocusJudge(BEES).judge(page(ON, extra=tab.format("")))
    assert "listing" not in article.score.parts
    assert talk.score.parts["listing"] == 0.1
    assert "a discussion of another page" in talk.score.reason
    assert article.relevant
    assert not talk.relevant


def test_a_topic_that_is_named_as_a_page_about_a_site_has_its_pages():
    privacy = topic(terms={"privacy": 1.0, "data": 0.5}, samples={})
    verdict = FocusJudge(privacy).judge(page("Privacy of data, and who keeps data. " * 5, title="Privacy"))
    assert "listing" not in verdict.score.parts
    assert verdict.relevant


def test_headings_that_are_links_make_a_listing():
    entries = "".join(f'<h2><a href="/p{n}.html">Entry {n}</a></h2><p>Some words.</p>' for n in range(4))
    assert listing_sign(page("Text.", extra=entries)) == "headings"
    related = "<h2>Feeding</h2><h2>Wintering</h2><h2>Queens</h2><h2><a href='/p1.html'>Read also</a></h2>"
    assert listing_sign(page("Text.", extra=related)) == ""


@pytest.mark.parametrize(
    ("said", "sections"),
    [
        (("edit",), ["Uses", "History of the hive", "See also"]),
        (("edit", "edit source"), ["Uses", "Making"]),
        (("Bearbeiten",), ["Bau", "Art"]),
        (("编辑",), ["历史", "种类", "参见"]),
    ],
)
def test_sections_that_can_be_edited_make_no_listing(said: tuple[str, ...], sections: list[str]):
    def heading(number: int, section: str) -> str:
        links = " | ".join(
            f'<a href="/index.php?title=X&action={action}&section={number}">{text}</a>'
            for action, text in enumerate(said)
        )
        return f"<h2><span>{section}</span><span>[{links}]</span></h2><p>Some words.</p>"

    article = "".join(heading(*one) for one in enumerate(sections))
    assert listing_sign(page("Text.", extra=article)) == ""


def test_a_card_with_its_title_twice_is_an_entry() -> None:
    cards = "".join(
        f'<div><h3><a href="/{name}">The {name}</a></h3><h3 class=wide><a href="/{name}">The {name}</a></h3></div>'
        for name in ("lock", "weir", "towpath")
    )
    assert listing_sign(page("Text.", extra=cards)) == "headings"


@pytest.mark.parametrize("judge", [FocusJudge, VsmJudge, PnormJudge, Bm25Judge])
def test_a_page_judged_again_moves_no_threshold(judge: type[PageJudge]) -> None:
    made = judge(topic(), threshold="adaptive")
    first = made.judge(page(ON))
    state = made.snapshot()
    again = made.judge_again(page(ON))
    assert (again.score.value, again.relevant) == (first.score.value, first.relevant)
    assert made.snapshot() == state
    made.judge(page(ON))
    assert made.snapshot() != state
