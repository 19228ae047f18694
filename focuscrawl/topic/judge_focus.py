"""The judge for topics known by a handful of words and a few paragraphs: how many of the topic's words a page has.

    s = sum over words t of w_t * sat(tf_t) / |w|          sat(tf) = tf / (tf + k1 (1 - b + b dl/avdl))

Each word counts once in full at most, however often it is repeated, so that a page has to have several; long pages need
more of each. Words are the topic's terms, w = weight * idf, and the 100 most telling words of the samples, with 0.6 of
that at most. |w| is the length of the weight vector, so that 3 terms and 30 terms give comparable scores (as in the
cosine). This is BM25 [1]_ with a fixed avdl, idf from the language at large, and fields as in BM25F [1]_: text inside
links counts a quarter, words of the URL's path twice, of the title three times. What the host of the page repeats on
other pages (`focuscrawl.page.site`), its own name among it, adds at most half of what the page's own words give, and
nothing to a page without any.

An index of other pages (a tag, category, author or archive page, a front page) shows the words of all the pages it
lists, so by its words alone it beats each of them. It is a way to the topic rather than a page on it: its s counts 0.1,
so that ten times the evidence is asked of it. As a sign of more (`lead`, what strategies learn from) it counts 0.3. So
do pages about their site (`focuscrawl.topic.site_pages`): "About us" says what all the others are on. And so does the
page on which the makers of a wiki talk about an article: its title is the article's.

A page without text and a stub that sends its visitors on have no words but those of title and address, which are the
target's: their s counts 0.1, too, and in full as a sign of more.

Links have the titles of other pages. On a page without a term of the topic in title, text and tags they add, with
boilerplate, at most half of what its own words give; as a sign of more they count as ever.

References
----------
.. [1] Stephen Robertson, Hugo Zaragoza, The probabilistic relevance framework: BM25 and beyond, Foundations and Trends
   in Information Retrieval 3(4), 2009.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt
from typing import TYPE_CHECKING

from focuscrawl.errors import ConfigError
from focuscrawl.page.model import PageAnalysis
from focuscrawl.page.tags import tag_words
from focuscrawl.page.urls import host_tokens, path_tokens
from focuscrawl.text.background import DOCUMENT_TOKENS
from focuscrawl.topic.judge_base import ScoredJudge, contributions, half_map, reason_of
from focuscrawl.topic.listing import listing_sign, stub_sign
from focuscrawl.topic.site_pages import site_page_name
from focuscrawl.types import Explained

if TYPE_CHECKING:
    from focuscrawl.topic.model import FittedTopic

K1 = 2.0
B = 0.75
SAMPLE_WORDS = 100
SAMPLE_WEIGHT = 0.6
LINK_WEIGHT = 0.25
OWN_LINK_WEIGHT = 0.5
"""Of links and boilerplate once it is known what the host repeats: what is left are the page's own tags, categories,
breadcrumbs and related pages."""
SITE_SHARE = 0.5
"""How much of its own words' score a page may get from what its host repeats."""
LINKS_SHARE = 0.5
"""The same from links and boilerplate, on a page without a term of the topic in title, text and tags: there stand the
titles of other pages, a sign of more (`lead`) rather than of this one."""
URL_WEIGHT = 2.0
TITLE_WEIGHT = 3.0
HEADING_WEIGHT = 1.0
LISTING_LEAD = 0.3
"""The same of an index as a sign of more pages on the topic, which a strategy learns from: with less, the front pages
of all hosts look alike (docs/experiments.md, Index pages)."""
STUB_FACTOR = 0.1
LISTING_FACTOR = 0.1
"""None of these is sharp: halving or doubling any one of them changes the mean average precision by less than 0.02
(docs/judging.md has the table), but for links counted not at all or listings counted in full."""
HALF = 0.17
"""s of a page as likely on topic as not: of ten equal terms, one at half its full count, or two named once in a page of
four hundred words. The best border of single topics lies between half and twice of it."""
_MIN_SAMPLE_IDF = 2.0
"""Words of every seventh document and commoner ones tell nothing, even when every sample has them."""


