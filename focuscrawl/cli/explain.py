"""``focuscrawl explain``: why a URL has its score, why it was fetched when it was, what was made of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from focuscrawl.cli import console
from focuscrawl.cli.console import one_line
from focuscrawl.cli.sums import facts_lines, sum_lines
from focuscrawl.ranking.evidence import GroupCount
from focuscrawl.records import PageRecord
from focuscrawl.report.explanation import Explanation, explain_url, explanation_json
from focuscrawl.storage.open_run import open_run


def show_explanation(reference: str, url: str, *, as_json: bool) -> None:
    """Print what the run knows of `url`.

    Raises
    ------
    StoreError
        If the run does not know it; the sentence names the most similar URL it knows.
    """
    with open_run(reference) as (_, db):
        found = explain_url(db, url)
    if as_json:
        console.print_json(explanation_json(found))
    else:
        console.write_text("".join(f"{line}\n" for line in explanation_lines(found)))


def explanation_lines(found: Explanation) -> list[str]:
    """Return the explanation for people."""
    page = found.page
    lines = [one_line(found.url)]
    if found.also_known_as and page is not None:
        lines.append(f"  (asked for as {one_line(found.also_known_as)})")
    if page is not None:
        lines += _fetch_lines(found, page)
    elif found.state == "queued":
        ahead = counted(found.ahead, "link") + " before it" if found.ahead else "first of all"
        lines.append(f"  waits in the queue, {ahead}; it may be on its way right now")
    else:
        lines.append(f"  {found.state}")
    lines += ["", "Why it was fetched then" if page is not None else "Why it has its place"]
    lines += sum_lines(found.priority, group=found.group)
    if found.called_by:
        lines.append(f"  called up by {found.called_by}")
    if found.shares:
        told = ", ".join(f"{name} {share:.0%}" for name, share in found.shares.items())
        lines.append(f"  shares of the fetches, as last saved: {told}")
    lines += _count_lines(found.counts)
    lines.append(f"  {_origin(found)}")
    if page is not None:
        lines += ["", "What was made of it", *_judgement_lines(found, page)]
    return lines


def _fetch_lines(found: Explanation, page: PageRecord) -> list[str]:
    at = f"{datetime.fromtimestamp(page.fetched_at, UTC):%Y-%m-%d %H:%M:%S} UTC " if page.fetched_at else ""
    lines = [f"  {found.state} {at}as number {found.number:,}" + (f", HTTP {page.status}" if page.status else "")]
    if page.final_url != page.url:
        lines.append(f"  led to {one_line(page.final_url)}")
    if page.title:
        lines.append(f"  title: {one_line(page.title)}")
    return lines


def _count_lines(counts: Sequence[GroupCount]) -> list[str]:
    """Return the counts behind the offset, one level a line; pages near the threshold count in part."""
    if not counts:
        return []
    lines = ["  behind the offset, as last saved (a page near the threshold counts in part):"]
    for c in counts:
        name = {
            "group": "links like this one",
            "section": f"to {one_line(c.name)}",
            "place": "from this place of the template",
            "host": f"to {one_line(c.name)}, all sections",
            "crawl": "the whole crawl",
        }[c.level]
        told = f"{c.relevant:.1f} of {c.pages:.1f} relevant"
        if c.led_to:
            told += f"; their links: {c.led_to_relevant:.1f} of {c.led_to:.1f}"
        if c.opens:
            told += f"; open up {c.opens:.2f}"
        lines.append(f"    {name}: {told}")
    return lines


def _judgement_lines(found: Explanation, page: PageRecord) -> list[str]:
    if page.outcome != "done":
        return [f"  no page: {one_line(page.reason) or 'no reason recorded'}"]
    sign, word = ("≥", "relevant") if page.relevant else ("<", "not relevant")
    # Two numbers that differ must not look alike
    places = next((p for p in range(4, 17) if round(page.relevance, p) != round(page.threshold, p)), 4)
    lines = [f"  relevance {page.relevance:.{places}f} {sign} threshold {page.threshold:.{places}f}: {word}"]
    if page.topic:
        lines.append(f"  judged by {one_line(page.topic)}")
    if not found.seed:
        lines.append(f"  expected, by its priority, to be relevant with a probability of {page.predicted:.0%}")
    lines += [line.replace(" " * 11, "  ", 1) for line in facts_lines(page.judged, title="the judge's parts")]
    lines += _evidence_lines(page)
    if page.duplicate_of is not None:
        lines.append(f"  not kept: it says the same as {one_line(found.duplicate_url) or 'an earlier page'}")
    elif page.reason:
        lines.append(f"  {one_line(page.reason)}")
    elif page.relevant:
        lines.append(f"  kept as a result, text by {page.extractor or 'no extractor'}, {len(page.text):,} characters")
    if page.rendered:
        lines.append("  rendered: a browser ran its scripts before it was read")
    if page.undecodable:
        lines.append(f"  some of its bytes stand for nothing in {one_line(page.encoding)}, the encoding it was read in")
    return lines


_PLACE_NAMES = {
    "title": "in the title",
    "headings": "in headings",
    "text": "in the text",
    "tags": "in tags of its own",
    "links": "in links of its own",
    "url": "in the address",
    "site": "repeated by the site, hardly counted",
}


def _evidence_lines(page: PageRecord) -> list[str]:
    """Return where the topic's words stand, a place a line."""
    if not page.evidence:
        return []
    lines = ["  where the topic's words stand:"]
    for place, name in _PLACE_NAMES.items():
        words = sorted(page.evidence.get(place, {}).items(), key=lambda item: (-item[1], item[0]))
        if words:
            told = ", ".join(f"{one_line(word)} × {count:,}" for word, count in words)
            lines.append(f"    {name}: {told}")
    return lines


def _origin(found: Explanation) -> str:
    if found.seed:
        return "a seed: no page linked to it"
    as_ = f' as "{one_line(found.anchor)}"' if found.anchor else ""
    steps = f"{found.depth} link{'s' if found.depth != 1 else ''} from a seed"
    through = (
        f", after {found.tunnel} off-topic page{'s' if found.tunnel != 1 else ''} in a row" if found.tunnel else ""
    )
    return f"found on {one_line(found.parent_url) or 'a page'}{as_}, {steps}{through}"


def counted(number: int, thing: str) -> str:
    """Return a number of things.

    >>> counted(1, "link"), counted(1200, "link")
    ('1 link', '1,200 links')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
