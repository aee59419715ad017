from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from reachy_mind.body.address import Address
from tests.conformance.bodies import ADDRESSES
from tests.fakes.processes import Daemon

FAILURES = (AssertionError, pytest.fail.Exception, httpx.HTTPStatusError)
"""How a body differs; that it can't be reached is something else."""


def _params() -> list[object]:
    skips = {name: pytest.mark.skipif(not address, reason="no such daemon") for name, address in ADDRESSES.items()}
    return ["simulator", *(pytest.param(name, marks=skip) for name, skip in skips.items())]


@pytest.fixture(params=_params())
def body(request: pytest.FixtureRequest) -> str:
    """Which body a test runs on; where it is known to differ, the test must fail."""
    name: str = request.param
    for mark in request.node.iter_markers("differs"):
        if name in mark.args[0].bodies:
            known = pytest.mark.xfail(strict=True, raises=FAILURES, reason=mark.args[0].reason)
            request.applymarker(known)
    return name


@pytest.fixture
def robot(body: str, request: pytest.FixtureRequest) -> Address:
    if body in ADDRESSES:
        return Address.parse(ADDRESSES[body])
    daemon: Daemon = request.getfixturevalue("daemon")
    httpx.post(f"{daemon.url}/sim/v1/reset").raise_for_status()
    return daemon.address


@pytest.fixture
def http(robot: Address) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=robot.http, timeout=30) as client:
        yield client
