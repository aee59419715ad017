"""Training runs behind the gate: start, stop, publish and delete them. For page, REST and programs.

The room `learning` has the runs and gives them to these tools as `TrainingAccess`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from pydantic import Field

from reachy_mind.errors import NotReady
from reachy_mind.tools.definition import Tool, tool

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context, Parts

KEY = "training"
START_TIMEOUT_S = 60.0
PUBLISH_TIMEOUT_S = 600.0

RunName = Annotated[str, Field(pattern="^[a-z0-9][a-z0-9_-]{0,63}$", description="Of the training run")]


class TrainingAccess(Protocol):
    """The training runs for tools. Each method raises a MindError for what can't be done."""

    async def start(self, name: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """Begin a run, or go on with one. `wanted`: parts of its plan; an empty name is chosen for it."""

    async def stop(self) -> dict[str, Any]:
        """End the training that is under way. What was evaluated is kept."""

    async def publish(self, name: str, tool: str) -> dict[str, Any]:
        """Put the policy of a run on the shelf of the workshop, if it passes its trial. `tool`: its name, or empty."""

    async def remove(self, name: str) -> dict[str, Any]: ...


def provide(parts: Parts, access: TrainingAccess) -> None:
    """Make the training runs available to the tools of a toolbox."""
    parts.extra[KEY] = access


def _access(ctx: Context) -> TrainingAccess:
    found: TrainingAccess | None = ctx.parts.extra.get(KEY)
    if found is None:
        raise NotReady("nothing can be trained from here", hint="use REST, the page or reachy-mind learn train")
    return found


@tool(group="learning", tier="notify", hidden=True, timeout_s=START_TIMEOUT_S)
async def start_training(
    ctx: Context,
    name: Annotated[
        str, Field(pattern="^([a-z0-9][a-z0-9_-]{0,63})?$", description="Of the run; one that there is goes on")
    ] = "",
    task: Annotated[str | None, Field(max_length=40, description="What to practise")] = None,
    algorithm: Annotated[str | None, Field(max_length=20, description="How to learn it")] = None,
    episodes: Annotated[int | None, Field(ge=1, description="Of practice, or demonstrations")] = None,
    seed: Annotated[int | None, Field(ge=0, description="The same one gives the same run")] = None,
    demonstrations: Annotated[str | None, Field(max_length=64, description="The dataset to imitate")] = None,
    body: Annotated[str | None, Field(max_length=20, description="Of the robots that practise")] = None,
    randomised: Annotated[bool | None, Field(description="On robots that differ from the model")] = None,
    curriculum: Annotated[bool | None, Field(description="From easy scenes to hard ones")] = None,
    human: Annotated[bool | None, Field(description="Wait for a person's feedback after each episode")] = None,
) -> dict[str, Any]:
    """Practise a task in the background, for minutes or hours; what the run has already is the default."""
    wanted = {
        "task": task,
        "algorithm": algorithm,
        "episodes": episodes,
        "seed": seed,
        "demonstrations": demonstrations,
        "body": body,
        "randomised": randomised,
        "curriculum": curriculum,
        "human": human,
    }
    return await _access(ctx).start(name, {key: value for key, value in wanted.items() if value is not None})


@tool(group="learning", tier="autonomous", hidden=True)
async def stop_training(ctx: Context) -> dict[str, Any]:
    """End the training that is under way; it can go on later."""
    return await _access(ctx).stop()


@tool(group="learning", tier="notify", hidden=True, timeout_s=PUBLISH_TIMEOUT_S)
async def publish_training(
    ctx: Context,
    name: RunName,
    tool: Annotated[str, Field(max_length=64, description="What to call it; else practised_ and its task")] = "",
) -> dict[str, Any]:
    """Try a trained policy out in simulation and put it on the shelf, where a person decides whether it is used."""
    return await _access(ctx).publish(name, tool)


@tool(group="learning", tier="confirm", hidden=True)
async def remove_training(ctx: Context, name: RunName) -> dict[str, Any]:
    """Delete a training run with its curve, its checkpoints and its policy, for good."""
    return {"message": f"I have deleted the run {name}."} | await _access(ctx).remove(name)


TOOLS: tuple[Tool, ...] = (start_training, stop_training, publish_training, remove_training)
