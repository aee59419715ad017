"""Certificates: trusted for our names alone, made again when they must be, and never otherwise."""

from __future__ import annotations

import datetime as dt
import ipaddress
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from reachy_mind.access import certificate
from reachy_mind.access.certificate import Certificate
from reachy_mind.storage.home import Home

HOSTS = ["192.168.1.7", "robot.local"]


def made(home: Path, hosts: list[str]) -> tuple[x509.Certificate, x509.Certificate]:
    Certificate(Home(home), hosts).context()
    read = [x509.load_pem_x509_certificate((home / "tls" / name).read_bytes()) for name in ("server.pem", "ca.pem")]
    return read[0], read[1]


def test_a_phone_that_trusts_the_authority_trusts_our_names_and_no_others(home: Path) -> None:
    server, authority = made(home, HOSTS)
    policy = PolicyBuilder().store(Store([authority]))
    for name in (x509.DNSName("robot.local"), x509.IPAddress(ipaddress.ip_address("192.168.1.7"))):
        policy.build_server_verifier(name).verify(server, [])
    with pytest.raises(VerificationError):
        policy.build_server_verifier(x509.DNSName("bank.example")).verify(server, [])
    limits = authority.extensions.get_extension_for_class(x509.NameConstraints)
    assert limits.critical and x509.DNSName("local") in (limits.value.permitted_subtrees or [])


def test_it_is_made_again_only_when_it_must_be(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = made(home, HOSTS)
    assert made(home, HOSTS) == first
    moved = made(home, [*HOSTS, "192.168.1.8"])
    assert moved[0] != first[0] and moved[1] == first[1], "phones go on trusting it"
    public = made(home, ["203.0.113.9"])
    assert public[1] != first[1], "the authority was not for such an address"
    (home / "tls" / "server.key").write_text("broken")
    assert made(home, ["203.0.113.9"])[0] != public[0]
    monkeypatch.setattr(certificate, "RENEW_BEFORE_DAYS", 400)
    again = made(home, ["203.0.113.9"])
    assert again[0].not_valid_after_utc > dt.datetime.now(dt.UTC) + dt.timedelta(days=390) and again[1] == public[1]


def test_a_key_that_is_not_the_authoritys_signs_nothing(home: Path) -> None:
    """As an end between the writing of the one and of the other leaves them."""
    _, old = made(home, HOSTS)
    (home / "tls" / "ca.pem").unlink()
    made(home, HOSTS)
    (home / "tls" / "ca.pem").write_bytes(old.public_bytes(Encoding.PEM))
    server, authority = made(home, HOSTS)
    verifier = PolicyBuilder().store(Store([authority])).build_server_verifier(x509.DNSName("robot.local"))
    verifier.verify(server, [])
