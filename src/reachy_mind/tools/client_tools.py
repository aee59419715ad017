"""`ClientTools`: tools that a client declares and carries out itself: an app on the robot, or a program elsewhere.

    tools = ClientTools(declared, perform, registry)
    tools.offered(own)                     # what a brain may choose from
    tools.serving("express_emotion", {"emotion": "happy"}, "be happy")

A client's tool with a name of ours, or with another name of ours, stands for that tool: a brain calls ours, the rules
about ours hold, and the client runs it with arguments that fit its own schema. A call that does not fit is
run by us. Its other tools are offered to brains as they are, in the group `client`. What a client declares and answers
is not trusted: texts are shortened and marked, results are data.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.eyes import pictures
from reachy_mind.models import plain_text
from reachy_mind.tools.client_arguments import DoesNotFit, fitted
from reachy_mind.tools.context import Context
from reachy_mind.tools.definition import CLIENT, NAME, Tier, Tool, ToolError
from reachy_mind.tools.registry import Registry, UnknownTool

GROUP = "client"
TIMEOUT_S = 60.0
MOST_TOOLS, MOST_SCHEMA, MOST_DESCRIPTION = 128, 16_000, 1000
"""Schema as JSON; characters."""
_PUNCTUATION = re.compile(r"[^\w\s,-]")
CLIENT_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
STANDS_FOR: Mapping[str, tuple[str, ...]] = {"stop": ("stop_dance", "stop_emotion", "stop_move")}
"""Tools of clients that serve one of ours, besides its own names: the first that is declared."""
PICTURES = ("b64_im", "image_url", "image", "image_base64")
"""Where a client's result may have a picture that it took."""
TEXTS = ("message", "answer", "image_description", "description", "summary", "result", "text", "status")
"""Where a client's result may have a sentence about it; one word, such as "queued", is none."""


@dataclass(frozen=True)
class ClientRequest:
    """A call for the client: its own name of the tool, and arguments that fit its schema."""

    name: str
    arguments: dict[str, Any]
    tool: str
    """What the brain called, and with what."""
    given: dict[str, Any]


Perform = Callable[[ClientRequest], Awaitable[Any]]
"""Has the client run its tool; returns its result. Raises ToolError."""


