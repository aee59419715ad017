"""Size limits on tool results: plain JSON values of bounded size, for models, people and the audit."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from enum import Enum
from typing import Any

from pydantic import BaseModel

MAX_CHARACTERS = 64_000
MAX_DEPTH = 12
MAX_KEY_CHARS = 200


def plain(value: Any, most: int = MAX_CHARACTERS) -> Any:
    """`value` as JSON values, truncated with a note to about `most` characters. The rest is never visited."""
    return _Truncation(most).copy(value, 0)


def text(value: Any) -> str:
    """Plain values as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class _Truncation:
    def __init__(self, left: int) -> None:
        self.left = left

    def copy(self, value: Any, depth: int) -> Any:  # noqa: PLR0911 -- one case per type
        self.left -= 2
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._string(value)
        if isinstance(value, int):
            return value if abs(value) < 1 << 63 else self._string(f"{value:.6e}" if abs(value) < 10**300 else "huge")
        if isinstance(value, float):
            return value if math.isfinite(value) else None
        if isinstance(value, bytes | bytearray | memoryview):
            return f"({len(value)} bytes)"
        if depth >= MAX_DEPTH:
            return "(too deep)"
        if isinstance(value, BaseModel):
            value = value.model_dump()
        elif is_dataclass(value) and not isinstance(value, type):
            value = asdict(value)
        elif isinstance(value, Enum):
            return self.copy(value.value, depth)
        if isinstance(value, Mapping):
            return self._mapping(value, depth)
        if isinstance(value, list | tuple | set | frozenset):
            return self._list(value, depth)
        return self._string(repr(value))

    def _string(self, value: str) -> str:
        room = max(self.left, 0)
        self.left -= min(len(value), room)
        kept = _encodable(value[:room])
        return kept if len(value) <= room else f"{kept}... ({len(value)} characters)"

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        copied: dict[str, Any] = {}
        for count, (key, inner) in enumerate(value.items()):
            if self.left <= 0:
                copied["truncated"] = f"{len(value) - count} more"
                break
            name = _encodable(str(key)[:MAX_KEY_CHARS])
            self.left -= len(name)
            copied[name] = self.copy(inner, depth + 1)
        return copied

    def _list(self, value: Any, depth: int) -> list[Any]:
        copied: list[Any] = []
        for count, inner in enumerate(value):
            if self.left <= 0:
                copied.append(f"({len(value) - count} more)")
                break
            copied.append(self.copy(inner, depth + 1))
        return copied


def _encodable(text: str) -> str:
    """A lone surrogate can't be encoded, stored or sent."""
    return text.encode("utf-8", "replace").decode("utf-8")
