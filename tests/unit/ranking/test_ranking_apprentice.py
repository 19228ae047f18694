"""The ranker that learns while it crawls."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from link_kit import HandTopic, judged, link, page
from scipy.stats import beta

from focuscrawl import plugins
from focuscrawl.page.model import Link
from focuscrawl.ranking.apprentice import Apprentice
from focuscrawl.ranking.apprentice_options import ApprenticeOptions
from focuscrawl.ranking.base import AHEAD, Judged, Ranked
from focuscrawl.ranking.evidence import group_counts, parts_of
from focuscrawl.ranking.group_rates import Tally, logit
from focuscrawl.ranking.heuristic import Heuristic
from focuscrawl.records import Entry, Origin
from focuscrawl.scoring.base import PageScorer
from focuscrawl.topic.base import Verdict
from focuscrawl.types import Explained

TOPIC = HandTopic()
LIST = ("html", "body", "ul.list", "li", "a")
MENU = ("html", "body", "nav#menu", "a")


def _rank(ranker: Apprentice | Heuristic, source: Judged, links: list[Link]) -> list[Ranked]:
    scorer = PageScorer({name: plugins.build("scorers", name, seed=0) for name in ranker.needs})
    return ranker.rank(source, links, scorer.score(links, source.page, TOPIC))


def _fetch(
    ranker: Apprentice,
    place: Ranked,
    found: Link,
    *,
    relevant: bool,
    parent: Judged,
    new_links: int = 9,
    score: float = 0.3,
) -> Judged:
    child = judged(
        page(found.url),
        0.9 if relevant else 0.1,
        key=found.key,
        parent=parent.key,
        priority=score,
        group=place.group,
        anchor=found.anchor,
        inherited=place.inherit,
        new_links=new_links,
    )
    ranker.observe(child)
    return child


def _start(ranker: Apprentice, url: str = "http://e.com/list/") -> Judged:
    home = page(url)
    place = ranker.seed(home.key, url, home.host)
    start = judged(home, 0.1, key=home.key, group=place.group)
    ranker.observe(start)
    return start


def test_with_nothing_learned_the_order_is_the_heuristics() -> None:
    links = [
        link("http://e.com/x/1", "weather"),
        link("http://e.com/x/2", "chess club"),
        link("http://f.org/", "more"),
        link("http://e.com/x/chess-and-rook", "the rook in chess"),
        link("http://e.com/login", "log in"),
    ]
    source = judged(page())
    fixed = [p.score.value for p in _rank(Heuristic(TOPIC), source, links)]
    learned = [p.score.value for p in _rank(Apprentice(TOPIC), source, links)]
    assert sorted(range(5), key=fixed.__getitem__) == sorted(range(5), key=learned.__getitem__)


def test_what_nothing_is_known_of_is_worth_the_mean() -> None:
    ranker = Apprentice(TOPIC)
    [place] = _rank(ranker, judged(page()), [link()])
    assert ranker.groups.offset(place.group) == pytest.approx(0.0, abs=1e-9)


def test_a_verdict_moves_its_group_most_its_host_less_and_strangers_not_up() -> None:
    ranker = Apprentice(TOPIC)
    start = _start(ranker)
    links = [
        link("http://e.com/articles/one", "one", dom_sig=LIST),
        link("http://e.com/articles/two", "two", dom_sig=LIST),
        link("http://e.com/shop/three", "three", dom_sig=MENU),
        link("http://other.net/x/four", "four", dom_sig=MENU),
    ]
    first, same, elsewhere, stranger = _rank(ranker, start, links)
    assert first.group == same.group != elsewhere.group
    for _ in range(3):
        _fetch(ranker, first, links[0], relevant=True, parent=start)
    assert (
        ranker.groups.offset(same.group) > ranker.groups.offset(elsewhere.group) > ranker.groups.offset(stranger.group)
    )
    assert same.group in ranker.offsets()


def test_a_group_that_only_disappoints_sinks_below_the_unknown() -> None:
    ranker = Apprentice(TOPIC)
    start = _start(ranker)
    links = [link("http://e.com/ads/1", "one", dom_sig=LIST), link("http://new.net/x/", "new", dom_sig=MENU)]
    bad, new = _rank(ranker, start, links)
    for _ in range(12):
        _fetch(ranker, bad, links[0], relevant=False, parent=start)
    assert ranker.groups.offset(bad.group) < ranker.groups.offset(new.group)


def test_a_listing_earns_by_what_it_leads_to() -> None:
    ranker = Apprentice(TOPIC)
    start = _start(ranker)
    links = [
        link("http://e.com/tags/chess/page/2", "2", dom_sig=LIST),
        link("http://e.com/tags/chess/page/3", "3", dom_sig=LIST),
        link("http://e.com/tags/cars/page/2", "2", dom_sig=MENU),
    ]
    good, good_next, other = _rank(ranker, start, links)
    assert good.group == good_next.group
    listing = _fetch(ranker, good, links[0], relevant=False, parent=start)
    children = [link(f"http://e.com/articles/{n}", f"article {n}", dom_sig=LIST) for n in range(4)]
    for child, place in zip(children, _rank(ranker, listing, children), strict=True):
        _fetch(ranker, place, child, relevant=True, parent=listing)
    barren = _fetch(ranker, other, links[2], relevant=False, parent=start)
    strangers = [link(f"http://f.org/ads/{n}", f"advert {n}", dom_sig=MENU) for n in range(4)]
    for child, place in zip(strangers, _rank(ranker, barren, strangers), strict=True):
        _fetch(ranker, place, child, relevant=False, parent=barren)
    assert ranker.groups.offset(good_next.group) > ranker.groups.offset(other.group) + 0.02


def test_it_learns_the_words_of_anchors_that_lead_to_the_topic() -> None:
    ranker = Apprentice(TOPIC)
    start = _start(ranker)
    for number in range(30):
        good = link(f"http://h{number}.org/a/{number}", "endgame study", dom_sig=LIST)
        bad = link(f"http://h{number}.org/b/{number}", "weather report", dom_sig=MENU)
        places = _rank(ranker, start, [good, bad])
        _fetch(ranker, places[0], good, relevant=True, parent=start)
        _fetch(ranker, places[1], bad, relevant=False, parent=start)
    new = [link("http://z.org/c/1", "endgame", dom_sig=LIST), link("http://z.org/c/2", "weather", dom_sig=LIST)]
    endgame, weather = _rank(ranker, start, new)
    assert endgame.score.value > weather.score.value
    without = Apprentice(TOPIC, options=ApprenticeOptions(learn=False))
    same = _rank(without, start, new)
    assert same[0].score.value == same[1].score.value


def _studied(ranker: Apprentice, pages: int) -> tuple[list[Link], list[Ranked], dict[int, float]]:
    """Queue links of one archive, learn what two of their words lead to; return them and their scores told since."""
    start = _start(ranker)
    words = ["endgame", "weather", "endgame study", "nothing known"]
    archive = [link(f"http://z.org/posts/{n}", text, dom_sig=LIST) for n, text in enumerate(words)]
    places = _rank(ranker, start, archive)
    told: dict[int, float] = {}
    for number in range(pages):
        text, relevant = (("endgame", True), ("weather", False))[number % 2]
        found = link(f"http://h{number}.org/{number}", text, dom_sig=MENU)
        _fetch(ranker, _rank(ranker, start, [found])[0], found, relevant=relevant, parent=start)
        told |= ranker.rescored()
    return archive, places, told


def test_links_that_wait_are_scored_by_what_was_learned_since_they_were_found() -> None:
    archive, places, told = _studied(Apprentice(TOPIC, options=ApprenticeOptions(look=False, floor=0.0)), 60)
    assert len({place.score.value for place in places}) == 1
    before = places[0].score.value
    endgame, weather, study, unknown = (told.get(one.key, before) for one in archive)
    assert endgame > study > unknown > weather
    assert endgame - before >= 0.06
    # The same links found on a page now would come to the same scores, but for steps too small to be told.
    ranker = Apprentice(TOPIC, options=ApprenticeOptions(look=False, floor=0.0, anew=1))
    archive, _, told = _studied(ranker, 60)
    now = _rank(ranker, judged(page("http://e.com/list/")), archive)
    for one, place in zip(archive, now, strict=True):
        assert told.get(one.key, before) == pytest.approx(place.score.value, abs=0.03)


def test_links_of_an_earlier_session_are_scored_as_if_it_had_not_ended() -> None:
    options = ApprenticeOptions(look=False, floor=0.0, anew=1)
    first, second = Apprentice(TOPIC, options=options), Apprentice(TOPIC, options=options)
    archive, places, told = _studied(first, 20)
    second.restore(json.loads(json.dumps(first.snapshot())))
    entries = [
        Entry(
            one.url,
            one.key,
            one.host,
            told.get(one.key, place.score.value),
            place.group,
            origin=Origin(parent=1, anchor=one.anchor, parts=place.score.parts, carried=place.inherit),
        )
        for one, place in zip(archive, places, strict=True)
    ]
    aside = replace(entries[0], key=1, score=entries[0].score - 3.0)
    seed = Entry("http://seed.org/", 2, "seed.org", 1.0, "seed.org")
    second.take_up([*entries, aside, seed])
    assert len(second.waiting) == len(entries)
    start = judged(page("http://e.com/list/"))
    later: list[dict[int, float]] = [{}, {}]
    for ranker, scores in zip((first, second), later, strict=True):
        for number in range(100, 140):
            found = link(f"http://h{number}.org/{number}", "endgame", dom_sig=MENU)
            _fetch(ranker, _rank(ranker, start, [found])[0], found, relevant=True, parent=start)
            scores |= ranker.rescored()
    assert later[0] == pytest.approx(later[1])
    assert later[1][archive[0].key] > entries[0].score
    without = Apprentice(TOPIC, options=replace(options, anew=0))
    without.take_up(entries)
    assert len(without.waiting) == 0


@pytest.mark.parametrize("options", [ApprenticeOptions(anew=0), ApprenticeOptions(learn=False)])
def test_scores_stay_where_they_are_not_to_follow(options: ApprenticeOptions) -> None:
    archive, _, told = _studied(Apprentice(TOPIC, options=replace(options, look=False, floor=0.0)), 60)
    assert told.keys().isdisjoint(one.key for one in archive)


def test_a_run_that_goes_on_without_learning_does_not_score_by_what_it_had_learned() -> None:
    archive, _, _ = _studied(ranker := Apprentice(TOPIC), 60)
    without = Apprentice(TOPIC, options=ApprenticeOptions(learn=False))
    without.restore(json.loads(json.dumps(ranker.snapshot())))
    source = judged(page("http://e.com/list/"))
    for place in _rank(without, source, archive):
        assert place.score.parts["learned"] == 0.5, "neither for nor against it"
        assert place.without_anchor == pytest.approx(place.score.value), "its text holds no topic word"


def test_without_words_links_of_the_same_evidence_have_one_score_whatever_they_say() -> None:
    ranker = Apprentice(TOPIC, options=ApprenticeOptions(words=False))
    archive, before, _ = _studied(ranker, 60)
    now = _rank(ranker, judged(page("http://e.com/list/")), archive)
    assert len({place.score.value for place in before}) == len({place.score.value for place in now}) == 1
    assert now[0].without_anchor == pytest.approx(now[0].score.value)


def test_links_that_left_or_wait_behind_all_others_or_were_called_up_are_not_scored_anew() -> None:
    ranker = Apprentice(TOPIC, options=ApprenticeOptions(look=False, floor=0.05, anew=1))
    start = _start(ranker)
    words = [link(f"http://z.org/posts/{n}", "weather", dom_sig=LIST) for n in range(4)]
    places = _rank(ranker, start, words)
    _fetch(ranker, places[0], words[0], relevant=False, parent=start)
    ranker.missed("z.org", words[1].key)
    ranker.set_aside([words[2].key])
    told: dict[int, float] = {}
    for number in range(60):
        found = link(f"http://h{number}.org/{number}", "weather", dom_sig=MENU)
        _fetch(ranker, _rank(ranker, start, [found])[0], found, relevant=False, parent=start)
        now = ranker.rescored()
        if told.get(words[3].key, 0.0) > 2.0:
            assert now.get(words[3].key, 3.0) > 2.0  # it was called up, and nothing takes it back
        _rank(ranker, start, words[3:])  # another page links to it, too
        told |= now
    assert told[words[3].key] > 2.0
    assert told.keys().isdisjoint(one.key for one in words[:3])


def test_words_in_addresses_of_the_machinery_are_learned_nowhere_and_say_nothing() -> None:
    ranker = Apprentice(TOPIC, options=ApprenticeOptions(look=False, floor=0.0))
    start = _start(ranker)
    page_of, shares = "http://e.com/endgame-study", ("?share=twitter", "?share=pinterest")
    waiting = [link(page_of + "-2"), *(link(page_of + "-2" + share) for share in shares)]
    before = [place.score.value for place in _rank(ranker, start, waiting)]
    told: dict[int, float] = {}
    for number in range(40):
        good = link(f"http://h{number}.org/endgame-study", "go", dom_sig=LIST)
        bad = link(f"http://h{number}.org/weather?share=twitter", "on", dom_sig=LIST)
        places = _rank(ranker, start, [good, bad])
        _fetch(ranker, places[0], good, relevant=True, parent=start)
        _fetch(ranker, places[1], bad, relevant=False, parent=start)
        told |= ranker.rescored()
    weights = ranker.model.weights()[2]
    assert weights["endgame"] > 0.1
    assert "weather" not in weights
    after = [told.get(one.key, value) for one, value in zip(waiting, before, strict=True)]
    assert after[0] > before[0]
    assert max(after[1:]) <= before[1]
    found = _rank(ranker, start, [link(page_of + "-3"), link(page_of + "-3?share=twitter")])
    assert found[1].score.value < found[0].score.value - 0.15


def test_a_page_whose_text_was_had_before_counts_as_none_whatever_the_verdict() -> None:
    weights, offsets = [], []
    for relevant, repeats in ((False, False), (True, True), (True, False)):
        ranker = Apprentice(TOPIC, options=ApprenticeOptions(graded=False))
        start = _start(ranker)
        copies = [link(f"http://e.com/copies/{n}", "copy", dom_sig=LIST) for n in range(8)]
        for copy, place in zip(copies, _rank(ranker, start, copies), strict=True):
            child = judged(
                page(copy.url),
                0.9 if relevant else 0.1,
                key=copy.key,
                parent=start.key,
                group=place.group,
                anchor=copy.anchor,
                inherited=place.inherit,
            )
            ranker.observe(replace(child, repeats=repeats))
        weights.append(ranker.model.weights()[1]["copy"])
        offsets.append(ranker.groups.offset(place.group))
    assert weights[0] == weights[1] < 0.0 < weights[2]
    assert offsets[0] == offsets[1] < offsets[2]
    before = ranker.groups.offset(place.group)
    ranker.revise(replace(child, repeats=True), judged(page(), 0.1).verdict)
    assert ranker.groups.offset(place.group) == before


def test_a_verdict_that_is_revised_counts_for_the_page_above_as_much_as_it_did_before() -> None:
    led_to = []
    for first, later in ((True, False), (False, False), (True, True)):
        ranker = Apprentice(TOPIC, options=ApprenticeOptions(graded=False, credit=0.0))
        start = _start(ranker)
        links = [link(f"http://h{n}.org/", f"site {n}", dom_sig=LIST) for n in range(20)]
        for found, place in zip(links, _rank(ranker, start, links), strict=True):
            child = _fetch(ranker, place, found, relevant=first, parent=start)
            if found is links[-1] and first is not later:
                ranker.revise(replace(child, verdict=judged(page(), 0.1).verdict), child.verdict)
        led_to.append(ranker.hubs.hosts["e.com"].successes)
    last = 1.0 / (1.0 + 19 / 4.0)  # of twenty pages a listing led to the last one counts least
    assert led_to[1] == 0.0
    assert led_to[2] - led_to[0] == pytest.approx(last)


def _front_page(host: str, topicality: float, *, repeats: bool = False) -> Judged:
    """An index of other pages: it is no find, whatever stands on it."""
    front = page(f"http://{host}/")
    score = Explained(0.1, {"topicality": topicality, "lead": 0.2})
    return replace(judged(front, key=front.key, repeats=repeats), verdict=Verdict(score, 0.5, False, "chess@0"))


def test_a_front_page_full_of_the_topic_promises_more_of_its_host() -> None:
    ranker = Apprentice(TOPIC)
    for host, topicality in (("none.org", 0.0), ("some.org", 0.4), ("much.org", 0.8)):
        ranker.observe(_front_page(host, topicality))
    ranker.observe(_front_page("copy.org", 0.8, repeats=True))
    of_none, of_some, of_much, of_copy = map(ranker.groups.outlook, ("none.org", "some.org", "much.org", "copy.org"))
    assert of_none == of_copy < of_some < of_much
    assert ranker.groups.promises["much.org"].successes == pytest.approx(0.64)
    # It is no evidence for the links of the host: what they are worth, the pages they lead to have to show.
    assert ranker.relevant.hosts["much.org"].successes == ranker.relevant.hosts["none.org"].successes


def test_what_a_host_promises_follows_a_verdict_that_is_revised_and_is_saved_with_the_run() -> None:
    ranker = Apprentice(TOPIC)
    ranker.observe(first := _front_page("much.org", 0.8))
    again = _front_page("much.org", 0.6)
    ranker.revise(again, first.verdict)
    assert ranker.groups.promises["much.org"].successes == pytest.approx(0.36)
    resumed = Apprentice(TOPIC)
    state = json.loads(json.dumps(ranker.snapshot()))
    resumed.restore(state)
    assert resumed.groups.outlook("much.org") == pytest.approx(ranker.groups.outlook("much.org"), abs=1e-3)
    older = Apprentice(TOPIC)
    older.restore({name: part for name, part in state.items() if name != "promises"})
    assert older.groups.promises == older.relevant.hosts


def test_state_survives_as_json_and_repeats_itself() -> None:
    def run() -> tuple[Apprentice, Judged, list[Link]]:
        ranker = Apprentice(TOPIC)
        start = _start(ranker)
        links = [link(f"http://h{n % 3}.org/s{n % 2}/{n}", f"word{n % 4}", dom_sig=LIST) for n in range(24)]
        for n, (found, place) in enumerate(zip(links, _rank(ranker, start, links), strict=True)):
            _fetch(ranker, place, found, relevant=n % 3 == 0, parent=start)
        return ranker, start, links

    first, start, links = run()
    second, _, _ = run()
    assert first.snapshot() == second.snapshot()
    resumed = Apprentice(TOPIC)
    resumed.restore(json.loads(json.dumps(first.snapshot())))
    for before, after in zip(_rank(first, start, links), _rank(resumed, start, links), strict=True):
        assert after.group == before.group
        assert after.score.value == pytest.approx(before.score.value, abs=0.021)
        assert resumed.groups.offset(after.group) == pytest.approx(first.groups.offset(before.group), abs=1e-3)


def test_offsets_stay_in_their_range() -> None:
    ranker = Apprentice(TOPIC)
    start = _start(ranker)
    [place] = _rank(ranker, start, [link("http://e.com/a/1", "x", dom_sig=LIST)])
    for n in range(200):
        _fetch(ranker, place, link(f"http://e.com/a/{n}"), relevant=True, parent=start)
    offsets = ranker.offsets().values()
    assert offsets
    assert all(-1.0 <= offset <= 1.0 for offset in offsets)


def test_tells_what_a_score_would_be_without_the_text_of_the_link() -> None:
    ranker = Apprentice(TOPIC)
    start = _start(ranker)
    for i in range(6):
        found = link(f"http://e.com/s/{i}", "castle gossip" if i % 2 else "weather report", dom_sig=LIST)
        [place] = _rank(ranker, start, [found])
        _fetch(ranker, place, found, relevant=bool(i % 2), parent=start)
    asked = [
        link("http://e.com/s/90", "chess castle", dom_sig=LIST),
        link("http://e.com/s/91", "castle", dom_sig=LIST),
        link("http://e.com/s/92", "", dom_sig=LIST),
    ]
    named, learned, bare = _rank(ranker, start, asked)
    assert bare.without_anchor == bare.score.value
    assert learned.without_anchor == pytest.approx(bare.score.value)
    assert learned.score.value > bare.score.value
    # The topic word is worth 0.5 x 0.8 of the heuristic score, which has 0.6 of the whole.
    assert named.without_anchor is not None
    assert named.score.value - named.without_anchor >= 0.6 * 0.5 * 0.8 - 1e-9


def test_counts_behind_an_offset_are_those_of_the_saved_state() -> None:
    ranker = Apprentice(TOPIC, options=ApprenticeOptions(graded=False))
    start = _start(ranker)
    for i in range(3):
        found = link(f"http://e.com/s/{i}", "castle", dom_sig=LIST)
        [place] = _rank(ranker, start, [found])
        _fetch(ranker, place, found, relevant=i == 0, parent=start)
    counts = {c.level: c for c in group_counts(json.loads(json.dumps(ranker.snapshot())), place.group)}
    assert list(counts) == ["group", "section", "place", "host", "crawl"]
    assert (counts["group"].pages, counts["group"].relevant) == (3.0, 1.0)
    assert counts["host"].name == "e.com"
    assert counts["section"].opens == pytest.approx(9 / 10)
    assert counts["host"].pages == 4.0  # the start page too
    # The n-th page that one page led to counts 1 / (1 + (n - 1) / 4).
    assert counts["host"].led_to == pytest.approx(1 + 4 / 5 + 4 / 6, abs=1e-4)
    assert counts["host"].led_to_relevant == 1.0
    # A host's n-th page counts 1 / (1 + n / 10) for the crawl as a whole.
    assert counts["crawl"].led_to == pytest.approx(1 / 1.1 + 4 / 5 / 1.2 + 4 / 6 / 1.3, abs=1e-4)
    assert group_counts({}, place.group) == []


def test_page_one_of_a_listing_speaks_for_the_pages_that_continue_it() -> None:
    ranker = Apprentice(TOPIC)
    start = _start(ranker, "http://e.com/")
    menu = [
        link("http://e.com/tags/puzzles/", "puzzles", dom_sig=MENU),
        link("http://e.com/tags/cars/", "cars", dom_sig=MENU),
    ]
    places = _rank(ranker, start, menu)
    assert places[0].group == places[1].group
    worth = []
    for found, place, relevant in zip(menu, places, (True, False), strict=True):
        listing = _fetch(ranker, place, found, relevant=False, parent=start)
        further = link(f"{found.url}page/2/", "2", dom_sig=LIST)
        articles = [link(f"http://e.com/articles/{found.anchor}-{n}", f"article {n}", dom_sig=LIST) for n in range(4)]
        [continued, *under] = _rank(ranker, listing, [further, *articles])
        for article, its_place in zip(articles, under, strict=True):
            _fetch(ranker, its_place, article, relevant=relevant, parent=listing)
        worth.append(continued.group)
    puzzles, cars = (ranker.groups.offset(group) for group in worth)
    assert puzzles > cars + 0.05


def test_what_a_numbered_page_leads_to_counts_once_for_its_series() -> None:
    ranker = Apprentice(TOPIC)
    start = _start(ranker, "http://e.com/")
    further = link("http://e.com/tags/puzzles/page/2/", "2", dom_sig=LIST)
    [place] = _rank(ranker, start, [further])
    listing = _fetch(ranker, place, further, relevant=False, parent=start)
    article = link("http://f.org/article", "article", dom_sig=LIST)
    _fetch(ranker, _rank(ranker, listing, [article])[0], article, relevant=True, parent=listing)
    counts = {count.level: count for count in group_counts(ranker.snapshot(), place.group)}
    assert (counts["section"].led_to, counts["section"].pages) == (counts["group"].led_to, 1.0)


def _many_others(ranker: Apprentice, start: Judged) -> None:
    """Find so many links elsewhere that a group's turn comes only after some sixty pages."""
    _rank(ranker, start, [link(f"http://host{n}.org/{n}", f"{n}", dom_sig=MENU) for n in range(500)])


