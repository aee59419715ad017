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
        head = ("parameter", "in", "takes", "default", "what it is")
        parts.append(table(head, (_parameter(each, definitions) for each in given)))
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        parts += [f"Body, {code(media)}:", *_content(content, definitions)]
    parts += _answers(operation.get("responses", {}))
    return "\n\n".join(part for part in parts if part)


def _parameter(given: Mapping[str, Any], definitions: Schema) -> tuple[str, ...]:
    default = given["schema"].get("default")
    shown = "required" if given.get("required") else "" if default is None else code(json.dumps(default))
    return code(given["name"]), given["in"], words(given["schema"], definitions), shown, given.get("description", "")


def _answers(answers: Mapping[str, Any]) -> Iterator[str]:
    errors = ", ".join(status for status in answers if not status.startswith("2")) or "none"
    for status, answer in answers.items():
        if status.startswith("2"):
            media = "".join(f", {code(each)}" for each in answer.get("content", {}))
            yield f"Answers **{status}**{media}; an error has one of the statuses {errors}."
            for content in answer.get("content", {}).values():
                yield from _example(content.get("example"), "Answer")


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
