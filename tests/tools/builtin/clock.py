"""A clock that tests set, at noon of Tuesday 3 March 2026 in Paris."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

NOON = 1772535600.0


@dataclass
class Clock:
    at: float

    def __call__(self) -> float:
        return self.at


def at_noon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """For a fixture: this computer stands in Paris."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Europe/Paris")
        time.tzset()
        yield
    time.tzset()