def test_links_like_a_listing_follow_at_once_when_it_leads_to_a_find() -> None:
    ranker = Apprentice(TOPIC, options=ApprenticeOptions(credit=0.0))
    start = _start(ranker, "http://e.com/")
    found = link("http://e.com/tags/puzzles/", "puzzles", dom_sig=MENU)
    [menu] = _rank(ranker, start, [found])
    listing = _fetch(ranker, menu, found, relevant=False, parent=start)
    article = link("http://f.org/article", "article", dom_sig=LIST)
    further = link("http://e.com/tags/puzzles/page/2/", "2", dom_sig=LIST)
    under, continued = _rank(ranker, listing, [article, further])
    _many_others(ranker, start)
    before = {**ranker.groups.offsets}
    ranker.offsets()
    _fetch(ranker, under, article, relevant=True, parent=listing)
    changed = ranker.offsets()
    assert changed[menu.group] > before[menu.group], "the group of the listing itself"
    assert changed[continued.group] > before[continued.group], "and that of the pages that continue it"


def test_the_other_links_of_a_host_follow_within_eight_of_its_pages() -> None:
    ranker = Apprentice(TOPIC)
    start = _start(ranker)
    links = [link(f"http://e.com/good/{n}", f"{n}", dom_sig=LIST) for n in range(8)]
    *good, other = _rank(ranker, start, [*links, link("http://e.com/other/1", "other", dom_sig=MENU)])
    _many_others(ranker, start)
    before = ranker.groups.offsets[other.group]
    for found, place in zip(links, good, strict=True):
        _fetch(ranker, place, found, relevant=True, parent=start)
    assert ranker.offsets()[other.group] > before


