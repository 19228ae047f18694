from __future__ import annotations

import pytest
from lxml import html

from focuscrawl.extraction.markdown_inline import inline_lines
from focuscrawl.extraction.segments import segment

FORMULA = (
    '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>k</mi><mo>=</mo><mn>5</mn></mrow>'
    '<annotation encoding="application/x-tex">k = 5</annotation></semantics></math></span>'
    '<span class="katex-html" aria-hidden="true"><span>k</span><span>=</span><span>5</span></span></span>'
)


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ('<h2>Options<a class="headerlink" href="#options">¶</a></h2>', "Options"),
        ('<h2><a href="#options">#</a> Options</h2>', "Options"),
        ('<h2>Options<a class="headerlink" href="#options">\uf0c1</a></h2>', "Options"),
        (
            '<h2><span>历史</span><span class="mw-editsection">[<a href="/e">编辑</a>]</span></h2>',
            "历史",
        ),
        ('<pre><code>open(3)\n<span class="btn copy-code-btn">复制代码</span></code></pre>', "open(3)"),
        ('<p>A room at noon. <a href="#note-1">↩</a></p>', "A room at noon."),
        (
            "<p><ruby>抹茶<rp>（</rp><rt>まっちゃ</rt><rp>）</rp></ruby>は<ruby>点<rt>た</rt></ruby>てます</p>",
            "抹茶は点てます",
        ),
        (f"<p>With {FORMULA} here.</p>", "With k=5 here."),
        ("<p>With " + FORMULA.replace('aria-hidden="true"', "") + " here.</p>", "With k=5 here."),
        (
            '<p>With <span class="MathJax"><nobr aria-hidden="true"><span>k=5</span></nobr>'
            '<span class="MJX_Assistive_MathML"><math><mi>k</mi><mo>=</mo><mn>5</mn></math></span></span> here.</p>',
            "With k=5 here.",
        ),
        (
            "<p>With <mjx-container><mjx-math><mjx-c>k=</mjx-c><mjx-c>5</mjx-c></mjx-math><mjx-assistive-mml>"
            "<math><mi>k</mi><mo>=</mo><mn>5</mn></math></mjx-assistive-mml></mjx-container> here.</p>",
            "With k=5 here.",
        ),
        (
            "<p>With <mjx-container><mjx-math><mjx-c></mjx-c></mjx-math><mjx-assistive-mml>"
            "<math><mi>k</mi><mo>=</mo><mn>5</mn></math></mjx-assistive-mml></mjx-container> here.</p>",
            "With k=5 here.",
        ),
        ('<h2>Options<a class="hash-link" href="#options">\u200b</a></h2>', "Options"),
        (
            '<h2 id="options">Options <a href="#options"><span class="sr-only">Permalink to “Options”</span></a></h2>',
            "Options",
        ),
        ('<h2 id="门"><span>门</span><a href="#%E9%97%A8" class="anchor"><i>“门”的链接</i></a></h2>', "门"),
        ('<h2 id="options"><a href="#options"><span>Options</span></a></h2>', "Options"),
        ('<h2 id="options">Options and <a href="#more">more</a></h2>', "Options and more"),
        ('<p id="options">Options <a href="#options">here</a></p>', "Options here"),
        ('<p>Sixty<sup><a href="#note-1">1</a></sup> of <a href="/c">C#</a> and <a href="/n">#</a>.</p>', None),
        ('<p>Sixty<a href="#note-1"><sup>12</sup></a> of <a href="/c">C#</a> and <a href="/n">#</a>.</p>', None),
        ('<p>Sixty<sup>[<a href="#note-1">1</a>]</sup> of <a href="#1">2</a>.</p>', "Sixty[1] of 2."),
        ('<p>Sixty<sup><a href="#a">1</a>,<a href="#b">2</a></sup> and 10<sup>2</sup>.</p>', "Sixty1,2 and 102."),
        ('<p>Ten to the<sup><a href="/powers">2</a></sup>.</p>', "Ten to the2."),
        ('<p>With <script type="math/tex">k_1 = 5</script> here.</p>', "With $k_1 = 5$ here."),
        (
            '<p>With <script type="math/tex; mode=display">% <![CDATA[\nk\n&= 5 %]]></script> here.</p>',
            "With $$k &= 5$$ here.",
        ),
        ("<p>With <span class='MathJax'><i>k</i></span><script type='math/tex'>k</script> here.</p>", "With k here."),
        (
            "<p>With <span class='MathJax_Preview'></span><script type='math/tex'>k</script> here.</p>",
            "With $k$ here.",
        ),
        ("<p>With <script>k</script> here <script type='math/tex'> </script>.</p>", "With here ."),
        ('<p>A star <span aria-hidden="true">or two</span>.</p>', "A star or two."),
    ],
)
def test_marks_of_headings_and_footnotes_and_second_forms_of_formulas_are_no_text(block: str, text: str | None) -> None:
    root = html.fromstring(f"<html><body>{block}</body></html>")
    lines = [line.text for line in segment(root).lines]
    assert lines == [text or "Sixty of C# and #."]
    assert list(inline_lines(root.find("body")[0], "http://a.example/")) == lines


