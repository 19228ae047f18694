"""A resolver of the tests' own names: `TWISTED_DNS_RESOLVER = "hostile.names.TestResolver"`. Sends no packet."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crawl_kit import Crawled, crawl_command, topic_file
from scrapy.crawler import Crawler
from twisted.internet.address import IPv4Address
from twisted.internet.interfaces import IHostnameResolver
from zope.interface import implementer

OUTAGE = "FOCUSCRAWL_TEST_OUTAGE"
LOG = "FOCUSCRAWL_TEST_NAMES"  # environment variable: file of the names that were looked up, one JSON text a line


@implementer(IHostnameResolver)
class TestResolver:
    """Names with `never` get no answer, those with `dead` have no address, all others are this machine.

    Until names with `weak` have been looked up `OUTAGE` times these have none either, nor have names in capitals, with
    which a crawl checks whether names that it knows resolve still.
    """

    __test__ = False

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._outage = int(os.environ.get(OUTAGE, "0"))

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: Any) -> TestResolver:
        return cls(reactor)

    def install_on_reactor(self) -> None:
        self._reactor.installNameResolver(self)

    def resolveHostName(
        self,
        resolutionReceiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[type[Any]] | None = None,
        transportSemantics: str = "TCP",
    ) -> Any:
        with Path(os.environ[LOG]).open("a", encoding="utf-8") as log:
            log.write(json.dumps(hostName) + "\n")
        resolutionReceiver.resolutionBegan(self)
        if "never" in hostName:
            return self
        is_out = self._outage > 0 and ("weak" in hostName or hostName.isupper())
        self._outage -= "weak" in hostName
        if "dead" not in hostName and not is_out:
            resolutionReceiver.addressResolved(IPv4Address("TCP", "127.0.0.1", portNumber))
        resolutionReceiver.resolutionComplete()
        return self


def looked_up(log: Path) -> list[str]:
    """Return the names that were looked up, in order."""
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []


def crawl_names(folder: Path, seed: str, *, env: dict[str, str] | None = None, **settings: object) -> Crawled:
    """Crawl from `seed`, whose name and all others are looked up here."""
    return crawl_command(
        folder / "run",
        "-a",
        f"topic={topic_file(folder, seed)}",
        env={LOG: str(folder / "names"), "PYTHONPATH": str(Path(__file__).parents[1]), **(env or {})},
        settings={"TWISTED_DNS_RESOLVER": "hostile.names.TestResolver", **settings},
    )
