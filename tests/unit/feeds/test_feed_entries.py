"""Feeds as they come: dialects, encodings, and what is made to hurt."""

from __future__ import annotations

import time

import pytest
from cpu_kit import cpu_limit

from focuscrawl.feeds.entries import MAX_BYTES, MAX_ENTRIES, MAX_TAGS, feed_kind, parse_feed

URL = "https://tea.example/feed.xml"
RSS = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Tea &amp; time</title>
<link>https://tea.example/</link>
<item><title>Older</title><link>/posts/1.html</link><description>Short.</description>
<content:encoded><![CDATA[<p>Leaves are <b>rolled</b>.</p><script>x()</script><p>Then dried.</p>]]></content:encoded>
<category>craft</category><category>craft</category><category>leaf</category>
<pubDate>Mon, 03 Mar 2025 08:00:00 +0800</pubDate><guid isPermaLink="false">id-1</guid></item>
<item><title>Newer &lt;i&gt;one&lt;/i&gt;</title><link>https://tea.example/posts/2.html</link>
<description>Water &amp;amp; fire</description><pubDate>Tue, 04 Mar 2025 08:00:00 +0800</pubDate></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Tea</title><entry><title>One</title>
<link href="posts/1"/><id>tag:1</id><updated>2025-03-03T00:00:00Z</updated>
<summary type="html">&lt;p&gt;short&lt;/p&gt;</summary><content type="html">&lt;p&gt;long text&lt;/p&gt;</content>
</entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<item rdf:about="https://tea.example/a"><title>A</title><link>https://tea.example/a</link>
<description>d</description></item></rdf:RDF>"""


def test_an_rss_feed_gives_its_entries_newest_first() -> None:
    feed = parse_feed(RSS.encode(), URL)
    assert (feed.title, feed.link, feed.reason) == ("Tea & time", "https://tea.example/", "")
    newer, older = feed.entries
    assert newer.title == "Newer one"
    assert newer.text == "Water & fire"
    assert older.link == "https://tea.example/posts/1.html"
    assert older.text == "Leaves are rolled.\nThen dried."
    assert older.categories == ("craft", "leaf")
    assert older.published == "2025-03-03T00:00:00+00:00"
    assert older.id == "id-1"


def test_atom_and_rdf_are_read_too() -> None:
    entry = parse_feed(ATOM.encode(), URL).entries[0]
    assert (entry.link, entry.text) == ("https://tea.example/posts/1", "long text")
    assert parse_feed(RDF.encode(), URL).entries[0].link == "https://tea.example/a"


@pytest.mark.parametrize("declared", ["gbk", "gb2312", "GB18030", ""])
def test_a_chinese_feed_of_an_older_encoding(declared: str) -> None:
    head = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    text = "茶叶采摘之后要摊晾，再用铁锅杀青，最后揉捻成形。" * 20
    body = f"{head}<rss><channel><item><title>茶的做法</title><link>/1</link><description>{text}</description></item>"
    feed = parse_feed((body + "</channel></rss>").encode("gb18030"), URL)
    assert feed.entries[0].title == "茶的做法"
    assert feed.entries[0].text == text


def test_broken_xml_is_read_as_far_as_it_goes() -> None:
    body = "<rss><channel><item><title>A & B<br></title><link>/1</link><description>one & two &nbsp; <p>"
    body += "</description></item><item><title>C</title><link>/2</link><description>cut short"
    feed = parse_feed(body.encode(), URL)
    assert {entry.link for entry in feed.entries} == {"https://tea.example/1", "https://tea.example/2"}


def test_links_of_a_local_feed_are_relative_to_its_site() -> None:
    feed = parse_feed(RSS.encode(), "file:///home/me/feed.xml")
    assert feed.entries[1].link == "https://tea.example/posts/1.html"
    nowhere = parse_feed(ATOM.encode(), "file:///home/me/feed.xml")
    assert nowhere.entries[0].link.endswith(".invalid/posts/1")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"<html><body>no</body></html>", "no feed"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "no feed"),
        (b"plain words", "no feed"),
        (b"<rss><channel></channel></rss>", "no entry"),
        (b'<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><rss>&b;</rss>', "grow"),
        (b'<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><channel>&x;</channel></rss>', "external"),
        (b"<rss>" + b"<a>" * 100_000, "deeper"),
    ],
)
def test_what_is_no_feed_or_a_trap_has_a_reason(body: bytes, reason: str) -> None:
    feed = parse_feed(body, URL)
    assert feed.entries == ()
    assert reason in feed.reason


def test_character_names_that_old_feeds_declare_are_no_bomb() -> None:
    doctype = '<!DOCTYPE rss [<!ENTITY % latin PUBLIC "-//W3C//ENTITIES Latin 1//EN" "x.ent"><!ENTITY nbsp "&#160;">]>'
    item = "<item><title>A&nbsp;B</title><link>/1</link></item>"
    feed = parse_feed(f'<?xml version="1.0"?>{doctype}<rss><channel>{item}</channel></rss>'.encode(), URL)
    assert feed.entries[0].title == "A B"


def test_a_huge_feed_costs_bounded_time() -> None:
    item = b"<item><title>t</title><link>/%d</link><description>" + b"word " * 200 + b"</description></item>"
    body = b"<rss><channel>" + b"".join(item.replace(b"%d", b"%d" % n) for n in range(20_000))
    assert len(body) > 4 * MAX_BYTES
    started = time.process_time()
    feed = parse_feed(body, URL)
    assert time.process_time() - started < 8.0
    assert feed.truncated
    assert 0 < len(feed.entries) <= MAX_ENTRIES


@pytest.mark.parametrize("tag", ["<x/>", "<item/>", "<i></i>"])
def test_of_a_feed_with_a_million_tags_the_entries_before_are_read(tag: str) -> None:
    entry = "<item><title>t</title><link>/1</link></item>"
    body = f"<rss><channel><title>Tea</title>{entry}{tag * (MAX_BYTES // len(tag))}".encode()
    with cpu_limit(10.0):
        feed = parse_feed(body, URL)
    assert (feed.truncated, [one.link for one in feed.entries]) == (True, ["https://tea.example/1"])


def test_of_entries_with_many_tags_fewer_are_read() -> None:
    tags = "<category>herbs</category>" * (2 * MAX_TAGS // MAX_ENTRIES)
    items = "".join(f"<item><link>http://a.org/{at}</link>{tags}</item>" for at in range(MAX_ENTRIES))
    feed = parse_feed(f"<rss><channel>{items}</channel></rss>".encode(), "http://a.org/feed")
    assert feed.truncated
    assert MAX_ENTRIES / 3 < len(feed.entries) < MAX_ENTRIES / 2


def test_of_a_feed_of_nothing_but_references_the_entries_before_are_read() -> None:
    entry = "<item><title>t</title><link>/1</link></item>"
    body = f"<rss><channel><title>Tea</title>{entry}<item><description>{'&' * MAX_BYTES}".encode()
    with cpu_limit(1.0):  # for what is cut costs nothing; read in full it takes 12
        feed = parse_feed(body, URL)
    assert (feed.truncated, [one.link for one in feed.entries]) == (True, ["https://tea.example/1"])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<rss>", "rss"),
        ('<?xml version="1.0"?><!-- hi --><feed xmlns="x">', "atom"),
        ("<rdf:RDF>", "rdf"),
        ("<atom:feed>", "atom"),
        ("<html><rss>", ""),
        ("", ""),
    ],
)
def test_the_root_element_tells_a_feed(text: str, kind: str) -> None:
    assert feed_kind(text) == kind


def _rss(inner: str) -> bytes:
    item = f"<item><title>A</title><link>https://tea.example/a</link>{inner}</item>"
    return f"<rss><channel><title>T</title>{item}</channel></rss>".encode()


@pytest.mark.parametrize(
    ("inner", "reason"),
    [
        (f"<author>{'a' * 300_000}</author>", "letters in a row"),
        (f"<author>{'aaaa<b/>' * 50_000}</author>", "letters in a row"),
        (f"<author>{'a' * 150}<name>b</name>{'a' * 300_000}</author>", "letters in a row"),
        (f"<dc:creator><![CDATA[{'a.' * 100_000}]]></dc:creator>", "letters in a row"),
        (f"<author>{'&#97;' * 60_000}</author>", "letters in a row"),
        (f"<author>&#{'1' * 300_000}</author>", "letters in a row"),
        (f"<author>{'a' * 300_000}", "letters in a row"),
        ("<p " + " ".join(f"a{n}='>'" for n in range(60_000)) + "/>", "more than 64 attributes"),
        (f"<description>{'&amp;' + ' ' * 20_000}</description>", ""),
        (f"<description>{'<!-- -->' * 50_000}</description>", ""),
        (f"<description>{'<!--' * 50_000}</description>", ""),
        (f"<author>{'Wei Tang, ' * 30_000}</author>", ""),
    ],
    ids=lambda text: text[:16],
)
def test_a_feed_made_to_hold_up_its_reader_is_refused_or_read_in_linear_time(inner: str, reason: str) -> None:
    with cpu_limit(8):
        feed = parse_feed(_rss(inner), URL)
    assert reason in feed.reason
    assert bool(feed.entries) is not bool(reason)


def test_a_reference_to_a_number_of_5000_digits_is_no_character() -> None:
    assert parse_feed(_rss(f"<description>a&amp;#{'1' * 5000};b</description>"), URL).entries[0].text == "a\ufffdb"