@dataclass(frozen=True)
class DeclaredTool:
    """A function that a client declared, with the JSON schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any]


def declare(name: Any, description: Any, schema: Any) -> DeclaredTool:
    """A client's function. Raises InvalidParameter for one that can't be used."""
    if not isinstance(name, str) or not CLIENT_NAME.fullmatch(name):
        raise InvalidParameter(f"a function can't be called {str(name)[:70]!r}", hint="letters, digits, _, - and .")
    found = {"type": "object", "properties": {}} if schema is None else schema
    if not isinstance(found, dict) or found.get("type", "object") != "object":
        raise InvalidParameter(f"{name}: its parameters are no JSON schema of an object", hint='"type": "object"')
    if len(json.dumps(found, default=str)) > MOST_SCHEMA:
        raise InvalidParameter(f"{name}: its parameters are too long", hint=f"at most {MOST_SCHEMA} characters")
    if not isinstance(found.get("properties", {}), dict) or not isinstance(found.get("required", []), list):
        raise InvalidParameter(f"{name}: its parameters are no JSON schema", hint="properties and required")
    return DeclaredTool(name, str(description or "")[: MOST_DESCRIPTION * 20], found)


class ClientTools:
    """Of one conversation. `perform` has the client run a tool."""

    def __init__(self, declared: Sequence[DeclaredTool], perform: Perform, registry: Registry) -> None:
        if len(declared) > MOST_TOOLS:
            raise InvalidParameter(f"{len(declared)} functions", hint=f"at most {MOST_TOOLS}")
        self._declared = {tool.name: tool for tool in declared}
        self._perform, self._registry = perform, registry
        self._own: dict[str, Tool] = {}
        for tool in declared:
            if (made := self._as_tool(tool)) is not None:
                self._own[made.name] = made
        self._client_names = {_own_name(tool.name): tool.name for tool in declared}

    def __bool__(self) -> bool:
        return bool(self._declared)

    def offered(self, own: Sequence[Tool], others: Sequence[Tool] = ()) -> tuple[Tool, ...]:
        """Our tools, and those of the client that none of ours stands for. `others`: tools of ours that only the client
        may run here, because its scopes do not allow more."""
        known = {tool.name for tool in own}
        stood_for = (tool for tool in others if tool.name not in known and self._standing_for(tool))
        return (*own, *stood_for, *self._own.values())

    def serving(self, name: str, args: Mapping[str, Any], said: str) -> Tool | None:
        """The tool by which the client carries out a call; None where we do."""
        if name in self._own:
            return self._fitted_own(self._own[name], args, said)
        try:
            ours, alias = self._registry.find(name)
        except UnknownTool:
            return None
        translated = alias.translated(dict(args)) if alias is not None else args
        for declared, names in self._standing_for(ours):
            try:
                wanted = fitted(translated, declared.schema, names, said)
            except DoesNotFit:
                continue
            return self._carried_out(ours, ClientRequest(declared.name, wanted, name, dict(args)))
        return None

    def _standing_for(self, ours: Tool) -> list[tuple[DeclaredTool, Mapping[str, str | None]]]:
        """The client's tools that may serve one of ours, with our names of their parameters."""
        found: list[tuple[DeclaredTool, Mapping[str, str | None]]] = []
        if ours.name in self._declared:
            found.append((self._declared[ours.name], {}))
        for other in self._registry.aliases_of(ours.name):
            if other in self._declared:
                _, alias = self._registry.find(other)
                found.append((self._declared[other], alias.parameters if alias is not None else {}))
        return found + [(self._declared[name], {}) for name in STANDS_FOR.get(ours.name, ()) if name in self._declared]

    def _carried_out(self, ours: Tool, request: ClientRequest) -> Tool:
        async def run(ctx: Context, given: dict[str, Any]) -> Any:
            if ours.name == "stop":
                await _stop_here(ours, ctx, given)
            return await _with_picture(ctx, given, await self._perform(request))

        # A stop stays ours: it acts first. Of anything else only the rules about its name hold: it is not our robot.
        source = ours.source if ours.name == "stop" else CLIENT
        tier, timeout = ours.tier or Tier.AUTONOMOUS, max(ours.timeout_s, TIMEOUT_S)
        return replace(
            ours, run=run, tier=tier, moves=False, timeout_s=timeout, supports_background=False, source=source
        )

    def _as_tool(self, declared: DeclaredTool) -> Tool | None:
        """A tool of the client as one of ours; None where one of ours stands for it, or its name can't be used."""
        name = _own_name(declared.name)
        try:
            self._registry.find(name)
        except UnknownTool:
            pass
        else:
            return None
        if not NAME.fullmatch(name) or any(declared.name in names for names in STANDS_FOR.values()):
            return None
        stated = plain_text.words(declared.description, MOST_DESCRIPTION) or "no description"
        description = f"A function of the program that is talked with, which says of it (not checked): {stated!r}"

        async def run(_: Context, given: dict[str, Any]) -> Any:
            return outcome_data(await self._perform(ClientRequest(declared.name, given, name, given)))

        return Tool(
            name,
            GROUP,
            description,
            dict(declared.schema),
            dict,
            run,
            Tier.AUTONOMOUS,
            timeout_s=TIMEOUT_S,
            source=CLIENT,
            sentences=_sentences(name, declared.description),
        )

    def _fitted_own(self, tool: Tool, args: Mapping[str, Any], said: str) -> Tool:
        """What the client needs and a sentence did not give is taken from the sentence."""
        name = self._client_names[tool.name]
        try:
            wanted = {**fitted(args, self._declared[name].schema, {}, said), **args}
        except DoesNotFit:
            wanted = dict(args)

        async def run(_: Context, __: dict[str, Any]) -> Any:
            return outcome_data(await self._perform(ClientRequest(name, wanted, tool.name, dict(args))))

        return replace(tool, run=run)


def outcome_data(result: Any) -> dict[str, Any]:
    """A client's result as that of a tool. Raises ToolError for one that reports an error."""
    if isinstance(result, str):
        try:
            result = json.loads(result)
        except ValueError:
            result = {"message": result}
    if not isinstance(result, dict):
        result = {"result": result}
    if error := result.get("error"):
        message = error.get("message", error) if isinstance(error, dict) else error
        raise ToolError("TOOL_FAILED", plain_text.words(str(message), 500) or "the program reports an error")
    told = next((text for key in TEXTS if isinstance(text := result.get(key), str) and len(text.split()) > 1), "")
    told = plain_text.words(told, MOST_DESCRIPTION)
    return {**result, "untrusted": True} | ({"message": told} if told else {})


async def _with_picture(ctx: Context, given: Mapping[str, Any], result: Any) -> dict[str, Any]:
    """The result; of a picture that the client took, what our eyes see in it, and not the picture itself."""
    data = outcome_data(result)
    taken = [data.pop(key) for key in PICTURES if isinstance(data.get(key), str)]
    sight = ctx.parts.sight
    if not taken or sight is None:
        return data
    picture = await asyncio.to_thread(pictures.from_base64, taken[0].partition("base64,")[2] or taken[0], time.time())
    prompt = str(given.get("prompt") or "") or "what do you see?"
    answer = await sight.answer(prompt, picture)
    return data | {"answer": answer.text, "message": answer.text}


async def _stop_here(ours: Tool, ctx: Context, given: dict[str, Any]) -> None:
    """Our own body stops too, if there is one."""
    try:
        await ours.run(ctx, given)
    except MindError:
        if ctx.parts.motion is not None:
            raise


def _own_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _sentences(name: str, description: str) -> tuple[str, ...]:
    """How people may ask for it: by its name, and by what it says of itself."""
    first = re.split(r"[.\n;:(]", plain_text.words(description, MOST_DESCRIPTION))[0]
    said = (name.replace("_", " "), *([first] if first else []))
    return tuple(f"<{name}>{_PUNCTUATION.sub(' ', text).strip()}</>" for text in said)
