"""focuscrawl: a topical focused crawler on Scrapy."""

from __future__ import annotations

__version__ = "0.1.0"
