"""Check of what a judge returns, where it enters the crawl."""

from __future__ import annotations

from focuscrawl.errors import PluginFaultError
from focuscrawl.plain_values import number, plain_score
from focuscrawl.plugins import name_of
from focuscrawl.topic.base import PageJudge, Verdict


def plain_verdict(judge: PageJudge, verdict: object) -> Verdict:
    """Return a judge's verdict in plain numbers, those of numpy made Python's.

    It becomes JSON and a row long after its page: a number these cannot hold would end the crawl, or lose the result.

    Raises
    ------
    PluginFaultError
        If it is none, or its relevance is not in [0, 1], or its threshold or a part is no finite number.
    """
    what = f'judge "{name_of(judge)}"'
    if not isinstance(verdict, Verdict):
        raise PluginFaultError(f"{what}: expected a Verdict, found {type(verdict).__name__}.")
    score = plain_score(verdict.score, what)
    if not 0.0 <= score.value <= 1.0:
        raise PluginFaultError(f"{what}: relevance {score.value}: expected a number in [0, 1].")
    threshold = number(verdict.threshold, f"{what}: threshold")
    if score is verdict.score and threshold is verdict.threshold and isinstance(verdict.relevant, bool):
        return verdict
    return Verdict(score, threshold, bool(verdict.relevant), verdict.topic)
