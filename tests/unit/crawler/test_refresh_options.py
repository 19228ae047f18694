"""Arguments of a round of visits."""

from __future__ import annotations

import pytest

from focuscrawl.crawler.refresh_round import RefreshOptions


@pytest.mark.parametrize(
    ("pages", "new", "links"),
    [(100, "0.29", 29), (100, "0.57", 57), (500, "0.3", 150), (10, "0.7", 7), (3, "0.5", 1), (1, "0.99", 0)],
)
def test_the_share_of_new_links_is_what_was_asked_for(pages: int, new: str, links: int) -> None:
    options = RefreshOptions.parse({"pages": str(pages), "new": new})
    assert (options.links, options.visits) == (links, pages - links)
