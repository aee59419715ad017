"""Faults between a device and the control plane, with real processes: nothing is lost, nothing applied twice.

`bench fleet_faults` has all scenarios, with ten rounds each.
"""

from __future__ import annotations

import pytest

from reachy_mind.bench.fleet_fault_scenarios import SCENARIOS
from reachy_mind.bench.fleet_faults import not_happened, run, unavailable

pytestmark = pytest.mark.process

ROUNDS = 2


@pytest.mark.parametrize("name", ["kill_both", "cut", "repeat", "damage", "full_disk", "kill_node"])
async def test_nothing_is_lost_and_nothing_applied_twice(name: str) -> None:
    if reason := unavailable(SCENARIOS[name].needs):
        pytest.skip(reason)
    outcome = await run(name, rounds=ROUNDS)
    assert outcome.harmed == 0, outcome
    assert outcome.accepted > 0 and outcome.commands > 0
    assert not_happened(name, outcome) == [], outcome
