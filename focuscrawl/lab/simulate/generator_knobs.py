"""Knobs of generated webs, and families of webs that each have one difficulty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

from focuscrawl.errors import ConfigError
from focuscrawl.lab.simulate.vocabulary import LANGUAGES

MAX_TUNNEL = 4

FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "plain": "",
        "Chinese": "language=zh",
        "two languages": "foreign=0.5",
        "shallow": "tunnel=0",
        "deep": "tunnel=4",
        "portal of many hosts": "hosts=90,articles=30,topical_share=0.04",
        "silent links": "anchor_quality=0.1,url_quality=0.1",
        "listings named by the topic": "named=1,anchor_quality=0.1,url_quality=0.1",
        "thin hosts": "purity=0.15",
        "rare topic": "topical_share=0.04,stray=0",
        "chains of posts": "chain=1",
        "tag clouds": "tags=40,anchor_quality=0.2",
        "dense links between hosts": "strangers=6",
        "heavy menus": "language=zh,boilerplate=60",
        "traps": "traps=6",
        "spam": "spam=4",
    }
)
"""Name -> knobs (`parse_knobs`); what a strategy is worth shows in how it does on all of them."""


@dataclass(frozen=True, slots=True)
class WebKnobs:
    """Knobs of a generated web. Shares are in [0, 1]."""

    language: str = "en"  # "en" or "zh"
    hosts: int = 24
    articles: int = 120  # a host
    topics: int = 2  # subjects with labels
    topical_share: float = 0.1  # of the hosts, for each topic
    purity: float = 0.5  # of a topical host's articles, on the topic
    related: float = 0.1  # of a topical host's articles, near the topic (grade 1)
    stray: float = 0.002  # of all other hosts' articles, on the topic nevertheless
    anchor_quality: float = 0.6  # chance that an anchor is the title of what it leads to
    url_quality: float = 0.6  # chance that the URL of an article names its subject
    tunnel: int = 1  # off-topic pages between a home page and the topical section, 0 to 4
    boilerplate: int = 15  # menu links on every page, beside the one to the home page
    traps: int = 1  # hosts with a calendar
    trap_pages: int = 400  # in each
    words: int = 120  # in an article
    named: float = 0.0  # chance that a topical section is named by the topic, in its URL and in the links to it
    chain: int = 0  # 1: posts hang from the post before them, the first one from its section, and from no listing
    tags: int = 0  # pages of a tag cloud that stands on every page of a host; one of them is of the host's topic
    strangers: int = 0  # links of each article to articles of other hosts, whatever their subject
    foreign: float = 0.0  # share of the hosts without the topics that are written in the other language
    spam: int = 0  # hosts full of pages that repeat words of a topic and say nothing
    seed: int = 0

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise ConfigError(f"language {self.language!r} is unknown; known: {', '.join(LANGUAGES)}")
        if not 0 <= self.tunnel <= MAX_TUNNEL:
            raise ConfigError(f"tunnel = {self.tunnel}: must be 0 to {MAX_TUNNEL}")
        if not 1 <= self.topics < len(LANGUAGES[self.language].subjects):
            raise ConfigError(f"topics = {self.topics}: must be 1 to {len(LANGUAGES[self.language].subjects) - 1}")
        for name in (
            "topical_share",
            "purity",
            "related",
            "stray",
            "anchor_quality",
            "url_quality",
            "named",
            "foreign",
        ):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ConfigError(f"{name} = {getattr(self, name)}: must be in [0, 1]")
        for name in ("hosts", "articles", "words"):
            if getattr(self, name) < 3:
                raise ConfigError(f"{name} = {getattr(self, name)}: must be 3 or more")
        for name in ("tags", "strangers", "spam"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} = {getattr(self, name)}: must be 0 or more")
        if self.chain not in (0, 1):
            raise ConfigError(f"chain = {self.chain}: must be 0 or 1")


def parse_knobs(text: str) -> WebKnobs:
    """Return the knobs of ``name=value,name=value``.

    >>> parse_knobs("language=zh,tunnel=3").tunnel
    3
    """
    kinds = {f.name: type(getattr(WebKnobs(), f.name)) for f in fields(WebKnobs)}
    given = {}
    for pair in filter(None, text.split(",")):
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or name not in kinds:
            raise ConfigError(f"{pair!r}: expected name=value with a name of {', '.join(kinds)}")
        try:
            given[name] = kinds[name](value)
        except ValueError as error:
            raise ConfigError(f"{pair!r}: expected {kinds[name].__name__}") from error
    return WebKnobs(**given)
