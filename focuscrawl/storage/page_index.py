"""Index of pages in OpenSearch or Elasticsearch, for the store of a crawl and for exports.

A page is one document under the key of its URL: what is sent twice is there once, and what broke off goes on where it
stopped, without the documents that are there.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from focuscrawl.errors import ConfigError, StoreError
from focuscrawl.records import PageRecord
from focuscrawl.storage.columns import BOOLEAN, INTEGER, KEY, LIST, OBJECT, REAL, TIME
from focuscrawl.storage.keys import hex_key
from focuscrawl.storage.page_rows import PAGES
from focuscrawl.storage.typed_rows import time_text
from focuscrawl.storage.values import to_json

if TYPE_CHECKING:
    from opensearchpy import OpenSearch


EXTRA = "opensearch"
"""The extra of this project that installs opensearch-py."""
USER, PASSWORD, API_KEY = "OPENSEARCH_USER", "OPENSEARCH_PASSWORD", "OPENSEARCH_API_KEY"
"""Variables of the environment that have the credentials."""
_SCHEMES = {
    f"{server}{transport}": transport[1:] or "http"
    for server in ("opensearch", "elasticsearch")
    for transport in ("", "+http", "+https")
}
_EXPECTED = "expected opensearch+https://host:9200/index, or opensearch://host:9200/index without TLS"
_BATCH = 200  # documents a request; with long texts some megabytes
_MOST_BYTES = 10 * 1024 * 1024  # of a request; servers refuse 100 MB
_ASKED = 500  # keys a question
_TIMEOUT_S = 10
_RETRIES = 4  # of documents that the server has no room for at present; 1, 2, 4 and 8 s later
# Text that is searched. `cjk`, built into both servers, cuts Chinese into pairs of characters and Latin script into
# words; `en` finds English words in other forms.
_TEXT = {"type": "text", "analyzer": "cjk", "fields": {"en": {"type": "text", "analyzer": "english"}}}
_SEARCHED = frozenset({"title", "text", "summary", "anchor", "keywords"})
_TYPES: Mapping[object, Mapping[str, object]] = {
    TIME: {"type": "date"},
    REAL: {"type": "float"},
    INTEGER: {"type": "integer"},
    BOOLEAN: {"type": "boolean"},
    KEY: {"type": "keyword"},
    # Kept as they came, not searched: their keys are words of pages, of which there are any number.
    OBJECT: {"type": "object", "enabled": False},
    LIST: {"type": "object", "enabled": False},
}


class RefusedPagesError(StoreError):
    """Pages that the server does not take; the sentence has the first reason."""


@dataclass(frozen=True, slots=True)
class IndexPlace:
    """A server and an index there."""

    scheme: str  # http or https
    host: str
    port: int
    index: str

    @property
    def shown(self) -> str:
        """The address as people may see it."""
        return f"{self.scheme}://{self.host}:{self.port}/{self.index}"


def is_index(url: str) -> bool:
    """Tell whether a URL is that of an index."""
    return url.partition("://")[0].lower() in _SCHEMES


def parse_index(url: str) -> IndexPlace:
    """Return what a URL means.

    >>> parse_index("opensearch+https://search.example/tea")
    IndexPlace(scheme='https', host='search.example', port=9200, index='tea')

    Raises
    ------
    ConfigError
        If it is none, or has a password, which the sentence does not repeat.
    """
    try:
        parts = urlsplit(url.strip())
        host, port, index = parts.hostname or "", parts.port or 9200, parts.path.strip("/")
    except ValueError:
        host, port, index, parts = "", 0, "", urlsplit("")
    if parts.username is not None or parts.password is not None:
        raise ConfigError(
            f"The address of an index takes no user and no password: put them into {USER} and {PASSWORD}."
        )
    if parts.scheme.lower() not in _SCHEMES or not host or not index or "/" in index or index != index.lower():
        raise ConfigError(f"The address of an index: {_EXPECTED}, the index in lower case.")
    return IndexPlace(_SCHEMES[parts.scheme.lower()], host, port, index)


def mapping() -> dict[str, object]:
    """Return settings and mapping of a new index; other fields than ours are kept and not searched."""
    fields: dict[str, object] = {}
    for column in PAGES.exported:
        if column.name in _SEARCHED:
            fields[column.name] = _TEXT
        else:
            fields[column.name] = _TYPES.get(column.kind, {"type": "keyword", "ignore_above": 2048})
    return {"mappings": {"dynamic": False, "properties": fields}}


class PageIndex:
    """An index of pages; open between `open` and `close`.

    Parameters
    ----------
    place
        Where it is.
    """

    def __init__(self, place: IndexPlace) -> None:
        self.place = place
        self._client: OpenSearch | None = None

    def open(self) -> None:
        """Connect, and make the index when it is missing; one that is there stays as it is.

        Raises
        ------
        StoreError
            If opensearch-py is not installed, the server does not answer, or refuses.
        """
        self._client = _client(self.place)
        with self._translated():
            if not self._client.indices.exists(index=self.place.index):
                self._client.indices.create(index=self.place.index, body=mapping())

    def close(self) -> None:
        """Close the connection; closing twice is fine."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def put(self, records: Iterable[PageRecord]) -> int:
        """Put records under their keys, in the place of what was there; return how many.

        Raises
        ------
        RefusedPagesError
            If it takes documents amiss; the others are there.
        StoreError
            If the server does not answer.
        """
        from opensearchpy.helpers import streaming_bulk

        documents = ({"_op_type": "index", "_id": hex_key(one.key), "_source": document(one)} for one in records)
        count = refused = 0
        why = ""
        with self._translated():
            for done, answer in streaming_bulk(
                self._open_client,
                documents,
                index=self.place.index,
                chunk_size=_BATCH,
                max_chunk_bytes=_MOST_BYTES,
                max_retries=_RETRIES,
                initial_backoff=1,
                raise_on_error=False,
            ):
                count += done
                if not done:
                    refused += 1
                    why = why or _reason(answer)
        if refused:
            raise RefusedPagesError(
                f"{self.place.shown}: {refused:,} of {count + refused:,} pages were refused: {why}."
            )
        return count

    def missing(self, records: Iterable[PageRecord]) -> Iterator[PageRecord]:
        """Yield those of `records` that the index lacks, or has of another fetch or with another relevance."""
        for record, there in self._looked_up(records):
            wanted = time_text(record.fetched_at), record.relevance
            if (there.get("fetched_at"), there.get("relevance")) != wanted:
                yield record

    def outdated(self, records: Iterable[PageRecord]) -> Iterator[PageRecord]:
        """Yield those of `records` that are not relevant, while the index has them, of the same fetch, as relevant."""
        for record, there in self._looked_up(record for record in records if not record.relevant):
            if there.get("relevant") is True and there.get("fetched_at") == time_text(record.fetched_at):
                yield record

    def delete(self, records: Iterable[PageRecord]) -> int:
        """Take records out of the index; return how many were there."""
        from opensearchpy.helpers import streaming_bulk

        actions = [{"_op_type": "delete", "_id": hex_key(record.key)} for record in records]
        with self._translated():
            answers = streaming_bulk(self._open_client, actions, index=self.place.index, raise_on_error=False)
            return sum(1 for done, _ in answers if done)

    def _looked_up(self, records: Iterable[PageRecord]) -> Iterator[tuple[PageRecord, Mapping[str, Any]]]:
        """Yield records with what the index has of them, {} for nothing."""
        source = iter(records)
        while batch := list(islice(source, _ASKED)):
            with self._translated():
                answer = self._open_client.mget(
                    body={"ids": [hex_key(record.key) for record in batch]},
                    index=self.place.index,
                    _source_includes=["fetched_at", "relevance", "relevant"],
                )
            known = {one["_id"]: one["_source"] for one in answer["docs"] if one.get("found")}
            for record in batch:
                yield record, known.get(hex_key(record.key), {})

    @property
    def _open_client(self) -> OpenSearch:
        assert self._client is not None
        return self._client

    @contextmanager
    def _translated(self) -> Iterator[None]:
        from opensearchpy.exceptions import (
            AuthenticationException,
            AuthorizationException,
            OpenSearchException,
            SSLError,
            TransportError,
        )
        from opensearchpy.exceptions import ConnectionError as NoAnswer

        where = self.place.shown
        try:
            yield
        except AuthenticationException as error:
            raise StoreError(f"{where}: wants other credentials; they are read from {USER} and {PASSWORD}.") from error
        except AuthorizationException as error:
            raise StoreError(f"{where}: these credentials may not write there.") from error
        except SSLError as error:
            raise StoreError(
                f"{where}: its certificate does not verify; SSL_CERT_FILE names others to trust."
            ) from error
        except NoAnswer as error:
            raise StoreError(f"{where}: no server answers there.") from error
        except TransportError as error:
            why = f"{error.status_code} {error.error}".strip()
            raise StoreError(f"{where}: the server answers {why}.") from error
        except OpenSearchException as error:
            raise StoreError(f"{where}: {_first(error)}.") from error


