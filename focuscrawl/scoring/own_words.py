"""Links that show words of the topic's title and description, and links that the topic names."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.page.model import Link
from focuscrawl.page.urls import url_words
from focuscrawl.topic.base import TopicModel
from focuscrawl.topic.term_memory import MAX_REMEMBERED, TermMemory, Terms

# A label of more words is a headline.
_LABEL_WORDS = 4
# Below this weight a word of the description is too common to name a listing ("business", "report").
_NAMING_WEIGHT = 0.35


class OwnWords(TermMemory):
    """Look-ups of a topic's own words in links; most links of a page were on the page before."""

    def __init__(self, topic: TopicModel) -> None:
        super().__init__(topic.own_matcher)
        self._topic = topic
        self._labels: dict[Terms, bool] = {(): False}
        self._steps: dict[str, bool] = {}
        self._naming = {word for word, weight in topic.own_words.items() if weight >= _NAMING_WEIGHT}
        self._naming.update(tokens[0] for tokens in topic.term_tokens.values() if len(tokens) == 1)
        self._stop_words = topic.stop_words

    def name(self, link: Link, series: str) -> bool:
        """Tell whether the topic names a link: its text, or the last step of its path, holds topic words only.

        Parameters
        ----------
        link
            A link that shows at least one topic word or own word.
        series
            Host and path of its URL without a page number.
        """
        label = self._labels.get(link.text_tokens)
        if label is None:
            if len(self._labels) >= MAX_REMEMBERED:
                self._labels = {(): False}
            label = self._labels[link.text_tokens] = self._is_label(link.text_tokens)
        if label:
            return True
        step = _last_step(series)
        named = self._steps.get(step)
        if named is None:
            if len(self._steps) >= MAX_REMEMBERED:
                self._steps = {}
            named = self._steps[step] = self._is_label(self._words_of(step))
        return named

    def naming(self, text: str, series: str) -> Terms:
        """Return the topic words that name a page; none if it has another name, or more than them.

        Parameters
        ----------
        text
            Of the link it was found by.
        series
            Host and path of its URL without a page number.
        """
        for words in (self._topic.tokens(text), self._words_of(_last_step(series))):
            if words and self._is_label(words):
                return (*self._topic.matcher.in_tokens(words), *self.matcher.in_tokens(words))
        return ()

    def _words_of(self, step: str) -> Sequence[str]:
        return self._topic.tokens(url_words(step.partition(".")[0]))

    def _is_label(self, tokens: Sequence[str]) -> bool:
        words = [token for token in tokens if token not in self._stop_words and not token.isdigit()]
        if not 0 < len(words) <= _LABEL_WORDS:
            return False
        covered = self._naming
        if covered.issuperset(words):
            return True
        if covered.isdisjoint(words) and len(words) == 1:
            return False
        phrases = {t for term in self._topic.matcher.in_tokens(tokens) for t in self._topic.term_tokens[term]}
        return bool(phrases) and all(word in covered or word in phrases for word in words)


def _last_step(series: str) -> str:
    """Return the last step of the path of a URL without scheme; '' for a host alone."""
    _, slash, step = series.partition("?")[0].rstrip("/").rpartition("/")
    return step if slash else ""
