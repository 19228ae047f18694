from __future__ import annotations

import re

import pytest
from cpu_kit import cpu_limit
from hypothesis import given
from hypothesis import strategies as st

from focuscrawl.extraction import control_lines as module
from focuscrawl.extraction.control_lines import control_lines
from focuscrawl.extraction.router import RouterExtractor
from focuscrawl.extraction.segments import segment
from focuscrawl.page.analysis import analyse
from focuscrawl.page.tree import parse
from focuscrawl.text.tokenize import make_tokenizer

TOKENIZER = make_tokenizer("words")
TEXT = "5月18日，首届围棋大赛在文化馆三楼举行，来自各乡镇的六十四名选手参加了比赛，比赛共进行七轮。"


def controls(html: str) -> list[str]:
    tree = parse(f"<body>{html}</body>")
    assert tree is not None
    found = segment(tree.root)
    return [found.lines[at].text for at in sorted(control_lines(found))]


@pytest.mark.parametrize(
    "line",
    [
        '【<a href="#">打印</a>】【<a href="#">关闭</a>】',
        "【字体：大 中 小】",
        '字号：<a href="#">大</a> <a href="#">中</a> <a href="#">小</a>',
        "[打印本页] [关闭窗口]",
        "打印本页",
        '<a href="#">返回顶部</a>',
        "【廣告】",
        "Advertisement",
        "Article continues below advertisement",
        '上一篇：<a href="/2">春节晚会</a>',
        "下一篇：没有了",
        '<a href="/3">Next Post: The gate</a>',
        'Read also: <a href="/3">The mill at the lower gate</a>',
        '<b>Lesen Sie auch:</b> <a href="/3">Die Mühle am unteren Tor</a>',
        'Le puede interesar: <a href="/3">El molino de abajo</a>',
        '延伸阅读：<a href="/3">下闸的水磨</a>',
        "作者：王建国　来源：本站　发布时间：2006-5-18 10:20　点击数：231",
        "[Print] [Close]",
        "最后修改于 2020-06-07",
        "编辑于 2025-10-16 13:27",
        "发表于 2024-01-20 更新于 2024-04-30 分类于 历史 本文字数： 2.6k 阅读时长 ≈ 2 分钟",
        "字数统计: 246 | 阅读时长 ≈ 1",
        "Share on: Twitter ❄ LinkedIn",
        '<a href="/4">Continue reading…</a>',
        '<a href="/4">Continue reading “The gate”</a>',
        '<a href="/4">阅读全文 »</a>',
        'Tags: <a href="/tags/php">php</a>, <a href="/tags/css">css</a>',
        '标签：<a href="/tags/lock">船闸</a>',
        "Tag:",
        "[contact-form id=”12″ title=”Write to us”]",
        '[vc_row][vc_column width="1/2"]',
        "[/caption]",
        '<a href="/share">Tweet</a>',
        "文章数目 :",
        "本站总字数 : 12.4k",
        "本站总访问量 次 本站访客数 人",
        "载入天数...",
        'This entry was posted on Friday, May 3rd, 2013 at 5:00 am and is filed under <a href="/c">Locks</a>. You can '
        'follow any responses to this entry through the <a href="/feed">RSS 2.0</a> feed. Comments are closed.',
        "Your email address will not be published. Required fields are marked *",
        "Name (required)",
        "Mail (will not be published) (required)",
        "XHTML: You can use these tags: &lt;a href=&quot;&quot; title=&quot;&quot;&gt; &lt;b&gt;",
        "您的邮箱地址不会被公开。 必填项已用 * 标注",
        "Theme NexT works best with JavaScript enabled",
        "Please enable JavaScript to view the comments powered by Disqus.",
        "博客在允许 JavaScript 运行的环境下浏览效果更佳",
    ],
)
def test_controls(line: str) -> None:
    assert controls(f"<p>{TEXT}</p><p>{line}</p>") != []


