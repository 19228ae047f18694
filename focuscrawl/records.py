"""Records of a crawl: a link to fetch, its lease, how it ended, and what is kept of a page.

They lie on the ground floor because the page step makes them, the frontier hands them out and the stores keep them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from focuscrawl.errors import FrontierError
from focuscrawl.row_reasons import DUPLICATE, EARLIER_FEED, EARLIER_JUDGED_AGAIN, EARLIER_WITHHELD, SAME_EVERYWHERE
from focuscrawl.types import GroupKey, HostKey, UrlKey, json_value, storable
from focuscrawl.visits import Earlier, Visit

_Key = Annotated[UrlKey, Field(ge=0, lt=1 << 64)]
_Finite = Annotated[float, Field(allow_inf_nan=False)]
_Count = Annotated[int, Field(ge=0)]


class Outcome(StrEnum):
    """End of the work on an entry."""

    DONE = "done"  # fetched and processed
    FAILED = "failed"  # may be tried again, up to the maximum of attempts
    REFUSED = "refused"  # never to be tried again: robots, 404 and 410, wrong content type, too long


@dataclass(frozen=True, slots=True)
class Origin:
    """Source of a link, and the parts of its score.

    Frontiers keep it with the link and never look into it. `to_json` and `from_json` are its stored form; the names
    there are those of version 1, so older run folders can be read.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(ser_json_inf_nan="constants")

    parent: _Key | None = None  # of the entry whose page links here, None: a seed
    parent_url: str = ""  # of that page, after redirects
    anchor: str = ""  # text of the link
    parts: Mapping[str, float] = field(default_factory=dict)  # of the score
    reason: str = ""  # of the score, one sentence
    carried: Annotated[Mapping[str, float], Field(alias="inherit")] = field(default_factory=dict)
    """What the strategy wants back when the link is fetched."""
    without_anchor: float | None = None  # the score without the words of the anchor, where it differs
    pagination_steps: Annotated[int, Field(ge=0, alias="along")] = 0
    """Links from a seed to here that led from one page of a listing to another; they do not count as depth."""
    topic: str = ""  # version of the topic it was ranked by, after the topic of a crawl was changed
    feed: bool = False  # an announced feed
    request: Mapping[str, object] = field(default_factory=dict)  # what a project's own request has beside its URL
    same_as: str = ""  # of another address of a fetched page: that page's key, in hexadecimal
    hops: Annotated[int, Field(ge=0)] = 0  # redirects and refreshes that led here, at most five
    earlier: Earlier | None = None  # of a page that is visited again

    @property
    def has_errback(self) -> bool:
        """Tell whether a project's own request has an errback, which wants the error of a fetch."""
        return bool(self.request.get("errback"))

    def to_json(self) -> bytes:
        """Return compact JSON in UTF-8, empty when nothing is known; half a surrogate pair becomes U+FFFD."""
        return compact_json(_origins, self, exclude_defaults=True) if self != NO_ORIGIN else b""

    @staticmethod
    def from_json(text: str | bytes) -> Origin:
        """Return what `to_json` gave.

        Raises
        ------
        FrontierError
            If something else stands there.
        """
        if not text:
            return NO_ORIGIN
        try:
            return _origins.validate_json(text)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            where = ".".join(map(str, fault["loc"])) or "the whole"
            raise FrontierError(
                f"The origin of a queued link cannot be read ({where}: {fault['msg']}): another program has written it;"
                " start a new crawl, under another FOCUSCRAWL_CRAWL or in another run folder."
            ) from error


def compact_json(adapter: TypeAdapter[Any], value: object, *, exclude_defaults: bool = False) -> bytes:
    """Return compact JSON in UTF-8 without what is None; half a surrogate pair becomes U+FFFD."""
    how: dict[str, Any] = {"by_alias": True, "exclude_none": True, "exclude_defaults": exclude_defaults}
    try:
        return adapter.dump_json(value, fallback=json_value, warnings=False, **how)
    except PydanticSerializationError:
        fields = adapter.dump_python(value, fallback=json_value, warnings=False, **how)
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), default=json_value)
        return storable(text).encode()


