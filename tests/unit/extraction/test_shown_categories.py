from __future__ import annotations

import pytest
from cpu_kit import cpu_limit

from focuscrawl.extraction.fields import page_fields
from focuscrawl.extraction.shown_categories import Shown, shown_categories
from focuscrawl.page.analysis import analyse
from focuscrawl.page.tree import parse
from focuscrawl.text.tokenize import make_tokenizer

MENU = '<nav><a href="/category/water/">Water</a> <a href="/category/tools/">Tools</a></nav>'
TEXT = "<p>The lower gate of the lock is closed for repairs until the end of May.</p>"


def shown(html: str) -> Shown:
    tree = parse(f"<body>{html}</body>")
    assert tree is not None
    return shown_categories(tree)


def category(html: str) -> str | None:
    return page_fields(analyse(html.encode(), "http://a.example/gate", tokenizer=make_tokenizer("words"))).category


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            'Posted in <a href="/c/1" rel="category tag">Locks</a>, <a href="/c/2" rel="category tag">Gates</a>',
            ("Locks", "Gates"),
        ),
        ('<span class="post-meta-categories"><a href="/categories/locks/">Locks</a></span>', ("Locks",)),
        ('<span class="meta">2021-03-04 <a href="/categories/locks/">Locks</a></span>', ("Locks",)),
        ('<span>分类于</span> <span><a href="/categories/%E9%97%B8/"><span>闸</span></a></span>', ("闸",)),
        ('<i>In</i> <a href="/?cat=4">Locks</a>', ("Locks",)),
        ('<div id="breadcrumb"><a href="/">首页</a> › <a href="/分类/闸/">闸</a></div>', ("闸",)),
        ('<nav class="breadcrumbs"><a href="/">Home</a> <a href="/category/locks/">Locks</a></nav>', ("Locks",)),
        ('<span class="category"><a href="/category/uncategorized/">Uncategorized</a></span>', ()),
        ('See <a href="/category/locks/">all that we wrote of locks</a>', ()),
    ],
)
def test_categories_near_the_text_are_those_of_the_page(line: str, expected: tuple[str, ...]) -> None:
    assert shown(f"{MENU}<article><h1>The gate</h1><div>{line}</div>{TEXT}</article>").categories == expected


@pytest.mark.parametrize(
    ("label", "address", "expected"),
    [
        ("Categories", "/wiki/Category:", ("Locks", "Gates")),
        ("分类", "/index.php/%E5%88%86%E7%B1%BB:", ("Locks", "Gates")),
        ("分類", "/index.php?title=分類:", ("Locks", "Gates")),
        ("Hidden categories", "/wiki/Category:", ()),
        ("隐藏分类", "/wiki/Category:", ()),
        ("Categories", "/wiki/Categorical:", ()),
    ],
)
def test_categories_below_the_article_of_a_wiki_are_those_of_the_page(
    label: str, address: str, expected: tuple[str, ...]
) -> None:
    names = "".join(f'<li><a href="{address}{name}">{name}</a></li>' for name in ("Locks", "Gates"))
    below = f'<div id="catlinks"><div><a href="/wiki/Special:All">{label}</a>：\u200b<ul>{names}</ul></div></div>'

    assert shown(f"<h1>The gate</h1><div>{TEXT}</div>{below}").categories == expected


def test_a_block_that_holds_the_title_is_no_menu_whatever_its_name() -> None:
    line = '<p class="category"><a href="/category/locks/">Locks</a></p>'

    assert shown(f'<div class="menu-left"><h1>The gate</h1>{line}{TEXT}</div>').categories == ("Locks",)