@pytest.mark.parametrize(
    "line",
    [
        "This entry was posted on the door of the church.",
        "Your email address will not be published, the keeper said.",
        "The name (required) is that of the boat.",
        "上一篇文章说到，船闸要在春天才开。",
        "Next post: the lock at the mill, where the keeper lives.",
        "打印机的关闭方法",
        "Tags: the keeper wrote them on each <a href=/gate>gate</a> and took them off in spring.",
        "Tags",
        "标签贴在每一道闸门上。",
        "Tweet",
        "访问量是去年的三倍。",
        "文章数目",
        "How JavaScript works: functions and scope",
        "小",
        "Close",
        "[1]",
        "[edit]",
        "[x = 3]",
        '[caption id="a"] The gate in spring',
        '<code>[contact-form id="12"]</code> writes a form',
        "广告是一门学问。",
        "作者：王建国 来源：本站",
        "点击数：见下表，作者：王建国",
        "相关文章",
        "更新 2024-04-30",
        "更新于 2024-04-30：修复了一个错误",
        "阅读时间太长",
        "Share on Twitter and get paid",
        "Continue reading",
        '<a href="/4">Read more about the gate</a>',
        "Read also: the sign above <a href=/4>the gate</a>, which has been painted anew.",
        "Read next",
    ],
)
def test_text_like_controls(line: str) -> None:
    assert controls(f"<p>{TEXT}</p><p>{line}</p><p>{TEXT}</p>") == []


PATTERNS = (
    "ADVERTISEMENT BESIDE CONTENTS CONTROLS DATED FIGURES LABEL LENGTH MORE RELATED SHARE SIZES SURE TAGGED TWEET"
)


@pytest.mark.parametrize("name", PATTERNS.split())
@given(data=st.data())
def test_no_line_of_a_pattern_is_passed_over_for_how_it_begins(name: str, data: st.DataObject) -> None:
    pattern: re.Pattern[str] = getattr(module, f"_{name}")
    line = data.draw(st.from_regex(pattern, fullmatch=True))
    assert module._BEGINS.match(line) is not None


def test_advertisement_as_a_datum() -> None:
    assert controls("<table><tr><td>广告</td><td>12</td></tr></table><h2>Advertisement</h2>") == []


def test_links_below_their_heading() -> None:
    links = '<li><a href="/1">少儿围棋培训班</a> (2006-4-1)</li><li><a href="/2">象棋比赛</a></li>'
    assert controls(f"<p>相关文章：</p><ul>{links}</ul><p>{TEXT}</p>") == [
        "相关文章：",
        "少儿围棋培训班 (2006-4-1)",
        "象棋比赛",
    ]


def test_read_more_below_the_beginning_of_a_post_is_no_label_of_the_next_one() -> None:
    posts = f'<p>{TEXT}</p><p><a href="/1">Read more</a></p><h2><a href="/2">The mill</a></h2><p>{TEXT}</p>'
    assert controls(posts) == ["Read more"]


def test_controls_in_the_cell_of_the_text() -> None:
    cell = (
        f'{TEXT}<br><br>{TEXT.replace("七", "九")}<br>【<a href="#">打印</a>】【<a href="#">关闭</a>】<br>'
        '字号：<a href="#">大</a> <a href="#">中</a><br>上一篇：<a href="/2">春节晚会</a><br>下一篇：没有了'
    )
    html = f"<meta charset=utf-8><title>围棋大赛</title><table><tr><td>{cell}</td></tr></table>"
    found = RouterExtractor().extract(analyse(html.encode(), "http://a.example/1", tokenizer=TOKENIZER))
    assert found is not None
    assert found.text.split() == [TEXT, TEXT.replace("七", "九")]


