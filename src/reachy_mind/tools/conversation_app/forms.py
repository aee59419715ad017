"""The class form of a guest tool, and its conversion to a `definition.Tool`.

    class Greet(Tool):
        name = "greet"
        description = "Say hello to somebody."
        parameters_schema = {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}

        async def __call__(self, deps: ToolDependencies, **kwargs): ...

Any class with these four members is a tool, whatever its base class. Its calls pass the gate like all others.
"""

from __future__ import annotations

import abc
import inspect
import math
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.moves import MAX_DURATION_S
from reachy_mind.tools import definition
from reachy_mind.tools.conversation_app.body import CameraWorker, GuestReachyMini, HeadWobbler, MovementManager
from reachy_mind.tools.conversation_app.scope import Scope, current
from reachy_mind.tools.conversation_app.tasks import BackgroundTaskManager, check_result
from reachy_mind.tools.definition import DEFAULT_TIMEOUT_S, NAME

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context
    from reachy_mind.tools.conversation_app.threads import ToolThreads

GROUP = "profile"
"""Group of all tools of a profile, so that rules for built-in tools (`robot.*`) do not apply to them."""
RESERVED_NAMES = frozenset({"stop"})
"""Names that a guest tool can't take."""
REQUIRED_ATTRIBUTES = ("name", "description", "parameters_schema")
MOTION_DURATION_S = 1.0
MAX_SENTENCES = 100


@dataclass
class ToolDependencies:
    """The dependencies passed to a guest tool."""

    reachy_mini: Any
    movement_manager: Any
    camera_worker: Any = None
    vision_manager: Any = None
    head_wobbler: Any = None
    motion_duration_s: float = MOTION_DURATION_S
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


class AppTool(abc.ABC):
    """Base class of guest tools. `name`, `description` and `parameters_schema` are attributes or properties."""

    name: Any
    description: Any
    parameters_schema: Any
    supports_background: bool = False
    sentences: Sequence[str] = ()
    needs_response: bool = True

    def spec(self) -> dict[str, Any]:
        """The tool as a function schema for a model."""
        about = {"name": self.name, "description": self.description, "parameters": self.parameters_schema}
        return {"type": "function", **about}

    to_openai_spec = spec

    @abc.abstractmethod
    async def __call__(self, deps: ToolDependencies, **kwargs: Any) -> dict[str, Any]: ...


def has_form(thing: Any) -> bool:
    """Whether this is a guest tool, or a class of one."""
    named = all(hasattr(thing, part) for part in REQUIRED_ATTRIBUTES)
    if not isinstance(thing, type):
        return named and callable(thing)
    return not inspect.isabstract(thing) and ((named and "__call__" in dir(thing)) or issubclass(thing, AppTool))


def build_tool(guest: Any, *, source: str, threads: ToolThreads) -> definition.Tool:
    """Build a tool that runs a guest in `threads`. Raises InvalidParameter with the reason when it can't be one."""
    kind = type(guest).__name__
    if missing := [part for part in REQUIRED_ATTRIBUTES if not hasattr(guest, part)]:
        raise InvalidParameter(
            f"{kind} has no {', '.join(missing)}", hint=f"a tool has {', '.join(REQUIRED_ATTRIBUTES)}"
        )
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
        _runner(guest, name, threads),
        tier=None,
        timeout_s=DEFAULT_TIMEOUT_S + MAX_DURATION_S,  # moves included; `threads` limits the tool itself
        supports_background=bool(getattr(guest, "supports_background", False)),
        source=source,
        sentences=_sentences(name, getattr(guest, "sentences", ())),
    )


def _sentences(name: str, given: Any) -> tuple[str, ...]:
    """How people ask for the tool. Raises InvalidParameter."""
    lines = tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else None
    if lines is None or not all(isinstance(line, str) for line in lines) or len(lines) > MAX_SENTENCES:
        raise InvalidParameter(
            f"{name}: sentences is no list of at most {MAX_SENTENCES} texts", hint=f"<{name}>how people ask for it</>"
        )
    return lines


def require_free(name: str) -> None:
    """Raises InvalidParameter for a reserved name."""
    if name in RESERVED_NAMES:
        raise InvalidParameter(f"{name} is the robot's own", hint="call it something else")


def _schema(name: str, given: Any) -> dict[str, Any]:
    """The checked JSON schema of the parameters; others are refused. Raises InvalidParameter."""
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

    validator = Draft202012Validator(schema, registry=Registry())  # fetches no remote references

    def check(given: dict[str, Any]) -> dict[str, Any]:
        try:
            error = best_match(validator.iter_errors(given))
        except Unresolvable as broken:  # an unresolvable reference
            raise InvalidParameter(f"{name}: its schema can't be used: {broken}"[:300]) from None
        if error is not None:
            place = ".".join(map(str, error.absolute_path)) or "arguments"
            known = ", ".join(schema["properties"]) or "none"
            raise InvalidParameter(f"{name}: {place}: {error.message}"[:500], hint=f"its parameters: {known}")
        return dict(given)

    return check


def _runner(guest: Any, name: str, threads: ToolThreads) -> definition.Run:
    async def run(ctx: Context, given: dict[str, Any]) -> Any:
        assert ctx.hold is not None
        scope = Scope(ctx, ctx.hold, threads, f"{GROUP}.{name}")
        deps = dependencies(scope)

        async def inside() -> Any:
            current.set(scope)
            found = guest(deps, **given)
            return await found if inspect.isawaitable(found) else found

        def timeout_s() -> float:
            return math.inf if ctx.background else DEFAULT_TIMEOUT_S + scope.moving_s

        try:
            result = await threads.run(inside, what=name, timeout_s=timeout_s)
            await scope.wait_done()
        finally:
            await scope.close()
        return check_result(result)

    return run


def dependencies(scope: Scope) -> ToolDependencies:
    return ToolDependencies(
        reachy_mini=GuestReachyMini(scope=scope),
        movement_manager=MovementManager(scope),
        camera_worker=CameraWorker(scope),
        head_wobbler=HeadWobbler(scope),
        background_task_manager=BackgroundTaskManager.get_instance(),
        camera_enabled=scope.ctx.parts.sight is not None and scope.ctx.parts.sight.on,
    )
