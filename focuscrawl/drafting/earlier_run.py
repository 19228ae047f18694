"""What an earlier run gives to a draft: texts of its best pages, its best hosts, and pages to count words on."""

from __future__ import annotations

from collections.abc import Iterator

from focuscrawl.drafting.texts import LEAST_CHARS, SourceText
from focuscrawl.records import PageRecord
from focuscrawl.storage.reading import PageQuery, RunReader

MOST_TEXTS = 8
COUNTED = 300
"""Pages that words are counted on: enough for shares to within three in a hundred."""
_LOOKED_AT = 200
_CHARS = 20_000


def best_texts(run: RunReader) -> list[SourceText]:
    """Return the texts of the most relevant pages of a run, one a host as long as there are others."""
    pages = [
        page
        for page in run.pages(PageQuery(relevant=True, outcome="done", best_first=True, limit=_LOOKED_AT))
        if page.duplicate_of is None and len(page.text) >= LEAST_CHARS
    ]
    seen: set[str] = set()
    first: list[PageRecord] = []
    others: list[PageRecord] = []
    for page in pages:
        (others if page.host in seen else first).append(page)
        seen.add(page.host)
    return [
        SourceText(page.url, page.title, page.text[:_CHARS], page.final_url) for page in [*first, *others][:MOST_TEXTS]
    ]


def other_pages(run: RunReader, *, relevant_too: bool) -> Iterator[str]:
    """Yield title and text of pages of a run, spread evenly over it; of a page that kept no text the title only.

    Parameters
    ----------
    relevant_too
        Also pages that the run called relevant: right where it was on another subject.
    """
    where = "" if relevant_too else " AND NOT relevant"
    numbers = [number for (number,) in run.select(f"SELECT number FROM pages WHERE outcome = 'done'{where}")]  # noqa: S608
    numbers.sort()
    # Page by page: only what is counted is read, of a run of a million pages, too.
    for number in numbers[:: max(1, -(-len(numbers) // COUNTED))]:
        for page in run.pages(PageQuery(after=number - 1, limit=1)):
            yield f"{page.title}\n{page.text[:_CHARS]}"
