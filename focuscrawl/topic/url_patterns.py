"""Regular expressions of a topic file, searched in URLs in linear time.

They come from strangers, like the URLs: to Python's own engine ``(a+)+$`` costs hours on a URL of forty characters. RE2
has no look-around and no back references, and so needs time that is linear in the URL.
"""

from __future__ import annotations

from collections.abc import Sequence

import re2

# A pattern of 500 characters may ask for a million copies of a piece.
_MAX_PATTERN_BYTES = 2**20
_MAX_LIST_BYTES = 2**23


class UrlPatterns:
    """A list of patterns, searched all at once.

    Raises
    ------
    ValueError
        If one of them is no pattern, or together they are too large; the message says so.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = [_compiled(pattern) for pattern in patterns]
        self._set = re2.Set.SearchSet(_options(_MAX_LIST_BYTES))
        for pattern in ("", *patterns):
            self._set.Add(pattern)
        try:
            self._set.Compile()
        except re2.error:
            raise ValueError("the regular expressions together are too large: shorten or drop some") from None

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def match(self, url: str) -> bool:
        """Tell whether one of the patterns is found in `url`."""
        found = self._set.Match(url)
        if found:
            return len(found) > 1
        # Not even the empty pattern was found: all at once took more memory than they may. One by one they do not.
        return any(pattern.search(url) for pattern in self._patterns)


def patterns_fault(patterns: Sequence[str]) -> str:
    """Return what is wrong with a list of patterns, '' when nothing is."""
    try:
        UrlPatterns(patterns)
    except ValueError as error:
        return str(error)
    return ""


def _compiled(pattern: str) -> re2._Regexp[str]:
    try:
        return re2.compile(pattern, _options(_MAX_PATTERN_BYTES))
    except re2.error as error:
        reason = error.args[0]
        if isinstance(reason, bytes):
            reason = reason.decode("utf-8", "replace")
        fault = f"not a regular expression of RE2 (which has no look-around and no back references): {reason}"
        raise ValueError(fault) from None


def _options(max_bytes: int) -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = max_bytes
    return options