@pytest.mark.parametrize(
    "block",
    [
        '<div class="menu category"><a href="/category/locks/">Locks</a></div>',
        '<header><p class="categories"><a href="/category/locks/">Locks</a></p></header>',
        '<div class="sidebar"><p class="category"><a href="/category/locks/">Locks</a></p></div>',
        '<div class="widget widget_categories"><a href="/category/locks/">Locks</a></div>',
        '<ul class="category-list"><li><a href="/category/locks/">Locks</a><span>12</span></li></ul>',
        '<ul class="category-list"><li><a href="/category/locks/">Locks</a> (12)</li></ul>',
        '<p class="category"><a href="/category/locks/">Locks</a> <a href="/category/locks/rss">(rss)</a></p>',
        '<footer><p class="category"><a href="/category/locks/">Locks</a></p></footer>',
    ],
)
def test_categories_of_the_site_are_not_those_of_the_page(block: str) -> None:
    assert shown(f"<article><h1>The gate</h1>{TEXT}</article>{block}").categories == ()


def test_a_list_of_all_categories_is_the_sites() -> None:
    links = "".join(f'<a href="/category/{n}/">Lock {n}</a> ' for n in range(40))

    assert shown(f'<article><h1>The gate</h1>{TEXT}</article><div class="categories">{links}</div>').categories == ()


def test_categories_with_the_number_of_their_posts_are_the_sites() -> None:
    links = "".join(
        f'<a href="/categories/{name}/"><span>{name}</span> <span class="num">{n}</span></a>'
        for n, name in enumerate(("Lock", "Oak", "Mill"), start=9)
    )
    block = f'<div class="categories">{links}</div>'
    assert shown(f"<article><h1>The gate</h1>{TEXT}</article>{block}").categories == ()
    for name in ("Lock 9", "2024"):
        own = f'<a href="/categories/lock/"><i class="icon"></i><span>{name}</span></a>'
        page = f'<article><h1>The gate</h1>{TEXT}<p class="category">{own}</p></article>'
        assert shown(page).categories == (name,)


def test_posts_in_a_list_have_their_categories_each_and_the_page_none() -> None:
    posts = "".join(
        f'<div class="post"><h2><a href="/{n}">Post {n}</a></h2>{TEXT}'
        f'<p class="category"><a href="/category/{n}/" rel="category">Lock {n}</a></p></div>'
        for n in range(5)
    )

    assert shown(posts).categories == ()


def test_tags_are_told_from_categories() -> None:
    line = '<a href="/category/locks/" rel="tag">Locks</a> <a href="/tag/oak/" rel="tag"># Oak</a>'

    found = shown(f'<article><h1>The gate</h1>{TEXT}<p class="post-meta">{line} <a href="/tags/">all</a></p></article>')

    assert found == Shown(("Locks",), ("Oak",))


def test_a_declared_category_comes_first() -> None:
    line = '<p class="category"><a href="/category/locks/">Locks</a>, <a href="/category/oak/">Oak</a></p>'
    page = f"<article><h1>The gate</h1>{line}{TEXT}</article>"

    assert category(page) == "Locks, Oak"
    assert category(f'<meta property="article:section" content="Water">{page}') == "Water"


def test_thousands_of_links_to_categories_are_looked_through_quickly() -> None:
    name = "x" * 50  # too long for a category
    link = f'<div><div><p><a rel="category tag" href="/category/{{}}/">{name}</a> text</p></div></div>'
    with cpu_limit(1.0):
        assert shown("".join(link.format(n) for n in range(3_000))) == Shown()


def test_a_list_marked_as_that_of_the_keywords_is_one_wherever_it_stands() -> None:
    """Nikola has it in the menu that leads to the next post, with addresses like those of categories."""
    tags = "<li><a href='/categories/gates/' rel=tag>gates</a></li><li><a href='/categories/oak/' rel=tag>oak</a></li>"
    menu = f"<aside><nav><ul itemprop=keywords>{tags}</ul><a href='/next/' rel=next>Next post</a></nav></aside>"
    assert shown(f"<article><h1>The gate</h1>{TEXT}{menu}</article>") == Shown((), ("gates", "oak"))
    plain = menu.replace(" itemprop=keywords", "")
    assert shown(f"<article><h1>The gate</h1>{TEXT}{plain}</article>") == Shown()
