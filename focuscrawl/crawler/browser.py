"""A headless browser that runs the scripts of pages and has no network of its own.

Whatever a page asks for goes through `fetch`, which is the crawl's downloader with all its guards: schemes, addresses,
robots.txt, delays, lengths, certificates. The browser itself is told that every host is unknown and that its proxy is a
closed port, so what nobody thought of reaches nothing either: WebSockets, WebRTC, prefetches, redirects.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import os
import shutil
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from focuscrawl.errors import FocusCrawlError

if TYPE_CHECKING:
    from playwright.async_api import Browser as Chromium
    from playwright.async_api import BrowserContext, Page, Playwright, Route

logger = logging.getLogger(__name__)

EXTRA = "render"
"""The extra of this project that installs playwright."""
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_NO_NETWORK = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-domain-reliability",
    "--js-flags=--max-old-space-size=256",  # megabytes of objects of a page's scripts
)
_CLOSED_PORT = "http://127.0.0.1:1"
_ASKED = frozenset({"script", "fetch", "xhr"})
_MOST_REQUESTS = 60
_MOST_BYTES = 16 * 1024 * 1024
# Scripts are the same for many pages of a site.
_CACHE_BYTES = 32 * 1024 * 1024
# A browser grows with the pages it has shown.
_PAGES_A_BROWSER = 200
_CONTENT_S = 10.0
_START_S = 40.0  # on a busy machine; playwright itself waits 30 s for a browser
# The document without what nobody reads of it; null for one that is too long.
_DOCTYPE = "<!DOCTYPE html>"
_CONTENT = f"""most => {{
  const root = document.documentElement, text = root ? root.outerHTML : "";
  return text.length > most ? null : "{_DOCTYPE}" + text;
}}"""


class BrowserError(FocusCrawlError):
    """A browser that cannot be started; the sentence says why and what to do."""


class NotRenderedError(FocusCrawlError):
    """A page that could not be rendered; the text says why."""


@dataclass(frozen=True, slots=True)
class Part:
    """Answer to what a page asks for."""

    status: int
    content_type: str
    body: bytes


@dataclass(slots=True)
class _Visit:
    """What one page has asked for."""

    url: str
    html: bytes
    origin: str
    begun: bool = False
    requests: int = 0
    received: int = 0
    tasks: set[asyncio.Task[None]] = field(default_factory=set)


Fetch = Callable[[str], Awaitable[Part | None]]
"""Fetches a URL under the crawl's rules; None for one that is refused or fails."""


def find_browser(given: str) -> str:
    """Return the path of a Chromium: the one given, else the first that is installed.

    Raises
    ------
    BrowserError
        If there is none, or playwright is not installed.
    """
    if importlib.util.find_spec("playwright") is None:
        raise BrowserError(f"FOCUSCRAWL_RENDER needs the package playwright: pip install 'focuscrawl[{EXTRA}]'.")
    for name in [given] if given else _NAMES:
        if found := shutil.which(name):
            return found
    if given:
        raise BrowserError(f"FOCUSCRAWL_BROWSER = {given!r}: there is no such program.")
    raise BrowserError(
        "FOCUSCRAWL_RENDER needs a browser: install Chromium (apt install chromium), or name one with"
        " FOCUSCRAWL_BROWSER."
    )


