"""What the words of links add to their log-odds, by the model of pages and by that of what pages lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from focuscrawl.page.model import Link
from focuscrawl.page.urls import host_words
from focuscrawl.ranking.heuristic import is_machinery
from focuscrawl.ranking.link_model import LinkModel
from focuscrawl.types import HostKey, UrlKey

_LAST = 16  # pages for which what the words of a link add is believed: the models move little in so few
_KEPT = 50_000


class Added(NamedTuple):
    """What words add, in log-odds: those of the path and those of the text, by the models of pages and of hubs."""

    by_path: float
    hub_by_path: float
    by_text: float
    hub_by_text: float


_NOTHING = Added(0.0, 0.0, 0.0, 0.0)


class LinkWords:
    """What the words of links add; most links of a page were on those before it, so what was worked out serves again.

    Parameters
    ----------
    model, hub_model
        Models of pages, and of what they lead to.
    """

    def __init__(self, model: LinkModel, hub_model: LinkModel) -> None:
        self._model = model
        self._hub_model = hub_model
        self._known: dict[tuple[UrlKey, str], tuple[int, Added]] = {}  # with the pages there were

    def added(self, link: Link, parts: Mapping[str, float], *, pages: int) -> Added:
        """Return what the words of a link add, after so many pages; `parts` are those of its score."""
        key = (link.key, link.anchor)
        known = self._known.get(key)
        if known is not None and pages - known[0] < _LAST:
            return known[1]
        path, text = path_words(link.url_tokens, link.host, parts), link.text_tokens
        added = _NOTHING
        if not self._model.knows_none(text, path):
            by_text, by_path = self._model.words_logits(text, path)
            hub_by_text, hub_by_path = self._hub_model.words_logits(text, path)
            added = Added(by_path, hub_by_path, by_text, hub_by_text)
        if len(self._known) >= _KEPT:
            self._known.clear()
        self._known[key] = (pages, added)
        return added


def path_words(words: Sequence[str], host: HostKey, parts: Mapping[str, float]) -> Sequence[str]:
    """Return those words of a URL that are learned from, as what hosts are worth is learned by their groups.

    They are those after the host, and none where they are those of a page that the URL shares or prints.
    """
    return () if is_machinery(parts.get("quality", 1.0)) else words[host_words(host) :]
