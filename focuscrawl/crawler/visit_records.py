"""Records of visits: digests and validators of an answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Protocol

from focuscrawl.types import UrlKey
from focuscrawl.visits import Saw, Visit

# Longer ones are no validators; RFC 9110 has no limit.
_MAX_VALIDATOR = 256


def body_digest(body: bytes) -> str:
    """Return 16 hex digits of a body."""
    return blake2b(body, digest_size=8).hexdigest()


def text_digest(tokens: Sequence[str]) -> str:
    """Return 16 hex digits of words in their order, '' for none."""
    return body_digest("\n".join(tokens).encode("utf-8", "surrogatepass")) if tokens else ""


class Answer(Protocol):
    """What of an answer says whether a page has changed."""

    @property
    def status(self) -> int: ...

    @property
    def received(self) -> bytes: ...

    @property
    def fetched_at(self) -> float: ...

    @property
    def headers(self) -> Iterable[tuple[str, str]]: ...


def first_visit(key: UrlKey, answer: Answer, text: str) -> Visit:
    """Return the record of the first fetch of a page, whose words have the digest `text`."""
    return visit_record(key, Saw.FIRST, answer, body=body_digest(answer.received), text=text)


def visit_record(key: UrlKey, saw: Saw, answer: Answer, *, body: str, text: str) -> Visit:
    """Return the record of a visit with an answer; `body` and `text` are digests."""
    values = {name.lower(): value.strip() for name, value in answer.headers}
    etag, modified = (
        value if len(value) <= _MAX_VALIDATOR else ""
        for value in (values.get("etag", ""), values.get("last-modified", ""))
    )
    return Visit(key, answer.fetched_at, saw, answer.status, body, text, etag, modified)
