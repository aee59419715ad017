"""Tools that change what is on the shelf: approve, reject, roll back, deactivate, import, try again.

Each is a call of the gate.

A person approves: the question shows the version, its hash and its capabilities, and the approval holds for these
alone. No brain is offered `approve_tool`, and sandboxed code can't call any of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.tools.definition import Tool, tool
from reachy_mind.workshop import creation_texts
from reachy_mind.workshop.generated_tools import ShelfTools
from reachy_mind.workshop.shelf.bundles import MAX_BUNDLE_BYTES, import_bundle, read_bundle
from reachy_mind.workshop.shelf.shelf import MAX_REASON, Shelf
from reachy_mind.workshop.shelf.versions import ToolVersion
from reachy_mind.workshop.version_trial import VersionTrials

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

Name = Annotated[str, Field(min_length=1, max_length=64, description="Which tool")]
Number = Annotated[int, Field(ge=1, description="Which version")]
TRIAL_TIMEOUT_S = 600.0


def version_tools(tools: ShelfTools, trials: VersionTrials) -> tuple[Tool, ...]:
    """The tools, for the registry of one mind."""
    return (
        *(_approve(tools), _reject(tools), _rollback(tools), _deactivate(tools), _import(tools)),
        *(_retry(trials), _list(tools)),
    )


def _approve(tools: ShelfTools) -> Tool:
    async def question(given: dict[str, Any]) -> str:
        version = await asyncio.to_thread(tools.shelf.get, given["name"], given["version"])
        return creation_texts.question(version)

    @tool(group="workshop", tier="confirm", hidden=True, question=question)
    async def approve_tool(
        ctx: Context,
        name: Name,
        version: Number,
        sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="The hash of that version")],
        capabilities: Annotated[list[str], Field(max_length=50, description="What that version may use")],
    ) -> dict[str, Any]:
        """Let the robot use this version of a tool, with these capabilities, without asking again."""

        _require_free(tools, name)

        def approve(shelf: Shelf) -> ToolVersion:
            if shelf.get(name, version).sha256 != sha256:
                raise InvalidParameter(f"version {version} of {name} has another hash", hint="look at it again")
            return shelf.approve(name, sha256, _by(ctx), capabilities=capabilities, activate=True)

        done = await _changed(tools, approve)
        return done | {"message": f"I can use {name.replace('_', ' ')} now."}

    return approve_tool


def _reject(tools: ShelfTools) -> Tool:
    @tool(group="workshop", tier="notify", hidden=True)
    async def reject_tool(
        ctx: Context,  # noqa: ARG001
        name: Name,
        version: Number,
        reason: Annotated[str, Field(max_length=MAX_REASON, description="Why")] = "",
    ) -> dict[str, Any]:
        """Reject a version of a tool; if it is in use, it is no longer."""
        done = await _changed(tools, lambda shelf: shelf.reject(name, version, reason))
        return done | {"message": f"Version {version} of {name.replace('_', ' ')} is rejected."}

    return reject_tool


def _rollback(tools: ShelfTools) -> Tool:
    @tool(group="workshop", tier="confirm")
    async def rollback_tool(
        ctx: Context,  # noqa: ARG001
        name: Name,
        version: Annotated[
            int | None, Field(ge=1, description="To which version; the one before, if not given")
        ] = None,
    ) -> dict[str, Any]:
        """Go back to an earlier version of a tool that was made in the workshop."""
        done = await _changed(tools, lambda shelf: shelf.rollback(name, version))
        return done | {"message": f"I use version {done['version']} of {name.replace('_', ' ')} again."}

    return rollback_tool


def _deactivate(tools: ShelfTools) -> Tool:
    @tool(group="workshop", tier="notify")
    async def deactivate_tool(ctx: Context, name: Name) -> dict[str, Any]:  # noqa: ARG001
        """Stop using a tool that was made in the workshop; its versions are kept."""
        done = await _changed(tools, lambda shelf: shelf.deactivate(name))
        return done | {"message": f"I no longer use {name.replace('_', ' ')}."}

    return deactivate_tool


def _import(tools: ShelfTools) -> Tool:
    @tool(group="workshop", tier="notify", hidden=True)
    async def import_tool(
        ctx: Context,  # noqa: ARG001
        bundle: Annotated[str, Field(max_length=MAX_BUNDLE_BYTES, description="The text of a signed bundle")],
    ) -> dict[str, Any]:
        """Put a tool of another robot on the shelf, as a draft that has to be tried and approved."""
        _require_free(tools, (await asyncio.to_thread(read_bundle, bundle)).name)
        done = await _changed(tools, lambda shelf: import_bundle(shelf, bundle))
        signer = done["signer"] or "this robot"
        who = signer if done["known_signer"] else f"an unknown signer, {signer}"
        return done | {"message": f"Version {done['version']} of {done['name']} is on the shelf; it is from {who}."}

    return import_tool


def _retry(trials: VersionTrials) -> Tool:
    @tool(group="workshop", tier="notify", hidden=True, timeout_s=TRIAL_TIMEOUT_S)
    async def retry_tool(ctx: Context, name: Name, version: Number) -> dict[str, Any]:  # noqa: ARG001
        """Try a version of a tool out in simulation, again or for the first time; the robot does not move."""
        tried = await trials.retry(name, version)
        ended = "passed" if tried.passed else "did not pass"
        return tried.as_dict() | {"message": f"Version {version} of {name.replace('_', ' ')} {ended} its trial."}

    return retry_tool


def _list(tools: ShelfTools) -> Tool:
    @tool(group="workshop", tier="autonomous", read_only=True)
    async def list_tools(ctx: Context) -> dict[str, Any]:  # noqa: ARG001
        """List the tools that were made in the workshop, with their versions."""
        listed = await asyncio.to_thread(listed_tools, tools.shelf)
        return {"tools": listed, "total": len(listed), "message": _summary(listed)}

    return list_tools


def _summary(listed: list[dict[str, Any]]) -> str:
    if not listed:
        return "I have made no tool yet."
    used = [each["name"].replace("_", " ") for each in listed if each["active"] is not None]
    made = f"I have made {len(listed)} tool{'' if len(listed) == 1 else 's'}"
    return f"{made}; in use: {', '.join(used)}." if used else f"{made}; none is in use."


def listed_tools(shelf: Shelf) -> list[dict[str, Any]]:
    """Every tool with the states of its versions. `waiting`: the version that a person may decide about now.

    Blocks. Raises ShelfError.
    """
    found = []
    for name in shelf.names():
        try:
            versions, trouble = shelf.versions(name), ""
        except MindError as error:
            versions, trouble = [], error.message
        active = next((each for each in versions if each.state == "active"), None)
        latest = active or (versions[-1] if versions else None)
        newer = [each for each in versions if each.state == "tested" and (not active or each.number > active.number)]
        found.append(
            {
                "name": name,
                "description": latest.description if latest else "",
                "capabilities": list(latest.capabilities) if latest else [],
                "active": active.number if active else None,
                "state": latest.state.value if latest else "quarantined",
                "reason": latest.reason if latest else "",
                "waiting": newer[-1].number if newer else None,
                "versions": [{"version": each.number, "state": each.state.value} for each in versions],
                "trouble": trouble,
            }
        )
    return found


def _require_free(tools: ShelfTools, name: str) -> None:
    """Raises InvalidParameter for a tool that could not be used, because another one has its name."""
    if taken := tools.taken(name):
        raise InvalidParameter(f"{name} can't be used: {taken}", hint="make it again with another name")


async def _changed(tools: ShelfTools, change: Callable[[Shelf], ToolVersion]) -> dict[str, Any]:
    """Make a change of the shelf, and put the registry in step with it."""
    try:
        version = await asyncio.to_thread(change, tools.shelf)
    finally:
        await tools.refresh()
    return version.as_dict()


def _by(ctx: Context) -> str:
    """How the yes came. Whose it was is in the audit of that call, where a person's name can be erased."""
    return f"{ctx.caller.principal or ctx.caller.channel}, call {ctx.call_id}"
