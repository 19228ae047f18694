"""The HTML report: hostile pages, Chinese, nothing from outside, charts that say what they show."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser_kit import chromium, running_browser
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl.report.charts import Axis, Series, line_chart, nice_ticks, thinned
from focuscrawl.report.data import BestPage, HeldBack, HostLine, PageLine, QueuedLink, RunData
from focuscrawl.report.markup import Html, clean, element, link
from focuscrawl.report.page import report_html
from focuscrawl.storage.link_metadata import LinkMetadata
from focuscrawl.topic.corpus_words import CorpusWords
from focuscrawl.visits import VISIT_SCORE
from focuscrawl.wording.base import Say

EVIL = "</title><script>alert(1)</script>\u202e<img src=x onerror=alert(2)>\"'&"


class Seen(HTMLParser):
    """Elements, attributes and text of a page, and whether its tags are balanced."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text: list[str] = []
        self._stack: list[str] = []
        self.feed(page)
        self.close()
        assert not self._stack

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in {"meta", "br", "link", "input"}:
            self._stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._stack.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def best(url: str = "https://example.org/a", **changes: object) -> BestPage:
    given: dict[str, object] = {
        "title": "意大利开局",
        "snippet": "白方第三步走象。",
        "language": "zh",
        "relevance": 0.93,
        "threshold": 0.3,
        "depth": 2,
        "tunnel": 1,
        "anchor": "开局",
        "parent_url": "https://example.org/",
        "predicted": 0.7,
        "judged": {"vsm": 0.93},
    }
    return BestPage(url, **(given | changes))  # type: ignore[arg-type]


def run(relevant: Sequence[bool] = (True, False, True), **changes: object) -> RunData:
    n = len(relevant)
    given: dict[str, object] = {
        "topic": "chess",
        "title": "国际象棋",
        "strategy": "heuristic",
        "started_at": 1_790_000_000.0,
        "relevant": relevant,
        "relevance": [0.6 if hit else 0.1 for hit in relevant],
        "threshold": [0.3] * n,
        "predicted": [0.5] * n,
        "depth": [min(i, 2) for i in range(n)],
        "hosts": [HostLine("example.org", n, sum(relevant), 0, 5)],
        "n_hosts": 1,
        "best": [best()],
        "queue": [QueuedLink("https://example.org/q", 0.8, 0.7, 1, "下一页")],
        "queued": 5,
    }
    return RunData(**(given | changes))  # type: ignore[arg-type]


def shown(page: str) -> str:
    return " ".join(" ".join(Seen(page).text).split())


def test_nothing_is_loaded_and_nothing_runs() -> None:
    page = report_html(run())
    seen = Seen(page)
    assert not {"script", "img", "iframe", "object", "link", "form"} & set(seen.tags)
    outside = [v for k, v in seen.attributes if k in {"src", "srcset", "data", "poster", "action"}]
    assert not outside
    assert "url(" not in page
    assert "@import" not in page
    assert (
        "content",
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
    ) in seen.attributes


def test_the_search_is_the_only_script_and_is_allowed_by_its_digest() -> None:
    lines = [PageLine("https://example.org/a", EVIL, EVIL, 0.9, 0.5), PageLine("javascript:x", "茶", "b", 0.6, 0.5)]
    page = report_html(run(results=lines, accepted=lines, rejected=lines))
    seen = Seen(page)
    assert seen.tags.count("script") == 1
    script = re.search("<script>(.*?)</script>", page, re.DOTALL)
    assert script is not None
    digest = b64encode(sha256(script[1].encode()).digest()).decode()
    (policy,) = [value for name, value in seen.attributes if name == "content" and "default-src" in value]
    assert f"script-src 'sha256-{digest}';" in policy
    assert "innerHTML" not in script[1]
    assert not [value for name, value in seen.attributes if name == "href" and not value.startswith("https://")]
    text = shown(page)
    assert text.count("<script>alert(1)</script>") == 3


@pytest.mark.skipif(chromium() is None, reason="no Chromium on this machine")
def test_all_results_are_printed(tmp_path: Path) -> None:
    lines = [PageLine(f"https://example.org/{n}", f"Page {n}", "b", 0.9, 0.5) for n in range(60)]
    file = tmp_path / "report.html"
    file.write_text(report_html(run(results=lines)), encoding="utf-8")
    cut_off = "(list => list && list.scrollHeight > list.clientHeight)(document.querySelector('.all'))"
    with running_browser(tmp_path / "browser") as browser:
        browser.open(file.as_uri())
        browser.until(cut_off)  # on a screen the list scrolls
        browser.call("Emulation.setEmulatedMedia", media="print")
        assert browser.run(cut_off) is False


