"""The environment of the tests: English, and the same after a crawl in the process as before it."""

from __future__ import annotations

import os
from pathlib import Path

from crawl_kit import crawl_here, topic_file
from forked_commands import steers_crawls
from site_kit import Site


def test_a_crawl_in_this_process_leaves_the_environment_alone(site: Site, tmp_path: Path) -> None:
    before = dict(os.environ)
    crawl_here(tmp_path / "run", topic=topic_file(tmp_path, site.url("/page/1")), pages=1)
    assert dict(os.environ) == before
    assert not any(map(steers_crawls, before))


def test_commands_speak_english_whatever_the_locale() -> None:
    assert os.environ["FOCUSCRAWL_LANG"] == "en"
