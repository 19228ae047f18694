"""Stored form of a project's own request: data, whoever wrote it.

A frontier may lie in a Redis that others can write to, or in a crawl.db from a stranger. So nothing that is read back
imports a module, and nothing of it may choose the way to the network: a proxy would pass the guard of addresses.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from scrapy import Spider
from scrapy.http import Request

# Meta keys that choose the way to the network; a request with one stays in its process.
_ROUTES = frozenset({"proxy", "bindaddress"})
# What a plain link does not need kept.
_PLAIN: Mapping[str, Any] = {
    "method": "GET",
    "body": b"",
    "headers": {},
    "cookies": {},
    "cb_kwargs": {},
    "flags": [],
    "dont_filter": False,
}
_DROPPED = frozenset({"url", "priority", "encoding", "meta", "headers", "body", "_class"})
_REFERER = b"Referer"
# Scrapy loads a policy named by a path of Python, which is not for what is read back to choose.
_POLICY = "referrer_policy"

# Public names, and those with one underscore; a counted \w takes 0.1 s to compile.
_Method = Annotated[str, Field(pattern=r"^_?[A-Za-z]\w*$", max_length=200)]


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
    dont_filter: bool = False
    referer: bool = False  # the page the link was found on
    request_class: Annotated[str, Field(alias="_class")] = ""


def freeze(request: Request, spider: Spider, *, own_meta: frozenset[str], parent_url: str = "") -> dict[str, Any]:
    """Return what `thaw` makes the request of again, JSON-safe; {} for a plain link.

    Parameters
    ----------
    own_meta
        Meta keys that are not the project's.
    parent_url
        Of the page it was found on, which `thaw` is told as well: a referrer that is the same takes no room.

    Raises
    ------
    TypeError, ValueError
        If it cannot be kept: JSON cannot hold it or would change it, its callback is no method of the spider, or it
        chooses its proxy or a policy of referrers of the project's own.
    """
    fields = request.to_dict(spider=spider)
    given = fields.get("meta") or {}
    if not _ROUTES.isdisjoint(given):
        raise ValueError("a request that chooses its proxy or address stays in its process")
    if "." in str(given.get(_POLICY, "")):
        raise ValueError("a request with a policy of referrers of its own stays in its process")
    kept = {
        name: value for name, value in fields.items() if name not in _DROPPED and value not in (None, _PLAIN.get(name))
    }
    meta = {name: value for name, value in given.items() if name not in own_meta}
    headers = {
        name.decode("latin-1"): [value.decode("latin-1") for value in values]
        for name, values in (fields.get("headers") or {}).items()
    }
    if parent_url and request.headers.getlist(_REFERER) == [parent_url.encode()]:
        del headers[_REFERER.decode()]
        kept["referer"] = True
    if meta:
        kept["meta"] = meta
    if headers:
        kept["headers"] = headers
    if fields.get("_class"):
        kept["_class"] = fields["_class"]
    json.dumps(kept, allow_nan=False)
    if not _comes_back(kept):
        raise TypeError("JSON would give other values back: a tuple or a key that is no text stays in its process")
    _check_names(KeptRequest.model_validate(kept), spider)
    return kept


def thaw(url: str, kept: Mapping[str, object], spider: Spider, *, parent_url: str = "") -> Request:
    """Return the request of a URL with what was kept of it; `parent_url` is the one `freeze` was told.

    Raises
    ------
    ValueError
        If what was kept is damaged, or names a class or a method that this project does not have.
    """
    fields = KeptRequest.model_validate(kept)
    made = _class_of(fields.request_class)
    headers = {**fields.headers, _REFERER.decode(): [parent_url]} if fields.referer and parent_url else fields.headers
    return made(
        url,
        callback=_method(spider, fields.callback),
        errback=_method(spider, fields.errback),
        headers=headers or None,
        cookies=fields.cookies or None,  # type: ignore[arg-type]  # Request checks what is in them
        meta={name: value for name, value in fields.meta.items() if _is_harmless(name, value)},
        cb_kwargs=fields.cb_kwargs or None,
        flags=fields.flags or None,
        dont_filter=fields.dont_filter,
    )


def _comes_back(value: object) -> bool:
    """Tell whether JSON gives back what it was given, by the types as well: no tuple, no number as a key.

    Texts of a parser, which know the element they come from, are texts.

    >>> _comes_back({"a": [1, None]}), _comes_back({"a": (1, None)}), _comes_back({7: "a"})
    (True, False, False)
    """
    if type(value) is dict:
        return all(_is_text(key) and _comes_back(part) for key, part in value.items())
    if type(value) is list:
        return all(map(_comes_back, value))
    return value is None or type(value) in (int, float, bool) or _is_text(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and not isinstance(value, Enum)


def _check_names(fields: KeptRequest, spider: Spider) -> None:
    """Raise ValueError for names that `thaw` would refuse: what cannot be read back must not be kept."""
    _class_of(fields.request_class)
    _method(spider, fields.callback)
    _method(spider, fields.errback)


def _is_harmless(name: str, value: object) -> bool:
    return name not in _ROUTES and not (name == _POLICY and "." in str(value))


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
    """Return a method of the spider by its name.

    One with an underscore has to be a method that a class of the project, or `CrawlSpider`, has beside those of
    `Spider`: what Scrapy itself calls a spider by is not for what is read back to call.
    """
    if name is None:
        return None
    if name.startswith("_"):
        known = inspect.isfunction(inspect.getattr_static(type(spider), name, None)) and not hasattr(Spider, name)
        method = getattr(spider, name) if known else None
    else:
        method = getattr(spider, name, None)
    if not callable(method):
        raise ValueError(f"the spider has no method {name[:100]}")
    return method