def test_without_groups_no_offset_is_told() -> None:
    ranker = Apprentice(TOPIC, options=ApprenticeOptions(groups=False))
    start = _start(ranker)
    links = [link(f"http://e.com/{n}", f"{n}", dom_sig=LIST) for n in range(9)]
    for found, place in zip(links, _rank(ranker, start, links), strict=True):
        _fetch(ranker, place, found, relevant=False, parent=start)
    assert set(ranker.offsets().values()) == {0.0}


def test_with_rates_that_nothing_is_mixed_into_a_group_without_a_find_has_the_least_offset() -> None:
    ranker = Apprentice(TOPIC, options=ApprenticeOptions(hub=0.0, m_host=0.0, m_section=0.0, m_group=0.0, taken=0.0))
    start = _start(ranker)
    found = link("http://e.com/list/1", "1", dom_sig=LIST)
    [place] = _rank(ranker, start, [found])
    _fetch(ranker, place, found, relevant=False, parent=start)
    assert ranker.offsets()[place.group] == -ranker.options.limit


def test_a_listing_the_topic_names_does_not_suffer_for_the_others_of_its_menu() -> None:
    ranker = Apprentice(TOPIC)
    start = _start(ranker, "http://e.com/")
    names = ["chess", *(f"other{n}" for n in range(13))]
    menu = [link(f"http://e.com/tags/{name}/", name, dom_sig=MENU) for name in names]
    named, *others = _rank(ranker, start, menu)
    for found, place in zip(menu[1:], others, strict=True):
        _fetch(ranker, place, found, relevant=False, parent=start)
    assert ranker.groups.offset(others[0].group) < -0.05
    assert ranker.groups.offset(named.group) >= ranker.groups.offset(others[0].group) + 0.05


