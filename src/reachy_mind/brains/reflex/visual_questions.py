"""What "it" stands for in a question about what the robot sees."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reachy_mind.brains.reflex.plan import Before
from reachy_mind.eyes import questions

LOOKS = frozenset(("analyze_scene", "detect_objects", "detect_faces", "look_at_object", "describe_image", "take_photo"))
"""Tools that look."""
_IT = re.compile(r"\b(?:it|that|this|them|they)\b", re.IGNORECASE)
_ITS = re.compile(r"\bits (\w+)", re.IGNORECASE)
_SOMETHING = "\N{OBJECT REPLACEMENT CHARACTER}"


def last_thing(before: Sequence[Before]) -> str:
    """What was looked at or asked about last."""
    for call in reversed(before):
        if call.tool not in LOOKS:
            continue
        about = call.data.get("about") if isinstance(call.data, dict) else None
        names = list(call.args.get("names") or ())
        named = about or call.args.get("name") or (names[0] if len(names) == 1 else "")
        named = named or questions.read(str(call.args.get("prompt", ""))).name
        if named:
            return str(named)
    return ""


def in_full(prompt: str, before: Sequence[Before]) -> str:
    """The same question with the name of what "it" is, where that is known."""
    if not (thing := last_thing(before)):
        return prompt
    prompt = _ITS.sub(rf"the \1 of the {thing}", prompt, count=1)
    if questions.read(prompt, _SOMETHING).name != _SOMETHING:
        return prompt
    return _IT.sub(f"the {thing}", prompt, count=1)
