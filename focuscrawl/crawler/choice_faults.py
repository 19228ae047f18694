"""What is wrong with the plug-ins a topic names, all of it at once."""

from __future__ import annotations

from collections.abc import Callable

from focuscrawl import plugins
from focuscrawl.crawler.build import build_step
from focuscrawl.errors import FocusCrawlError
from focuscrawl.topic.choices import JUDGE, STRATEGY, TOKENIZER, placed
from focuscrawl.topic.spec import TopicSpec


def choice_faults(spec: TopicSpec) -> list[str]:
    """Return a sentence for each fault of the tokenizer, judge, strategy and scorers that a topic names.

    A part with an unknown name has the default's place while the others are looked at.
    """
    faults: list[str] = []
    plain = TopicSpec.model_fields

    def known(kind: str, name: str, place: str) -> bool:
        return not name or _is_sound(faults, lambda: _load(spec, kind, name, place))

    if not known("tokenizers", spec.tokenizer, TOKENIZER):
        spec = spec.model_copy(update={"tokenizer": plain["tokenizer"].default})
    if not known("judges", spec.judge.name, JUDGE):
        spec = spec.model_copy(update={"judge": plain["judge"].default})
    if not known("rankers", spec.ranking.strategy, STRATEGY):
        spec = spec.model_copy(update={"ranking": plain["ranking"].default})
    _is_sound(faults, lambda: build_step(spec))
    return faults


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
