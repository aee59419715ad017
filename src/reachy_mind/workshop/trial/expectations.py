"""`mismatch`: compares what was expected of a run with what came, in words. An empty text means that they match.

A dict matches when all of its keys do; `{">=": 4, "<=": 6}` is a range; a whole number is the same, any other within a
hundredth; text is contained, whatever the case; a text or a number is one of a list; `{"type": "list"}` is a type;
`{"status": "error"}` also matches a run that ended with an error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

COMPARISONS = {
    ">": lambda got, limit: got > limit,
    ">=": lambda got, limit: got >= limit,
    "<": lambda got, limit: got < limit,
    "<=": lambda got, limit: got <= limit,
    "==": lambda got, limit: got == limit,
    "!=": lambda got, limit: got != limit,
}
TYPES: Mapping[str, type | tuple[type, ...]] = {
    "int": int,
    "float": (int, float),
    "str": str,
    "list": list,
    "dict": dict,
    "bool": bool,
}
SHOWN = 120


def mismatch(expected: Any, got: Any, place: str = "result") -> str:
    """Why `got` is not what was expected; empty when it is."""
    if isinstance(expected, Mapping):
        return _object_mismatch(expected, got, place)
    if isinstance(expected, list):
        return _list_mismatch(expected, got, place)
    if isinstance(got, list):
        held = any(not mismatch(expected, each) for each in got)
        return "" if held else f"{place} is {_shown(got)}, without {_shown(expected)}"
    return "" if _is(expected, got) else f"{place} is {_shown(got)}, not {_shown(expected)}"


def _is(expected: Any, got: Any) -> bool:
    if isinstance(expected, str):
        return isinstance(got, str) and (expected.casefold() in got.casefold() if expected else not got)
    if isinstance(expected, bool) or expected is None:
        return got is expected
    if isinstance(expected, float) or isinstance(got, float):
        numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (expected, got))
        return numbers and math.isclose(expected, got, rel_tol=0.01, abs_tol=1e-9)
    return bool(expected == got) and isinstance(expected, bool) == isinstance(got, bool)


def _object_mismatch(expected: Mapping[str, Any], got: Any, place: str) -> str:
    if expected and set(expected) <= set(COMPARISONS):
        return _out_of_range(expected, got, place)
    if set(expected) == {"type"} and expected["type"] in TYPES:
        fits = isinstance(got, TYPES[expected["type"]])
        return "" if fits else f"{place} is {_shown(got)}, not a {expected['type']}"
    if not isinstance(got, Mapping):
        return f"{place} is {_shown(got)}, not an object"
    for key, value in expected.items():
        if key not in got:
            return f"{place} has no {key!r}"
        if why := mismatch(value, got[key], f"{place}.{key}"):
            return why
    return ""


def _list_mismatch(expected: list[Any], got: Any, place: str) -> str:
    if not isinstance(got, list) or len(got) != len(expected):
        return f"{place} is {_shown(got)}, not {_shown(expected)}"
    pairs = enumerate(zip(expected, got, strict=True))
    return next((why for at, (a, b) in pairs if (why := mismatch(a, b, f"{place}[{at}]"))), "")


def _out_of_range(limits: Mapping[str, Any], got: Any, place: str) -> str:
    for sign, limit in limits.items():
        try:
            holds = bool(COMPARISONS[sign](got, limit))
        except TypeError:
            holds = False
        if not holds:
            return f"{place} is {_shown(got)}, not {sign} {_shown(limit)}"
    return ""


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
