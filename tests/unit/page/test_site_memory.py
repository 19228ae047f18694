"""What a host repeats is told from what a page says: site memory."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.own import own_title, title_pieces
from focuscrawl.page.site import LEAST_PAGES, WINDOW, SiteMemory
from focuscrawl.text.tokenize import make_tokenizer

TOKENIZER = make_tokenizer("en")
MENU = "<ul><li><a href=/diet>Diet and nutrition</a></li><li><a href=/sleep>Sleep</a></li></ul>"
FOOTER = "<div>Entries since 2009, feed updated {number} times. All recipes tested.</div>"


def page_of(
    number: int, *, body: str = "", tags: str = "", menu: str = MENU, host: str = "blog.example"
) -> PageAnalysis:
    body = body or f"Own story {word(number)} about {word(number + 500)} and {word(number + 900)}."
    html = (
        f"<title>Story {word(number)} » Blog Archive » The Nutrition Blog</title>"
        f"<div id=x>{menu}</div><article><h1>Story {word(number)}</h1><p>{body}</p>"
        f"<p class=meta>Filed under: {tags}</p></article>{FOOTER.format(number=number)}"
    )
    return analyse(html.encode(), f"http://{host}/p{number}", tokenizer=TOKENIZER)


def word(number: int) -> str:
    return "w" + "".join(chr(97 + int(digit)) for digit in str(number))


def filled(pages: int = 10) -> SiteMemory:
    sites = SiteMemory(TOKENIZER)
    for number in range(pages):
        sites.own(page_of(number, tags="<a href=/t1>cooking</a>" if number % 2 else "<a href=/t2>running</a>"))
    return sites


def test_menu_footer_and_site_name_are_no_words_of_the_page() -> None:
    page = page_of(50, tags="<a href=/t1>cooking</a>")
    view = filled().own(page)
    assert {"nutrition", "sleep", "recipe"} <= set(page.tokens)
    assert not {"nutrition", "sleep", "recipe"} & {*view.tokens, *view.content_tokens, *view.title_tokens}
    assert {"nutrition", "sleep", "recipe"} <= set(view.site_wide.tokens)
    assert view.site_wide.known
    assert view.site_wide.title == ("Blog Archive", "The Nutrition Blog")
    assert word(50) in view.title_tokens
    assert word(50) in view.content_tokens


def test_a_tag_that_half_of_the_pages_have_stays_the_author_s_word() -> None:
    view = filled().own(page_of(50, tags="<a href=/t1>cooking</a>"))
    assert "cooking" in view.tokens


def test_keywords_that_most_pages_declare_are_the_sites() -> None:
    def page(number: int, words: str) -> PageAnalysis:
        html = f"<title>Story {word(number)}</title><meta name=keywords content='{words}'><p>Own {word(number)}</p>"
        return analyse(html.encode(), f"http://blog.example/p{number}", tokenizer=TOKENIZER)

    sites = SiteMemory(TOKENIZER)
    told = [sites.own(page(number, "diet, sleep")).site_wide.keywords for number in range(LEAST_PAGES + 1)]
    assert told == [*([False] * (LEAST_PAGES - 1)), True, True]
    assert not sites.own(page(40, "diet, running")).site_wide.keywords
    assert not sites.own(page(41, "")).site_wide.keywords
    others = SiteMemory(TOKENIZER)
    for number in range(20):
        others.own(page(number, f"diet, {word(number)}"))
    assert not any(others.own(page(number, "diet, tea")).site_wide.keywords for number in range(50, 60))


def test_a_description_that_most_pages_declare_is_the_sites() -> None:
    def page(number: int, said: str) -> PageAnalysis:
        html = f"<title>Story {word(number)}</title><meta name=description content='{said}'><p>Own {word(number)}</p>"
        return analyse(html.encode(), f"http://blog.example/p{number}", tokenizer=TOKENIZER)

    sites = SiteMemory(TOKENIZER)
    told = [sites.own(page(number, "Recipes and news")).site_wide.description for number in range(LEAST_PAGES + 1)]
    assert told == [*([False] * (LEAST_PAGES - 1)), True, True]
    assert not sites.own(page(40, "How to bake bread")).site_wide.description
    assert not sites.own(page(41, "")).site_wide.description


def test_a_site_wide_link_is_named() -> None:
    view = filled().own(page_of(50))
    by_url = {link.url: link.key for link in view.links}
    assert {by_url["http://blog.example/diet"], by_url["http://blog.example/sleep"]} <= view.site_wide.links


def test_the_first_pages_of_a_host_keep_their_words() -> None:
    sites = SiteMemory(TOKENIZER)
    for number in range(LEAST_PAGES - 1):
        view = sites.own(page_of(number))
        assert "nutrition" in view.tokens
        assert not view.site_wide.known


def test_the_site_name_is_told_on_the_first_page_by_the_link_to_the_front_page() -> None:
    page = page_of(1, menu="<a href=/>The Nutrition Blog</a>")
    view = SiteMemory(TOKENIZER).own(page)
    assert "nutrition" in page.title_tokens
    assert "nutrition" not in view.title_tokens


@pytest.mark.parametrize(
    ("block", "own"),
    [
        ("<div>From The Nutrition Blog</div>", False),
        ("<p>Welcome to The Nutrition Blog</p>", False),
        ("<p>What The Nutrition Blog says of bread</p>", True),
        ("<h2>The Nutrition Blog</h2>", True),
        ("<div>Nutrition</div>", True),
    ],
)
def test_a_block_that_only_names_the_site_is_the_sites(block: str, own: bool) -> None:
    menu = f"<a href=/>The Nutrition Blog</a></div>{block}<div>"
    view = SiteMemory(TOKENIZER).own(page_of(1, menu=menu))
    assert ("nutrition" in view.content_tokens) is own
    assert "nutrition" in view.site_wide.tokens


@pytest.mark.parametrize("mark", ["Re: ", "RE: Re: ", "AW: ", "回复："])
def test_the_mark_of_a_reply_is_no_name_of_the_site(mark: str) -> None:
    sites = SiteMemory(TOKENIZER)
    for number in range(LEAST_PAGES + 3):
        html = f"<title>{mark}Story {word(number)} - My list</title><p>Own story {word(number + 500)}.</p>"
        view = sites.own(analyse(html.encode(), f"http://e.org/{number}", tokenizer=TOKENIZER))
    assert view.site_wide.title == ("My list",)
    assert own_title(view.title, view.site_wide.title) == f"{mark}Story {word(LEAST_PAGES + 2)}"


def test_the_site_name_stays_told_when_older_counts_fade() -> None:
    sites = SiteMemory(TOKENIZER)
    untold = []
    for number in range(3 * WINDOW):
        named = number % WINDOW != 17  # one title without the name leaves an odd count to halve
        title = f"Story {word(number)} - My garden" if named else f"A page {word(number)}"
        page = analyse(f"<title>{title}</title><p>x</p>".encode(), f"http://e.org/{number}", tokenizer=TOKENIZER)
        if "My garden" not in sites.own(page).site_wide.title and named and number > LEAST_PAGES:
            untold.append(number)
    assert untold == []


def test_pages_with_many_links_and_blocks_of_their_own_are_not_taken_for_one_page() -> None:
    sites = SiteMemory(TOKENIZER)
    taken = []
    for number in range(WINDOW):
        own = "".join(f"<p><a href=/{number}/{n}>{word(number)} {word(n)} {word(1000 + n)}</a></p>" for n in range(250))
        if sites.own(page_of(number, body=own)).site_wide.repeated:
            taken.append(number)
    assert taken == []


def test_a_title_is_a_pages_own_until_another_page_has_it() -> None:
    sites = SiteMemory(TOKENIZER)
    titles = ["Beihai", "Guilin", "Beihai", "", "Guilin by night", "Day 2", "Day 3", "Day 2"]
    pages = [analyse(f"<title>{title}</title><p>x".encode(), "http://e.org/a", tokenizer=TOKENIZER) for title in titles]
    assert [sites.own(page).site_wide.titled for page in pages] == [True, True, False, False, True, True, True, False]
    assert [sites.own_again(page).site_wide.titled for page in pages[:2]] == [False, True]


def test_titles_of_pages_with_many_links_and_blocks_are_told_apart() -> None:
    sites = SiteMemory(TOKENIZER)
    body = "".join(f"<p><a href=/{n}>{word(n)} {word(1000 + n)}</a></p>" for n in range(250))
    views = [sites.own(page_of(number, body=f"{word(number)} {body}")) for number in range(WINDOW)]
    assert sum(view.site_wide.titled for view in views) >= WINDOW - 3


def test_a_host_whose_pages_are_all_different_keeps_all() -> None:
    sites = SiteMemory(TOKENIZER)
    draw = random.Random(5)
    for number in range(300):
        body = "".join(f"<p>{' '.join(word(draw.randrange(10**9)) for _ in range(6))}</p>" for _ in range(60))
        title = word(draw.randrange(10**9))
        page = analyse(
            f"<title>{title}</title><main>{body}</main>".encode(), f"http://u.example/{number}", tokenizer=TOKENIZER
        )
        assert sites.own(page).tokens == page.tokens


def test_a_host_whose_pages_are_all_the_same_has_nothing_of_its_own() -> None:
    sites = SiteMemory(TOKENIZER)
    html = b"<title>Not found</title><p>The page is not there, go back to the recipes.</p>"
    views = [sites.own(analyse(html, f"http://s.example/{n}", tokenizer=TOKENIZER)) for n in range(5)]
    assert views[0].tokens
    assert views[-1].tokens == views[-1].content_tokens == views[-1].title_tokens == ()


def test_another_template_is_learned_half_way() -> None:
    sites = filled(200)
    other = "<nav><a href=/new>Gardening offers</a></nav>"
    views = [sites.own(page_of(1000 + number, menu=other)) for number in range(WINDOW)]
    assert "gardening" in views[0].tokens
    assert "gardening" not in views[-1].tokens


def test_spam_in_a_menu_that_changes_on_every_page_is_own_and_no_more_than_that() -> None:
    sites = filled()
    view = sites.own(page_of(50, menu="<ul><li><a href=/x>Nutrition nutrition qqq</a></li></ul>"))
    assert "nutrition" in view.tokens  # nothing tells it from a text of the page


def test_hosts_do_not_mix_and_the_least_recent_is_forgotten() -> None:
    sites = SiteMemory(TOKENIZER, max_hosts=2)
    for number in range(5):
        sites.own(page_of(number, host="a.example"))
        sites.own(page_of(number, host="b.example"))
    assert "nutrition" not in sites.own(page_of(9, host="a.example")).tokens
    sites.own(page_of(1, host="c.example"))  # in the place of b
    assert "nutrition" not in sites.own(page_of(10, host="a.example")).tokens
    assert "nutrition" in sites.own(page_of(9, host="b.example")).tokens


def test_a_hundred_thousand_hosts_take_bounded_state() -> None:
    sites = SiteMemory(TOKENIZER, max_hosts=20)
    page = page_of(1)
    for number in range(500):
        for again in range(LEAST_PAGES):
            sites.own(analyse(b"<p>few words %d</p>" % again, f"http://h{number}.example/", tokenizer=TOKENIZER))
    assert page.tokens
    states = sites.changed()
    assert set(states) <= set(range(20))
    assert len(states) == 20


def test_the_state_goes_on_where_it_was() -> None:
    sites = filled()
    states = sites.changed()
    assert len(states) == 1
    assert len(str(states)) < 20_000
    assert sites.changed() == {}
    again = SiteMemory(TOKENIZER)
    again.restore(states)
    page = page_of(50, tags="<a href=/t1>cooking</a>")
    assert again.own(page) == sites.own(page)


def test_no_host_takes_the_place_of_another_when_a_run_goes_on() -> None:
    """Hosts of few pages are not saved, so that numbers of saved hosts have gaps."""
    saved: dict[int, Mapping[str, object]] = {}
    sites = SiteMemory(TOKENIZER)
    sites.own(page_of(1, host="few.example"))
    for host in ("a.example", "b.example", "c.example"):
        for number in range(5):
            sites.own(page_of(number, host=host))
        saved |= sites.changed()
        sites = SiteMemory(TOKENIZER)
        sites.restore(saved)
    for host in ("a.example", "b.example", "c.example"):
        assert "nutrition" not in sites.own(page_of(9, host=host)).tokens


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"host": "blog.example", "pages": 9, "texts": 0, "counts": "no base64!"},
        {"host": "blog.example", "pages": 9, "texts": 0, "counts": "AAAA"},
        {"host": "blog.example", "pages": -1, "texts": 0, "counts": ""},
        {"host": 5, "pages": 9, "texts": 0, "counts": ""},
    ],
)
def test_damaged_state_is_left_alone(state: dict[str, object]) -> None:
    sites = SiteMemory(TOKENIZER)
    sites.restore({0: state})
    assert "nutrition" in sites.own(page_of(1)).tokens


TEXT = """{story}