def test_hosts_nobody_has_seen_get_their_look_when_nothing_pays() -> None:
    ranker = Apprentice(TOPIC, options=ApprenticeOptions(floor=0.0))
    start = _start(ranker)
    links = [link("http://new.net/", "somewhere", dom_sig=LIST)]
    links += [link(f"http://e.com/a/{n}", "chess", dom_sig=LIST) for n in range(12)]
    new, *known = _rank(ranker, start, links)
    assert new.score.value < known[0].score.value
    called: dict[int, float] = {}
    for found, place in zip(links[1:], known, strict=True):
        _fetch(ranker, place, found, relevant=False, parent=start)
        called |= ranker.rescored()
    assert called[links[0].key] == pytest.approx(AHEAD + new.score.value)
    # A look is one page: the other links of the host stay where they are.
    assert set(called) <= {links[0].key, *(one.key for one in links[1:])}
    assert ranker.groups.offset(new.group) < 0.1


def test_looks_that_find_nothing_are_no_reason_for_more_of_them() -> None:
    ranker = Apprentice(TOPIC, options=ApprenticeOptions(floor=0.0))
    start = _start(ranker)
    hosts = [link(f"http://host{n}.net/", "somewhere", dom_sig=LIST) for n in range(400)]
    known = [link(f"http://e.com/a/{n}", "chess", dom_sig=LIST) for n in range(400)]
    found = {
        one.key: (one, place) for one, place in zip(hosts + known, _rank(ranker, start, hosts + known), strict=True)
    }
    queue, called = [one.key for one in known], dict[int, float]()
    looks = own = 0
    for _ in range(300):
        is_look = bool(called)
        key = called.popitem()[0] if called else queue.pop(0)
        looks, own = looks + is_look, own + (not is_look)
        one, place = found[key]
        _fetch(ranker, place, one, relevant=not is_look and own % 5 < 2, parent=start)  # two in five of the known links
        called |= {key: score for key, score in ranker.rescored().items() if score >= AHEAD}
    # (1 - .4)^2 of the pages; with the looks counted in the harvest it would end at four in five.
    assert looks / 300 == pytest.approx(0.36, abs=0.06)