class FocusJudge(ScoredJudge):
    """Judges by the topic's words a page has; see the module for the formula.

    Parameters
    ----------
    listings
        Factor on the score of index pages, in [0, 1]; 1 judges them like any page.
    samples
        Weight of the samples' words against that of the terms, in [0, 1].
    """

    name = "focus"

    def __init__(
        self,
        topic: FittedTopic,
        *,
        threshold: float | str = "adaptive",
        listings: float = LISTING_FACTOR,
        samples: float = SAMPLE_WEIGHT,
    ) -> None:
        super().__init__(topic, threshold=threshold)
        for option, value in (("listings", listings), ("samples", samples)):
            if not 0.0 <= value <= 1.0:
                raise ConfigError(f"judge focus: {option} = {value!r}: must be in [0, 1]")
        self.listings = listings
        self._terms = term_weights(topic)
        # Without terms the samples are all there is.
        self._words = sample_weights(topic, scale=samples if self._terms else 1.0)
        self._length = sqrt(sum(w * w for w in (*self._terms.values(), *self._words.values())))

    def _score(self, page: PageAnalysis) -> Explained:
        content, whole = page.content_tokens, page.tokens
        in_whole = Counter(whole)
        link_weight = OWN_LINK_WEIGHT if page.site_wide.known else LINK_WEIGHT
        length = len(content) + link_weight * max(0, len(whole) - len(content))
        softness = K1 * (1.0 - B + B * length / DOCUMENT_TOKENS)
        terms = self.topic.matcher.counts(whole, bag=in_whole)
        words = self._words
        found = words.keys() & in_whole.keys()
        # Most pages have nothing of the topic, so what is outside links is counted only where it is needed.
        outside: Mapping[str, int] = {}
        if terms:
            in_content = Counter(content)
            outside = self.topic.matcher.counts(content, bag=in_content)
            terms_tf = {term: _mixed(outside.get(term, 0), count, link_weight) for term, count in terms.items()}
        else:
            in_content = Counter(filter(found.__contains__, content)) if found else Counter()
            terms_tf = {}
        tf = {token: _mixed(in_content.get(token, 0), in_whole[token], link_weight) for token in found}
        extra = [
            (page.title_tokens, TITLE_WEIGHT),
            (page.heading_tokens, HEADING_WEIGHT),
            (path_tokens(page.url, self.topic.tokenizer), URL_WEIGHT),
        ]
        shares = self._term_shares(terms_tf, extra, softness)
        for tokens, weight in extra[:2]:
            for token in tokens:
                if token in words:
                    tf[token] = tf.get(token, 0.0) + weight
        shares += [(token, words[token] * count / (count + softness)) for token, count in tf.items() if count]
        raw = sum(share for _, share in shares) / self._length if self._length else 0.0
        against = self._against(page, in_whole, softness)
        raw *= 1.0 - against
        site = self._of_site(page, terms_tf, tf, softness, raw) if raw > 0.0 else 0.0
        raw += site
        topicality = half_map(raw, HALF)
        parts = {"topicality": topicality}
        if against:
            parts["excluded"] = against
        if site:
            parts["site"] = site / raw
        lead = raw
        if terms and not outside and not self._names_topic(page):
            own = self._of_own_words(extra, in_content, softness) * (1.0 - against)
            if (most := (1.0 + LINKS_SHARE) * own) < raw:
                parts["links"], raw = most / raw, most
                parts["lead"] = half_map(lead, HALF)
        named = contributions(shares)
        reason = reason_of(named)
        if raw > 0.0:
            factor, discount, remark = self._discount(page, lead)
            raw *= factor
            parts.update(discount)
            reason += remark
        parts.update(named)
        return Explained(half_map(raw, HALF), parts, reason)

    def _discount(self, page: PageAnalysis, lead: float) -> tuple[float, dict[str, float], str]:
        """Return the factor of a page that is itself not wanted, its parts, and what the reason says of it.

        Such a page sends its visitors on, is an index of others, discusses another one or is about its site. The factor
        of all other pages is 1, without parts and words. `lead` is the raw score of the page for what it leads to.
        """
        if stub := stub_sign(page):
            return STUB_FACTOR, {"stub": STUB_FACTOR, "lead": half_map(lead, HALF)}, f"; {stub}"
        if sign := listing_sign(page):
            remark = f"an index of other pages by its {sign}" if sign != "front page" else "a front page"
        elif page.is_discussion:
            remark = "a discussion of another page, which its title names"
        elif name := self._site_page(page):
            remark = f"a page about its site by its title, {name}"
        else:
            return 1.0, {}, ""
        lead *= max(self.listings, LISTING_LEAD)
        return self.listings, {"listing": self.listings, "lead": half_map(lead, HALF)}, f"; {remark}"

    def _site_page(self, page: PageAnalysis) -> str:
        """Return the name by which a page is about its site, '' for none or when that names the topic, too."""
        name = site_page_name(page)
        return name if name and not self.topic.matcher.counts(self.topic.tokenizer.tokens(name)) else ""

    def _names_topic(self, page: PageAnalysis) -> bool:
        """Tell whether a term of the topic stands in the page's title or among its tags."""
        counts = self.topic.matcher.counts
        return bool(counts(page.title_tokens) or counts(tag_words(page)))

    def _of_own_words(
        self, extra: Sequence[tuple[Sequence[str], float]], in_content: Counter[str], softness: float
    ) -> float:
        """Return the raw score of the words outside links and boilerplate."""
        words = self._words
        tf = {token: float(in_content[token]) for token in words.keys() & in_content.keys()}
        for tokens, weight in extra[:2]:
            for token in tokens:
                if token in words:
                    tf[token] = tf.get(token, 0.0) + weight
        shares = self._term_shares({}, extra, softness)
        shares += [(token, words[token] * count / (count + softness)) for token, count in tf.items()]
        return sum(share for _, share in shares) / self._length

    def _of_site(
        self, page: PageAnalysis, terms_tf: dict[str, float], tf: dict[str, float], softness: float, own: float
    ) -> float:
        """Return what the words that the page's host repeats add to the raw score of the page's own words.

        They say what the site is about, so they bear out a page that says the same, and never stand for it.
        """
        tokens = (*page.site_wide.tokens, *host_tokens(page.host, self.topic.tokenizer))
        added = 0.0
        for term, count in self.topic.matcher.counts(tokens).items():
            before = terms_tf.get(term, 0.0)
            after = before + LINK_WEIGHT * count
            added += self._terms[term] * (after / (after + softness) - before / (before + softness))
        for token, count in Counter(filter(self._words.__contains__, tokens)).items():
            before = tf.get(token, 0.0)
            after = before + LINK_WEIGHT * count
            added += self._words[token] * (after / (after + softness) - before / (before + softness))
        return min(added / self._length, SITE_SHARE * own)

    def _term_shares(
        self, tf: dict[str, float], extra: Sequence[tuple[Sequence[str], float]], softness: float
    ) -> list[tuple[str, float]]:
        for tokens, weight in extra:
            for term, count in self.topic.matcher.counts(tokens).items():
                tf[term] = tf.get(term, 0.0) + weight * count
        return [(term, self._terms[term] * count / (count + softness)) for term, count in tf.items()]

    def _against(self, page: PageAnalysis, in_whole: Counter[str], softness: float) -> float:
        """Return how far excluded words take the score down, in [0, 1]."""
        if not self.topic.excluded:
            return 0.0
        kept = 1.0
        counts = self.topic.excluded_matcher.counts(page.tokens, bag=in_whole)
        for word, count in self.topic.excluded_matcher.counts(page.title_tokens).items():
            counts[word] = counts.get(word, 0) + int(TITLE_WEIGHT) * count
        if not counts:
            return 0.0
        wanted = self.topic.matcher.counts(page.tokens, bag=in_whole)
        for word, count in counts.items():
            # "国际象棋" holds "象棋": an excluded word inside a topic term does not speak against the page.
            inside = sum(n for term, n in wanted.items() if word != term and word in term)
            left = max(0, count - inside)
            kept *= 1.0 - self.topic.excluded[word] * left / (left + softness)
        return 1.0 - kept


