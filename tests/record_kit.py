"""Records as stores get them."""

from __future__ import annotations

import dataclasses

from focuscrawl.records import PageRecord


def stored_record(n: int, **changes: object) -> PageRecord:
    """Return a relevant page's record, whose key is too large for a signed number and whose texts are Chinese."""
    base = PageRecord(
        key=2**63 + n,
        url=f"https://example.org/{n}",
        final_url=f"https://example.org/{n}",
        host="example.org",
        fetched_at=1_790_000_000.25 + n,
        status=200,
        title=f"第{n}页",
        text="国际象棋的开局。\n\n第二段。",
        relevance=0.5,
        relevant=True,
    )
    return dataclasses.replace(base, **changes)  # type: ignore[arg-type]
