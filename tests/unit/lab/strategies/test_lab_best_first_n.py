"""Best-first search in batches, over the real frontier (docs/formulas.md J.2)."""

from __future__ import annotations

import asyncio
import json

import pytest
from link_kit import HandTopic, judged, link, page

from focuscrawl.errors import ConfigError
from focuscrawl.frontier.memory import MemoryFrontier
from focuscrawl.lab.strategies.best_first_n import BestFirstN, make_best_first, make_best_first_256
from focuscrawl.records import Entry, Outcome, Settlement

# A tree: page n links to 3n + 1, 3n + 2, 3n + 3; a page is the more relevant the larger its number modulo 7.


def relevance(number):
    return number % 7 / 7


def reference(n, pages):
    """BFSN as the literature writes it."""
    queue, order, known = {0: 1.0}, [], {0}
    while queue and len(order) < pages:
        chosen = sorted(queue, key=lambda number: (-queue[number], list(queue).index(number)))[:n]
        for number in chosen:
            del queue[number]
        for number in chosen:
            order.append(number)
            for target in range(3 * number + 1, 3 * number + 4):
                if target not in known:
                    known.add(target)
                    queue[target] = relevance(number)
    return order[:pages]


def crawl(ranker, pages):
    async def run():
        frontier = MemoryFrontier()
        seed = ranker.seed(1, "http://e.com/0", "e.com")
        await frontier.push([Entry("http://e.com/0", 1, "e.com", seed.score.value, seed.group)])
        order = []
        while len(order) < pages:
            [lease] = await frontier.lease(1, worker="w", per_host=1, lease_s=60.0)
            number = lease.entry.key - 1
            order.append(number)
            targets = list(range(3 * number + 1, 3 * number + 4))
            here = judged(page(lease.entry.url), relevance(number), group=lease.entry.group)
            ranker.observe(here)
            links = [link(f"http://e.com/{target}") for target in targets]
            found = [
                Entry(one.url, target + 1, "e.com", ranked.score.value, ranked.group)
                for one, target, ranked in zip(links, targets, ranker.rank(here, links, {}), strict=True)
            ]
            await frontier.settle([Settlement(lease, Outcome.DONE, found)])
            await frontier.set_offsets(ranker.offsets())
        return order

    return asyncio.run(run())


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_it_fetches_what_the_algorithm_fetches(n):
    assert crawl(BestFirstN(n, name="best-first"), 120) == reference(n, 120)


def test_a_batch_of_one_is_plain_best_first():
    assert crawl(make_best_first(HandTopic()), 60) == reference(1, 60)


def fetch(ranker, pages):
    """Fetch pages of older batches; return the last offsets."""
    for number in range(pages):
        ranker.observe(judged(page(f"http://e.com/{number}")))
        changed = ranker.offsets()
    return changed


def test_it_goes_on_from_its_snapshot():
    one, other = BestFirstN(4, name="best-first"), BestFirstN(4, name="best-first")
    fetch(one, 6)
    other.restore(json.loads(json.dumps(one.snapshot())))
    assert fetch(one, 2) == fetch(other, 2) == {"batch|1": 0.0, "batch|2": -1.0}


def test_options():
    assert make_best_first_256(HandTopic()).batch == 256
    assert make_best_first(HandTopic(), batch=7).batch == 7
    with pytest.raises(ConfigError, match="batch = 0"):
        make_best_first(HandTopic(), batch=0)
