"""Pages of which next to nothing is extracted that other pages of their host do not have."""

from __future__ import annotations

import random
from dataclasses import replace

from focuscrawl.crawler.build import build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.read_page import Wanted, judged_page
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.extraction.base import Extraction
from focuscrawl.page.analysis import analyse
from focuscrawl.page.urls import url_key
from focuscrawl.records import Entry, Lease
from focuscrawl.row_reasons import SAME_EVERYWHERE
from focuscrawl.topic.spec import TopicSpec

SITE = "http://canal.example"
SAME = "All pictures of locks on this site were taken by me. Ask before you print them, and name the lock. " * 4
PLACES = ["Alrewas", "Bingley", "Caen", "Devizes", "Foxton", "Hatton", "Marple", "Stockton", "Tyrley", "Wigan"]
WORDS = ["beam", "gate", "keeper", "ladder", "paddle", "pound", "sluice", "summit", "weir", "windlass"]


def new_step() -> PageStep:
    """Return a step that knows three long stories of the site."""
    step = build_step(TopicSpec.model_validate({"name": "locks", "terms": {"lock": 1.0}}))
    for number in range(3):
        story = " ".join(
            f"The lock has a {word} that is older than {place}." for word in WORDS for place in PLACES[number::3]
        )
        post(step, f"stories/{number}", f"Story of a {WORDS[number]}", f"<p>{story}</p>")
    return step


def post(step: PageStep, path: str, title: str, own: str) -> StepResult:
    """Process a page that has a title, something of its own, and what all pages of the site say."""
    url = f"{SITE}/{path}"
    body = f"<title>{title}</title><article>{own}<p>{SAME}</p></article>"
    lease = Lease(Entry(url, url_key(url), "canal.example", 0.5), 1, expires_at=0.0, attempt=1, priority=0.5)
    return step.process(Fetched(url, 200, body.encode(), 1.7e9, "text/html"), lease)


def test_posts_of_pictures_with_titles_of_their_own_do_not_make_their_folder_wait() -> None:
    step = new_step()
    for number, (place, word) in enumerate(zip(PLACES, WORDS, strict=True)):
        result = post(step, f"posts/{number}", f"Lock at {place}", f"<p>{place} lock and its {word}.</p>")
    assert result.item_wanted
    event = result.settlement.event
    assert event is not None
    assert (event.leads, event.repeats) == (True, False)  # a find, which lets more of its host be fetched
    assert not step.budgets.held_back(f"{SITE}/posts/next", "canal.example")


def test_one_title_for_all_makes_their_folder_wait() -> None:
    step = new_step()
    for number, (place, word) in enumerate(zip(PLACES, WORDS, strict=True)):
        post(step, f"posts/{number}", "The lock", f"<p>{place} lock and its {word}.</p>")
    assert "mostly repeat others" in step.budgets.held_back(f"{SITE}/posts/next", "canal.example")


def test_a_page_that_says_nothing_beside_its_title_repeats_the_others() -> None:
    """As one for every combination of tags does."""
    step = new_step()
    for number, place in enumerate(PLACES):
        post(step, f"tags/{number}", f"Locks at {place} and lift", f"<h1>Locks at {place} and lift</h1>")
    assert "mostly repeat others" in step.budgets.held_back(f"{SITE}/tags/next", "canal.example")


def test_a_post_without_a_text_of_its_own_is_not_stored_and_repeats_others() -> None:
    step = new_step()
    for number, place in enumerate(PLACES):
        tags = "".join(f'<li><a href="/tag/{place}-{word}-lock">{word} lock in {place}</a>' for word in WORDS[:4])
        result = post(step, f"posts/{number}", f"Lock at {place}", f"<ul>{tags}</ul>")
    assert result.record.relevant
    assert SAME_EVERYWHERE in result.record.reason
    assert not result.item_wanted
    event = result.settlement.event
    assert event is not None
    assert event.repeats


def test_a_post_keeps_the_lines_that_near_misses_had() -> None:
    """Lists of posts are near misses mostly, and show the beginnings of posts."""
    step = build_step(TopicSpec.model_validate({"name": "locks", "terms": {"lock": 1.0}}))
    story = "The lock of the summit is older than the canal and its keeper."
    page = judged_page(step, analyse(f"<p>{story}</p>".encode(), f"{SITE}/tags", tokenizer=step.topic.tokenizer))
    for wanted in (Wanted.QUICK, Wanted.QUICK, Wanted.QUICK, Wanted.MAIN):
        page = replace(page, wanted=wanted).with_text(Extraction("blocks", story))
    assert page.text is not None
    assert page.text.text == story


def test_a_post_keeps_the_lines_that_indexes_had_which_are_results() -> None:
    """Blogs without excerpts show whole posts on the pages of a month, a tag and a category."""
    step = build_step(TopicSpec.model_validate({"name": "locks", "terms": {"lock": 1.0}}))
    story = "The lock of the summit is older than the canal and its keeper."
    for path in ("tags/summit", "category/locks", "archives/2024", "posts/summit"):
        page = judged_page(step, analyse(f"<p>{story}</p>".encode(), f"{SITE}/{path}", tokenizer=step.topic.tokenizer))
        page = replace(page, wanted=Wanted.MAIN).with_text(Extraction("blocks", story))
    assert page.text is not None
    assert page.text.text == story


def test_a_page_that_comes_again_when_its_host_is_known_is_a_duplicate() -> None:
    step = build_step(TopicSpec.model_validate({"name": "locks", "terms": {"lock": 1.0}}))
    own = "<p>The lock of Alrewas has a beam and a keeper.</p>"
    first = post(step, "posts/alrewas/", "Lock at Alrewas", own)
    for number, (place, word) in enumerate(zip(PLACES[1:5], WORDS[1:5], strict=True)):
        post(step, f"posts/{number}", f"Lock at {place}", f"<p>{place} lock and its {word}.</p>")
    again = post(step, "posts/alrewas/index.html", "Lock at Alrewas", own)
    assert again.record.text != first.record.text  # what all pages say is left out by now
    assert again.record.duplicate_of == url_key(f"{SITE}/posts/alrewas/")


def goods(first: int, count: int = 6) -> str:
    """Return some of forty paragraphs that are shown side by side."""
    draw = random.Random(1)
    texts = [f"<p>A lock {' '.join(draw.choices(WORDS + PLACES, k=15))}.</p>" for _ in range(40)]
    return "".join(random.Random(first).sample(texts, count))


def test_pages_put_together_from_earlier_ones_under_their_title_make_their_folder_wait() -> None:
    step = new_step()
    for number in range(30):
        result = post(step, f"shop/{number}", "Parts of a lock", goods(number))
    assert result.settlement.event is not None
    assert result.settlement.event.repeats
    assert "mostly repeat others" in step.budgets.held_back(f"{SITE}/shop/next", "canal.example")


def test_posts_that_a_list_had_before_do_not_make_their_folder_wait() -> None:
    step = new_step()
    for number in range(20):
        post(step, f"list/{number}", "Parts of a lock", goods(number))
    for number, place in enumerate(PLACES):
        post(step, f"posts/{number}", f"Parts for {place}", goods(number, 2))
    assert not step.budgets.held_back(f"{SITE}/posts/next", "canal.example")
