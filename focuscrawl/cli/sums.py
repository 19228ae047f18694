"""Sums as people check them: printed addends that add up to the printed total, to the last digit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from focuscrawl.cli.console import one_line
from focuscrawl.ranking.explain import Breakdown
from focuscrawl.wording import explain as wording
from focuscrawl.wording.base import Say, Text
from focuscrawl.wording.endings import COMMA

_PLACES = 4
_UNIT = 10**_PLACES


def exact_units(addends: Sequence[float], total: float) -> list[int]:
    """Return the addends in ten-thousandths, rounded so that they add up to the rounded `total`.

    Each is rounded down, and what is missing goes to those that lost most (largest remainders). No number is more
    than one unit from its own value when the addends add up to the total.

    >>> exact_units([0.33333, 0.33333, 0.33334], 1.0)
    [3333, 3333, 3334]
    """
    if not addends:
        return []
    scaled = [value * _UNIT for value in addends]
    units = [math.floor(value) for value in scaled]
    missing = round(total * _UNIT) - sum(units)
    order = sorted(range(len(units)), key=lambda i: (units[i] - scaled[i], i))
    whole, rest = divmod(missing, len(units))
    for place, i in enumerate(order):
        units[i] += whole + (place < rest)
    return units


def shown(units: int, *, sign: bool = False) -> str:
    """Return ten-thousandths as a decimal number.

    >>> shown(4800), shown(-512, sign=True), shown(500, sign=True)
    ('0.4800', '-0.0512', '+0.0500')
    """
    return f"{units / _UNIT:{'+' if sign else ''}.{_PLACES}f}"


def sum_lines(priority: Breakdown, say: Say, *, group: str) -> list[str]:
    """Return a priority as lines of a sum, the largest addend first; the numbers add up as printed."""
    terms = sorted((t for t in priority.terms if t.amount), key=lambda t: (-t.amount, t.part))
    nothing = [t.part for t in priority.terms if not t.amount]
    rest = priority.rest
    addends = [t.amount for t in terms] or [priority.score]
    if terms and abs(rest) >= 0.5 / _UNIT:
        addends.append(rest)
    units = exact_units([*addends, priority.offset], priority.total)
    score, offset = sum(units[:-1]), units[-1]
    lines = [
        f"  {shown(u):>8} = {t.weight:.4f} × {t.value:.4f}  {one_line(t.part)}"
        for u, t in zip(units, terms, strict=False)
    ]
    if len(addends) > len(terms) > 0:
        lines.append(f"  {shown(units[-2], sign=True):>8}   {say(wording.NOT_IN_PARTS)}")
    what = say(wording.SCORE)
    if priority.reason:
        what = say(wording.BECAUSE, what=what, reason=one_line(priority.reason))
    lines.append(f"  {shown(score):>8}   {what}")
    if nothing:
        lines.append(f"  {'':>8}   {say(wording.NOTHING_FROM, parts=say(COMMA).join(nothing))}")
    if priority.without_anchor is not None:
        lines.append(f"  {'':>8}   {say(wording.WITHOUT_ANCHOR, score=priority.without_anchor)}")
    lines += facts_lines(priority.facts, say, title=wording.ALSO_KNOWN if priority.terms else wording.PARTS)
    of_group = say(wording.OFFSET_OF, group=one_line(group)) if group else say(wording.OFFSET)
    lines.append(f"  {shown(offset, sign=True):>8}   {of_group}")
    lines.append(f"  {shown(score + offset):>8}   {say(wording.PRIORITY)}")
    return lines


def facts_lines(facts: Mapping[str, float], say: Say, *, title: Text) -> list[str]:
    """Return named numbers on one line, none for none."""
    if not facts:
        return []
    told = say(COMMA).join(f"{one_line(name)} {value:.4g}" for name, value in facts.items())
    return [f"  {'':>8}   {say(wording.FACTS, title=say(title), facts=told)}"]
