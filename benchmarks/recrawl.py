"""Three ways to share visits among pages that change, in three orders: freshness by formula and in a simulation.

    python benchmarks/recrawl.py                                  # the tables
    python benchmarks/recrawl.py --picture docs/images/recrawl.png   # needs matplotlib

Pages change as Poisson processes, with rates drawn from a gamma distribution, hosts alike. *formula* is what
`focuscrawl.recrawl` computes. *simulated* follows every change and every visit of pages whose rates are known.
*estimated* begins with rates nobody knows: in each round `due_pages` chooses, from what the visits before have seen,
whom to visit; the first half of the rounds is not counted.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace

import numpy as np

from focuscrawl.recrawl.allocation import Allocation, allocate
from focuscrawl.recrawl.freshness import Floats, Order, freshness
from focuscrawl.recrawl.rates import DAY_S, Interval
from focuscrawl.recrawl.schedule import PageHistory, RefreshPlan, due_pages

_HOSTS = 20
_BUDGETS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # marked on the axis
_RATES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
_ALLOCATIONS = {
    Allocation.UNIFORM: "uniform: all pages as often",
    Allocation.PROPORTIONAL: "proportional: by how often they change",
    Allocation.OPTIMAL: "optimal: so that most is fresh",
}
_ORDERS = {
    Order.FIXED: "fixed: the same time between visits",
    Order.RANDOM: "random: once in that time",
    Order.PURELY_RANDOM: "purely random: at any time",
}


@dataclass(frozen=True, slots=True)
class World:
    """Pages that change: rates a day, visits a day that may be spent, days."""

    rates: Floats
    budget: float
    days: float
    seed: int

    @classmethod
    def make(cls, pages: int, share: float, days: float, seed: int) -> World:
        """Return `pages` pages of 20 hosts, and a budget of `share` visits a page and day."""
        chance = np.random.default_rng(seed)
        hosts = chance.gamma(0.6, 1.0, _HOSTS)
        rates = np.maximum(hosts[np.arange(pages) % _HOSTS] * chance.gamma(1.5, 0.5, pages), 1e-2)
        return cls(rates, share * pages, days, seed)


def visits_of(frequency: float, days: float, order: Order, chance: np.random.Generator) -> Floats:
    """Return the times of the visits of a page, in days."""
    turns = int(days * frequency) + 2
    match order:
        case Order.FIXED:
            return (np.arange(turns) + chance.random()) / frequency
        case Order.RANDOM:
            return (np.arange(turns) + chance.random(turns)) / frequency
        case Order.PURELY_RANDOM:
            return np.cumsum(chance.exponential(1.0 / frequency, 2 * turns + 20))


def simulated(world: World, frequencies: Floats, order: Order) -> tuple[float, float]:
    """Return mean freshness and mean age (days) of copies, by following every visit and the first change after it."""
    chance = np.random.default_rng(world.seed + 1)
    fresh, old = [], []
    for rate, frequency in zip(world.rates, frequencies, strict=True):
        times = visits_of(frequency, world.days, order, chance) if frequency > 0.0 else np.array([])
        times = np.concatenate([[0.0], times[times < world.days], [world.days]])
        gaps = np.diff(times)
        first = np.minimum(chance.exponential(1.0 / rate, gaps.size), gaps)
        fresh.append(first.sum() / world.days)
        old.append(((gaps - first) ** 2 / 2.0).sum() / world.days)
    return float(np.mean(fresh)), float(np.mean(old))


def estimated(world: World, plan: RefreshPlan, rounds_a_day: float = 1.0) -> float:
    """Return mean freshness in the second half of the rounds, when all that is known comes from visits before."""
    chance = np.random.default_rng(world.seed + 2)
    pages = len(world.rates)
    histories = [PageHistory(key, f"host{key % _HOSTS}.example", 0.0) for key in range(pages)]
    changed_at = chance.exponential(1.0 / world.rates)  # first change since the last visit
    step = 1.0 / rounds_a_day
    rounds = int(world.days / step)
    share, counted, owed = 0.0, 0, 0.0
    for number in range(1, rounds + 1):
        start, now = (number - 1) * step, number * step
        if number > rounds // 2:
            share += float(np.clip((changed_at - start) / step, 0.0, 1.0).mean())
            counted += 1
        owed += world.budget * step
        chosen = due_pages(histories, int(owed), now=now * DAY_S, plan=replace(plan, period_s=step * DAY_S))
        owed -= len(chosen)
        for one in chosen:
            old = histories[one.key]
            seen = Interval(now * DAY_S - old.visited_at, bool(changed_at[one.key] <= now))
            histories[one.key] = replace(old, visited_at=now * DAY_S, intervals=(*old.intervals, seen))
            changed_at[one.key] = now + chance.exponential(1.0 / world.rates[one.key])
    return share / counted


def table(world: World, *, estimate_days: float) -> None:
    """Print freshness of the three allocations in the three orders."""
    print("| allocation | order | formula | simulated | age, days | estimated |")
    print("| --- | --- | --- | --- | --- | --- |")
    for allocation in Allocation:
        for order in Order:
            visits = allocate(world.rates, world.budget, allocation=allocation, order=order)
            fresh, old = simulated(world, visits, order)
            learned = estimated(replace(world, days=estimate_days), RefreshPlan(allocation, order, seed=world.seed))
            formula = freshness(world.rates, visits, order).mean()
            print(f"| {allocation} | {order} | {formula:.3f} | {fresh:.3f} | {old:.2f} | {learned:.3f} |", flush=True)


def picture(world: World, path: str) -> None:
    """Draw freshness by budget, and visits by change rate, with what the words mean."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 6.4))
    shares = np.geomspace(0.05, 5.0, 25)
    styles = {Order.FIXED: "-", Order.RANDOM: "--", Order.PURELY_RANDOM: ":"}
    colours = {Allocation.UNIFORM: "#1b6ca8", Allocation.PROPORTIONAL: "#c1502e", Allocation.OPTIMAL: "#2e8540"}
    for allocation, colour in colours.items():
        for order, style in styles.items():
            curve = []
            for share in shares:
                visits = allocate(world.rates, share * len(world.rates), allocation=allocation, order=order)
                curve.append(100.0 * freshness(world.rates, visits, order).mean())
            left.plot(shares, curve, style, color=colour)
    left.set(
        title="How fresh the stored pages are kept",
        xscale="log",
        xlabel="budget: visits a page and day",
        ylabel="pages that are what their addresses give, per cent",
        ylim=(0, 100),
        xticks=_BUDGETS,
        xticklabels=[f"{share:g}" for share in _BUDGETS],
    )
    left.axvline(world.budget / len(world.rates), color="0.6", linewidth=0.8)
    left.text(world.budget / len(world.rates) * 1.05, 3, "budget of the\nright picture", color="0.35", fontsize=8)
    by_colour = [Line2D([], [], color=colour, label=_ALLOCATIONS[one]) for one, colour in colours.items()]
    by_style = [Line2D([], [], color="0.3", linestyle=style, label=_ORDERS[one]) for one, style in styles.items()]
    figure.legend(handles=by_colour, title="colour: whom to visit", loc="lower left", bbox_to_anchor=(0.08, 0.0))
    figure.legend(handles=by_style, title="line, on the left: when", loc="lower right", bbox_to_anchor=(0.95, 0.0))
    order_of = np.argsort(world.rates)
    for allocation, colour in colours.items():
        visits = allocate(world.rates, world.budget, allocation=allocation)
        right.plot(world.rates[order_of], visits[order_of], color=colour)
    share = world.budget / len(world.rates)
    right.set(
        title=f"Which pages the visits go to, at {share:g} a page and day",
        xscale="log",
        xlabel="how often a page changes: changes a day",
        ylabel="visits a day that it gets",
        ylim=(0, 2.5),
        xticks=_RATES,
        xticklabels=[f"{rate:g}" for rate in _RATES],
    )
    right.annotate(
        "optimal: none for what\nchanges too often",
        xy=(world.rates.max() * 0.5, 0.02),
        xytext=(world.rates.max() * 0.5, 1.6),
        ha="center",
        fontsize=8,
        arrowprops={"arrowstyle": "->"},
    )
    mean = world.rates.mean()
    figure.suptitle(f"Coming back to {len(world.rates)} pages that change, {mean:.2f} times a day in the mean")
    figure.tight_layout(rect=(0.0, 0.2, 1.0, 1.0))
    figure.savefig(path, dpi=80)


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--share", type=float, default=0.5, help="visits a page and day that may be spent")
    parser.add_argument("--days", type=float, default=3000.0, help="of the simulation with known rates")
    parser.add_argument("--estimate-days", type=float, default=120.0, help="of the simulation with estimated rates")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", default="", metavar="FILE")
    asked = parser.parse_args()
    world = World.make(asked.pages, asked.share, asked.days, asked.seed)
    if asked.picture:
        picture(world, asked.picture)
        return
    print(
        f"{asked.pages} pages, {world.rates.mean():.2f} changes a page and day, {asked.share} visits a page and day\n"
    )
    table(world, estimate_days=asked.estimate_days)


if __name__ == "__main__":
    main()
