"""Every setting by its key, `robot.idle`, and in words what may stand there."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from reachy_mind.settings import Section, Settings


def _fields() -> dict[str, FieldInfo]:
    found = {}
    for section, info in Settings.model_fields.items():
        assert isinstance(info.annotation, type) and issubclass(info.annotation, Section)
        found.update({f"{section}.{name}": field for name, field in info.annotation.model_fields.items()})
    return found


FIELDS = _fields()


def allowed(key: str) -> str:
    """What may stand at `key`, in words."""
    field = FIELDS[key]
    kinds = [a for a in get_args(field.annotation) or (field.annotation,) if a is not type(None)]
    if get_origin(field.annotation) is Literal:
        return "one of " + ", ".join(str(choice) for choice in get_args(field.annotation))
    if get_origin(field.annotation) is dict:
        return "names and values, as a JSON object"
    if get_origin(field.annotation) is tuple:
        return "texts, parted by commas"
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