def test_the_first_sentence_says_what_was_found_and_where() -> None:
    text = shown(report_html(run([True, False, True, False])))
    assert "2 of 4 fetched pages were relevant (50.0%), on 0 hosts; most on example.org (2)" in text
    text = shown(report_html(run([True, False, True, False], n_relevant_hosts=1)))
    assert "2 of 4 fetched pages were relevant (50.0%), on 1 host: example.org (2)." in text


def test_every_fetch_has_become_of_something() -> None:
    data = run(
        [True, True, False, False, False],
        relevance=[0.6, 0.6, 0.2, 0.15, 0.1],
        not_stored={"duplicate": 1},
        failed=2,
        refused=3,
    )
    text = shown(report_html(data))
    for words in (
        "All 10 fetches",
        "relevant and stored 1 10.0%",
        "relevant, not stored: duplicate 1 10.0%",
        "at least half of the threshold 2 20.0%",
        "below that 1 10.0%",
        "no page, after all tries 2 20.0%",
        "not worth another try 3 30.0%",
    ):
        assert words in text


def test_the_metadata_of_links_is_a_table() -> None:
    counts = LinkMetadata()
    counts.pages, counts.links, counts.words = 4, 10, 200
    counts.with_field.update({"href": 9, "title": 1})
    counts.pages_with.update({"href": 4, "title": 1})
    counts.site_wide_links, counts.site_wide_words = 3, 50
    text = shown(report_html(run(metadata=counts)))
    assert "What the 10 links on 4 pages had" in text
    assert "href 9 90.0% 100.0%" in text
    assert "title 1 10.0% 25.0%" in text
    assert "frame text 0 0.0% 0.0%" in text
    assert "30.0% of the links and 25.0% of the words" in text
    assert "链接文字" in shown(report_html(run(metadata=counts), say=Say("zh")))


def test_a_host_has_its_own_curve() -> None:
    line = HostLine("example.org", 3, 2, curve=[True, False, True])
    page = report_html(run(hosts=[line]))
    assert '<polyline points="0,27 32,18.3 64,18.3 96,9.7" class="line s1">' in page


def test_a_page_is_told_by_its_words_and_not_by_names_of_the_judge() -> None:
    judged = {"untaught": 0.5, "topicality": 0.9, "term:开局": 0.5, "term:rook": 0.25}
    page = shown(report_html(run(best=[best(judged=judged)])))
    assert "Relevance 0.930 (threshold 0.300), most by the words 开局 50%, rook 25%. 2 links from a seed" in page
    assert "topicality" not in page
    chinese = shown(report_html(run(best=[best(judged=judged)]), say=Say("zh")))
    assert "主要依据：开局 50%、rook 25%。" in chinese


def test_hostile_texts_are_text() -> None:
    evil = run(
        title=EVIL,
        topic=EVIL,
        strategy=EVIL,
        stop_reason=EVIL,
        reasons={EVIL: 2},
        hosts=[HostLine(EVIL, 1, 1)],
        best=[
            best(
                url=f"https://example.org/{EVIL}",
                title=EVIL,
                snippet=EVIL,
                anchor=EVIL,
                language=EVIL,
                parent_url=EVIL,
                judged={EVIL: 1.0},
            )
        ],
        queue=[QueuedLink(f"https://example.org/{EVIL}", 0.5, 0.5, 1, EVIL)],
        weights={EVIL: 1.0},
        settings={EVIL: EVIL},
    )
    page = report_html(evil, compare={EVIL: [True]})
    seen = Seen(page)
    assert "script" not in seen.tags
    assert "img" not in seen.tags
    assert not [name for name, _ in seen.attributes if name.startswith("on")]
    assert "\u202e" not in page
    assert page.count("&lt;script&gt;") >= 12


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", " javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//x.example/", ""]
)
def test_only_web_addresses_are_links(url: str) -> None:
    assert "<a" not in link(url, "label")
    assert "href" not in report_html(run(best=[best(url=url, parent_url=url)], queue=[QueuedLink(url, 0.5, 0.5, 1)]))


