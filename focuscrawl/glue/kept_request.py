"""Stored form of a project's own request: data, whoever wrote it.

A frontier may lie in a Redis that others can write to, or in a crawl.db from a stranger. So nothing that is read back
imports a module, and nothing of it may choose the way to the network: a proxy would pass the guard of addresses.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from scrapy.http import Request

if TYPE_CHECKING:
    from scrapy import Spider

# Meta keys that choose the way to the network; a request with one stays in its process.
_ROUTES = frozenset({"proxy", "bindaddress"})
# What a plain link does not need kept.
_PLAIN: Mapping[str, Any] = {"method": "GET", "body": b"", "headers": {}, "cookies": {}, "cb_kwargs": {}, "flags": []}
_DROPPED = frozenset({"url", "priority", "dont_filter", "encoding", "meta", "headers", "body", "_class"})

_Method = Annotated[str, Field(pattern=r"^[A-Za-z]\w*$", max_length=200)]  # a counted \w takes 0.1 s to compile


class KeptRequest(BaseModel):
    """Stored form; whatever else stands there is left out."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    method: Literal["GET"] = "GET"
    callback: _Method | None = None
    errback: _Method | None = None
    headers: dict[str, list[str]] = Field(default_factory=dict)
    cookies: dict[str, Any] | list[dict[str, Any]] = Field(default_factory=dict)
    meta: dict[str, Any] = Field(default_factory=dict)
    cb_kwargs: dict[str, Any] = Field(default_factory=dict)
    flags: list[str] = Field(default_factory=list)
    request_class: Annotated[str, Field(alias="_class")] = ""


def freeze(request: Request, spider: Spider, *, own_meta: frozenset[str]) -> dict[str, Any]:
    """Return what `thaw` makes the request of again, JSON-safe; {} for a plain link.

    Parameters
    ----------
    own_meta
        Meta keys that are not the project's.

    Raises
    ------
    TypeError, ValueError
        If it cannot be kept: JSON cannot hold it, its callback is no method of the spider, or it chooses its proxy.
    """
    fields = request.to_dict(spider=spider)
    given = fields.get("meta") or {}
    if not _ROUTES.isdisjoint(given):
        raise ValueError("a request that chooses its proxy or address stays in its process")
    kept = {
        name: value for name, value in fields.items() if name not in _DROPPED and value not in (None, _PLAIN.get(name))
    }
    meta = {name: value for name, value in given.items() if name not in own_meta}
    headers = {
        name.decode("latin-1"): [value.decode("latin-1") for value in values]
        for name, values in (fields.get("headers") or {}).items()
        if name.lower() != b"referer"
    }
    if meta:
        kept["meta"] = meta
    if headers:
        kept["headers"] = headers
    if fields.get("_class"):
        kept["_class"] = fields["_class"]
    json.dumps(kept, allow_nan=False)
    return kept


def thaw(url: str, kept: Mapping[str, object], spider: Spider) -> Request:
    """Return the request of a URL with what was kept of it.

    Raises
    ------
    ValueError
        If what was kept is damaged, or names a class or a method that this project does not have.
    """
    fields = KeptRequest.model_validate(kept)
    made = _class_of(fields.request_class)
    return made(
        url,
        callback=_method(spider, fields.callback),
        errback=_method(spider, fields.errback),
        headers=fields.headers or None,
        cookies=fields.cookies or None,  # type: ignore[arg-type]  # Request checks what is in them
        meta={name: value for name, value in fields.meta.items() if name not in _ROUTES},
        cb_kwargs=fields.cb_kwargs or None,
        flags=fields.flags or None,
    )


def _class_of(name: str) -> type[Request]:
    """Return a subclass of Request that the project has loaded already, by its full name; nothing is imported."""
    if not name:
        return Request
    classes, seen = [Request], set[type[Request]]()
    while classes:
        candidate = classes.pop()
        if f"{candidate.__module__}.{candidate.__qualname__}" == name:
            return candidate
        if candidate not in seen:
            seen.add(candidate)
            classes += candidate.__subclasses__()
    raise ValueError(f"no class {name[:100]} of requests is loaded")


def _method(spider: Spider, name: str | None) -> Any:
    if name is None:
        return None
    method = getattr(spider, name, None)
    if not callable(method):
        raise ValueError(f"the spider has no method {name[:100]}")
    return method
