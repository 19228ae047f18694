"""Doors into the process, and state that sites could set: all closed."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest
from crawl_kit import clean_environment, crawl_command, start_command, topic_file
from forked_commands import fork_server

from hostile.bad_manners import bad_manners, html, raw

OTHER_SCHEMES = ("file:///etc/passwd", "ftp://127.0.0.1/x", "s3://bucket/x", "data:text/html,<h1>lighthouse</h1>")
_LISTENS = "0A"


def listening(pid: int) -> list[str]:
    """Return the addresses at which a process listens (Linux: its open files beside the table of sockets)."""
    open_files = {os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")}
    rows = [
        line.split() for table in ("tcp", "tcp6") for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()
    ]
    return [row[1] for row in rows if row[3] == _LISTENS and f"socket:[{row[9]}]" in open_files]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_crawl_listens_nowhere(tmp_path: Path) -> None:
    pids: list[int] = []
    seen: list[list[str]] = []

    def look(connection: socket.socket) -> None:
        seen.append(listening(pids[0]))
        html("<h1>lighthouse</h1>")(connection)

    with bad_manners({"/": look}) as manners:
        process = start_command(tmp_path / "run", "-a", f"topic={topic_file(tmp_path, manners.url('/'))}")
        pids.append(process.pid)
        process.communicate(60.0)
    assert seen == [[]]


@pytest.mark.parametrize("name", ["TELNETCONSOLE_ENABLED", "REMOTE_CONTROL_ENABLED"])
def test_the_consoles_are_off_in_a_project_of_ones_own(tmp_path: Path, name: str) -> None:
    assert setting_of_bare_project(tmp_path, name) == "False"


# A project's own requests may be data URLs, whose callback is run; no link, seed or redirect is one.
@pytest.mark.parametrize("scheme", ["file", "ftp", "s3"])
def test_the_code_for_other_schemes_is_not_loaded(tmp_path: Path, scheme: str) -> None:
    assert f"'{scheme}': None" in setting_of_bare_project(tmp_path, "DOWNLOAD_HANDLERS_BASE")


def setting_of_bare_project(folder: Path, name: str) -> str:
    """Return a setting as a spider sees it that has nothing but the add-on."""
    topic = topic_file(folder, "http://127.0.0.1/")
    (folder / "spider.py").write_text(
        "import scrapy\n"
        "class Bare(scrapy.Spider):\n"
        "    name = 'bare'\n"
        f"    custom_settings = {{'FOCUSCRAWL_TOPIC': {str(topic)!r}, 'FOCUSCRAWL_RUN': {str(folder / 'run')!r},\n"
        "        'ADDONS': {'focuscrawl.addon.FocusCrawlAddon': 500}}\n"
        "    async def start(self):\n"
        f"        value = self.settings[{name!r}]\n"
        "        print('VALUE', dict(value) if hasattr(value, 'items') else value)\n"
        "        return\n"
        "        yield\n",
        encoding="utf-8",
    )
    process = fork_server().start(["scrapy", "runspider", "spider.py"], cwd=folder, env=clean_environment())
    out, err = process.communicate(60.0)
    return next(line for line in out.decode().splitlines() if line.startswith("VALUE"))[6:] if out else err.decode()


def test_other_schemes_are_neither_links_nor_seeds_nor_targets(tmp_path: Path) -> None:
    links = "".join(f'<p><a href="{url}">lighthouse lamp</a></p>' for url in OTHER_SCHEMES)
    moved = {
        f"/to/{n}": raw(
            f"HTTP/1.1 302 Found\r\nLocation: {url}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
        )
        for n, url in enumerate(OTHER_SCHEMES)
    }
    links += "".join(f'<p><a href="{path}">lighthouse</a></p>' for path in moved)
    with bad_manners({**moved, "/": html(f"<h1>lighthouse</h1>{links}")}) as manners:
        done = crawl_command(tmp_path / "run", "-a", f"topic={topic_file(tmp_path, manners.url('/'))}")
    assert done.exit_code == 0
    rows = {record.url.removeprefix(manners.url("")): record for record in done.pages()}
    assert set(rows) == {"/", *moved}  # a redirect to another scheme is settled, and no other entry was made
    assert {rows[path].outcome for path in moved} == {"refused"}


def test_cookies_are_neither_kept_nor_sent(tmp_path: Path) -> None:
    cookies = b"".join(
        b"Set-Cookie: c%d=v; Path=/%s\r\n" % (n, [b"", b"; Domain=example.com", b"; Domain=com"][n % 3])
        for n in range(1000)
    )
    answer = b"<h1>lighthouse</h1><p><a href='/a'>lamp</a> <a href='/b'>lens</a></p>"
    page = raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n" % len(answer)
        + cookies
        + b"\r\n"
        + answer
    )
    with bad_manners({"/": page, "/a": page, "/b": page}) as manners:
        done = crawl_command(tmp_path / "run", "-a", f"topic={topic_file(tmp_path, manners.url('/'))}")
    assert {record.outcome for record in done.pages()} == {"done"}
    assert len(manners.requests) == 4
    assert not [request for request in manners.requests if b"\r\ncookie:" in request.lower()]
