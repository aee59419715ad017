"""`create_and_use`: makes a tool for a request, asks a person about it, and uses it for the request.

A request that a tool in use serves is not written again: that tool is called with the arguments of the request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reachy_mind.brains.reflex.tool_sentences import words_said
from reachy_mind.events import CreationProgressed, CreationStage
from reachy_mind.tools.confirmations import SAID_NO
from reachy_mind.tools.definition import Outcome, ToolError, ToolUse
from reachy_mind.workshop import creation_texts
from reachy_mind.workshop.creation import Created, ToolCreation
from reachy_mind.workshop.generated_tools import GROUP, ShelfTools
from reachy_mind.workshop.served_requests import CREATE, ServedRequests
from reachy_mind.workshop.shelving import LASTING

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

LONG_RUN_S = 15.0
"""A run that is expected to last longer goes on in the background."""


async def create_and_use(
    ctx: Context,
    creation: ToolCreation,
    generated: ShelfTools,
    served: ServedRequests,
    description: str,
    *,
    name: str,
    test_cases: Sequence[Any],
    use: bool,
    ask: bool,
) -> dict[str, Any]:
    """The data of the tool `create_tool`. Raises as `ToolCreation.create` does."""
    if use and not name and not test_cases:
        known = await asyncio.to_thread(served, description)
        if known is not None and known.tool != CREATE:
            return await _used_again(ctx, generated, known)
    person = await ctx.speaker() if ctx.parts.memory is not None else ctx.caller.person

    def progress(stage: CreationStage, called: str, repairs: int) -> None:
        ctx.parts.bus.publish(CreationProgressed(call_id=ctx.call_id, stage=stage, tool=called, repairs=repairs))

    made = await creation.create(description, name=name, test_cases=test_cases, person=person, progress=progress)
    if not ask:
        return made.as_dict() | {"message": _waiting(made)}
    approval = await ctx.call(
        "workshop.approve_tool",
        name=made.version.name,
        version=made.version.number,
        sha256=made.version.sha256,
        capabilities=list(made.version.capabilities),
    )
    if approval.status != "ok":
        return made.as_dict() | {"state": "tested", "message": _not_approved(made, approval)}
    await generated.refresh()
    report = made.as_dict() | {"state": "active", "message": _ready(made)}
    return report | await _used(ctx, made) if use else report


async def _used(ctx: Context, made: Created) -> dict[str, Any]:
    """Use the new tool for the request that it was made for."""
    outcome = await _called(ctx, ToolUse(made.version.name, dict(made.draft.args)), made.draft.run_s)
    if outcome.error is not None:
        failed = creation_texts.said("failed", made.version.language, problem=outcome.error["message"])
        return {"run_error": outcome.error, "message": failed}
    told = _told(outcome, made.version.language)
    return {"run": outcome.data, "message": f"{_ready(made)} {told}".strip()}


async def _used_again(ctx: Context, generated: ShelfTools, known: ToolUse) -> dict[str, Any]:
    """Use a tool that there is already. Raises ToolError with what went wrong in it."""
    version = next(each for each in generated.active() if each.name == known.tool)
    lasts = sum(float(known.args.get(name, 0.0)) for name in LASTING)
    outcome = await _called(ctx, known, lasts)
    if outcome.error is not None:
        raise ToolError(outcome.error["code"], outcome.error["message"], hint=outcome.error["hint"])
    report = {"tool_name": version.name, "version": version.number, "sha256": version.sha256, "state": "active"}
    return report | {"run": outcome.data, "message": _told(outcome, version.language)}


async def _called(ctx: Context, use: ToolUse, run_s: float) -> Outcome:
    background = {"background": True} if run_s > LONG_RUN_S and ctx.parts.tasks is not None else {}
    return await ctx.call(f"{GROUP}.{use.tool}", **dict(use.args), **background)


def _told(outcome: Outcome, language: str) -> str:
    """How a run went, or that it has begun."""
    if outcome.status == "started":
        return creation_texts.said("started", language)
    return str(outcome.data.get("message", "")) if isinstance(outcome.data, dict) else ""


def _ready(made: Created) -> str:
    """What the robot can do now, and how to ask for it."""
    version = made.version
    told = creation_texts.said("ready", version.language, **creation_texts.about(version))
    sentence = words_said(version)
    call = creation_texts.said("call", version.language, sentence=sentence) if sentence else ""
    return f"{told} {call}".strip()


def _not_approved(made: Created, approval: Outcome) -> str:
    if SAID_NO not in (approval.error or {}).get("message", ""):
        return _waiting(made)
    return creation_texts.said("refused", made.version.language, **creation_texts.about(made.version))


def _waiting(made: Created) -> str:
    return creation_texts.said("waits", made.version.language, **creation_texts.about(made.version))
