"""Numbers of the crawl for Prometheus, on a port of their own; off unless a setting names the port."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scrapy import signals

from focuscrawl.crawler.crawl import Crawl
from focuscrawl.errors import os_reason
from focuscrawl.glue.session import session_of
from focuscrawl.glue.stats import asked, by_reason
from focuscrawl.storage.unasked import unasked

if TYPE_CHECKING:
    from prometheus_client.core import Metric
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class CrawlCollector:
    """Names and values of the metrics, read from the crawl when they are asked for.

    Parameters
    ----------
    crawl
        The open crawl; its numbers are plain ones, so a look from another thread disturbs nothing.
    """

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl

    def describe(self) -> Iterator[Metric]:
        """Name nothing beforehand: registering must not read the crawl."""
        yield from ()

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics as of now."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        crawl = self._crawl
        counters, loop = crawl.step.counters, crawl.loop
        progress = counters.progress()
        topic = [crawl.step.topic.name]

        def counter(name: str, text: str, value: float) -> Metric:
            family = CounterMetricFamily(f"focuscrawl_{name}", text, labels=["topic"])
            family.add_metric(topic, value)
            return family

        def gauge(name: str, text: str, value: float) -> Metric:
            family = GaugeMetricFamily(f"focuscrawl_{name}", text, labels=["topic"])
            family.add_metric(topic, value)
            return family

        def by(reasons: Mapping[str, int], name: str, text: str) -> Metric:
            family = CounterMetricFamily(f"focuscrawl_{name}", text, labels=["topic", "reason"])
            for reason, count in sorted(by_reason(reasons).items()):
                family.add_metric([*topic, reason], count)
            return family

        yield counter("pages", "Pages fetched and judged.", progress.pages)
        yield counter("relevant_pages", "Pages judged relevant.", progress.relevant)
        yield counter("stored_pages", "Relevant pages stored as results.", progress.stored)
        reasons = dict(counters.reasons)
        yield by(asked(reasons), "failed_fetches", "Fetches that gave no page, by reason.")
        yield by(unasked(reasons), "unasked_links", "Links dropped without a request, by reason.")
        yield gauge("harvest_ratio", "Relevant pages of all fetched ones, in [0, 1].", progress.harvest)
        yield gauge("recent_harvest_ratio", "The same of the last 100 pages.", progress.harvest_recent)
        yield gauge("threshold", "Relevance from which a page is relevant, in [0, 1].", progress.threshold)
        yield gauge("hosts", "Hosts with a fetched page.", progress.hosts)
        yield gauge("relevant_hosts", "Hosts with a relevant page.", progress.relevant_hosts)
        yield gauge("queued_links", "Links that wait; of a fleet, those of all workers.", loop.queued)
        yield gauge("in_flight_requests", "Links that are being fetched.", loop.in_flight)
        yield gauge("start_time_seconds", "Unix time this process began to crawl.", crawl.started_at)


class MetricsExtension:
    """Serves the metrics while the crawl runs."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.port = 0  # that is listened on, once open
        self._server: Any = None
        self._thread: Any = None
        crawler.signals.connect(self._opened, signal=signals.spider_opened)
        crawler.signals.connect(self._closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> MetricsExtension:
        """Build the extension."""
        return cls(crawler)

    def _opened(self) -> None:
        session = session_of(self.crawler)
        if not session.is_open or not session.config.metrics_port:
            return
        try:
            from prometheus_client import CollectorRegistry, start_http_server
        except ImportError:
            logger.warning(
                "FOCUSCRAWL_METRICS_PORT is set, but prometheus_client is not installed:"
                " pip install 'focuscrawl[metrics]'. The crawl goes on without metrics."
            )
            return
        registry = CollectorRegistry()
        registry.register(CrawlCollector(session.crawl))
        address, port = session.config.metrics_address, session.config.metrics_port
        try:
            self._server, self._thread = start_http_server(port, address, registry)
        except OSError as error:
            why = os_reason(error)
            logger.warning(
                "%(address)s:%(port)s: %(why)s; the crawl goes on without metrics."
                " Name another FOCUSCRAWL_METRICS_PORT.",
                {"address": address, "port": port, "why": why},
            )
            return
        self.port = self._server.server_port

    def _closed(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()
            self._server = None
