"""Scores of queued links by their URLs and anchors alone, which is what the frontier keeps of them."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.crawler.step import PageStep
from focuscrawl.page.blank import blank_page
from focuscrawl.page.model import Link
from focuscrawl.page.urls import url_tokens
from focuscrawl.ranking.base import Judged, Ranked
from focuscrawl.ranking.plain_ranks import plain_ranks
from focuscrawl.records import Entry
from focuscrawl.topic.base import TopicModel, Verdict
from focuscrawl.types import Explained


def link_of(entry: Entry, topic: TopicModel) -> Link:
    """Return the link an entry came by, as far as the frontier keeps it: its URL and its text."""
    anchor = entry.origin.anchor
    tokens = tuple(topic.tokens(anchor)) if anchor else ()
    return Link(
        entry.url,
        entry.key,
        entry.host,
        "a",
        anchor,
        anchor_tokens=tokens,
        text_tokens=tokens,
        url_tokens=tuple(url_tokens(entry.url)),
    )


def rank_anew(step: PageStep, entries: Sequence[Entry], verdict: Verdict | None = None) -> list[Ranked]:
    """Return what the strategy of `step` says of queued links by their URLs and texts alone.

    The words around a link and on the page that holds it are not kept, so what they would add is missing: the same
    for all that were found before, which are ordered among themselves and come a little after equal ones found now.

    Parameters
    ----------
    verdict
        On the pages that hold them; None when it is not known any more.
    """
    unknown = Verdict(Explained(0.0, reason="not known any more"), 1.0, False, step.topic.name)
    out: list[Ranked] = []
    at = 0
    while at < len(entries):
        parent_url = _parent_url(entries[at])
        end = at
        while end < len(entries) and _parent_url(entries[end]) == parent_url:
            end += 1
        links = [link_of(entry, step.topic) for entry in entries[at:end]]
        page = blank_page(parent_url)
        judged = Judged(page, verdict or unknown, depth=entries[at].depth - 1, key=entries[at].origin.parent or 0)
        ranks = step.ranker.rank(judged, links, step.scorer.score(links, page, step.topic))
        out += plain_ranks(step.ranker, ranks, len(links))
        at = end
    return out


def _parent_url(entry: Entry) -> str:
    return entry.origin.parent_url or entry.url
