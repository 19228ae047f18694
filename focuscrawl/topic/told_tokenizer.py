"""A tokenizer whose faults are told: without it no topic can be fitted."""

from __future__ import annotations

from collections.abc import Sequence

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
        return self.chunks([text], at_once=False)[0]

    def chunks(self, chunks: Sequence[str], *, at_once: bool = True) -> list[list[str]]:
        """Return the tokens of each chunk."""
        what = f'tokenizer "{self._spec.tokenizer}"'
        with placed(self._spec, TOKENIZER), faults_told("tokenizers", self._spec.tokenizer, "fails over the topic"):
            cuts = self._tokenizer
            found = cuts.chunks(chunks) if at_once else [cuts.tokens(text) for text in chunks]
            return [list(texts(tokens, f"{what}: tokens")) for tokens in found]
