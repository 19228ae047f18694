"""What a crawl has found lately: moving means over the last fifty pages or so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from focuscrawl.ranking.group_rates import Tally
from focuscrawl.topic.base import Verdict

_RATE = 0.02  # of the moving means: the last 50 pages or so
_AT_FIRST = 0.5  # harvest that is taken for granted
_PRIOR_PAGES = 2.0  # for which the harvest of all pages counts in the one of pages no look called up


class MovingHarvest:
    """The recent rate of relevant pages, and how good relevant pages lately are.

    Attributes
    ----------
    rate
        Of relevant pages among the last ones, in [0, 1].
    usual
        How far relevant pages lately are above the threshold.
    """

    def __init__(self) -> None:
        self.rate = _AT_FIRST
        self.usual = 0.0
        self._uncalled = Tally()  # recent pages that no look called up
        self._found = 0  # relevant pages

    def count(self, *, relevant: bool, called_up: bool) -> None:
        """Count a page, and whether a look called it up."""
        self.rate += (float(relevant) - self.rate) * _RATE
        self._uncalled.fade(1.0 - _RATE)
        if not called_up:
            self._uncalled.add(float(relevant))

    def found(self, above: float) -> None:
        """Take note of how far a relevant page is above the threshold."""
        self._found += 1
        self.usual += (above - self.usual) * max(_RATE, 1.0 / (self._found + 5.0))

    def grade(self, verdict: Verdict, *, bar: float, band: float) -> float:
        """Return the outcome of a page in [0, 1]: 1/2 for a page at the bar.

        The bar is the judge's threshold while few pages are relevant. Where nearly every page is, being relevant says
        nothing, and what counts is to be better than usual: the bar rises towards the usual score of relevant pages.

        Parameters
        ----------
        bar
            How far the bar rises, in [0, 1].
        band
            Scores between an outcome of 0 and one of 1.
        """
        above = verdict.lead - verdict.threshold - bar * self.rate * self.usual
        return min(1.0, max(0.0, 0.5 + above / band))

    def pay(self) -> float:
        """Return the rate of all pages or, where it is better, of those that no look called up, in [0, 1]."""
        return max(self.rate, self._uncalled.rate(self.rate, _PRIOR_PAGES))

    def snapshot(self) -> dict[str, object]:
        """Return the means, to be saved with the run."""
        own = self._uncalled
        return {"pay": self.rate, "own": [own.trials, own.successes], "found": self._found, "usual": self.usual}

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up what `snapshot` returned; runs of older versions name less."""
        pay, own, found, usual = (state.get(name) for name in ("pay", "own", "found", "usual"))
        self.rate = float(pay) if isinstance(pay, int | float) else _AT_FIRST
        self._uncalled = Tally(float(own[0]), float(own[1])) if isinstance(own, Sequence) and len(own) == 2 else Tally()
        self._found = found if isinstance(found, int) else 0
        self.usual = float(usual) if isinstance(usual, int | float) else 0.0
