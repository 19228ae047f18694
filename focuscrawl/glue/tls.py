"""Certificates: verified on every connection; what fails is marked, or refused (DOWNLOAD_VERIFY_CERTIFICATES)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Set
from typing import TYPE_CHECKING, Any

from OpenSSL import SSL
from scrapy.core.downloader.contextfactory import _ScrapyCertificateOptions, _ScrapyClientContextFactory
from service_identity import CertificateError, VerificationError
from service_identity.hazmat import DNS_ID, IPAddress_ID, ServiceID, verify_service_identity
from service_identity.pyopenssl import extract_patterns
from twisted.internet._sslverify import ClientTLSOptions
from twisted.internet.ssl import platformTrust
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from OpenSSL.crypto import X509
    from scrapy.crawler import Crawler

# Faults of a chain by OpenSSL's number (openssl-verification-options(1)); others keep the number.
_FAULTS = {
    9: "not valid yet",
    10: "expired",
    18: "self-signed",
    19: "signed by an unknown authority",
    20: "signed by an unknown authority",
    21: "signed by an unknown authority",
    23: "revoked",
}
_OTHER_NAME = "made out to another name"
# Hosts whose last handshake is remembered.
_MAX_HOSTS = 10_000


@implementer(IPolicyForHTTPS)
class CertificatePolicy:
    """Makes TLS connections, and remembers of each host what was wrong with its certificate.

    Parameters
    ----------
    refuse
        Whether a connection fails whose certificate cannot be verified.
    strict
        Host names and ports of which it fails in any case: they are sent a password.
    """

    def __init__(self, crawler: Crawler, *, refuse: bool, strict: Set[tuple[str, int]] = frozenset()) -> None:
        self._refuse = refuse
        self._strict = strict
        settings = _ScrapyClientContextFactory.from_crawler(crawler)
        # One for all hosts: it reads the list of authorities.
        self._options: Any = _ScrapyCertificateOptions(
            trustRoot=platformTrust(),  # type: ignore[no-untyped-call]
            **settings._get_cert_options_kwargs(),
        )
        self._faults: OrderedDict[tuple[str, int], str] = OrderedDict()

    def creatorForNetloc(self, hostname: bytes, port: int) -> ClientTLSOptions:  # noqa: N802 - the name is Twisted's
        """Return what makes a connection to a host."""
        name = hostname.decode("ascii")
        return _Verified(
            self._options._makeTLSConnection,
            name,
            self.refuses(name, port),
            lambda fault: self._note(name, port, fault),
        )

    def refuses(self, host: str, port: int) -> bool:
        """Tell whether a host must have a good certificate."""
        return self._refuse or (host, port) in self._strict

    def fault(self, host: str, port: int) -> str:
        """Return what is wrong with the certificate of a host's last connection, '' for nothing."""
        return self._faults.get((host, port), "")

    def _note(self, host: str, port: int, fault: str) -> None:
        self._faults[host, port] = fault
        self._faults.move_to_end((host, port))
        if len(self._faults) > _MAX_HOSTS:
            self._faults.popitem(last=False)


class _Verified(ClientTLSOptions):
    """Connections to one host, each with a callback of its own."""

    def __init__(self, make: Any, host: str, refuse: bool, note: Callable[[str], None]) -> None:
        super().__init__(make, host)
        self._refuse = refuse
        self._note = note

    def clientConnectionForTLS(self, tlsProtocol: Any) -> SSL.Connection:  # noqa: N802, N803 - Twisted's names
        connection = super().clientConnectionForTLS(tlsProtocol)
        wanted: ServiceID = (
            DNS_ID(self._hostnameASCII) if self._hostnameIsDnsName else IPAddress_ID(self._hostnameASCII)
        )
        faults: list[str] = []

        def verified(_: SSL.Connection, certificate: X509, error: int, depth: int, ok: int) -> bool:
            fault = "" if ok else _FAULTS.get(error, f"error {error} of its chain")
            if not fault and depth == 0 and not _is_for(certificate, wanted):
                fault = _OTHER_NAME
            if fault:
                faults.append(fault)
            self._note(faults[0] if faults else "")
            return not (fault and self._refuse)

        connection.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT, verified)
        return connection


def _is_for(certificate: X509, wanted: ServiceID) -> bool:
    try:
        verify_service_identity(extract_patterns(certificate), [wanted], [])
    except (CertificateError, VerificationError, ValueError):
        return False
    return True
