"""Policy of addresses a crawl may contact: decisions only, no look-ups and no connections.

A page can link to anything: the router's web page, a cloud's metadata service, a database on this machine. So a crawl
contacts global addresses only, unless it is told otherwise. A literal address is refused in whatever spelling; a name
is judged by what it resolves to, at the moment of connecting (glue/address_guard.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

import ada_url

from focuscrawl.wording.base import Say
from focuscrawl.wording.endings import NOT_PUBLIC, THIS_MACHINE

_GLOBAL_UNICAST = IPv6Network("2000::/3")  # all that is given out to the internet (RFC 4291, 2.4)
_TEREDO = IPv6Network("2001::/32")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: the last four bytes are an IPv4 address
_MAPPED = IPv6Network("::ffff:0:0/96")
# RFC 6761: loopback for everybody, whatever a name server says.
_LOOPBACK_NAMES = ("localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback")
# Special blocks that versions of Python disagree on: protocol assignments, the withdrawn relays of 6to4.
_SPECIAL = (ip_network("192.0.0.0/24"), ip_network("192.88.99.0/24"))
_DOCUMENTATION = IPv6Network("3fff::/20")  # RFC 9637, later than most versions of Python
# A host nobody can read in two ways: plain labels, the last one a word. Nearly all URLs, a tenth of the time.
_PLAIN = re.compile(r"https?://((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*)(?::[0-9]{1,5})?(?:[/?#]|$)")
_SAY = Say("en")  # reasons are stored in English, and shown in another language by the same texts
_MAX_CACHED = 20_000


def is_global(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address is one of the public internet; IPv6 addresses that carry an IPv4 one are judged by it.

    >>> is_global(ip_address("8.8.8.8")), is_global(ip_address("::ffff:127.0.0.1"))
    (True, False)
    """
    if isinstance(address, IPv4Address):
        return (
            address.is_global
            and not address.is_multicast
            and not address.is_reserved
            and not any(address in block for block in _SPECIAL)
        )
    if address in _MAPPED or address in _NAT64:
        return is_global(IPv4Address(int(address) & 0xFFFFFFFF))
    if address in _SIX_TO_FOUR:
        return is_global(IPv4Address((int(address) >> 80) & 0xFFFFFFFF))
    if address not in _GLOBAL_UNICAST or address in _TEREDO or address in _DOCUMENTATION:
        return False
    return address.is_global


class AddressPolicy:
    """Policy of the addresses a crawl may contact.

    Parameters
    ----------
    allow
        True for every address, False for global ones only, or host names, addresses and networks that are fine too.
    ftp
        Whether ftp may be used beside http and https.
    """

    def __init__(self, allow: bool | Iterable[str] = False, *, ftp: bool = False) -> None:
        self._schemes = ("http://", "https://", "ftp://") if ftp else ("http://", "https://")
        self.allow_all = allow is True
        self._names: set[str] = set()
        self._networks = []
        self._plain: dict[str, str] = {}
        for item in () if isinstance(allow, bool) else allow:
            try:
                self._networks.append(ip_network(item.strip("[]"), strict=False))
            except ValueError:
                self._names.add(_name(item))

    def url_refusal(self, url: str) -> str:
        """Return why a request to `url` must not be made, '' when it may.

        Two readings of the URL have to pass, the one of browsers and the one of Python's library: they differ on
        backslashes and user info, and nobody should be able to choose which is checked and which is fetched.
        """
        if not url[:8].lower().startswith(self._schemes):
            return "only http and https are fetched"
        if self.allow_all:
            return ""
        plain = _PLAIN.match(url)
        if plain:
            name = plain[1]
            why = self._plain.get(name)
            if why is None:
                if len(self._plain) >= _MAX_CACHED:
                    self._plain.clear()
                why = self._plain[name] = self.host_refusal(name)
            return why
        hosts = _hosts(url)
        if hosts is None:
            return "not a URL that can be fetched"
        for host in hosts:
            why = self.host_refusal(host)
            if why:
                return why
        return ""

    def host_refusal(self, host: str) -> str:
        """Return why `host` (a name, or an address in normal form) must not be contacted, '' when it may.

        A name passes unless it means loopback by itself; what it resolves to is another question.
        """
        if self.allow_all:
            return ""
        name = _name(host)
        if not name:
            return "no host"
        if name in self._names:
            return ""
        address = _address(name)
        if address is not None:
            return self.address_refusal(address)
        if name in _LOOPBACK_NAMES or name.endswith(".localhost"):
            return _SAY(THIS_MACHINE, name=name)
        return ""

    def address_refusal(self, address: IPv4Address | IPv6Address, *, name: str = "") -> str:
        """Return why `address`, perhaps what `name` resolved to, must not be contacted, '' when it may."""
        if self.allow_all or is_global(address) or (name and _name(name) in self._names):
            return ""
        if any(address in network for network in self._networks):
            return ""
        return _SAY(NOT_PUBLIC, address=f"{name} ({address})" if name else address)


def address_of(text: str) -> IPv4Address | IPv6Address | None:
    """Return the address that `text` spells, as resolvers and sockets give them; None for a name."""
    return _address(text)


@lru_cache(maxsize=4096)
def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None
    return address


def _name(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()


def _hosts(url: str) -> set[str] | None:
    try:
        browser = ada_url.URL(url).hostname
        python = urlsplit(url).hostname or ""
        if python and python != browser:
            # The library keeps spellings such as 0x7f.1 as they are; read alone, it is a host like any other.
            literal = f"[{python}]" if ":" in python else python
            python = ada_url.URL(f"http://{literal}/").hostname
    except (ValueError, UnicodeError):
        return None
    return {browser, python}
