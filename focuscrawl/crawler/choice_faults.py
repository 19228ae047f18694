"""What is wrong with the plug-ins a topic names, all of it at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from focuscrawl import plugins
from focuscrawl.crawler.build import build_step
from focuscrawl.errors import FocusCrawlError
from focuscrawl.topic.choices import JUDGE, STRATEGY, TOKENIZER, placed
from focuscrawl.topic.model import FittedTopic, fit_topic
from focuscrawl.topic.spec import TopicSpec


@dataclass(slots=True)
class Tried:
    """A topic as it was fitted and its parts were built."""

    faults: list[str] = field(default_factory=list)  # a sentence each
    topic: FittedTopic | None = None  # None where it cannot be fitted


def try_choices(spec: TopicSpec) -> Tried:
    """Fit a topic, and build the tokenizer, judge, strategy and scorers that it names.

    A part with an unknown name has the default's place while the others are looked at.
    """
    tried = Tried()
    faults = tried.faults
    plain = TopicSpec.model_fields

    def known(kind: str, name: str, place: str) -> bool:
        return not name or _is_sound(faults, lambda: _load(spec, kind, name, place))

    if not known("tokenizers", spec.tokenizer, TOKENIZER):
        spec = spec.model_copy(update={"tokenizer": plain["tokenizer"].default})
    if not known("judges", spec.judge.name, JUDGE):
        spec = spec.model_copy(update={"judge": plain["judge"].default})
    if not known("rankers", spec.ranking.strategy, STRATEGY):
        spec = spec.model_copy(update={"ranking": plain["ranking"].default})

    def build() -> None:
        tried.topic = fit_topic(spec)
        build_step(spec, tried.topic)

    _is_sound(faults, build)
    return tried


def _load(spec: TopicSpec, kind: str, name: str, place: str) -> None:
    with placed(spec, place):
        plugins.load(kind, name)


def _is_sound(faults: list[str], make: Callable[[], object]) -> bool:
    try:
        make()
    except FocusCrawlError as error:
        faults += str(error).splitlines()
    else:
        return True
    return False
