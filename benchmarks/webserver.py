"""Serve the pages of a recorded web, as a forward proxy on loopback, from a process of their own.

nginx when it is installed, else a small asyncio server with the same answers. Both write a line for every answer:
status TAB bytes TAB url TAB user agent.
"""

from __future__ import annotations

import asyncio
import getpass
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType

_NGINX_PLACES = ("/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/local/bin/nginx")
_CONFIGURATION = """
{user}
worker_processes 1;
daemon off;
pid {run}/nginx.pid;
error_log {run}/error.log error;
worker_rlimit_nofile 8192;
events {{ worker_connections 2048; }}
http {{
  types {{ text/html html htm; text/xml xml; text/plain txt; }}
  default_type application/octet-stream;
  log_format seen "$status\\t$body_bytes_sent\\thttp://$host$request_uri\\t$http_user_agent";
  access_log {run}/access.tsv seen;
  client_body_temp_path {run}/b; proxy_temp_path {run}/p; fastcgi_temp_path {run}/f;
  uwsgi_temp_path {run}/u; scgi_temp_path {run}/s;
  keepalive_requests 100000; sendfile on;
  server {{
    listen 127.0.0.1:{port} default_server;
    root {www}/$host;
    index index.html index.htm default.html;
    absolute_redirect off;
    location / {{ try_files $uri $uri.html $uri/ =404; }}
  }}
}}
"""


class WebServer:
    """Context manager: serves ``www/<host>/<path>``; `proxy` is the address for ``http_proxy``."""

    def __init__(self, www: Path) -> None:
        self.www = www.resolve()
        self.run = Path(tempfile.mkdtemp(prefix="focuscrawl-web-"))
        self.log = self.run / "access.tsv"
        self.port = _free_port()
        self.proxy = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None
        self._read = 0  # bytes of the log

    def __enter__(self) -> WebServer:
        binary = shutil.which("nginx") or next((p for p in _NGINX_PLACES if os.path.exists(p)), None)
        if binary:
            conf = self.run / "nginx.conf"
            # Started by root, its worker would be "nobody", who may not read temporary folders.
            user = f"user {getpass.getuser()};" if os.geteuid() == 0 else ""
            conf.write_text(_CONFIGURATION.format(user=user, run=self.run, www=self.www, port=self.port))
            command = [binary, "-c", str(conf), "-p", str(self.run), "-e", str(self.run / "error.log")]
        else:
            command = [sys.executable, __file__, str(self.www), str(self.port), str(self.log)]
        self._process = subprocess.Popen(command)
        deadline = time.monotonic() + 10
        while not _answers(self.port):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"the web server did not start: {command}")
            time.sleep(0.05)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
        shutil.rmtree(self.run, ignore_errors=True)

    def answers(self) -> list[tuple[int, int, str]]:
        """Return status, bytes and URL of every answer since the last call."""
        return [(status, size, url) for status, size, url, _ in self.answers_of_agents()]

    def answers_of_agents(self) -> list[tuple[int, int, str, str]]:
        """Return the same with the user agent that asked."""
        if not self.log.is_file():
            return []
        with self.log.open("rb") as log:
            log.seek(self._read)
            new = log.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        rows = []
        for line in whole.decode(errors="replace").splitlines():
            status, size, url, agent = line.split("\t", 3)
            rows.append((int(status), int(size), url, agent))
        return rows

    def cpu_s(self) -> float:
        """Return the CPU time of the server so far, its worker process included; needs ``/proc``."""
        assert self._process is not None
        pids = [self._process.pid]
        pids += map(int, Path(f"/proc/{pids[0]}/task/{pids[0]}/children").read_text().split())
        return sum(cpu_s(pid) for pid in pids)


def _free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process so far, all threads, user and system; needs ``/proc``."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _answers(port: int) -> bool:
    with socket.socket() as s:
        s.settimeout(0.2)
        return s.connect_ex(("127.0.0.1", port)) == 0


async def _serve(www: Path, port: int, log: Path) -> None:
    from focuscrawl.lab.simulate.files import WebFiles

    files = WebFiles(www)
    with log.open("a", buffering=1) as out:

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                while line := await reader.readline():
                    url = line.split()[1].decode("ascii", "replace")
                    agent = ""
                    while (header := await reader.readline()).strip():
                        name, _, value = header.decode("latin-1").partition(":")
                        if name.lower() == "user-agent":
                            agent = value.strip()
                    answer = files.answer(url)
                    if answer.redirects:
                        head, body = f"301 Moved\r\nLocation: {answer.url}", b""
                    elif answer.status == 200:
                        head, body = f"200 OK\r\nContent-Type: {answer.content_type}", files.read(answer.file)
                    else:
                        head, body = f"{answer.status} No", b""
                    writer.write(f"HTTP/1.1 {head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
                    await writer.drain()
                    out.write(f"{head[:3]}\t{len(body)}\t{url}\t{agent}\n")
            except (ConnectionError, IndexError):
                pass
            finally:
                writer.close()

        server = await asyncio.start_server(talk, "127.0.0.1", port)
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])))
