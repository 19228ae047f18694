"""Certificates of the tests, and a server that speaks TLS with one of them."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


@cache
def _authority() -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key = ec.generate_private_key(ec.SECP256R1())
    return _signed("authority of the tests", key, _name("authority of the tests"), key, authority=True), key


def _signed(
    host: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Name,
    issuer_key: ec.EllipticCurvePrivateKey,
    *,
    ended_days_ago: int = -10,
    authority: bool = False,
) -> x509.Certificate:
    end = datetime.now(UTC) - timedelta(days=ended_days_ago)
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(host))
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(end - timedelta(days=30))
        .not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        # Python 3.13 checks as RFC 5280 wants it: what an authority signs names its key, which may sign certificates.
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False)
    )
    if authority:
        unused = "digital_signature content_commitment key_encipherment data_encipherment key_agreement crl_sign"
        usage = dict.fromkeys([*unused.split(), "encipher_only", "decipher_only"], False)
        builder = builder.add_extension(x509.KeyUsage(key_cert_sign=True, **usage), critical=True)
    else:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


def authority_file(folder: Path) -> Path:
    """Write the certificate of the tests' authority; OpenSSL reads it when SSL_CERT_FILE names it."""
    path = folder / "authority.pem"
    path.write_bytes(_authority()[0].public_bytes(serialization.Encoding.PEM))
    return path


def server_context(folder: Path, host: str, *, expired: bool = False, self_signed: bool = False) -> ssl.SSLContext:
    """Return what a server needs that shows a certificate for `host`."""
    key = ec.generate_private_key(ec.SECP256R1())
    if self_signed:
        certificate = _signed(host, key, _name(host), key)
    else:
        authority, authority_key = _authority()
        certificate = _signed(host, key, authority.subject, authority_key, ended_days_ago=5 if expired else -10)
    path = folder / f"{host}.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context
