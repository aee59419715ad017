"""Overhead of the team of agents: a turn with an instant model, split into our time and the SDK's.

Ours: from the request to the response, through `Turns`, the gate and a database in a file: a handoff, a tool call, an
answer; three model calls. Reference: the same agents, tools and answers run by the SDK alone. Overhead: the difference.
Also the handoff accuracy on 60 written requests: by a rule-based model, and by the real one if one is configured.
"""

from __future__ import annotations

import dataclasses
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from reachy_mind.bench import Figures
from reachy_mind.brains.brain import BrainUnavailable, Called, Handoff, Said, Turn
from reachy_mind.config.configuration import Configuration
from reachy_mind.conversation.response import Response
from reachy_mind.conversation.turns import Turns
from reachy_mind.errors import AssetError, MissingExtra, NotReady
from reachy_mind.events import Bus
from reachy_mind.memory.conversations import Conversations
from reachy_mind.storage.database import Database
from reachy_mind.tools.audit import Audit
from reachy_mind.tools.builtin import TOOLS
from reachy_mind.tools.confirmations import Confirmations
from reachy_mind.tools.context import Parts
from reachy_mind.tools.definition import Outcome
from reachy_mind.tools.permissions import Permissions
from reachy_mind.tools.registry import Registry
from reachy_mind.tools.tasks import Tasks
from reachy_mind.tools.toolbox import Toolbox

SECONDS = 15.0
MIN_TURNS = 5
"""Turns to measure, however slow they are."""
REQUEST = "what time is it in Oslo?"
REQUESTS = "handoffs.jsonl"
OFFERED = tuple(tool for tool in TOOLS if not tool.hidden)


async def measure(configuration: Configuration, seconds: float) -> Figures:
    try:
        from reachy_mind.bench import instant_model
    except ImportError as error:
        raise MissingExtra("bench thinking", "agents") from error
    ours, reference = await _overhead(configuration, seconds)
    ours["handoff_accuracy"], _ = await _handed(
        _team(configuration, instant_model.InstantSource(instant_model.by_rule))
    )
    ours |= await _real(configuration)
    names = ("p50_ms", "p95_ms")
    ours |= {f"overhead_{name}": round(ours[name] - reference[name], 3) for name in names}
    return Figures(ours, reference, {name: round(ours[name] / reference[name], 2) for name in names})


def _team(configuration: Configuration, source: Any) -> Any:
    from reachy_mind.brains.agents import roles, trace_events
    from reachy_mind.brains.agents.brain import Agents
    from reachy_mind.brains.agents.budget import Budget

    trace_events.replace_exporters(to_openai=False)
    budget = Budget(configuration.settings.openai, configuration.home.spending_file)
    return Agents(source, budget, roles.ROLES, calls=12, host=source.host, secrets=frozenset())


async def _overhead(configuration: Configuration, seconds: float) -> tuple[dict[str, float], dict[str, float]]:
    from reachy_mind.bench import instant_model

    bus = Bus()
    brain, bare = _team(configuration, instant_model.InstantSource(instant_model.lookup)), _bare()
    with tempfile.TemporaryDirectory(prefix="reachy-mind-bench-") as folder:
        async with Database(Path(folder) / "mind.db") as database, Tasks(database, bus) as tasks:
            parts = Parts(configuration, bus, database, tasks=tasks)
            box = Toolbox(Registry(TOOLS), Permissions(), Confirmations(bus), Audit(database), parts)
            turns = Turns(lambda: brain, box, Conversations(database), bus)
            stages: dict[str, list[float]] = {}
            reference: list[float] = []
            for _ in range(2):  # what is made once is not a turn's
                await _turn(turns, {})
                await bare()
            end = time.monotonic() + seconds
            while time.monotonic() < end or len(reference) < MIN_TURNS:
                tokens = await _turn(turns, stages)
                reference.append(await bare())
    whole = stages.pop("whole")
    staged = {f"{name}_p50_ms": round(statistics.median(times), 3) for name, times in stages.items()}
    return _figures(whole) | staged | {"tokens_read": tokens, "turns": len(whole)}, _figures(reference)