_origins = TypeAdapter(Origin)
NO_ORIGIN = Origin()
"""Of a link of which nothing more is known."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A URL that waits to be fetched."""

    url: str
    key: UrlKey
    host: HostKey
    score: float  # local score in [0, 1]; the priority adds the group's offset
    group: GroupKey = ""  # '' means the host is the group
    depth: int = 0  # links from a seed
    tunnel: int = 0  # consecutive off-topic pages just before it
    not_before: float = 0.0  # Unix time, UTC seconds
    origin: Origin = NO_ORIGIN

    @property
    def scope_depth(self) -> int:
        """Depth without pagination steps, which the scope does not count."""
        steps = self.origin.pagination_steps
        return self.depth - steps if steps <= self.depth else self.depth


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to fetch an entry until `expires_at`."""

    entry: Entry
    token: int
    expires_at: float
    attempt: int  # 1 for the first; failed attempts and expired leases count
    priority: float  # group offset + score when it was leased


@dataclass(frozen=True, slots=True)
class Column:
    """Description of a record's field, beside its type and default."""

    meaning: str  # for the table of columns in docs/run-folder.md
    kind: Literal["key", "time"] | None = None  # of numbers that are more than a number
    exported: bool = True  # to JSON lines, CSV and items
    long: bool = False  # read only when it is asked for
    earlier: str = ""  # of rows from before there was this column, in SQL that both databases read; '': its default


