"""Redis over TLS: certificates that do not verify or are refused, keys, and servers that speak TLS or do not."""

from __future__ import annotations

import asyncio
import socket
import ssl
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from redis_kit import free_port, running_redis

from focuscrawl.errors import ConfigError, FrontierError, ServerAwayError
from focuscrawl.frontier.redis import RedisFrontier
from focuscrawl.frontier.redis_connect import connect

sys.path.append(str(Path(__file__).parents[2] / "hostile"))
from certificates import authority_file, server_context


@contextmanager
def handshakes(tls: ssl.SSLContext) -> Iterator[int]:
    """Run a server that ends each connection after its handshake, with an alert, which asyncio's does not send."""

    def serve() -> None:
        while True:
            connection, _ = listening.accept()
            if ended:
                connection.close()
                return
            with suppress(OSError), tls.wrap_socket(connection, server_side=True) as spoken:
                spoken.recv(1)
            connection.close()

    ended: list[bool] = []
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as thread:
        served = thread.submit(serve)
        try:
            yield listening.getsockname()[1]
        finally:
            ended.append(True)
            socket.create_connection(listening.getsockname()).close()
            served.result()


@pytest.mark.parametrize(("host", "option"), [("127.0.0.1", "ssl_ca_certs"), ("elsewhere.test", "ssl_check_hostname")])
def test_a_certificate_that_does_not_verify_says_which_option(tmp_path: Path, host: str, option: str) -> None:
    async def work() -> None:
        server = await asyncio.start_server(
            lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=server_context(tmp_path, "elsewhere.test")
        )
        port = server.sockets[0].getsockname()[1]
        more = f"?ssl_ca_certs={authority_file(tmp_path)}" if option == "ssl_check_hostname" else ""
        frontier = RedisFrontier(f"rediss://me:secret@127.0.0.1:{port}/0{more}", crawl="c")
        with pytest.raises(FrontierError, match=f"the certificate of Redis cannot be verified: .*{option}") as caught:
            await frontier.open()
        assert "secret" not in str(caught.value)
        server.close()
        await server.wait_closed()

    asyncio.run(work())


def test_a_certificate_that_has_expired_is_told_from_one_of_an_unknown_authority(tmp_path: Path) -> None:
    async def work() -> None:
        server = await asyncio.start_server(
            lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=server_context(tmp_path, "old.test", expired=True)
        )
        port, authority = server.sockets[0].getsockname()[1], authority_file(tmp_path)
        frontier = RedisFrontier(
            f"rediss://127.0.0.1:{port}/0?ssl_ca_certs={authority}&ssl_check_hostname=false", crawl="c"
        )
        with pytest.raises(FrontierError, match=r"verified: certificate has expired\. Give the server one"):
            await frontier.open()
        server.close()
        await server.wait_closed()

    asyncio.run(work())


@pytest.mark.parametrize("newest", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize(
    ("own", "told"), [("", r"wants a certificate of its clients .*\?ssl_certfile="), ("own.test.pem", "unknown ca")]
)
def test_a_server_that_wants_another_certificate_of_its_clients_says_so_at_once(
    tmp_path: Path, own: str, told: str, newest: ssl.TLSVersion
) -> None:
    tls = server_context(tmp_path, "elsewhere.test")
    tls.verify_mode, tls.maximum_version = ssl.CERT_REQUIRED, newest
    tls.load_verify_locations(authority_file(tmp_path))
    server_context(tmp_path, "own.test", self_signed=True)
    more = f"&ssl_certfile={tmp_path / own}" if own else ""
    with handshakes(tls) as port:
        url = f"rediss://:secret@127.0.0.1:{port}/0?ssl_ca_certs={authority_file(tmp_path)}&ssl_check_hostname=false{more}"
        with pytest.raises(FrontierError, match=told) as caught:
            asyncio.run(RedisFrontier(url, crawl="c", patience_s=30.0).open())
    assert not isinstance(caught.value, ServerAwayError)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("option", "told"), [("ssl_certfile", "ssl_keyfile"), ("ssl_keyfile", "ssl_password")])
def test_a_key_that_is_missing_or_encrypted_is_refused_and_no_password_asked_for(
    tmp_path: Path, option: str, told: str
) -> None:
    key = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"secret")
    )
    (tmp_path / "ssl_keyfile").write_bytes(key)
    (tmp_path / "ssl_certfile").write_bytes(authority_file(tmp_path).read_bytes())
    with pytest.raises(ConfigError, match=f"no TLS with {option}=.*as {told}"):
        connect(f"rediss://127.0.0.1:1/0?{option}={tmp_path / option}", {})


@pytest.mark.parametrize("password", ["", "secret"])
def test_a_server_without_tls_is_told_from_one_that_does_not_answer(password: str) -> None:
    async def work(port: int) -> None:
        frontier = RedisFrontier(
            f"rediss://:{password}@127.0.0.1:{port}/0", crawl="c", connection={"socket_connect_timeout": 0.2}
        )
        with pytest.raises(FrontierError, match=r"speaks no TLS\. Expected a URL that begins with redis://") as caught:
            await frontier.open()
        assert "secret" not in str(caught.value)
        await frontier.close()

    options = ("--requirepass", password) if password else ()
    with running_redis(*options, port=free_port()) as server:
        asyncio.run(work(server.port))


def test_a_server_that_speaks_tls_only_is_told_from_one_that_does_not_answer(tmp_path: Path) -> None:
    async def work() -> None:
        server = await asyncio.start_server(
            lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=server_context(tmp_path, "elsewhere.test")
        )
        port = server.sockets[0].getsockname()[1]
        frontier = RedisFrontier(f"redis://:secret@127.0.0.1:{port}/0", crawl="c", patience_s=1.0)
        with pytest.raises(
            FrontierError, match=r"speaks TLS only\. Expected a URL that begins with rediss://"
        ) as caught:
            await frontier.open()
        assert "secret" not in str(caught.value)
        await frontier.close()
        server.close()
        await server.wait_closed()

    asyncio.run(work())


@pytest.mark.parametrize("text", [None, "no certificate"])
def test_a_file_of_certificates_that_cannot_be_read_is_named_at_once(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "ca.pem"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    for url in ("rediss://:secret@127.0.0.1:1/0", "rediss+sentinel://:secret@127.0.0.1:1/main"):
        with pytest.raises(ConfigError, match=f"no TLS with ssl_ca_certs={file}: ") as wrong:
            connect(f"{url}?ssl_ca_certs={file}", {})
        assert "secret" not in str(wrong.value)


def test_a_server_over_tls_that_is_not_there_is_waited_for() -> None:
    async def work() -> None:
        frontier = RedisFrontier(f"rediss://127.0.0.1:{free_port()}/0", crawl="c", patience_s=0.2)
        with pytest.raises(ServerAwayError, match="no answer from Redis"):
            await frontier.open()
        await frontier.close()

    asyncio.run(work())
