"""The ways of the operating system, and the portable ones beside them."""

from __future__ import annotations

import pytest

from reachy_mind.system import portability


@pytest.fixture(params=["native", "portable"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each test runs on both ways."""
    monkeypatch.setenv(portability.VARIABLE, "1" if request.param == "portable" else "0")
    return str(request.param)
