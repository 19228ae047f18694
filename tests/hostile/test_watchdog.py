"""Pages that a plug-in spins on: given up by name, by a crawl alone and by a worker of a fleet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from crawl_kit import Crawled, clean_environment, command, topic_file
from redis_kit import RedisServer

from hostile.bad_manners import bad_manners, html

_PLUG_IN = """
from focuscrawl.extraction.blocks import BlocksExtractor
from focuscrawl.topic.judge_vsm import VsmJudge


def spin():
    while True:
        try:
            while True:
                pass
        except Exception:
            pass


class Judge(VsmJudge):
    def judge(self, page):
        return spin() if "/judge" in page.url else super().judge(page)


class Extractor(BlocksExtractor):
    def extract(self, page):
        return spin() if "/extractor" in page.url else super().extract(page)
"""
_ENTRY_POINTS = """[focuscrawl.judges]
spinning = spinning:Judge
[focuscrawl.extractors]
spinning = spinning:Extractor
"""
_PATHS = ("/one", "/judge", "/two", "/extractor", "/three")
_REASON = "too slow to read: more than 1 s of processor time"


def _install(folder: Path) -> None:
    metadata = folder / "spinning-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: spinning\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(_ENTRY_POINTS, encoding="utf-8")
    (folder / "spinning.py").write_text(_PLUG_IN, encoding="utf-8")


@pytest.mark.parametrize("fleet", [False, True])
def test_a_page_that_takes_for_ever_is_given_up_and_the_crawl_goes_on(
    tmp_path: Path, redis_server: RedisServer, fleet: bool
) -> None:
    _install(tmp_path / "site")
    env = clean_environment(PYTHONPATH=str(tmp_path / "site"))
    links = "".join(f'<p><a href="{path}">lighthouse {path}</a></p>' for path in _PATHS)
    pages = {path: html(f"<title>Lighthouse {path}</title><p>lighthouse lamp lens {path}</p>") for path in _PATHS}
    with bad_manners({"/": html(f"<title>Lighthouse</title>{links}"), **pages}) as manners:
        topic = topic_file(tmp_path, manners.url("/"))
        topic.write_text(topic.read_text(encoding="utf-8").replace('"vsm"', '"spinning"'), encoding="utf-8")
        settings = {"FOCUSCRAWL_EXTRACTOR": "spinning", "FOCUSCRAWL_MAX_PAGE_CPU_S": 1}
        if fleet:
            settings |= {"FOCUSCRAWL_FRONTIER_URL": redis_server.url, "FOCUSCRAWL_CRAWL": str(tmp_path)}
        words = command(tmp_path / "run", "-a", f"topic={topic}", settings=settings)
        ended = subprocess.run(
            [sys.executable, "-m", *words], env=env, cwd=Path.cwd(), timeout=100, capture_output=True, text=True
        )
    assert ended.returncode == 0, ended.stderr
    done = Crawled(tmp_path / "run")
    found = {path: (record.outcome, record.reason) for path in _PATHS for record in [done.page(path)]}
    slow = ("refused", _REASON)
    fine = ("done", "")
    assert found == {"/one": fine, "/judge": slow, "/two": fine, "/extractor": slow, "/three": fine}
    assert [manners.asked[path] for path in _PATHS] == [1] * len(_PATHS)
    assert "Traceback" not in ended.stderr
    explained = subprocess.run(
        [sys.executable, "-m", "focuscrawl", "explain", str(tmp_path / "run"), manners.url("/judge")],
        env=env,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert _REASON in " ".join(explained.stdout.split()), explained.stderr
