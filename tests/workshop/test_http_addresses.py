"""Addresses that sandboxed code may not reach by a name: this machine and its networks, in every notation."""

from __future__ import annotations

import pytest

from reachy_mind.workshop.http_broker import is_public

PRIVATE = """
127.0.0.1 10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255
::1 :: fe80::1%eth0 fc00::1 fec0::1 ff02::1 ::ffff:127.0.0.1 ::ffff:192.168.1.1
::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::a00:1 2002:7f00:1:: 2002:c0a8:101::
"""


@pytest.mark.parametrize("address", PRIVATE.split())
def test_an_address_of_this_network_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8", "2002:808:808::1", "64:ff9b::808:808"]
)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)
