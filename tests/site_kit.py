"""A small web on loopback, in a process of its own: ``python -m site_kit`` prints its port.

It is an origin server and, for requests with absolute URLs, a forward proxy for host names that exist nowhere else.
What it was asked, and when, can be read at ``/__log`` (JSON lines) and cleared at ``/__clear``.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

from pdf_kit import pdf

PAGES = 60
POSTS = [a + b for a in "abc" for b in "abcdefghijklmnop"]
_ON_TOPIC = (
    "The keeper of the lighthouse trims the lamp and polishes the lens. Each lighthouse shows its own light, and the"
    " fog signal of the lighthouse warns ships when the lamp cannot be seen. Keepers wind the clockwork of the lens. "
)
_OFF_TOPIC = (
    "The recipe asks for flour, butter and a pinch of salt. Knead the dough until it is smooth, let it rest under a"
    " cloth, and bake the bread in a hot oven until the crust is golden brown and crisp on every side. "
)
TOPIC_TOML = """
name = "lighthouses"
title = "Lighthouses"
language = "en"
seeds = ["{seed}"]

[terms]
"lighthouse" = 1.0
"lamp" = 0.6
"lens" = 0.6
"keeper" = 0.5
"fog signal" = 0.7

[samples]
relevant_text = ["The keeper of the lighthouse lit the lamp; the lens threw the light far out. The fog signal sounded."]

