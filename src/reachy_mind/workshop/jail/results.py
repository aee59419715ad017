"""A result of code as plain JSON values: no cycle, nothing foreign, no number that JSON lacks."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import math
import pathlib
import sys
from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 32
MAX_ARRAY = 10_000
MAX_BYTES = 1_000_000


class ResultError(ValueError):
    """A result can't be handed over."""


def plain(value: Any) -> Any:
    """Return a result as JSON values. Raises `ResultError` with a sentence."""
    converted = _plain(value, 0)
    size = len(json.dumps(converted))
    if size > MAX_BYTES:
        raise ResultError(f"the result has {size} bytes, more than {MAX_BYTES}; return less, or keep it as a file")
    return converted


def _plain(value: Any, depth: int) -> Any:  # noqa: PLR0911  (one line a type)
    if depth > MAX_DEPTH:
        raise ResultError(f"the result is nested deeper than {MAX_DEPTH} levels, or contains itself")
    if isinstance(value, enum.Enum):
        return _plain(value.value, depth + 1)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return _integer(int(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        return str(value).encode("utf-8", "replace").decode("utf-8")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name), depth + 1) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {_key(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return [_plain(item, depth + 1) for item in sorted(value, key=repr)]
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1) for item in value]
    return _special(value, depth)


def _special(value: Any, depth: int) -> Any:
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, (pathlib.PurePath, decimal.Decimal)):
        return str(value)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        return _plain(value.item(), depth + 1)
    if numpy is not None and isinstance(value, numpy.ndarray):
        if value.size > MAX_ARRAY:
            raise ResultError(f"the result has an array of {value.size} numbers, more than {MAX_ARRAY}; return less")
        return _plain(value.tolist(), depth + 1)
    raise ResultError(
        f"the result has a value of type {type(value).__name__}, which is not JSON; return text, numbers or lists"
    )


def _integer(value: int) -> int:
    if value.bit_length() > 1024:
        raise ResultError("the result has an integer of more than 1024 bits; return it as text")
    return value


def _key(key: Any) -> str:
    if isinstance(key, enum.Enum):
        return _key(key.value)
    if isinstance(key, str):
        return str(key).encode("utf-8", "replace").decode("utf-8")
    if isinstance(key, (bool, int, float)) or key is None:
        return json.dumps(key)
    return str(_special(key, 0))
