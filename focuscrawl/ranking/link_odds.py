"""The learned part of a link's score: what two models say of the link itself, by its features and its words.

One model has learned which links lead to relevant pages, the other which pages have links that do. The share of the
link's group says how far the first counts; the second has the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from focuscrawl.page.model import Link
from focuscrawl.ranking.apprentice_options import ApprenticeOptions
from focuscrawl.ranking.link_model import LinkModel
from focuscrawl.ranking.link_words import LinkWords
from focuscrawl.ranking.sparse_rows import Floats
from focuscrawl.types import Explained, clip01

_REACH = 5.0  # log-odds that fill the learned part, half below and half above


class LinkOdds:
    """See the module's docstring.

    Parameters
    ----------
    options
        ``rate``, ``pull``, ``step``, ``learn`` and ``words`` of them.
    """

    def __init__(self, options: ApprenticeOptions) -> None:
        self.model = LinkModel({}, rate=options.rate, pull=options.pull)
        self.hub_model = LinkModel({}, rate=options.rate, pull=options.pull)
        self._options = options
        self._words = LinkWords(self.model, self.hub_model)

    def of_page(
        self, shared: Mapping[str, float], *, pages: int
    ) -> Callable[[Link, Explained, float], tuple[dict[str, float], float, float]]:
        """Return the function that tells the learned part of the links of one page.

        It takes a link, its heuristic score, and how far the model of pages counts in its group, in [0, 1]. It returns
        the features, one object for all links with the same score; the learned part in [0, 1]; and the same without the
        words of the link's text.

        Parameters
        ----------
        shared
            Features of all links of the page.
        pages
            How many were fetched.
        """
        if not self._options.learn:
            return _nothing_learned
        dense_logit, hub_dense_logit, part_of = self.model.dense_logit, self.hub_model.dense_logit, self.part
        added_of = self._words.added if self._options.words else None
        known: dict[int, tuple[Explained, dict[str, float], float, float]] = {}  # by the score, kept with it

        def learned(link: Link, score: Explained, share: float) -> tuple[dict[str, float], float, float]:
            entry = known.get(id(score))
            if entry is None:
                features = {**score.parts, **shared}
                entry = known[id(score)] = (score, features, dense_logit(features), hub_dense_logit(features))
            _, features, z, hub_z = entry
            z = share * z + (1.0 - share) * hub_z
            if added_of is None:
                part = part_of(z)
                return features, part, part
            added = added_of(link, score.parts, pages=pages)
            z += share * added.by_path + (1.0 - share) * added.hub_by_path
            of_text = share * added.by_text + (1.0 - share) * added.hub_by_text
            part = part_of(z + of_text)
            return features, part, part_of(z) if of_text else part

        return learned

    def part(self, z: float) -> float:
        """Return the learned part for log-odds `z`, in steps."""
        return clip01(round((0.5 + z / _REACH) / self._options.step) * self._options.step)

    def parts(self, z: Floats) -> Floats:
        """Return the learned parts for log-odds, shape (n,), in steps."""
        step = self._options.step
        return np.clip(np.round((0.5 + z / _REACH) / step) * step, 0.0, 1.0)


def _nothing_learned(link: Link, score: Explained, share: float) -> tuple[dict[str, float], float, float]:
    del link, share
    return dict(score.parts), 0.5, 0.5
