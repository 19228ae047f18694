"""Contract of link scorers, and the scoring of a page's links."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence

from focuscrawl.errors import PLUGIN_FAULTS, PluginError
from focuscrawl.page.model import Link, PageAnalysis
from focuscrawl.plain_values import plain_scores
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained

logger = logging.getLogger(__name__)


class LinkScorer(ABC):
    """Base class of scorers: they score all links of a page in one call, so that a page is looked at once."""

    name: str = ""
    repeatable: bool = False
    """Whether a link's score depends on its page, the topic and the seed alone: replays then look it up."""
    seed: int | None = None
    """Of its draws, None for a scorer that draws nothing."""

    @abstractmethod
    def score(self, links: Sequence[Link], page: PageAnalysis, topic: TopicModel) -> list[Explained]:
        """Return one score for each of `links`, in order; never raise on odd pages."""


class PageScorer:
    """Runs scorers over a page's links; a failing plug-in costs its own score only.

    `errors` counts failures by scorer name. Each (scorer, exception type) is logged once.
    """

    def __init__(self, scorers: Mapping[str, LinkScorer]) -> None:
        self.scorers = dict(scorers)
        self.errors: Counter[str] = Counter()
        self._logged: set[tuple[str, type[BaseException]]] = set()

    def score(self, links: Sequence[Link], page: PageAnalysis, topic: TopicModel) -> dict[str, list[Explained]]:
        """Return the scores of `links` by scorer name; a scorer that failed gives zeros that say so."""
        out: dict[str, list[Explained]] = {}
        for name, scorer in self.scorers.items():
            try:
                out[name] = plain_scores(scorer.score(links, page, topic), len(links), f'scorer "{name}"')
            except MemoryError:
                raise
            except PLUGIN_FAULTS as error:
                self.errors[name] += 1
                if (name, type(error)) not in self._logged:
                    self._logged.add((name, type(error)))
                    trace = None if isinstance(error, PluginError) else error
                    said = "scorer %s failed on %s; its score counts as 0: %s"
                    logger.error(said, name, page.url, error, exc_info=trace)
                out[name] = [Explained(0.0, reason=f"scorer {name} failed")] * len(links)
        return out
