"""Threads: which blocks are posts, what of them is kept, who wrote them when."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focuscrawl import plugins
from focuscrawl.extraction.base import Extraction, Record
from focuscrawl.extraction.main_content import Judged
from focuscrawl.extraction.post_lists import PageLists
from focuscrawl.extraction.segments import Segments, segment, words
from focuscrawl.extraction.thread_records import ThreadExtractor
from focuscrawl.extraction.threads import Thread, find_thread
from focuscrawl.extraction.visible_lines import visible
from focuscrawl.page.analysis import analyse
from focuscrawl.page.tree import parse
from focuscrawl.text.tokenize import make_tokenizer

TEXTS = (
    "The lower gate of our lock sticks at half height since the frost. Has anyone seen this before?",
    "Ours did the same in January. We let the chamber run dry and found a log below the sill.",
    "Thanks.",
    "It was a log indeed! We needed two boats and a winch to pull it out, and the gate moves freely again.",
)
NAMES = ("ann_lee", "bo", "ann_lee", "cy.poe")


def lines_of(html: str) -> Segments:
    tree = parse(html)
    assert tree is not None
    return visible(segment(tree.root))


def thread_of(
    html: str, sure: dict[str, float], *, expected: bool = False, title: str = "The lower gate"
) -> Thread | None:
    """Return the thread on a page whose lines are as probable as `sure` says, 0.05 otherwise."""
    found = lines_of(html)
    p = np.array([next((v for k, v in sure.items() if k in line.text), 0.05) for line in found.lines], np.float32)
    weights = np.array([words(line.text) for line in found.lines], np.float32)
    return find_thread(found, p, weights, threshold=0.5, title=title, expected=expected)


def post(at: int) -> str:
    return (
        f"<div class='post n{at}'><div class=userbox><a href=/u/{at} class=username>{NAMES[at]}</a>"
        f"<div class=rank>Lock keeper, 668 posts</div></div><div class=when>2021-03-0{at + 1} 10:30</div>"
        f"<div class=text><p>{TEXTS[at]}</p><div class=signature>Keep calm and mind the sill</div>"
        f"<ul class=buttons><li>Quote</li><li>Like</li></ul></div></div>"
    )


PAGE = (
    "<title>The lower gate - Canal talk</title><div class=nav><a href=/>Board index</a></div><h1>The lower gate</h1>"
    f"<div class=list>{''.join(map(post, range(4)))}</div><div class=foot>Powered by the water</div>"
)
SURE = {TEXTS[0]: 0.9, TEXTS[1]: 0.6, TEXTS[2]: 0.2, TEXTS[3]: 0.4}


def test_each_post_is_kept_and_nothing_around_it() -> None:
    thread = thread_of(PAGE, SURE)
    assert thread is not None
    found = lines_of(PAGE)
    assert [found.lines[at].text for at in thread.chosen] == ["The lower gate", *TEXTS]
    assert (len(thread.posts), thread.marked, thread.named) == (4, 1.0, 1.0)


def test_the_fit_by_hand() -> None:
    # posts of 10 words, all at 0.5, and 10 words outside at 0.25: density 0.5, share 20/22.5 of the rest
    ten = "one two three four five six seven eight nine"
    html = "<h1>Gate</h1>" + "".join(
        f"<div class=row><p class=username>a{at}</p><div class=message>{ten} ten{at}</div></div>" for at in range(4)
    )
    found = lines_of(html + f"<p>{ten} {ten[:3]}</p>")
    p = np.array(
        [0.5 if "ten" in line.text else 0.25 if "one" in line.text else 0.0 for line in found.lines], np.float32
    )
    weights = np.array([words(line.text) for line in found.lines], np.float32)
    page = PageLists(found, p, weights, 0.5, "Gate")
    best = max(
        (one for group in page.candidates(expected=False) if (one := page.measured(group))), key=lambda one: one.score
    )
    assert best.density == pytest.approx(0.5)
    assert best.fit == pytest.approx(2 * 0.5 * (20 / 22.5) / (0.5 + 20 / 22.5))
    assert best.score == pytest.approx(best.fit)  # marked and named throughout


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0.0, 1.0), min_size=60, max_size=60), st.booleans())
def test_whatever_the_judge_thinks_lines_are_in_order_and_posts_apart(p: list[float], expected: bool) -> None:
    found = lines_of(PAGE)
    q = np.array(p[: len(found.lines)], np.float32)
    weights = np.array([words(line.text) for line in found.lines], np.float32)
    thread = find_thread(found, q, weights, threshold=0.5, title="The lower gate", expected=expected)
    if thread is not None:
        assert thread.chosen == sorted(set(thread.chosen))
        of_posts = [at for one in thread.posts for at in one.lines]
        assert len(of_posts) == len(set(of_posts))
        assert 0.0 <= thread.score <= 1.0


def test_teasers_are_no_posts() -> None:
    items = "".join(
        f"<div class=post><h2><a href=/{at}>What keepers say about gate {at}</a></h2><p class=date>2021-03-01</p>"
        f"<p class=excerpt>{TEXTS[3]}</p></div>"
        for at in range(5)
    )
    assert thread_of(f"<h1>Canal news</h1>{items}", {TEXTS[3]: 0.6}, title="Canal news") is None


def test_comments_below_an_article_are_no_thread() -> None:
    article = "".join(f"<p>{TEXTS[0]} {at}</p>" for at in range(20))
    page = f"<h1>The lower gate</h1><article>{article}</article>{''.join(map(post, range(1, 4)))}"
    assert thread_of(page, {TEXTS[0]: 0.95, TEXTS[1]: 0.3, TEXTS[3]: 0.3}) is None


def test_paragraphs_of_an_article_are_no_thread() -> None:
    article = "".join(f"<p class=text>{text}</p>" for text in TEXTS)
    assert thread_of(f"<h1>The lower gate</h1>{article}", dict.fromkeys(TEXTS, 0.95)) is None


@pytest.mark.parametrize("head", ["<thead><tr>{}</tr></thead>", "<tr class=head>{}</tr>"])
def test_tables_of_times_are_no_thread(head: str) -> None:
    columns = head.format("<th>lock of the canal</th><th>opened at</th><th>boats let through</th>")
    table = "<table>{}<tbody>{}</tbody></table>"
    rows = "<tr><td>lock {0}</td><td>2021-03-04 09:30</td><td>{0} boats</td></tr>"
    tables = "".join(table.format(columns, rows.format(at)) for at in range(24))
    html = f"<h1>The lower gate</h1><article>{tables}</article>"
    assert thread_of(html, {"lock": 0.9, "2021": 0.9, "boats": 0.9}) is None


def test_replies_within_posts_are_posts() -> None:
    reply = (
        "<div class=comment-row><span class=comment>{0}</span><p class=comment-text>{1}</p><p class=user>{0}</p></div>"
    )
    answers = "".join(
        f"<div class=answer><p class=author>{NAMES[at]}</p><div class=prose>{TEXTS[at]}</div>"
        + "".join(reply.format("dee", f"You could have asked me about {what} before.") for what in ("it", "that"))
        + "</div>"
        for at in (1, 3)
    )
    sure = {TEXTS[1]: 0.9, TEXTS[3]: 0.9, "You could": 0.5}
    thread = thread_of(f"<h1>The lower gate</h1>{answers}", sure, expected=True)
    assert thread is not None
    found = lines_of(f"<h1>The lower gate</h1>{answers}")
    text = [found.lines[at].text for at in thread.chosen]
    assert sum("You could have asked" in line for line in text) == 4


def test_an_empty_page_has_no_thread() -> None:
    nothing = np.zeros(0, np.float32)
    assert find_thread(Segments(), nothing, nothing, threshold=0.5, title="") is None


def extracted(
    html: str, url: str = "http://canal.example/forum/t/17", texts: tuple[str, ...] = TEXTS, *, doubt: float = 0.2
) -> Extraction | None:
    """Return what is made of a page by a judge that knows the texts and gives `doubt` to the rest."""
    page = analyse(html.encode(), url, tokenizer=make_tokenizer("words"))
    if page.tree is None:
        return ThreadExtractor().extract(page)
    found = visible(segment(page.tree.root))
    p = np.array([0.8 if line.text in texts else doubt for line in found.lines], np.float32)
    weights = np.array([words(line.text) for line in found.lines], np.float32)
    return ThreadExtractor().extract_judged(page, Judged(found, p, weights, 0.5))


def test_records_have_author_and_date() -> None:
    found = extracted(PAGE)
    assert found is not None
    assert found.records == tuple(
        Record(text, name, f"2021-03-0{at + 1}T10:30") for at, (text, name) in enumerate(zip(TEXTS, NAMES, strict=True))
    )
    assert found.text == "The lower gate\n\n" + "\n\n".join(TEXTS)
    assert found.method == "threads"
    assert "4 posts" in found.confidence.reason


@pytest.mark.parametrize("head", ["{name} 5 points 3 days ago", "{name} wrote on 2021-03-04 10:30, no. 1184"])
@pytest.mark.parametrize("link", ["<a class=author href=/x>{name}</a>", "<a href=space-uid-17.html>{name}</a>"])
def test_a_name_that_stands_in_one_line_with_other_things_is_the_author(head: str, link: str) -> None:
    posts = "".join(
        f"<div class=post><div class=tagline>{head.format(name=link.format(name=name))}</div><p>{text}</p></div>"
        for name, text in zip(NAMES, TEXTS, strict=True)
    )
    found = extracted(f"<title>The lower gate</title><h1>The lower gate</h1><div>{posts}</div>", doubt=0.05)
    assert found is not None
    assert [record.author for record in found.records] == list(NAMES)


def test_a_chinese_thread() -> None:
    says = (
        "下闸门冻住了，开到一半就卡死，有人遇到过吗？我们试了好几次都没有用。",
        "我们这边也是，把水放干之后发现门槛下面有根木头。",
        "谢谢！",
    )
    posts = "".join(
        f"<div class=l_post><ul class=p_author><li class=d_name>看闸人{at}</li></ul>"
        f"<div class=post_content>{text}</div><div class=tail>来自客户端{at + 1}楼2021-03-04 10:0{at}</div>"
        "<div class=reply>回复收起回复</div></div>"
        for at, text in enumerate(says)
    )
    found = extracted(
        f"<title>闸门卡住了_运河吧</title><h1>闸门卡住了</h1><div>{posts}</div>", "http://canal.example/p/17", says
    )
    assert found is not None
    assert [record.text for record in found.records] == list(says)
    assert [record.published for record in found.records] == [f"2021-03-04T10:0{at}" for at in range(3)]


def test_a_date_that_only_an_element_declares() -> None:
    page = PAGE.replace("<div class=when>2021-03-02 10:30</div>", "<time datetime=2021-03-02>yesterday</time>")
    found = extracted(page)
    assert found is not None
    assert found.records[1].published == "2021-03-02"


def test_a_date_that_an_item_of_a_list_has_for_its_title() -> None:
    shown = '<ul class=when><li title="March 2, 2021, 10:38 a.m.">2 Mar</li></ul>'
    found = extracted(PAGE.replace("<div class=when>2021-03-02 10:30</div>", shown))
    assert found is not None
    assert found.records[1].published == "2021-03-02"


def test_posts_that_say_how_long_ago_they_were_written_are_told_by_the_tooltip() -> None:
    lapse = ("将近 2 年", "超过一年", "3 天", "一年")
    posts = "".join(
        f"<div class='message' id=message-{at}><h4><a href='?r={at}#message-{at}'>RE: The lower gate</a> - 由"
        f" <a class='user active' href=/users/{at}>{name}</a> 在 <a title='2021-03-0{at + 1} 10:30' href=/on>{ago}</a>"
        f" 之前添加</h4><div class=wiki><p>{text}</p></div></div>"
        for at, (name, text, ago) in enumerate(zip(NAMES, TEXTS, lapse, strict=True))
    )
    found = extracted(f"<title>The lower gate</title><h1>The lower gate</h1><div>{posts}</div>", doubt=0.05)
    assert found is not None
    assert [(record.author, record.published) for record in found.records] == [
        (name, f"2021-03-0{at + 1}T10:30") for at, name in enumerate(NAMES)
    ]


def test_a_name_in_a_block_named_after_authors_is_the_text_of_the_link_to_them() -> None:
    head = "<div><span class=author>Added by <a href=/users/{name}>{name}</a> 2 years ago</span></div>"
    posts = "".join(
        f"<div class=post>{head.format(name=name)}<p>{text}</p></div>" for name, text in zip(NAMES, TEXTS, strict=True)
    )
    found = extracted(f"<title>The lower gate</title><h1>The lower gate</h1><div>{posts}</div>", doubt=0.05)
    assert found is not None
    assert [record.author for record in found.records] == list(NAMES)


def test_the_first_post_has_its_byline_where_it_stands_before_the_list_of_the_others() -> None:
    others = map(post, range(1, 4))
    opening = (
        "<div class=opening><h2 class=author-name>ann_lee</h2><span>1 March 2021</span>"
        f"<div class=text><p>{TEXTS[0]}</p></div></div>"
    )
    page = f"<title>The lower gate</title><h1>The lower gate</h1>{opening}<div class=list>{''.join(others)}</div>"
    found = extracted(page, doubt=0.05)
    assert found is not None
    assert [(record.author, record.published) for record in found.records[:2]] == [
        ("ann_lee", "2021-03-01"),
        (NAMES[1], "2021-03-02T10:30"),
    ]
    assert found.author == "ann_lee"


def test_the_way_to_log_in_is_no_member_though_its_address_is_below_theirs() -> None:
    way = "<div class=head><a href='/user/login/?next=/forum/t/17'>Log in</a></div>"
    found = extracted(PAGE.replace("<h1>", f"{way}<h1>"))
    assert found is not None
    assert found.records[0].author == "ann_lee"


@pytest.mark.parametrize("subject", ["The lower gate", "Re: The lower gate ¶", "回复：The lower gate"])
def test_a_subject_above_the_first_post_is_no_post(subject: str) -> None:
    html = PAGE.replace("<div class='post n0'>", f"<p>{subject}</p><div class='post n0'>")
    found = extracted(html, texts=(*TEXTS, subject))
    assert found is not None
    assert [record.text for record in found.records] == list(TEXTS)


def comment(at: int, n: int) -> str:
    said = f"<div class=comment-body><p>So says page {at}{n} of my old book on locks and weirs.</p></div>"
    by = f"<div class=comment-by><a href=/users/{n}/>commenter_{'abc'[n]}</a> (2021-04-0{n + 1})</div>"
    return f"<div class=comment>{said}{by}</div>"


def answer(at: int) -> str:
    by = f"<div class=by><a href=/users/{at}/>{NAMES[at]}</a> answered 2021-03-0{at + 1}</div>"
    comments = "".join(comment(at, n) for n in range(at))
    text = f"<div class=text><p>{TEXTS[at]}</p></div>"
    return f"<div class='post answer'>{text}{by}<div class=comments>{comments}</div></div>"


def test_comments_stand_behind_the_answer_they_are_on() -> None:
    said = [f"So says page {at}{n} of my old book on locks and weirs." for at in (3, 1) for n in range(at)]
    answers = "".join(map(answer, (3, 1, 0)))
    html = f"<title>The lower gate</title><h1>The lower gate</h1><div>{answers}</div>"
    found = extracted(html, texts=(*TEXTS, *said))
    assert found is not None
    assert [(record.author, record.published) for record in found.records] == [
        ("cy.poe", "2021-03-04"),
        ("commenter_a", "2021-04-01"),
        ("commenter_b", "2021-04-02"),
        ("commenter_c", "2021-04-03"),
        ("bo", "2021-03-02"),
        ("commenter_a", "2021-04-01"),
        ("ann_lee", "2021-03-01"),
    ]


@pytest.mark.parametrize("label", ["Author: ", "作者：", "Posted by: "])
def test_rows_above_the_posts_name_author_and_date(label: str) -> None:
    said = [f"{TEXTS[at % 4]} So it was at lock {at}." for at in range(20)]
    rows = "".join(
        f"<tr><th>msg{at}</th><th>{label}{NAMES[at % 4]}</th><th>Date: 2021-03-{at + 1:02d}.10:30:00</th></tr>"
        f"<tr><td class=content colspan=3>{text}</td></tr>"
        for at, text in enumerate(said)
    )
    above = "<h1>The lower gate</h1><p>Created on 2026-11-29 by admin</p>"
    found = extracted(f"<title>The lower gate</title>{above}<table>{rows}</table>", texts=tuple(said))
    assert found is not None
    shown = [(record.author, (record.published or "")[:10]) for record in found.records if record.text in said]
    assert shown == [(NAMES[at % 4], f"2021-03-{at + 1:02d}") for at in range(20)]


def test_the_day_on_which_a_member_joined_is_no_date_of_a_post() -> None:
    joined = PAGE.replace("Lock keeper, 668 posts", "Registered: 2019-03-01")
    found = extracted(joined)
    assert found is not None
    assert found.published == "2021-03-01T10:30"
    assert [record.published for record in found.records] == [f"2021-03-0{at + 1}T10:30" for at in range(4)]


def test_an_article_is_left_to_others() -> None:
    paragraphs = "".join(f"<p>{text}</p>" for text in TEXTS)
    assert extracted(f"<h1>The lower gate</h1><article>{paragraphs}</article>") is None
    assert extracted("") is None


def test_it_is_a_plug_in() -> None:
    assert isinstance(plugins.build("extractors", "threads"), ThreadExtractor)