@pytest.mark.parametrize(("posts", "episodes", "goes_on"), [(1, 0, True), (9, 0, False), (9, 20, False)])
def test_the_next_page_of_a_directory_is_called_up_and_that_of_a_blog_that_names_sites_is_not(
    posts: int, episodes: int, goes_on: bool
) -> None:
    ranker = Apprentice(TOPIC)
    start = _start(ranker)
    links = [link(f"http://site{n}.org/", f"site {n}", dom_sig=LIST) for n in range(6)]
    links += [link(f"http://e.com/posts/{n}", f"post {n}", dom_sig=LIST) for n in range(posts)]
    links += [link(f"http://cdn.org/{n}.mp3", f"episode {n}", dom_sig=LIST) for n in range(episodes)]
    links.append(following := link("http://e.com/list/page/2/", "older", dom_sig=MENU))
    _rank(ranker, start, links)
    assert ranker.looks is not None
    best = ranker.looks.scouts.best()
    assert (best is not None) is goes_on
    assert best is None or best[1].key == following.key


def test_the_outlook_of_a_host_by_the_formula() -> None:
    ranker = Apprentice(TOPIC, options=ApprenticeOptions(graded=False))
    assert ranker.relevant.base() == pytest.approx(0.1)
    for pages, upper in ((2, 0.123086), (50, 0.008095)):
        ranker.groups.promises["e.org"] = Tally(pages, 0.0)
        assert ranker.groups.outlook("e.org") == pytest.approx(upper, abs=1e-6)
    for pages in (0, 5, 80):  # scipy's Beta with the same mean and the same weight of evidence
        ranker.groups.promises["e.org"] = Tally(pages, pages / 4)
        known = beta(pages / 4 + 0.1, 0.75 * pages + 0.9)
        assert ranker.groups.outlook("e.org") == pytest.approx(known.mean() + known.std())