class Browser:
    """Renders pages, at most `pages` at once, each in a context of its own: no cookies, no storage, no permissions.

    It starts with the first page, and anew after 200 or when it has died.

    Parameters
    ----------
    seconds
        A page may take. What it has become by then is taken.
    most_chars
        Of the document.
    user_agent
        What scripts are told.
    """

    def __init__(
        self, executable: str, fetch: Fetch, *, pages: int, seconds: float, most_chars: int, user_agent: str
    ) -> None:
        self._executable = executable
        self._fetch = fetch
        self._seconds = seconds
        self._most_chars = most_chars
        self._user_agent = user_agent
        self._turns = asyncio.Semaphore(pages)
        self._lock = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._chromium: Chromium | None = None
        self._shown = 0
        self._open = 0
        self._idle = asyncio.Event()  # no page is open, or the browser was closed
        self._closed = False
        self._cache: OrderedDict[str, Part] = OrderedDict()
        self._cached = 0

    async def render(self, url: str, html: bytes) -> bytes:
        """Return the document of a page in UTF-8 after its scripts have run.

        Parameters
        ----------
        html
            The page as it was fetched, in UTF-8; the browser does not ask for it again.

        Raises
        ------
        NotRenderedError
            If the browser cannot be started, or its scripts do not end, or the document is too long.
        """
        async with self._turns:
            visit = _Visit(url, html, "/".join(url.split("/", 3)[:3]))
            context: BrowserContext | None = None
            try:
                context = await self._context()
                async with asyncio.timeout(self._seconds + 2 * _CONTENT_S):
                    return await self._rendered(context, visit)
            except TimeoutError as error:
                raise NotRenderedError(f"its scripts take more than {self._seconds:g} s") from error
            except Exception as error:
                if _is_of_playwright(error):
                    raise NotRenderedError(_first_line(error)) from error
                raise
            finally:
                for task in visit.tasks:
                    task.cancel()
                if context is not None:
                    await self._leave(context)

    async def close(self) -> None:
        """End the browser; closing twice is fine."""
        self._closed = True
        self._idle.set()
        async with self._lock:
            await self._end()

    # ----------------------------------------------------------------------- private

    async def _rendered(self, context: BrowserContext, visit: _Visit) -> bytes:
        async def answer(route: Route) -> None:
            task = asyncio.current_task()
            assert task is not None
            visit.tasks.add(task)
            try:
                await self._answer(route, visit)
            except Exception as error:  # the page is gone
                if not _is_of_playwright(error):
                    raise
            finally:
                visit.tasks.discard(task)

        await context.route("**/*", answer)
        await context.route_web_socket("**/*", lambda socket: socket.close())
        page = await context.new_page()
        page.on("dialog", lambda dialog: _spawn(dialog.dismiss()))
        await self._settled(page, visit)
        async with asyncio.timeout(_CONTENT_S):
            text = await page.evaluate(_CONTENT, self._most_chars)
        # A page may have made functions of its own of those that tell a length.
        if text is None or len(text) > self._most_chars + len(_DOCTYPE):
            raise NotRenderedError("its document is too long")
        return str(text).encode("utf-8", "replace")

    async def _settled(self, page: Page, visit: _Visit) -> None:
        """Open a page and wait until it asks for nothing any more, or its time is over.

        Raises
        ------
        TimeoutError
            If there is no page at all by then.
        """
        there = False
        try:
            async with asyncio.timeout(self._seconds):
                await page.goto(visit.url, wait_until="commit", timeout=0)
                there = True
                await page.wait_for_load_state("networkidle", timeout=0)
        except TimeoutError:
            if not there:
                raise

    async def _answer(self, route: Route, visit: _Visit) -> None:
        request = route.request
        if request.is_navigation_request():
            # The page itself, once: no frames, and no script that leads elsewhere. No content leaves the page as it
            # is, where an error would put the browser's own page in its place.
            if visit.begun or request.frame.parent_frame is not None:
                await route.fulfill(status=204)
            else:
                visit.begun = True
                await route.fulfill(status=200, body=visit.html, content_type="text/html; charset=utf-8")
            return
        visit.requests += 1
        wanted = request.method == "GET" and request.resource_type in _ASKED
        if not wanted or visit.requests > _MOST_REQUESTS or visit.received > _MOST_BYTES:
            await route.abort()
            return
        part = await self._part(request.url, keep=request.resource_type == "script")
        if part is None:
            await route.abort()
            return
        visit.received += len(part.body)
        await route.fulfill(
            status=part.status,
            body=part.body,
            headers={
                "Content-Type": part.content_type,
                # There is nothing to protect: no cookies, no log-in, no other page.
                "Access-Control-Allow-Origin": visit.origin,
                "Access-Control-Allow-Credentials": "true",
            },
        )

    async def _part(self, url: str, *, keep: bool) -> Part | None:
        if (part := self._cache.get(url)) is not None:
            self._cache.move_to_end(url)
            return part
        part = await self._fetch(url)
        if keep and part is not None and part.status == 200 and url not in self._cache:
            self._cache[url] = part
            self._cached += len(part.body)
            while self._cached > _CACHE_BYTES:
                _, old = self._cache.popitem(last=False)
                self._cached -= len(old.body)
        return part

    async def _context(self) -> BrowserContext:
        while True:
            async with self._lock:
                if self._closed:
                    raise NotRenderedError("the crawl ends")
                worn = self._shown >= _PAGES_A_BROWSER
                if not worn or not self._open:
                    return await self._new_context(anew=worn)
            # Pages that are open end in their time; no new ones are opened before.
            await self._idle.wait()

    async def _new_context(self, *, anew: bool) -> BrowserContext:
        try:
            async with asyncio.timeout(_START_S):
                if self._chromium is None or anew or not self._chromium.is_connected():
                    await self._end()
                    self._chromium = await self._start()
                context = await self._chromium.new_context(
                    accept_downloads=False, service_workers="block", user_agent=self._user_agent, permissions=[]
                )
        except TimeoutError as error:
            await self._end()
            raise NotRenderedError("the browser does not answer") from error
        self._shown += 1
        self._open += 1
        self._idle.clear()
        return context

    async def _leave(self, context: BrowserContext) -> None:
        self._open -= 1
        if not self._open:
            self._idle.set()
        try:
            async with asyncio.timeout(_CONTENT_S):
                await context.close()
        except TimeoutError:  # a page that cannot be closed keeps a processor busy
            async with self._lock:
                await self._end()
        except Exception as error:
            if not _is_of_playwright(error):
                raise

    async def _start(self) -> Chromium:
        from playwright.async_api import async_playwright

        self._shown = 0
        self._playwright = await async_playwright().start()
        return await self._playwright.chromium.launch(
            executable_path=self._executable,
            headless=True,
            args=[*_NO_NETWORK],
            proxy={"server": _CLOSED_PORT, "bypass": "<-loopback>"},
            # Chromium refuses to run its sandbox as root.
            chromium_sandbox=os.geteuid() != 0,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )

    async def _end(self) -> None:
        chromium, self._chromium = self._chromium, None
        playwright, self._playwright = self._playwright, None
        for ending in ([chromium.close()] if chromium is not None else []) + (
            [playwright.stop()] if playwright is not None else []
        ):
            try:
                async with asyncio.timeout(_CONTENT_S):
                    await ending
            except Exception as error:
                if not isinstance(error, TimeoutError) and not _is_of_playwright(error):
                    raise


_tasks: set[asyncio.Task[Any]] = set()


def _spawn(coroutine: Any) -> None:
    task = asyncio.get_running_loop().create_task(coroutine)
    _tasks.add(task)
    task.add_done_callback(_ended)


def _ended(task: asyncio.Task[Any]) -> None:
    _tasks.discard(task)
    if not task.cancelled():
        task.exception()  # a page that is gone has no dialog


def _is_of_playwright(error: Exception) -> bool:
    from playwright.async_api import Error

    return isinstance(error, Error)


def _first_line(error: Exception) -> str:
    lines: Sequence[str] = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:120]
