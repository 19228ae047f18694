"""The judge a topic file asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl import plugins
from focuscrawl.topic.base import PageJudge, TopicModel

if TYPE_CHECKING:
    from focuscrawl.topic.spec import TopicSpec


def make_judge(topic: TopicModel, spec: TopicSpec) -> PageJudge:
    """Return the judge named in ``[judge]`` of `spec`, with its threshold and options.

    Raises
    ------
    PluginError
        If no judge has that name, or it does not know an option.
    ConfigError
        If an option's value is wrong.
    """
    judge: PageJudge = plugins.build(
        "judges", spec.judge.name, topic, threshold=spec.judge.threshold, **spec.judge.options
    )
    return judge
