"""A judge that knows the labels, to tell what ranking costs from what judging costs."""

from __future__ import annotations

from collections.abc import Mapping

from focuscrawl.lab.simulate.files import WebFiles
from focuscrawl.page.model import PageAnalysis
from focuscrawl.topic.base import PageJudge, TopicModel, Verdict
from focuscrawl.types import Explained

_RELEVANT = Explained(1.0, {"label": 1.0}, "labelled relevant")
_IRRELEVANT = Explained(0.0, {"label": 0.0}, "not labelled relevant")


class LabelJudge(PageJudge):
    """Judges a page by its label: 1 from the wanted grade on, else 0."""

    name = "labels"

    def __init__(self, topic: TopicModel, files: WebFiles, grades: Mapping[str, int], *, grade: int = 2) -> None:
        self._files = files
        self._relevant = frozenset(page for page, g in grades.items() if g >= grade)
        self._topic = f"{topic.name}@{topic.version}"

    def judge(self, page: PageAnalysis) -> Verdict:
        """Return the verdict of the labels."""
        relevant = self._files.identity(page.url) in self._relevant
        return Verdict(_RELEVANT if relevant else _IRRELEVANT, 0.5, relevant, self._topic)
