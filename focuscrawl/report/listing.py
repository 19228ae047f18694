"""Sections of the report that list pages: all results with a search, and both sides of the threshold."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.page.readable_url import readable_url
from focuscrawl.report.data import PageLine, RunData
from focuscrawl.report.markup import Html, element, link
from focuscrawl.report.tables import note, number, percent, row, section, table
from focuscrawl.wording import report as wording
from focuscrawl.wording.base import Say
from focuscrawl.wording.endings import NOT_STORED

_NEAR = 0.5  # of the threshold: what a near miss reaches at least (docs/architecture.md)


def lead(run: RunData, say: Say) -> Html | None:
    """What was found, where and how well, in a sentence."""
    if not run.pages:
        return None
    told = say(wording.LEAD, found=run.found, pages=run.pages, harvest=percent(run.harvest), n=run.n_relevant_hosts)
    most = [f"{line.host} ({line.relevant:,})" for line in run.hosts[:3] if line.relevant]
    if most:
        all_named = len(most) == run.n_relevant_hosts
        told += say(wording.LEAD_ALL_HOSTS if all_named else wording.LEAD_HOSTS, hosts=", ".join(most))
    return element("p", told + say(wording.STOP), class_="lead")


def outcomes(run: RunData, say: Say) -> Html:
    """What became of all fetches, by reason."""
    near = sum(
        not hit and limit > 0.0 and score >= _NEAR * limit
        for hit, score, limit in zip(run.relevant, run.relevance, run.threshold, strict=True)
    )
    fetches = run.pages + run.no_page
    ordered = sorted(run.not_stored.items(), key=lambda item: (-item[1], item[0]))
    counts = [
        (say(wording.OUTCOME_STORED), run.stored),
        *((say(wording.OUTCOME_NOT, reason=say.known(NOT_STORED, reason)), count) for reason, count in ordered),
        (say(wording.OUTCOME_NEAR), near),
        (say(wording.OUTCOME_FAR), run.pages - run.found - near),
        (say(wording.OUTCOME_FAILED), run.failed),
        (say(wording.OUTCOME_REFUSED), run.refused - run.unasked),
    ]
    rows = [row(name, number(f"{n:,}"), number(percent(n / fetches))) for name, n in counts if n]
    columns = (say(wording.OUTCOME), f">{say(wording.PAGES)}", f">{say(wording.SHARE)}")
    return section(say(wording.OUTCOME_TITLE), note(say(wording.OUTCOME_NOTE, n=fetches)), table(columns, rows))


def border(run: RunData, say: Say) -> Html | None:
    """The least relevant accepted pages beside the most relevant rejected ones."""
    if not run.accepted and not run.rejected:
        return None
    return section(
        say(wording.BORDER_TITLE),
        note(say(wording.BORDER_NOTE)),
        element(
            "div",
            element("div", element("h3", say(wording.ACCEPTED)), _short(run.accepted, say)),
            element("div", element("h3", say(wording.REJECTED)), _short(run.rejected, say)),
            class_="pair",
        ),
    )


def results(run: RunData, say: Say) -> Html | None:
    """All results, with a search."""
    if not run.results:
        return None
    shown = len(run.results)
    told = say(wording.ALL_NOTE, n=shown) if shown >= run.stored else say(wording.ALL_PART, n=shown, stored=run.stored)
    # Hidden until the script is at work: without it the box would do nothing.
    box = element(
        "p",
        element("input", id="find", type="search", placeholder=say(wording.SEARCH), aria_label=say(wording.SEARCH)),
        element("span", "", id="count", role="status", data_text=say(wording.SHOWN, shown="{n}", n=shown)),
        hidden="",
        class_="find",
    )
    rows = [_page(line) for line in run.results]
    columns = (f">{say(wording.RELEVANCE)}", say(wording.PAGE))
    return section(
        say(wording.ALL_TITLE),
        note(told),
        box,
        element("div", table(columns, rows), class_="all", tabindex="0"),
        name="all",
    )


def _short(lines: Sequence[PageLine], say: Say) -> Html:
    columns = (f">{say(wording.RELEVANCE)}", f">{say(wording.THRESHOLD)}", say(wording.PAGE))
    return table(columns, [_page(line, threshold=True) for line in lines])


def _page(line: PageLine, *, threshold: bool = False) -> Html:
    return row(
        number(f"{line.relevance:.3f}"),
        *([number(f"{line.threshold:.3f}")] if threshold else []),
        element(
            "td",
            element("div", link(line.url, line.title)),
            element("div", element("bdi", readable_url(line.url)), class_="soft small"),
            class_="url",
        ),
    )