@pytest.mark.parametrize("heading", ["Contents", "Table of contents", "On this page", "目录", "文章目录", "Inhalt"])
def test_the_heading_above_links_to_the_sections_of_a_page(heading: str) -> None:
    links = '<ul><li><a href="#use">1 Use in linings</a></li></ul>'
    assert controls(f'<p>{TEXT}</p><div class="toc"><div><h2>{heading}</h2></div>{links}</div><h2>Use</h2>') == [
        heading
    ]
    assert controls(f"<p>{TEXT}</p><div><h2>{heading}</h2></div>{links}") == []
    assert controls(f"<div class=toc><h2>{heading}</h2></div><p>{TEXT}</p>") == []


RELATED = "<h3>{heading}</h3></div><ul><li><p><a href=/2>The mill</a></p><p>It ground corn for years.</p></li></ul>"


@pytest.mark.parametrize("heading", ["Related posts", "相关文章", "You may also like:", "Lire aussi"])
@pytest.mark.parametrize("names", ["class=related-posts", "id=related"])
def test_the_beginnings_of_related_pages_are_none_of_the_text(heading: str, names: str) -> None:
    block = f"<article {names}><div>{RELATED.format(heading=heading)}</article>"
    assert controls(f"<p>{TEXT}</p>{block}<p>Two barges passed.</p>") == [
        heading,
        "The mill",
        "It ground corn for years.",
    ]


def test_a_block_of_related_pages_has_a_heading_that_says_so_at_its_start() -> None:
    shown = RELATED.format(heading="Related posts")
    assert controls(f"<article class=post><div>{shown}</article>") == ["Related posts", "The mill"]
    assert controls(f"<div class=related><p>{TEXT}</p><div>{shown}</div>") == ["Related posts", "The mill"]
    assert controls(f"<div class=related><div>{RELATED.format(heading='Locks')}</div>") == []


def test_lines_deep_inside_a_block_of_related_pages_cost_what_others_do() -> None:
    with cpu_limit(0.5):
        found = controls(f"<p>{TEXT}</p><div class=related><h3>相关阅读</h3>{'<div>' * 2_000}{'<p>一行' * 12_000}")
    assert len(found) == 12_001


@pytest.mark.parametrize(
    ("code", "label"),
    [
        ('<div class="language-sh theme"><button></button><span class=lang>sh</span><pre>ls -l</pre></div>', ["sh"]),
        ("<div class=language-JSON><span>json</span><pre>{}</pre></div>", ["json"]),
        ("<div class=language-sh><span>script.sh</span><pre>ls -l</pre></div>", []),
        ("<div class=language-sh><span>sh</span><p>A shell.</p><pre>ls -l</pre></div>", []),
        ("<div class=language><span>sh</span><pre>ls -l</pre></div>", []),
        ("<div class=language-sh><span>sh</span></div>", []),
    ],
)
def test_the_language_above_a_piece_of_code_is_its_label(code: str, label: list[str]) -> None:
    assert controls(f"<p>{TEXT}</p>{code}") == label


def test_labels_of_fields_to_fill_in() -> None:
    saved = "Save my name, email, and website in this browser for the next time I comment."
    form = (
        "<p>The lower gate sticks since the frost.</p>"
        "<form><p><label for=a>Email <span>*</span></label> <input id=a></p>"
        "<p><label>昵称 <input></label></p><p><label for=b>Comment</label><textarea id=b></textarea></p>"
        f"<p><input type=checkbox id=c> <label for=c>{saved}</label></p></form>"
    )
    assert controls(form) == ["Email *", "昵称", "Comment", saved]


@pytest.mark.parametrize(
    "line",
    [
        "<p><label>The gate was painted green.</label></p>",
        "<p><input type=radio id=a> <label for=a>The gate was painted green.</label></p>",
        "<p>Tick <label for=a>the gate</label> <input id=a> that was painted green.</p>",
    ],
)
def test_labels_that_are_text(line: str) -> None:
    assert controls(f"<p>The lower gate sticks since the frost.</p>{line}") == []
