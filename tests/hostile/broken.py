"""Fifty-two broken answers, by kind."""

from __future__ import annotations

import gzip
import socket
import struct
import time
import zlib
from collections.abc import Callable

import brotli  # type: ignore[import-untyped]
from backports import zstd

from hostile.bad_manners import Answer, raw

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
PAGE = b"<title>Lighthouse</title><p>lighthouse lamp lens</p>" * 20


def whole(body: bytes, *headers: bytes, status: bytes = b"200 OK", kind: bytes = b"text/html") -> Answer:
    """Answer with a length that is right."""
    lines = (b"HTTP/1.1 " + status, b"Content-Type: " + kind, b"Content-Length: %d" % len(body), b"Connection: close")
    lines += headers
    return raw(b"\r\n".join(lines) + b"\r\n\r\n" + body)


def reset(*pieces: bytes) -> Answer:
    """Send `pieces`, then reset the connection."""

    def send(connection: socket.socket) -> None:
        for piece in pieces:
            connection.sendall(piece)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return send


def silent(*pieces: bytes) -> Answer:
    """Send `pieces`, then nothing more for as long as the client stays."""

    def send(connection: socket.socket) -> None:
        for piece in pieces:
            connection.sendall(piece)
        connection.settimeout(30.0)
        while connection.recv(65536):
            pass

    return send


def dripping(head: bytes, piece: bytes, *, every_s: float = 0.05) -> Answer:
    """Send `head`, then `piece` again and again until the client leaves."""

    def send(connection: socket.socket) -> None:
        connection.sendall(head)
        while True:
            connection.sendall(piece)
            time.sleep(every_s)

    return send


def coded(name: bytes, pack: Callable[[bytes], bytes], spoil: Callable[[bytes], bytes]) -> Answer:
    """Answer with a body in a content coding, spoiled."""
    return whole(spoil(pack(PAGE)), b"Content-Encoding: " + name)


def begun(data: bytes) -> bytes:
    return data[:6]


def cut(data: bytes) -> bytes:
    return data[:-12]


def noise(data: bytes) -> bytes:
    return b"\xff\x00no such thing" + data


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}

CLOSED = "connection closed before the answer was complete"
BROKEN = "connection broken"
NOT_HTTP = "no answer in HTTP"
TIMED_OUT = "timed out"
CODING = "compressed text that is broken"
CUT = "compressed text that is cut"

