"""Overhead of the tool gate: a tool that does nothing, called through `Toolbox.call` and called directly.

Ours: `Toolbox.call` with a database in a file: validation, permission, audit (two entries, on disk) and events.
Reference: the same checked arguments and the same function, without a gate. Overhead: the difference.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from reachy_mind.bench import Figures
from reachy_mind.config.configuration import Configuration
from reachy_mind.events import Bus
from reachy_mind.storage.database import Database
from reachy_mind.tools.acts import Act
from reachy_mind.tools.audit import Audit
from reachy_mind.tools.confirmations import Confirmations
from reachy_mind.tools.context import Caller, Context, Parts
from reachy_mind.tools.definition import tool
from reachy_mind.tools.permissions import Permissions
from reachy_mind.tools.registry import Registry
from reachy_mind.tools.tasks import Tasks
from reachy_mind.tools.toolbox import Toolbox

SECONDS = 10.0


@tool(group="bench", tier="autonomous")
async def nothing(ctx: Context, times: Annotated[int, Field(ge=1, le=5)] = 2) -> dict[str, Any]:  # noqa: ARG001
    """Do nothing."""
    return {"done": times}


async def permit_all(acts: Iterable[Act]) -> None:
    """The reference has no gate."""


async def measure(configuration: Configuration, seconds: float) -> Figures:
    bus = Bus()
    with tempfile.TemporaryDirectory(prefix="reachy-mind-bench-") as folder:
        file = Path(folder) / "mind.db"
        async with Database(file) as database, Tasks(database, bus) as tasks:
            parts = Parts(configuration, bus, database, tasks=tasks)
            box = Toolbox(Registry([nothing]), Permissions(), Confirmations(bus), Audit(database), parts)
            caller, context = Caller("person", "bench"), Context("", Caller(), parts, box.call, permit_all)
            ours, reference = [], []
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                began = time.perf_counter()
                outcome = await box.call("nothing", {"times": 3}, caller=caller)
                ours.append(time.perf_counter() - began)
                assert outcome.status == "ok"
                began = time.perf_counter()
                await nothing.run(context, nothing.check({"times": 3}))
                reference.append(time.perf_counter() - began)
    gated, bare = _figures(ours), _figures(reference)
    overhead = {f"overhead_{name}": round(gated[name] - bare[name], 4) for name in ("p50_ms", "p99_ms")}
    ratio = {name: round(gated[name] / bare[name], 1) for name in ("p50_ms", "p99_ms")}
    return Figures(gated | overhead | {"calls": len(ours)}, bare, ratio)


def _figures(times: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=100)
    return {"p50_ms": round(statistics.median(times) * 1000, 4), "p99_ms": round(cuts[98] * 1000, 4)}
