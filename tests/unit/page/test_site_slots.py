"""The author's word on a page is no menu, however many of the fetched pages share it: a crawl fetches what is alike."""

from __future__ import annotations

import pytest

from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.site import SiteMemory
from focuscrawl.page.tags import tag_words
from focuscrawl.text.tokenize import make_tokenizer

TOKENIZER = make_tokenizer("en")
MENU = "".join(f"<li><a href=/m{n}>{name}</a></li>" for n, name in enumerate(("Home", "Garden", "Shop", "Forum", "Us")))
STORIES = 40


def word(number: int) -> str:
    return "w" + "".join(chr(97 + int(digit)) for digit in str(number))


def story(number: int, tags: str, *, menu: str = MENU, title: str = "", heading: str = "") -> PageAnalysis:
    html = (
        f"<title>{title or word(number)}</title><div><ul>{menu}</ul></div>"
        f"<div><h1>{heading or 'Story ' + word(number)}</h1>"
        f"<p>Own text of {word(number)} about {word(number + 500)}, {word(number + 900)}.</p>{tags}</div>"
    )
    return analyse(html.encode(), f"http://blog.example/p{number}", tokenizer=TOKENIZER)


def last_view(pages: list[PageAnalysis]) -> PageAnalysis:
    sites = SiteMemory(TOKENIZER)
    return [sites.own(page) for page in pages][-1]


def category(name: str) -> str:
    return f"<p>Filed under <a href=/c/{name}>{name}</a></p>"


@pytest.mark.parametrize("focus", [0.5, 0.9, 0.95])
def test_a_category_is_the_author_s_word_whatever_share_of_the_crawl_has_it(focus: float) -> None:
    others = round(STORIES * (1 - focus))
    pages = [story(n, category("sleep" if n < others else "nutrition")) for n in range(STORIES)]
    view = last_view(pages)
    assert "nutrition" in view.tokens
    assert "garden" not in view.tokens


def test_tags_vary_so_a_common_one_is_none_of_the_site() -> None:
    pages = [
        story(n, "".join(f"<div><a href=/c/{t}>{t}</a></div>" for t in ("nutrition", word(n + 70), word(n + 80))))
        for n in range(STORIES)
    ]
    assert "nutrition" in last_view(pages).tokens


def test_a_marked_tag_is_the_author_s_word_even_on_all_pages() -> None:
    marked = "<p>Filed under <a rel='category tag' href=/c/9>nutrition</a></p>"
    assert "nutrition" in last_view([story(n, marked) for n in range(STORIES)]).tokens
    address = "<p>Filed under <a href=/category/9>nutrition</a></p>"
    assert "nutrition" in last_view([story(n, address) for n in range(STORIES)]).tokens
    neither = "<p>See our <a href=/9>nutrition</a></p>"
    assert "nutrition" not in last_view([story(n, neither) for n in range(STORIES)]).tokens


def test_the_tags_of_a_post_are_not_the_cloud_of_all_tags() -> None:
    names = ["nutrition", *map(word, range(2000, 2020))]
    cloud = "".join(f"<li><a href=/t/{name} rel=tag>{name}</a></li>" for name in names)
    pages = [
        story(
            n,
            f"<ul><li><a href=/t/nutrition rel=tag>nutrition</a></li><li><a href=/t/{word(2000 + n % 20)} rel=tag>"
            f"{word(2000 + n % 20)}</a></li></ul>",
            menu=cloud,
        )
        for n in range(STORIES)
    ]
    view = last_view(pages)
    assert view.tokens.count("nutrition") == 1
    assert word(2011) not in view.tokens
    untagged = last_view([*pages, story(99, "", menu=cloud)])
    assert "nutrition" not in untagged.tokens


@pytest.mark.parametrize("tags_of_the_site", [6, 9])
def test_a_small_cloud_of_unmarked_tags_is_the_site_s(tags_of_the_site: int) -> None:
    names = [word(2000 + number) for number in range(tags_of_the_site)]
    cloud = "<p>" + " ".join(f"<a href=/tag/{name}>{name}</a>" for name in names) + "</p>"
    pages = []
    for n in range(STORIES):
        own = (names[n % len(names)], names[(n + 2) % len(names)])
        marked = ", ".join(f"<a href=/tag/{name} rel=tag>{name}</a>" for name in own)
        pages.append(story(n, f"<span>Tagged {marked}</span></div><aside>{cloud}</aside><div>"))
    view = last_view(pages)
    assert sorted(tag_words(view)) == sorted(own)
    assert [view.tokens.count(name) for name in names] == [int(name in own) for name in names]
    assert sorted(tag_words(pages[0])) == sorted([names[0], names[2]])


