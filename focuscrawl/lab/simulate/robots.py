"""robots.txt of recorded webs: what the real crawler may not fetch, the simulated one may not either."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from protego import Protego

from focuscrawl.lab.simulate.files import WebFiles

USER_AGENT = "focuscrawl"


class RobotsFiles:
    """Rules of every host of a web, read when first asked for; a host without robots.txt allows everything."""

    def __init__(self, files: WebFiles, *, user_agent: str = USER_AGENT) -> None:
        self.files = files
        self.user_agent = user_agent
        self._rules: dict[str, Any] = {}

    def allows(self, url: str) -> bool:
        """Tell whether `url` may be fetched."""
        host = (urlsplit(url).hostname or "").lower()
        if host not in self._rules:
            name = f"{host}/robots.txt"
            body = self.files.read(name) if name in self.files.files else None
            self._rules[host] = Protego.parse(body.decode("utf-8", "replace")) if body is not None else None
        rules = self._rules[host]
        return rules is None or bool(rules.can_fetch(url, self.user_agent))
