"""What a look at a seed tells: dead, moved, parked, off the topic, or fine."""

from __future__ import annotations

import re
from dataclasses import dataclass

from focuscrawl.page.analysis import analyse
from focuscrawl.page.decode import decode
from focuscrawl.page.urls import host_of, normalize_url, registered_domain
from focuscrawl.topic.base import PageJudge, TopicModel
from focuscrawl.wording.base import Say
from focuscrawl.wording.seeds import FOR_SALE, MOVED_TO, NO_WORD_ON_IT, NOW_AT, RELEVANCE

FINE, DEAD, MOVED, PARKED, OFF_TOPIC = "fine", "dead", "moved", "parked", "off topic"

# What those who hold names for sale write; a page of ordinary length that mentions it is not one of theirs.
_FOR_SALE = re.compile(
    r"(?:this|the) (?:web ?site|domain)(?: name)? (?:is|may be) (?:available )?(?:for sale|parked)|buy this domain"
    r"|domain (?:is )?parked|(?:此|该|本)?域名(?:正在|可|已)?(?:出售|转让)|(?:此|该|本)域名(?:已|未)?(?:过期|停放)",
    re.IGNORECASE,
)
_PARKED_WORDS = 200
_READ_CHARS = 100_000
_ENGLISH = Say()


@dataclass(frozen=True, slots=True)
class Look:
    """State of a seed after it was fetched."""

    url: str
    state: str  # fine, dead, moved, parked, off topic
    detail: str = ""  # for people: the reason, the new address, the relevance
    score: float | None = None  # relevance in [0, 1], None without a page


def look_at(
    url: str,
    final_url: str,
    body: bytes,
    content_type: str | None,
    *,
    topic: TopicModel,
    judge: PageJudge,
    say: Say = _ENGLISH,
) -> Look:
    """Return the state of a seed by the page it gave.

    A front page may be off the topic and yet lead to it, so "off topic" is said where no word of the topic is on the
    page at all, its links included. Moved is a seed whose page is another registered domain's.
    """
    page = analyse(body, final_url, content_type=content_type, tokenizer=topic.tokenizer)
    score = judge.judge(page).score.value
    if len(page.tokens) < _PARKED_WORDS and _FOR_SALE.search(decode(body, content_type).text[:_READ_CHARS]):
        return Look(url, PARKED, say(FOR_SALE), score)
    start, end = (registered_domain(host_of(address)) for address in (url, final_url))
    if start != end:
        return Look(url, MOVED, say(MOVED_TO, url=final_url), score)
    matches = topic.matcher.counts(page.tokens)
    anchors = any(topic.matcher.in_tokens(link.text_tokens) for link in page.links)
    if not matches and not anchors:
        return Look(url, OFF_TOPIC, say(NO_WORD_ON_IT), score)
    same = normalize_url(final_url, final_url) == normalize_url(url, url)
    told = say(RELEVANCE, score=score)
    return Look(url, FINE, told if same else say(NOW_AT, told=told, url=final_url), score)
