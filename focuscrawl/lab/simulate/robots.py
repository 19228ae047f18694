"""robots.txt of recorded webs: what the real crawler may not fetch, the simulated one may not either."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from protego import Protego

from focuscrawl.config import FocusConfig
from focuscrawl.lab.simulate.files import WebFiles
from focuscrawl.types import HostKey

USER_AGENT = "focuscrawl"
LONGEST_DELAY_S = FocusConfig().max_crawl_delay_s
"""Longest Crawl-delay that is obeyed, as in a crawl with default settings."""


class RobotsFiles:
    """Rules of every host of a web, read when first asked for; a host without robots.txt allows everything."""

    def __init__(self, files: WebFiles) -> None:
        self.files = files
        self._rules: dict[str, Any] = {}

    def allows(self, url: str) -> bool:
        """Tell whether `url` may be fetched."""
        rules = self._of((urlsplit(url).hostname or "").lower())
        return rules is None or bool(rules.can_fetch(url, USER_AGENT))

    def delay_s(self, host: HostKey) -> float:
        """Return the seconds between two requests that the host asks for, as far as a crawl obeys; 0 for none."""
        rules = self._of(host.partition(":")[0].lower())
        delay_s = float(rules.crawl_delay(USER_AGENT) or 0.0) if rules is not None else 0.0
        return min(delay_s, LONGEST_DELAY_S) if delay_s > 0.0 else 0.0  # a negative one is none, and so is "nan"

    def _of(self, host: str) -> Any:
        if host not in self._rules:
            name = f"{host}/robots.txt"
            body = self.files.read(name) if name in self.files.files else None
            self._rules[host] = Protego.parse(body.decode("utf-8", "replace")) if body is not None else None
        return self._rules[host]
