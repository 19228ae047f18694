"""A tokenizer whose faults are told: without it no topic can be fitted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from focuscrawl.plain_values import texts
from focuscrawl.plugins import faults_told
from focuscrawl.text.base import Tokenizer
from focuscrawl.topic.choices import TOKENIZER, placed
from focuscrawl.topic.spec import TopicSpec


class ToldTokenizer:
    """Cuts the texts of a topic; a `TopicError` names a tokenizer that raises, or returns what are no tokens."""

    def __init__(self, tokenizer: Tokenizer, spec: TopicSpec) -> None:
        self.name = tokenizer.name
        self._tokenizer = tokenizer
        self._spec = spec

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text."""
        return self._told(lambda: [self._tokenizer.tokens(text)])[0]

    def chunks(self, chunks: Sequence[str]) -> list[list[str]]:
        """Return the tokens of each chunk."""
        return self._told(lambda: self._tokenizer.chunks(chunks))

    def _told(self, cut: Callable[[], Sequence[Sequence[str]]]) -> list[list[str]]:
        name = self._spec.tokenizer
        with placed(self._spec, TOKENIZER), faults_told("tokenizers", name, "fails over the topic"):
            return [list(texts(tokens, f'tokenizer "{name}": tokens')) for tokens in cut()]
