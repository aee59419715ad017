"""`Tool`: a typed function with a name, a permission tier and a JSON schema. One definition for every brain and API.

    @tool(tier="autonomous", group="robot", moves=True)
    async def nod(ctx: Context, times: Annotated[int, Field(ge=1, le=5)] = 2, speed: Speed = "normal") -> dict:
        '''Nod to say yes.'''

The schema comes from the signature, the description from the docstring. A tool returns a dict of plain values for
models and people, and raises a `MindError` when it fails.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from reachy_mind.errors import InvalidParameter, MindError

if TYPE_CHECKING:
    from reachy_mind.tools.context import Caller, Context, Parts

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
DEFAULT_TIMEOUT_S = 30.0
REMOTE = "MCP server "
"""Prefix of the source of a tool on a remote MCP server."""
GENERATED = "workshop"
"""Source of a tool that the robot wrote itself."""
CLIENT = "client"
"""Source of a tool that the program at the other end declared, and runs itself."""

TierName = Literal["autonomous", "notify", "confirm", "forbidden"]


class Tier(IntEnum):
    """Permission tier. Who decides: the robot, the robot with a notice, a person, nobody."""

    AUTONOMOUS = 1
    NOTIFY = 2
    CONFIRM = 3
    FORBIDDEN = 4

    @property
    def label(self) -> str:
        return self.name.lower()


Run = Callable[["Context", dict[str, Any]], Awaitable[Any]]
AmountsTo = Callable[["Parts", "Caller", dict[str, Any]], Awaitable[str]]
Question = Callable[[dict[str, Any]], Awaitable[str]]


@dataclass(frozen=True)
class ToolUse:
    """A tool by its bare name, and the arguments with which it serves a request."""

    tool: str
    args: Mapping[str, Any]


@dataclass(frozen=True)
class ToolAnswer:
    """A request of which a tool knows, in words, what there is to say: nothing is called."""

    text: str


Follows = Callable[[str, str], ToolUse | ToolAnswer | None]
"""What a sentence means in a conversation: the conversation, the sentence."""


@dataclass(frozen=True)
class Tool:
    """A registered tool. `tier` is what its author declares; permissions can override it."""

    name: str
    group: str
    description: str
    schema: dict[str, Any]
    check: Callable[[dict[str, Any]], dict[str, Any]]
    """Validate arguments and fill in defaults. Raises InvalidParameter."""
    run: Run
    tier: Tier | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    supports_background: bool = False
    moves: bool = False
    read_only: bool = False
    source: str = "built-in"
    hidden: bool = False
    """Offered to people and programs, not to brains."""
    opt_in: bool = False
    """Offered to brains of a profile that names it or its group, and to MCP clients that ask for its group."""
    not_ready_reason: str = ""
    """Why the tool can't be used yet. Calls of it fail with this hint."""
    amounts_to: AmountsTo | None = None
    """What a call with these arguments amounts to: the name of a tool whose tier applies as well, or empty."""
    question: Question | None = None
    """What a person is asked before a call with these arguments; by default the first line of the description."""
    sentences: tuple[str, ...] = ()
    """How people ask for it, in the notation of the reflex reader: `<name argument="words">what they say</>`."""
    serves: Callable[[str], ToolUse | None] | None = None
    """How a request in words is served by this tool or another one; None for a request that it is not for. It may
    take some milliseconds, and is called in a thread."""
    follows: Follows | None = None
    """As `serves`, for sentences that mean this tool, or another one, only in a conversation that is about its things
    already: "undo that". Asked after every `serves`, once for all tools that share it."""

    @property
    def qualified(self) -> str:
        return f"{self.group}.{self.name}"

    @property
    def remote(self) -> bool:
        """Whether it runs on a remote MCP server."""
        return self.source.startswith(REMOTE)


@dataclass(frozen=True)
class Outcome:
    """How a call ended. `error` is {code, message, hint} when it failed."""

    status: Literal["ok", "error", "denied", "cancelled", "started"]
    data: Any = None
    error: dict[str, str] | None = None
    tier: int = 0
    duration_ms: float = 0.0
    call_id: str = ""

    def as_dict(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "data": self.data,
            "error": self.error,
            "tier": self.tier,
            "duration_ms": round(self.duration_ms, 2),
            "call_id": self.call_id,
        }