[judge]
name = "vsm"
threshold = 0.15
"""


def _letters(number: int) -> str:
    return "".join("abcdefghij"[int(digit)] for digit in f"{number:03}")


def page(number: int) -> str:
    """Return page `number`: every third is on the topic; each links to about six others and says what they are on."""
    on_topic = number % 3 == 0
    targets = sorted(
        {(number * 2 + 1) % PAGES, (number * 2 + 2) % PAGES, (number * 7 + 3) % PAGES, (number + 9) % PAGES}
    )
    links = "".join(
        f'<p><a href="/page/{n}">{"the lighthouse and its lamp" if n % 3 == 0 else "bread and butter"} {n}</a></p>'
        for n in targets
    )
    text = (_ON_TOPIC if on_topic else _OFF_TOPIC) * 3
    title = f"Lighthouse {number}" if on_topic else f"Kitchen {number}"
    # Without words of its own, and not only numbers, a page would be a near-duplicate of the others, or boilerplate.
    own = " ".join(f"{_letters(number)}{_letters(k)}" for k in range(20))
    return (
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1>"
        f"<div><p>{own}. {text} Page {number} of the book, chapter {number * 31 % 97}.</p></div>{links}</body></html>"
    )


def _page_of(text: str, links: str = "") -> str:
    return f"<html><head><title>Lighthouse</title></head><body><p>{text}</p>{links}</body></html>"


class _Site:
    def __init__(self) -> None:
        self.log: list[dict[str, object]] = []
        self.lock = threading.Lock()
        self.answered: dict[str, int] = {}
        self.robots: dict[str, tuple[int, str, dict[str, str]]] = {}
        self.slow_s = 30.0
        self.page_delay_s = 0.0


class Handler(BaseHTTPRequestHandler):
    """Answers; see `respond` for the paths."""

    protocol_version = "HTTP/1.1"
    site: _Site

    def log_message(self, *args: object) -> None:
        """Write nothing: the log is asked for."""

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if self.path == "/__robots":
            site = self.site
            data = json.loads(body)
            site.robots[data["host"]] = (data["status"], data["body"], data.get("headers", {}))
        elif self.path == "/__delay":
            self.site.page_delay_s = float(body)
        self.send(200, b"ok", "text/plain")

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        host = parts.netloc or self.headers.get("Host", "")
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        if path == "/__log":
            with self.site.lock:
                self.send(200, json.dumps(self.site.log).encode(), "application/json")
            return
        if path == "/__clear":
            with self.site.lock:
                self.site.log.clear()
                self.site.answered.clear()
                self.site.robots.clear()
                self.site.page_delay_s = 0.0
            self.send(200, b"ok", "text/plain")
            return
        with self.site.lock:
            self.site.log.append(
                {
                    "at": time.time(),
                    "host": host,
                    "path": path,
                    "proxied": bool(parts.netloc),
                    "agent": self.headers.get("User-Agent"),
                    "referer": self.headers.get("Referer"),
                    "cookie": self.headers.get("Cookie"),
                }
            )
            count = self.site.answered[host + path] = self.site.answered.get(host + path, 0) + 1
        try:
            self.respond(host, path, count)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def respond(self, host: str, path: str, count: int) -> None:
        first, _, rest = path.lstrip("/").partition("/")
        if first == "robots.txt":
            status, body, headers = self.site.robots.get(host, (404, "", {}))
            self.send(status, body.encode(), "text/plain", **headers)
        elif first == "page" and rest.isdigit():
            if self.site.page_delay_s:
                time.sleep(self.site.page_delay_s)
            self.html(page(int(rest)))
        elif first == "many":
            links = "".join(f'<a href="/page/{n}">lighthouse {n}</a> ' for n in range(PAGES))
            self.html(_page_of(_ON_TOPIC, links))
        elif first == "links":
            # /links/a,b,c: a page with links to /a, /b and /c; "~" stands for "/"
            links = "".join(f'<p><a href="/{n.replace("~", "/")}">lighthouse lamp</a></p>' for n in rest.split(","))
            self.html(_page_of(_ON_TOPIC, links))
        elif first == "status":
            self.send(int(rest.split("/")[0]), b"<p>no</p>", "text/html")
        elif first == "later":
            # /later/503/2/5: status 503 for the first 2 times, with Retry-After: 5 (none for 0)
            status, times, wait = rest.split("/")[:3]
            if count <= int(times):
                self.send(int(status), b"later", "text/html", **({"Retry-After": wait} if wait != "0" else {}))
            else:
                self.html(page(0))
        elif first == "slow":
            time.sleep(self.site.slow_s)
            self.html(page(0))
        elif first == "redirect":
            number = int(rest)
            self.send(302, b"", "text/html", Location=f"/redirect/{number - 1}" if number > 1 else "/page/3")
        elif first == "loop":
            self.send(302, b"", "text/html", Location=f"/loop/{'b' if rest == 'a' else 'a'}")
        elif first == "to":
            self.send(302, b"", "text/html", Location=f"/{rest}")
        elif first == "scheme":
            self.send(302, b"", "text/html", Location=f"{rest}://example.org/page/3")
        elif first == "private":
            # /private/127.0.0.1:80: a redirect to an address
            self.send(302, b"", "text/html", Location=f"http://{rest}/page/3")
        elif first == "refresh":
            self.html(f'<html><head><meta http-equiv="refresh" content="0; url={rest}"></head><body></body></html>')
        elif first == "charset":
            tower = "燈塔" if rest == "big5" else "灯塔"
            text = f"{tower} lighthouse keeper lamp lens。" * 8
            head = f'<head><meta charset="{rest}"><title>{tower} lighthouse</title></head>'
            html = f"<html>{head}<body><p>{text}</p></body></html>"
            self.send(200, html.encode(rest), "text/html")
        elif first == "huge":
            size = int(rest)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Connection", "close")
            self.end_headers()
            block = b"<p>lighthouse lamp lens</p>" * 1000
            for _ in range(size // len(block) + 1):
                self.wfile.write(block)
            self.close_connection = True
        elif first == "declared":
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", rest)
            self.end_headers()
            self.close_connection = True
        elif first == "bomb":
            packed = gzip.compress(b"<p>lighthouse</p>" + b"\0" * int(rest))
            self.send(200, packed, "text/html", **{"Content-Encoding": "gzip"})
        elif first == "gzip":
            self.send(200, gzip.compress(page(6).encode()), "text/html", **{"Content-Encoding": "gzip"})
        elif first == "deflate":
            self.send(200, zlib.compress(page(9).encode()), "text/html", **{"Content-Encoding": "deflate"})
        elif first == "broken":
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", "5000")
            self.end_headers()
            self.wfile.write(b"<p>half")
            self.close_connection = True
        elif first == "type":
            self.send(200, b"\x89PNG" * 1000, rest)
        elif first == "pdf":
            self.send(200, self.pdf(rest), "application/octet-stream" if rest == "unnamed.pdf" else "application/pdf")
        elif first == "text":
            lines = f"{_ON_TOPIC}\n\nSee http://{host}/page/{rest}, and ask the keeper.\n"
            self.send(200, lines.encode(), "text/plain")
        elif first == "empty":
            self.send(200, b"", "text/html")
        elif first == "trap":
            day = int(rest or 0)
            links = "".join(f'<a href="/trap/{day + k}">lighthouse {day + k}</a> ' for k in (1, 2, 3))
            self.html(_page_of(f"{_OFF_TOPIC} Day {day}.", links))
        elif first == "post":
            # /post/aa, /post/ab, …: posts that link to the one before and the one after, by names without numbers
            number = POSTS.index(rest)
            around = [post for post in (number - 1, number + 1) if 0 <= post < len(POSTS)]
            links = "".join(
                f'<a href="/post/{POSTS[post]}">{"previous" if post < number else "next"}</a> ' for post in around
            )
            self.html(_page_of(f"{_ON_TOPIC} Entry {rest}.", links))
        elif first == "deeper":
            # /deeper/x, /deeper/xx, …: names without end, each a pattern of its own
            self.html(f'<title>Bread</title><p>{_OFF_TOPIC}</p><a href="/deeper/{rest}x">more</a>')
        elif first == "shell":
            self.html('<title>Lighthouse</title><div id="root"></div><script src="/main.js"></script>')
        elif first == "app":
            self.app(host, rest)
        elif first == "cookie":
            # /cookie/a: a page that gives a cookie, and links to itself and two others
            links = "".join(f'<a href="{to}">lamp</a> ' for to in (f"/cookie/{rest}", "/page/3", "/page/6"))
            html = _page_of(_ON_TOPIC, links).encode()
            self.send(200, html, "text/html", **{"Set-Cookie": f"shelf={rest}; Path=/"})
        elif first == "sitemap":
            self.sitemap(host, rest)
        elif first == "":
            self.html(_page_of(_ON_TOPIC, "".join(f'<p><a href="/page/{n}">lighthouse {n}</a></p>' for n in (0, 1, 2))))
        else:
            self.send(404, b"<p>not here</p>", "text/html")

    def app(self, host: str, rest: str) -> None:
        """Answer as an application whose pages are empty until its script has asked for their text."""
        if rest == "main.js":
            script = """
                const name = location.pathname.split("/").pop();
                fetch("/app/data/" + name).then(answer => answer.json()).then(data => {
                    document.title = data.title;
                    root.innerHTML = "<h1>" + data.title + "</h1>" + data.html;
                });"""
            self.send(200, script.encode(), "text/javascript")
        elif rest.startswith("data/"):
            links = "".join(f'<p><a href="/{to}">lighthouse lamp</a></p>' for to in ("app/two", "page/6"))
            told = {"title": f"Lighthouse {rest[5:]}", "html": f"<p>{_ON_TOPIC} Room {rest[5:]}.</p>{links}"}
            self.send(200, json.dumps(told).encode(), "application/json")
        elif rest == "endless":
            self.html('<title>Lighthouse</title><div id="root"></div><script>for (;;) {}</script>')
        else:
            self.html(
                '<title>Loading</title><div id="root"></div><script src="/app/main.js"></script>'
                '<link rel="stylesheet" href="/app/style.css"><img src="/app/lamp.png">'
            )

    def pdf(self, name: str) -> bytes:
        """Return a PDF on the topic that links to page 6 by a text and to page 9 by an address, or a broken one."""
        here = f"http://{self.headers.get('Host')}"
        if name == "scan.pdf":
            return pdf([""])
        lines = [line.strip() for line in _ON_TOPIC.split(". ")]
        made = pdf(
            ["\n".join(["The lamp of the lighthouse keeper", f"See {here}/page/9"]), "\n".join([name, *lines])],
            title="Lighthouse lamps",
            links=[(f"{here}/page/6", 700)],
        )
        return made[:200] if name == "cut.pdf" else made

    def sitemap(self, host: str, name: str) -> None:
        """Answer with an index, a compressed file of pages, one of 60 MB when it is unpacked, or many pages."""
        here = f"http://{host}"
        if name == "index.xml":
            files = [f"{here}/sitemap/{one}" for one in ("index.xml", "bomb.xml.gz", "pages.xml.gz", "gone.xml")]
            items = "".join(f"<sitemap><loc>{one}</loc></sitemap>" for one in [*files, "http://10.0.0.1/sitemap.xml"])
            self.send(200, f"<sitemapindex>{items}</sitemapindex>".encode(), "text/xml")
        elif name == "pages.xml.gz":
            urls = [f"{here}/page/{number}" for number in range(100, 112)] + ["http://elsewhere.test/lighthouse"]
            dated = enumerate(urls)
            items = "".join(f"<url><loc>{u}</loc><lastmod>2026-01-{n + 1:02d}</lastmod></url>" for n, u in dated)
            self.send(200, gzip.compress(f"<urlset>{items}</urlset>".encode()), "application/x-gzip")
        elif name == "bomb.xml.gz":
            bomb = b"<urlset>" + b"<url><loc>http://e.org/</loc></url>" + b" " * 60_000_000
            self.send(200, gzip.compress(bomb, 1), "application/x-gzip")
        else:
            self.send(404, b"no", "text/plain")

    def html(self, text: str) -> None:
        self.send(200, text.encode(), "text/html; charset=utf-8")

    def send(self, status: int, body: bytes, content_type: str, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if status != 304:  # has no body; one would be taken for the next answer on the connection
            self.wfile.write(body)


@dataclass
class Site:
    """A running site, as tests see it."""

    port: int

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}{path}"

    def log(self, *, pages_only: bool = True) -> list[dict[str, object]]:
        """Return what was asked since the last `clear`, oldest first."""
        log: list[dict[str, object]] = json.loads(self._get("/__log"))
        return [line for line in log if line["path"] != "/robots.txt"] if pages_only else log

    def paths(self) -> list[str]:
        return [str(line["path"]) for line in self.log()]

    def clear(self) -> None:
        self._get("/__clear")

    def robots(self, status: int, body: str = "", *, host: str = "", **headers: str) -> None:
        """Say what ``/robots.txt`` answers, of this host unless another is named."""
        data = {"host": host or self.host, "status": status, "body": body, "headers": headers}
        self._get("/__robots", json.dumps(data).encode())

    def page_delay(self, seconds: float) -> None:
        self._get("/__delay", str(seconds).encode())

    def _get(self, path: str, data: bytes | None = None) -> str:
        opener = build_opener(ProxyHandler({}))
        with opener.open(self.url(path), data=data, timeout=20) as answer:
            return str(answer.read().decode())


@contextmanager
def running_site() -> Iterator[Site]:
    """Start a site, stop it at the end."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve())], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield Site(int(process.stdout.readline()))
    finally:
        process.stdin.close()  # it ends when nobody holds its standard input any more
        process.wait(timeout=10)
        process.stdout.close()


def _serve() -> None:
    class Server(ThreadingHTTPServer):
        request_queue_size = 128
        daemon_threads = True

        def handle_error(self, *args: object) -> None:
            """A client that hung up is no error here."""

    Handler.site = _Site()
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()  # until the parent closes it, or dies


if __name__ == "__main__":
    _serve()
