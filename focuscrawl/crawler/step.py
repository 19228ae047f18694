"""Page step: one fetched page from bytes to a settlement, for crawls and replays alike.

analyse → judge → extract → look for duplicates → score the links → rank them → settle. Everything here is CPU work
of a few milliseconds; fetching, leasing and storing are the caller's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from focuscrawl.crawler.counters import CrawlCounters
from focuscrawl.crawler.earlier_pages import take_up
from focuscrawl.crawler.entries import FollowedLinks, link_entries, links_to_follow, seed_entries
from focuscrawl.crawler.fault_log import FaultLog
from focuscrawl.crawler.fetched import Fetched
from focuscrawl.crawler.learned_parts import learned_parts, take_up_parts, unsaved_parts
from focuscrawl.crawler.page_analyser import PageAnalyser
from focuscrawl.crawler.page_records import event_of, judged_of, judgement_of
from focuscrawl.crawler.page_row import page_record
from focuscrawl.crawler.read_page import ReadPage, read_page
from focuscrawl.crawler.recent_links import RecentLinks
from focuscrawl.crawler.redirects import (
    SENDS_ON,
    SENDS_TO_FETCHED,
    TARGET_QUEUED,
    TOO_MANY,
    as_link,
    sent_on_to,
    within_hops,
)
from focuscrawl.crawler.refresh_header import with_refresh_header
from focuscrawl.crawler.revision import FirstPages, with_revisions
from focuscrawl.crawler.robots_header import with_robots_header
from focuscrawl.crawler.scope import Budgets, Scope, too_far
from focuscrawl.crawler.step_options import StepOptions
from focuscrawl.crawler.step_result import StepResult
from focuscrawl.crawler.visit_records import first_visit, text_digest
from focuscrawl.dedupe.exact import content_digest
from focuscrawl.dedupe.known import KnownTexts
from focuscrawl.extraction.base import Extractor
from focuscrawl.page.aliases import aliases_of
from focuscrawl.page.model import REFRESH, Link, PageAnalysis
from focuscrawl.page.site import SiteMemory
from focuscrawl.page.urls import host_of
from focuscrawl.ranking.base import BEHIND, Judged, Ranker
from focuscrawl.ranking.calibration import Calibration
from focuscrawl.ranking.plain_ranks import changed_offsets, changed_scores, plain_ranks, told_looks
from focuscrawl.ranking.series import continues
from focuscrawl.records import Entry, Lease, Outcome, PageEvent, PageRecord, Settlement, record_of
from focuscrawl.scoring.base import PageScorer
from focuscrawl.topic.base import PageJudge, TopicModel
from focuscrawl.topic.evidence import Evidence, evidence_of
from focuscrawl.types import UrlKey

# A snapshot of ranker and judge rides on a settlement after so many pages, or this share of all pages if that is more:
# it grows with the crawl, and would take half of the time of a long one. A kill forgets what was learned since.
_SNAPSHOT_PAGES, _SNAPSHOT_SHARE = 50, 0.04
# Of a topic without words of its own.
_MENTIONED_WORDS = 50


class PageStep:
    """Turns fetched pages into settlements. One instance a crawl; calls must not overlap."""

    def __init__(
        self,
        topic: TopicModel,
        *,
        judge: PageJudge,
        extractor: Extractor,
        scorer: PageScorer,
        ranker: Ranker,
        scope: Scope,
        budgets: Budgets,
        options: StepOptions | None = None,
    ) -> None:
        self.topic = topic
        self.judge = judge
        self.extractor = extractor
        self.scorer = scorer
        self.ranker = ranker
        self.scope = scope
        self.budgets = budgets
        self.options = options or StepOptions()
        self.counters = CrawlCounters()
        self.faults = FaultLog()
        self.texts = KnownTexts()
        self.calibration = Calibration()
        # Links to pages this process has fetched need no score; the frontier would call them known anyway.
        self._fetched: set[UrlKey] = set()
        self.feeds: set[UrlKey] = set()  # that were read
        self._gone: set[UrlKey] = set()  # fetches of these ended without a page: the frontier has done with them
        self._sent_to: Counter[UrlKey] = Counter()  # how many pages send their visitors on to a page
        self.analyser = PageAnalyser(
            topic.tokenizer,
            topic.weights or dict(topic.top_terms(_MENTIONED_WORDS)),
            max_links=self.options.max_links,
            ftp=self.options.ftp,
        )
        self._recent_links = RecentLinks()
        self.sites = SiteMemory(topic.tokenizer)
        self._first_pages = FirstPages()
        self.mark = ""  # stands in the origin of links found after a change of the topic
        self.snapshot_pages = _SNAPSHOT_PAGES  # 0: never
        self._since_snapshot = 0

    def seed_entries(self, urls: Iterable[str]) -> tuple[list[Entry], list[str]]:
        """Return the frontier entries of the seeds, and the URLs that cannot be crawled (not http or https, broken)."""
        entries, bad = seed_entries(urls, self.ranker)
        self.budgets.vouch({entry.host for entry in entries})
        return entries, bad

    # ------------------------------------------------------------------ pages

    def has_fetched(self, key: UrlKey) -> bool:
        """Tell whether this run has a page of the URL, or of the address it was redirected to."""
        return key in self._fetched

    def process(self, fetched: Fetched, lease: Lease) -> StepResult:
        """Return what a page yields; a page that cannot be read yields a record with the reason, never an error."""
        return self.process_analysed(self.analysed(fetched), fetched, lease)

    def analysed(self, fetched: Fetched, *, follow_images: bool = True) -> PageAnalysis:
        """Return the analysis of an answer under the crawl's options; without links to images when so told."""
        if fetched.read is not None and fetched.read.step is self:
            return fetched.read.analysis
        images = follow_images and self.options.follow_images
        page = self.analyser.analyse(fetched.body, fetched.url, fetched.content_type, follow_images=images)
        return self.completed(page, fetched)

    def completed(self, page: PageAnalysis, fetched: Fetched) -> PageAnalysis:
        """Return an analysis with what the answer says beside its body."""
        page = with_robots_header(page, fetched.headers)
        page = with_refresh_header(page, fetched.headers, self.topic.tokenizer, ftp=self.options.ftp)
        return page if fetched.made is None else replace(page, empty_reason=fetched.made.reason_of(page.empty_reason))

    def process_analysed(self, page: PageAnalysis, fetched: Fetched, lease: Lease) -> StepResult:
        """Return what an analysed page yields (`process` without the parse)."""
        sent_on = self._sent_on(page, fetched, lease)
        if sent_on is not None:
            return sent_on
        entry, read = lease.entry, self._read(page, fetched)
        # Predicted before it is learned from: what the page is must not tell.
        predicted = self.calibration.probability(lease.priority)
        self._fetched.update((entry.key, read.page.key))
        digest, duplicate_of = self._duplicate(read, entry.key) if read.may_be_result else ("", None)
        event = self._event(read, entry, digest, duplicate_of)
        self._count_in_budgets(read.page, entry, event)
        followed = self._followed(read, fetched, entry)
        judged, event = self._learn(read, event, lease, followed.links)
        found = self._rank_links(judged, entry, followed)
        event = replace(event, looks=told_looks(self.ranker))
        record = page_record(
            read,
            fetched,
            lease,
            self.topic,
            digest=digest,
            duplicate_of=duplicate_of,
            evidence=self._evidence(read),
            predicted=predicted,
            markdown=self.options.markdown,
        )
        if followed.too_many_hops and not record.relevant:
            record = replace(record, reason=TOO_MANY, withheld="")
        settlement = Settlement(
            lease,
            Outcome.DONE,
            found=found,
            also=aliases_of(read.page, fetched.redirects, entry.key),
            edges=[link.key for link in read.page.links],
            record=record,
            state=self._snapshot_sometimes(),
            event=event,
            visit=first_visit(entry.key, fetched, text_digest(read.analysis.content_tokens)),
        )
        revisions = self._first_pages.revised(judged, judge=self.judge, sites=self.sites, topic=self.topic)
        for revision in revisions:
            self.ranker.revise(revision.judged, revision.before.judged.verdict)
        rescores, offsets = changed_scores(self.ranker), changed_offsets(self.ranker)
        # Only now: where a plug-in above raises, the caller counts a page that could not be processed.
        self.counters.metadata.count(read.analysis, read.page)
        self.counters.recorded(record)
        self._first_pages.judged(read.analysis, judged, record)
        settlement = with_revisions(settlement, revisions, counters=self.counters)
        return StepResult(settlement, record, offsets, rescores, item_wanted=record.is_result)

    def failed(
        self, lease: Lease, *, outcome: Outcome, reason: str, status: int = 0, fetched_at: float = 0.0, url: str = ""
    ) -> StepResult:
        """Return the settlement of a fetch that gave no page: counted, recorded, never an error."""
        entry = lease.entry
        event = PageEvent(url=entry.url, host=entry.host, key=entry.key, failed=True)
        self.budgets.learn(event, gave_page=False)
        if outcome is Outcome.REFUSED and reason != TARGET_QUEUED:
            self.budgets.tried(entry.url, entry.host, host_of(entry.origin.parent_url), gave_page=False)
        record = replace(record_of(lease), final_url=url or entry.url, fetched_at=fetched_at, status=status)
        return self._without_page(Settlement(lease, outcome, event=event), record, reason)

    def deferred(self, entry: Entry, under_way: Iterable[Lease] = ()) -> float | None:
        """Return the score of a link that has come to wait behind all others since it was queued, None for others.

        Parameters
        ----------
        entry
            The link, about to be fetched.
        under_way
            Leases of the pages that are being fetched.
        """
        if entry.score < 0.0 or entry.origin.parent is None:
            return None
        hosts, source = [lease.entry.host for lease in under_way], host_of(entry.origin.parent_url)
        if not self.budgets.held_back(entry.url, entry.host, hosts, source=source):
            return None
        with self.faults.passing_over(f"the strategy failed over {entry.url}, which waits behind all others"):
            self.ranker.set_aside([entry.key])  # or it would be scored anew as if it did not wait behind
        return entry.score - BEHIND

    # ------------------------------------------------------------------ state

    def snapshot(self) -> dict[str, object]:
        """Return what was learned, name -> JSON-safe state."""
        return learned_parts(self)

    def restore(
        self, state: Mapping[str, Mapping[str, object]], records: Iterable[PageRecord], *, anew: bool = False
    ) -> None:
        """Take up an earlier run: learned state, and what its pages say of counters, duplicates and budgets.

        `anew`: its frontier is lost, and the pages are fetched again.
        """
        take_up_parts(self, state)
        known = (self._fetched, self._gone, self.counters, self.budgets, self.texts)
        self.feeds |= take_up(records, self.topic, *known, anew=anew)

    def unsaved(self) -> dict[str, object]:
        """Return what was learned, name -> JSON-safe state, if pages were learned from since it was asked for last."""
        if not self.snapshot_pages or not self._since_snapshot:
            return {}
        self._since_snapshot = 0
        return unsaved_parts(self)

    def _snapshot_sometimes(self) -> dict[str, object]:
        self._since_snapshot += 1
        due = self._since_snapshot >= max(self.snapshot_pages, _SNAPSHOT_SHARE * self.counters.pages)
        return self.unsaved() if due else {}

    # ---------------------------------------------------------------- private

    def _sent_on(self, page: PageAnalysis, fetched: Fetched, lease: Lease) -> StepResult | None:
        """Return the settlement of a page that only sends its visitors on, None for any other.

        The page is no evidence for or against the links like its own, and a hundred such pages repeat nothing though
        they all say the same: what its link was worth, the page it leads to has to show, or has shown where another
        link led there first. A fourth page that sends to one that was fetched, and one that sends where a crawl may
        not go, is a page like any other.
        """
        entry = lease.entry
        if entry.origin.earlier is not None or not any(link.tag == REFRESH for link in page.links):
            return None
        hops = entry.origin.hops + len(fetched.redirects)
        followed = within_hops(self._to_follow(page, entry, frozenset(), leads=False), hops)
        target = sent_on_to(page, followed, fetched=self._fetched, sent_to=self._sent_to)
        if target is None:
            return None
        found = [as_link(entry, target.url, target.host, hops + 1)] if followed else []
        self._sent_to[target.key] += 1
        # Its canonical address is often the one it sends to.
        also = [key for key in aliases_of(page, fetched.redirects, entry.key) if key != target.key]
        self._gone.update(also)
        settlement = Settlement(lease, Outcome.REFUSED, found=found, also=also)
        if not followed:
            self.ranker.led_back(entry.group)
        record = replace(
            record_of(lease), final_url=page.url, fetched_at=fetched.fetched_at, status=fetched.status, tls=fetched.tls
        )
        return self._without_page(settlement, record, SENDS_ON if followed else SENDS_TO_FETCHED)

    def _without_page(self, settlement: Settlement, record: PageRecord, reason: str) -> StepResult:
        """Return the settlement of a fetch that gave no page to judge."""
        entry = settlement.lease.entry
        self.counters.gave_nothing(reason)
        self._gone.add(entry.key)
        predicted = self.calibration.probability(settlement.lease.priority)
        record = replace(record, predicted=predicted, outcome=str(settlement.outcome), reason=reason)
        settlement = replace(settlement, record=record)
        # There is no page to be given up for a fault, and the lease has to end.
        with self.faults.passing_over(f"the strategy failed over {entry.url}, which gave no page"):
            self.ranker.missed(entry.host, entry.key)
            return StepResult(settlement, record, changed_offsets(self.ranker), changed_scores(self.ranker))
        return StepResult(settlement, record)

    def _read(self, page: PageAnalysis, fetched: Fetched) -> ReadPage:
        """Return the page with verdict and main content, which another process may have read for this step."""
        read = fetched.read
        if read is not None and read.step is self and read.analysis is page:
            return read
        return read_page(self, page)

    def _event(self, read: ReadPage, entry: Entry, digest: str, duplicate_of: UrlKey | None) -> PageEvent:
        new_text = digest if duplicate_of is None else ""
        # A page whose whole site asks not to be indexed is no other view of one that may be.
        closed = "?" in entry.url and not self._leads_on(read.page)
        return event_of(
            read.page,
            read.verdict,
            entry,
            repeats=read.repeats or duplicate_of is not None or (closed and not read.may_store),
            closed=closed,
            digest=new_text,
            signature=self.texts.near.signature(entry.key) if new_text else None,
        )

    def _count_in_budgets(self, page: PageAnalysis, entry: Entry, event: PageEvent) -> None:
        self.budgets.learn(event)
        self.budgets.tried(entry.url, entry.host, host_of(entry.origin.parent_url), gave_page=True)
        self.budgets.linked(page.host, {link.host for link in page.links})
        self.budgets.led_on(page, entry, self._recent_links)

    def _learn(self, read: ReadPage, event: PageEvent, lease: Lease, links: Sequence[Link]) -> tuple[Judged, PageEvent]:
        """Return the page as the strategy has learned from it, and its event with the judgement."""
        new_links = self._recent_links.count_new(link.key for link in links)
        judged = judged_of(read.page, read.verdict, lease.entry, new_links=new_links, repeats=event.repeats)
        event = replace(event, judgement=judgement_of(judged, lease, topic=self.topic.version))
        self.calibration.learn(event)
        self.ranker.observe(judged)
        return judged, event

    def _evidence(self, read: ReadPage) -> Evidence:
        """Return where the topic's words stand; nothing is looked up on pages that the judge found to have none."""
        page, verdict, text = read.page, read.verdict, read.text
        if verdict.score.value <= 0.0 and not page.site_wide.tokens:
            return {}
        stored = None
        if text is not None and verdict.relevant:
            stored = (self.topic.tokens(text.title or page.title), read.words)
        return evidence_of(page, self.topic, text=stored)

    def _duplicate(self, read: ReadPage, key: UrlKey) -> tuple[str, UrlKey | None]:
        page, text, extracted = read.page, read.text, read.extracted
        digest = content_digest(text.text if text else "".join(page.content_tokens))
        if not digest:
            return "", None
        whole = content_digest(extracted.text) if text and extracted and extracted.text != text.text else ""
        # After a resume the index is rebuilt from stored text, so it is built from that text now.
        return digest, self.texts.check(
            key, digest, lambda: read.words if text else page.content_tokens, extracted=whole
        )

    def _followed(self, read: ReadPage, fetched: Fetched, entry: Entry) -> FollowedLinks:
        page = read.page
        next_pages = {link.key for link in page.links if link.host == page.host and continues(page.url, link.url)}
        links = self._to_follow(page, entry, next_pages, leads=read.verdict.leads)
        hops = entry.origin.hops + len(fetched.redirects)
        within = within_hops(links, hops)
        return FollowedLinks(within, next_pages, hops, too_many_hops=len(within) < len(links))

    def _leads_on(self, page: PageAnalysis) -> bool:
        """Tell whether a page has a link to follow that was neither seen recently nor tried."""
        if page.nofollow and self.options.obey_meta_robots:
            return False
        known = (self._recent_links, self._fetched, self._gone)
        return any(all(link.key not in keys for keys in known) for link in page.links)

    def _to_follow(self, page: PageAnalysis, entry: Entry, next_pages: Set[UrlKey], *, leads: bool) -> list[Link]:
        nofollow = page.nofollow and self.options.obey_meta_robots
        if nofollow or not self.options.follow_links or (too_far(entry.tunnel) and not leads):
            return []
        return links_to_follow(
            page,
            entry,
            next_pages,
            fetched=self._fetched,
            gone=self._gone,
            recent=self._recent_links,
            scope=self.scope,
            budgets=self.budgets,
        )

    def _rank_links(self, judged: Judged, entry: Entry, followed: FollowedLinks) -> list[Entry]:
        if not (links := followed.links):
            return []
        scores = self.scorer.score(links, judged.page, self.topic)
        ranked = plain_ranks(self.ranker, self.ranker.rank(judged, links, scores), len(links))
        entries, aside = link_entries(judged, entry, followed, ranked, budgets=self.budgets)
        if aside:
            self.ranker.set_aside(aside)
        return entries
