"""Features of a link, as the learned ranker sees them: name → value in [0, 1].

What all links of a page have in common is kept apart from what is a link's own, so that the common part is weighed
once a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from focuscrawl.page.model import Link, PageAnalysis
from focuscrawl.ranking.base import Judged
from focuscrawl.scoring.matches import LinkMatches
from focuscrawl.topic.base import TopicModel
from focuscrawl.types import Explained


def term_degree(terms: Sequence[str], weights: Mapping[str, float]) -> float:
    """Return how strongly distinct topic terms speak, in [0, 1): ``1 - prod(1 - 0.6 w)``.

    One term of full weight gives 0.6, two 0.84: further terms add, each less than the one before.
    """
    silent = 1.0
    for term in terms:
        silent *= 1.0 - 0.6 * weights.get(term, 1.0)
    return 1.0 - silent


def page_features(judged: Judged) -> dict[str, float]:
    """Return the features that all links of a page share; zeros are left out."""
    out: dict[str, float] = {"bias": 1.0}
    if judged.verdict.score.value:
        out["parent"] = judged.verdict.score.value
    if judged.verdict.relevant:
        out["parent_on_topic"] = 1.0
    elif judged.tunnel:
        out["tunnel"] = min(1.0, judged.tunnel / 4.0)
    share = _link_share(judged.page)
    if share > 0.5:
        out["from_listing"] = share
    return out


def link_features(
    judged: Judged,
    links: Sequence[Link],
    scores: Mapping[str, Sequence[Explained]],
    matches: LinkMatches,
    topic: TopicModel,
) -> list[dict[str, float]]:
    """Return the features of each link's own; zeros are left out."""
    page = judged.page
    weights = topic.weights
    on_topic = judged.verdict.relevant
    blocks = page.blocks
    host = page.host
    related, dom, quality = scores["rw"], scores["dom"], scores["quality"]
    degrees: dict[tuple[str, ...], float] = {(): 0.0}

    def degree(terms: tuple[str, ...]) -> float:
        found = degrees.get(terms)
        if found is None:
            found = degrees[terms] = term_degree(terms, weights)
        return found

    out: list[dict[str, float]] = []
    for i, link in enumerate(links):
        f: dict[str, float] = {}
        if matches.text[i]:
            f["anchor_terms"] = degree(matches.text[i])
        if matches.url[i]:
            f["url_terms"] = degree(matches.url[i])
        if matches.title[i]:
            f["title_terms"] = degree(matches.title[i])
        if matches.around[i]:
            f["around_terms"] = degree(matches.around[i])
        if related[i].parts:
            f["related"] = related[i].parts.get("raw", 0.0)
        if dom[i].value:
            f["dom"] = dom[i].value
        if quality[i].value < 1.0:
            f["junk"] = 1.0 - quality[i].value
        if link.block < 0 or blocks[link.block].boilerplate:
            f["boilerplate"] = 1.0
        elif on_topic:
            f["in_text_of_relevant"] = 1.0
        if link.host != host:
            f["leaves_host"] = 1.0
        words = len(link.text_tokens)
        if words >= 5:
            f["long_anchor"] = 1.0
        elif words == 0:
            f["no_anchor"] = 1.0
        out.append(f)
    return out


def _link_share(page: PageAnalysis) -> float:
    chars = sum([b.chars for b in page.blocks])
    return sum([b.link_chars for b in page.blocks]) / chars if chars else 0.0
