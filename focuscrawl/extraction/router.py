"""Picks an extractor page by page, and says why."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from focuscrawl.extraction.base import Extraction, Extractor
from focuscrawl.extraction.blocks import BlocksExtractor
from focuscrawl.extraction.main_content import LOWEST_CUT, Judged, MainContentExtractor, judge_lines
from focuscrawl.extraction.thread_records import ThreadExtractor
from focuscrawl.extraction.wiehf import WiehfExtractor
from focuscrawl.page.model import PageAnalysis
from focuscrawl.text.normalize import nfc
from focuscrawl.types import Explained

# Below this the first method's own probabilities say that it hardly knows the page; then the others are asked.
_SURE = 0.3
_JUDGING = (MainContentExtractor, ThreadExtractor)
# Which look at the judgement, too, where there is one.
_READING = (*_JUDGING, BlocksExtractor, WiehfExtractor)
_GAP = re.compile(r"\n{3,}")


class RouterExtractor:
    """Asks the first method; when that is unsure of the page or finds nothing, the surest of all is taken.

    A text whose lines are judged, and no likelier to be main content than `LOWEST_CUT`, is none.

    Parameters
    ----------
    methods
        Extractors, the best first. Their confidences are compared as they are.
    special
        Extractors of one kind of page: where one finds a page to be of its kind, its answer is taken for the text.
    """

    name = "router"

    def __init__(
        self, methods: Sequence[Extractor] | None = None, *, special: Sequence[Extractor] | None = None
    ) -> None:
        self._methods = tuple(methods or (MainContentExtractor(), WiehfExtractor(), BlocksExtractor()))
        self._special = tuple(special if special is not None else () if methods else (ThreadExtractor(),))
        # Two methods read the same judgement of the lines; it is made once.
        self._judging = any(isinstance(method, _JUDGING) for method in (*self._methods, *self._special))

    def extract(self, page: PageAnalysis) -> Extraction | None:
        """Return the chosen method's result, whose confidence lists what each method that was asked thinks of its own.

        None when no method handles the page.
        """
        found: list[Extraction] = []
        first: Extraction | None = None
        judged = judge_lines(page) if self._judging else None
        for number, method in enumerate(self._methods):
            result = _ask(method, page, judged)
            if result is None:
                continue
            found.append(result)
            first = first or result
            if number == 0 and (known := self._of_kind(page, judged)) is not None:
                parts = {result.method: result.confidence.value, known.method: known.confidence.value}
                reason = f"{page.kind} page, {known.method} knows its kind: {known.confidence.reason}"
                return _completed(known, first, Explained(known.confidence.value, parts, reason))
            if number == 0 and result.text and result.confidence.value >= _SURE:
                break
        if first is None:
            return None
        best = max(found, key=lambda result: (bool(result.text), result.confidence.value))
        parts = {result.method: result.confidence.value for result in found}
        why = "sure enough" if len(found) == 1 else f"the surest of {len(found)}"
        reason = f"{page.kind} page, {best.method} is {why}: {best.confidence.reason}"
        return _completed(best, first, Explained(best.confidence.value, parts, reason))

    def _of_kind(self, page: PageAnalysis, judged: Judged | None) -> Extraction | None:
        for method in self._special:
            result = _ask(method, page, judged)
            if result is not None and result.text:
                return result
        return None


def _ask(method: Extractor, page: PageAnalysis, judged: Judged | None) -> Extraction | None:
    if judged is None or not isinstance(method, _READING):
        return method.extract(page)
    found = method.extract_judged(page, judged)
    if found is None or isinstance(method, _JUDGING):
        return found
    # The same bound holds for every method: of a page without main content, menus and links are no text either.
    parts = found.confidence.parts
    if parts.get("probability", 1.0) <= LOWEST_CUT:
        return replace(found, text="", xpaths=(), confidence=Explained(0.0, parts, "hardly likely to be main content"))
    if not judged.notices:
        return found
    return replace(found, text=_without(found.text, {nfc(judged.found.lines[at].text) for at in judged.notices}))


def _without(text: str, lines: Collection[str]) -> str:
    """Return a text without `lines`."""
    return _GAP.sub("\n\n", "\n".join(line for line in text.split("\n") if line not in lines)).strip("\n")


def _completed(best: Extraction, first: Extraction, confidence: Explained) -> Extraction:
    """Return `best` with what only `first` has; fields do not depend on where the text was found."""
    # The first method reads the fields most carefully.
    return replace(
        best,
        title=first.title or best.title,
        published=best.published or first.published,
        author=best.author or first.author,
        category=best.category or first.category,
        tags=best.tags or first.tags,
        confidence=confidence,
    )
