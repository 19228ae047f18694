"""A crawl waits a while for those who look for links beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focuscrawl.crawler.links_beside import LinksBeside

if TYPE_CHECKING:
    from conftest import Clock


def test_a_search_is_waited_for_while_the_patience_lasts(clock: Clock) -> None:
    beside = LinksBeside(10.0, clock=clock)
    beside.note(idle=True)
    clock.advance(100.0)
    assert not beside.may_come, "nobody looks for links"
    with beside.search():
        beside.note(idle=True)
        clock.advance(10.0)
        beside.note(idle=True)
        assert beside.may_come
        clock.advance(1.0)
        assert not beside.may_come
        beside.note(idle=False)
        assert beside.may_come, "what it brought is being fetched"
    assert not beside.may_come


def test_asking_changes_nothing(clock: Clock) -> None:
    beside = LinksBeside(10.0, clock=clock)
    with beside.search():
        assert beside.may_come
        clock.advance(100.0)
        assert beside.may_come, "the loop has not said that nothing else is left"
