"""Connections to Redis as people run it: one server, Sentinel, any node of a cluster, Valkey; and what they say of it.

- ``redis+sentinel://user:password@one:26379,two:26379/mymaster/0``: the sentinels are asked who the master is, again
  whenever it goes. Each answer waits until one replica has it, as far as one is there: a fail-over loses nothing then.
- All keys of a crawl are in one hash slot, so one node of a cluster holds it: a node that is asked instead says which.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from focuscrawl.errors import ConfigError, InputError
from focuscrawl.frontier.redis_url import (
    as_redis,
    check_database,
    check_login,
    sentinel_parts,
    servers_of,
    without_secret,
)

try:
    import redis.asyncio as aredis
    from redis import exceptions as faults
    from redis.asyncio.connection import parse_url
    from redis.asyncio.lock import Lock
    from redis.asyncio.retry import Retry
    from redis.asyncio.sentinel import MasterNotFoundError, Sentinel
    from redis.backoff import NoBackoff
except ImportError as missing:  # pragma: no cover - the extra is installed where tests run
    raise InputError(
        "A crawl in Redis needs the package redis: pip install 'focuscrawl[redis]',"
        " or leave FOCUSCRAWL_FRONTIER_URL out."
    ) from missing

__all__ = [
    "Lock",
    "MasterNotFoundError",
    "Node",
    "answer_in",
    "aredis",
    "certificate_sentence",
    "connect",
    "faults",
    "memory_sentence",
    "policy_warning",
    "sentinels_of",
    "tls_sentence",
]

logger = logging.getLogger(__name__)

_CONNECTION: Mapping[str, Any] = {"socket_timeout": 15.0, "socket_connect_timeout": 5.0}
_FIRST_ANSWER_S = 2.0
_TLS_RECORDS = (b"\x16\x03", b"\x15\x03")  # a handshake, or an alert, of any version
# Alerts without the word "certificate" by which a server refuses that of a client, or its having none; TLS 1.2 has for
# the latter only the alert of any handshake that fails.
_CLIENT_REFUSED = ("unknown ca", "access denied", "handshake failure")
# Between nodes that name each other while a slot moves.
_MAX_MOVES = 5


def connect(location: str, options: Mapping[str, Any]) -> aredis.Redis:
    """Return a client, of the first server where `location` names several; nothing is sent yet.

    Raises
    ------
    ConfigError
        If the URL is none that Redis knows, or an option is wrong.
    """
    given = {**_CONNECTION, **options, "decode_responses": False}
    # Made again by us: only then can a script be told that its first answer may have been lost.
    given["retry"] = Retry(NoBackoff(), 0)
    location = next(iter(servers_of(location)), "")
    try:
        check_login(location)
        parts = sentinel_parts(location)
        check_database(location if parts is None else parts[2])
        if parts is not None:
            client = _over_sentinel(*parts, given)
        else:
            client = aredis.Redis.from_url(as_redis(location), **given) if location else aredis.Redis(**given)
        pool: Any = client.connection_pool
        connection = pool.make_connection()  # does not connect, but finds options that do not exist
        if isinstance(connection, aredis.SSLConnection):
            _read_certificates(connection)
        return client
    except (ValueError, TypeError, faults.RedisError) as error:
        shown = without_secret(location) or "REDIS_PARAMS"
        raise ConfigError(
            f"{shown}: no Redis to connect to: {error}. Expected redis://, rediss:// or unix://, as in"
            " redis://user:password@host:6379/0, or redis+sentinel://one:26379,two:26379/mymaster/0."
        ) from None


def _read_certificates(connection: aredis.SSLConnection) -> None:
    """Read the files that the options of TLS name, which the client library does when it connects.

    Raises
    ------
    ValueError
        If one cannot be read.
    """
    tls: Any = connection.ssl_context
    named = {"ssl_ca_certs": tls.ca_certs, "ssl_certfile": tls.certfile, "ssl_keyfile": tls.keyfile}
    files = " and ".join(f"{option}={file}" for option, file in named.items() if file)
    try:
        own_key = _text_of(tls.keyfile or tls.certfile)
        if "ENCRYPTED" in own_key and not tls.password:  # OpenSSL would ask at a terminal, at each connection
            raise ValueError(f"no TLS with {files}: the private key is encrypted. Give its password as ssl_password")
        if tls.certfile and not tls.keyfile and "PRIVATE KEY" not in own_key:
            raise ValueError(f"no TLS with {files}, which has no private key. Name the file of the key as ssl_keyfile")
        tls.get()
    except OSError as error:  # those of TLS among them
        raise ValueError(f"no TLS with {files or 'its options'}: {error.strerror or error}") from None


def _text_of(file: str | None) -> str:
    return Path(file).read_text(encoding="utf-8", errors="replace") if file else ""


def sentinels_of(client: aredis.Redis) -> list[aredis.Redis]:
    """Return the clients of the sentinels that a client asks for its server, to be closed with it; [] without any."""
    pool = client.connection_pool
    return list(pool.sentinel_manager.sentinels) if isinstance(pool, aredis.SentinelConnectionPool) else []


def _over_sentinel(
    addresses: list[tuple[str, int]], service: str, plain: str, given: Mapping[str, Any]
) -> aredis.Redis:
    """Return a client of the master that sentinels name; `plain` is the URL it would have as one server."""
    named: dict[str, Any] = dict(parse_url(plain))
    over_tls = plain.startswith("rediss://")
    for name in ("host", "port", "connection_class"):
        named.pop(name, None)
    # The sentinels have users of their own, and usually none.
    own = {name.removeprefix("sentinel_"): named.pop(name) for name in [*named] if name.startswith("sentinel_")}
    timeouts = {name: value for name, value in given.items() if name.startswith("socket_")}
    sentinels = {**timeouts, "retry": given["retry"], "ssl": over_tls, **own}
    sentinel: Any = Sentinel(addresses, sentinel_kwargs=sentinels)  # type: ignore[no-untyped-call]
    more = {"ssl": True} if over_tls else {}
    # The URL goes before the options, as it does for one server.
    client: aredis.Redis = sentinel.master_for(service, **{**given, **named, **more})
    return client


class Node:
    """The node of a cluster that a client talks to: moved by what the nodes answer.

    Parameters
    ----------
    client
        It gets other connections.
    """

    def __init__(self, client: aredis.Redis) -> None:
        self._client: Any = client
        self._moves = 0

    async def move(self, error: faults.MovedError) -> bool:
        """Talk to the node that `error` names from now on; False where nodes name each other without end."""
        self._moves += 1
        if self._moves > _MAX_MOVES:
            return False
        old = self._client.connection_pool
        options = dict(old.connection_kwargs)
        options["host"], options["port"] = error.host or options.get("host", "localhost"), error.port
        # Another pool: a connection in use goes back to the one it came from.
        self._client.connection_pool = aredis.ConnectionPool(old.connection_class, **options)
        await old.disconnect(inuse_connections=False)
        logger.info("the slot of the crawl is at the node %s:%d", options["host"], error.port)
        return True

    def settled(self) -> None:
        """Take note of an answer."""
        self._moves = 0


def answer_in(error: BaseException) -> BaseException:
    """Return the answer that an error is about.

    Over a Unix socket the client library greets the server while it connects, and wraps what is answered to that, such
    as a refused password, into an error of the connection.
    """
    cause = error.__cause__
    return cause if isinstance(error, faults.ConnectionError) and isinstance(cause, faults.RedisError) else error


def certificate_sentence(shown: str, error: BaseException) -> str:
    """Return what to do about a certificate that does not verify; '' when `error` is something else.

    Looks at what the error came from: clients wrap those of TLS into one about the connection.
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
        cause = cause.__cause__ or cause.__context__
    if not isinstance(cause, ssl.SSLCertVerificationError):
        return ""
    if cause.verify_code in (9, 10):  # X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED
        way = "Give the server one that is valid today, or set the clock of this machine right."
    elif cause.verify_code in (62, 64):  # X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH
        way = "Use a name that stands in it, or add ssl_check_hostname=false to the URL."
    else:
        way = (
            "Name the file of the authority that signed it: ?ssl_ca_certs=/path/ca.pem in the URL, or ssl_ca_certs in"
            " REDIS_PARAMS."
        )
    return f"{shown}: the certificate of Redis cannot be verified: {cause.verify_message}. {way}"


