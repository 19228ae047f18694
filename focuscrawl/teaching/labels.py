"""Answers from a file: a URL and yes or no a line, as CSV."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from unicodedata import normalize

from focuscrawl.errors import InputError
from focuscrawl.topic.examples import MAX_EXAMPLES
from focuscrawl.topic.files import display, read_text
from focuscrawl.topic.seeds import url_fault

_YES = frozenset({"yes", "y", "1", "true", "relevant", "是"})
_NO = frozenset({"no", "n", "0", "false", "irrelevant", "not relevant", "否", "不是"})
_HEADERS = frozenset({"url", "address", "page", "网址", "网页", "链接"})
_FAULTS_TOLD = 5


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels of a file."""

    answers: dict[str, bool]  # URL as it was written -> on the topic
    contradicted: tuple[str, ...] = ()  # URLs with both answers, which are left out


def read_labels(path: Path) -> Labels:
    """Return the labels of a CSV file with the columns url and label.

    Raises
    ------
    ConfigError
        If it cannot be read or a line is none; the first faults are named by their lines, and nothing is taken.
    """
    file = display(path)
    answers: dict[str, bool] = {}
    contradicted: dict[str, None] = {}
    faults: list[str] = []
    for number, row in enumerate(csv.reader(StringIO(read_text(path), newline="")), start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or cells[0].startswith("#") or (number == 1 and cells[0].lower() in _HEADERS):
            continue
        url = cells[0]
        relevant = answer_of(cells[1]) if len(cells) > 1 else None
        if fault := url_fault(url):
            faults.append(f'line {number}: "{url[:80]}": {fault}')
        elif relevant is None:
            faults.append(f'line {number}: "{",".join(cells[1:])[:40]}": expected yes or no after the URL')
        elif answers.setdefault(url, relevant) != relevant:
            contradicted[url] = None
    if faults:
        more = f" (and {len(faults) - _FAULTS_TOLD} more)" if len(faults) > _FAULTS_TOLD else ""
        raise InputError(f"{file}: {'; '.join(faults[:_FAULTS_TOLD])}{more}. Nothing was taken.")
    if not answers:
        raise InputError(f"{file}: has no labels; expected lines such as https://example.org/page,yes")
    if len(answers) > MAX_EXAMPLES:
        raise InputError(f"{file}: {len(answers):,} labels; at most {MAX_EXAMPLES:,} are taken.")
    return Labels({url: yes for url, yes in answers.items() if url not in contradicted}, tuple(contradicted))


def answer_of(text: str) -> bool | None:
    """Return what a word says: yes, no, or neither.

    >>> [answer_of(word) for word in ("Yes", "n", "１", "是", "perhaps")]
    [True, False, True, True, None]
    """
    word = normalize("NFKC", text).strip().casefold()
    return True if word in _YES else False if word in _NO else None
