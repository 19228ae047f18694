"""Media types of answers, and which are no pages."""

from __future__ import annotations

import re

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
"""Media types of ordinary pages, those for telephones of long ago among them."""
# Main types that are no page in any case. What is wrong with an answer that has none, or an odd one, its bytes tell.
_NO_PAGE = ("image/", "audio/", "video/", "font/")
_NO_PAGE_EITHER = frozenset(
    {
        "application/pdf",
        "application/zip",
        "application/gzip",
        "application/x-gzip",
        "application/x-tar",
        "application/x-7z-compressed",
        "application/x-rar-compressed",
        "application/vnd.rar",
        "application/java-archive",
        "application/epub+zip",
        "application/msword",
        "application/octet-stream",
        "application/javascript",
        "application/json",
        "text/css",
        "text/javascript",
    }
)


# Two tokens of RFC 9110, 5.6.2, of 127 characters at most (RFC 6838, 4.2).
_TYPE = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]{1,127}/[!#$%&'*+.^_`|~0-9a-z-]{1,127}")
# What servers write that know no better; browsers look at the bytes then (MIME Sniffing Standard, section 7).
_UNKNOWN = frozenset({"*/*", "unknown/unknown", "application/unknown"})


def media_type(content_type: str | None) -> str:
    """Return the media type of a Content-Type header, in lower case and without parameters; '' where there is none.

    What is no media type counts as none, and of several headers that a proxy joined by commas the last counts.

    >>> media_type("Text/HTML; charset=utf-8"), media_type("text/html, text/html; charset=utf-8"), media_type("*/*")
    ('text/html', 'text/html', '')
    """
    named = (content_type or "").partition(";")[0].rpartition(",")[2].strip().lower()
    return named if _TYPE.fullmatch(named) and named not in _UNKNOWN else ""


def is_no_page(content_type: str) -> bool:
    """Tell whether an answer of this Content-Type cannot be a page.

    >>> is_no_page("image/png"), is_no_page("application/pdf; x=y"), is_no_page("text/html"), is_no_page("")
    (True, True, False, False)
    """
    kind = media_type(content_type)
    return kind.startswith(_NO_PAGE) or kind in _NO_PAGE_EITHER
