"""Fits the arguments of one of our tools to the JSON schema that a client declared for its tool of the same name.

    fitted(ToolUse("express_emotion", {"emotion": "happy"}), declared, names={}, said="be happy")

A value becomes the one of the client's choices that means the same; what the client has no parameter for is left out;
a parameter that must be given is taken from what was said, where it is a text.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from reachy_mind.motion.library.emotion_names import SYNONYMS, normalized

Schema = Mapping[str, Any]

OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "move": ("name",),
    "move_name": ("name",),
    "dance": ("name",),
    "dance_name": ("name",),
    "emotion_name": ("emotion",),
    "start": ("enabled",),
    "enable": ("enabled",),
    "on": ("enabled",),
    "question": ("prompt",),
    "fact": ("content",),
    "location": ("place",),
    "city": ("place",),
    "level": ("volume",),
    "times": ("repeat",),
    "repeat": ("times",),
}
"""What a client calls a parameter, and what ours may be called."""
OTHER_WORDS: Mapping[str, tuple[str, ...]] = {
    "center": ("front", "forward", "straight"),
    "front": ("center", "forward", "straight"),
    "up_left": ("left", "up"),
    "up_right": ("right", "up"),
    "down_left": ("left", "down"),
    "down_right": ("right", "down"),
}
ALIKE = 0.8
FEWEST_LISTED = 3
LEAST_ANGLE = 1.0
"""Degrees: less is straight ahead."""
_LISTED = re.compile(r"^\s*(?:[-*•]\s*)?([A-Za-z][\w-]{1,60})\s*:", re.MULTILINE)
_TRUE, _FALSE = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})


class DoesNotFit(Exception):
    """The client's tool can't do this."""


def fitted(args: Mapping[str, Any], schema: Schema, names: Mapping[str, str | None], said: str) -> dict[str, Any]:
    """The arguments for the client. `names`: what ours is called, by the client's name. Raises DoesNotFit."""
    properties, given = _properties(schema), _with_direction(args)
    required = schema.get("required", ())
    found: dict[str, Any] = {}
    for name, about in properties.items():
        own = (name, names.get(name) or name, *OTHER_NAMES.get(name, ()))
        value = next((given[one] for one in own if given.get(one) is not None), None)
        if value is None:
            if name in required:
                found[name] = _made_up(about, said)
            continue
        try:
            found[name] = cast(value, about)
        except DoesNotFit:
            if name in required:
                raise
    return found


def cast(value: Any, about: Schema) -> Any:  # noqa: PLR0911 -- one per type
    """A value of ours as one that the schema allows. Raises DoesNotFit."""
    choices = about.get("enum")
    if isinstance(choices, Sequence) and not isinstance(choices, str):
        return nearest(value, choices)
    match _kind(about):
        case "boolean":
            return _boolean(value)
        case "integer":
            return round(_number(value, about))
        case "number":
            return _number(value, about)
        case "string":
            return _text(value, about)
        case "array":
            return list(value) if isinstance(value, list | tuple) else [value]
        case _:
            return value


def nearest(value: Any, choices: Sequence[Any]) -> Any:
    """The choice that means the same. Raises DoesNotFit."""
    if value in choices:
        return value
    by_word = {_word(choice): choice for choice in reversed(choices)}
    word = _word(value)
    for wanted in (word, *OTHER_WORDS.get(word, ())):
        if wanted in by_word:
            return by_word[wanted]
    meant = SYNONYMS.get(word, word)
    for other, choice in by_word.items():
        if SYNONYMS.get(other, other) == meant:
            return choice
    near = difflib.get_close_matches(word, by_word, n=1, cutoff=ALIKE)
    if not near:
        raise DoesNotFit(f"{value!r} is none of its choices")
    return by_word[near[0]]


def _word(value: Any) -> str:
    """How names are compared: `Cheerful1` is `cheerful`."""
    return re.sub(r"_?\d+$", "", normalized(str(value)))


def _properties(schema: Schema) -> dict[str, Schema]:
    found = schema.get("properties", {})
    return {name: about for name, about in found.items() if isinstance(about, Mapping)}


def _kind(about: Schema) -> str:
    kind = about.get("type", "")
    kinds = [kind] if isinstance(kind, str) else [one for one in kind if one != "null"]
    return str(kinds[0]) if kinds else ""


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().casefold()
    if word not in _TRUE | _FALSE:
        raise DoesNotFit(f"{value!r} is neither true nor false")
    return word in _TRUE


def _number(value: Any, about: Schema) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise DoesNotFit(f"{value!r} is no number") from None
    least, most = about.get("minimum", -math.inf), about.get("maximum", math.inf)
    limits = [limit if isinstance(limit, int | float) else None for limit in (least, most)]
    if limits[0] is not None:
        number = max(number, limits[0])
    if limits[1] is not None:
        number = min(number, limits[1])
    return number


def _text(value: Any, about: Schema) -> str:
    """A text; one of the names that the description lists, where it lists some."""
    text = str(value)
    listed = list(dict.fromkeys(_LISTED.findall(str(about.get("description", "")))))
    if len(listed) < FEWEST_LISTED or text in listed:
        return text
    try:
        return str(nearest(text, listed))
    except DoesNotFit:
        return text


def _made_up(about: Schema, said: str) -> Any:
    """The value of a parameter that must be given and that ours do not have. Raises DoesNotFit."""
    if "default" in about:
        return about["default"]
    choices = about.get("enum")
    if isinstance(choices, Sequence) and len(choices) == 1:
        return choices[0]
    match _kind(about):
        case "boolean":
            return True  # a parameter without a meaning, which some programs need
        case "string" if said and not choices:
            return said
    raise DoesNotFit("a parameter is missing")


def _with_direction(args: Mapping[str, Any]) -> Mapping[str, Any]:
    """Angles of the head also as the direction that is nearest: many programs know only that."""
    if args.get("direction") is not None:
        return args
    angles = [args.get("yaw"), args.get("pitch")]
    if all(angle is None for angle in angles):
        return args
    yaw, pitch = (float(angle or 0.0) for angle in angles)
    if max(abs(yaw), abs(pitch)) < LEAST_ANGLE:
        return {**args, "direction": "front"}
    if abs(yaw) >= abs(pitch):
        return {**args, "direction": "left" if yaw > 0 else "right"}
    return {**args, "direction": "down" if pitch > 0 else "up"}
