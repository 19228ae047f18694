"""The sample web: how much there is, that it is always the same, and that the project reads it right."""

from __future__ import annotations

import hashlib
from collections import Counter
from datetime import date
from urllib.parse import urlsplit

import feedparser
import pytest

from focuscrawl.dedupe.near import NearDuplicates
from focuscrawl.demo.library import Library, subject
from focuscrawl.demo.trap import TRAP_START
from focuscrawl.demo.web import SampleWeb, sample_web, topic_file
from focuscrawl.page.analysis import analyse
from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.tokenize import make_auto
from focuscrawl.topic.spec import load_topic
from focuscrawl.types import UrlKey, digest64

SUBJECTS = ("tea", "tea-en", "tea-trad", "astronomy", "travel", "news", "home", "chess", "bicycle", "gardening")
FEEDS = {
    "http://daily.example/rss.xml": "rss20",
    "http://starlog.example/rss.xml": "rss20",
    "http://greenthumb.example/feed.xml": "rss20",
    "http://chayou.example/atom.xml": "atom10",
}


@pytest.fixture(scope="module")
def web() -> SampleWeb:
    return sample_web()


@pytest.fixture(scope="module")
def analysed(web: SampleWeb) -> dict[str, PageAnalysis]:
    tokenizer = make_auto()
    return {url: analyse(body, url, content_type=kind, tokenizer=tokenizer) for url, (body, kind) in web.pages.items()}


def test_has_at_least_300_pages_on_12_hosts_under_reserved_names(web: SampleWeb) -> None:
    assert len(web.pages) >= 300
    assert len(web.hosts) == 12
    assert {urlsplit(url).hostname for url in web.pages} == set(web.hosts)
    assert all(host.endswith((".example", ".test")) for host in web.hosts)


def test_8_to_12_percent_are_on_topic_on_more_than_half_of_the_hosts(web: SampleWeb) -> None:
    relevant = [url for url, wanted in web.labels.items() if wanted]
    assert 0.08 <= len(relevant) / len(web.labels) <= 0.12
    assert len({urlsplit(url).hostname for url in relevant}) >= 6


def test_is_the_same_when_built_again(web: SampleWeb) -> None:
    sample_web.cache_clear()
    again = sample_web()
    assert again is not web
    assert again.files == web.files
    assert again.labels == web.labels


def test_labels_are_those_of_pages_a_crawl_may_fetch(web: SampleWeb) -> None:
    assert set(web.labels) == set(web.pages) - web.disallowed
    assert web.disallowed == {
        url for url in web.files if url.startswith(("http://citywalk.example/print/", "http://shop.example/cart/"))
    }


def test_relevant_pages_speak_of_tea_and_no_others_do_throughout(
    web: SampleWeb, analysed: dict[str, PageAnalysis]
) -> None:
    words = ("茶", "tea", "leaf", "infusion")
    for url, wanted in web.labels.items():
        if wanted:
            text = "".join(analysed[url].content_tokens)
            assert any(word in text for word in words), url
    talkative = [
        url
        for url, wanted in web.labels.items()
        if not wanted and not web.files[url].grade and "".join(analysed[url].content_tokens).count("茶") > 12
    ]
    # front pages of the tea blogs, which quote their posts
    assert {urlsplit(url).hostname for url in talkative} == {"chayou.example", "gaoshan.test"}


@pytest.mark.parametrize(
    ("host", "codec"),
    [
        ("daily.example", "gb18030"),
        ("bbs.example", "gb18030"),
        ("gaoshan.test", "big5hkscs"),
        ("chayou.example", "utf-8"),
        ("openings.example", "utf-8"),
    ],
)
def test_pages_of_a_host_are_read_in_its_encoding(
    analysed: dict[str, PageAnalysis], web: SampleWeb, host: str, codec: str
) -> None:
    pages = [page for url, page in analysed.items() if urlsplit(url).hostname == host]
    assert {page.encoding for page in pages} == {codec}
    assert not any("\ufffd" in token for page in pages for token in page.tokens)
    name = web.sites[host].name
    assert all(page.title.endswith(name) for page in pages)


