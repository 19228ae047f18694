"""focuscrawl: a topical focused crawler on Scrapy.

The names below are the Python interface (docs/python.md). Each is imported when it is first used: importing the
package loads nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from focuscrawl.api.crawls import Crawl, crawl
    from focuscrawl.api.pages import ExtractedPage, ScoredLink, Topic, extract, judge, load_topic, score_links
    from focuscrawl.api.runs import CrawlRun, open_run
    from focuscrawl.api.teaching import Taught, teach
    from focuscrawl.errors import FocusCrawlError

__version__ = "0.1.0"
__all__ = [
    "Crawl",
    "CrawlRun",
    "ExtractedPage",
    "FocusCrawlError",
    "ScoredLink",
    "Taught",
    "Topic",
    "__version__",
    "crawl",
    "extract",
    "judge",
    "load_topic",
    "open_run",
    "score_links",
    "teach",
]

_MODULES = {
    "Crawl": "focuscrawl.api.crawls",
    "crawl": "focuscrawl.api.crawls",
    "CrawlRun": "focuscrawl.api.runs",
    "open_run": "focuscrawl.api.runs",
    "ExtractedPage": "focuscrawl.api.pages",
    "ScoredLink": "focuscrawl.api.pages",
    "Topic": "focuscrawl.api.pages",
    "extract": "focuscrawl.api.pages",
    "judge": "focuscrawl.api.pages",
    "load_topic": "focuscrawl.api.pages",
    "score_links": "focuscrawl.api.pages",
    "Taught": "focuscrawl.api.teaching",
    "teach": "focuscrawl.api.teaching",
    "FocusCrawlError": "focuscrawl.errors",
}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
