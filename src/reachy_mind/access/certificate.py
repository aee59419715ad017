"""`Certificate`: TLS certificates for serving on the local network, generated in `tls/` of the data folder.

A certificate authority, generated once, signs the server's certificate, which names this machine's addresses and is
renewed before it expires or when they change. A phone that trusts `ca.pem` shows no warning any more. Name constraints
limit the authority to home networks, so a stolen key can't impersonate public sites. Only the user can read the keys.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
from collections.abc import Iterable, Sequence
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from reachy_mind.storage.files import write_text_atomically
from reachy_mind.storage.home import Home

AUTHORITY_DAYS, SERVER_DAYS = 3650, 397
RENEW_BEFORE_DAYS = 30
HOME_NETWORKS = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "127.0.0.0/8")

Key = ec.EllipticCurvePrivateKey


class Certificate:
    """The certificates of a data folder, for these host names and addresses."""

    def __init__(self, home: Home, hosts: Iterable[str]) -> None:
        self._folder = home.tls_folder
        self._hosts = sorted(set(hosts) | {"localhost", "127.0.0.1"})

    @property
    def authority_file(self) -> Path:
        """The authority's certificate, for phones to trust; not secret."""
        return self._folder / "ca.pem"

    def context(self) -> ssl.SSLContext:
        """The server's TLS context. Generates what is missing, expiring or for other addresses. Raises ConfigError."""
        authority, key = self._authority()
        server = _read(self._folder / "server.pem")
        if server is None or not self._is_current(server, authority):
            self._sign(authority, key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self._folder / "server.pem", self._folder / "server.key")
        return context

    def fingerprint(self) -> str:
        """SHA-256 of the authority's certificate, for people to compare."""
        found = _read(self.authority_file)
        return found.fingerprint(hashes.SHA256()).hex(":").upper() if found else ""

    def _authority(self) -> tuple[x509.Certificate, Key]:
        found, key = _read(self.authority_file), _read_key(self._folder / "ca.key")
        # A crash between the two writes leaves a certificate with another key.
        fits = found and key and key.public_key() == found.public_key()
        if found and key and fits and not _expires_soon(found) and all(_permits(found, host) for host in self._hosts):
            return found, key
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Reachy Mind, this machine's own authority")])
        networks = [ipaddress.ip_network(each) for each in HOME_NETWORKS]
        networks += [ipaddress.ip_network(host) for host in self._hosts if _is_address(host)]
        allowed: list[x509.GeneralName] = [x509.IPAddress(network) for network in networks]
        allowed += [x509.DNSName(name) for name in ("local", *(h for h in self._hosts if not _is_address(h)))]
        certificate = (
            _builder(name, name, key, AUTHORITY_DAYS)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage(signs=True), critical=True)
            .add_extension(x509.NameConstraints(allowed, None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .sign(key, hashes.SHA256())
        )
        write_text_atomically(self._folder / "ca.key", _pem(key))
        write_text_atomically(self.authority_file, _pem(certificate))
        return certificate, key

    def _sign(self, authority: x509.Certificate, signer: Key) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Reachy Mind")])
        certificate = (
            _builder(name, authority.subject, key, SERVER_DAYS)
            .add_extension(x509.SubjectAlternativeName(_general_names(self._hosts)), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(signs=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
            .sign(signer, hashes.SHA256())
        )
        write_text_atomically(self._folder / "server.key", _pem(key))
        write_text_atomically(self._folder / "server.pem", _pem(certificate))

    def _is_current(self, server: x509.Certificate, authority: x509.Certificate) -> bool:
        key = _read_key(self._folder / "server.key")
        if key is None or key.public_key() != server.public_key() or _expires_soon(server):
            return False
        try:
            server.verify_directly_issued_by(authority)
            named = server.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        except (InvalidSignature, ValueError, TypeError, x509.ExtensionNotFound):
            return False
        return set(named) == set(_general_names(self._hosts))


def _builder(name: x509.Name, issuer: x509.Name, key: Key, days: int) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))  # a phone's clock may be behind
        .not_valid_after(now + dt.timedelta(days=days))
    )


def _key_usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _general_names(hosts: Sequence[str]) -> list[x509.GeneralName]:
    return [x509.IPAddress(ipaddress.ip_address(h)) if _is_address(h) else x509.DNSName(h) for h in hosts]


def _permits(authority: x509.Certificate, host: str) -> bool:
    try:
        allowed = authority.extensions.get_extension_for_class(x509.NameConstraints).value.permitted_subtrees or []
    except x509.ExtensionNotFound:
        return False
    if _is_address(host):
        address = ipaddress.ip_address(host)
        networks = [ipaddress.ip_network(each.value) for each in allowed if isinstance(each, x509.IPAddress)]
        return any(address in network for network in networks)
    return any(isinstance(each, x509.DNSName) and f".{host}".endswith(f".{each.value}") for each in allowed)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _expires_soon(certificate: x509.Certificate) -> bool:
    return certificate.not_valid_after_utc - dt.datetime.now(dt.UTC) < dt.timedelta(days=RENEW_BEFORE_DAYS)


def _read(file: Path) -> x509.Certificate | None:
    """None for a missing or unreadable file: it is generated again."""
    try:
        return x509.load_pem_x509_certificate(file.read_bytes())
    except (OSError, ValueError):
        return None


def _read_key(file: Path) -> Key | None:
    try:
        key = serialization.load_pem_private_key(file.read_bytes(), password=None)
    except (OSError, ValueError, TypeError):
        return None
    return key if isinstance(key, ec.EllipticCurvePrivateKey) else None


def _pem(found: Key | x509.Certificate) -> str:
    if isinstance(found, x509.Certificate):
        return found.public_bytes(serialization.Encoding.PEM).decode()
    return found.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
