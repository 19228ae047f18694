"""Dashboard of a crawl that is asked for by a setting: a process of its own, which ends with the crawl's."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from typing import TYPE_CHECKING

from scrapy import signals

from focuscrawl.frontier.redis_url import is_redis
from focuscrawl.glue.session import CrawlSession, session_of
from focuscrawl.own_command import own_command, own_environment
from focuscrawl.wording import dashboard as wording
from focuscrawl.wording.base import speaker

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)
USUAL = 1
"""Value of the setting that means the usual port, or any free one."""


class DashboardExtension:
    """Starts ``focuscrawl dashboard`` beside the crawl, and says where it is."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        crawler.signals.connect(self._opened, signal=signals.spider_opened)
        crawler.signals.connect(self._closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> DashboardExtension:
        """Build the extension."""
        return cls(crawler)

    def _opened(self) -> None:
        session = session_of(self.crawler)
        if session.is_open and session.config.dashboard:
            self._task = asyncio.get_running_loop().create_task(self._run(session))

    async def _run(self, session: CrawlSession) -> None:
        config = session.config
        arguments = ["--json", "--no-open", "--with-stdin", "--lang", config.lang]
        environment = own_environment()
        if is_redis(config.frontier_url):
            # By the environment: a password in the list of arguments can be read by everybody on the machine
            environment["FOCUSCRAWL_FRONTIER_URL"] = config.frontier_url
            arguments += ["--crawl", config.crawl or session.crawl.plan.spec.name]
        else:
            environment.pop("FOCUSCRAWL_FRONTIER_URL", None)
            arguments.append(str(session.crawl.output.folder.path.resolve()))
        if config.dashboard != USUAL:
            arguments += ["--port", str(config.dashboard)]
        pipe = asyncio.subprocess.PIPE
        self.process = await asyncio.create_subprocess_exec(
            *own_command(), "dashboard", *arguments, stdin=pipe, stdout=pipe, stderr=pipe, env=environment
        )
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        lines: list[bytes] = []
        while line := await self.process.stdout.readline():
            lines.append(line)
            if line.rstrip() == b"}":
                told = speaker(config.lang)(wording.OPENED, address=json.loads(b"".join(lines))["address"])
                # Not logged: the address gives its reader orders to the crawl
                sys.stderr.write(told + "\n")
                sys.stderr.flush()
                break
        fault = (await self.process.stderr.read()).decode("utf-8", "replace").strip()
        if fault:
            logger.warning("no dashboard: %(fault)s", {"fault": fault})

    async def _closed(self) -> None:
        if self._task is None:
            return
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
            await self.process.wait()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
