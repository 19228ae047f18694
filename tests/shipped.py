"""Names of the topics that come with the package; a checkout may hold files of its user beside them."""

from __future__ import annotations

TOPICS = (
    "astronomy",
    "bicycle-repair",
    "home-cooking",
    "machine-translation",
    "tang-poetry",
    "tea",
    "web-crawling",
    "xiangqi",
)
