"""Messages in archives of mailing lists: what is their text, and who sent them."""

from __future__ import annotations

import pytest
from cpu_kit import cpu_limit

from focuscrawl.extraction.fields import page_fields
from focuscrawl.extraction.mail_messages import header_lines
from focuscrawl.extraction.router import RouterExtractor
from focuscrawl.extraction.segments import segment
from focuscrawl.page.analysis import analyse
from focuscrawl.page.tree import parse
from focuscrawl.text.tokenize import make_tokenizer

TOKENIZER = make_tokenizer("words")
TEXT = """Dear all,

this is my second year with bees, and I wonder when to open the hive for the first time.
The willows are out here, and the bees bring in pollen on warm days, but nights are still
below freezing. Is there any harm in a short look at the stores?

Martha
"""
MAILMAN = f"""<h1>[Bees] When to open the hive</h1>
<b>Martha Green</b> <a href="mailto:bees%40lists.example.org?Subject=Re">martha at example.org</a><br>
<i>Tue Mar  3 19:05:22 EST 2015</i>
<p><ul><li>Previous message: <a href="12.html">[Bees] Wax moths</a></li>
<li><b>Messages sorted by:</b> <a href="date.html">[ date ]</a> <a href="thread.html">[ thread ]</a></li></ul><hr>
<pre>{TEXT}</pre><hr><a href="/listinfo">More information about the Bees mailing list</a>"""
MHONARC = f"""[<a href="11.html">Date Prev</a>][<a href="14.html">Date Next</a>][<a href="t.html">Thread Index</a>]
<h1>When to open the hive</h1><hr>
<ul><li><em>To</em>: <a href="mailto:bees@lists.example.org">bees@xxxxx</a></li>
<li><em>Subject</em>: When to open the hive</li>
<li><em>From</em>: Martha Green &lt;<a href="mailto:martha@example.org">martha@xxxxx</a>&gt;</li>
<li><em>Date</em>: Tue, 3 Mar 2015 19:05:22 -0500</li></ul><hr>
<pre>{TEXT}</pre><hr>
<ul><li><strong>Follow-Ups</strong>:<ul><li><a href="14.html">Re: When to open the hive</a></li></ul></li></ul>
<ul><li>Prev by Date: <a href="12.html">Wax moths</a></li></ul>"""
HYPERMAIL = f"""<h1>When to open the hive</h1>
<address><span id="from"><dfn>From</dfn>: Martha Green &lt;<a href="mailto:martha">martha_at_example.org</a>&gt;</span>
<br><span><dfn>Date</dfn>: Tue, 3 Mar 2015 19:05:22 -0500</span></address><p>{TEXT}</p>"""


HEADERS = """From: Martha Green &lt;martha@example.org&gt;
To: bees@lists.example.org,
 wax@lists.example.org
Subject: <a href="#r" id="t">{subject}</a>
Date: Tue, 3 Mar 2015 19:05:22 -0500
Message-ID: &lt;13@example.org&gt; (<a href="raw">raw</a>)
"""


@pytest.mark.parametrize(
    ("shown", "author"),
    [
        (
            f"<pre><a href=../>bees and wax</a> / <a href=help>help</a></pre><pre id=b>{HEADERS}\n{TEXT}</pre>",
            "Martha Green",
        ),
        (f"<pre>{TEXT}\n{HEADERS}</pre>", None),
        (f"<pre>{HEADERS.replace('{subject}', 'Wax moths')}\n{TEXT}</pre>", None),
        (f"<p>By Ann Lee</p><pre>{HEADERS}\n{TEXT}</pre>", "Ann Lee"),
    ],
    ids=["the message", "quoted", "of another page", "of an article"],
)
def test_a_message_that_is_shown_as_it_came_has_its_sender(shown: str, author: str | None) -> None:
    body = shown.replace("{subject}", "When to open the hive")
    html = f"<html><head><title>When to open the hive - Martha Green</title></head><body>{body}</body></html>"
    page = analyse(html.encode(), "http://lists.example.org/bees/13/", tokenizer=TOKENIZER)
    assert page_fields(page).author == author


@pytest.mark.parametrize("body", [MAILMAN, MHONARC, HYPERMAIL], ids=["Mailman", "MHonArc", "hypermail"])
def test_a_message_has_its_sender_its_day_and_its_text(body: str) -> None:
    html = f"<html><head><title>When to open the hive</title></head><body>{body}</body></html>"
    page = analyse(html.encode(), "http://lists.example.org/bees/13.html", tokenizer=TOKENIZER)
    found = RouterExtractor().extract(page)
    assert found is not None
    assert found.author == "Martha Green"
    assert (found.published or "")[:10] == "2015-03-03"
    for said in ("When to open", "Dear all,", "Is there any harm"):
        assert said in found.title + found.text
    for said in ("mailto", "example.org", "xxxxx", "19:05", "Subject", "From", "sorted by", "Wax moths", "Follow-Ups"):
        assert said not in found.text


def test_a_sender_in_the_head_has_no_address() -> None:
    head = '<meta name="Author" content="Martha Green (martha_at_example.org)"><title>Hives</title>'
    page = analyse(f"<head>{head}</head><p>{TEXT}".encode(), "http://e.org/13.html", tokenizer=TOKENIZER)
    found = RouterExtractor().extract(page)
    assert found is not None
    assert found.author == "Martha Green"


def lines(html: str) -> list[str]:
    tree = parse(f"<body>{html}</body>")
    assert tree is not None
    found = segment(tree.root)
    return [found.lines[at].text for at in sorted(header_lines(found))]


@pytest.mark.parametrize(
    "html",
    [
        # A message that a text quotes has no link to write to its sender.
        "<p>From: Ann Lee</p><p>Date: 3 March 1999</p><p>Subject: the lock</p><p>The lock is open again.</p>",
        # An address below a heading, and no day.
        '<h1>Write to us</h1><b>Office</b> <a href="mailto:a@b.org">a@b.org</a><br>We are there each day.',
        '<p>Date: <a href="mailto:a@b.org">tell us</a></p><p>Subject: any</p>',
        '<p>From: <a href="mailto:a@b.org">the mayor</a></p><p>With love.</p>',
        "<p>Next message: none</p>",
        "",
    ],
)
def test_other_lines_are_no_headers(html: str) -> None:
    assert lines(html) == []


def test_headers_far_below_are_text() -> None:
    headers = '<p>From: Ann &lt;<a href="mailto:a@b.org">a@b.org</a>&gt;</p><p>Subject: the lock</p>'
    assert len(lines(headers)) == 2
    assert lines("<p>A line of a text.</p>" * 60 + headers) == []


def test_many_lines_of_headers_cost_little() -> None:
    html = "<p>From: a</p>" * 20_000 + "<pre>" + "Subject: x\n" * 20_000 + "</pre>"
    with cpu_limit(10.0):
        assert lines(html) == []
