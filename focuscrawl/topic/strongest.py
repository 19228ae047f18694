"""The strongest words of a topic, as a person reads them."""

from __future__ import annotations

from focuscrawl.text.surface import surface_forms
from focuscrawl.topic.model import FittedTopic
from focuscrawl.topic.sample_words import STRONGEST
from focuscrawl.topic.spec import TopicSpec


def strongest_words(spec: TopicSpec, model: FittedTopic) -> list[str]:
    """Return the `STRONGEST` heaviest words of the topic's vector, heaviest first, as terms and samples write them.

    A word of a phrase, "node" of "Node.js", is shown as the phrase, unless it is a term of at least the same weight.

    Parameters
    ----------
    spec
        The topic that `model` was fitted from.
    """
    alone = {tokens[0]: model.weights[term] for term, tokens in model.term_tokens.items() if len(tokens) == 1}
    phrases: dict[str, str] = {}  # token -> the heaviest term that it is a part of
    for term, tokens in sorted(model.term_tokens.items(), key=lambda item: -model.weights[item[0]]):
        if len(tokens) > 1:
            for token in tokens:
                if model.weights[term] > alone.get(token, 0.0):
                    phrases.setdefault(token, term)
    shown = dict.fromkeys(phrases.get(token, token) for token, _ in model.top_terms(len(model.vector)))
    texts = [*spec.terms, *(sample.text for sample in spec.samples_loaded())]
    whole = set(phrases.values())
    words = list(shown)[:STRONGEST]
    written = surface_forms([word for word in words if word not in whole], texts, model.tokenizer)
    return [word if word in whole else written[word] for word in words]