def test_web_addresses_are_links_that_tell_nothing() -> None:
    assert link("https://例子.example/a?b=1&c=2") == (
        '<a href="https://例子.example/a?b=1&amp;c=2" rel="noopener noreferrer nofollow">'
        "<bdi>https://例子.example/a?b=1&amp;c=2</bdi></a>"
    )


def test_addresses_are_shown_decoded_and_linked_as_they_are() -> None:
    url = "https://xn--fiqs8s.example/%E8%8C%B6"
    page = report_html(run(results=[PageLine(url, "", "h", 0.9, 0.5)], queue=[QueuedLink(url, 0.5, 0.5, 1)]))
    assert shown(page).count("https://中国.example/茶") == 3
    assert page.count(f'href="{url}"') == 2


@settings(deadline=None)  # the machine may be busy
@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_is_shown_as_it_is(text: str) -> None:
    page = element("p", element("b", text), title=text)
    page.encode("utf-8")
    seen = Seen(page)
    assert seen.tags == ["p", "b"]
    assert "".join(seen.text) == clean(text)
    assert seen.attributes == [("title", clean(text))]


def test_results_without_a_topic_word_are_warned_of() -> None:
    some = shown(report_html(run([True] * 10, words=CorpusWords({"blog.example": 6, "a.example": 1}))))
    told = "7 of 10 results (70%) have no topic word in title, text or tags: 6 of blog.example, 1 of a.example"
    assert told in some
    assert "no topic word" not in shown(report_html(run([True] * 10, words=CorpusWords({"blog.example": 1}))))


def test_results_with_one_topic_word_alone_are_warned_of() -> None:
    most = shown(report_html(run([True] * 10, words=CorpusWords(lone={"tea": 5, "cup": 1}))))
    told = "6 of 10 results (60%) have only one of the topic's words in title, text and tags (tea in 5, cup in 1)"
    assert told in most
    assert "only one of" not in shown(report_html(run([True] * 10, words=CorpusWords(lone={"tea": 4}))))


def test_results_that_rest_on_words_which_other_pages_have_are_warned_of_instead() -> None:
    words = CorpusWords(lone={"tea": 6}, common={"cup": 0.13, "tea": 0.2}, only_common=5)
    text = shown(report_html(run([True] * 10, words=words)))
    told = "5 of 10 results (50%) have in title, text and tags only topic words that many other pages have, too"
    assert f"{told} (tea on 20%, cup on 13% of those that are not relevant)" in text
    assert "only one of" not in text, "one advice is enough"


def test_the_queue_says_what_goes_first_and_last_and_has_priorities_from_0_to_1() -> None:
    priorities = (VISIT_SCORE + 1.0, 3.41, 0.41, -2.6)
    text = shown(report_html(run(queue=[QueuedLink(f"https://q.example/{p}", p, 0.5, 1) for p in priorities])))
    assert "0.410 https://q.example/3.41 called up: before all others" in text
    assert "0.410 https://q.example/0.41 1" in text
    assert "0.400 https://q.example/-2.6 held back: after all others" in text
    assert "https://q.example/1000001.0 a visit: before all links" in text
    assert "1000001.000" not in text


def test_headline_numbers() -> None:
    text = shown(report_html(run([True, False, False, True, True], not_stored={"duplicate": 1}, failed=2, refused=1)))
    assert "5 pages fetched and judged" in text
    assert "3 links gave no page 37.5% of all fetched" in text
    assert "3 relevant pages by the judge's verdict" in text
    assert "2 pages stored not stored: 1 duplicate" in text
    assert "60.0% harvest rate" in text
    assert "of the last 5 pages" in text


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("budget: 1000 pages", "Why it stopped: the budget is used up: 1000 pages ."),
        ("exhausted", "no links are left to fetch"),
        ("harvest too low", "too few of the last pages were relevant"),
        ("something new", "Why it stopped: something new ."),
        ("", "No end is recorded: the crawl was still running when this was written, or it was killed."),
    ],
)
def test_why_it_stopped(reason: str, words: str) -> None:
    assert words in shown(report_html(run(stop_reason=reason)))


