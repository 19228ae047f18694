"""``focuscrawl explain``: why a URL has its score, why it was fetched when it was, what was made of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from focuscrawl.cli import console
from focuscrawl.cli.console import one_line
from focuscrawl.cli.sums import facts_lines, sum_lines
from focuscrawl.page.readable_url import readable_anchor
from focuscrawl.ranking.evidence import GroupCount
from focuscrawl.records import PageRecord
from focuscrawl.report.explanation import Explanation, explain_url, explanation_json
from focuscrawl.storage.open_run import open_run
from focuscrawl.wording import explain as wording
from focuscrawl.wording.base import Choice, Say, speaker
from focuscrawl.wording.endings import COMMA, NOT_STORED, failure_reason


def show_explanation(reference: str, url: str, *, lang: Choice = "auto", as_json: bool) -> None:
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
        console.write_text("".join(f"{line}\n" for line in explanation_lines(found, speaker(lang))))


def explanation_lines(found: Explanation, say: Say) -> list[str]:
    """Return the explanation for people; sentences of strategies and judges are shown as they are stored."""
    page = found.page
    lines = [one_line(found.url)]
    if found.also_known_as and page is not None:
        lines.append(f"  {say(wording.ASKED_AS, url=one_line(found.also_known_as))}")
    if page is not None:
        lines += _fetch_lines(found, page, say)
    elif found.state == "queued":
        place = say(wording.AHEAD, n=found.ahead) if found.ahead else say(wording.FIRST)
        lines.append(f"  {say(wording.WAITS, place=place)}")
    else:
        lines.append(f"  {say.known(wording.STATES, found.state)}")
    lines += ["", say(wording.WHY_THEN if page is not None else wording.WHY_PLACE)]
    lines += sum_lines(found.priority, say, group=found.group)
    if found.called_by:
        lines.append(f"  {say(wording.CALLED_BY, order=found.called_by)}")
    if found.shares:
        told = say(COMMA).join(f"{name} {share:.0%}" for name, share in found.shares.items())
        lines.append(f"  {say(wording.SHARES, shares=told)}")
    lines += _count_lines(found.counts, say)
    lines.append(f"  {_origin(found, say)}")
    if page is not None:
        lines += ["", say(wording.WHAT_CAME), *_judgement_lines(found, page, say)]
    return lines


def _fetch_lines(found: Explanation, page: PageRecord, say: Say) -> list[str]:
    at = f"{_moment(page.fetched_at)} " if page.fetched_at else ""
    fetch = say(wording.FETCH, state=say.known(wording.STATES, found.state), at=at, n=found.number)
    lines = [f"  {fetch}" + (say(wording.HTTP, status=page.status) if page.status else "")]
    if page.final_url != page.url:
        lines.append(f"  {say(wording.LED_TO, url=one_line(page.final_url))}")
    if page.title:
        lines.append(f"  {say(wording.TITLE, title=one_line(page.title))}")
    if page.revisit:
        saw = say.known(wording.SAW, page.revisit)
        lines.append(f"  {say(wording.VISITED, at=_moment(page.visited_at), saw=saw)}")
    return lines


def _moment(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _count_lines(counts: Sequence[GroupCount], say: Say) -> list[str]:
    """Return the counts behind the offset, one level a line; pages near the threshold count in part."""
    if not counts:
        return []
    lines = [f"  {say(wording.COUNTS)}"]
    for c in counts:
        name = say(wording.LEVELS[c.level], name=one_line(c.name))
        told = say(wording.COUNT, name=name, relevant=c.relevant, pages=c.pages)
        if c.led_to:
            told += say(wording.COUNT_LINKS, relevant=c.led_to_relevant, n=c.led_to)
        if c.opens:
            told += say(wording.COUNT_OPENS, opens=c.opens)
        if c.score:
            told += say(wording.COUNT_SCORE, score=c.score)
        lines.append(f"    {told}")
    return lines


def _judgement_lines(found: Explanation, page: PageRecord, say: Say) -> list[str]:
    if page.outcome != "done":
        reason = failure_reason(one_line(page.reason), say)
        return [f"  {say(wording.NO_PAGE, reason=reason)}"]
    sign, word = ("≥", wording.RELEVANT) if page.relevant else ("<", wording.NOT_RELEVANT)
    # Two numbers that differ must not look alike
    places = next((p for p in range(4, 17) if round(page.relevance, p) != round(page.threshold, p)), 4)
    relevance, threshold = f"{page.relevance:.{places}f}", f"{page.threshold:.{places}f}"
    told = [say(wording.JUDGED, relevance=relevance, sign=sign, threshold=threshold, word=say(word))]
    if page.topic:
        told.append(say(wording.JUDGED_BY, topic=one_line(page.topic)))
    if not (found.seed or found.archived):
        told.append(say(wording.EXPECTED, p=page.predicted))
    told += [f"  {line.strip()}" for line in facts_lines(page.judged, say, title=wording.JUDGE_PARTS)]
    told += _evidence_lines(page, say)
    if page.duplicate_of is not None:
        told.append(say(wording.NOT_KEPT, page=one_line(found.duplicate_url) or say(wording.EARLIER)))
    else:
        reasons = [part for part in one_line(page.reason).split("; ") if part]
        if page.withheld:
            told.append(say(wording.NOT_STORED, why=say.known(NOT_STORED, page.withheld)))
            del reasons[:1]
        told += [say.stored((wording.JUDGED_AGAIN,), part) for part in reasons]
        if page.is_result:
            told.append(say(wording.KEPT, extractor=page.extractor or say(wording.NO_EXTRACTOR), n=len(page.text)))
    if page.rendered:
        told.append(say(wording.RENDERED))
    if page.undecodable:
        told.append(say(wording.UNDECODABLE, encoding=one_line(page.encoding)))
    return [f"  {line}" for line in told]


def _evidence_lines(page: PageRecord, say: Say) -> list[str]:
    """Return where the topic's words stand, a place a line."""
    if not page.evidence:
        return []
    lines = [say(wording.WORDS)]
    for place, name in wording.PLACES.items():
        words = sorted(page.evidence.get(place, {}).items(), key=lambda item: (-item[1], item[0]))
        if words:
            told = say(COMMA).join(f"{one_line(word)} × {count:,}" for word, count in words)
            lines.append(f"  {say(wording.PLACE, place=say(name), words=told)}")
    return lines


def _origin(found: Explanation, say: Say) -> str:
    if found.archived:
        return say(wording.ARCHIVED)
    if found.seed:
        return say(wording.SEED)
    return say(
        wording.FOUND_ON,
        parent=one_line(found.parent_url) or say(wording.A_PAGE),
        anchor=say(wording.ANCHOR, words=one_line(readable_anchor(found.anchor))) if found.anchor else "",
        steps=say(wording.STEPS, n=found.depth),
        through=say(wording.THROUGH, n=found.tunnel) if found.tunnel else "",
    )
