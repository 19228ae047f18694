from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_kit import CharTokenizer

from focuscrawl.extraction.fields import page_fields
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import Link, PageAnalysis, PageKind

URL = "http://site.example/a/page.html"
PARAGRAPH = "<p>" + "The lock keeper writes down every boat that passes, and the level of the water. " * 4 + "</p>"


def read(html: str, **options: object) -> PageAnalysis:
    return analyse(html.encode(), URL, tokenizer=CharTokenizer(), **options)  # type: ignore[arg-type]


def link(html: str, **options: object) -> Link:
    (only,) = read(html, **options).links
    return only


# ------------------------------------------------------------------------ links


def test_surroundings_are_twenty_tokens_on_each_side_without_the_anchor() -> None:
    before = " ".join(f"b{n}x" for n in range(30))
    after = " ".join(f"a{n}x" for n in range(30))
    found = link(f'<p>{before} <a href="/l">the anchor</a> {after}</p>')
    tokens = [f"b{n}x" for n in range(10, 30)] + [f"a{n}x" for n in range(20)]
    assert " ".join(found.surrounding_tokens) == " ".join(" ".join(CharTokenizer().tokens(t)) for t in tokens)
    assert found.anchor_tokens == ("the", "anchor")


def test_surroundings_stay_in_the_block() -> None:
    found = link('<div><p>other</p><p>near <a href="/l">x</a></p><p>other</p></div>')
    assert found.surrounding_tokens == ("near",)


def test_link_of_a_picture_stands_where_the_picture_stands() -> None:
    found = link('<p>one two <a href="/l"><img src="/i/p.gif" alt="A  plan"></a> three</p>')
    assert found.surrounding_tokens == ("one", "two", "three")
    assert (found.image_text, found.src, found.anchor) == ("A plan", "/i/p.gif", "")
    assert found.text_tokens == ("a", "plan")
    assert found.extra_url_tokens == ("i", "p", "gif")


def test_image_title_stands_in_for_a_missing_alt() -> None:
    assert link('<a href="/l"><img src="x" title="t"><img alt="u"></a>').image_text == "t u"


def test_a_link_that_shows_nothing_has_the_label_it_is_read_aloud_with() -> None:
    # Themes of blogs lay an empty link over the whole card of a post.
    found = link('<article><h2>Oolong</h2><a class="entry" aria-label="post link to  Oolong" href="/l"> </a></article>')
    assert (found.anchor, found.image_text) == ("", "post link to Oolong")
    assert found.text_tokens == ("post", "link", "to", "oolong")
    assert link('<a aria-label="The plan" href="/l"><img src="x"></a>').image_text == "The plan"


def test_a_label_adds_nothing_to_what_a_link_shows() -> None:
    assert link('<a aria-label="Read more of tea" href="/l">tea</a>').text_tokens == ("tea",)
    assert link('<a aria-label="Home page" href="/l"><img src="x" alt="Logo"></a>').text_tokens == ("logo",)


def test_link_around_blocks_has_their_text() -> None:
    found = link('<body><div>x <a href="/l"><h3>Head</h3><p>Teaser</p></a> y</div></body>')
    assert found.anchor == "Head Teaser"
    assert found.anchor_tokens == ("head", "teaser")
    assert found.surrounding_tokens == ("x", "y")


def test_words_do_not_run_together_over_a_border() -> None:
    page = read("<div>one<p>two</p>three<br>four<table><tr><td>five<td>six</table></div>")
    assert page.tokens == ("one", "two", "three", "four", "five", "six")


def test_inline_markup_does_not_cut_words() -> None:
    assert read("<p>ex<b>amp</b>le</p>").tokens == ("example",)


def test_how_a_word_is_read_is_no_word_and_parts_none() -> None:
    """Chinese and Japanese pages for learners have readings above most characters."""
    ruby = "<ruby>船<rp>(</rp><rt>chuán</rt><rp>)</rp></ruby><ruby>闸<rt>zhá</rt></ruby>"
    page = read(f"<h1>{ruby}</h1><p>{ruby}开了</p>")
    assert page.headings == ("船闸",)
    assert page.tokens == ("船", "闸", "船", "闸", "开", "了")
    assert page_fields(page).title == "船闸"


def test_a_button_that_is_a_heading_has_words_and_a_control_has_none() -> None:
    page = read(
        "<h2>Locks</h2><h3><button aria-expanded=false>How deep?</button></h3><p>Three <button>Share</button></p>"
    )
    assert page.headings == ("Locks", "How deep?")
    assert page.tokens == ("locks", "how", "deep", "three")


