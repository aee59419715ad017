"""`FIELDS`: every setting by its key, such as `robot.idle`; `allowed`: its permitted values in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from reachy_mind.config.plugins import PluginName
from reachy_mind.config.section import Section
from reachy_mind.config.settings import Settings


def _fields() -> dict[str, FieldInfo]:
    found = {}
    for section, info in Settings.model_fields.items():
        assert isinstance(info.annotation, type) and issubclass(info.annotation, Section)
        found.update({f"{section}.{name}": field for name, field in info.annotation.model_fields.items()})
    return found


FIELDS = _fields()


def choices(key: str) -> list[str]:
    """The values among which `key` is chosen; none where it takes any value of its type."""
    field = FIELDS[key]
    if get_origin(field.annotation) is Literal:
        return [str(choice) for choice in get_args(field.annotation)]
    return next((named.choices() for named in field.metadata if isinstance(named, PluginName)), [])


def allowed(key: str) -> str:
    """The permitted values of `key`, in words."""
    field = FIELDS[key]
    kinds = [a for a in get_args(field.annotation) or (field.annotation,) if a is not type(None)]
    if among := choices(key):
        return "one of " + ", ".join(among)
    if get_origin(field.annotation) is dict:
        return "names and values, as a JSON object"
    if get_origin(field.annotation) is tuple:
        return "texts, separated by commas"
    limits = {name: value for m in field.metadata for name, value in _limits(m) if value is not None}
    kind = {
        int: "a whole number",
        float: "a number",
        bool: "true or false",
        str: "text",
        Path: "a path",
        SecretStr: "a secret text",
    }[kinds[0]]
    bounds = [f"at least {limits['ge']}" if "ge" in limits else "", f"above {limits['gt']}" if "gt" in limits else ""]
    bounds += [f"at most {limits['le']}" if "le" in limits else ""]
    words = ", ".join([kind, *(b for b in bounds if b)])
    return f"{words} ({field.description})" if "pattern" in limits else words


def _limits(metadata: object) -> list[tuple[str, Any]]:
    names = ("ge", "gt", "le", "min_length", "pattern")
    return [(n, getattr(metadata, n)) for n in names if hasattr(metadata, n)]
