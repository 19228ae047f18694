"""Names of crawlers in a robots.txt: those of other crawlers become one.

Parsers keep each rule of a group once for each name above it: 100 kB with 4,000 names above 4,000 rules took 36 s and
1.1 GB, and the limit of 500 KiB would have let through twenty times as much.
"""

from __future__ import annotations

import re

# What a parser may take for a line with names, white space and spelling as lenient as theirs.
_NAME = re.compile(r"(\s*+(?:user-?agent|user\s++agent)(?:\s*+:|\s)\s*+)([^#]*+)", re.IGNORECASE)
_OTHER = "some-other-crawler"
# An honest file has two: the crawler's and "*".
_MOST_NAMES = 20


def with_own_names(body: bytes, agent: str) -> bytes:
    r"""Return a robots.txt with one name in the place of all that are not part of `agent`, its groups as they were.

    >>> with_own_names(b"User-agent: a\nUser-agent: Focus # us\nUser-agent: *\nDisallow: /x", "focus/1.0").decode()
    'User-agent: some-other-crawler\nUser-agent: Focus # us\nUser-agent: *\nDisallow: /x'
    """
    own, agent = set[str](), agent.lower()

    def kept(line: str) -> str:
        found = _NAME.match(line)
        if found is None or not (name := found[2].strip().lower()):
            return line
        if name not in own and (name == "*" or name.replace("*", "") in agent) and len(own) < _MOST_NAMES:
            own.add(name)
        return line if name in own else f"{found[1]}{_OTHER}"

    # Lines end where they do for parsers, which take text.
    return "\n".join([kept(line) for line in body.decode("utf-8-sig", "ignore").splitlines()]).encode()
