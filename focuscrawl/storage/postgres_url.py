"""The address of a crawl in PostgreSQL: which server, which crawl, and never its password."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from focuscrawl.errors import ConfigError

POSTGRES = "postgres"
"""Name of the store."""
_SCHEMES = ("postgresql://", "postgres://")
_CRAWL = "crawl"  # our own parameter of the URL; libpq does not know it
_SECRETS = frozenset({"password", "sslpassword"})
_HIDDEN = "***"


@dataclass(frozen=True, slots=True)
class PostgresPlace:
    """A server, and the crawl that is meant there ('' when the URL names none)."""

    url: str  # as libpq reads it
    crawl: str = ""

    @property
    def shown(self) -> str:
        """The address as people may see it."""
        return masked(self.url)

    def say(self, error: BaseException) -> str:
        """Return the first line of what the driver said, without the password."""
        line = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
        for secret in _passwords(self.url):
            line = line.replace(secret, _HIDDEN)
        return line.rstrip(".")


def is_postgres(text: str) -> bool:
    """Tell whether `text` is the address of a PostgreSQL server, not a folder.

    >>> is_postgres("postgresql://localhost/crawls"), is_postgres("crawls/chess")
    (True, False)
    """
    return text.strip().lower().startswith(_SCHEMES)


def parse_place(url: str) -> PostgresPlace:
    """Return server and crawl of a URL; the crawl is named by ``?crawl=NAME``.

    >>> parse_place("postgresql://db.example/crawls?crawl=chess&sslmode=require")
    PostgresPlace(url='postgresql://db.example/crawls?sslmode=require', crawl='chess')

    Raises
    ------
    ConfigError
        If it is none; the sentence does not repeat it, since its password could then be anywhere.
    """
    text = url.strip()
    if not is_postgres(text):
        raise ConfigError("The address of PostgreSQL: expected postgresql://user@host:port/database.")
    try:
        parts = urlsplit(text)
        _ = parts.port
        # libpq ends the login at the first @, and takes the rest of a password for the host, or for the database.
        if parts.netloc.count("@") > 1 or "@" in parts.path + parts.fragment + parts.query.partition("=")[0]:
            raise ValueError
    except ValueError:
        raise ConfigError(
            "The address of PostgreSQL cannot be read: expected postgresql://user:password@host:port/database,"
            " with characters such as @ / # in the password written as %40 %2F %23."
        ) from None
    query = parse_qsl(parts.query, keep_blank_values=True)
    crawl = next((value for name, value in query if name == _CRAWL), "")
    kept = urlencode([(name, value) for name, value in query if name != _CRAWL], safe="/:")
    return PostgresPlace(urlunsplit(parts._replace(query=kept)), crawl)


def masked(url: str) -> str:
    """Return a URL with its passwords blanked.

    >>> masked("postgresql://me:pw@db.example/crawls?sslmode=require&password=x")
    'postgresql://me:***@db.example/crawls?sslmode=require&password=***'
    """
    # Up to the last @ before the path: a password may have an @ that nobody escaped.
    url = re.sub(r"(?<=://)([^:/?#]*):[^/?#]*@", rf"\1:{_HIDDEN}@", url, count=1)
    return re.sub(r"(?<=[?&])((?:ssl)?password)=[^&#]*", rf"\1={_HIDDEN}", url, flags=re.I)


def _passwords(url: str) -> list[str]:
    parts = urlsplit(url)
    found = [parts.password or "", unquote(parts.password or "")]
    found += [value for name, value in parse_qsl(parts.query) if name.lower() in _SECRETS]
    return sorted({secret for secret in found if secret}, key=len, reverse=True)
