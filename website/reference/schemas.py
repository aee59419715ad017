"""JSON schemas in words: the type and the limits of a value, the fields of an object."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from website.markup import code, table

Schema = Mapping[str, Any]
LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "below {}",
    "minLength": "{} characters or more",
    "maxLength": "{} characters at most",
    "minItems": "{} or more",
    "maxItems": "{} at most",
}
TYPES = {"integer": "whole number", "string": "text", "boolean": "true or false", "object": "object", "null": "null"}


def words(schema: Schema, definitions: Schema | None = None) -> str:
    """What a value must be, such as "whole number, at least 1, at most 5"."""
    schema = resolved(schema, definitions or {})
    if "const" in schema:
        return code(json.dumps(schema["const"], ensure_ascii=False))
    if "enum" in schema:
        return ", ".join(code(str(choice)) for choice in schema["enum"])
    if either := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(words(each, definitions) for each in either))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(TYPES.get(str(each), str(each)) for each in kind)
    if kind == "array":
        inside = words(schema.get("items", {}), definitions)
        what = f"list of {inside}" if inside != "anything" else "list"
    else:
        what = TYPES.get(str(kind), str(kind)) if kind else "anything"
    limits = [text.format(_number(schema[name])) for name, text in LIMITS.items() if name in schema]
    return ", ".join([what, *limits]).replace("1 characters or more", "not empty")


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def resolved(schema: Schema, definitions: Schema) -> Schema:
    """The schema itself, where another one is named; what is beside the name is kept."""
    reference = schema.get("$ref", "")
    if not reference:
        return schema
    found: Schema = definitions.get(reference.rpartition("/")[2], {})
    return {**found, **{name: value for name, value in schema.items() if name != "$ref"}}


def field_table(schema: Schema, definitions: Schema | None = None, name: str = "parameter") -> str:
    """A table of the fields of an object; empty where it has none."""
    known = {**(definitions or {}), **schema.get("$defs", {})}
    rows = list(_rows(resolved(schema, known), known))
    return table((name, "takes", "default", "what it is"), rows) if rows else ""


def _rows(schema: Schema, definitions: Schema) -> Iterator[tuple[str, str, str, str]]:
    needed = schema.get("required", ())
    for name, described in schema.get("properties", {}).items():
        inside = resolved(described, definitions)
        default = inside.get("default")
        if name in needed:
            shown = "required"
        else:
            shown = "" if default is None else code(json.dumps(default, ensure_ascii=False))
        yield code(name), words(described, definitions), shown, str(inside.get("description", ""))
