"""Fixtures that several kinds of tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from forked_commands import close_fork_server, steers_crawls
from hypothesis import HealthCheck, settings
from postgres_kit import PostgresServer, programs, running_postgres
from redis_kit import RedisServer, running_redis
from site_kit import Site, running_site

# A slow machine is no fault of a property, and the same commit gives the same result; tests/fuzz looks for new inputs.
settings.register_profile(
    "suite", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")

# `pytest -m quick`: the unit tests and one whole crawl, but for files that take more than a second.
_QUICK = ("unit/", "integration/test_focused_crawl.py")
_LONGER = (
    "unit/cli/test_cli_extract.py",
    "unit/cli/test_cli_extract_feed.py",
    "unit/cli/test_cli_fleet_alone.py",
    "unit/cli/test_cli_runs.py",
    "unit/cli/test_cli_sums_export.py",
    "unit/cli/test_cli_train_extractor.py",
    "unit/dedupe/test_dedupe.py",
    "unit/demo/test_demo_record.py",
    "unit/demo/test_demo_web.py",
    "unit/extraction/test_bad_pages.py",
    "unit/extraction/test_main_content_training.py",
    "unit/frontier/test_frontier_crash.py",
    "unit/graph/test_graph_ipagerank.py",
    "unit/graph/test_graph_journal.py",
    "unit/lab/extractors/test_density_svm.py",
    "unit/lab/extractors/test_density_training.py",
    "unit/lab/extractors/test_gold_lines.py",
    "unit/lab/extractors/test_rbf_svm.py",
    "unit/lab/simulate/test_simulate_experiment.py",
    "unit/lab/simulate/test_simulate_generator.py",
    "unit/lab/simulate/test_simulate_pages.py",
    "unit/lab/simulate/test_simulate_remembered.py",
    "unit/lab/strategies/test_lab_link_analysis.py",
    "unit/lab/strategies/test_lab_tagpath.py",
    "unit/page/test_page_tree.py",
    "unit/report/test_report_metrics.py",
    "unit/storage/test_postgres_store.py",
    "unit/test_docstrings.py",
    "unit/text/test_text_background.py",
    "unit/text/test_text_summary.py",
    "unit/text/test_text_tokenize.py",
    "unit/text/test_text_vectors.py",
    "unit/topic/test_judge_expression.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of a first look."""
    here = Path(__file__).parent
    for item in items:
        name = item.path.relative_to(here).as_posix()
        if name.startswith(_QUICK) and name not in _LONGER:
            item.add_marker(pytest.mark.quick)


def pytest_configure() -> None:
    """Take out of the environment what would steer the crawls of tests, such as the proxy of the tutorial."""
    for name in list(os.environ):
        if steers_crawls(name) or (name.startswith("FOCUSCRAWL_") and not name.startswith("FOCUSCRAWL_TEST_")):
            del os.environ[name]
    # What commands say is tested in English, whatever the locale of who runs the tests.
    os.environ["FOCUSCRAWL_LANG"] = "en"


def pytest_unconfigure() -> None:
    """End the process that commands are forked from."""
    close_fork_server()


@pytest.fixture(scope="session")
def _site() -> Iterator[Site]:
    with running_site() as site:
        yield site


@pytest.fixture
def site(_site: Site) -> Iterator[Site]:
    """A small web on loopback in a process of its own, with an empty log; what a test sets, the next does not meet."""
    _site.clear()
    yield _site
    _site.clear()


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    """A clock that moves when it is told to."""
    return Clock()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """A Redis server of the tests' own; tests share it, each with a crawl of its own name."""
    with running_redis() as server:
        yield server


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server of the tests' own; tests share it, each with a database of its own."""
    found = programs()
    if found is None:
        pytest.skip(
            "NOT TESTED against a real server: no PostgreSQL programs on this machine (apt-get install postgresql,"
            " or FOCUSCRAWL_TEST_POSTGRES_BIN=the folder of initdb)"
        )
    with running_postgres(found) as server:
        yield server
