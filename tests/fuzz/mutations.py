"""Inputs for the readers: honest examples of each kind, and what chance makes of them."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_GOLDEN = _HERE.parent / "unit" / "page" / "golden"
_TOPICS = _HERE.parent.parent / "topics"
_MOST_BYTES = 200_000
_PAGE = """<!doctype html><html lang=en><head><title>Lock gate</title><meta charset=utf-8>
<meta http-equiv=refresh content="9; url=/next"><meta name=robots content=noindex><base href="/a/">
<link rel=alternate type="application/rss+xml" href=feed title=Feed><script type="application/ld+json">
{"@type": "Article", "datePublished": "2024-05-06T07:08:09Z", "author": {"name": "Bob"}}</script></head><body>
<nav><a href=/>Home</a> | <a href="/lock?page=2" rel=next>Lock 2</a></nav><h1>The lock</h1><p class=date>6 May 2024</p>
<div class=post id=p1><div class=author>Bob</div><time datetime=2024-05-06>6 May</time><p>The gate of the lock is open,
and a barge waits below it until noon.</p></div><div class=post id=p2><div class=author>Ann</div><p>The keeper shut the
lower gate of the lock, and the water rose.</p></div><table><tr><td>1</td><td><a href=c.pdf>c</a></td></tr></table>
<form action=/s><select><option>a</option></select></form><map><area href=m alt=map></map><img src=i.png alt="水闸">
<p>水闸看守人清晨打开下闸门，两艘驳船在堰下等候，到了中午闸室才注满水。</p></body></html>"""
_RSS = """<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Canal</title><link>http://canal.example/</link>
<item><title>Lock &amp; gate</title><link>/lock</link><guid isPermaLink="false">tag:1</guid><category>locks</category>
<pubDate>Mon, 06 May 2024 07:08:09 +0200</pubDate><dc:creator>Bob</dc:creator>
<description>The gate is open</description>
<content:encoded><![CDATA[<p>The <b>gate</b> of the lock is open.</p>]]></content:encoded></item></channel>
</rss>"""
_ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://canal.example/a/"><title type="html">
&lt;b&gt;Canal</title><entry><id>urn:1</id><link rel="alternate" href="lock"/>
<updated>2024-05-06T07:08:09.5Z</updated><title>Lock</title>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>The gate.</p></div></content></entry></feed>"""
_RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item
rdf:about="http://canal.example/x"><title>x</title><link>http://canal.example/x</link></item></rdf:RDF>"""
_SITEMAP = """<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://canal.example/a</loc><lastmod>
2024-05-06</lastmod><priority>0.5</priority></url></urlset>"""
_TOPIC = """name = "locks"
title = "Locks"
language = "en"
seeds = ["http://canal.example/"]
[terms]
"lock" = 1.0
"lock gate" = { weight = 0.5 }
[synonyms]
"lock" = ["sluice"]
[excluded]
"padlock" = 0.9
[samples]
relevant_text = ["The gate of the lock is open, and a barge waits below it until noon."]
[scope]
exclude = "(a+)+$"
max_depth = 9
[judge]
name = "boolean"
expression = "lock AND (gate OR NOT key)"
threshold = "adaptive"
[ranking]
strategy = "heuristic"
[budget]
pages = 100
"""
_URLS = """http://user:pw@Canal.EXAMPLE:80/a/../b/./c;jsessionid=1?utm_source=x&b=%e6%b0%b4&a#f
//canal.example/x
http://[::ffff:7f00:1]:99999/
http://xn--8s-87g.example/%6%31%00
?q=水闸
https://水闸.example/水闸?水闸
http://0x7f.1/\\x
javascript:alert(1)"""
TOKENS = {
    "page": """<!-- --> <!--x <?php <?xml <![CDATA[ ]]> <p <div> </div> <b><i> </b> <table> <tr> <td> <select> <svg>
<math> <template> <noframes> <frameset> <frame> <body> </body> </html> <head> <title> <textarea> <style>
<script> </script <base href=http://[> <a href= <a href="http://a.example/ <meta charset= gbk utf-7
utf-16 <meta http-equiv=refresh content= <link rel=canonical href= <h1> <br> <time datetime= 9999-99-99
<iframe srcdoc= &#0; &#xd800; &#x110000; &#99999999999999; &amp &nbsp; &notit; " ' > = / \\ class=post
id= <li> <dl><dt> {"@graph":[ "@type":"Article" 2024年5月6日 12:00 楼主 发表于 回复 第1页 « » ( ) javascript: data:
mailto: <marquee> <plaintext> <xmp> <ruby> <option>""",
    "url": """http:// https:// // /../ /./ %2e%2e %00 %ff %C0%AF @ : :0 :80 :65536 [ ] [::1] [v1.a] .. ... . .com
.co.uk xn-- xn--a xn--99999 ? & ; # = + \\ | ^ ` { } jsessionid= PHPSESSID= utm_ /a/a/a/a/ 0x7f.1
1.2.3.4.5 0177.1 ftp:""",
    "topic": """[ ] [[ ]] { } = " ' \"\"\" ''' # \\u0000 \\U00110000 \\ud800 1e999 nan inf -inf 0x 1_0 true 1979-05-27
[terms] [samples] [judge] [scope] [ranking] [scorers.uh] [budget] [inherit] weight = expression= AND OR
NOT ( ) NEAR * "../x" "/dev/zero" seed_files samples relevant include exclude regex "(a+)+$" "["
threshold name language zh auto parents clc:R2 max_depth pages minutes""",
    "feed": """<!DOCTYPE [<!ENTITY ]> &x; %x; <!-- --> <![CDATA[ ]]> <?xml encoding= ?> <item> </item> <entry> <link>
<rss> <feed> <rdf:RDF> xmlns= xmlns:a= xml:base= xml:lang= <a:b type="html" type="xhtml" mode=escaped
base64 <guid> <pubDate> 2024-13-99T99:99:99Z Mon, 99 Foo 0000 +9999 &#0; &#xd800; &#99999999999;
&lt;p&gt; <urlset> <sitemapindex> <loc> <enclosure length=""",
}
_CHARACTERS = "\x00\x01\x1b\x7f\x85\xa0\u0301\u200b\u202e\u2028\ud800\ufeff\ufffd\ufffe\U0001f600水｡．İßﬀ"


