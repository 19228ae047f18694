"""Logins and proxies by site, from a file that only its owner can read."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from focuscrawl.errors import InputError, os_reason

_KEYS = frozenset({"user", "password", "password_env", "proxy"})
_PORTS = {"http": 80, "https": 443}

Site = tuple[str, str, int]
"""Scheme, host name and port: what a browser calls an origin."""


@dataclass(frozen=True, slots=True)
class SiteAccess:
    """How one site is reached."""

    user: str = ""
    password: str = field(default="", repr=False)
    proxy: str = field(default="", repr=False)  # may have a password in it


class Logins:
    """Access by site; a password is for its own scheme, host and port only."""

    def __init__(self, sites: Mapping[Site, SiteAccess]) -> None:
        self._sites = dict(sites)

    def of(self, url: str) -> SiteAccess | None:
        """Return the access of the site of a URL, None where nothing is said of it."""
        site = _site(url)
        return self._sites.get(site) if site is not None else None

    @property
    def with_password(self) -> frozenset[tuple[str, int]]:
        """Host names and ports that a password is sent to."""
        return frozenset((host, port) for (_, host, port), access in self._sites.items() if access.user)

    @classmethod
    def load(cls, path: Path, environment: Mapping[str, str] = os.environ) -> Logins:
        """Return what a file says: a table ``["https://library.example"]`` for each site.

        Its keys: ``user``, with ``password`` or ``password_env`` (the environment variable that has it); ``proxy``.

        Raises
        ------
        ConfigError
            If others than its owner can read the file, or it cannot be read, or says something else. No message has a
            password in it.
        """
        try:
            with path.open("rb") as file:
                mode = os.fstat(file.fileno()).st_mode
                if not stat.S_ISREG(mode) or mode & 0o077:
                    raise InputError(f"{path}: others can read this file of passwords; say `chmod 600 {path}`.")
                tables = tomllib.load(file)
        except OSError as error:
            raise InputError(f"{path}: the file of logins cannot be read: {os_reason(error)}.") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError):
            # What the parser says may quote a line with a password.
            raise InputError(f'{path}: no TOML; expected ["https://host"] and below it user = "…".') from None
        return cls({_checked(path, name): _access(path, name, table, environment) for name, table in tables.items()})


def _site(url: str) -> Site | None:
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname.rstrip("."), port) if parts.scheme in _PORTS and parts.hostname else None


def _checked(path: Path, name: str) -> Site:
    site = _site(name)
    if site is None or "@" in name or urlsplit(name).path not in ("", "/"):
        raise InputError(f"{path}: a table is not named by a site; expected a name such as https://library.example.")
    return site


def _access(path: Path, name: str, table: object, environment: Mapping[str, str]) -> SiteAccess:
    if not isinstance(table, dict) or not set(table) <= _KEYS or not all(isinstance(v, str) for v in table.values()):
        raise InputError(f"{path}: {name}: expected texts named {', '.join(sorted(_KEYS))}, and nothing else.")
    password = table.get("password", "")
    if variable := table.get("password_env"):
        if variable not in environment:
            raise InputError(f"{path}: {name}: the environment variable {variable} is not set.")
        password = environment[variable]
    if bool(table.get("user")) != bool(password):
        raise InputError(f"{path}: {name}: user and password belong together.")
    return SiteAccess(table.get("user", ""), password, table.get("proxy", ""))