async def _turn(turns: Turns, stages: dict[str, list[float]]) -> int:
    """Milliseconds to the first of each event, and the estimated input tokens."""
    began, seen = time.perf_counter(), dict[str, float]()
    async for thought in turns.take(REQUEST):
        now = (time.perf_counter() - began) * 1000
        match thought:
            case Handoff():
                seen.setdefault("handoff", now)
            case Called():
                seen.setdefault("call", now)
            case Said():
                seen.setdefault("word", now)
            case Response():
                seen["whole"] = now
                assert thought.text == "It is time." and thought.error is None, thought
    for name, took in seen.items():
        stages.setdefault(name, []).append(took)
    return thought.tokens_in if isinstance(thought, Response) else 0


def _bare() -> Any:
    """The same turn run by the SDK alone."""
    from agents import Agent, Runner, handoff

    from reachy_mind.bench.instant_model import Instant, lookup
    from reachy_mind.brains.agents.roles import COORDINATOR, ROLES
    from reachy_mind.brains.agents.team import assign_tools
    from reachy_mind.brains.agents.tool_functions import function_tool

    async def answer(*_: Any) -> str:
        return '{"time": "now"}'

    def held(name: str) -> list[Any]:
        tools = assign_tools(ROLES, OFFERED)[name]
        return [dataclasses.replace(function_tool(tool.name, tool), on_invoke_tool=answer) for tool in tools]

    model = Instant(lookup)
    specialists = [
        Agent[Any](name=role.name, instructions=role.instructions, tools=held(role.name), model=model)
        for role in ROLES
        if role.name != COORDINATOR and held(role.name)
    ]
    first = Agent[Any](name=COORDINATOR, instructions="Talk.", tools=held(COORDINATOR), model=model)
    first.handoffs = [handoff(agent) for agent in specialists]

    async def run() -> float:
        began = time.perf_counter()
        result = Runner.run_streamed(first, REQUEST)
        async for _ in result.stream_events():
            pass
        assert result.final_output == "It is time."
        return (time.perf_counter() - began) * 1000

    return run


def requests() -> list[dict[str, str]]:
    """The written requests: `text`, and the right `agent`."""
    text = (resources.files("reachy_mind.bench") / REQUESTS).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


async def _handed(brain: Any) -> tuple[float, dict[str, float]]:
    """The share of requests handed to the right agent, and their times."""
    right, times, read, failed = 0, [], 0, 0
    written = requests()
    for request in written:
        began = time.perf_counter()
        try:
            first, tokens = await _first(brain, request["text"])
        except BrainUnavailable:
            failed += 1
            continue
        right += first == request["agent"]
        read += tokens
        times.append((time.perf_counter() - began) * 1000)
    took = {"p50_ms": round(statistics.median(times), 1) if times else 0.0, "failed": failed}
    return round(right / len(written), 4), took | {"tokens_read": round(read / max(1, len(times)))}


async def _first(brain: Any, text: str) -> tuple[str, int]:
    """The agent that gets the request, and the input tokens. Tool calls do nothing."""

    async def call(name: str, args: dict[str, Any]) -> Outcome:  # noqa: ARG001
        return Outcome("ok", {"message": "done"})

    who, tokens = "", 0
    async for thought in brain.think(Turn(text, call, OFFERED)):
        if isinstance(thought, Handoff):
            return thought.to, 0
        who, tokens = getattr(thought, "agent", "") or who, getattr(thought, "tokens_in", 0)
    return who, tokens


async def _real(configuration: Configuration) -> dict[str, float]:
    """Figures of the configured or pulled model, used as a team."""
    from reachy_mind.brains.agents.models import model_source

    try:
        brain = _team(configuration, model_source(configuration))
    except (AssetError, MissingExtra, NotReady):
        return {}
    try:
        accuracy, took = await _handed(brain)
    finally:
        await brain.aclose()
    return {"real_handoff_accuracy": accuracy} | {f"real_{name}": value for name, value in took.items()}


def _figures(times: Sequence[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=20)
    return {"p50_ms": round(statistics.median(times), 3), "p95_ms": round(cuts[18], 3)}
