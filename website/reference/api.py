"""The page of a REST API, made of its OpenAPI description, and of its WebSockets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypedDict

from website.markup import code, table
from website.reference.schemas import Schema, field_table, words
from website.reference.sources import Description


class About(TypedDict):
    title: str
    text: str
    prefix: str


OF_MIND: Final[About] = {
    "title": "REST and WebSocket",
    "text": "Every route of a running mind, made of its OpenAPI description. Who may call what, streams, sockets and"
    " limits: [the guide](../api.md). A running mind shows the same at `/docs`, where you can try it.",
    "prefix": "/api/v1/",
}
OF_FLEET: Final[About] = {
    "title": "Fleet API",
    "text": "Every route of a control plane (`reachy-mind fleet serve`), made of its OpenAPI description; a running one"
    " serves it at `/openapi.json`. What it is for: [the guide](../fleet.md).",
    "prefix": "/fleet/v1/",
}
EXAMPLE_LINES = 60


def page(description: Description, sockets: Mapping[str, str], *, title: str, text: str, prefix: str) -> str:
    """Routes by the resource that their path names, sockets at the end."""
    definitions = description.get("components", {}).get("schemas", {})
    resources: dict[str, list[str]] = {}
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            told = _operation(f"{method.upper()} {path}", operation, definitions)
            resources.setdefault(_resource(path, prefix), []).append(told)
    parts = [f"# {title}\n\n{text}"]
    for name, operations in sorted(resources.items()):
        parts += [f"## {name}", *operations]
    if sockets:
        parts.append("## WebSockets\n\nTheir frames: [events](events.md), and [the guide](../api.md#the-chat-socket).")
        parts += [f"### WS {path}\n\n{_prose(about)}" for path, about in sorted(sockets.items())]
    return "\n\n".join(parts) + "\n"


def _resource(path: str, prefix: str) -> str:
    inside = path.removeprefix(prefix) if path.startswith(prefix) else path.strip("/")
    first = inside.split("/")[0]
    return f"OpenAI API ({first})" if path.startswith("/v1/") else first or "root"


def _operation(route: str, operation: Mapping[str, Any], definitions: Schema) -> str:
    parts = [f"### {route}", _prose(operation.get("description", "") or operation.get("summary", ""))]
    if given := operation.get("parameters"):
        rows = (
            (code(each["name"]), each["in"], words(each["schema"], definitions), _needed(each), each.get("description", ""))
            for each in given
        )
        parts.append(table(("parameter", "in", "takes", "default", "what it is"), rows))
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        parts += [f"Body, {code(media)}:", *_content(content, definitions)]
    answers = operation.get("responses", {})
    for status, answer in answers.items():
        if status.startswith("2"):
            media = ", ".join(code(each) for each in answer.get("content", {}))
            parts.append(f"Answers **{status}**{f', {media}' if media else ''}; an error with one of the statuses"
                         f" {', '.join(each for each in answers if not each.startswith('2')) or 'none'}.")
            for content in answer.get("content", {}).values():
                parts += _example(content.get("example"), "Answer")
    return "\n\n".join(part for part in parts if part)


def _needed(parameter: Mapping[str, Any]) -> str:
    if parameter.get("required"):
        return "required"
    default = parameter["schema"].get("default")
    return "" if default is None else code(json.dumps(default))


def _content(content: Mapping[str, Any], definitions: Schema) -> Iterator[str]:
    schema = content.get("schema", {})
    yield field_table(schema, definitions, "field") or (f"{words(schema, definitions)}." if schema else "")
    yield from _example(content.get("example"), "Body")


def _example(value: Any, title: str) -> Iterator[str]:
    """Folded: most readers look for a field."""
    if value is None:
        return
    lines = json.dumps(value, indent=2, ensure_ascii=False).splitlines()
    if len(lines) > EXAMPLE_LINES:
        lines = [*lines[:EXAMPLE_LINES], "..."]
    yield "\n".join([f'??? example "{title}, an example"', "", *(f"    {line}" for line in ("```json", *lines, "```"))])


def _prose(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))
