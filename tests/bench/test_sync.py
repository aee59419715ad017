"""`bench sync` with few starts: real processes, delayed connections, clocks of their own; every device is heard."""

from __future__ import annotations

import pytest

from reachy_mind.bench import sync
from reachy_mind.bench.jitter_proxy import LAN

pytestmark = pytest.mark.process


async def test_five_processes_with_clocks_of_their_own_begin_at_the_time_that_was_fixed() -> None:
    planned, at_once, clocks, problems = await sync.run(LAN, 2)
    assert problems == []
    assert len(planned) == len(at_once) == 2
    assert all(len(each.errors_ms) == sync.DEVICES for each in (*planned, *at_once))
    assert len(clocks) == sync.DEVICES and all(each["samples"] >= 8 for each in clocks)
    farthest = max(abs(error) for each in planned for error in each.errors_ms)
    assert farthest < 250, "clocks that are a day apart begin within a moment"