def _mixed(in_content: float, in_whole: float, link_weight: float) -> float:
    return in_content + link_weight * max(0.0, in_whole - in_content)


def term_weights(topic: FittedTopic) -> dict[str, float]:
    """Return term -> weight * idf; that of a phrase is its rarest word's."""
    return {
        term: weight * max((topic.background.idf(token) for token in topic.term_tokens[term]), default=0.0)
        for term, weight in topic.weights.items()
    }


def sample_weights(topic: FittedTopic, *, scale: float) -> dict[str, float]:
    """Return the samples' most telling words -> scale * (tf * idf relative to the greatest) * idf.

    tf is the mean share in the relevant samples less that in the irrelevant ones; words of the terms are left out, they
    have their own weight.
    """
    own = set(topic.query)
    tf: dict[str, float] = {}
    for samples, sign in ((topic.samples, 1.0), (topic.negatives, -1.0)):
        for sample in samples:
            for token, count in Counter(sample).items():
                tf[token] = tf.get(token, 0.0) + sign * count / (len(sample) * len(samples))
    telling = {
        token: share * topic.idf(token)
        for token, share in tf.items()
        if share > 0.0 and token not in own and topic.idf(token) > _MIN_SAMPLE_IDF
    }
    best = sorted(telling.items(), key=lambda item: (-item[1], item[0]))[:SAMPLE_WORDS]
    top = best[0][1] if best else 1.0
    return {token: scale * value / top * topic.idf(token) for token, value in best} if scale else {}