def document(record: PageRecord) -> dict[str, Any]:
    """Return a record as a document: the fields of an export, times as ISO 8601."""
    # Half a surrogate pair, as JSON in pages can have, would have the server refuse all documents of the request.
    fields: dict[str, Any] = json.loads(to_json(PAGES.fields(record)))
    for column in PAGES.exported:
        if column.kind is TIME and (value := fields[column.name]) is not None:
            fields[column.name] = time_text(value)
    return fields


def _client(place: IndexPlace) -> OpenSearch:
    try:
        from opensearchpy import OpenSearch
    except ImportError as error:
        raise StoreError(
            f"{place.shown}: needs the package opensearch-py: pip install 'focuscrawl[{EXTRA}]'."
        ) from error
    logging.getLogger("opensearch").setLevel(logging.CRITICAL)  # it logs requests, texts of pages among them
    user, password, key = (os.environ.get(name, "") for name in (USER, PASSWORD, API_KEY))
    if (user or password or key) and place.scheme != "https" and place.host not in ("localhost", "127.0.0.1", "::1"):
        raise StoreError(f"{place.shown}: credentials are not sent without TLS; write opensearch+https://….")
    return OpenSearch(
        [{"host": place.host, "port": place.port}],
        use_ssl=place.scheme == "https",
        verify_certs=True,
        ssl_show_warn=False,
        http_auth=(user, password) if user else None,
        headers={"Authorization": f"ApiKey {key}"} if key else {},
        timeout=_TIMEOUT_S,
        max_retries=0,
        http_compress=True,
    )


def _reason(answer: Mapping[str, Any]) -> str:
    told: Mapping[str, Any] = next(iter(answer.values()), {})
    error = told.get("error", {})
    why = error.get("reason", "") if isinstance(error, Mapping) else str(error)
    return (" ".join(str(why).split())[:200] or "no reason given").rstrip(".")


def _first(error: Exception) -> str:
    return (" ".join(str(error).split())[:200] or type(error).__name__).rstrip(".")
