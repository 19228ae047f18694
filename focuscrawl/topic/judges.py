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
        If no judge has that name, it does not know an option, or an option has a wrong value.
    ConfigError
        If options do not go together.
    """
    judge: PageJudge = plugins.build(
        "judges", spec.judge.name, topic, options=spec.judge.options, threshold=spec.judge.threshold
    )
    return judge
