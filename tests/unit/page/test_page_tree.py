from __future__ import annotations

import time

import pytest
from lxml import etree
from page_kit import CharTokenizer

from focuscrawl.page.analysis import analyse
from focuscrawl.page.tree import MAX_CHARS, PageTree, parse


def tree(text: str) -> PageTree:
    found = parse(text)
    assert found is not None
    return found


def one(page: PageTree, tag: str):
    return next(page.root.iter(tag))


def test_what_follows_the_first_html_end_tag_is_in_the_tree() -> None:
    page = tree("<html><head><title>t</title></head></html><body><p>one</p></body></html ><p>two</p>")
    assert [p.text for p in page.root.iter("p")] == ["one", "two"]
    assert len(list(page.root.iter("body"))) == 1


def test_xml_declaration_is_no_obstacle() -> None:
    assert one(tree('<?xml version="1.0" encoding="gb2312"?><html><body><p>é</p></body></html>'), "p").text == "é"


def test_meta_charset_does_not_change_decoded_text() -> None:
    assert one(tree('<meta charset="gbk"><p>中文é</p>'), "p").text == "中文é"


@pytest.mark.parametrize("text", ["", "   ", "<!-- only -->", "<!doctype html>"])
def test_nothing_in_it(text: str) -> None:
    assert parse(text) is None


def test_lengths_and_depth() -> None:
    page = tree('<body><div>ab <a href="x">c <b>d</b></a> e<script>var x</script></div><p>f g</p></body>')
    div = one(page, "div")
    assert page.text_chars(div) == 5
    assert page.link_chars(div) == 2
    assert page.text_chars(page.root) == 7
    assert page.link_chars(one(page, "p")) == 0
    assert page.depth(page.root) == 0
    assert page.depth(one(page, "b")) == 4


def test_nested_link_characters_count_once() -> None:
    page = tree('<body><a href="x"><div>ab<a href="y">cd</a></div></a></body>')
    assert page.link_chars(page.root) <= page.text_chars(page.root) == 4


def test_measuring_leaves_the_tree_as_it_was() -> None:
    text = "<body><div>a<p>b</p>c</div></body>"
    page = tree(text)
    before = etree.tostring(page.root)
    page.text_chars(page.root)
    page.content_paragraphs()
    assert etree.tostring(page.root) == before


def test_analysis_leaves_the_tree_as_it_was() -> None:
    text = "<html><body><div>a<p>b <a href=x>l</a></p>c</div></body></html>"
    page = analyse(text.encode(), "http://e.com/", tokenizer=CharTokenizer())
    assert page.tree is not None
    assert etree.tostring(page.tree.root) == etree.tostring(tree(text).root)


@pytest.mark.parametrize(
    "body",
    [
        "<div>x" * 100_000,
        "<b>" * 100_000 + "x",
        "<a href=x>" * 100_000,
        "<p>" * 100_000,
        "<table><tr><td>" * 30_000,
        "<ul><li>x" * 50_000,
        "<a x=" * 100_000,
        "<" * 100_000,
        "<!--" * 100_000,
        "&#x41;" * 100_000,
        "<font color=red><p>" * 50_000,
        "<a href='" * 20_000,
        "<h1>" * 50_000 + "x",
        "<x:y>" * 50_000,
        "x " * 500_000,
        "<p onclick='" + "x" * 1_000_000,
    ],
    ids=lambda body: body[:12],
)
def test_hostile_markup_takes_bounded_time(body: str) -> None:
    start = time.process_time()
    analyse(body.encode(), "http://e.com/", tokenizer=CharTokenizer())
    assert time.process_time() - start < 5.0  # a quadratic step would take minutes


def test_cut_by_depth_is_marked() -> None:
    deep = analyse(b"<div>x" * 5000, "http://e.com/", tokenizer=CharTokenizer())
    assert deep.truncated
    assert len(deep.tokens) > 1000
    assert not analyse(b"<div>x" * 500, "http://e.com/", tokenizer=CharTokenizer()).truncated


def test_cut_by_length_is_marked() -> None:
    page = analyse(b"<p>" + b"word " * 1_000_000, "http://e.com/", tokenizer=CharTokenizer())
    assert page.truncated


def test_a_tag_of_too_many_attributes_loses_them_and_no_other_does() -> None:
    flood = " ".join(f"a{n}='>'" for n in range(3000))
    image = "x" * 20_000
    tree = parse(
        f"<p class=text id=p>one</p><p {flood}>two</p><i title='{'y z ' * 5000}' class=n src={image}>three</i>"
    )
    assert tree is not None
    one, two, three = tree.root.iter("p", "i")
    assert (one.attrib, two.attrib) == ({"class": "text", "id": "p"}, {})
    assert (two.text, three.text, three.get("class")) == ("two", "three", "n")


def test_declarations_are_in_document_order() -> None:
    tree = parse(
        "<html><head><meta name=a><link rel=license><script>1</script></head><body><h2>x</h2><map><area></map><a>y</a>"
        "<h1>z</h1><h4>not one</h4><div><meta name=b><script>2</script></div></body></html>"
    )
    assert tree is not None
    found = tree.declarations
    assert [meta.get("name") for meta in found.metas] == ["a", "b"]
    assert [script.text for script in found.scripts] == ["1", "2"]
    assert [heading.tag for heading in found.headings] == ["h2", "h1"]
    assert [link.tag for link in found.links] == ["link", "area", "a"]
    assert tree.declarations is found


@pytest.mark.parametrize("tag", ["script", "STYLE"])
def test_long_scripts_and_styles_do_not_cut_what_a_reader_sees(tag: str) -> None:
    program = f"<{tag} id=data>{'if (a < b) c();' * MAX_CHARS}</{tag}>"
    page = tree(f"<body>{program}<p>The gate is closed.</p></body>")
    assert not page.truncated
    assert one(page, "p").text == "The gate is closed."
    assert one(page, tag.lower()).get("id") == "data"
    assert one(page, tag.lower()).text is None


@pytest.mark.parametrize("kind", ["application/ld+json", "math/tex; mode=display"])
def test_scripts_that_are_read_keep_their_text_on_a_long_page(kind: str) -> None:
    page = tree(f'<script type="{kind}">[1]</script><script>{"a" * MAX_CHARS}</script><p>The gate is closed.</p>')
    assert [script.text for script in page.root.iter("script")] == ["[1]", None]


def test_a_long_script_without_an_end_is_cut_as_the_page() -> None:
    page = tree(f"<p>The gate is closed.</p><script>{'a' * MAX_CHARS}")
    assert page.truncated
    assert one(page, "p").text == "The gate is closed."


def test_the_source_tells_which_attributes_a_page_may_have() -> None:
    page = tree("<p ITEMPROP=keywords>The gate is closed.</p>")
    assert (page.may_have("itemprop"), page.may_have("itemtype")) == (True, False)
