from __future__ import annotations

import numpy as np
import pytest

from focuscrawl.extraction.alike_lines import Ints, with_alike, with_rest_of_lists
from focuscrawl.extraction.features import line_features
from focuscrawl.extraction.main_content import Judged, settled
from focuscrawl.extraction.page_type import PAGE_TYPES, PageType
from focuscrawl.extraction.segments import Segments, segment
from focuscrawl.page.tree import parse

THREAD = PageType(by_maker=1 << PAGE_TYPES.index("thread"))


def cards(*prices: str) -> str:
    return "".join(
        f'<div class=card><h3>Lantern {number}</h3><div class="price now">{price}</div></div>'
        for number, price in enumerate(prices)
    )


def lines(html: str) -> tuple[Segments, Ints]:
    tree = parse(f"<body><p>Lamps of the lock keepers</p>{html}</body>")
    assert tree is not None
    found = segment(tree.root)
    return found, line_features(found, title="").place


def left_out(html: str, judged: dict[str, float]) -> list[str]:
    """Return the lines not taken when those judged at 0.6 or more are, all but `judged` being judged at 0.7."""
    found, places = lines(html)
    p = np.array([judged.get(line.text, 0.7) for line in found.lines], np.float32)
    weights = np.array([len(line.text.split()) for line in found.lines], np.float32)
    taken = with_alike(found, p >= 0.6, p, weights, places)
    return [found.lines[at].text for at in np.flatnonzero(~taken)]


def test_cards_of_which_most_have_their_price_have_it_all() -> None:
    assert left_out(cards("$5", "$6", "$7", "$8", "$9"), {"$7": 0.2}) == []


def test_prices_most_of_which_are_left_out_stay_so() -> None:
    judged = {"$5": 0.2, "$6": 0.2, "$7": 0.2}

    assert left_out(cards("$5", "$6", "$7", "$8", "$9"), judged) == list(judged)


def test_two_thirds_of_the_words_have_to_be_taken() -> None:
    long = "sold out until the ice has gone in March and the canal is open again"

    assert left_out(cards("$5", "$6", "$7", "$8", long), {long: 0.2}) == [long]


def test_one_long_line_does_not_speak_for_many_short_ones() -> None:
    long = "sold out until the ice has gone in March and the canal is open again"
    judged = {"$5": 0.2, "$6": 0.2, "$7": 0.2}

    assert left_out(cards("$5", "$6", "$7", long, "$8"), judged) == list(judged)


def test_four_cards_are_too_few() -> None:
    assert left_out(cards("$5", "$6", "$7", "$8"), {"$7": 0.2}) == ["$7"]


def test_the_note_below_the_paragraphs_of_a_text_is_not_taken() -> None:
    text = "".join(f"<p>The gate of lock {number} is closed</p>" for number in range(9))

    assert left_out(f"<div>{text}<p>Write to us</p></div>", {"Write to us": 0.5}) == ["Write to us"]


def test_controls_are_not_taken() -> None:
    assert left_out(cards("$5", "$6", "$7", "打印", "$8", "$9"), {"打印": 0.0}) == ["打印"]


@pytest.mark.parametrize(("kind", "holes"), [(PageType(), []), (THREAD, ["$7"])])
def test_posts_of_a_thread_are_compared_elsewhere(kind: PageType, holes: list[str]) -> None:
    found, _ = lines(cards("$5", "$6", "$7", "$8", "$9"))
    p = np.array([0.2 if line.text == "$7" else 0.9 for line in found.lines], np.float32)
    judged: Judged = settled(found, p, line_features(found, title=""), kind)

    assert [line.text for at, line in enumerate(found.lines) if at not in judged.chosen] == holes


def items_left_out(judged: dict[str, float], *items: str) -> list[str]:
    found, _ = lines("<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>")
    p = np.array([judged.get(line.text, 0.7) for line in found.lines], np.float32)
    weights = np.array([len(line.text.split()) for line in found.lines], np.float32)
    taken = with_rest_of_lists(found, p >= 0.6, p, weights)
    return [found.lines[at].text for at in np.flatnonzero(~taken)]


SOURCES = ("Hale, Locks of the North", "Moor, On Gates", "Reed, Water Law", "Stone, Mills and Their Keepers")


def test_a_list_of_which_a_fifth_is_taken_keeps_its_doubtful_items() -> None:
    assert items_left_out(dict.fromkeys(SOURCES[1:], 0.25), *SOURCES) == []


def test_improbable_items_of_a_list_are_left_out() -> None:
    assert items_left_out({"Reed, Water Law": 0.1}, *SOURCES) == ["Reed, Water Law"]


def test_a_list_of_which_few_words_are_taken_stays_as_it_is() -> None:
    short = "Links"
    assert items_left_out(dict.fromkeys(SOURCES, 0.25), short, *SOURCES) == list(SOURCES)
    assert items_left_out(dict.fromkeys(SOURCES, 0.25), *SOURCES) == list(SOURCES)


def test_one_of_two_items_does_not_speak_for_the_other() -> None:
    assert items_left_out({SOURCES[1]: 0.5}, *SOURCES[:2]) == [SOURCES[1]]


def test_the_text_of_a_page_has_the_rest_of_its_lists() -> None:
    found, places = lines("<ul>" + "".join(f"<li>{item}</li>" for item in SOURCES) + "</ul>")
    p = np.array([0.9, 0.9, 0.25, 0.22, 0.9], np.float32)
    judged = Judged(found, p, np.ones(5, np.float32), 0.6, places=places)
    assert judged.chosen == [0, 1, 2, 3, 4]