def test_bytes_differ_from_utf_8_where_a_host_has_another_encoding(web: SampleWeb) -> None:
    for host in ("daily.example", "bbs.example", "gaoshan.test"):
        with pytest.raises(UnicodeDecodeError):
            web.files[f"http://{host}/"].body.decode("utf-8")


@pytest.mark.parametrize(("url", "version"), FEEDS.items())
def test_feeds_parse_and_lead_to_pages(web: SampleWeb, url: str, version: str) -> None:
    file = web.files[url]
    feed = feedparser.parse(file.body, response_headers={"content-type": file.content_type})
    assert not feed.bozo, feed.get("bozo_exception")
    assert feed.version == version
    assert len(feed.entries) >= 15
    for entry in feed.entries:
        assert entry.link in web.pages
        assert entry.title
        assert date(*entry[("published" if version == "rss20" else "updated") + "_parsed"][:3]) <= date(2026, 4, 30)


def test_feeds_are_announced_by_the_pages_of_their_hosts(analysed: dict[str, PageAnalysis]) -> None:
    announced = {feed.url for page in analysed.values() for feed in page.feeds}
    assert announced == set(FEEDS)


def test_all_pages_can_be_reached_from_the_seeds(web: SampleWeb, analysed: dict[str, PageAnalysis]) -> None:
    depths = _depths(analysed, list(load_topic(str(topic_file())).seed_urls()))
    assert set(web.labels) <= set(depths)


def test_most_links_lead_somewhere(web: SampleWeb, analysed: dict[str, PageAnalysis]) -> None:
    dead = Counter(link.url for page in analysed.values() for link in page.links if web.answer(link.url) is None)
    # what robots.txt of the newspaper closes has no pages behind it
    assert set(dead) == {"http://daily.example/user/login", "http://daily.example/user/register"}


def test_tea_hosts_are_linked_only_from_other_subjects_and_from_tea(
    web: SampleWeb, analysed: dict[str, PageAnalysis]
) -> None:
    """The tunnels: without the pages off topic, most of the pages on topic cannot be reached."""
    direct = {
        url: page
        for url, page in analysed.items()
        if web.files[url].grade or urlsplit(url).hostname in ("daily.example", "webdirectory.example")
    }
    seeds = list(load_topic(str(topic_file())).seed_urls())
    directory = [page for url, page in analysed.items() if urlsplit(url).hostname == "webdirectory.example"]
    assert not any("chayou" in link.url or "gaoshan" in link.url for page in directory for link in page.links)
    across = {
        urlsplit(url).hostname
        for url, page in analysed.items()
        if not web.files[url].grade and any(link.host in ("chayou.example", "gaoshan.test") for link in page.links)
    }
    assert {"starlog.example", "citywalk.example", "greenthumb.example"} <= across
    wanted = {url for url, yes in web.labels.items() if yes}
    assert len(wanted & set(_depths(direct, seeds))) < len(wanted)


def test_pages_carry_navigation_of_their_site(web: SampleWeb, analysed: dict[str, PageAnalysis]) -> None:
    for url, page in analysed.items():
        site = web.sites[str(urlsplit(url).hostname)]
        targets = {link.url for link in page.links}
        home = f"http://{site.host}/"
        assert url == home or home in targets, url


def test_listings_have_pages_and_are_not_relevant_themselves(web: SampleWeb) -> None:
    for url in ("http://daily.example/life/index_2.html", "http://bbs.example/forum-1-2.html"):
        assert url in web.pages
        assert web.labels[url] is False
    assert web.labels["http://bbs.example/forum-4-1.html"] is False  # the board on tea


def test_pages_of_one_subject_are_no_near_duplicates(web: SampleWeb, analysed: dict[str, PageAnalysis]) -> None:
    near = NearDuplicates()
    found = []
    for url, wanted in web.labels.items():
        if wanted:
            tokens = analysed[url].content_tokens
            if near.check(UrlKey(digest64(url)), tokens) is not None:
                found.append(url)
    assert found == []