async def tls_sentence(shown: str, client: aredis.Redis) -> str:
    """Return what to do about a Redis that refuses our certificate, speaks no TLS, or nothing else; '' for any other.

    One without TLS waits for the end of a line that TLS does not send, the others hang up, so all that is seen is a
    time that runs out or a cut connection. The first is sent a PING, the last greeted; from one that refuses our
    certificate, or our having none, its alert is read, which a reset takes away as soon as anything is sent.
    """
    pool: Any = client.connection_pool
    host, port = pool.connection_kwargs.get("host"), pool.connection_kwargs.get("port")
    if not host or not port:
        return ""
    if issubclass(pool.connection_class, aredis.SSLConnection):
        answer = await _first_answer(host, port, b"PING\r\n")
        if answer.startswith((b"+PONG", b"-NOAU", b"-ERR", b"-DENI", b"-LOAD")):
            return (
                f"{shown}: this Redis speaks no TLS. Expected a URL that begins with redis://, or TLS turned on at the"
                " server."
            )
        alert = _words(await _alert(host, port, pool.make_connection().ssl_context.get()))
        refused = "certificate" in alert or alert in _CLIENT_REFUSED
        if refused and not pool.connection_kwargs.get("ssl_certfile"):
            return (
                f"{shown}: this Redis wants a certificate of its clients ({alert}). Name yours, and its key:"
                " ?ssl_certfile=/path/client.crt&ssl_keyfile=/path/client.key in the URL, or both in REDIS_PARAMS."
            )
        if refused:
            return (
                f"{shown}: this Redis refuses our certificate ({alert}). Expected one that is valid and signed"
                " by an authority it knows (tls-ca-cert-file of the server), as ssl_certfile with its ssl_keyfile."
            )
    elif (await _first_answer(host, port, _client_hello(host))).startswith(_TLS_RECORDS):
        return f"{shown}: this Redis speaks TLS only. Expected a URL that begins with rediss://."
    return ""


