"""Main content as Markdown: written by hand, and read back by another program."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html
from markdown_it import MarkdownIt

from focuscrawl.extraction.markdown import to_markdown
from focuscrawl.extraction.rendering import render
from focuscrawl.extraction.segments import tree_lines
from focuscrawl.page.tree import parse

URL = "https://example.org/a/page.html"


def markdown(page: str, *, text: str | None = None, url: str = URL) -> str:
    """Return the Markdown of `text`, of all text of the page by default."""
    tree = parse(f"<body>{page}</body>")
    assert tree is not None
    found = tree.once(tree_lines)
    return to_markdown(render(found, range(len(found.lines))) if text is None else text, tree, url)


def read_back(text: str) -> Any:
    """Return a tree of what another program makes of Markdown."""
    return lxml_html.fromstring(f"<div>{MarkdownIt('commonmark').enable('table').render(text)}</div>")


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        ("<h1>Tea</h1><p>Green tea.</p><h3>Leaf</h3><p>Black.</p>", "# Tea\n\nGreen tea.\n\n### Leaf\n\nBlack."),
        ("<ul><li>one<li>two</ul>", "- one\n- two"),
        ("<ol start=3><li>three<li>four</ol>", "3. three\n4. four"),
        ("<ul><li>one<ul><li>in<li>ner</ul><li>two</ul>", "- one\n  - in\n  - ner\n- two"),
        ("<ol><li><p>one</p><p>more</p><li>two</ol>", "1. one\n\n   more\n2. two"),
        ("<blockquote><p>said</p><p>more</p></blockquote><p>x</p>", "> said\n>\n> more\n\nx"),
        ("<p>see <a href='../b'>the <b>other</b> page</a>.</p>", "see [the **other** page](https://example.org/b)."),
        ("<p><a href='#top'>top</a> <a href='mailto:a@b'>mail</a></p>", "top mail"),
        ("<p><a href='/a_(b)'>x</a></p>", "[x](<https://example.org/a_(b)>)"),
        ("<a href='/x'><div>card</div></a>", "[card](https://example.org/x)"),
        ("<p>call <code>f(*x*)</code> or <code>a`b</code></p>", "call `f(*x*)` or ``a`b``"),
        ("<p>a <b> bold </b>word, <em>so</em></p>", "a **bold** word, *so*"),
        ("<pre class='language-python'>\nif x:\n    y = '```'\n</pre>", "````python\nif x:\n    y = '```'\n````"),
        ("<pre><code class='lang-sh'>ls</code></pre>", "```sh\nls\n```"),
        ("<p>one<br>two<br><br>three</p>", "one  \ntwo\n\nthree"),
        ("<dl><dt>tea<dd>a leaf</dl>", "**tea**\n\na leaf"),
        ("<p>1. no list</p><p># no heading</p><p>- x</p>", "1\\. no list\n\n\\# no heading\n\n\\- x"),
        ("<p>2 * 3 * 4, snake_case, _x_, &lt;b&gt;, [a]</p>", "2 \\* 3 \\* 4, snake_case, \\_x\\_, \\<b>, \\[a\\]"),
        (
            "<h2><a href='/x'>茶</a></h2><p>绿茶<strong>好</strong>。</p>",
            "## [茶](https://example.org/x)\n\n绿茶**好**。",
        ),
        (
            "<table><tr><th>a<th>b<tr><td>1 | 2<td><a href=/x>3</a></table>",
            "| a | b |\n| --- | --- |\n| 1 \\| 2 | [3](https://example.org/x) |",
        ),
        (
            "<table><tr><td>a<td>b<td>c<tr><td>1<td><td>3<tr><td colspan=2>w<td>4</table>",
            "| a | b | c |\n| --- | --- | --- |\n| 1 |  | 3 |\n| w |  | 4 |",
        ),
        ("<table><tr><td><p>only</p><tr><td>column</table>", "only\n\ncolumn"),
        (
            "<table><tr><th rowspan=2>a<th colspan=2>b<tr><th>c<th>d<tr><td rowspan=3>1<td>2<td>3<tr><td>4<td>5"
            "<tr><td>6<td>7<tr><td>8<td>9<td>10</table>",
            "| a | b |  |\n| --- | --- | --- |\n|  | c | d |\n| 1 | 2 | 3 |\n|  | 4 | 5 |\n|  | 6 | 7 |\n"
            "| 8 | 9 | 10 |",
        ),
        (
            "<table><thead><tr><th rowspan=9>a<th>b</thead><tbody><tr><td>1<td rowspan=0>2<tr><td>3<td>4</table>",
            "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |",
        ),
        (
            "<figure class='highlight python'><table><tr><td class=gutter><pre>1\n2</pre>"
            "<td class=code><pre>if x:\n    y</pre></table></figure>",
            "```python\nif x:\n    y\n```",
        ),
        (
            "<div class='language-ruby highlighter-rouge'><div class=highlight><pre class=highlight><code>x</code>"
            "</pre></div></div>",
            "```ruby\nx\n```",
        ),
        # By Shiki and Hugo.
        ("<pre class='shiki' data-language='go'><code>x</code></pre>", "```go\nx\n```"),
        ("<pre class='shiki' data-language='plaintext'><code>x</code></pre>", "```\nx\n```"),
        ("<pre data-language='a b'><code data-lang='c++'>x</code></pre>", "```c++\nx\n```"),
        ("<div class='highlight-default'><div class=highlight><pre>x</pre></div></div>", "```\nx\n```"),
        ("<div class='lang-de article'><div><div><div><pre>x</pre></div></div></div></div>", "```\nx\n```"),
        ("<p>Feed\u200b <b>\u200bit</b></p>", "Feed **it**"),
    ],
)
def test_what_stands_around_a_line_says_how_it_is_written(page: str, wanted: str) -> None:
    assert markdown(page) == wanted


def test_only_the_lines_of_the_text_are_written() -> None:
    page = (
        "<nav><a href=/>Tea</a> <a href=/b>Shop</a></nav><h1>Tea</h1><p>It is a leaf.</p><aside><p>Buy!</p></aside>"
        "<ul><li>green<li>black</ul><footer><p>It is a leaf.</p></footer>"
    )
    assert markdown(page, text="Tea\n\nIt is a leaf.\n\ngreen\nblack") == "# Tea\n\nIt is a leaf.\n\n- green\n- black"


def test_what_is_not_on_the_page_is_written_as_it_is() -> None:
    assert markdown("<p>one</p><p>three</p>", text="one\n\n*two*\n\nthree") == "one\n\n\\*two\\*\n\nthree"
    assert to_markdown("one\ntwo", None, URL) == "one\n\ntwo"
    assert to_markdown("", None, URL) == ""


def test_links_are_joined_with_the_base_of_the_page() -> None:
    tree = parse("<head><base href='https://other.example/x/'></head><body><p><a href='y'>z</a></p></body>")
    assert to_markdown("z", tree, URL) == "[z](https://other.example/x/y)"


_WORD = st.text(st.sampled_from("ab茶*_`[]<>#|\\-+1.&~!=() "), min_size=1, max_size=12)


@given(st.lists(st.tuples(st.sampled_from(["p", "h2", "li", "blockquote", "td", "code", "b"]), _WORD), max_size=8))
def test_another_program_reads_the_text_back(pieces: list[tuple[str, str]]) -> None:
    from html import escape

    inside = {"li": "<ul><li>{}</li></ul>", "td": "<table><tr><td>{}</td><td>x</td></tr></table>"}
    inline = {"code": "<p>so <code>{}</code> it</p>", "b": "<p>so <b>{}</b> it</p>"}
    page = "".join(
        (inside | inline).get(tag, f"<{tag}>{{}}</{tag}>").format(escape(text, quote=False)) for tag, text in pieces
    )
    tree = parse(f"<body><p>begin</p>{page}</body>")
    assert tree is not None
    found = tree.once(tree_lines)
    text = render(found, range(len(found.lines)))
    written = read_back(to_markdown(text, tree, URL)).text_content()
    # Cells stand between bars in `text`, and are cells in what is read back.
    assert "".join(written.replace("|", "").split()) == "".join(text.replace("|", "").split())


def test_tables_headings_lists_links_and_code_are_read_back_as_such() -> None:
    page = (
        "<h2>Prices</h2><table><tr><th>leaf<th>price<tr><td>green<td>3</table>"
        "<ol><li>boil <a href=/water>water</a><li>pour</ol><pre>x  = 1\n  y</pre>"
    )
    tree = read_back(markdown(page))
    assert [cell.text for cell in tree.iter("th", "td")] == ["leaf", "price", "green", "3"]
    assert [item.text_content() for item in tree.iter("li")] == ["boil water", "pour"]
    assert [link.get("href") for link in tree.iter("a")] == ["https://example.org/water"]
    assert tree.find(".//pre/code").text == "x  = 1\n  y\n"
    assert tree.find(".//h2").text == "Prices"


@pytest.mark.parametrize(
    "page",
    [
        "<ul><li>" * 100 + "x",
        "<table><tr><td>" * 600 + "x" * 400,
        "<table>" + "<tr><td>x<td>" + "y" * 400 + "</table>",
        "<table>" + ("<tr><td>" + "z" * 320) * 3000 + "</table>",
        "<p>" + "<b><i><code>" * 600 + "x",
        "<pre>" + "<div>x</div>" * 5000,
        "<p>" + "*" * 50_000,
        "<p>" + "`" * 50_000 + "<code>" + "`" * 50_000,
    ],
)
def test_hostile_pages_are_written_in_linear_time(page: str) -> None:
    from cpu_kit import cpu_limit

    with cpu_limit(20.0):
        assert markdown(page)


def test_a_table_grows_with_its_cells_not_with_its_rows_times_its_columns() -> None:
    def page(most: int) -> str:
        return f"<table><tr>{'<td>a' * most}{'<tr><td>b' * most}</table>"

    assert len(markdown(page(2_000))) < 4 * len(page(2_000))
    rows = read_back(markdown(page(60))).xpath("//tr")
    assert [len(row) for row in rows] == [60] * 61


def test_cells_of_many_rows_take_no_columns_without_end() -> None:
    page = f"<table><tr>{'<td rowspan=999>a' * 2_000}{'<tr><td>b<td>c' * 2_000}</table>"
    assert len(markdown(page)) < 12 * len(page)


def test_rows_left_out_take_their_part_of_a_cell_of_several_rows() -> None:
    page = "<table><tr><th>a<th>b<th>c<tr><td rowspan=2>1<td>2<td>3<tr><td>x<td>y<tr><td>4<td>5<td>6</table>"
    wanted = "| a | b | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |"
    assert markdown(page, text="a | b | c\n1 | 2 | 3\n4 | 5 | 6") == wanted