def test_the_calendar_is_endless(web: SampleWeb) -> None:
    tokenizer = make_auto()
    seen: set[str] = set()
    url = f"http://events.test{TRAP_START}"
    for _ in range(1300):  # more than a century of months
        file = web.answer(url)
        assert file is not None
        assert url not in seen
        seen.add(url)
        html = file.body.decode()
        after = html.split(">Next month<")[0].rsplit('href="', 1)[1].split('"')[0]
        url = f"http://events.test{after}"
    page = analyse(file.body, url, content_type=file.content_type, tokenizer=tokenizer)
    assert len(page.links) > 28
    assert url not in web.pages


@pytest.mark.parametrize(
    "path", ["/calendar/2026/13/", "/calendar/2026/02/30/", "/calendar/0000/01/", "/calendar/", "/calendar/2026/2/"]
)
def test_the_calendar_has_no_impossible_dates(web: SampleWeb, path: str) -> None:
    assert web.answer(f"http://events.test{path}") is None


def test_the_calendar_ends_where_dates_end(web: SampleWeb) -> None:
    assert web.answer("http://events.test/calendar/9998/12/") is not None
    assert web.answer("http://events.test/calendar/9999/12/") is None


@pytest.mark.parametrize(
    "url",
    [
        "http://elsewhere.example/",
        "https://daily.example/",
        "http://daily.example:8080/",
        "http://daily.example/none.html",
        "http://127.0.0.1/",
        "http://[::1/",
        "http://daily.example:port/",
        "/",
        "",
        "ftp://daily.example/",
    ],
)
def test_has_nothing_else(web: SampleWeb, url: str) -> None:
    assert web.answer(url) is None


def test_answers_hosts_in_any_case_and_with_the_port_of_http(web: SampleWeb) -> None:
    assert web.answer("http://DAILY.example:80") is web.files["http://daily.example/"]
    assert web.answer("http://daily.example/?from=feed") is web.files["http://daily.example/"]


@pytest.mark.parametrize("name", SUBJECTS)
def test_texts_have_no_sentence_twice(name: str) -> None:
    texts = subject(name)
    assert len(set(texts.sentences)) == len(texts.sentences)
    assert all("{thing}" in line for line in (*texts.patterns, *texts.intros))
    assert not any("{" in line for line in (*texts.sentences, *texts.titles, *texts.things))


def test_six_subjects_have_at_least_40_sentences() -> None:
    large = [n for n in SUBJECTS if len(subject(n).sentences) + len(subject(n).intros) >= 40]
    assert {"tea", "chess", "bicycle", "astronomy", "gardening", "travel"} <= set(large)


def test_samples_of_the_topic_share_no_sentence_with_the_pages() -> None:
    spec = load_topic(str(topic_file()))
    samples = "\n".join(sample.text or "" for sample in spec.samples_loaded())
    for name in ("tea", "tea-en", "tea-trad"):
        assert not any(line.rstrip("。.") in samples for line in subject(name).sentences)


def test_a_library_says_when_it_has_no_more_titles() -> None:
    library = Library(seed=1)
    count = len(subject("tea-en").patterns) * len(subject("tea-en").things)
    stories = library.stories("tea-en", count)
    assert len({story.title for story in stories}) == count
    with pytest.raises(ValueError, match="no more titles on tea-en"):
        library.story("tea-en")


def test_other_seeds_give_other_stories() -> None:
    assert Library(seed=1).story("chess") == Library(seed=1).story("chess")
    assert Library(seed=1).story("chess") != Library(seed=2).story("chess")


def test_the_whole_web_has_one_known_digest() -> None:
    """Determinism across machines and versions of Python: change the digest when texts or layouts change."""
    digest = hashlib.blake2b(digest_size=8)
    for url, file in sorted(sample_web().files.items()):
        digest.update(url.encode() + b"\0" + file.content_type.encode() + b"\0" + file.body + bytes([file.grade]))
    assert digest.hexdigest() == "d63172e1aaa21217"


def _depths(pages: dict[str, PageAnalysis], seeds: list[str]) -> dict[str, int]:
    """Breadth-first depth of what links of `pages` reach, calendar left out."""
    depths = dict.fromkeys(seeds, 0)
    queue = list(seeds)
    for url in queue:
        for link in pages[url].links if url in pages else ():
            if link.url not in depths and "/calendar/" not in link.url:
                depths[link.url] = depths[url] + 1
                queue.append(link.url)
    return depths
