"""HTML in which every string is escaped unless it was built here.

Titles, URLs and anchors come from pages nobody vouches for. `element` escapes what is not already `Html`, so forgetting
to escape is not possible, and `link` makes a link of http and https URLs only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from focuscrawl.page.readable_url import readable_url

# Control characters (C0, C1), the marks that turn the direction of the text around them, and lone surrogates, which
# cannot be written as UTF-8.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_WEB = re.compile(r"https?://", re.IGNORECASE)
_VOID = frozenset({"br", "input", "link", "meta"})


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def clean(text: str) -> str:
    """Return `text` without characters that act on a terminal or a browser instead of being shown."""
    return _UNPRINTABLE.sub("", text)


def text(value: str) -> Html:
    """Return `value` escaped."""
    return value if isinstance(value, Html) else Html(escape(clean(value)))


def element(name: str, /, *children: Html | str | int | Iterable[Html | str] | None, **attributes: str | None) -> Html:
    """Return an element; strings are escaped, None is left out, `class_` stands for ``class``, ``_`` for ``-``."""
    attrs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(clean(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Html(f"<{name}{attrs}>")
    return Html(f"<{name}{attrs}>{''.join(_flat(children))}</{name}>")


def join(*children: Html | str | int | Iterable[Html | str] | None) -> Html:
    """Return the children one after the other, strings escaped."""
    return Html("".join(_flat(children)))


def link(url: str, label: str | None = None) -> Html:
    """Return a link to an http or https URL, the bare label for any other, by default the decoded address."""
    shown = element("bdi", clean(label or readable_url(url)) or url)
    if not _WEB.match(url):
        return shown
    return element("a", shown, href=url, rel="noopener noreferrer nofollow")


def _flat(children: Iterable[Html | str | int | Iterable[Html | str] | None]) -> Iterable[str]:
    for child in children:
        if child is None:
            continue
        if isinstance(child, str):
            yield text(child)
        elif isinstance(child, int):
            yield str(child)
        else:
            yield from _flat(child)
