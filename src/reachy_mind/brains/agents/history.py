"""What was said before, as the model reads it: our own store's turns as items of the SDK.

What never changes comes first and what is new last, so that a server that keeps what it has read reads little anew.
"""

from __future__ import annotations

import json
from typing import Any

from reachy_mind.brains.thought import Call, Past, Turn
from reachy_mind.models.plaintext import fenced

LONGEST_KNOWN = 2000
LONGEST_PAST_RESULT = 600

Item = dict[str, Any]


def items(turn: Turn) -> list[Item]:
    """Earlier turns with what was called in them, and what was said now."""
    before = [item for number, past in enumerate(turn.history) for item in _past(number, past)]
    return [*before, {"role": "user", "content": _said(turn)}]


def _past(number: int, past: Past) -> list[Item]:
    made: list[Item] = [{"role": "user", "content": past.said}]
    for place, call in enumerate(past.calls):
        made += _call(f"past_{number}_{place}", call)
    if past.reply:
        made.append({"role": "assistant", "content": past.reply})
    return made


def _call(call_id: str, call: Call) -> list[Item]:
    arguments = json.dumps(call.args, ensure_ascii=False, default=str)
    ended = {"status": call.outcome.status, "data": call.outcome.data}
    result = fenced("result", json.dumps(ended, ensure_ascii=False, default=str), LONGEST_PAST_RESULT)
    return [
        {"type": "function_call", "call_id": call_id, "name": call.name, "arguments": arguments},
        {"type": "function_call_output", "call_id": call_id, "output": result},
    ]


def _said(turn: Turn) -> str:
    """The person's words, then what is known about the moment, marked as data."""
    known = [
        fenced(name, json.dumps(turn.context[name], ensure_ascii=False, default=str), LONGEST_KNOWN)
        for name in ("remembered", "seen")
        if turn.context.get(name)
    ]
    if turn.person:
        known.insert(0, fenced("person", turn.person, 100))
    if turn.heard is not None and turn.history:
        known.append(fenced("heard_of_your_last_reply", turn.heard or "nothing", LONGEST_KNOWN))
    return "\n\n".join([turn.text, *(text for text in known if text)])
