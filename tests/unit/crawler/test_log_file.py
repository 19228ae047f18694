"""``run.log`` where it cannot be written."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from focuscrawl.crawler.log_file import CleanFormatter, LogFile


@pytest.mark.parametrize("full", [True, False])
def test_a_log_that_cannot_be_written_costs_its_lines_and_one_sentence(
    full: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, why = ("/dev/full", "no space left on device") if full else (str(tmp_path), "is a directory")
    log = LogFile(file, encoding="utf-8", delay=True)
    for line in ("first", "second"):
        log.handle(logging.makeLogRecord({"msg": line}))
    log.close()
    assert capsys.readouterr().err == f"{file}: cannot be written: {why}; the log has gaps.\n"


def test_what_a_line_quotes_does_not_act_on_a_terminal() -> None:
    record = logging.makeLogRecord({"msg": "%s is\nnone", "args": ("http://e.org/\x1b[2J\x9b31m\u202e",)})
    assert CleanFormatter("seed %(message)s").format(record) == "seed http://e.org/[2J31m is\nnone"
