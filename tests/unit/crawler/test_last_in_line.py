"""Links that wait behind all others, and never end a crawl while they are there."""

from __future__ import annotations

import math
from dataclasses import replace

from focuscrawl.crawler.build import StepChoices, build_step
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.page.urls import host_of, url_key
from focuscrawl.ranking.explain import explain
from focuscrawl.records import Entry, Lease, Outcome
from focuscrawl.topic.spec import TopicSpec

SITE = "http://canal.example"
BLOG = (
    "<title>A post on painting boats</title><p>Red paint dries fast and the dog {name} sleeps.</p>"
    '<p><a href="{next}">Previous post</a></p>'
)


def made_step(strategy: str = "", **choices: int) -> PageStep:
    spec = {"name": "locks", "terms": {"lock": 1.0, "gate": 0.8}, "scope": {"max_depth": 1000}}
    return build_step(TopicSpec.model_validate(spec), choices=StepChoices(strategy or None, **choices))


def entry(path: str, *, score: float = 1.0, tunnel: int = 0) -> Entry:
    return Entry(SITE + path, url_key(SITE + path), host_of(SITE), score, tunnel=tunnel)


def follow(step: PageStep, at: Entry, target: str) -> list[Entry]:
    return list(process(step, at, target).settlement.found)


def process(step: PageStep, at: Entry, target: str) -> StepResult:
    lease = Lease(at, token=1, expires_at=0.0, attempt=1, priority=1.0)
    name = "".join("abcdefghij"[int(sign)] for sign in target if sign.isdigit())  # a text of its own
    body = BLOG.format(next=target, name=f"r{name}o").encode()
    return step.process(Fetched(at.url, 200, body, 1_700_000_000.0, "text/html"), lease)


def test_a_chain_of_posts_is_followed_beyond_the_tunnel_but_behind_all_others() -> None:
    step, at = made_step(), entry("/post-a")
    scores = []
    for number in range(60):
        (at,) = follow(step, at, f"/post-{number}x")
        scores.append(at.score)
    assert min(scores[:20]) >= 0.0
    assert max(scores[20:]) <= -2.0  # no offset of a group, at most 1, brings it before another link


def test_a_spent_pattern_waits_and_explain_gives_the_sum() -> None:
    for strategy in ("", "breadth-first"):
        step = made_step(strategy, pages_per_pattern=3)
        for number in range(3):
            follow(step, entry(f"/cal/{number}"), "/about")
        (found,) = follow(step, entry("/start"), "/cal/77")
        origin = found.origin
        breakdown = explain(origin.parts, step.ranker.weights, score=found.score, reason=origin.reason)
        assert found.score < -1.9
        assert math.isclose(math.fsum(term.amount for term in breakdown.terms), found.score, abs_tol=1e-9)
        assert "behind all others: budget of the URL pattern is spent" in breakdown.reason


def test_an_index_of_the_topic_ends_a_tunnel_and_is_no_result() -> None:
    step = made_step()
    body = b"<title>Locks and gates</title><h1>Locks</h1><p>A lock has a gate. Each gate of the lock closes it.</p>"
    for path, tunnel in (("/tag/locks/", 0), ("/tag/paint/", 8)):
        at = entry(path, tunnel=7)
        page = body if "locks" in path else b"<title>Paint</title><h1>Paint</h1><p>Red paint dries fast here.</p>"
        link = b'<p><a href="/posts/old-%d.html">Older</a></p>' % tunnel
        lease = Lease(at, token=1, expires_at=0.0, attempt=1, priority=1.0)
        result = step.process(Fetched(at.url, 200, page + link, 1_700_000_000.0, "text/html"), lease)
        assert not result.record.relevant
        assert result.settlement.event is not None
        assert result.settlement.event.leads == (tunnel == 0)
        assert [found.tunnel for found in result.settlement.found] == [tunnel], path


def test_an_endless_tunnel_is_left() -> None:
    assert follow(made_step(), entry("/deep", tunnel=101), "/deeper") == []


def test_a_link_whose_fetch_ended_without_a_page_is_met_no_more() -> None:
    step = made_step()
    (found,) = follow(step, entry("/post-a"), "/post-1x")
    lease = Lease(found, token=2, expires_at=0.0, attempt=1, priority=1.0)
    result = step.failed(lease, outcome=Outcome.REFUSED, reason="HTTP 404", status=404)
    assert follow(step, entry("/post-b"), "/post-1x") == []
    resumed = made_step()
    assert result.record is not None
    resumed.restore({}, [result.record])
    assert follow(resumed, entry("/post-b"), "/post-1x") == []
    assert len(follow(resumed, entry("/post-c"), "/post-2x")) == 1


def test_a_link_put_behind_when_its_turn_came_is_not_brought_back_by_what_is_learned() -> None:
    step = made_step(pages_per_pattern=3)
    (early,) = follow(step, entry("/start"), "/cal/77")
    (other,) = follow(step, entry("/begin"), "/about-boats")
    assert step.deferred(early) is None
    for number in range(3):
        follow(step, entry(f"/cal/{number}"), f"/more-{number}")
    score = step.deferred(early)
    assert score is not None
    assert score < -1.9
    told: dict[int, float] = {}
    for number in range(60):
        told |= process(step, replace(entry(f"/posts/{number}"), origin=early.origin), f"/posts/x{number}").rescores
    assert other.key in told
    assert early.key not in told


def test_a_link_found_behind_all_others_is_not_brought_forward_by_what_is_learned() -> None:
    step = made_step(pages_per_pattern=3)
    for number in range(3):
        follow(step, entry(f"/cal/{number}"), f"/more-{number}")
    (behind,) = follow(step, entry("/start"), "/cal/77")
    assert behind.score < -1.9
    told: dict[int, float] = {}
    for number in range(240):
        told |= process(step, replace(entry(f"/posts/{number}"), origin=behind.origin), f"/posts/x{number}").rescores
    assert len(told) > 4
    assert behind.key not in told


def test_a_link_to_what_is_no_page_is_not_queued() -> None:
    for strategy in ("", "heuristic"):
        assert follow(made_step(strategy), entry("/post-a"), "/lock.mp3") == []
        assert len(follow(made_step(strategy), entry("/post-a"), "/lock.html")) == 1