class ToolError(MindError):
    """A failure with a code of the tool's own."""

    def __init__(self, code: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code


def tool(
    *,
    group: str,
    tier: TierName,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    background: bool = False,
    moves: bool = False,
    read_only: bool = False,
    hidden: bool = False,
    amounts_to: AmountsTo | None = None,
    question: Question | None = None,
    sentences: tuple[str, ...] = (),
    name: str | None = None,
) -> Callable[[Callable[..., Awaitable[Any]]], Tool]:
    """Make a tool of an async function whose first parameter is the `Context`."""

    def decorate(function: Callable[..., Awaitable[Any]]) -> Tool:
        return from_function(
            function,
            group=group,
            tier=Tier[tier.upper()],
            timeout_s=timeout_s,
            supports_background=background,
            moves=moves,
            read_only=read_only,
            hidden=hidden,
            amounts_to=amounts_to,
            question=question,
            sentences=sentences,
            name=name,
        )

    return decorate


def from_function(
    function: Callable[..., Awaitable[Any]], *, group: str, tier: Tier | None, name: str | None = None, **about: Any
) -> Tool:
    """Build a tool. Raises InvalidParameter with the reason when the function can't be one."""
    called = name or function.__name__
    if not NAME.fullmatch(called) or not NAME.fullmatch(group):
        raise InvalidParameter(f"a tool can't be called {group}.{called}", hint="small letters, digits and _")
    if not inspect.iscoroutinefunction(function):
        raise InvalidParameter(f"{called} is not an async function", hint="async def")
    description = inspect.getdoc(function)
    if not description:
        raise InvalidParameter(f"{called} has no docstring", hint="it tells models and people what the tool does")
    arguments = _arguments(called, function)

    async def run(ctx: Context, given: dict[str, Any]) -> Any:
        return await function(ctx, **given)

    return Tool(called, group, description, argument_schema(arguments), _checker(called, arguments), run, tier, **about)


def _arguments(name: str, function: Callable[..., Any]) -> type[BaseModel]:
    # A tool's module may import Context only for type checking.
    hints = get_type_hints(function, localns={"Context": object}, include_extras=True)
    fields: dict[str, Any] = {}
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[parameter.name] = (hints.get(parameter.name, Any), default)
    return create_model(f"{name}_arguments", __config__=ConfigDict(extra="forbid", allow_inf_nan=False), **fields)


def argument_schema(arguments: type[BaseModel]) -> dict[str, Any]:
    """JSON schema for models: flat, without titles."""
    schema: dict[str, Any] = _without_titles(arguments.model_json_schema())
    return schema | {"additionalProperties": False}


def _without_titles(node: Any) -> Any:
    if isinstance(node, dict):
        return {
            key: {name: _without_titles(value) for name, value in inner.items()}
            if key == "properties"
            else _without_titles(inner)
            for key, inner in node.items()
            if key != "title"
        }
    return [_without_titles(item) for item in node] if isinstance(node, list) else node


def _checker(name: str, arguments: type[BaseModel]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def check(given: dict[str, Any]) -> dict[str, Any]:
        try:
            valid = arguments.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "arguments"
            known = ", ".join(arguments.model_fields) or "none"
            raise InvalidParameter(f"{name}: {place}: {first['msg']}", hint=f"its parameters: {known}") from None
        return {field: getattr(valid, field) for field in arguments.model_fields}

    return check


def not_ready(tool: Tool, reason: str) -> Tool:
    """The tool with its final schema, but every call of it fails with this reason."""
    return replace(tool, not_ready_reason=reason)


@dataclass(frozen=True)
class Alias:
    """Another name of a tool, with other names for its parameters; parameters mapped to None are dropped.

    `convert` runs first, for changes of values. It leaves what it can't convert for the tool to refuse.
    """

    name: str
    target: str
    parameters: dict[str, str | None] = field(default_factory=dict)
    convert: Callable[[dict[str, Any]], dict[str, Any]] | None = None

    def translated(self, given: dict[str, Any]) -> dict[str, Any]:
        given = self.convert(given) if self.convert else given
        names = {key: self.parameters.get(key, key) for key in given}
        return {new: given[old] for old, new in names.items() if new is not None}