def test_the_inside_of_an_element_that_a_browser_shows_has_words_and_links_and_a_template_has_none() -> None:
    shadow = '<template shadowrootmode="open"><style>p{}</style><p>Locks <a href="/gates">Gates</a></p></template>'
    page = read(f"<my-page>{shadow}</my-page><template><p>Cards <a href='/card'>Card</a></p></template>")
    assert page.tokens == ("locks", "gates")
    assert [link.url for link in page.links] == ["http://site.example/gates"]


def test_fields_are_cut_at_512_characters() -> None:
    found = link(f'<a href="/l" title="{"t" * 600}">{"x" * 600}</a>')
    assert len(found.anchor) == len(found.title) == 512


def test_parallel_links_merge() -> None:
    page = read('<p><a href="/l#a" rel="nofollow">one</a> <a href="/m">m</a> <a href="/l" title="t">two</a></p>')
    first, second = page.links
    assert (first.url, first.multiplicity, first.position, first.n_links) == ("http://site.example/l", 2, 0, 2)
    assert (first.anchor, first.title, first.nofollow) == ("one two", "t", False)
    assert first.anchor_tokens == ("one", "two")
    assert (second.position, second.multiplicity) == (1, 1)


def test_a_thousand_parallel_links_are_counted_and_cost_no_more() -> None:
    found = link("".join(f'<p>w{n} <a href="/l">a{n}</a></p>' for n in range(1000)))
    assert found.multiplicity == 1000
    assert len(found.anchor) <= 512
    assert len(found.surrounding_tokens) <= 512


def test_links_to_the_page_itself_are_no_links() -> None:
    page = read('<p><a href="#x">a</a> <a href="">b</a> <a href="page.html#y">c</a></p>')
    assert page.links == ()
    assert page.dropped_links == 0


def test_limit_of_links() -> None:
    page = read("".join(f'<a href="/{n}">x</a><a href="/{n}">y</a>' for n in range(7)), max_links=5)
    assert len(page.links) == 5
    assert page.dropped_links == 2
    assert {found.multiplicity for found in page.links} == {2}


def test_a_long_head_leaves_the_links_of_the_body_their_room() -> None:
    head = "".join(f'<link rel="alternate" hreflang="l{n}" href="/l{n}">' for n in range(300))
    body = "".join(f'<a href="/{n}">x</a>' for n in range(150))
    page = read(f"<head>{head}</head>{body}", max_links=100)
    assert [found.url.rpartition("/")[2] for found in page.links[:12]] == [*(f"l{n}" for n in range(11)), "0"]
    assert len(page.links) == 100
    assert page.dropped_links == 350
    assert len(read(f"<head>{head}</head><a href='/0'>x</a>", max_links=200).links) == 200


def test_nofollow_of_the_page_goes_to_all_links() -> None:
    page = read('<meta name="robots" content="none"><a href="/l">x</a>')
    assert page.noindex
    assert page.nofollow
    assert page.links[0].nofollow


def test_heading_above() -> None:
    page = read(
        '<h1>Top</h1><a href="/1">1</a><h2></h2><a href="/2">2</a><h2><a href="/3">Own</a></h2><a href="/4">4</a>'
    )
    assert [found.heading for found in page.links] == ["Top", "Top", "Own", "Own"]


def test_images_only_when_asked() -> None:
    html = '<p>see <img src="/p.jpg" alt="Plan" lowsrc="/low.jpg"></p>'
    assert read(html).links == ()
    found = link(html, follow_images=True)
    assert (found.tag, found.url, found.image_text, found.src) == (
        "img",
        "http://site.example/p.jpg",
        "Plan",
        "/low.jpg",
    )


def test_text_served_as_html_has_character_references() -> None:
    served = analyse(b"Tea &amp; time", URL, content_type="text/html", tokenizer=CharTokenizer())
    plain = analyse(b"Tea &amp; time", URL, content_type="text/plain", tokenizer=CharTokenizer())
    assert (served.tokens, plain.tokens) == (("tea", "time"), ("tea", "amp", "time"))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Old roses #\n\nThey smell.", "Old roses"),
        ("Old roses\r\n=========\r\nThey smell.", "Old roses"),
        ("\n老月季\n\n很香。", "老月季"),
        ("They smell,\nold roses do.", ""),
        ("# \n\nThey smell.", ""),
    ],
)
@pytest.mark.parametrize("kind", ["text/markdown", "text/plain; charset=utf-8", "text/x-markdown"])
def test_markdown_and_plain_text_are_pages_with_the_title_of_their_first_line(text: str, title: str, kind: str) -> None:
    page = analyse(text.encode(), URL, content_type=kind, tokenizer=CharTokenizer())
    assert (page.empty_reason, page.title) == ("", title)


