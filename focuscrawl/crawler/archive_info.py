"""What the head of an archive says of the crawl: who, with what, on which topic, and whether robots.txt was obeyed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from focuscrawl.crawler.setting_values import as_bool
from focuscrawl.storage.run import without_secrets

if TYPE_CHECKING:
    from focuscrawl.config import FocusConfig
    from focuscrawl.crawler.plan import CrawlPlan


def archive_info(plan: CrawlPlan, config: FocusConfig, overrides: Mapping[str, object]) -> dict[str, str]:
    """Return the fields, by the names of the WARC standard (ISO 28500:2017, 10.3) where it has one; '' is left out.

    Parameters
    ----------
    overrides
        Settings of the downloader that are not its defaults; secrets in them are blanked.
    """
    spec, settings = plan.spec, without_secrets(overrides)
    robots = "obey" if as_bool(settings.get("ROBOTSTXT_OBEY", False)) is True else "ignore"
    return {
        "operator": config.operator,
        "http-header-user-agent": str(settings.get("USER_AGENT", "")),
        # Nothing is fetched of archives: what they obeyed their own heads say.
        "robots": robots if plan.step.options.follow_links else "",
        "isPartOf": f"{spec.name}/{plan.folder.path.name}",
        "description": f"pages on the topic {spec.title or spec.name}, judged by a focused crawler",
        "focuscrawl-topic": f"{spec.name}@{spec.digest}",
        "focuscrawl-strategy": plan.strategy,
        "focuscrawl-settings": json.dumps(settings, default=str, sort_keys=True),
    }