def test_a_mark_inside_a_link_ends_no_link() -> None:
    line = segment(
        html.fromstring('<body><h2><a href="/x">Locks <a href="#x">¶</a></a> <a href="/y">all</a></h2></body>')
    )
    assert (line.lines[0].text, line.lines[0].links) == ("Locks all", 2)


@pytest.mark.parametrize(
    ("wrapper", "lines"),
    [
        ('<h2 id="gates">Gates</h2><a href="#gates"><b class="sr-only">Section titled “Gates”</b></a>', ["Gates"]),
        ('<h2 id="gates">Gates</h2><a href="#locks">Down to the locks</a>', ["Gates", "Down to the locks"]),
        ('<h2 id="gates">Gates</h2> See <a href="#gates">above</a>', ["Gates", "See above"]),
    ],
)
def test_a_link_directly_behind_a_heading_that_leads_to_it_is_no_text(wrapper: str, lines: list[str]) -> None:
    root = html.fromstring(f"<html><body><div>{wrapper}</div></body></html>")
    assert [line.text for line in segment(root).lines] == lines


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (
            "<h3><button aria-expanded=false>How deep is the lock?<svg><path/></svg></button></h3>",
            "How deep is the lock?",
        ),
        ('<dt><button type="button"><span>Depth of the lock</span></button></dt>', "Depth of the lock"),
        ("<div><button aria-expanded=false><span>门槛有多深？</span></button></div>", "门槛有多深？"),
        ("<h3>How deep is the lock? <button>Copy link</button></h3>", "How deep is the lock?"),
        ("<h3><button>#</button> Depth</h3>", "Depth"),
        ("<div>Depth <button aria-expanded=false>Menu</button></div>", "Depth"),
        ("<div>Depth <button>Is this page useful?</button></div>", "Depth"),
    ],
)
def test_a_button_that_is_a_heading_or_folds_an_answer_is_text(block: str, text: str) -> None:
    root = html.fromstring(f"<html><body>{block}</body></html>")
    lines = [line.text for line in segment(root).lines]
    assert lines == [text]
    assert list(inline_lines(root.find("body")[0], "http://a.example/")) == lines


def test_a_template_is_text_where_a_browser_shows_it_as_the_inside_of_its_element() -> None:
    shown = (
        '<my-page><template shadowrootmode="open"><style>p{}</style><h2>Locks</h2><slot></slot></template></my-page>'
    )
    root = html.fromstring(f"<html><body>{shown}<template><p>A card of a shop.</p></template></body></html>")
    assert [line.text for line in segment(root).lines] == ["Locks"]
