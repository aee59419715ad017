"""The class form of a tool, and how one becomes a `definition.Tool`.

    class Greet(Tool):
        name = "greet"
        description = "Say hello to somebody."
        parameters_schema = {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}

        async def __call__(self, deps: ToolDependencies, **kwargs): ...

Any class with these four is one, whatever it derives from. Its calls go through the gate like all others.
"""

from __future__ import annotations

import abc
import inspect
import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.moves import LONGEST_S
from reachy_mind.tools import definition
from reachy_mind.tools.definition import NAME, USUAL_TIMEOUT_S
from reachy_mind.tools.guests.body import CameraWorker, HeadWobbler, MovementManager, ReachyMini
from reachy_mind.tools.guests.scope import Scope, current
from reachy_mind.tools.guests.tasks import BackgroundTaskManager, told

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context
    from reachy_mind.tools.guests.threads import Room

GROUP = "profile"
"""Of all tools that come with a profile, so that rules for our own (`robot.*`) do not speak for them."""
OURS = frozenset({"stop"})
"""Names that stay the robot's own."""
PARTS = ("name", "description", "parameters_schema")
MOTION_S = 1.0


@dataclass
class ToolDependencies:
    """What a tool is given to work with."""

    reachy_mini: Any
    movement_manager: Any
    camera_worker: Any = None
    vision_manager: Any = None
    head_wobbler: Any = None
    motion_duration_s: float = MOTION_S
    background_task_manager: Any = None
    camera_enabled: bool = False

    @property
    def robot(self) -> Any:
        return self.reachy_mini

    @property
    def vision_processor(self) -> Any:
        return self.vision_manager

    @property
    def motion_duration(self) -> float:
        return self.motion_duration_s


class Tool(abc.ABC):
    """What tools subclass. `name`, `description` and `parameters_schema` are attributes or properties."""

    name: Any
    description: Any
    parameters_schema: Any
    supports_background: bool = False
    needs_response: bool = True

    def spec(self) -> dict[str, Any]:
        """As a function for a model."""
        about = {"name": self.name, "description": self.description, "parameters": self.parameters_schema}
        return {"type": "function", **about}

    to_openai_spec = spec

    @abc.abstractmethod
    async def __call__(self, deps: ToolDependencies, **kwargs: Any) -> dict[str, Any]: ...


def has_form(thing: Any) -> bool:
    """Whether this is a tool, or a class of which one can be made."""
    named = all(hasattr(thing, part) for part in PARTS)
    if not isinstance(thing, type):
        return named and callable(thing)
    return not inspect.isabstract(thing) and ((named and "__call__" in dir(thing)) or issubclass(thing, Tool))


def made(guest: Any, *, source: str, room: Room) -> definition.Tool:
    """A tool of ours that runs a guest in `room`. Raises InvalidParameter with the reason why it can't be one."""
    kind = type(guest).__name__
    if missing := [part for part in PARTS if not hasattr(guest, part)]:
        raise InvalidParameter(f"{kind} has no {', '.join(missing)}", hint=f"a tool has {', '.join(PARTS)}")
    name, description = guest.name, guest.description
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise InvalidParameter(f"a tool can't be called {name!r}"[:200], hint="small letters, digits and _")
    require_free(name)
    if not isinstance(description, str) or not description.strip():
        raise InvalidParameter(f"{name} has no description", hint="it tells models and people what the tool does")
    schema = _schema(name, guest.parameters_schema)
    return definition.Tool(
        name,
        GROUP,
        inspect.cleandoc(description),
        schema,
        _checker(name, schema),
        _runner(guest, name, room),
        tier=None,
        timeout_s=USUAL_TIMEOUT_S + LONGEST_S,  # moves included; what the tool itself may take is kept by its room
        supports_background=bool(getattr(guest, "supports_background", False)),
        source=source,
    )


def require_free(name: str) -> None:
    """Raises InvalidParameter for the name of something that no profile may replace."""
    if name in OURS:
        raise InvalidParameter(f"{name} is the robot's own", hint="call it something else")


def _schema(name: str, given: Any) -> dict[str, Any]:
    """What a tool says of its parameters, or InvalidParameter. What it does not name is not taken."""
    from jsonschema import Draft202012Validator, SchemaError  # noqa: PLC0415 -- only where there are such tools

    if not isinstance(given, dict):
        raise InvalidParameter(f"{name}: parameters_schema is a {type(given).__name__}, not a JSON schema")
    schema: dict[str, Any] = {"type": "object", "properties": {}} | deepcopy(given)
    if schema["type"] != "object" or not isinstance(schema["properties"], dict):
        raise InvalidParameter(f"{name}: its parameters are no JSON object", hint='"type": "object"')
    if "patternProperties" not in schema:
        schema.setdefault("additionalProperties", False)
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        place = ".".join(map(str, error.absolute_path)) or "schema"
        raise InvalidParameter(f"{name}: parameters_schema: {place}: {error.message}"[:500]) from None
    return schema


def _checker(name: str, schema: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    from jsonschema import Draft202012Validator  # noqa: PLC0415
    from jsonschema.exceptions import best_match  # noqa: PLC0415
    from referencing import Registry  # noqa: PLC0415
    from referencing.exceptions import Unresolvable  # noqa: PLC0415

    validator = Draft202012Validator(schema, registry=Registry())  # which fetches nothing from anywhere

    def check(given: dict[str, Any]) -> dict[str, Any]:
        try:
            error = best_match(validator.iter_errors(given))
        except Unresolvable as broken:  # a reference that leads nowhere
            raise InvalidParameter(f"{name}: its schema can't be used: {broken}"[:300]) from None
        if error is not None:
            place = ".".join(map(str, error.absolute_path)) or "arguments"
            known = ", ".join(schema["properties"]) or "none"
            raise InvalidParameter(f"{name}: {place}: {error.message}"[:500], hint=f"its parameters: {known}")
        return dict(given)

    return check


def _runner(guest: Any, name: str, room: Room) -> definition.Run:
    async def run(ctx: Context, given: dict[str, Any]) -> Any:
        assert ctx.hold is not None
        scope = Scope(ctx, ctx.hold, room, f"{GROUP}.{name}")
        deps = dependencies(scope)

        async def inside() -> Any:
            current.set(scope)
            found = guest(deps, **given)
            return await found if inspect.isawaitable(found) else found

        def allowed() -> float:
            return math.inf if ctx.background else USUAL_TIMEOUT_S + scope.moving_s

        try:
            result = await room.run(inside, what=name, allowed=allowed)
            await scope.settled()
        finally:
            await scope.close()
        return told(result)

    return run


def dependencies(scope: Scope) -> ToolDependencies:
    return ToolDependencies(
        reachy_mini=ReachyMini(scope),
        movement_manager=MovementManager(scope),
        camera_worker=CameraWorker(scope),
        head_wobbler=HeadWobbler(),
        background_task_manager=BackgroundTaskManager.get_instance(),
    )