def test_dom_path_and_signature() -> None:
    found = link(
        '<body><div id="main" class="wide  dark"><ul><li class=item><a href="/l" class=x>x</a></ul></div></body>'
    )
    assert found.dom_path == ("html", "body", "div", "ul", "li", "a")
    assert found.dom_sig == ("html", "body", "div#main.wide.dark", "ul", "li.item", "a.x")


def test_links_in_noscript_are_followed_and_its_text_is_no_content() -> None:
    page = read(f'<body>{PARAGRAPH}<noscript>turn it on <a href="/l">plain</a></noscript></body>')
    assert "turn" not in page.content_tokens
    assert [found.url for found in page.links] == ["http://site.example/l"]


def test_a_page_that_stands_in_noscript_is_read() -> None:
    page = read(f"<body><div>Loading</div><noscript><div>{PARAGRAPH}</div></noscript></body>")
    assert "keeper" in page.content_tokens


# ------------------------------------------------------------------ whole pages


def test_the_page_is_segmented_in_one_call() -> None:
    class Counting(CharTokenizer):
        calls = 0

        def chunks(self, chunks: Sequence[str]) -> list[list[str]]:
            self.calls += 1
            return super().chunks(chunks)

        def tokens(self, text: str) -> list[str]:
            return super().tokens(text)

    class Refusing(Counting):
        def chunks(self, chunks: Sequence[str]) -> list[list[str]]:
            self.calls += 1
            return [CharTokenizer().tokens(chunk) for chunk in chunks]

        def tokens(self, text: str) -> list[str]:
            raise AssertionError("one call of chunks() is all")

    tokenizer = Refusing()
    analyse(b'<title>t</title><h1>h</h1><p>x <a href="/l" title="t">y</a></p>', URL, tokenizer=tokenizer)
    assert tokenizer.calls == 1


def test_a_page_without_its_tree_can_be_pickled() -> None:
    page = replace(read('<title>t</title><p>x <a href="/l" rel="next">y</a></p>'), tree=None)
    assert pickle.loads(pickle.dumps(page)) == page


def test_a_title_after_the_begin_of_the_body_counts_as_in_browsers() -> None:
    assert (
        read("<center>Banner</center><html><head><title>船闸</title></head><body><p>x</p></body></html>").title
        == "船闸"
    )
    assert read("<title>船闸</title><p>x</p><svg><title>icon</title></svg>").title == "船闸"
    assert read("<p>x</p><svg><title>icon</title></svg>").title == ""


def test_title_falls_back() -> None:
    assert read("<title> a\n b </title><h1>h</h1>").title == "a b"
    assert read('<meta property="og:title" content="o"><title></title><h1>h</h1>').title == "o"
    assert read("<h2>no</h2><h1>h</h1>").title == "h"
    assert read("<body><svg><title>icon</title></svg><p>x</p></body>").title == ""


def test_language_by_text_then_by_declaration() -> None:
    assert read('<html lang="en-US"><p>桥下的水很清，夏天孩子们常在那里游泳。</p>').language == "zh"
    assert read('<html lang="cy"><p>x</p>').language == "cy"


LIST = "<ul>" + "".join(f'<li><a href="/{n}">Entry number {n}</a></li>' for n in range(30)) + "</ul>"


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        (f"<body><h1>x</h1>{PARAGRAPH * 3}</body>", PageKind.ARTICLE),
        (f"<body>{LIST}</body>", PageKind.HUB),
        (f"<body>{PARAGRAPH * 3}{LIST}</body>", PageKind.ARTICLE),
        ("<body>" + f"<div class=post><b>Ann</b>{PARAGRAPH}</div>" * 4 + "</body>", PageKind.MULTI_BODY),
        ("<body><p>Pictures</p>" + '<img src="x.jpg">' * 12 + "</body>", PageKind.MULTIMEDIA),
        ("<body><p>short</p></body>", PageKind.OTHER),
    ],
)
def test_kind(html: str, kind: PageKind) -> None:
    assert read(html).kind is kind


def test_content_is_the_text_outside_links_and_boilerplate() -> None:
    page = read(
        f'<body><div id="menu">Menu words <a href="/a">a</a></div><div class="text">{PARAGRAPH}'
        f'<p>In <a href="/b">b</a> end.</p>'
        f'</div><div class="footer">Footer words</div></body>'
    )
    assert {"menu", "footer", "b"}.isdisjoint(page.content_tokens)
    assert {"lock", "in", "end"} <= set(page.content_tokens)
    assert {"menu", "footer", "b"} <= set(page.tokens)


