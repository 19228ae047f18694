from __future__ import annotations

import pytest

from focuscrawl.extraction.class_names import DECLARED_BODY, GROUPS, PHRASES, class_name_bits, phrase_bits
from focuscrawl.extraction.rendering import render
from focuscrawl.extraction.segments import Segments, clean_code, segment, words
from focuscrawl.extraction.visible_lines import visible
from focuscrawl.page.tree import parse


def lines_of(html: str) -> Segments:
    tree = parse(html)
    assert tree is not None
    return visible(segment(tree.root))


def texts(html: str) -> list[str]:
    return [line.text for line in lines_of(html).lines]


def text_of(html: str) -> str:
    found = lines_of(html)
    return render(found, range(len(found.lines)))


def test_lines_end_where_a_browser_breaks_them() -> None:
    assert texts("<div>one <b>two</b> three<p>four<br>five</p>six</div>") == ["one two three", "four", "five", "six"]


def test_nothing_of_scripts_controls_and_frames() -> None:
    html = "<div>a<script>b</script><button>c</button><select><option>d</select><iframe>e</iframe>f</div>"
    assert "".join(texts(html)).replace(" ", "") == "af"


def test_link_characters_are_counted_without_white_space() -> None:
    (line,) = lines_of("<p>see <a href=x>the  lock</a> and <a name=y>weir</a></p>").lines
    assert (line.text, line.chars, line.link_chars, line.links) == ("see the lock and weir", 17, 7, 1)


def test_a_link_around_blocks_links_all_of_them() -> None:
    lines = lines_of("<a href=x><div>lock</div><div>keeper</div></a><p>water</p>").lines
    assert [(line.text, line.link_chars) for line in lines] == [("lock", 4), ("keeper", 6), ("water", 0)]


def test_paragraphs_lists_tables() -> None:
    html = (
        "<p>one</p><p>two<br>three<br><br>four</p><ul><li>a</li><li>b</li></ul>"
        "<table><tr><th>lock</th><th>rise</th></tr><tr><td>first</td><td>2 m</td></tr></table><p>end</p>"
    )
    assert text_of(html) == "one\n\ntwo\nthree\n\nfour\n\na\nb\n\nlock | rise\nfirst | 2 m\n\nend"


def test_paragraphs_of_a_column_of_the_layout_are_paragraphs() -> None:
    story = "<p>The lock</p><p>It is open.</p>Boats<br>wait.<br><br>For hours."
    text = "The lock\n\nIt is open.\n\nBoats\nwait.\n\nFor hours."
    assert text_of(f"<table><tr><td><img src=a></td><td>{story}</td></tr></table>") == text
    long = f"<p>{100 * 'rain '}</p>"
    assert (
        text_of(f"<table><tr><td>menu</td><td>{story}{long}</td></tr></table>")
        == f"menu\n\n{text}\n\n{100 * 'rain '}".rstrip()
    )
    assert text_of("<table><tr><td><p>first</p><p>lock</p></td><td>2 m</td></tr></table>") == "first | lock | 2 m"


def test_code_keeps_its_lines_and_loses_its_gutter() -> None:
    code = "def lift():\n    return 2"
    table = f"<table><tr><td class=gutter><pre>1\n2</pre></td><td class=code><pre>{code}</pre></td></tr></table>"
    assert text_of(f"<p>so:</p>{table}") == f"so:\n\n{code}"
    beside = "<ul class=pre-numbering style=''><li>1</li><li>2</li></ul>"
    assert text_of(f"<pre class=prettyprint><code>{code}</code>{beside}</pre>") == code
    assert text_of(f"<table><tr><td><pre>1\n2\n</pre></td><td><pre>{code}</pre></td></tr></table>") == code


@pytest.mark.parametrize(
    "html",
    [
        "<pre class=line-numbers><code>{}</code></pre>",  # asks its highlighter for a gutter
        "<div class='article line-numbers'><p>{}</p></div>",
        "<pre><span class=lineno>1 </span>{}<span class=lineno>2 </span></pre>",
    ],
)
def test_what_is_named_after_line_numbers_without_being_one_stays(html: str) -> None:
    assert text_of(html.format("return 2")) == "return 2"


def test_blocks_that_wrap_each_line_of_code_are_lines_of_one_piece() -> None:
    def line(number: int, code: str) -> str:
        gutter = f'<div class="gutter"><div class="ln">{number}</div></div>'
        return f'<div class="ec-line">{gutter}<div class="code">{code}</div></div>'

    code = line(1, "<span>def</span> depth():") + line(2, "\n") + line(3, '<span class="indent">    </span>return 5')
    tree = parse(f"<p>one</p><pre><code>{code}</code></pre><p>two</p><pre>three<div>four</div></pre>")
    assert tree is not None
    lines = [line.text for line in segment(tree.root).lines]
    assert lines == ["one", "def depth():\n\n    return 5", "two", "three", "four"]


