"""Sections of the report that are numbers, lists and tables, each a function from the run's data to HTML."""

from __future__ import annotations

from focuscrawl.page.media_types import HTML_TYPES
from focuscrawl.page.readable_url import readable_url
from focuscrawl.report.charts import sparkline
from focuscrawl.report.data import BestPage, HostLine, RunData
from focuscrawl.report.markup import Html, element, join, link
from focuscrawl.report.tables import note, number, percent, row, section, table
from focuscrawl.report.turns import shown_priority, turn_of
from focuscrawl.storage.link_metadata import FIELDS
from focuscrawl.types import OF_WORD
from focuscrawl.wording import report as wording
from focuscrawl.wording.base import Say
from focuscrawl.wording.endings import counted_reasons, failure_reason

_MANY = 30  # rows of a table for people


def tiles(run: RunData, say: Say) -> Html:
    """Headline numbers."""
    no_page = run.no_page
    threshold = run.last_threshold
    queued = say(wording.BEING_FETCHED, n=run.in_flight) if run.in_flight else say(wording.NOT_YET_FETCHED)
    facts = [
        (
            f"{run.pages:,}",
            wording.PAGES_FETCHED,
            say(wording.AND_JUDGED),
        ),
        (f"{run.found:,}", wording.RELEVANT_PAGES, say(wording.BY_VERDICT)),
        (
            f"{run.stored:,}",
            wording.PAGES_STORED,
            say(wording.NOT_STORED, reasons=counted_reasons(run.not_stored, say))
            if run.not_stored
            else say(wording.ALL_STORED),
        ),
        (percent(run.harvest), wording.HARVEST_RATE, say(wording.RELEVANT_PER_FETCHED)),
        (percent(run.recent), wording.RECENT_HARVEST, say(wording.OF_LAST, n=run.recent_pages)),
        (f"{run.n_hosts:,}", wording.HOSTS, say(wording.WITH_RELEVANT, n=run.n_relevant_hosts)),
        ("–", wording.LINKS_QUEUED, say(wording.KEPT_ELSEWHERE))
        if run.frontier
        else (f"{run.queued:,}", wording.LINKS_QUEUED, queued),
        (
            f"{no_page:,}",
            wording.GAVE_NO_PAGE,
            say(wording.OF_FETCHES, share=percent(no_page / (no_page + run.pages)) if no_page else "0%"),
        ),
        ("–" if threshold is None else f"{threshold:.3f}", wording.THRESHOLD, say(wording.LAST_IN_FORCE)),
    ]
    return element(
        "div",
        [
            element("div", element("b", value), element("span", say(what)), element("span", told), class_="tile")
            for value, what, told in facts
        ],
        class_="tiles",
    )


def best(run: RunData, say: Say) -> Html:
    """The most relevant pages."""
    title = say(wording.BEST_TITLE)
    if not run.best:
        return section(title, element("p", say(wording.NONE_RELEVANT)))
    items = [_best(page, say) for page in run.best]
    told = say(wording.BEST_NOTE, n=len(items), found=run.found)
    return section(title, note(told), element("ol", items, class_="best"))


def hosts(run: RunData, say: Say) -> Html | None:
    """What each host gave."""
    if not run.hosts:
        return None
    shown = run.hosts[:_MANY]
    rows = [_host(line, say, queue=not run.frontier) for line in shown]
    names = (wording.FETCHED, wording.RELEVANT, wording.HARVEST, wording.NO_PAGE, wording.QUEUED)
    columns = [say(wording.HOST), *(f">{say(name)}" for name in names[: 4 if run.frontier else 5]), say(wording.COURSE)]
    more = note(say(wording.MORE_HOSTS, n=run.n_hosts - len(shown))) if run.n_hosts > len(shown) else None
    return section(say(wording.HOSTS_TITLE), table(columns, rows), more)


