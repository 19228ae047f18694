"""Numbers of the dashboard: read in parts they are those read at once, and at the pace their cost allows."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import page

from focuscrawl.dashboard.figures import POINTS, Figures
from focuscrawl.dashboard.finds import Finds, marked, page_line, telling_part
from focuscrawl.dashboard.paced import Paced
from focuscrawl.dashboard.source import Source
from focuscrawl.dashboard.state import StateReader
from focuscrawl.report.metrics import harvest_recent
from focuscrawl.report.read import read_run
from focuscrawl.report.sentences import lone_word_warning, wordless_warning
from focuscrawl.row_reasons import NO_INDEX
from focuscrawl.storage.crawldb import CrawlDb
from focuscrawl.storage.run_settings import RunSettings, record_pause, record_start
from focuscrawl.storage.visits import RECRAWL
from focuscrawl.visits import VISIT_SCORE
from focuscrawl.wording.base import Say
from focuscrawl.wording.dashboard import NO_TEXT


def _pages(count: int, *, first: int = 0) -> list[Any]:
    return [
        page(
            f"https://h{n % 7}.example/{n}",
            n,
            relevance=(n * 37 % 100) / 100,
            relevant=n % 3 == 0,
            depth=n % 5,
            text="The Sicilian opening " * (n % 3),
            outcome="failed" if n % 11 == 5 else "done",
            reason="HTTP 500" if n % 11 == 5 else "",
        )
        for n in range(first, first + count)
    ]


def test_numbers_read_in_parts_are_those_read_at_once(sample: Any) -> None:
    parts, whole = Figures(), Figures()
    for first, count in ((0, 1), (1, 130), (131, 400)):
        sample.add_pages(*_pages(count, first=first))
        with CrawlDb.open_readonly(sample.folder.db) as db:
            assert parts.read([db])
            assert not parts.read([db])
    with CrawlDb.open_readonly(sample.folder.db) as db:
        whole.read([db])
        counts = db.counts()
    sample.db.close()
    assert parts == whole
    assert whole.pages == counts["pages"]
    assert whole.pages + whole.errors.total() == 531
    assert whole.recent() == harvest_recent(whole.relevant)
    curve = whole.curve()
    assert len(curve["recent"]) == POINTS
    assert curve["pages"][-1] == whole.pages
    assert curve["found"][-1] == sum(whole.relevant) == whole.total
    for end, recent in zip(curve["pages"][1:], curve["recent"], strict=True):
        assert recent == round(harvest_recent(whole.relevant[:end]), 4)


def test_verdicts_that_came_later_make_no_spikes_in_the_thresholds(sample: Any) -> None:
    sample.add_pages(
        *(
            page(
                f"https://a.example/{n}",
                n,
                relevant=True,
                threshold=0.6 if n in (0, 5, 7) else 0.3 + n / 100,
                judged_again=n in (0, 5),
                withheld=NO_INDEX if n == 5 else "",
                revisit="changed" if n == 7 else "",
            )
            for n in range(9)
        )
    )
    expected = [0.31, 0.31, 0.32, 0.33, 0.34, 0.34, 0.36, 0.36, 0.38]
    figures = Figures()
    with CrawlDb.open_readonly(sample.folder.db) as db:
        run = read_run(db)
        figures.read([db])
    sample.db.close()
    assert list(run.threshold) == list(figures.threshold) == pytest.approx(expected)
    assert run.not_stored == {NO_INDEX: 1}


def test_a_feed_which_is_not_judged_makes_no_spike_and_hides_no_threshold(sample: Any) -> None:
    sample.add_pages(
        *(page(f"https://a.example/{n}", n, threshold=0.0 if n in (1, 3) else 0.3 + n / 100) for n in range(4))
    )
    figures = Figures()
    with CrawlDb.open_readonly(sample.folder.db) as db:
        run = read_run(db)
        figures.read([db])
    sample.db.close()
    assert figures.curve()["threshold"] == [0.3, 0.3, 0.32, 0.32]
    assert run.last_threshold == figures.last_threshold == pytest.approx(0.32)
    assert Figures().last_threshold is None


def test_finds_come_once_and_in_order(sample: Any) -> None:
    finds = Finds()
    sample.add_pages(*_pages(30))
    with CrawlDb.open_readonly(sample.folder.db) as db:
        finds.read([db])
        finds.read([db])
    first = finds.since(0)
    sample.add_pages(*_pages(9, first=30))
    with CrawlDb.open_readonly(sample.folder.db) as db:
        finds.read([db])
    sample.db.close()
    assert [find["url"].rpartition("/")[2] for find in first] == ["0", "3", "6", "9", "12", "15", "18", "21", "24"]
    assert [find["url"].rpartition("/")[2] for find in finds.since(first[-1]["n"])] == ["30", "33", "36"]


def test_the_queue_by_depth_is_that_of_the_entries(finished: Any) -> None:
    with CrawlDb.open_readonly(finished.folder.db) as db:
        wanted = [(stored.entry.depth, int(stored.priority * 10 // 1)) for stored in db.queue()]
        counted = db.queued_by_depth()
    assert sorted(wanted) == sorted(place for place, count in counted.items() for _ in range(count))


def test_a_queue_that_was_not_counted_yet_is_not_told_as_empty_or_elsewhere(finished: Any) -> None:
    with CrawlDb.open_readonly(finished.folder.db) as db:
        waiting = sum(db.queued_by_depth().values())
    reader = StateReader(Source([str(finished.folder.path)]))
    states = [reader.read() for _ in range(2)]
    assert [(state["queue"]["counted"], state["numbers"]["queued"]) for state in states] == [
        (False, None),
        (True, waiting),
    ]


@pytest.mark.parametrize(
    ("arguments", "topic", "goal"),
    [
        ({"pages": 0}, "", 0),
        ({"pages": "6"}, "", 6),
        ({}, "[budget]\npages = 70", 70),
        ({}, "", 1000),
        ({}, "no [toml", 1000),
    ],
)
def test_the_goal_is_the_budget(sample: Any, arguments: dict[str, object], topic: str, goal: int) -> None:
    RunSettings(topic="chess", topic_text=topic, arguments=arguments).save(sample.db)
    sample.db.close()
    assert StateReader(Source([str(sample.folder.path)])).read()["numbers"]["goal"] == goal


def test_a_pause_has_a_beginning_and_no_rate(sample: Any) -> None:
    now = 1_790_000_500.0
    record_start(sample.db, at=now - 400.0)
    sample.add_pages(*(page(f"https://a.example/{n}", n, fetched_at=now - 10.0 - n) for n in range(20)))
    reader = StateReader(Source([str(sample.folder.path)]), clock=lambda: now)
    state = reader.read()
    assert (state["run"]["state"], state["run"]["paused_since"], state["run"]["worked_s"]) == ("running", None, 400.0)
    assert state["numbers"]["left_s"] > 0.0
    record_pause(sample.db, True, at=now - 100.0)
    state = reader.read()
    assert (state["run"]["state"], state["run"]["paused_since"]) == ("paused", now - 100.0)
    assert (state["run"]["worked_s"], state["numbers"]["rate"], state["numbers"]["left_s"]) == (300.0, 0.0, None)
    sample.db.close()


def test_results_without_a_word_of_the_topic_are_warned_of(sample: Any) -> None:
    sample.add_pages(*(page(f"https://a.example/{n}", n, relevant=True, own_terms=n % 2) for n in range(12)))
    sample.db.close()
    warnings = StateReader(Source([str(sample.folder.path)])).read()["warnings"]
    with CrawlDb.open_readonly(sample.folder.db) as db:
        run = read_run(db)
    assert warnings["en"] == [wordless_warning(run.words.wordless, run.stored, Say("en"))]
    assert warnings["en"][0].startswith("6 of 12 results (50%)")
    assert warnings["zh"][0].startswith("12 个结果中有 6 个")


def test_results_with_one_word_of_the_topic_are_counted_by_it_once_a_page_has_two(sample: Any) -> None:
    tea = {"title": {"tea": 1}, "links": {"cup": 3}}
    sample.add_pages(*(page(f"https://a.example/{n}", n, relevant=True, own_terms=1, evidence=tea) for n in range(6)))
    reader = StateReader(Source([str(sample.folder.path)]))
    with CrawlDb.open_readonly(sample.folder.db) as db:
        assert read_run(db).words.lone == {}, "the topic may have no other word"
    assert reader.read()["warnings"]["en"] == []
    both = {"text": {"tea": 1}, "tags": {"cup": 1}}
    sample.add_pages(page("https://a.example/7", 7, relevant=False, own_terms=2, evidence=both))
    with CrawlDb.open_readonly(sample.folder.db) as db:
        run = read_run(db)
    assert run.words.lone == {"tea": 6}
    assert reader.read()["warnings"]["en"] == [lone_word_warning({"tea": 6}, 6, Say("en"))]
    sample.db.close()


def test_the_queue_is_in_tenths_with_what_goes_first_and_last(sample: Any) -> None:
    scores = {"visit": VISIT_SCORE + 3, "called": 3.41, "plain": 0.41, "seed": 1.2, "behind": -2.6}
    for name, score in scores.items():
        sample.add_entry(f"https://a.example/{name}", "queued", score)
    sample.db.close()
    reader = StateReader(Source([str(sample.folder.path)]))
    reader.read()  # the first look does not wait for the queue
    state = reader.read()
    assert state["queue"]["by_score"] == [("visit", 1), ("called", 1), ("9", 1), ("4", 1), ("behind", 1)]
    assert [(link["turn"], link["priority"]) for link in state["queue"]["next"]] == [
        ("visit", None),
        ("called", 0.41),
        ("", 1.0),
        ("", 0.41),
        ("behind", 0.4),
    ]
    assert state["visits"] == {"seen": {}, "waiting": 1, "last": None}


def test_visits_are_those_of_the_round_and_what_the_last_one_came_to(sample: Any) -> None:
    sample.add_pages(page("https://a.example/", 0))
    with sample.db.transaction() as rows:
        for at, saw in ((1.0, "first"), (10.0, "gone"), (30.0, "changed"), (31.0, "changed"), (32.0, "unchanged")):
            rows.execute(
                "INSERT INTO visits (key, at, saw, status, body, text, etag, modified, reason)"
                " VALUES (1, ?, ?, 200, '', '', '', '', '')",
                (at, saw),
            )
    sample.db.add_event(RECRAWL, {"gone": 1, "pages": 1, "freshness_before": 0.5, "freshness": 0.75}, at=20.0)
    sample.db.close()
    reader = StateReader(Source([str(sample.folder.path)]))
    reader.read()
    visits = reader.read()["visits"]
    assert visits["seen"] == {"changed": 2, "unchanged": 1}
    assert (visits["last"]["gone"], visits["last"]["freshness"], visits["last"]["at"]) == (1, 0.75, 20.0)


def test_hosts_that_gave_nothing_and_have_nothing_left_are_no_lines_of_zeros(sample: Any) -> None:
    gone = page("https://gone.example/", 2, outcome="refused", reason="robots.txt cannot be read: timed out")
    sample.add_pages(page("https://a.example/", 1, relevant=True), gone)
    state = StateReader(Source([str(sample.folder.path)])).read()
    sample.db.close()
    assert [line["host"] for line in state["hosts"]] == ["a.example"]
    assert [line["reason"] for line in state["errors"]] == [
        {"en": "robots.txt cannot be read: timed out", "zh": "无法读取 robots.txt：超时"}
    ]


def test_texts_of_waiting_links_are_cut(sample: Any) -> None:
    sample.add_entry("https://a.example/card", "queued", 0.4, anchor="Notes on  running " * 40)
    sample.db.close()
    reader = StateReader(Source([str(sample.folder.path)]))
    reader.read()  # the first look does not wait for the queue
    (link,) = reader.read()["queue"]["next"]
    assert link["anchor"].startswith("Notes on running Notes")
    assert link["anchor"].endswith("…")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"relevant": True, "text": "t"}, ""),
        ({"relevant": True, "withheld": NO_INDEX}, NO_INDEX),
        ({"relevant": True, "duplicate_of": 5}, "duplicate"),
        ({"relevant": True}, "none"),
        ({"set_aside": "t"}, ""),
        ({}, "far"),
    ],
)
def test_a_page_without_a_text_says_why(fields: dict[str, Any], why: str) -> None:
    assert page_line(page("https://a.example/", 0, **fields))["no_text"] == why
    assert not why or why in NO_TEXT


def test_a_fault_of_the_run_is_told_in_the_state(finished: Any) -> None:
    reader = StateReader(Source([str(finished.folder.path)]))
    assert reader.read()["numbers"]["pages"] > 0
    finished.folder.db.write_bytes(b"no database")
    assert "not an SQLite database" in reader.read()["fault"]


def test_what_costs_much_is_done_seldom() -> None:
    now, cpu, made = [0.0], [0.0], []

    def make() -> int:
        cpu[0] += 0.5
        made.append(now[0])
        return len(made)

    paced = Paced(make, every_s=2.0, share=0.01, clock=lambda: now[0], cpu=lambda: cpu[0])
    assert paced() == 1
    now[0] = 49.9
    assert paced() == 1
    assert paced.wait_s > 0.0
    now[0] = 50.1  # half a second of CPU is one hundredth of fifty
    assert paced() == 2
    paced.expire()
    assert paced() == 3
    assert made == [0.0, 50.1, 50.1]


def test_what_is_expired_while_it_is_made_is_made_anew() -> None:
    made = []

    def make() -> int:
        made.append(len(made))
        if len(made) == 1:
            paced.expire()  # as by an order, in another thread
        return len(made)

    paced = Paced(make, every_s=2.0, share=0.01, clock=lambda: 0.0, cpu=lambda: 0.0)
    assert paced() == 1
    assert paced.wait_s == 0.0
    assert paced() == 2
    assert paced() == 2


def test_words_of_the_topic_are_marked() -> None:
    assert marked("茶道与teas, steam", ["茶", "tea"]) == ["", "茶", "道与", "teas", ", steam"]
    assert marked("no word", []) == ["no word"]
    assert "".join(marked("Tea <b>&", ["tea"])) == "Tea <b>&"


def test_a_snippet_begins_near_the_first_word_of_the_topic() -> None:
    text = "filler words " * 60 + "at last tea is named"
    assert telling_part(text, ["tea"]).startswith("… ")
    assert "tea is named" in telling_part(text, ["tea"])
    assert telling_part("tea at once", ["tea"]) == "tea at once"
    assert telling_part("", ["tea"]) == ""