def test_numbers_a_program_prints_are_no_line_numbers() -> None:
    assert text_of("<p>so:</p><pre class=line-numbers><code>5\n3\n8\n</code></pre>") == "so:\n\n5\n3\n8"
    assert text_of("<p>so:</p><pre>1 3 2\n2 1 3\n</pre>") == "so:\n\n1 3 2\n2 1 3"
    assert text_of("<p>so:</p><pre class=line-numbers><code>8\n9\n10\n</code></pre>") == "so:"


def test_a_copy_for_browsers_without_script_is_left_out() -> None:
    posts = "<h2>The gates</h2><p>The lock keeper opens them at six.</p><p>And closes them.</p>"
    assert text_of(f"<main>{posts}</main><noscript><p>Turn script on.</p>{posts}</noscript>").count("six") == 1
    assert "six" in text_of(f"<p>Loading</p><noscript>{posts}</noscript>")
    assert "six" in text_of(f"<p>And closes them.</p><noscript>{posts}</noscript>")


def test_clean_code() -> None:
    assert clean_code("\n\n  a\n    b  \n\n") == "  a\n    b"
    assert clean_code("1\n2\n3\n") == ""
    assert clean_code("9\n10\n11") == ""
    assert clean_code("42") == "42"
    assert clean_code("\n1 3 2\n2 1 3\n") == "1 3 2\n2 1 3"
    assert clean_code("1\n1\n2\n3\n5") == "1\n1\n2\n3\n5"
    assert clean_code("1\n" + 5000 * "2") == "1\n" + 5000 * "2"


def test_hidden_text_stays_unless_it_repeats_or_labels() -> None:
    line = "The lock keeper opens the gates."
    shown = f"<p>{line}</p><p>" + "The lock is open. " * 60 + "</p>"
    assert text_of(shown + f"<div style='display: none'>{line}</div>").count(line) == 1
    assert "close" not in text_of(shown + "<div hidden>close</div>")
    assert "folded" in text_of(shown + "<div hidden>This part of the page is folded until asked for.</div>")
    shown = "<p>" + "The lock is open. " * 60 + "</p>"
    assert text_of("<div style='display:none'>" + shown + "</div>").startswith("The lock")
    assert text_of("<div id=js_content style='visibility: hidden'>" + shown + "</div>").startswith("The lock")


def test_cookie_notices_are_left_out() -> None:
    shown = "<p>" + "The lock is open. " * 60 + "</p>"
    assert "accept" not in text_of(shown + "<div id=cookie-banner><p>Please accept them all.</p></div>")
    long = "<p>We use cookies to keep the gates open. " + "Please accept them all. " * 8 + "</p>"
    assert "accept" not in text_of(shown + f"<div id=cookie-banner>{long}</div>")


def test_an_article_in_a_wrapper_named_after_consent_stays() -> None:
    text = "The lock keeper opens the gates at six in the morning, and closes them at ten in the evening."
    assert text in text_of(f"<nav>{'lock ' * 300}</nav><div class='story filterNonGdprEmbeds'><p>{text}</p></div>")


def test_words_count_each_chinese_character() -> None:
    assert words("a lock keeper") == 3
    assert words("船闸看守人") == 5


def test_hints_are_words_of_names_not_parts() -> None:
    bit = {group: 1 << number for number, group in enumerate(GROUPS)}
    assert class_name_bits("articleBody") & bit["body"]
    assert class_name_bits("post-share-bar") & bit["share"]
    assert not class_name_bits("header") & bit["ad"]
    assert class_name_bits("x", None, "articleBody") & DECLARED_BODY
    assert class_name_bits("post tag-share category-ad") & (bit["share"] | bit["ad"]) == 0


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("相关阅读", "related"),
        ("分享到：", "share"),
        ("责任编辑：王一", "byline"),
        ("© 2020 The Lock", "legal"),
        ("Tags: canal", "tags"),
        ("Posted 3 March", "byline"),
        ("2021-03-04 10:30", "moment"),
        ("2021年3月4日", "moment"),
    ],
)
def test_set_phrases(line: str, kind: str) -> None:
    assert phrase_bits(line) & 1 << PHRASES.index(kind)


def test_a_long_line_has_no_set_phrase() -> None:
    assert phrase_bits("分享到 " + "The lock keeper opened the gate. " * 8) == 0


def test_deep_and_broken_pages_end() -> None:
    assert texts("<div>" * 100_000 + "text") is not None
    assert texts("<p>one</div></span><td>two") == ["one", "two"]


def test_blocks_with_a_label_directly_in_them_are_noted() -> None:
    found = lines_of("<form><p><label>Name</label> <input></p><div><i><label>No</label></i><p>b</p></div></form>")
    assert [found.nodes[at].tag for at in found.labelled] == ["p"]
    assert not lines_of("<p>The gate is closed.</p>").labelled