@pytest.mark.parametrize("names", ['class="page-sidebar"', 'id="nav"', 'role="navigation"', 'class="footer"'])
def test_a_region_with_most_of_the_text_is_content_whatever_its_name(names: str) -> None:
    page = read(f"<body><div {names}>{PARAGRAPH * 3}</div><p>Little else.</p></body>")
    assert "keeper" in page.content_tokens


def test_content_of_a_list_of_links_is_the_list() -> None:
    assert "entry" in read(f"<body>{LIST}</body>").content_tokens


def test_content_tokens_of_a_table_are_in() -> None:
    rows = "".join(f"<tr><td>Lock {n}</td><td>depth {n} metres</td></tr>" for n in range(20))
    assert "depth" in read(f"<body><table>{rows}</table></body>").content_tokens


_SOUP = (
    "<p> </p> <div/class=nav> </div> <a/href=/x> </a> <a/href=?> <table> <tr> <td> </table> <ul> <li> <h1> </h1> "
    "<script> </script> <!-- --> <frameset> <frame/src=y> <noframes> <body> </body> </html> <head> <title> </title> "
    "<br> <nav> <base/href=//z/> <meta/http-equiv=refresh/content=0;url=q> <img/src=i> <map/name=m> <area/href=w> "
    "<svg> <math> <noscript> <iframe/src=k> <select> <option> <textarea> <pre> <form> &amp; &#0; "
    "&#xD800; \ufffe 中文 word \x01 <footer> <article> <template>"
)
_soup = st.lists(st.sampled_from(_SOUP.split()), max_size=40).map(" ".join)


@given(_soup)
@settings(max_examples=300, deadline=None)
def test_any_markup_gives_a_consistent_analysis(html: str) -> None:
    page = read(html.replace("/href", " href").replace("/src", " src").replace("/name", " name"))
    assert len({found.url for found in page.links}) == len(page.links)
    for number, found in enumerate(page.links):
        assert found.position == number
        assert found.n_links == len(page.links)
        assert -1 <= found.block < len(page.blocks)
        assert len(found.surrounding_tokens) <= 512
        assert found.dom_path[-1] == found.tag or found.multiplicity > 1
    for number, block in enumerate(page.blocks):
        assert block.index == number
        assert -1 <= block.parent < number
        assert 0 <= block.link_chars <= block.chars
        assert block.siblings == sum(other.parent == block.parent for other in page.blocks)
    in_blocks = [token for block in page.blocks for token in block.tokens]
    assert len(in_blocks) <= len(page.tokens)
    assert set(page.content_tokens) <= set(page.tokens)
    assert bool(page.tokens or page.links) != bool(page.empty_reason)


@pytest.mark.parametrize(
    "content_type",
    [
        "text/html, text/html; charset=utf-8",
        "*/*",
        "html",
        "unknown/unknown",
        "\x1b[31mlamp/page",
        f"text/{'h' * 9000}",
    ],
)
def test_a_content_type_that_is_none_leaves_it_to_the_bytes(content_type: str) -> None:
    assert not analyse(b"<p>Tea and time", URL, content_type=content_type, tokenizer=CharTokenizer()).empty_reason
    image = analyse(b"\x89PNG\r\n\x1a\n", URL, content_type=content_type, tokenizer=CharTokenizer())
    assert image.empty_reason == "not html: PNG"


def test_a_reason_is_short_whatever_the_root_is_called() -> None:
    body = f"<?xml version='1.0'?><{'lamp' * 600}>Tea</a>".encode()
    reason = analyse(body, URL, content_type="text/xml", tokenizer=CharTokenizer()).empty_reason
    assert reason == f"not html: XML ({'lamp' * 25})"


def test_xhtml_for_telephones_is_html() -> None:
    kind = "application/vnd.wap.xhtml+xml; charset=utf-8"
    doctype = '<!DOCTYPE html PUBLIC "-//WAPFORUM//DTD XHTML Mobile 1.0//EN" "xhtml-mobile10.dtd">'
    text = f'<?xml version="1.0"?>{doctype}<html><p>Tea</p></html>'
    page = analyse(text.encode(), URL, content_type=kind, tokenizer=CharTokenizer())
    assert (page.empty_reason, "".join(page.tokens).lower()) == ("", "tea")


@given(
    st.binary(max_size=400), st.sampled_from([None, "text/html", "text/plain", "application/xhtml+xml; charset=gbk"])
)
@settings(max_examples=150, deadline=None)
def test_any_bytes_give_an_analysis(body: bytes, content_type: str | None) -> None:
    page = analyse(body, URL, content_type=content_type, tokenizer=CharTokenizer())
    assert bool(page.tokens or page.links) != bool(page.empty_reason)
