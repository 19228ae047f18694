"""What strategy, judge, calibration and site memory have learned, by the names it is saved under."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from focuscrawl.plugins import faults_told, name_of

if TYPE_CHECKING:
    from focuscrawl.crawler.step import PageStep

STRATEGY = "strategy"
"""Name of what tells whose the learned state of the ranker is: another strategy begins anew."""
JOURNAL = "ranker/"
"""What the names of a ranker's saved parts begin with, before its own; their order is that of the names."""
SITES = "site/"
"""What the names of the saved hosts of the site memory begin with."""


def learned_parts(step: PageStep) -> dict[str, object]:
    """Return what was learned as a whole, name -> JSON-safe state."""
    return {
        STRATEGY: {"name": name_of(step.ranker)},
        "ranker": step.ranker.snapshot(),
        "judge": step.judge.snapshot(),
        "calibration": step.calibration.snapshot(),
    }


def unsaved_parts(step: PageStep) -> dict[str, object]:
    """Return what was learned, and what of it that grows with the crawl was not returned yet."""
    parts: dict[str, object] = {f"{SITES}{number:05d}": state for number, state in step.sites.changed().items()}
    with step.faults.passing_over("what was learned cannot be saved"):
        # No page is to be given up for a fault of a plug-in, and no crawl to end without a note of it.
        journal = step.ranker.journal()
        parts |= learned_parts(step)
        if journal is not None:
            parts[f"{_journal_of(step)}{journal[0]:010d}"] = journal[1]
    return parts


def take_up_parts(step: PageStep, state: Mapping[str, Mapping[str, object]]) -> None:
    """Take up what an earlier run has learned.

    Raises
    ------
    PluginFaultError
        If a strategy or a judge cannot.
    """
    fault = "cannot take up what it learned"
    with faults_told("rankers", name_of(step.ranker), fault):
        take_up_ranking(step, state)
        step.ranker.replay([state[name] for name in sorted(state) if name.startswith(_journal_of(step))])
    with faults_told("judges", name_of(step.judge), fault):
        if state.get("judge"):
            step.judge.restore(state["judge"])
    sites = {name.removeprefix(SITES): saved for name, saved in state.items() if name.startswith(SITES)}
    step.sites.restore({int(number): saved for number, saved in sites.items() if number.isdecimal()})


def take_up_ranking(step: PageStep, state: Mapping[str, Mapping[str, object]]) -> None:
    """Take up what the strategy has learned, and what its priorities came to; nothing of another strategy's."""
    if state.get(STRATEGY, {}).get("name", name_of(step.ranker)) != name_of(step.ranker):
        return
    if state.get("ranker"):
        step.ranker.restore(state["ranker"])
    if state.get("calibration"):
        step.calibration.restore(state["calibration"])


def _journal_of(step: PageStep) -> str:
    """Return what the names of the saved parts of the step's own strategy begin with."""
    return f"{JOURNAL}{name_of(step.ranker)}/"
