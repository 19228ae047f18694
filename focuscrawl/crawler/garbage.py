"""Thresholds of Python's cycle collector while a crawl runs.

A page makes some ten thousand objects (words, links, scores) and hardly a cycle among them. By default the collector
looks at the young ones every 700 allocations and now and then at everything there is, the topic and Scrapy included:
a tenth of all the CPU time of a crawl, for nothing. So what is there when the crawl starts is left out, and the young
are looked at about once a page.
"""

from __future__ import annotations

import gc

# A page leaves some thousand objects behind (links known, entries on their way to the frontier). The last number lets
# a full look come every thousandth time.
_THRESHOLDS = (50_000, 20, 50)

_running = 0
_before = gc.get_threshold()


def relax() -> None:
    """Look for cycles less often, until `restore` has been called as often as this."""
    global _running, _before
    _running += 1
    if _running > 1:
        return
    _before = gc.get_threshold()
    # 0 is "never": somebody has turned the collector off, or collects by hand. Larger numbers are somebody's choice.
    if 0 < _before[0] < _THRESHOLDS[0]:
        gc.set_threshold(*_THRESHOLDS)
    gc.freeze()


def restore() -> None:
    """Undo `relax`; what was left out counts again, once the last of several crawls of a process is over."""
    global _running
    if not _running:
        return
    _running -= 1
    if not _running:
        gc.unfreeze()
        gc.set_threshold(*_before)
