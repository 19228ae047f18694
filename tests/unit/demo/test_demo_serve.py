"""The proxy of the demo, over real sockets: it answers for the sample web, and forwards nothing."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from http.server import HTTPServer
from urllib.parse import urlsplit

import pytest
from loopback import Answering, address, serving

from focuscrawl.demo.serve import SampleServer
from focuscrawl.demo.web import sample_web

HOME = "http://daily.example/"


@pytest.fixture
def server() -> Iterator[SampleServer]:
    with SampleServer(sample_web()) as running:
        yield running


@pytest.fixture
def proxy(server: SampleServer) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=10)
    yield connection
    connection.close()


def port_of(server: SampleServer) -> int:
    return urlsplit(server.address).port or 0


def ask(proxy: http.client.HTTPConnection, url: str, method: str = "GET") -> tuple[int, str, bytes]:
    proxy.request(method, url)
    answer = proxy.getresponse()
    return answer.status, answer.getheader("Content-Type", ""), answer.read()


def test_serves_each_host_on_one_connection(proxy: http.client.HTTPConnection) -> None:
    web = sample_web()
    for host in web.hosts:
        file = web.files[f"http://{host}/"]
        assert ask(proxy, f"http://{host}/") == (200, file.content_type, file.body)
        status, kind, body = ask(proxy, f"http://{host}/robots.txt")
        assert (status, kind) == (200, "text/plain")
        assert body.startswith(b"User-agent: *\nDisallow:")


def test_head_has_the_length_and_no_body(proxy: http.client.HTTPConnection) -> None:
    proxy.request("HEAD", HOME)
    answer = proxy.getresponse()
    assert answer.status == 200
    assert int(answer.getheader("Content-Length", "0")) == len(sample_web().files[HOME].body)
    assert answer.read() == b""
    assert ask(proxy, HOME)[0] == 200  # the connection is in order


@pytest.mark.parametrize(
    "url",
    ["http://elsewhere.example/", "http://daily.example/none", "/", "http://localhost/", "*", "https://daily.example/"],
)
def test_anything_else_is_404(proxy: http.client.HTTPConnection, url: str) -> None:
    assert ask(proxy, url)[0] == 404


def test_never_forwards_not_even_on_this_machine(proxy: http.client.HTTPConnection) -> None:
    asked: list[str] = []

    class Other(Answering):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.answer(200, "text/plain", b"")

    with serving(HTTPServer(("127.0.0.1", 0), Other)) as other:
        where = f"{address(other)}/"
        assert ask(proxy, where)[0] == 404
        assert ask(proxy, f"127.0.0.1:{other.server_address[1]}", "CONNECT")[0] == 404
    assert asked == []


@pytest.mark.parametrize("method", ["CONNECT", "POST", "PUT", "DELETE", "OPTIONS"])
def test_other_methods_are_refused_and_the_connection_closed(proxy: http.client.HTTPConnection, method: str) -> None:
    target = "elsewhere.example:443" if method == "CONNECT" else "http://elsewhere.example/"
    proxy.request(method, target)
    answer = proxy.getresponse()
    answer.read()
    assert answer.status == 404
    assert answer.will_close or proxy.sock is None or proxy.sock.recv(1) == b""


def test_listens_on_loopback_only(server: SampleServer) -> None:
    assert urlsplit(server.address).hostname == "127.0.0.1"
    assert server._server.socket.getsockname()[0] == "127.0.0.1"


def test_closes_port_and_threads_with_clients_still_connected() -> None:
    before = set(threading.enumerate())
    with SampleServer(sample_web()) as running:
        port = port_of(running)
        clients = [http.client.HTTPConnection("127.0.0.1", port, timeout=10) for _ in range(3)]
        for client in clients:
            assert ask(client, HOME)[0] == 200
    assert set(threading.enumerate()) <= before
    for client in clients:
        assert client.sock.recv(1) == b""
        client.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def test_a_client_that_sends_rubbish_is_answered_or_dropped(server: SampleServer) -> None:
    for rubbish in (b"\x16\x03\x01\x02\x00\r\n\r\n", b"GET\r\n\r\n", b"GET http://[::1/ HTTP/1.1\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", port_of(server)), timeout=10) as client:
            client.sendall(rubbish)
            client.shutdown(socket.SHUT_WR)
            assert b"200 OK" not in client.recv(4096)
    connection = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=10)
    assert ask(connection, HOME)[0] == 200
    connection.close()
