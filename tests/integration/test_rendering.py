"""Pages that need JavaScript, rendered by a real Chromium without a network of its own."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from crawl_kit import Crawled, crawl_here, topic_file
from site_kit import Site

from focuscrawl.crawler.browser import Browser, BrowserError, NotRenderedError, Part, find_browser
from focuscrawl.page.scripted import NEEDS_JAVASCRIPT

CHROMIUM = next((path for name in ("chromium", "google-chrome") if (path := shutil.which(name))), "")
# A browser takes its time to start on a busy machine.
pytestmark = pytest.mark.timeout(600)
needs_browser = pytest.mark.skipif(not CHROMIUM, reason="no Chromium is installed")


def rendered(html: str, parts: dict[str, Part] | None = None, *, seconds: float = 60.0) -> tuple[str, list[str]]:
    """Return what a page becomes, and what it asked for."""
    pytest.importorskip("playwright", reason="the extra render is not installed")
    asked: list[str] = []

    async def fetch(url: str) -> Part | None:
        asked.append(url)
        return (parts or {}).get(url)

    async def work(browser: Browser) -> str:
        return (await browser.render("http://site.test/a", html.encode())).decode()

    return run_browser(work, fetch, seconds=seconds), asked


def run_browser(
    work: Callable[[Browser], Awaitable[str]], fetch: Callable[[str], Awaitable[Part | None]], *, seconds: float = 60.0
) -> str:
    async def run() -> str:
        browser = Browser(CHROMIUM, fetch, pages=2, seconds=seconds, most_chars=100_000, user_agent="focuscrawl/test")
        try:
            return await work(browser)
        finally:
            await browser.close()

    return asyncio.run(run())


@needs_browser
def test_scripts_and_what_they_ask_for_make_the_page() -> None:
    parts = {
        "http://site.test/a.js": Part(
            200, "text/javascript", b"fetch('//other.test/d').then(d => d.text()).then(t => b.textContent = t)"
        ),
        "http://other.test/d": Part(200, "text/plain", "灯塔 the lamp".encode()),
    }
    html, asked = rendered("<p id=b></p><script src=/a.js></script>", parts)
    assert '<p id="b">灯塔 the lamp</p>' in html
    assert asked == list(parts)


@needs_browser
def test_the_browser_itself_reaches_nothing(site: Site) -> None:
    site.clear()
    here = site.url("/page/3")
    socket = here.replace("http:", "ws:")
    html, asked = rendered(
        f"""<img src="{here}"><iframe src="{here}"></iframe><link rel=stylesheet href="{here}">
        <video src="{here}"></video>
        <link rel=prefetch href="{here}"><link rel=preconnect href="{here}"><object data="{here}"></object>
        <form id=form method=post action="{here}"></form><a id=file download href="{here}">x</a>
        <script>
          const ways = [
            () => new WebSocket("{socket}"), () => new EventSource("{here}"), () => window.open("{here}"),
            () => navigator.sendBeacon("{here}", "x"), () => fetch("{here}", {{method: "POST"}}).catch(e => e),
            () => new Worker("{here}"), () => navigator.serviceWorker.register("{here}").catch(e => e),
            () => alert("stay"), () => document.getElementById("file").click(), () => form.submit(),
            () => fetch("file:///etc/passwd").catch(e => document.title = "no file"),
            () => setTimeout(() => location.href = "{here}", 0),
          ];
          for (const way of ways) try {{ way() }} catch (error) {{}}
        </script>""",
    )
    assert site.log(pages_only=False) == []
    assert set(asked) <= {here}
    assert "<title>no file</title>" in html


@needs_browser
def test_a_redirect_of_a_part_is_not_followed_by_the_browser(site: Site) -> None:
    site.clear()
    parts = {"http://site.test/r": Part(302, "text/html", b""), "http://site.test/n": Part(200, "text/plain", b"n")}
    html, _ = rendered(
        "<p id=b></p><script>fetch('/r').then(a => b.textContent = a.status, e => b.textContent = 'none')</script>",
        parts,
    )
    assert re.search('<p id="b">(302|none)</p>', html)  # the script has words of its own
    assert site.log(pages_only=False) == []


@needs_browser
def test_scripts_that_do_not_end_cost_their_time_only() -> None:
    pytest.importorskip("playwright", reason="the extra render is not installed")

    async def fetch(_: str) -> None:
        return None

    async def work(browser: Browser) -> str:
        browser._seconds = 5.0
        with pytest.raises(NotRenderedError, match=r"^its scripts take more than 5 s$"):
            await browser.render("http://site.test/", b"<p>a<script>for (;;) {}</script>")
        browser._seconds = 60.0
        with pytest.raises(NotRenderedError, match="too long"):
            await browser.render("http://site.test/", b"<p id=b><script>b.textContent = 'x'.repeat(2e5)</script>")
        return (await browser.render("http://site.test/", b"<p id=b><script>b.textContent = 'next'</script>")).decode()

    assert '<p id="b">next' in run_browser(work, fetch)


@needs_browser
def test_a_page_that_never_rests_is_taken_as_it_is() -> None:
    again = "fetch('/again').finally(() => { b.textContent = 'shown'; setTimeout(poll, 50); })"
    html, _ = rendered(f"<p id=b></p><script>function poll() {{ {again} }} poll()</script>", seconds=8.0)
    assert "shown" in html


@needs_browser
def test_a_browser_that_was_killed_is_started_anew() -> None:
    pytest.importorskip("playwright", reason="the extra render is not installed")

    async def fetch(_: str) -> None:
        return None

    async def work(browser: Browser) -> str:
        await browser.render("http://site.test/", b"<p>one")
        assert browser._chromium is not None
        await browser._chromium.close()
        return (await browser.render("http://site.test/", b"<p>two")).decode()

    assert "<p>two" in run_browser(work, fetch)


@needs_browser
def test_a_browser_that_has_shown_enough_is_replaced_while_pages_come(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("playwright", reason="the extra render is not installed")
    monkeypatch.setattr("focuscrawl.crawler.browser._PAGES_A_BROWSER", 2)
    started = []

    async def fetch(_: str) -> None:
        return None

    async def work(browser: Browser) -> str:
        start = browser._start

        async def counted() -> Any:
            started.append(await start())
            return started[-1]

        monkeypatch.setattr(browser, "_start", counted)

        async def page(at: int) -> str:
            return (await browser.render("http://site.test/", f"<p>page {at}".encode())).decode()

        # Two at once all the time: there is no moment at which none is open.
        pages = await asyncio.gather(*(page(at) for at in range(4)))
        return "".join(pages)

    shown = run_browser(work, fetch)
    assert all(f"page {at}" in shown for at in range(4))
    assert len(started) == 2
    assert not any(chromium.is_connected() for chromium in started)


@needs_browser
def test_a_page_cannot_lie_about_its_length() -> None:
    pytest.importorskip("playwright", reason="the extra render is not installed")
    lie = "{length: 1, toString: () => 'x'.repeat(2e5)}"
    html = f"<script>Object.defineProperty(Element.prototype, 'outerHTML', {{get: () => ({lie})}})</script>"

    async def fetch(_: str) -> None:
        return None

    async def work(browser: Browser) -> str:
        with pytest.raises(NotRenderedError, match="too long"):
            await browser.render("http://site.test/", html.encode())
        return ""

    run_browser(work, fetch)


def crawl_app(site: Site, folder: Path, *paths: str, **settings: Any) -> Crawled:
    """Crawl pages of an application, and what they link to."""
    pytest.importorskip("playwright", reason="the extra render is not installed")
    folder.mkdir(exist_ok=True)
    topic = topic_file(folder, site.url("/"))
    with topic.open("a", encoding="utf-8") as file:
        file.write("\n[scope]\nexclude = ['^http://[^/]+/page/([0-57-9]|..)']\n")
    return crawl_here(
        folder / "run",
        topic=str(topic),
        seeds=",".join(site.url(path) for path in paths),
        settings={"FOCUSCRAWL_RENDER": "auto", **settings},
        pages="20",
    )


@needs_browser
def test_in_a_crawl_only_pages_that_need_it_are_rendered(site: Site, tmp_path: Path) -> None:
    site.clear()
    done = crawl_app(site, tmp_path, "/app/one", "/page/3", FOCUSCRAWL_STORES="jsonl,warc")
    record = done.page("/app/one")
    assert (record.rendered, record.title, record.relevant, record.reason) == (True, "Lighthouse one", True, "")
    assert "fog signal of the lighthouse" in record.text
    assert record.body_bytes < 300  # what came
    assert done.page("/app/two").rendered
    assert [done.page(path).rendered for path in ("/page/3", "/page/6")] == [False, False]
    paths = site.paths()
    assert (paths.count("/app/one"), paths.count("/app/main.js")) == (1, 1)  # scripts of a site are kept
    assert not {"/app/style.css", "/app/lamp.png"} & set(paths)
    assert done.session is not None
    stats = done.session.crawler.stats
    assert stats is not None
    assert (stats.get_value("focuscrawl/rendered"), stats.get_value("focuscrawl/needs_javascript")) == (2, 0)


@needs_browser
def test_robots_and_addresses_hold_for_what_a_page_asks_for(site: Site, tmp_path: Path) -> None:
    site.robots(200, "User-agent: *\nDisallow: /app/data/")
    try:
        done = crawl_app(site, tmp_path, "/app/one")
    finally:
        site.clear()
    record = done.page("/app/one")
    assert record.rendered
    assert record.reason == "its text needs JavaScript: run by a browser, it gave none"


@needs_browser
def test_a_host_is_rendered_so_often_and_failures_say_why(site: Site, tmp_path: Path) -> None:
    done = crawl_app(site, tmp_path, "/app/one", "/app/three", FOCUSCRAWL_RENDER_PER_HOST=1, CONCURRENT_REQUESTS=1)
    reasons = sorted(record.reason for record in done.pages() if "/app/" in record.url)
    assert reasons[0] == ""
    assert set(reasons[1:]) == {"its text needs JavaScript: 1 pages of its domain were rendered"}
    done = crawl_app(site, tmp_path / "again", "/app/endless", FOCUSCRAWL_RENDER_S=1)
    assert done.page("/app/endless").reason == "its text needs JavaScript: its scripts take more than 1 s"


def test_nothing_is_rendered_unless_asked_for(site: Site, tmp_path: Path) -> None:
    site.clear()
    topic = topic_file(tmp_path, site.url("/app/one"))
    done = crawl_here(tmp_path / "run", topic=str(topic))
    assert (done.page("/app/one").reason, done.page("/app/one").rendered) == (NEEDS_JAVASCRIPT, False)
    assert site.paths() == ["/app/one"]


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "playwright", None)
    with pytest.raises(BrowserError, match=r"pip install 'focuscrawl\[render\]'"):
        find_browser("")


def test_a_browser_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("playwright", reason="the extra render is not installed")
    with pytest.raises(BrowserError, match=r"FOCUSCRAWL_BROWSER = '/no/such': there is no such program"):
        find_browser("/no/such")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BrowserError, match="install Chromium"):
        find_browser("")
