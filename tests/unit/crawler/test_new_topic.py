"""A page step after a change of topic: what it still knows of the web."""

from __future__ import annotations

import pytest

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.new_topic import change_topic
from focuscrawl.crawler.step import PageStep
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.records import Entry, Lease
from focuscrawl.topic.examples import Example
from focuscrawl.topic.judge_taught import TaughtJudge
from focuscrawl.topic.packed import pack_topic, unpack_topic
from focuscrawl.topic.spec import TopicSpec

SITE = "http://canal.example"


def spec(term: str) -> TopicSpec:
    return TopicSpec.model_validate({"name": term, "terms": {term: 1.0}})


def new_links(step: PageStep, path: str, *links: str) -> int:
    """Process a page with links to `links`; return how many of them were new to the crawl."""
    url = SITE + path
    body = "".join(f'<p><a href="{link}">Lock {link}</a></p>' for link in links).encode()
    lease = Lease(Entry(url, url_key(url), host_of(url), 1.0), token=1, expires_at=0.0, attempt=1, priority=1.0)
    event = step.process(Fetched(url, 200, body, 1_700_000_000.0, "text/html"), lease).settlement.event
    assert event is not None
    assert event.judgement is not None
    return event.judgement.new_links


def test_links_known_before_a_change_of_topic_are_not_new_after_it() -> None:
    old = build_step(spec("lock"))
    assert new_links(old, "/", "/a", "/b") == 2
    step = change_topic(old, spec("gate"), StepChoices())
    assert new_links(step, "/again", "/a", "/b", "/c") == 1


def test_examples_change_the_judge_and_nothing_that_was_learned() -> None:
    old = build_step(spec("lock"))
    new_links(old, "/", "/a", "/b")
    taught = spec("lock").taught([Example(url=SITE + "/a", relevant=False, title="Lock", text="a lock of hair")])
    step = change_topic(old, unpack_topic(pack_topic(taught)), StepChoices())
    assert isinstance(step.judge, TaughtJudge)
    assert step.topic.version == taught.digest != old.topic.version
    assert step.ranker is old.ranker
    assert step.calibration is old.calibration
    assert step.sites is old.sites
    assert new_links(step, "/again", "/a", "/b", "/c") == 1
    other = change_topic(step, spec("gate"), StepChoices())
    assert other.ranker is not old.ranker


@pytest.mark.parametrize("host", ["weir.example", "www.weir.example", "weir.example:8080"])
def test_a_banned_host_stays_banned(host: str) -> None:
    old = build_step(spec("lock"))
    old.scope.ban("weir.example")
    step = change_topic(old, spec("gate"), StepChoices())
    assert step.scope.is_banned(host)
    assert step.scope.refusal(f"http://{host}/", host, 0) == "host is banned"


def test_a_host_denied_by_the_old_topic_is_none_of_the_new_ones() -> None:
    denying = TopicSpec.model_validate({"name": "a", "terms": {"lock": 1.0}, "scope": {"deny_hosts": ["weir.example"]}})
    step = change_topic(build_step(denying), spec("gate"), StepChoices())
    assert step.scope.refusal("http://weir.example/", "weir.example", 0) == ""
