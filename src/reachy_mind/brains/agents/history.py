"""The conversation history as input items of the Agents SDK.

Earlier turns come first and never change, new text comes last: that keeps a server's prompt cache valid.
"""

from __future__ import annotations

import json
from typing import Any

from reachy_mind.brains.brain import Past, ToolCall, Turn
from reachy_mind.models.plain_text import fenced

LONGEST_KNOWN = 2000
LONGEST_PAST_RESULT = 600

Item = dict[str, Any]


def input_items(turn: Turn) -> list[Item]:
    """Earlier turns with their tool calls, then the message of this turn."""
    before = [item for number, past in enumerate(turn.history) for item in _past_items(number, past)]
    return [*before, {"role": "user", "content": _user_message(turn)}]


def _past_items(number: int, past: Past) -> list[Item]:
    items: list[Item] = [{"role": "user", "content": past.said}]
    for place, call in enumerate(past.calls):
        items += _call_items(f"past_{number}_{place}", call)
    if past.reply:
        items.append({"role": "assistant", "content": past.reply})
    return items


def _call_items(call_id: str, call: ToolCall) -> list[Item]:
    arguments = json.dumps(call.args, ensure_ascii=False, default=str)
    ended = {"status": call.outcome.status, "data": call.outcome.data}
    result = fenced("result", json.dumps(ended, ensure_ascii=False, default=str), LONGEST_PAST_RESULT)
    return [
        {"type": "function_call", "call_id": call_id, "name": call.name, "arguments": arguments},
        {"type": "function_call_output", "call_id": call_id, "output": result},
    ]


def _user_message(turn: Turn) -> str:
    """The person's words, then memories and what the camera sees, fenced as data."""
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
