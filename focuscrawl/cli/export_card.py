"""Dataset card of an export: what is in it, where it comes from, how it was chosen, and under which licences."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl.crawler.setting_values import as_bool
from focuscrawl.records import PageRecord
from focuscrawl.report.read import read_run
from focuscrawl.row_reasons import DUPLICATE, NO_INDEX
from focuscrawl.storage.run_settings import RunSettings, RunTimes
from focuscrawl.wording.base import Say
from focuscrawl.wording.summary import OF_HOSTS, PAGES

if TYPE_CHECKING:
    from focuscrawl.storage.reading import RunReader

_SAY = Say("en")  # a card is for whoever gets the data
_HOSTS, _LICENCES = 50, 50
_NAMED_BY = "`rel=license`, a meta tag, or a link to Creative Commons in a notice of rights"
_MAX_COUNTED = 100_000  # different hosts or licences
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_OTHERS = "1M<n<10M"
_FORMATS = {"jsonl": "json", "csv": "csv", "parquet": "parquet"}


@dataclass(slots=True)
class Tally:
    """Counts of the pages that were written."""

    pages: int = 0
    characters: int = 0
    first_at: float = 0.0
    last_at: float = 0.0
    hosts: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    licences: Counter[str] = field(default_factory=Counter)
    extractors: Counter[str] = field(default_factory=Counter)

    def counted(self, records: Iterable[PageRecord]) -> Iterator[PageRecord]:
        """Yield the records, and count them."""
        for record in records:
            self.pages += 1
            self.characters += len(record.text)
            self.first_at = min(self.first_at or record.fetched_at, record.fetched_at)
            self.last_at = max(self.last_at, record.fetched_at)
            _count(self.hosts, record.host)
            _count(self.languages, record.language)
            _count(self.licences, record.licence)
            _count(self.extractors, record.extractor)
            yield record


def card_of(tally: Tally, reader: RunReader, *, out: Path | None, format_: str) -> str:
    """Return the card as Markdown with the header that Hugging Face reads.

    Parameters
    ----------
    out, format_
        Where the pages were written, and as what.
    """
    settings, times, run = RunSettings.load(reader), RunTimes.load(reader), read_run(reader, best=0, queue=0, results=0)
    title = settings.title or settings.topic
    origin = "taken from web archives" if settings.from_archives else "found by a focused crawl"
    fetched, began = len(run.relevant), f"began {_day(times.started_at or tally.first_at)}"
    parts = [
        _header(tally, settings, out=out, format_=format_, title=title),
        f"# {_line(title)}",
        f"{_SAY(OF_HOSTS, pages=_SAY(PAGES, n=tally.pages), n=len(tally.hosts))} on the topic “{_line(title)}”,"
        f" {tally.characters:,} characters of main text, {origin} with focuscrawl {settings.version}.",
        "## What is in it",
        _table(
            ("", ""),
            [
                ("pages", f"{tally.pages:,}"),
                ("characters of text", f"{tally.characters:,}"),
                ("fetched", f"{_day(tally.first_at)} to {_day(tally.last_at)}" if tally.pages else "–"),
                ("languages", _shares(tally.languages)),
                ("topic", f"`{_line(settings.topic)}@{settings.topic_version}`"),
                ("run", began + (f"; {times.stop_reason}" if times.stop_reason else "")),
            ],
        ),
        "## How it was made",
        _method(settings),
        f"Pages read: {fetched:,}; judged to be on the topic: {sum(run.relevant):,}. Of these, left out as duplicates:"
        f" {run.not_stored.get(DUPLICATE, 0):,}; because they ask not to be indexed:"
        f" {run.not_stored.get(NO_INDEX, 0):,}. Further fetches, which gave no page: {run.no_page:,}.",
        "The words and samples that the judge goes by:",
        f"```toml\n{settings.topic_text.replace('```', chr(8242) * 3).strip()}\n```",
        "## Rights",
        _rights(settings),
        f"Licences that the pages name ({_NAMED_BY}; a link may be meant for a part of a page):"
        if tally.licences.total() > tally.licences[""]
        else f"No page names a licence ({_NAMED_BY}).",
        _counts("licence", tally.licences, _LICENCES, none="none named"),
        "The texts belong to their authors. Whoever passes them on has to see to the rights in them; a licence above"
        " holds for the pages that name it, and for no others.",
        "## Hosts",
        _counts("host", tally.hosts, _HOSTS, none="–"),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _header(tally: Tally, settings: RunSettings, *, out: Path | None, format_: str, title: str) -> str:
    size = next((name for limit, name in _SIZES if tally.pages < limit), _OTHERS)
    lines = ["---", f"pretty_name: {json.dumps(title, ensure_ascii=False)}"]
    if languages := sorted(language for language in tally.languages if language):
        lines += ["language:", *(f"- {language}" for language in languages)]
    lines += [
        "size_categories:",
        f"- {size}",
        "tags:",
        "- focuscrawl",
        f"- {json.dumps(settings.topic, ensure_ascii=False)}",
    ]
    if out is not None and format_ in _FORMATS:
        name = json.dumps(out.name, ensure_ascii=False)
        lines += ["configs:", "- config_name: default", "  data_files:", "  - split: train", f"    path: {name}"]
    return "\n".join([*lines, "---"])


def _method(settings: RunSettings) -> str:
    judge = "Each page was judged by its own text, without what its site repeats on all pages, against the topic below"
    if settings.from_archives:
        return f"{judge}; the pages are those of archives, and no link was followed."
    return f"Links were followed in the order of the strategy `{settings.strategy}`, the most promising first. {judge}."


def _rights(settings: RunSettings) -> str:
    overrides = settings.overrides
    meta = as_bool(overrides.get("FOCUSCRAWL_OBEY_META_ROBOTS", True)) is not False
    noindex = "Pages that ask by `noindex` not to be indexed are left out." if meta else "`noindex` was NOT obeyed."
    if settings.from_archives:
        return f"Whether the archives obey robots.txt is up to whoever made them. {noindex}"
    robots = overrides.get("ROBOTSTXT_OBEY", False)  # what is kept are settings that are not Scrapy's defaults
    obeyed = as_bool(robots) is True
    agent = str(overrides.get("USER_AGENT") or "")
    return " ".join(
        [
            "The robots.txt of every host was obeyed." if obeyed else "robots.txt was NOT obeyed.",
            noindex,
            f"The crawler named itself `{_line(agent)}`." if agent else "",
        ]
    ).strip()


def _counts(what: str, counts: Mapping[str, int], most: int, *, none: str) -> str:
    if not counts:
        return ""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rows = [(_line(name) or none, f"{count:,}") for name, count in ordered[:most]]
    if rest := ordered[most:]:
        rows.append((f"{len(rest):,} others", f"{sum(count for _, count in rest):,}"))
    return _table((what, "pages"), rows)


def _table(head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    lines = [f"| {head[0]} | {head[1]} |", "| --- | --- |"]
    return "\n".join([*lines, *(f"| {name.replace('|', chr(92) + '|')} | {value} |" for name, value in rows)])


def _shares(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name or 'unknown'} {count:,}" for name, count in ordered[:20]) or "–"


def _count(counts: Counter[str], name: str) -> None:
    if name in counts or len(counts) < _MAX_COUNTED:
        counts[name] += 1


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")


def _line(text: str) -> str:
    return " ".join(text.replace("`", "'").split())[:300]