def test_a_short_list_of_categories_with_their_numbers_of_pages_is_the_site_s() -> None:
    names = [word(2000), word(2001), word(2002)]
    items = "".join(f"<li><a href='/?cat={n}'>{name}</a> ({n + 20})</li>" for n, name in enumerate(names))
    pages = [
        story(
            n,
            f"<span>In <a href='/?cat={n % 3}' rel='category tag'>{names[n % 3]}</a></span></div>"
            f"<aside><ul>{items}</ul></aside><div>",
        )
        for n in range(STORIES)
    ]
    view = last_view(pages)
    assert tag_words(view) == tag_words(pages[-1]) == (names[(STORIES - 1) % 3],)
    assert [view.tokens.count(name) for name in names] == [1, 0, 0]


def test_a_heading_that_a_menu_has_too_stays() -> None:
    view = last_view([story(n, "", heading="Garden" if n == STORIES - 1 else "") for n in range(STORIES)])
    assert view.heading_tokens == ("garden",)


def test_headings_that_differ_in_a_number_are_own() -> None:
    view = last_view([story(n, "", heading=f"Bed {n}") for n in range(STORIES)])
    assert view.heading_tokens == ("bed", str(STORIES - 1))


def test_a_menu_that_grows_is_still_the_menu() -> None:
    archives = [f"<li><a href=/{n}>{word(2000 + n)}</a></li>" for n in range(20)]
    pages = [story(n, "", menu=MENU + "".join(archives[: 15 + n % 5])) for n in range(STORIES)]
    view = last_view(pages)
    assert "garden" not in view.tokens
    assert word(2000) not in view.tokens


def test_a_short_menu_below_an_entry_of_a_menu_is_the_site_s() -> None:
    below = "<ul><li><a href=/category/nutrition>nutrition</a></li></ul>"
    menu = MENU.replace("Garden</a>", f"Garden</a>{below}")
    assert "nutrition" not in last_view([story(n, "", menu=menu) for n in range(STORIES)]).tokens


@pytest.mark.parametrize("focus", [0.5, 0.9, 0.95])
def test_a_category_in_the_title_stays_whatever_share_of_the_crawl_has_it(focus: float) -> None:
    others = round(STORIES * (1 - focus))
    view = last_view(
        [story(n, "", title=f"{word(n)} - {'Sleep' if n < others else 'Nutrition'} - The Site") for n in range(STORIES)]
    )
    assert view.title_tokens == (word(STORIES - 1), "nutrition")
    assert view.site_wide.title == ("The Site",)


def test_what_a_few_titles_begin_with_is_the_name_of_a_series() -> None:
    titles = [f"Backyard observatory - {word(n)}" if n % 4 == 3 else word(n) for n in range(STORIES)]
    view = last_view([story(n, "", title=title) for n, title in enumerate(titles)])
    assert view.title_tokens == ("backyard", "observatory", word(STORIES - 1))
    named = [f"My garden - {word(n)}" if n % 4 else word(n) for n in range(STORIES)]
    assert last_view([story(n, "", title=title) for n, title in enumerate(named)]).title_tokens == (word(STORIES - 1),)


def test_the_name_of_a_section_stays_in_the_title_on_all_its_pages() -> None:
    view = last_view([story(n, "", title=f"{word(n)} - Garden - The Site") for n in range(STORIES)])
    assert view.title_tokens == (word(STORIES - 1), "garden")


def test_titles_without_the_site_s_name_do_not_save_it_on_the_others() -> None:
    names = [word(n) if n % 5 == 0 else f"{word(n)} - The Site" for n in range(STORIES)]
    assert last_view([story(n, "", title=name) for n, name in enumerate(names)]).title_tokens == (word(STORIES - 1),)


def test_what_stands_before_the_titles_of_posts_goes_though_most_pages_are_no_posts() -> None:
    names = [f"The Site » {word(n)}" if n < STORIES - 10 else f"The Site » Blog Archive » {word(n % 3)}"
             for n in range(STORIES)]  # fmt: skip
    view = last_view([story(n, "", title=name) for n, name in enumerate(names)])
    assert view.site_wide.title == ("The Site", "Blog Archive")
    assert view.title_tokens == (word((STORIES - 1) % 3),)


def test_tags_by_the_dozen_on_every_page_are_no_word_of_an_author() -> None:
    spam = "".join(f"<a rel=tag href=/tag/{n}>{name}</a> " for n, name in enumerate(map(word, range(2000, 2012))))
    assert word(2003) not in last_view([story(n, f"<p>{spam}</p>") for n in range(STORIES)]).tokens