def test_a_link_the_learned_part_has_buried_is_called_up_all_the_same() -> None:
    ranker = Apprentice(TOPIC, options=ApprenticeOptions(look=False, floor=0.05))
    start = _start(ranker, "http://e.com/")
    menu = [link(f"http://e.com/tags/{n}/", "weather", dom_sig=MENU) for n in range(30)]
    named = link("http://e.com/tags/c/", "chess", dom_sig=MENU)
    places = _rank(ranker, start, [*menu, named])
    called: dict[int, float] = {}
    for found, place in zip(menu, places, strict=False):
        _fetch(ranker, place, found, relevant=False, parent=start)
        called |= ranker.rescored()
    assert called[named.key] == pytest.approx(AHEAD + places[-1].score.value)


def test_links_that_wait_behind_all_others_are_not_called_up() -> None:
    ranker = Apprentice(TOPIC, options=ApprenticeOptions(look=False, floor=0.25))
    start = _start(ranker, "http://e.com/")
    trap = [link(f"http://e.com/chess/{n}/", "chess", dom_sig=MENU) for n in range(9)]
    places = _rank(ranker, start, trap)
    ranker.set_aside([one.key for one in trap])
    for n in range(20):
        _fetch(ranker, places[0], link(f"http://e.com/x/{n}"), relevant=False, parent=start)
    assert ranker.rescored() == {}


