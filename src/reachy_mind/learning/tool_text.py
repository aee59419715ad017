"""Tools and tool calls as plain text, for models whose chat template knows nothing of them.

A call is one line of JSON: {"name": "nod", "arguments": {"times": 2}}. The tools stand in the system message, one line
each, short enough for a small model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reachy_mind.models.completion import Message

RULE = (
    "You have the tools below. To use tools, answer with a JSON object a line and nothing else: "
    '{"name": "...", "arguments": {...}}. Give only arguments that were asked for. Otherwise answer in words.'
)
RESULT = "Result: "
_DECODER = json.JSONDecoder()

Call = tuple[str, dict[str, Any]]


def plain_messages(messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] = ()) -> list[Message]:
    """Messages of the chat format without tool calls: these are text, and so are the tools."""
    plain = list[Message]()
    for message in messages:
        content = str(message.get("content") or "")
        match message["role"]:
            case "system":
                plain.append({"role": "system", "content": content})
            case "assistant":
                called = [call_text(*call) for call in calls_of(message)]
                plain.append({"role": "assistant", "content": "\n".join(filter(None, [content, *called]))})
            case "tool" if plain and plain[-1]["content"].startswith(RESULT):
                plain[-1] = {"role": "user", "content": f"{plain[-1]['content']}\n{RESULT}{content}"}
            case "tool":
                plain.append({"role": "user", "content": f"{RESULT}{content}"})
            case role:
                plain.append({"role": role, "content": content})
    if tools:
        said = plain.pop(0)["content"] if plain and plain[0]["role"] == "system" else ""
        plain.insert(0, {"role": "system", "content": f"{said}\n\n{tool_list(tools)}".strip()})
    return plain


def tool_list(tools: Sequence[Mapping[str, Any]]) -> str:
    """The tools, with their arguments and the first sentence about them."""
    return "\n".join([RULE, *(_tool_line(tool["function"]) for tool in tools)])


def call_text(name: str, arguments: Mapping[str, Any]) -> str:
    return json.dumps({"name": name, "arguments": dict(arguments)}, ensure_ascii=False)


def calls_of(message: Mapping[str, Any]) -> list[Call]:
    """The calls of an assistant's message; arguments are text or an object."""
    calls = list[Call]()
    for call in message.get("tool_calls") or ():
        arguments = call["function"]["arguments"]
        calls.append((call["function"]["name"], json.loads(arguments) if isinstance(arguments, str) else arguments))
    return calls


def read_calls(text: str) -> list[Call]:
    """The calls in a model's answer: JSON objects with a name, wherever they stand."""
    return [
        (found["name"], found["arguments"] if isinstance(found.get("arguments"), dict) else {})
        for found in _objects(text)
        if isinstance(found.get("name"), str)
    ]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    at = text.find("{")
    while at >= 0:
        try:
            found, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield found
        at = text.find("{", end)


def _tool_line(function: Mapping[str, Any]) -> str:
    properties = function.get("parameters", {}).get("properties", {})
    arguments = ", ".join(f"{name}: {_values(schema)}" for name, schema in properties.items())
    about = str(function.get("description", "")).strip().split("\n")[0].split(". ")[0].rstrip(".")
    return f"{function['name']}({arguments}): {about}"


def _values(schema: Mapping[str, Any]) -> str:
    """What a value may be: alternatives, or a kind with its limits."""
    if alternatives := schema.get("anyOf"):
        return _values(next((each for each in alternatives if each.get("type") != "null"), {}))
    if values := schema.get("enum"):
        return "|".join(map(str, values))
    kind = str(schema.get("type", "any"))
    limits = [schema[key] for key in ("minimum", "maximum") if key in schema]
    return f"{kind} {limits[0]} to {limits[1]}" if len(limits) == 2 else kind