@dataclass(frozen=True, slots=True)
class PageRecord:
    """Record of a fetched page: the one declaration of a row of ``pages``.

    Tables, JSON lines, CSV and items are derived from it (`focuscrawl.storage.page_rows`): a new field needs a default
    and a line here, and ``docs/run-folder.md`` its row.
    """

    key: Annotated[UrlKey, Column("key of the URL that was queued", kind="key")]
    url: Annotated[str, Column("the URL that was queued")]
    final_url: Annotated[str, Column("where it led, after redirects")]
    host: Annotated[str, Column("host of `final_url`")]
    fetched_at: Annotated[float, Column("when it was fetched", kind="time")]
    status: Annotated[int, Column("HTTP status, 0 without an answer")]
    title: Annotated[str, Column("title of the page")] = ""
    text: Annotated[
        str, Column("main text, that of irrelevant pages with `FOCUSCRAWL_KEEP_IRRELEVANT` only", long=True)
    ] = ""
    language: Annotated[str, Column("language of the text, as `en`")] = ""
    published: Annotated[str | None, Column("date of publication, ISO 8601 as far as it is known")] = None
    author: Annotated[str | None, Column("author, as the page names it")] = None
    category: Annotated[str | None, Column("section or category, as the page names it")] = None
    keywords: Annotated[
        tuple[str, ...], Column("of results: the page's own tags, then the most telling words, best first")
    ] = ()
    summary: Annotated[str, Column("of results: the most telling sentences", long=True)] = ""
    markdown: Annotated[
        str, Column("of results: main text as Markdown, with `FOCUSCRAWL_MARKDOWN` only", long=True)
    ] = ""
    records: Annotated[
        tuple[Mapping[str, str | None], ...],
        Column("of results: posts of a thread in order, each with `text`, `author`, `published`", long=True),
    ] = ()
    licence: Annotated[
        str, Column("of results: licence the page names, an address where it is a link; perhaps of a part of it")
    ] = ""
    extractor: Annotated[str, Column("method that found the text")] = ""
    relevance: Annotated[float, Column("judgement of the topic, 0 to 1")] = 0.0
    threshold: Annotated[float, Column("relevance that was enough at that moment")] = 0.0
    relevant: Annotated[bool, Column("whether it was enough")] = False
    topic: Annotated[str, Column("topic that judged it and its version, `name@digest`")] = ""
    depth: Annotated[int, Column("links from a seed")] = 0
    tunnel: Annotated[int, Column("consecutive off-topic pages before it")] = 0
    parent: Annotated[UrlKey | None, Column("key of the page that linked here first", kind="key")] = None
    anchor: Annotated[str, Column("text of that link")] = ""
    predicted: Annotated[
        float, Column("probability of being relevant that `priority` stood for, worked out before the judgement")
    ] = 0.0
    score: Annotated[float, Column("score of the link when it was queued")] = 0.0
    priority: Annotated[float, Column("score plus offset of the group when it was taken")] = 0.0
    group: Annotated[str, Column("group of links it belonged to")] = ""
    content_digest: Annotated[str, Column("digest of the normalised text")] = ""
    duplicate_of: Annotated[UrlKey | None, Column("key of the earlier page that says the same", kind="key")] = None
    outcome: Annotated[str, Column("`done`, `failed` or `refused`")] = "done"
    reason: Annotated[str, Column("why it failed or was refused; of `done` why nothing was kept")] = ""
    body_bytes: Annotated[int, Column("length, decoded")] = 0
    encoding: Annotated[str, Column("encoding that the text was read in")] = ""
    undecodable: Annotated[bool, Column("whether bytes of the page stand for nothing in that encoding")] = False
    parts: Annotated[Mapping[str, float], Column("parts of the link's score", exported=False)] = field(
        default_factory=dict
    )
    judged: Annotated[Mapping[str, float], Column("parts of the relevance", exported=False)] = field(
        default_factory=dict
    )
    evidence: Annotated[
        Mapping[str, Mapping[str, int]],
        Column(
            "how often each topic word stands in `title`, `headings`, `text`, `tags`, `links` (and beside the text), "
            "`url`, or is the `site`'s"
        ),
    ] = field(default_factory=dict)
    own_terms: Annotated[
        int | None,
        Column(
            "different topic words in title, text and tags, a phrase and a part of it as one, with two parts as two; "
            "none where the topic has no words"
        ),
    ] = None
    tls: Annotated[str, Column("`unverified: …` when the certificate of the page, or of a redirect, is not good")] = ""
    content_type: Annotated[str, Column("media type of what was read, as `text/html` or `application/pdf`")] = ""
    rendered: Annotated[bool, Column("whether a browser ran the scripts of the page before it was read")] = False
    withheld: Annotated[str, Column("why it may not be stored, where it may not", earlier=EARLIER_WITHHELD)] = ""
    judged_again: Annotated[
        bool, Column("whether it was judged again when its host was known", earlier=EARLIER_JUDGED_AGAIN)
    ] = False
    feed: Annotated[bool, Column("whether it is a feed, read for its entries", earlier=EARLIER_FEED)] = False
    set_aside: Annotated[
        str, Column("main text of a near miss, of which `focuscrawl topic teach` may ask", exported=False, long=True)
    ] = ""

    visited_at: Annotated[float, Column("when it was last asked for again, 0 never", kind="time")] = 0.0
    revisit: Annotated[str, Column("what that visit saw: `unchanged`, `changed`, `moved`, `gone`")] = ""

    @property
    def repeats(self) -> bool:
        """Whether its text was had before, from here or elsewhere."""
        return self.duplicate_of is not None or self.withheld == SAME_EVERYWHERE

    @property
    def is_result(self) -> bool:
        """Whether it is relevant, no duplicate of an earlier page, and allowed to be stored."""
        return self.relevant and not self.not_stored

    @property
    def not_stored(self) -> str:
        """Why a relevant page is no result: "duplicate", "asks not to be indexed"; '' for results and other pages."""
        if not self.relevant:
            return ""
        return DUPLICATE if self.duplicate_of is not None else self.withheld


