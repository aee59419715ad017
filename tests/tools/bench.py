"""A toolbox on a database in a file of its own, with a few tools that behave and some that do not."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from reachy_mind.config.configuration import load
from reachy_mind.events import Bus
from reachy_mind.storage.database import Database
from reachy_mind.tools.audit import Audit
from reachy_mind.tools.confirmations import Confirmations
from reachy_mind.tools.context import Context, Parts
from reachy_mind.tools.definition import Alias, Tool, tool
from reachy_mind.tools.permissions import Permissions
from reachy_mind.tools.registry import Registry
from reachy_mind.tools.tasks import Tasks
from reachy_mind.tools.toolbox import Toolbox

done: list[str] = []
"""What the tools of this bench really did."""


@tool(group="robot", tier="autonomous", moves=True)
async def nod(ctx: Context, times: Annotated[int, Field(ge=1, le=5)] = 2, speed: str = "normal") -> dict[str, Any]:
    """Nod to say yes."""
    done.append(f"nod {times} {speed}")
    return {"nodded": times}


@tool(group="robot", tier="autonomous", moves=True, timeout_s=20)
async def hold(ctx: Context, seconds: float = 10) -> dict[str, Any]:
    """Hold the body for a while."""
    done.append("hold")
    await asyncio.sleep(seconds)
    done.append("held")
    return {}


@tool(group="robot", tier="autonomous")
async def stop(ctx: Context) -> dict[str, Any]:
    """Stop."""
    done.append("stop")
    return {}


@tool(group="home", tier="notify")
async def light(ctx: Context, on: bool) -> dict[str, Any]:
    """Switch the light."""
    done.append(f"light {on}")
    return {"on": on}


@tool(group="home", tier="confirm")
async def unlock(ctx: Context, door: str = "front") -> dict[str, Any]:
    """Unlock a door."""
    done.append(f"unlock {door}")
    return {"unlocked": door}


@tool(group="bank", tier="forbidden")
async def transfer(ctx: Context, amount: float = 1) -> dict[str, Any]:
    """Send money."""
    done.append("transfer")
    return {}


@tool(group="test", tier="autonomous", background=True, timeout_s=0.2)
async def slow(ctx: Context, steps: int = 3, forever: bool = False) -> dict[str, Any]:
    """Take a while."""
    for step in range(steps):
        ctx.progress((step + 1) / steps, f"step {step + 1}")
        await asyncio.sleep(0.01)
    if forever:
        await asyncio.sleep(3600)
    return {"message": "slow is done"}


@tool(group="test", tier="autonomous", timeout_s=0.2)
async def misbehave(ctx: Context, how: str) -> Any:  # noqa: PLR0911
    """Do something a tool should not do."""
    match how:
        case "hang":
            await asyncio.sleep(3600)
        case "deaf":
            while True:
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.sleep(3600)
                    return "never"
                await asyncio.sleep(1.5)
                return "late"
        case "raise":
            raise ValueError("it broke")
        case "exit":
            raise SystemExit(3)
        case "large":
            return {"text": "x" * 100_000_000, "list": list(range(1_000_000))}
        case "cancel":
            raise asyncio.CancelledError
        case "fork":
            return {"child": os.fork()}
        case "odd":
            return {"nan": float("nan"), "object": object(), "bytes": b"123", 5: {"set": {1}}, "huge": 10**400}
        case "recursive":
            return (await ctx.call("test.misbehave", how="recursive")).as_dict()
        case "surrogate":
            return {"text": "\ud800"}
    return how


BENCH: tuple[Tool, ...] = (nod, hold, stop, light, unlock, transfer, slow, misbehave)
ALIASES = (Alias("say_yes", "nod", {"count": "times", "dummy": None}), Alias("open_door", "unlock"))


@contextlib.asynccontextmanager
async def toolbox(
    tmp_path: Path, rules: str = "", *, tools: Iterable[Tool] = BENCH, timeout_s: float = 5.0
) -> AsyncIterator[Toolbox]:
    """A gate over the bench's tools."""
    done.clear()
    file = tmp_path / "permissions.yaml"
    file.write_text(rules)
    bus = Bus()
    async with Database(tmp_path / "mind.db") as database, Tasks(database, bus, max_running=3) as tasks:
        parts = Parts(load(), bus, database, tasks=tasks)
        box = Toolbox(
            Registry(tools, ALIASES), Permissions(file), Confirmations(bus, timeout_s=timeout_s), Audit(database), parts
        )
        yield box