def held_back(run: RunData, say: Say) -> Html | None:
    """Domains whose links wait behind all others."""
    lines = run.held_back
    if not lines:
        return None
    pages = sum(line.fetched for line in lines)
    rows = [
        row(
            line.domain,
            number(f"{line.links:,}"),
            number(f"{line.fetched:,}"),
            number(percent(line.fetched / run.pages if run.pages else 0.0)),
            number(f"{line.relevant:,}"),
        )
        for line in lines[:_MANY]
    ]
    names = (wording.LINKS_BEHIND, wording.FETCHED, wording.SHARE, wording.RELEVANT)
    told = say(
        wording.HELD_BACK_NOTE,
        n=sum(line.links for line in lines),
        domains=len(lines),
        share=percent(pages / run.pages if run.pages else 0.0),
    )
    more = note(say(wording.MORE_DOMAINS, n=len(lines) - _MANY)) if len(lines) > _MANY else None
    return section(
        say(wording.HELD_BACK_TITLE),
        note(told),
        table([say(wording.DOMAIN), *(f">{say(name)}" for name in names)], rows),
        more,
    )


def failures(run: RunData, say: Say) -> Html | None:
    """Why fetches gave no page, and why links were dropped."""
    total = sum(run.reasons.values())
    if not total:
        return None
    ordered = sorted(run.reasons.items(), key=lambda item: (-item[1], item[0]))
    rows = [
        row(
            failure_reason(reason, say),
            number(f"{count:,}"),
            number(percent(count / total)),
        )
        for reason, count in ordered[:_MANY]
    ]
    columns = (say(wording.REASON), f">{say(wording.LINKS)}", f">{say(wording.SHARE)}")
    told = ((wording.FAILURES_NOTE, run.no_page), (wording.UNASKED, run.unasked))
    notes = [note(say(text, n=n)) for text, n in told if n]
    return section(say(wording.FAILURES_TITLE), *notes, table(columns, rows))


def other_kinds(run: RunData, say: Say) -> Html | None:
    """Pages that are no plain HTML: by media type, rendered by a browser, in need of that."""
    other = sorted(
        ((name, count) for name, count in run.media_types.items() if name and name not in HTML_TYPES),
        key=lambda item: (-item[1], item[0]),
    )
    rows = [row(name, number(f"{count:,}")) for name, count in other[:_MANY]]
    if run.rendered:
        rows.append(row(say(wording.RENDERED), number(f"{run.rendered:,}")))
    if run.needs_javascript:
        rows.append(row(say(wording.NEED_JAVASCRIPT), number(f"{run.needs_javascript:,}")))
    if not rows:
        return None
    columns = (say(wording.KIND), f">{say(wording.PAGES)}")
    return section(say(wording.KINDS_TITLE), note(say(wording.KINDS_NOTE)), table(columns, rows))


def metadata(run: RunData, say: Say) -> Html | None:
    """Share of links and pages with each kind of metadata, and of what was site-wide."""
    counts = run.metadata
    if not counts.links:
        return None
    rows = [
        row(
            say(wording.FIELDS[name]),
            number(f"{counts.with_field[name]:,}"),
            number(percent(counts.with_field[name] / counts.links)),
            number(percent(counts.pages_with[name] / counts.pages)),
        )
        for name in FIELDS
    ]
    columns = (wording.LINKS, wording.SHARE_OF_LINKS, wording.SHARE_OF_PAGES)
    repeated = say(
        wording.SITE_WIDE,
        links=percent(counts.site_wide_links / counts.links),
        words=percent(counts.site_wide_words / (counts.words or 1)),
    )
    return section(
        say(wording.METADATA_TITLE),
        note(say(wording.METADATA_NOTE, links=counts.links, n=counts.pages)),
        table((say(wording.METADATA), *(f">{say(name)}" for name in columns)), rows),
        note(repeated),
    )