def _listings(ranker: Apprentice, *, new_links: int) -> str:
    """Fetch a listing that leads to relevant pages; return the group of the next one."""
    start = _start(ranker)
    links = [link(f"http://e.com/tags/chess/page/{n}", f"{n}", dom_sig=LIST) for n in (2, 3)]
    first, further = _rank(ranker, start, links)
    listing = _fetch(ranker, first, links[0], relevant=False, parent=start, new_links=new_links)
    articles = [link(f"http://far.org/articles/{n}", f"article {n}", dom_sig=LIST) for n in range(4)]
    for article, place in zip(articles, _rank(ranker, listing, articles), strict=True):
        _fetch(ranker, place, article, relevant=True, parent=listing, new_links=0)
    return further.group


def test_a_listing_is_worth_as_much_as_it_opens_up() -> None:
    worth = []
    for new_links in (0, 1, 20):
        ranker = Apprentice(TOPIC)
        worth.append(ranker.groups.offset(_listings(ranker, new_links=new_links)))
    assert worth[0] < worth[1] < worth[2]


def test_worth_follows_from_the_three_rates() -> None:
    ranker = Apprentice(TOPIC)
    group = _listings(ranker, new_links=3)
    parts = parts_of(group)
    tables = (ranker.relevant, ranker.hubs, ranker.opens)
    own, hub, opened = (levels.rate(group, parts) for levels in tables)
    mean_own, mean_hub, mean_opened = (levels.base() for levels in tables)
    better = own + 0.8 * hub * opened - own * 0.8 * hub * opened
    mean = mean_own + 0.8 * mean_hub * mean_opened - mean_own * 0.8 * mean_hub * mean_opened
    assert ranker.groups.offset(group) == pytest.approx((logit(better) - logit(mean)) / 9.0)
    assert ranker.opens.groups[group].successes == pytest.approx(3 / 4)


def _taken_with(scores: Sequence[float], *, taken: float = 0.5) -> tuple[Apprentice, str]:
    """Fetch links of one group that scored so, every second one relevant; return the group."""
    ranker = Apprentice(TOPIC, options=ApprenticeOptions(taken=taken))
    start = _start(ranker)
    links = [link(f"http://e.com/blog/{n}", f"{n}", dom_sig=LIST) for n in range(len(scores))]
    places = _rank(ranker, start, links)
    for n, (found, place, score) in enumerate(zip(links, places, scores, strict=True)):
        _fetch(ranker, place, found, relevant=n % 2 == 0, parent=start, score=score)
    return ranker, places[0].group


