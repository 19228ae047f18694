"""Frontier entries of seeds and of the links of a page: which are queued, how deep, and in which class."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence, Set
from dataclasses import dataclass

from focuscrawl.crawler.page_records import origin_of
from focuscrawl.crawler.recent_links import RecentLinks
from focuscrawl.crawler.scope import Budgets, Scope
from focuscrawl.page.build import builder
from focuscrawl.page.model import REFRESH, Link, PageAnalysis
from focuscrawl.page.urls import host_of, normalize_url, url_key
from focuscrawl.plugins import faults_told, name_of
from focuscrawl.ranking.base import Judged, Ranked, Ranker, last_in_line
from focuscrawl.ranking.plain_ranks import plain_rank
from focuscrawl.records import Entry
from focuscrawl.types import UrlKey

_entry = builder(Entry)


@dataclass(frozen=True, slots=True)
class FollowedLinks:
    """Links of a page that may be followed."""

    links: Sequence[Link]
    next_pages: Set[UrlKey]  # of the same listing, which are no deeper
    hops: int  # redirects and refreshes on the way to the page
    too_many_hops: bool  # to follow its refresh as well


def seed_entries(urls: Iterable[str], ranker: Ranker) -> tuple[list[Entry], list[str]]:
    """Return the frontier entries of the seeds, and the URLs that cannot be crawled (not http or https, broken)."""
    entries: dict[UrlKey, Entry] = {}
    bad: list[str] = []
    for raw in urls:
        url = normalize_url(raw, raw)
        if url is None:
            bad.append(raw)
            continue
        key, host = url_key(url), host_of(url)
        name, fault = name_of(ranker), f"has no place for the seed {url}"
        with faults_told("rankers", name, fault):
            ranked = plain_rank(ranker.seed(key, url, host), f'strategy "{name}" {fault}')
        origin = origin_of(None, None, "", ranked)
        entries[key] = Entry(url, key, host, ranked.score.value, ranked.group, origin=origin)
    return list(entries.values()), bad


def links_to_follow(
    page: PageAnalysis,
    entry: Entry,
    next_pages: Set[UrlKey],
    *,
    fetched: Container[UrlKey],
    gone: Container[UrlKey],
    recent: RecentLinks,
    scope: Scope,
    budgets: Budgets,
) -> list[Link]:
    """Return the links of a page that may be followed and lead to nothing fetched here, with a page or without.

    What the host links to from many pages was queued when it was first seen, and no words around it say more.

    Parameters
    ----------
    next_pages
        Links to further pages of the same listing, which are no deeper.
    fetched, gone, recent
        Pages fetched, fetches that ended without a page, and recently seen links.
    """
    depth = entry.scope_depth + 1
    out_of_scope, out_of_budget = scope.refusal, budgets.refusal
    queued = {key for key in page.site_wide.links if key in recent}
    return [
        link
        for link in page.links
        if link.key not in fetched
        and link.key not in gone
        and link.key not in queued
        and not out_of_scope(link.url, link.host, depth - (link.key in next_pages))
        and not out_of_budget(link.url, link.host)
    ]


def link_entries(
    judged: Judged, entry: Entry, followed: FollowedLinks, ranked: Sequence[Ranked], *, budgets: Budgets
) -> tuple[list[Entry], list[UrlKey]]:
    """Return the entries of the ranked links of a page, and the keys of those that wait behind all others.

    Parameters
    ----------
    entry
        Of the page.
    ranked
        What the strategy says of each followed link.
    """
    next_pages, refresh_hops = followed.next_pages, followed.hops + 1
    page, depth, steps = judged.page, entry.depth + 1, entry.depth - entry.scope_depth
    tunnel = 0 if judged.verdict.leads else entry.tunnel + 1
    entries: list[Entry] = []
    aside: list[UrlKey] = []
    for link, rank in zip(followed.links, ranked, strict=True):
        target_depth, target_tunnel = depth, tunnel
        if link.tag == REFRESH:
            # A refresh is a redirect in other words: the target takes the place of the stub.
            target_depth, target_tunnel = entry.depth, entry.tunnel
            score = max(rank.score.value, entry.score)
        elif not rank.keep:
            continue
        else:
            if link.key in next_pages and not judged.verdict.leads:
                target_tunnel = entry.tunnel  # a listing is one step of a tunnel, however long it is
            reason = budgets.last_in_line(link.url, link.host, target_tunnel, source=page.host)
            if reason:
                rank = last_in_line(rank, reason)
                aside.append(link.key)
            score = rank.score.value
        origin = origin_of(
            page,
            entry.key,
            link.anchor or link.image_text or link.title,
            rank,
            pagination_steps=steps + (link.key in next_pages),
            hops=refresh_hops if link.tag == REFRESH else 0,
        )
        entries.append(
            _entry(link.url, link.key, link.host, score, rank.group, target_depth, target_tunnel, 0.0, origin)
        )
    return entries, aside