This entry was posted on {day}, 2009 at 6:30 am and is filed under {tag}. Both comments and pings are closed.

Share this"""


def test_lines_of_the_site_leave_a_text() -> None:
    sites = SiteMemory(TOKENIZER)
    texts = [
        sites.own_text(
            "blog.example",
            TEXT.format(
                story=f"A story of {word(n)} and {word(n + 70)}.", day=f"March {n}th", tag=f"{word(n + 300)} tips"
            ),
        )[0]
        for n in range(6)
    ]
    assert "posted on" in texts[0]
    assert texts[-1] == f"A story of {word(5)} and {word(75)}."


def test_a_paragraph_that_only_begins_as_others_do_stays() -> None:
    sites = SiteMemory(TOKENIZER)
    texts = [
        sites.own_text(
            "pod.example", f"Welcome to the show about lighthouses, today with {word(n)} and {word(n + 60)}"
        )[0]
        for n in range(6)
    ]
    assert texts[-1].startswith("Welcome to the show")


def test_headings_of_a_template_stay_between_the_lines_of_a_text() -> None:
    sites = SiteMemory(TOKENIZER)
    texts = [
        sites.own_text(
            "r.example", f"A cake of {word(n)}.\n\nIngredients\n\n{word(n + 50)} and {word(n + 80)} and sugar"
        )[0]
        for n in range(6)
    ]
    assert "Ingredients" in texts[-1]


def test_the_head_of_a_table_stays_above_its_rows() -> None:
    sites = SiteMemory(TOKENIZER)
    head = "name of the stock | first price | last price | change of the day"
    texts = [
        sites.own_text(
            "stocks.example",
            f"Home of all | our many | good pages\n\n{word(n + 90)}\n\n{head}\n\n{word(n)} | 1 | 2 | 3",
        )[0]
        for n in range(6)
    ]
    assert texts[-1] == f"{word(95)}\n\n{head}\n\n{word(5)} | 1 | 2 | 3"


def test_a_text_that_the_site_repeats_as_a_whole_is_none() -> None:
    sites = SiteMemory(TOKENIZER)
    texts = [sites.own_text("s.example", "Sorry, this page has moved to another place.")[0] for _ in range(4)]
    assert texts[0]
    assert texts[-1] == ""


def test_lines_met_once_stay_beside_books_that_fill_the_memory_of_their_host() -> None:
    sites = SiteMemory(TOKENIZER)
    for book in range(3):
        lines = [f"Verse {word(book)} {word(n)} {word(n // 60)} of the tide" for n in range(4000)]
        sites.own_text("books.example", "\n".join([*lines, "Share this page with your friends now"]))
    story = [f"The keeper of {word(n)} went down to {word(n + 70)} at night." for n in range(50)]
    own, *_ = sites.own_text("books.example", "\n".join([*story, "Share this page with your friends now"]))
    assert own.split("\n") == story


def test_paragraphs_of_long_essays_stay_though_all_cells_are_full() -> None:
    sites = SiteMemory(TOKENIZER)
    draw = random.Random(7)
    for _ in range(30):
        essay = "\n\n".join(" ".join(word(draw.randrange(5000)) for _ in range(9)) for _ in range(400))
        assert sites.own_text("essays.example", essay).text == essay


def test_a_line_that_many_lists_have_stays_between_their_others() -> None:
    sites = SiteMemory(TOKENIZER)
    oil, share = "3 tablespoons of olive oil", "Share this recipe with your friends"
    texts = [
        sites.own_text("r.example", f"{word(n)} for four\n{oil}\n{word(n + 50)} in slices\n\n{share}").text
        for n in range(6)
    ]
    assert texts[-1] == f"{word(5)} for four\n{oil}\n{word(55)} in slices"


def test_a_text_that_is_not_noted_takes_no_line_from_others() -> None:
    sites = SiteMemory(TOKENIZER)
    story = [f"The keeper of {word(n)} went down to the lamp." for n in range(4)]
    for _ in range(4):
        sites.own_text("blog.example", "\n".join(story[:2]), again=True)
    assert sites.own_text("blog.example", "\n".join(story))[0] == "\n".join(story)


def test_the_share_of_a_text_that_earlier_pages_had_is_told() -> None:
    sites = SiteMemory(TOKENIZER)
    first, second, third = (f"The keeper of {word(n)} went down to {word(n + 70)} at night." for n in range(3))
    assert sites.own_text("shop.example", f"{first}\n{second}").known_share == 0.0
    assert sites.own_text("shop.example", f"{second}\n{first}").known_share > 0.9
    assert 0.4 < sites.own_text("shop.example", f"{third}\n{first}").known_share < 0.6
    assert sites.own_text("shop.example", f"{third}\n{second}", again=True).known_share > 0.9
    assert sites.own_text("other.example", first).known_share == 0.0


def test_a_line_that_repeats_but_for_the_words_of_the_address_leaves_a_text() -> None:
    sites = SiteMemory(TOKENIZER)
    texts = [
        sites.own_text(
            "s.example",
            f"Nothing on {word(n)} {word(n + 9)} was found. Ask the keeper, or try another word than {word(n)}.",
            url=f"http://s.example/search/{word(n)}-{word(n + 9)}",
        ).text
        for n in range(4)
    ]
    assert texts[0]
    assert texts[-1] == ""


def test_a_short_line_with_words_of_the_address_stays() -> None:
    sites = SiteMemory(TOKENIZER)
    texts = [
        sites.own_text("p.example", f"A picture of {word(n)} by the sea", url=f"http://p.example/{word(n)}").text
        for n in range(6)
    ]
    assert all(texts)


def test_words_of_an_own_text_are_those_of_its_lines() -> None:
    sites = SiteMemory(TOKENIZER)
    for n in range(6):
        own, words, _ = sites.own_text(
            "blog.example",
            f"Lighthouses of {word(n)}: 红茶艺术\n国际象棋的{word(n + 9)}\n\n\n\n"
            + "Share this page with your friends now",
        )
        assert words == TOKENIZER.tokens(own)
    assert "friends" not in words
    assert "红茶" in "".join(words)


@pytest.mark.parametrize(
    ("title", "pieces"),
    [
        ("Tea » Blog Archive » The site", ["Tea", "Blog Archive", "The site"]),
        ("喀什旅行-某某的博客", ["喀什旅行", "某某的博客"]),
        ("A well-known 3-2 win | News", ["A well-known 3-2 win", "News"]),
        ("", []),
    ],
)
def test_title_pieces(title: str, pieces: list[str]) -> None:
    assert title_pieces(title) == pieces


def test_own_title() -> None:
    assert own_title("Tea » Blog Archive » The site", {"Blog Archive", "The site"}) == "Tea"
    assert own_title("The site: Tea - and sleep", {"The site"}) == "Tea - and sleep"
    assert own_title("The site", {"The site"}) == "The site"
