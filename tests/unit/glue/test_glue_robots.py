"""Reading robots.txt as one worker of a fleet, where several sites are asked about before any is read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from threading import Event
from types import SimpleNamespace

import pytest
from scrapy import Request, signals
from scrapy.exceptions import StopDownload
from scrapy.http import TextResponse
from scrapy.robotstxt import ProtegoRobotParser
from scrapy.utils.test import get_crawler

from focuscrawl.glue.failures import HostNotNow, Refused
from focuscrawl.glue.robots import MAX_BYTES, RobotsMiddleware, within_limit

SITES = ("http://a.example", "http://b.example")


class Fleet:
    """Shares with nobody; answers when all sites are asked about."""

    ahead_s = 0.0

    def __init__(self) -> None:
        self.asked = asyncio.Barrier(len(SITES))

    async def cached(
        self, name: str, fresh: object, read: Callable[[bytes | None], Awaitable[bytes]], *, keep_s: float
    ) -> bytes:
        await self.asked.wait()
        return await read(None)


class Engine:
    """Answers all requests together, each with more than the limit, unless it is told to stop."""

    def __init__(self, crawler: object) -> None:
        self.crawler = crawler
        self.asked = asyncio.Barrier(len(SITES))
        self.cut: list[str] = []

    async def download_async(self, request: Request) -> TextResponse:
        await self.asked.wait()
        heard = self.crawler.signals.send_catch_log(  # type: ignore[attr-defined]
            signal=signals.bytes_received, data=b"#" * (MAX_BYTES + 1), request=request
        )
        if any(isinstance(getattr(result, "value", result), StopDownload) for _, result in heard):
            self.cut.append(request.url)
        return TextResponse(request.url, body=b"User-agent: *\nDisallow: /no\n", request=request)


@pytest.mark.filterwarnings("ignore::scrapy.exceptions.ScrapyDeprecationWarning")
def test_sites_read_side_by_side_are_all_read_within_the_limit() -> None:
    async def crawl() -> Engine:
        crawler = get_crawler(settings_dict={"ROBOTSTXT_OBEY": True})
        middleware = RobotsMiddleware(crawler)
        engine = Engine(crawler)
        crawler.engine = engine  # type: ignore[assignment]
        middleware.session = SimpleNamespace(  # type: ignore[assignment]
            clock=lambda: 0.0,
            is_open=True,
            crawl=SimpleNamespace(
                fleet=Fleet(),
                hosts=SimpleNamespace(is_slow=lambda host: False),
                setbacks=SimpleNamespace(count_fetch=lambda host, own: None),
            ),
        )
        await asyncio.gather(*(middleware.process_request(Request(f"{site}/page")) for site in SITES))
        return engine

    engine = asyncio.run(crawl())
    assert sorted(engine.cut) == [f"{site}/robots.txt" for site in SITES]


class SharedRules:
    """Keeps what was read, by a clock two hours ahead of the worker's."""

    ahead_s = 7200.0
    kept: bytes | None = None

    async def cached(
        self, name: str, fresh: Callable[[bytes], bool], read: Callable[[bytes | None], Awaitable[bytes]], **how: object
    ) -> bytes:
        if self.kept is None or not fresh(self.kept):
            self.kept = await read(self.kept)
        return self.kept


@pytest.mark.filterwarnings("ignore::scrapy.exceptions.ScrapyDeprecationWarning")
def test_a_robots_txt_that_another_worker_could_not_read_waits_by_the_clock_of_all() -> None:
    async def wait_s(fleet: SharedRules, now: float) -> float:
        crawler = get_crawler(settings_dict={"ROBOTSTXT_OBEY": True})
        middleware = RobotsMiddleware(crawler)

        async def download(request: Request) -> TextResponse:
            return TextResponse(request.url, status=503, request=request)

        crawler.engine = SimpleNamespace(download_async=download)  # type: ignore[assignment]
        middleware.session = SimpleNamespace(  # type: ignore[assignment]
            clock=lambda: now,
            is_open=True,
            config=SimpleNamespace(robots_retry_s=20.0, max_hold_s=3600.0),
            crawl=SimpleNamespace(
                fleet=fleet,
                hosts=SimpleNamespace(is_slow=lambda host: False),
                setbacks=SimpleNamespace(count_fetch=lambda host, own: None),
            ),
        )
        with pytest.raises(HostNotNow) as raised:
            await middleware.process_request(Request(f"{SITES[0]}/page"))
        return raised.value.wait_s

    async def crawl() -> None:
        fleet = SharedRules()
        assert await wait_s(fleet, 50_000.0) == pytest.approx(20.0)
        fleet.ahead_s += 3600.0  # the other worker's clock is an hour behind
        assert await wait_s(fleet, 46_405.0) == pytest.approx(15.0)

    asyncio.run(crawl())


