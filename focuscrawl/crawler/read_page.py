"""A page as far as it has been read: analysis, verdict and main content, before anything is learned from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from focuscrawl.crawler.own_text import has_nothing_own, is_mostly_gone, is_put_together, own_text, says_more
from focuscrawl.crawler.revision import is_near_miss
from focuscrawl.extraction.base import Extraction
from focuscrawl.extraction.blocks import BlocksExtractor
from focuscrawl.extraction.licence import licence_of
from focuscrawl.extraction.markdown import to_markdown
from focuscrawl.extraction.plain_extraction import extracted
from focuscrawl.page.model import PageAnalysis
from focuscrawl.row_reasons import NO_INDEX, SAME_EVERYWHERE
from focuscrawl.topic.base import Verdict
from focuscrawl.topic.listing import listing_sign
from focuscrawl.topic.plain_verdict import plain_verdict

if TYPE_CHECKING:
    from focuscrawl.crawler.step import PageStep


QUICK = BlocksExtractor()
"""What near misses are read by."""


class Wanted(StrEnum):
    """What is extracted of a page."""

    NOTHING = ""
    QUICK = "quick"  # of a near miss, by the plainest extractor
    MAIN = "main"


@dataclass(frozen=True, slots=True)
class TreeFindings:
    """What a page's tree says of a text that was extracted of it, where the tree is in another process."""

    licence: str = ""
    markdown: str = ""


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page that was read by a step, and belongs to it."""

    step: PageStep
    analysis: PageAnalysis
    page: PageAnalysis  # without what its host repeats
    verdict: Verdict
    wanted: Wanted = Wanted.NOTHING
    extracted: Extraction | None = None
    text: Extraction | None = None  # without what its host repeats
    # The stored text is cut into words once: for the site memory, duplicates, evidence, keywords and summary.
    words: Sequence[str] = ()
    known_share: float = 0.0  # share of what was extracted in lines that earlier pages of the host had
    findings: TreeFindings | None = None  # None: the tree is here

    def with_text(self, extracted: Extraction | None) -> ReadPage:
        """Return the page with what was extracted of it."""
        lists = self.wanted is Wanted.QUICK or bool(listing_sign(self.page))
        text, words, known = own_text(self.step.sites, self.page, extracted, lists=lists)
        return replace(self, extracted=extracted, text=text, words=words, known_share=known)

    def found_elsewhere(self, findings: TreeFindings) -> ReadPage:
        """Return the page with what its tree, in another process, says of the text."""
        return replace(self, findings=findings)

    @property
    def may_store(self) -> bool:
        """Whether its site lets it be stored."""
        return not (self.page.noindex and self.step.options.obey_meta_robots)

    @property
    def repeats(self) -> bool:
        """Whether nearly all it says stands on other pages of its host, so that links like its own wait."""
        if self.page.site_wide.repeated:
            return True
        mostly_gone = is_mostly_gone(self.extracted, self.text) and not says_more(self.page, self.words)
        return mostly_gone or is_put_together(self.page, self.known_share)

    @property
    def repeated(self) -> bool:
        """Whether all it says stands on other pages of its host, which keeps it from being stored."""
        return self.page.site_wide.repeated or (self._storable and has_nothing_own(self.extracted, self.text))

    @property
    def why_withheld(self) -> str:
        """Why it must not be stored, duplicates aside; '' when it may be."""
        if self.repeated:
            return SAME_EVERYWHERE
        return "" if self.may_store else NO_INDEX

    @property
    def may_be_result(self) -> bool:
        """Whether it is a result, unless its text is a duplicate."""
        return self._storable and not self.repeated

    @property
    def _storable(self) -> bool:
        return self.verdict.relevant and self.may_store

    @property
    def set_aside(self) -> bool:
        """Whether it is a near miss that is kept beside the results."""
        return self.step.options.sets_near_misses_aside and self.may_store and is_near_miss(self.verdict)

    @property
    def licence(self) -> str:
        """The licence the page names."""
        return licence_of(self.page.tree, self.page.url) if self.findings is None else self.findings.licence

    @property
    def markdown(self) -> str:
        """Its text as Markdown."""
        if self.findings is not None:
            return self.findings.markdown
        return to_markdown(self.text.text, self.page.tree, self.page.url) if self.text is not None else ""


def judged_page(step: PageStep, analysis: PageAnalysis) -> ReadPage:
    """Return an analysed page with its verdict, and what is to be extracted of it."""
    page = step.sites.own(analysis)
    read = ReadPage(step, analysis, page, plain_verdict(step.judge, step.judge.judge(page)))
    if step.options.keep_irrelevant or read.may_be_result:
        return replace(read, wanted=Wanted.MAIN)
    return replace(read, wanted=Wanted.QUICK) if read.set_aside else read


def read_page(step: PageStep, analysis: PageAnalysis) -> ReadPage:
    """Return an analysed page with its verdict and main content."""
    read = judged_page(step, analysis)
    if read.wanted is Wanted.NOTHING:
        return read
    extractor = step.extractor if read.wanted is Wanted.MAIN else QUICK
    return read.with_text(extracted(extractor, read.page))
