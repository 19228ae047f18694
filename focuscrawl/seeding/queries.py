"""Queries for search engines, made of a topic's words."""

from __future__ import annotations

import re

from focuscrawl.text.scripts import HAN
from focuscrawl.topic.spec import TopicSpec

MOST_QUERIES = 6
_HAN = re.compile(f"[{HAN}]")


def queries_of(spec: TopicSpec) -> list[str]:
    """Return queries for a topic: its title, its strongest terms together and alone, and those of its other language.

    Words of Chinese and of an alphabet are never mixed: engines answer in the language of the query.
    """
    terms = sorted(spec.terms, key=lambda term: -spec.terms[term])
    names = [*terms, *(word for term in terms for word in spec.synonyms.get(term, ()))]
    first_is_han = bool(_HAN.search(spec.title or (terms[0] if terms else "")))
    own = [name for name in names if bool(_HAN.search(name)) == first_is_han]
    other = [name for name in names if bool(_HAN.search(name)) != first_is_han]
    # Of a title in two languages the parts stand between signs: 网络爬虫 · Web crawling.
    queries = [part.strip() for part in re.split(r"[·|/]", spec.title) if part.strip()]
    queries += [" ".join(own[:2])] if len(own) > 1 else own[:1]
    queries += [" ".join(other[:2])] if len(other) > 1 else other[:1]
    if len(own) > 2:
        queries += [f"{own[0]} {name}" for name in own[2:4]]
    queries += own + other
    unique: dict[str, str] = {}
    for query in queries:
        unique.setdefault(query.casefold(), query)
    return list(unique.values())[:MOST_QUERIES] or [spec.name.replace("-", " ")]