@pytest.mark.filterwarnings("ignore::scrapy.exceptions.ScrapyDeprecationWarning")
def test_long_files_of_many_sites_are_not_all_kept() -> None:
    """A host can have any number of names, each with a file of 500 KiB: their rules would fill the memory."""
    body = b"User-agent: *\nDisallow: /no\n" + b"#" * 400_000

    async def crawl() -> list[str]:
        crawler = get_crawler(settings_dict={"ROBOTSTXT_OBEY": True})
        middleware = RobotsMiddleware(crawler)
        asked: list[str] = []

        async def download(request: Request) -> TextResponse:
            asked.append(request.url)
            return TextResponse(request.url, body=body, request=request)

        crawler.engine = SimpleNamespace(download_async=download)  # type: ignore[assignment]
        middleware.session = SimpleNamespace(  # type: ignore[assignment]
            clock=lambda: 0.0, is_open=False, config=SimpleNamespace(), crawl=None
        )
        names = [f"http://n{number}.example" for number in range(60)]
        for name in [*names, names[-1], names[0]]:
            await middleware.process_request(Request(f"{name}/page"))
        assert asked[60:] == ["http://n0.example/robots.txt"], "only what is not kept is asked for again"
        return asked

    assert len(asyncio.run(crawl())) == 61


class WaitingParser(ProtegoRobotParser):
    """Parses, and answers, when the event loop goes on."""

    waits, goes_on = Event(), Event()

    def __init__(self, body: bytes, spider: None) -> None:
        self.wait()
        super().__init__(body, spider)

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        self.wait()
        return super().allowed(url, user_agent)

    def wait(self) -> None:
        self.waits.set()
        assert self.goes_on.wait(10), "the event loop stood still"
        self.waits.clear()
        self.goes_on.clear()


@pytest.mark.filterwarnings("ignore::scrapy.exceptions.ScrapyDeprecationWarning")
def test_the_event_loop_goes_on_while_a_long_file_is_parsed_and_asked() -> None:
    body = b"User-agent: *\nDisallow: /no\n" * 2_000

    async def go_on(times: int) -> None:
        for _ in range(times):
            await asyncio.to_thread(WaitingParser.waits.wait, 10)
            WaitingParser.goes_on.set()
            while WaitingParser.goes_on.is_set():
                await asyncio.sleep(0)

    async def crawl() -> None:
        crawler = get_crawler(settings_dict={"ROBOTSTXT_OBEY": True, "ROBOTSTXT_PARSER": WaitingParser})
        middleware = RobotsMiddleware(crawler)

        async def download(request: Request) -> TextResponse:
            return TextResponse(request.url, body=body, request=request)

        crawler.engine = SimpleNamespace(download_async=download)  # type: ignore[assignment]
        middleware.session = SimpleNamespace(  # type: ignore[assignment]
            clock=lambda: 0.0, is_open=False, config=SimpleNamespace(), crawl=None
        )
        await asyncio.gather(middleware.process_request(Request(f"{SITES[0]}/yes")), go_on(2))
        with pytest.raises(Refused):
            await asyncio.gather(middleware.process_request(Request(f"{SITES[0]}/no")), go_on(1))

    asyncio.run(crawl())


@pytest.mark.parametrize(
    ("line", "rest", "kept"),
    [
        (b"Disallow: /", b"private/\n", False),
        (b"Disallow: /", b"\n", True),
        (b"Disallow: /", b"\r", True),
        (b"Disallow: /\n", b"Allow: /", True),
        (b"Disallow: /", b"", True),
    ],
)
def test_only_whole_lines_of_the_first_500_kib_are_read(line: bytes, rest: bytes, kept: bool) -> None:
    before = b"#" * (MAX_BYTES - len(line) - 1) + b"\n"
    assert within_limit(before + line + rest) == (before + line if kept else before)


def test_of_one_endless_line_nothing_is_read() -> None:
    assert within_limit(b"Disallow: /" * MAX_BYTES) == b""


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_file_with_a_byte_order_mark_is_read(encoding: str) -> None:
    text = "Sitemap: http://a.example/s.xml\nUser-agent: *\nDisallow: /no\n"
    assert within_limit(text.encode(encoding)) == text.encode()


@pytest.mark.parametrize("filler", ["#", "禁"])
def test_half_a_rule_of_utf_16_at_the_limit_is_no_rule(filler: str) -> None:
    rules = "Disallow: /private/\n" + filler * 200_000 + "\n"
    text = rules + "Disallow: /" + "p" * 100_000
    assert within_limit(text.encode("utf-16")) == (rules if filler == "#" else rules[:20]).encode()
