"""`stand_in`: a body on which everything succeeds at once, for benchmarks of talking.

The tools that need a body keep their names, arguments and permissions, and every call goes through the gate; only what
they do is replaced. The simulator would move for seconds at each gesture, and take the processor from the model whose
speed is measured. What is there to see is what stands on the simulator's table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from reachy_mind.tools.context import Context
from reachy_mind.tools.definition import Run, Tool
from reachy_mind.tools.registry import Registry

GROUPS = frozenset(("robot", "perception", "voice"))
"""The groups whose tools need a body."""
SCENE = "I see a table with an apple, a croissant and a duck on it."

_Result = Callable[[Mapping[str, Any]], dict[str, Any]]


def _constant(message: str) -> _Result:
    return lambda _: {"message": message}


def _nothing(_: Mapping[str, Any]) -> dict[str, Any]:
    return {}


_RESULTS: Mapping[str, _Result] = {
    "express_emotion": lambda args: {"message": f"I showed that I am {args.get('emotion')}."},
    "dance": _constant("I danced."),
    "stop": _constant("I stopped."),
    "take_photo": _constant("I took a photo and kept it as photo.jpg."),
    "analyze_scene": _constant(SCENE),
    "detect_objects": _constant(SCENE),
    "describe_image": _constant(SCENE),
    "detect_faces": _constant("I see nobody."),
    "look_at_sound": _constant("I hear nobody to look at."),
    "listen": _constant("I heard nothing."),
    "get_robot_state": _constant("I am awake; motors enabled."),
    "speak": lambda args: {"message": f'I said "{args.get("text")}".', "spoken": args.get("text")},
}  # fmt: skip


def stand_in(registry: Registry) -> None:
    """Let every tool that needs a body succeed without one."""
    needing: list[Tool] = [tool for tool in registry if tool.group in GROUPS]
    for tool in needing:
        registry.add(replace(tool, run=_run(tool.name)), replace=True)


def _run(name: str) -> Run:
    result = _RESULTS.get(name, _nothing)

    async def run(ctx: Context, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001
        return result(arguments)

    return run