def test_a_group_whose_best_links_are_taken_is_worth_less_than_one_of_equal_rate() -> None:
    best, usual, poor = (
        ranker.groups.offset(group) for ranker, group in (_taken_with([score] * 6) for score in (0.7, 0.3, 0.1))
    )
    assert best < usual < poor
    called_up = _taken_with([AHEAD + 0.7] * 6)
    assert called_up[0].groups.offset(called_up[1]) == pytest.approx(
        best
    )  # by its own score, not by what it was raised by
    assert _taken_with([0.7] * 6, taken=0.0)[0].groups.offset(called_up[1]) == pytest.approx(usual)


def test_an_offset_gives_back_half_of_what_the_links_taken_scored_above_the_crawls() -> None:
    # docs/formulas.md J.13: six links that scored .7, and the crawl's own mean by hand.
    ranker, group = _taken_with([0.7] * 6)
    without = _taken_with([0.7] * 6, taken=0.0)[0].groups.offset(group)
    crowd = [1.0 / (1.0 + n / 10.0) for n in range(1, 7)]
    base = (10.0 * 0.3 + 0.7 * sum(crowd)) / (10.0 + sum(crowd))
    mean = base
    for strength in (8.0, 4.0):  # host, section
        mean = (6 * 0.7 + strength * mean) / (6 + strength)
    section = mean
    host = (6 * 0.7 + 8.0 * base) / 14.0
    place = (6 * 0.7 + 4.0 * section) / 10.0
    section = 1.0 / (1.0 + math.exp(-0.5 * (logit(section) + logit(place))))
    mean = (6 * 0.7 + 3.0 * section) / 9.0
    assert host < mean < 0.7
    assert ranker.groups.offset(group) == pytest.approx(without - 0.5 * (mean - base))
    # The same by another way: the offset without it, less half of what the levels themselves say.
    assert ranker.taken.rate(group, parts_of(group)) == pytest.approx(mean)


def test_what_the_links_taken_scored_is_saved_and_shown() -> None:
    ranker, group = _taken_with([0.7] * 6)
    state = json.loads(json.dumps(ranker.snapshot()))
    assert {count.level: count.score for count in group_counts(state, group)}["group"] == pytest.approx(0.7)
    again = Apprentice(TOPIC)
    again.restore(state)
    assert again.groups.offset(group) == pytest.approx(ranker.groups.offset(group), abs=1e-3)


def test_one_listing_is_one_witness_for_the_others_of_its_menu() -> None:
    worth = []
    for siblings in (0.0, 4.0):
        ranker = Apprentice(TOPIC, options=ApprenticeOptions(siblings=siblings))
        start = _start(ranker, "http://e.com/")
        for n in range(12):  # elsewhere, listings lead to something now and then
            other, article = link(f"http://h{n}.org/list/", dom_sig=MENU), link(f"http://far.org/a/{n}", dom_sig=LIST)
            [place] = _rank(ranker, start, [other])
            its_page = _fetch(ranker, place, other, relevant=False, parent=start)
            [place] = _rank(ranker, its_page, [article])
            _fetch(ranker, place, article, relevant=n % 2 == 0, parent=its_page)
        menu = [link(f"http://e.com/tags/{name}/", name, dom_sig=MENU) for name in ("cars", "puzzles")]
        cars, puzzles = _rank(ranker, start, menu)
        listing = _fetch(ranker, cars, menu[0], relevant=False, parent=start)
        articles = [link(f"http://far.org/articles/{n}", f"article {n}", dom_sig=LIST) for n in range(20)]
        for article, place in zip(articles, _rank(ranker, listing, articles), strict=True):
            _fetch(ranker, place, article, relevant=False, parent=listing, new_links=0)
        worth.append((ranker.groups.offset(puzzles.group), ranker.groups.offset(cars.group)))
    assert worth[1][0] > worth[0][0] + 0.02
    assert worth[1][0] == worth[1][1]  # one group


def test_where_every_page_is_relevant_the_better_ones_count_more() -> None:
    def advantage(bar: float) -> float:
        ranker = Apprentice(TOPIC, options=ApprenticeOptions(bar=bar))
        start = _start(ranker)
        links = [link(f"http://e.com/{name}/{n}", "x", dom_sig=(name,)) for n in range(60) for name in ("best", "good")]
        places = _rank(ranker, start, links)
        for found, place, score in zip(links, places, (0.9, 0.7) * 60, strict=True):
            child = judged(page(found.url), score, key=found.key, parent=start.key, group=place.group)
            ranker.observe(child)
        return ranker.groups.offset(places[0].group) - ranker.groups.offset(places[1].group)

    assert advantage(0.0) == pytest.approx(0.0, abs=0.02)
    assert advantage(0.5) > 0.05
    assert advantage(1.0) > 0.05