def queue(run: RunData, say: Say) -> Html | None:
    """The best links that wait."""
    title = say(wording.QUEUE_TITLE)
    if run.frontier:
        return section(title, note(say(wording.QUEUE_ELSEWHERE, frontier=run.frontier)))
    if not run.queue:
        return None
    rows = [
        row(
            number("" if (shown := shown_priority(item.priority)) is None else f"{shown:.3f}"),
            element(
                "td",
                link(item.url),
                element("div", "“", element("bdi", item.anchor), "”", class_="soft") if item.anchor else None,
                _turn(item.priority, say),
                class_="url",
            ),
            number(str(item.depth)),
        )
        for item in run.queue
    ]
    columns = (f">{say(wording.PRIORITY)}", say(wording.LINK), f">{say(wording.DEPTH)}")
    return section(title, note(say(wording.QUEUE_NOTE, n=len(rows), queued=run.queued)), table(columns, rows))


def _turn(priority: float, say: Say) -> Html | None:
    turn = turn_of(priority)
    return element("div", say(wording.TURNS[turn]), class_="soft") if turn in wording.TURNS else None


def how(run: RunData, say: Say) -> Html:
    """What the words mean."""
    weights = ", ".join(f"{name} {value:g}" for name, value in run.weights.items())
    lines = [say(wording.HOW_COUNTED), say(wording.HOW_RATES)]
    if weights:
        lines.append(say(wording.WEIGHTS, weights=weights))
    settings = [row(say.known(wording.SETTINGS, key), value) for key, value in run.settings.items()]
    return section(
        say(wording.HOW_TITLE),
        [element("p", line) for line in lines],
        table((say(wording.SETTING), say(wording.VALUE)), settings) if settings else None,
    )


def _host(line: HostLine, say: Say, *, queue: bool) -> Html:
    course = say(wording.COURSE_OF, relevant=line.relevant, fetched=line.fetched, host=line.host)
    meter = element("span", element("i", "", style=f"width:{line.harvest * 100:.0f}%"), class_="meter")
    return row(
        line.host,
        number(f"{line.fetched:,}"),
        number(f"{line.relevant:,}"),
        element("td", percent(line.harvest), meter, class_="n"),
        number(f"{line.failed:,}"),
        *([number(f"{line.queued:,}")] if queue else []),
        element("td", sparkline(line.curve, course) if line.curve else None, class_="course"),
    )


def _best(page: BestPage, say: Say) -> Html:
    return element(
        "li",
        element("div", f"{page.relevance:.2f}", class_="score"),
        element(
            "div",
            element("h3", link(page.url, page.title), lang=page.language or None),
            element("div", element("bdi", readable_url(page.url)), class_="url"),
            element("p", element("bdi", page.snippet), class_="snippet", lang=page.language or None)
            if page.snippet
            else None,
            element("p", join(*_why(page, say)), class_="why"),
        ),
    )


def _why(page: BestPage, say: Say) -> list[Html | str]:
    """Return why a page is relevant, and how the crawl came to it."""
    words = {name.removeprefix(OF_WORD): share for name, share in page.judged.items() if name.startswith(OF_WORD)}
    why: list[Html | str] = [say(wording.RELEVANCE_OF, relevance=page.relevance, threshold=page.threshold)]
    if words:
        named = say(wording.WORD_END).join(f"{word} {share:.0%}" for word, share in words.items())
        why.append(say(wording.BY_WORDS, words=named))
    elif page.judged:  # of a judge that weighs no words
        why.append(say(wording.PARTS, parts=", ".join(f"{name} {value:.2f}" for name, value in page.judged.items())))
    if page.depth:
        why.append(say(wording.FROM_SEED, n=page.depth))
    else:
        why.append(say(wording.ARCHIVED if page.archived else wording.A_SEED))
    if page.tunnel:
        why.append(say(wording.THROUGH, n=page.tunnel))
    if page.parent_url:
        why += [say(wording.FOUND_ON), link(page.parent_url)]
    if page.anchor:
        why += [say(wording.ANCHORED), element("bdi", page.anchor), say(wording.ANCHOR_END)]
    if page.depth:
        why.append(say(wording.EXPECTED, p=page.predicted))
    return [*why, say(wording.STOP)]
