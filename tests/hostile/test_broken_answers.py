"""Broken answers: each is settled with a reason in words, and asked for three times at most."""

from __future__ import annotations

import pytest
from crawl_kit import Crawled, crawl_command, topic_file

from hostile.bad_manners import Manners, bad_manners, html
from hostile.broken import KINDS


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Crawled, Manners]:
    """Crawl one page with links to all of them, and to an honest one."""
    folder = tmp_path_factory.mktemp("broken")
    links = "".join(f'<p><a href="{path}">lighthouse {path}</a></p>' for path in (*KINDS, "/fine"))
    answers = {path: answer for path, (answer, _, _) in KINDS.items()}
    with bad_manners({**answers, "/": html(f"<h1>lighthouse</h1>{links}"), "/fine": html("<h1>fine</h1>")}) as manners:
        topic = topic_file(folder, manners.url("/"))
        done = crawl_command(
            folder / "run", "-a", f"topic={topic}", settings={"DOWNLOAD_TIMEOUT": 3, "CONCURRENT_REQUESTS": 32}
        )
    return done, manners


def test_there_are_56_kinds() -> None:
    assert len(KINDS) == 56


@pytest.mark.parametrize("path", KINDS)
def test_a_broken_answer_is_settled_with_its_reason(crawled: tuple[Crawled, Manners], path: str) -> None:
    done, manners = crawled
    record = done.page(path)
    _, outcome, reason = KINDS[path]
    assert (record.outcome, record.reason) == (outcome, reason)
    assert manners.asked[path] == (3 if outcome == "failed" else 1)


def test_the_rest_of_the_crawl_is_undisturbed(crawled: tuple[Crawled, Manners]) -> None:
    done, _ = crawled
    assert done.exit_code == 0
    assert done.page("/fine").outcome == "done"
    assert (done.counts()["queued"], done.counts()["leased"]) == (0, 0)
    assert "Traceback" not in done.err
