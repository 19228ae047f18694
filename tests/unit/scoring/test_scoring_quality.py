"""Links that are no content."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_kit import HandTopic, link, page

from focuscrawl.scoring.quality import make_quality
from focuscrawl.types import Explained


def _quality(url: str) -> Explained:
    [score] = make_quality().score([link(url)], page(), HandTopic())
    return score


@pytest.mark.parametrize(
    ("url", "value"),
    [
        ("http://e.com/", 1.0),
        ("http://e.com/chess/openings.html", 1.0),
        ("http://e.com/view.php?id=12", 1.0),
        ("http://e.com/list?cat=3&page=2", 1.0),
        ("http://e.com/server/admin/guide/", 1.0),  # a section on administration
        ("http://e.com/2024/05/share/my-trip.html", 1.0),  # a section called share
        ("http://e.com/%E5%88%86%E4%BA%AB/", 1.0),
        ("http://e.com/a.jpg", 0.0),
        ("http://e.com/a.PDF?v=2", 0.0),
        ("http://e.com/music/song.mp3", 0.0),
        ("http://e.com/linux.iso.torrent", 0.0),
        ("http://e.com/wiki/Node.js", 1.0),  # scripts are hardly linked to, libraries named so are
        ("http://e.com/docs/System.map/", 1.0),
        ("http://e.com/2024/report.pdf/?page=2", 1.0),
        ("http://e.com/login", 0.1),
        ("http://e.com/wp-admin/post.php", 0.1),
        ("http://e.com/a/wp-login.php?redirect_to=x", 0.1),
        ("http://e.com/a/?replytocom=12", 0.1),
        ("http://e.com/a/print", 0.1),
        ("http://e.com/en/latest/_sources/locks.rst.txt", 0.0),
        ("http://e.com/sources/locks.txt", 1.0),
        ("http://e.com/w/index.php?title=A&action=edit", 0.1),
        ("http://e.com/a?sid=0123456789abcdef", 0.2),
        ("http://e.com/a;jsessionid=0123456789ABCDEF", 0.2),
        ("http://e.com/calendar/2031-07", 0.2),
        ("http://e.com/events?date=20310701&x=1", 0.2),
        ("http://e.com/list?sort=a&order=b&color=c", 0.6),
        ("http://e.com/list?sort=a&order=b&color=c&size=d", 0.36),
    ],
)
def test_quality_of_an_address(url, value):
    scored = _quality(url)
    assert scored.value == pytest.approx(value)
    assert bool(scored.reason) == (value < 1.0)


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_address_has_a_quality_in_range(path, query):
    assert 0.0 <= _quality(f"http://e.com/{path}?{query}").value <= 1.0


@pytest.mark.parametrize(
    ("url", "value"),
    [
        ("https://blogs.example/abuse/?report_url=http://e.com/2016/tea/", 0.1),
        ("https://pins.example/create/?url=https%3A%2F%2Fe.com%2F2016%2Ftea&media=x", 0.1),
        ("http://e.com/enter?next=http://e.com/2016/tea/index.html", 0.1),
        ("http://e.com/go?to=http://f.com/2016/tea/", 1.0),  # leads elsewhere
        ("http://e.com/2016/tea/?page=2", 1.0),
        ("http://f.com/e.com/2016/tea/", 1.0),
    ],
)
def test_an_address_that_carries_the_page_s_own_is_its_machinery(url, value):
    scores = [
        make_quality().score([link(url)], page(f"http://e.com/2016/tea/{end}"), HandTopic())
        for end in ("", "index.html")
    ]
    assert [one.value for [one] in scores] == [value, value]
    assert ("carries this page's address" in scores[0][0].reason) == (value < 1.0)
