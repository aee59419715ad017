"""A control plane tells its network where it is, and a device finds it there: mDNS on loopback."""

from __future__ import annotations

import ssl
from dataclasses import replace
from pathlib import Path

import pytest

from reachy_mind.access.certificate import Certificate
from reachy_mind.fleet.agent.discovery import find_hubs, find_moved
from reachy_mind.fleet.control.advertisement import advertised
from reachy_mind.fleet.control.binding import Binding
from reachy_mind.fleet.device.enrolment import DeviceIdentity
from reachy_mind.storage.home import Home

LOOPBACK = ("127.0.0.1",)


@pytest.fixture
def bound(tmp_path: Path) -> Binding:
    certificate = Certificate(Home(tmp_path), ["127.0.0.1"])
    context: ssl.SSLContext = certificate.context()
    url = "https://127.0.0.1:8700"
    return Binding("127.0.0.1", 8700, context, url, url, str(certificate.authority_file))


async def test_a_device_finds_a_control_plane_that_moved_by_its_authority(bound: Binding, tmp_path: Path) -> None:
    identity = DeviceIdentity("https://192.0.2.1:8700", "kitchen", "dev_kitchen_x", ca=bound.authority)
    async with advertised(bound, "node-1", interfaces=LOOPBACK) as told:
        assert told
        found = await find_hubs(1.5, LOOPBACK)
        assert [(hub.name, hub.url) for hub in found] == [("node-1", "https://127.0.0.1:8700")]
        assert await find_moved(identity, LOOPBACK) == replace(identity, url="https://127.0.0.1:8700")
        other = Certificate(Home(tmp_path / "other"), ["127.0.0.1"])
        other.context()
        stranger = replace(identity, ca=str(other.authority_file))
        assert await find_moved(stranger, LOOPBACK) is None, "its token is for another authority"
        assert await find_moved(replace(identity, ca=""), LOOPBACK) is None, "nothing proves who is there"


async def test_one_that_serves_this_machine_alone_is_not_told_of(bound: Binding) -> None:
    async with advertised(bound, "node-1") as told:
        assert not told
    async with advertised(replace(bound, host="192.0.2.1", context=None), "node-1") as told:
        assert not told