def test_a_report_in_chinese_has_no_english_sentence_left() -> None:
    data = run(
        [True, False, True, True],
        depth=[0, 1, 1, 2],
        predicted=[1.0, 0.2, 0.8, 0.8],
        ended_at=1_790_003_725.0,
        stop_reason="exhausted",
        failed=2,
        reasons={"HTTP 404": 1, "timed out": 1, "": 1},
        not_stored={"duplicate": 1},
        words=CorpusWords({"blog.example": 9}),
        held_back=[HeldBack("farm.example", 1200, 1, 1)],
        weights={"rw": 0.4},
        settings={"topic file": "chess.toml"},
    )
    page = report_html(data, compare={"breadth-first": [False, True]}, now=1_790_003_725.0, say=Say("zh"))
    assert '<html lang="zh-CN">' in page
    text = shown(re.sub(r"<style>.*?</style>", "", page, flags=re.S))
    for words in (
        "结束原因：",
        "没有可抓取的链接了",
        "用时 1 小时 2 分",
        "收获曲线",
        "最相关的网页",
        "HTTP 404 网页不存在",
        "超时",
    ):
        assert words in text
    assert not re.search(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", text), "three words of English in a row"


def test_domains_that_are_held_back_are_shown_with_their_share() -> None:
    held = [HeldBack("farm.example", 1200, 1, 1)] + [HeldBack(f"copy{n}.example", 3) for n in range(40)]
    text = shown(report_html(run(held_back=held)))
    assert (
        "1,320 links of 41 domains wait behind all others; these domains have had 33.3% of the crawl's pages." in text
    )
    assert "farm.example 1,200 1 33.3% 1" in text
    assert "11 more domains are not shown." in text
    assert "held back" not in shown(report_html(run()))


def test_other_crawls_are_drawn_and_compared_at_equal_pages_once() -> None:
    compare = {"breadth-first": [False, True]}
    page = report_html(run([True, True, False, True]), compare=compare)
    assert "After 2 pages: heuristic 2 relevant, breadth-first 1." in shown(page)
    compare |= {"fish": [False] * 3, "random": [True, False]}
    told = (
        "After 2 pages: heuristic 2 relevant, breadth-first 1, random 1. After 3 pages: heuristic 2 relevant, fish 0."
    )
    assert told in shown(report_html(run([True, True, False, True]), compare=compare))
    assert page.count("<title>breadth-first</title>") == 4  # two charts, each for a wide and a narrow window


@pytest.mark.parametrize("relevant", [[], [True], [False], [False] * 3])
def test_small_and_fruitless_crawls_have_a_report(relevant: list[bool]) -> None:
    page = report_html(run(relevant, best=[]))
    assert "nan" not in re.sub(r"<style>.*?</style>", "", page, flags=re.S)
    assert (f"{len(relevant)} pages fetched") in shown(page)


def test_calibration_leaves_seeds_out() -> None:
    data = run([True, False, True, True], depth=[0, 1, 1, 1], predicted=[1.0, 0.2, 0.8, 0.8])
    text = shown(report_html(data))
    assert "over 3 pages other than seeds" in text
    assert "Expected calibration error 0.200" in text
    assert "In 100.0% of the pairs" in text


def test_a_report_of_many_pages_stays_small() -> None:
    many = [i % 3 == 0 for i in range(50_000)]
    assert len(report_html(run(many), compare={"other": many})) < 250_000


def test_charts_name_their_axes() -> None:
    chart = line_chart("t", [Series("s", [(0, 0), (10, 5)], "s1")], x=Axis("pages", 0, 10), y=Axis("relevant", 0, 5))
    text = Seen(chart).text
    assert text.count("pages") == 2
    assert text.count("relevant") == 2
    assert isinstance(chart, Html)


@settings(deadline=None)  # the machine may be busy
@given(st.floats(0, 1e6), st.floats(1e-3, 1e6), st.integers(2, 12))
def test_ticks_are_few_round_and_inside(low: float, span: float, count: int) -> None:
    ticks = nice_ticks(low, low + span, count)
    assert len(ticks) <= count + 1
    assert all(low - 1e-6 * span <= t <= low + span + 1e-6 * span for t in ticks)
    assert ticks == sorted(set(ticks))


def test_a_thinned_curve_keeps_its_ends() -> None:
    points = [(float(i), float(i)) for i in range(1001)]
    few = thinned(points, limit=10)
    assert len(few) == 10
    assert few[0] == points[0]
    assert few[-1] == points[-1]
