"""Graph inflow of URLs as a feature: how much the pages fetched so far lead to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from focuscrawl.errors import ConfigError
from focuscrawl.graph.ipagerank import PushOptions
from focuscrawl.graph.links import GraphLimits
from focuscrawl.page.model import Link
from focuscrawl.page.urls import url_key
from focuscrawl.ranking.base import Judged
from focuscrawl.ranking.graph_ranker import GraphRanker
from focuscrawl.ranking.link_analysis import Backlink, Pushed

KINDS = ("ipagerank", "links")


class GraphInflow:
    """The inflow of URLs, in [0, 1]; half of the URLs newly found are above 0.5, half below.

    For strategies that mix it with other evidence: `observe` each judged page, `learn` its links before they are
    scored, and pass `journal` and `replay` on, so that the graph is there after a resume.

    Parameters
    ----------
    kind
        "ipagerank": expected visits of topical surfers (algorithms C.3); "links": pages that link there.
    limits
        Bounds of memory.

    Raises
    ------
    ConfigError
        If the kind is unknown.
    """

    def __init__(self, kind: str = "ipagerank", *, limits: GraphLimits | None = None) -> None:
        limits = limits or GraphLimits()
        if kind not in KINDS:
            raise ConfigError(f'graph inflow "{kind}": unknown kind; known: {", ".join(KINDS)}')
        self.kind = kind
        self._ranker: GraphRanker = (
            Backlink(limits) if kind == "links" else Pushed("inflow", PushOptions(), limits, part="inflow")
        )

    def observe(self, page: Judged) -> None:
        """Note a judged page; without `learn`, it is taken in with its links to fetched pages only."""
        self._ranker.observe(page)

    def learn(self, page: Judged, links: Sequence[Link], weights: Sequence[float]) -> None:
        """Take in the links of the page that may be followed, with their relevance in [0, 1] (unused for "links")."""
        self._ranker.learn(page, links, weights if self.kind == "ipagerank" else ())

    def inflow(self, url: str) -> float:
        """Return the inflow of a URL (normal form), 0 for one that no page links to."""
        return float(self._ranker.share_of([url_key(url)])[0])

    def inflows(self, links: Sequence[Link]) -> list[float]:
        """Return the inflow of each link's target; one look-up for all."""
        inflows: list[float] = self._ranker.share_of([link.key for link in links]).tolist()
        return inflows

    def journal(self) -> tuple[int, dict[str, object]] | None:
        """Return what `replay` takes, of the pages since the last call; see `Ranker.journal`."""
        return self._ranker.journal()

    def replay(self, parts: Sequence[Mapping[str, object]]) -> None:
        """Take up what `journal` returned, in order."""
        self._ranker.replay(parts)