def record_of(lease: Lease) -> PageRecord:
    """Return the record of a page as far as its lease knows it: nothing has been fetched."""
    entry = lease.entry
    return PageRecord(
        key=entry.key,
        url=entry.url,
        final_url=entry.url,
        host=entry.host,
        fetched_at=0.0,
        status=0,
        depth=entry.depth,
        tunnel=entry.tunnel,
        parent=entry.origin.parent,
        anchor=entry.origin.anchor,
        score=entry.score,
        priority=lease.priority,
        group=entry.group,
        parts=entry.origin.parts,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The verdict on a page beside what its link was queued with."""

    topic: str  # version of the topic it was judged by
    relevance: _Finite
    threshold: _Finite
    judged: Mapping[str, _Finite] = field(default_factory=dict)  # parts of the relevance
    parent: _Key | None = None
    anchor: str = ""
    group: GroupKey = ""
    depth: _Count = 0
    tunnel: _Count = 0
    score: _Finite = 0.0
    priority: _Finite = 0.0
    carried: Mapping[str, _Finite] = field(default_factory=dict)
    new_links: _Count = 0  # links of the page that were not seen recently


class LookLink(NamedTuple):
    """A link that a look at its host may go to."""

    host: HostKey
    score: _Finite  # local, in [0, 1]
    key: _Key
    front: bool  # it leads to the front page of the host
    group: GroupKey


@dataclass(frozen=True, slots=True, kw_only=True)
class LookNews:
    """What a page shows that looks at hosts go by: its links, and what a directory's page has led to."""

    links: tuple[LookLink, ...] = ()
    hosts: _Count = 0  # not known before, that a page of a directory links to; 0 for other pages
    best: _Finite = 0.0  # best score of the links to these hosts
    onward: tuple[tuple[_Key, _Finite], ...] = ()  # keys and scores of links to pages like it

    def as_read(self) -> LookNews | None:
        """Return the news as another worker reads them; None where it cannot."""
        try:
            return _looks.validate_json(compact_json(_looks, self), strict=True)
        except (ValueError, TypeError):
            return None


_looks = TypeAdapter(LookNews)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEvent:
    """Event of a settled fetch, for all who learn in this process and in a fleet.

    Budgets and the index of duplicates learn from every event; threshold, calibration and strategy from those with a
    judgement. `to_json` and `from_json` are its form on the wire.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    url: str  # after redirects
    host: HostKey
    key: _Key  # of the entry
    relevant: bool = False
    leads: bool = False  # a result, or an index of results: what the budgets call a find
    repeats: bool = False  # its text was had before, from here or elsewhere, or it gives neither text nor links
    closed: bool = False  # it has parameters, and all its links had been seen
    parent_url: str = ""
    digest: str = ""  # of a text that is kept, '' otherwise
    signature: bytes | None = None  # MinHash of such a text; None for a short one
    judgement: Judgement | None = None  # None: a feed, or a fetch that gave no page
    failed: bool = False  # the fetch gave no page
    looks: LookNews | None = None
    worker: str = ""  # that fetched it
    number: _Count = 0  # of the events of this worker, from 1
    version: Literal[1] = 1

    def to_json(self) -> bytes:
        """Return compact JSON in UTF-8; half a surrogate pair becomes U+FFFD."""
        return compact_json(_events, self)

    @staticmethod
    def from_json(text: bytes) -> PageEvent | None:
        """Return the event in `text`; None for a broken one or that of another version."""
        try:
            return _events.validate_json(text, strict=True)
        except ValidationError:
            return None


_events = TypeAdapter(PageEvent)


@dataclass(frozen=True, slots=True)
class Settlement:
    """The end of a lease and all that becomes visible with it."""

    lease: Lease
    outcome: Outcome
    found: Sequence[Entry] = ()  # links found on the page
    also: Sequence[UrlKey] = ()  # other keys of the same page (redirect targets): known from now on
    edges: Sequence[UrlKey] = ()  # keys of all links of the page, in order
    record: PageRecord | None = None  # the page's row, kept by backends that hold the store's tables
    state: Mapping[str, object] = field(default_factory=dict)  # name -> JSON-safe snapshot (ranker, judge), sometimes
    event: PageEvent | None = None  # what it teaches; frontiers do not look at it
    revised: Sequence[PageRecord] = ()  # rows of earlier pages whose verdict is another now
    more_relevant: int = 0  # relevant pages by these rows, less those by the rows before; may be negative
    more_stored: int = 0  # the same of results
    visit: Visit | None = None  # what the fetch saw of changes; without a record the page's row stays as it is