# path -> answer, outcomes that are right, reason
KINDS: dict[str, tuple[Answer, str, str]] = {
    # closed or reset at every point
    "/closed/at-once": (raw(b""), "failed", CLOSED),
    "/closed/in-status": (raw(b"HTTP/1.1 20"), "failed", CLOSED),
    "/closed/in-headers": (raw(OK), "failed", CLOSED),
    "/closed/in-header": (raw(OK + b"X-Long: aaaa"), "failed", CLOSED),
    "/closed/in-body": (raw(OK + b"Content-Length: 9999\r\n\r\n" + PAGE), "failed", BROKEN),
    "/closed/before-body": (raw(OK + b"Content-Length: 9999\r\n\r\n"), "failed", BROKEN),
    "/closed/in-chunk": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\nfff\r\nabc"), "failed", BROKEN),
    "/closed/in-chunk-size": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\nff"), "failed", BROKEN),
    "/closed/without-last-chunk": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"), "failed", BROKEN),
    "/closed/after-interim": (raw(b"HTTP/1.1 100 Continue\r\n\r\n"), "failed", CLOSED),
    "/reset/at-once": (reset(), "failed", CLOSED),
    "/reset/in-headers": (reset(OK), "failed", CLOSED),
    "/reset/in-body": (reset(OK + b"Content-Length: 9999\r\n\r\n", PAGE), "failed", BROKEN),
    "/reset/in-chunk": (reset(OK + b"Transfer-Encoding: chunked\r\n\r\nfff\r\nabc"), "failed", BROKEN),
    # silent at every point
    "/silent/at-once": (silent(), "failed", TIMED_OUT),
    "/silent/in-status": (silent(b"HTTP/1.1"), "failed", TIMED_OUT),
    "/silent/in-headers": (silent(OK), "failed", TIMED_OUT),
    "/silent/in-body": (silent(OK + b"Content-Length: 9999\r\n\r\n", PAGE), "failed", TIMED_OUT),
    "/silent/in-chunk": (silent(OK + b"Transfer-Encoding: chunked\r\n\r\nfff\r\nabc"), "failed", TIMED_OUT),
    "/dripping/headers": (dripping(OK, b"X-A: b\r\n"), "failed", TIMED_OUT),
    "/dripping/body": (dripping(OK + b"\r\n", b"<p>more"), "failed", TIMED_OUT),
    "/dripping/length": (dripping(OK + b"Content-Length: 999999\r\n\r\n", b"<p>more"), "failed", TIMED_OUT),
    "/dripping/chunks": (dripping(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"), "failed", TIMED_OUT),
    "/dripping/interim": (dripping(b"", b"HTTP/1.1 102 Processing\r\n\r\n"), "failed", TIMED_OUT),
    # no HTTP
    "/nonsense/text": (raw(b"hello there\r\n\r\nwhat is this?\r\n"), "failed", NOT_HTTP),
    "/nonsense/bytes": (raw(bytes(range(256)) * 20), "failed", NOT_HTTP),
    "/nonsense/status": (raw(b"HTTP/1.1 abc OK\r\n\r\n"), "failed", NOT_HTTP),
    "/nonsense/status-beyond": (whole(PAGE, status=b"9" * 30 + b" OK"), "failed", NOT_HTTP),
    "/nonsense/negative-status": (whole(PAGE, status=b"-200 OK"), "failed", NOT_HTTP),
    "/nonsense/version": (raw(b"HTTP/x.y 200 OK\r\n\r\n"), "failed", NOT_HTTP),
    "/nonsense/lengths": (raw(OK + b"Content-Length: 3\r\nContent-Length: 7\r\n\r\nabcdefg"), "failed", NOT_HTTP),
    "/nonsense/length": (raw(OK + b"Content-Length: many\r\n\r\nabc"), "failed", NOT_HTTP),
    "/nonsense/negative-length": (raw(OK + b"Content-Length: -1\r\n\r\nabc"), "failed", NOT_HTTP),
    "/nonsense/chunk-size": (raw(OK + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n"), "failed", BROKEN),
    "/nonsense/tls": (raw(b"\x15\x03\x01\x00\x02\x02\x46"), "failed", CLOSED),
    # statuses nobody has
    "/status/999": (whole(b"no", status=b"999 Denied"), "refused", "HTTP 999"),
    "/status/600": (whole(b"no", status=b"600 What"), "refused", "HTTP 600"),
    "/status/0": (whole(b"no", status=b"0 What"), "refused", "HTTP 0"),
    "/status/part": (
        whole(PAGE, b"Content-Range: bytes 0-%d/99999" % (len(PAGE) - 1), status=b"206 Partial Content"),
        "refused",
        "HTTP 206",
    ),
    "/redirect/nowhere": (whole(b"", status=b"302 Found"), "refused", "HTTP 302"),
    "/redirect/empty": (whole(b"", b"Location:", status=b"302 Found"), "refused", "redirects to itself"),
    # type and length are wrong
    "/type/image": (whole(b"\x89PNG\r\n" * 50, kind=b"image/png"), "refused", "content type image/png"),
    "/length/declared": (raw(OK + b"Content-Length: 99999999999999\r\n\r\n"), "refused", "too long"),
    "/length/beyond": (raw(OK + b"Content-Length: " + b"9" * 400 + b"\r\n\r\n"), "refused", "too long"),
    # content codings
    "/gzip/begun": (coded(b"gzip", gzip.compress, begun), "failed", CODING),
    "/deflate/begun": (coded(b"deflate", zlib.compress, begun), "failed", CUT),
    "/br/begun": (coded(b"br", brotli.compress, begun), "failed", CUT),
    "/zstd/begun": (coded(b"zstd", zstd.compress, begun), "failed", CUT),
    **{f"/{name}/cut": (coded(name.encode(), pack, cut), "failed", CUT) for name, pack in PACKERS.items()},
    **{f"/{name}/noise": (coded(name.encode(), pack, noise), "failed", CODING) for name, pack in PACKERS.items()},
}
