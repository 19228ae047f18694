"""The judge a topic file asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl import plugins
from focuscrawl.topic.base import PageJudge, TopicModel
from focuscrawl.topic.choices import JUDGE, placed
from focuscrawl.topic.judge_taught import TaughtJudge, correction_of

if TYPE_CHECKING:
    from focuscrawl.topic.spec import TopicSpec


def make_judge(topic: TopicModel, spec: TopicSpec) -> PageJudge:
    """Return the judge named in ``[judge]`` of `spec`, with its threshold and options, corrected by the examples.

    Raises
    ------
    TopicError
        If no judge has that name, it does not know an option, or an option has a wrong value, or options do not go
        together.
    """
    judge = _build(topic, spec)
    if not spec.examples:
        return judge
    # A judge may learn from what it sees, and the examples are no pages of the crawl: another one looks at them.
    correction = correction_of(spec.examples, _build(topic, spec), topic, version=spec.untaught_digest)
    return TaughtJudge(judge, topic, correction, threshold=spec.judge.threshold)


def _build(topic: TopicModel, spec: TopicSpec) -> PageJudge:
    with placed(spec, JUDGE):
        judge: PageJudge = plugins.build(
            "judges",
            spec.judge.name,
            topic,
            options=spec.judge.options,
            chosen_beside=("threshold",),
            threshold=spec.judge.threshold,
        )
    return judge
