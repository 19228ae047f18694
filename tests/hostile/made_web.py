"""Webs made by a function, crawled by the real step and frontier without a network."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from focuscrawl.crawler.build import build_step
from focuscrawl.crawler.feed_step import FeedStep
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.step import PageStep
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.extraction.template_store import TemplateStore
from focuscrawl.frontier.base import Frontier
from focuscrawl.frontier.memory import MemoryFrontier
from focuscrawl.records import Lease, Outcome, PageRecord
from focuscrawl.topic.spec import TopicSpec

Web = Callable[[str], str | None]
"""Gives the page of a URL, None for none."""
_PIPELINE = 8
_VOCABULARY = """
harbour winter signal river stone garden market letter bridge forest window morning captain engine island paper village
mountain summer table corner station ladder mirror village street evening family record museum
"""
_TOPIC = ("lighthouse", "lamp", "lens", "keeper")


def lighthouse_step() -> PageStep:
    terms = {"lighthouse": 1.0, "lamp": 0.6, "lens": 0.6, "keeper": 0.5}
    spec = {"name": "lighthouses", "language": "en", "terms": terms, "judge": {"name": "vsm", "threshold": 0.15}}
    return build_step(TopicSpec.model_validate(spec))


def words(seed: str, count: int, *, topical: float = 0.25) -> str:
    """Return a text that is the same for the same `seed`; a share of its words is the topic's."""
    draw, others = random.Random(seed), _VOCABULARY.split()
    return " ".join(draw.choice(_TOPIC if draw.random() < topical else others) for _ in range(count))


def html(title: str, text: str, links: Iterable[tuple[str, str]]) -> str:
    items = "".join(f'<li><a href="{url}">{anchor}</a></li>' for url, anchor in links)
    return f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p><ul>{items}</ul></body></html>"


@dataclass
class Made:
    """A crawl of a made web."""

    urls: list[str] = field(default_factory=list)  # fetched, in order
    records: list[PageRecord] = field(default_factory=list)
    step: PageStep | None = None

    def share(self, of: Callable[[str], bool]) -> float:
        """Return the share of the fetches whose URL `of` holds for."""
        return sum(map(of, self.urls)) / len(self.urls)

    async def settled(self, frontier: Frontier, result: StepResult) -> None:
        """Note what became of a fetch, and end its lease."""
        self.records.append(result.record)
        await frontier.settle([result.settlement])
        if result.offsets:
            await frontier.set_offsets(result.offsets)
        if result.rescores:
            await frontier.rescore(result.rescores)


def crawl(web: Web, seeds: Sequence[str], *, pages: int) -> Made:
    """Crawl a web until so many pages are fetched, or nothing is left."""
    return asyncio.run(_crawl(web, seeds, pages))


async def _crawl(web: Web, seeds: Sequence[str], pages: int) -> Made:
    now, step = 1_700_000_000.0, lighthouse_step()
    made = Made(step=step)
    feeds = FeedStep(step, TemplateStore(), by_topic=True)  # as every focused crawl has one
    frontier = MemoryFrontier(clock=lambda: now)
    await frontier.open()
    entries, _ = step.seed_entries(seeds)
    await frontier.push(entries)
    while len(made.urls) < pages:
        leases = await frontier.lease(_PIPELINE, worker="made", per_host=_PIPELINE, lease_s=1e9)
        if not leases:
            break
        taken: list[tuple[Lease, str]] = []  # what is under way at once
        for lease in leases:
            entry = lease.entry
            refusal = step.budgets.refusal(entry.url, entry.host) if entry.origin.parent is not None else ""
            if not refusal and (score := step.deferred(entry, [other for other, _ in taken])) is not None:
                await frontier.release([lease])
                await frontier.rescore({entry.key: score})
            elif refusal or (body := web(entry.url)) is None:
                reason, status = (refusal, 0) if refusal else ("HTTP status 404", 404)
                result = step.failed(lease, outcome=Outcome.REFUSED, reason=reason, status=status)
                await made.settled(frontier, result)
            else:
                taken.append((lease, body))
        for lease, body in taken:
            made.urls.append(lease.entry.url)
            fetched = Fetched(lease.entry.url, 200, body.encode(), now, "text/html")
            await made.settled(frontier, feeds.follow(fetched, lease))
    await frontier.close()
    return made
