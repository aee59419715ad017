"""`workshop.create_tool`: makes a tool for a request, asks a person about it, and uses it for the request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.events import CreationProgressed, CreationStage
from reachy_mind.tools.definition import Tool, ToolError, tool
from reachy_mind.workshop.creation import Created, ToolCreation, sentence_cases
from reachy_mind.workshop.generated_tools import GROUP, ShelfTools

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

LONG_RUN_S = 15.0
"""A run that is expected to last longer goes on in the background."""
CREATION_TIMEOUT_S = 600.0


def create_tool_tool(creation: ToolCreation, generated: ShelfTools) -> Tool:
    """The tool, for the registry of one mind."""

    @tool(group="workshop", tier="notify", timeout_s=CREATION_TIMEOUT_S)
    async def create_tool(
        ctx: Context,
        description: Annotated[str, Field(min_length=1, max_length=5000, description="What the new tool shall do")],
        name: Annotated[str, Field(max_length=64, description="What to call it; chosen for you, if empty")] = "",
        test_cases: Annotated[
            list[str | dict[str, Any]] | None,
            Field(max_length=20, description="Examples, each as a sentence or as {input, expected}"),
        ] = None,
        use: Annotated[bool, Field(description="Use it for this request once a person has approved it")] = True,
        ask: Annotated[bool, Field(description="Ask a person about it at once; else it waits on the shelf")] = True,
    ) -> dict[str, Any]:
        """Write a new tool, check it and try it out in simulation; a person decides whether it is used."""
        person = await ctx.speaker() if ctx.parts.memory is not None else ctx.caller.person

        def progress(stage: CreationStage, called: str, repairs: int) -> None:
            ctx.parts.bus.publish(CreationProgressed(call_id=ctx.call_id, stage=stage, tool=called, repairs=repairs))

        made = await creation.create(
            description, name=name, test_cases=sentence_cases(test_cases), person=person, progress=progress
        )
        if not ask:
            return made.as_dict() | {"message": _waiting(made)}
        approval = await ctx.call(
            "workshop.approve_tool",
            name=made.version.name,
            version=made.version.number,
            sha256=made.version.sha256,
            capabilities=list(made.version.capabilities),
        )
        report = made.as_dict()
        if approval.status != "ok":
            return report | {"state": "tested", "message": _waiting(made)}
        await generated.refresh()
        report |= {"state": "active", "message": f"I can do that now: {made.version.explanation}".strip()}
        return report | await _used(ctx, made) if use else report

    return create_tool


async def _used(ctx: Context, made: Created) -> dict[str, Any]:
    """Use the new tool for the request that it was made for."""
    background = {"background": True} if made.draft.run_s > LONG_RUN_S and ctx.parts.tasks is not None else {}
    outcome = await ctx.call(f"{GROUP}.{made.version.name}", **dict(made.draft.args), **background)
    if outcome.error is not None:
        raise ToolError(outcome.error["code"], outcome.error["message"], hint=outcome.error["hint"])
    data = outcome.data if isinstance(outcome.data, dict) else {"result": outcome.data}
    return {"run": data, "message": f"I can do that now: {made.version.explanation} {data.get('message', '')}".strip()}


def _waiting(made: Created) -> str:
    told = f"I wrote {made.version.name.replace('_', ' ')}, and it passed its trial. It waits for your approval."
    return f"{told} {made.version.explanation}".strip()
