"""Many generated tools in use at once: what they cost the registry, `GET /tools` and the brain."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Awaitable, Callable

import httpx

from reachy_mind.mind import Mind
from reachy_mind.server.app import AsgiApp
from reachy_mind.tools.definition import GENERATED
from reachy_mind.tools.schemas import export

ROUNDS = 15
CHARACTERS_PER_TOKEN = 4
ROUTE = "/api/v1/tools?limit=500"


async def shelf_figures(mind: Mind) -> dict[str, float]:
    """With the tools that are in use now. Tokens of the tool list are estimated by its length."""
    transport = httpx.ASGITransport(AsgiApp(mind, in_process=True))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:

        async def listed() -> None:
            (await client.get(ROUTE)).raise_for_status()

        refresh, route = await _p50_ms(mind.generated.refresh), await _p50_ms(listed)
    offered = [tool for tool in mind.toolbox.registry if not tool.hidden]
    return {
        "generated": sum(tool.source == GENERATED for tool in offered),
        "refresh_p50_ms": refresh,
        "route_p50_ms": route,
        "tool_list_tokens": len(json.dumps(export(offered, "chat"))) // CHARACTERS_PER_TOKEN,
    }


async def _p50_ms(work: Callable[[], Awaitable[None]]) -> float:
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        await work()
        taken.append((time.perf_counter() - began) * 1000)
    return round(statistics.median(taken), 2)
