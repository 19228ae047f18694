"""Settings that a run had and that are not given when it goes on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from crawl_kit import topic_file

from focuscrawl.config import FocusConfig
from focuscrawl.crawler.arguments import CrawlArguments
from focuscrawl.crawler.plan import make_plan
from focuscrawl.crawler.run_output import RunOutput
from focuscrawl.storage.link_metadata import LinkMetadata

WARNING = "settings that this run had are not given now; to keep them, stop and go on with"


@pytest.mark.parametrize(
    ("had", "now", "left"),
    [
        (
            {"FOCUSCRAWL_ALLOW_PRIVATE": True, "FOCUSCRAWL_REPORT": False, "FOCUSCRAWL_STORES": "jsonl,warc"},
            {},
            "-s FOCUSCRAWL_STORES=jsonl,warc -s FOCUSCRAWL_REPORT=0 -s FOCUSCRAWL_ALLOW_PRIVATE=1",
        ),
        ({"FOCUSCRAWL_OPERATOR": "A Name <a@example.org>"}, {}, "-s 'FOCUSCRAWL_OPERATOR=A Name <a@example.org>'"),
        # What is given anew counts, whatever it is; of the stores each that is left out is told.
        ({"FOCUSCRAWL_PATIENCE_S": 5.0, "FOCUSCRAWL_PDF": True}, {"patience_s": 300.0, "pdf": False}, ""),
        ({"FOCUSCRAWL_STORES": "jsonl,warc"}, {"stores": ("jsonl",)}, "-s FOCUSCRAWL_STORES=jsonl,warc"),
        ({"FOCUSCRAWL_STORES": "jsonl"}, {"stores": ("jsonl", "warc")}, ""),
        # Defaults, what names the run or only shows it, and what others say.
        ({"FOCUSCRAWL_FRONTIER_URL": "", "FOCUSCRAWL_MAX_LINKS": 500, "FOCUSCRAWL_STORES": "jsonl"}, {}, ""),
        ({"FOCUSCRAWL_RUN": "run", "FOCUSCRAWL_LANG": "zh", "DOWNLOAD_DELAY": 0, "FOCUSCRAWL_FORMER": 1}, {}, ""),
    ],
)
def test_settings_that_a_run_goes_on_without_are_told(
    had: Mapping[str, object],
    now: dict[str, object],
    left: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    run = str(tmp_path / "run")
    topic = topic_file(tmp_path, "http://a.example/")
    config = FocusConfig(report=False)
    first = RunOutput(make_plan(CrawlArguments(topic=str(topic), run=run), config), config)
    first.open(first.plan.step, overrides=had)
    first.close("stopped", "", LinkMetadata())
    make_plan(CrawlArguments(run=run), FocusConfig.model_validate(now))
    assert caplog.messages == ([f"{run}: {WARNING} {left}"] if left else [])