def examples(target: str) -> list[bytes]:
    """Return honest inputs of a target."""
    if target in ("page", "extractors"):
        golden = [path.read_bytes() for path in sorted(_GOLDEN.glob("*/page.html"))]
        return [_PAGE.encode(), *(body for body in golden if len(body) < 20_000)]
    if target == "url":
        return [b"\x00" + _URLS.encode(), *(b"\x01http://a.example/b\n" + line.encode() for line in _URLS.split("\n"))]
    if target == "topic":
        own = [path.read_bytes() for path in sorted(_TOPICS.glob("*.toml"))[:4]]
        return [_TOPIC.encode(), *(text.partition(b"[samples]")[0] for text in own)]
    return [text.encode() for text in (_RSS, _ATOM, _RDF, _SITEMAP)]


@cache
def tokens(target: str) -> list[bytes]:
    """Return pieces that mean something to a target, and characters that are odd anywhere."""
    own = TOKENS["page" if target == "extractors" else target].split()
    return [text.encode("utf-8", "surrogatepass") for text in (*own, *_CHARACTERS, " ", "\n")]


def mutated(draw: random.Random, target: str, corpus: list[bytes]) -> bytes:
    """Return an input that one to eight changes have made of an example."""
    data = bytearray(draw.choice(corpus))
    for _ in range(draw.choice((1, 1, 2, 3, 5, 8))):
        _change(draw, data, tokens(target), corpus)
    return bytes(data[:_MOST_BYTES])


def _change(draw: random.Random, data: bytearray, pieces: list[bytes], corpus: list[bytes]) -> None:
    at = draw.randint(0, len(data))
    end = min(len(data), at + int(draw.expovariate(1 / 40)))
    match draw.randrange(10):
        case 0:
            del data[at:end]
        case 1:
            data[at:at] = data[at:end] * draw.choice((1, 2, 50))
        case 2 | 3 | 4:
            data[at:at] = draw.choice(pieces)
        case 5:
            data[at:at] = draw.choice(pieces) * draw.choice((2, 30, 3000))
        case 6:
            data[at:end] = draw.randbytes(draw.randint(1, 4))
        case 7:
            other = draw.choice(corpus)
            start = draw.randint(0, len(other))
            data[at:end] = other[start : start + draw.randint(0, 400)]
        case 8:
            del data[at:]
        case _:
            encoding = draw.choice(("gb18030", "utf-16-le", "utf-16", "big5", "utf-7", "cp1252", "iso2022_jp"))
            data[:] = bytes(data).decode("utf-8", "replace").encode(encoding, "replace")