async def _first_answer(host: str, port: int, sent: bytes) -> bytes:
    """Return the first five bytes a server answers with, b'' where there is none."""
    try:
        async with asyncio.timeout(_FIRST_ANSWER_S):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                writer.write(sent)
                return await reader.read(5)
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return b""


async def _alert(host: str, port: int, tls: ssl.SSLContext) -> str:
    """Return the name of the alert by which a server ends TLS before anything is asked, '' where it ends none."""
    try:
        async with asyncio.timeout(_FIRST_ANSWER_S):
            reader, writer = await asyncio.open_connection(host, port, ssl=tls)
            try:
                await reader.read(1)  # with TLS 1.3 our certificate is looked at when the handshake is over for us
            finally:
                writer.close()
    except ssl.SSLError as error:
        return error.reason or ""
    except (OSError, TimeoutError):
        return ""
    return ""


def _words(alert: str) -> str:
    """Return the name of an alert in words.

    >>> _words("TLSV13_ALERT_CERTIFICATE_REQUIRED")
    'certificate required'
    """
    return alert.partition("ALERT_")[2].replace("_", " ").lower()


def _client_hello(host: str) -> bytes:
    """Return what a client begins TLS with."""
    sent = ssl.MemoryBIO()
    tls = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), sent, server_hostname=host)
    with suppress(ssl.SSLWantReadError):
        tls.do_handshake()
    return sent.read()


def memory_sentence(shown: str, memory: Mapping[str, Any]) -> str:
    """Return the sentence about a full server, with what ``INFO memory`` says of it."""
    used, limit = int(memory.get("used_memory", 0)), int(memory.get("maxmemory", 0))
    numbers = f": {used / 1e6:,.0f} MB used of {limit / 1e6:,.0f} MB" if limit else ""
    return (
        f"{shown}: Redis is full (maxmemory){numbers}. Give it more memory (CONFIG SET maxmemory); its policy has to be"
        " noeviction."
    )


def policy_warning(shown: str, memory: Mapping[str, Any]) -> str:
    """Return a warning about a server that throws keys away when it is full, '' for one that does not."""
    policy = str(memory.get("maxmemory_policy", "") or "noeviction")
    if policy == "noeviction":
        return ""
    return (
        f"{shown}: maxmemory-policy is {policy}: a full Redis would throw parts of the crawl away. Set it to"
        " noeviction (CONFIG SET maxmemory-policy noeviction)."
    )
