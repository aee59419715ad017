"""`unfounded`: finds what a result claims that the host did not see: pictures, spoken words, gestures.

Only names and sentences that can mean nothing else count, so that an honest result is never taken for a false one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 4
_PICTURES = re.compile(
    r"(?:(?:num|number_of|total|n)_)?photos(?:_(?:taken|count|made|captured|total|saved))?|photo_count"
    r"|(?:pictures?|images?|snapshots?|photo)_(?:taken|captured)|(?:taken|captured)_(?:photos?|pictures?|images?)"
)
_SPOKEN = re.compile(r"spoken|spoke|sentences_spoken|announcements(?:_made)?")
_GESTURES = re.compile(r"nods|nodded|waves|waved|danced|shook_head|wiggles|wiggled")
_SENTENCE = re.compile(
    r"\b(?:took|have taken|captured)\s+(?P<a>\d+|an?)\s+(?:new\s+)?(?:photo|picture|snapshot)"
    r"|(?P<b>\d+)\s+(?:photo|picture|snapshot)s?\s+(?:were\s+|was\s+)?(?:taken|captured)",
    re.IGNORECASE,
)


def unfounded(result: Any, seen: Mapping[str, Any]) -> str:
    """Why a claim of the result is not true; empty when there is none such. `seen`: see `verdict.what_happened`."""
    pictures = max((_count(value) for value in _values(result, _PICTURES)), default=0)
    pictures = max(pictures, _told(result))
    if pictures > seen["pictures"]:
        return f"it tells of {pictures} photos, and the camera gave {seen['pictures']} pictures"
    if not seen["sentences"] and not seen["sounds"] and any(map(_count, _values(result, _SPOKEN))):
        return "it tells of spoken words, and nothing was said"
    if not seen["moved"] and any(map(_count, _values(result, _GESTURES))):
        return "it tells of a gesture, and the robot did not move"
    return ""


def _values(value: Any, names: re.Pattern[str], depth: int = 0) -> list[Any]:
    """The values of these names, wherever they are in a result."""
    if depth > MAX_DEPTH or not isinstance(value, Mapping):
        return []
    own = [inner for name, inner in value.items() if names.fullmatch(str(name).casefold())]
    return own + [found for inner in value.values() for found in _values(inner, names, depth + 1)]


def _count(value: Any) -> int:
    """How many a value claims: a number, the length of a list, one for a text or yes."""
    if isinstance(value, bool) or value is None:
        return int(bool(value))
    if isinstance(value, int | float):
        return max(int(value), 0)
    if isinstance(value, list | tuple):
        return len(value)
    return int(bool(value))


def _told(result: Any) -> int:
    """How many pictures a sentence of the result claims."""
    message = result if isinstance(result, str) else result.get("message") if isinstance(result, Mapping) else ""
    numbers = [found["a"] or found["b"] for found in _SENTENCE.finditer(message if isinstance(message, str) else "")]
    return max((int(number) if number.isdigit() else 1 for number in numbers), default=0)
