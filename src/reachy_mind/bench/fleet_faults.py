"""Faults between a device and the control plane: how many events and commands are lost, or applied twice.

Ours: a device process and `reachy-mind fleet serve`, with kills, cuts, damaged, repeated and reordered frames, full
disks and servers that restart. An event counts as accepted once the device has printed it after its commit, a command
once the API has answered. The reference has the delivery of the older protocol: a queue in memory, no acknowledgements.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from reachy_mind.bench import Figures
from reachy_mind.bench.fleet_fault_outcome import FaultOutcome, compare
from reachy_mind.bench.fleet_fault_rig import fault_rig, unavailable
from reachy_mind.bench.fleet_fault_scenarios import SCENARIOS
from reachy_mind.bench.fleet_reference_run import reference_run
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError

SECONDS = 900.0
SETS: Final = tuple(SCENARIOS)
ROUNDS: Final = 10


async def measure(configuration: Configuration, seconds: float, collection: str | None = None) -> Figures:
    """All scenarios, or the one that `collection` names; with less time there are fewer rounds."""
    del configuration  # each process has one of its own
    rounds = max(1, round(ROUNDS * min(1.0, seconds / SECONDS)))
    ours: dict[str, float] = {}
    notes: dict[str, str] = {}
    failed: list[str] = []
    totals: Counter[str] = Counter()
    for name in (collection,) if collection else SCENARIOS:
        reason = unavailable(SCENARIOS[name].needs)
        if reason:
            notes[name] = reason
            continue
        try:
            outcome = await run(name, rounds=rounds)
        except MindError as error:
            failed.append(f"{name}: {error.message} {error.hint}")
            continue
        ours |= {f"{name}_{key}": value for key, value in outcome.figures().items()}
        totals.update({key: value for key, value in vars(outcome).items() if key not in ("done", "rounds")})
        if outcome.harmed:
            failed.append(f"{name}: {outcome}")
        if missing := not_happened(name, outcome):
            failed.append(f"{name}: the fault did not happen in every round, or nobody noticed: {', '.join(missing)}")
    reference = await reference_run(rounds=rounds)
    ours |= {f"all_{key}": value for key, value in totals.items()}
    ours["lost_percent"] = 100 * totals["lost"] / max(1, totals["accepted"])
    ratio = {"lost": ours["lost_percent"] / max(1e-9, reference["lost_percent"])}
    return Figures(ours, reference, ratio, notes, failed)


async def run(name: str, *, rounds: int = ROUNDS) -> FaultOutcome:
    """One scenario, with all its processes. Raises NotReady when one of them does not start, or stays behind."""
    scenario = SCENARIOS[name]
    rounds = min(rounds, scenario.most_rounds)
    async with fault_rig(scenario.needs) as rig:
        await scenario.act(rig, rounds)
        await rig.finish()
        return await compare(rig, rounds)


def not_happened(name: str, outcome: FaultOutcome) -> list[str]:
    """The counts that should be at least the number of rounds, and are not."""
    return [key for key in SCENARIOS[name].happened if outcome.done.get(key, 0) < outcome.rounds]
