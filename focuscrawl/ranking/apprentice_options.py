"""Constants of the ranker that learns while it crawls; docs/strategies.md gives the reasons and what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from focuscrawl.options import NotNegative, Positive, Range, Share


@dataclass(frozen=True, slots=True)
class ApprenticeOptions:
    """Options under ``[ranking.options]`` of a topic file."""

    learn: bool = True
    words: bool = True
    groups: bool = True
    hub: Share = 0.8  # below 1: of the pages a listing leads to, the better ones are fetched and counted
    hub_learn: bool = True
    named: bool = True  # a link that the topic names does not suffer for the other links of its menu
    siblings: NotNegative = 4.0  # pages a listing led to after which another of them counts half; 0: all count alike
    opens: bool = True  # what a page leads to counts by how many of its links are new
    series: bool = True  # what a listing leads to counts for the numbered pages that continue it
    taken: Share = 0.5  # of what a group's fetched links scored above the crawl's, its offset gives back so much
    scale: Positive = 9.0  # log-odds worth 1 of priority
    step: Annotated[float, Range(0.0, 1.0, above=True)] = 0.05
    rate: NotNegative = 0.6
    pull: NotNegative = 0.001
    anew: Annotated[int, Range(0)] = 20  # pages after which links that wait are scored anew; 0: never
    m_host: NotNegative = 8.0
    m_section: NotNegative = 4.0
    m_group: NotNegative = 3.0
    limit: Share = 0.8
    credit: Share = 0.5  # what a relevant page further on is worth to those that led to it, per hop
    graded: bool = True
    bar: Share = 0.5  # of the way from the threshold to the usual score of relevant pages, when every page is relevant
    band: Positive = 0.3
    look: bool = True  # first looks at hosts
    look_share: Share = 1.0
    look_further: Share = 0.5  # part of the looks that are further ones
    look_prior: Positive = 1.0  # pages the crawl's own rate counts for in a host's outlook: hosts are all or nothing
    floor: Annotated[float, Range(0.0, 0.25)] = 0.01  # least share of the fetches of each order beside the own one
