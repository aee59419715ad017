"""The cost of a day: kept in a file in which several parts of a process count."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from reachy_mind.brains.brain import BrainUnavailable
from reachy_mind.brains.daily_cost import DailyCost


async def test_two_that_count_in_one_file_count_together(tmp_path: Path) -> None:
    file = tmp_path / "spent.json"
    one, other = DailyCost(file, 1.0), DailyCost(file, 1.0)
    await one.add(0.3)
    await other.add(0.4)
    await asyncio.gather(*(each.add(0.1) for each in (one, other)))
    assert one.today == pytest.approx(0.9)
    assert other.today == pytest.approx(0.9)
    assert json.loads(file.read_text())["usd"] == pytest.approx(0.9)
    with pytest.raises(BrainUnavailable):
        other.require(0.2, "a.limit")


async def test_a_file_that_cannot_be_read_stops_spending(tmp_path: Path) -> None:
    cost = DailyCost(tmp_path / "absent", 1.0)
    await cost.add(0.3)
    (tmp_path / "absent").write_text("{")
    await cost.add(0.3)
    with pytest.raises(BrainUnavailable):
        cost.require(0.0, "a.limit")  # a limit that is not known is not passed
