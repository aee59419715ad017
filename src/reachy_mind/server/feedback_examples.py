"""Example responses and request bodies of the feedback routes, for `openapi_examples`."""

from __future__ import annotations

from reachy_mind.server.workshop_examples import Fields

_FEEDBACK: Fields = {
    "id": 12,
    "at": 1777887000.1,
    "person": "ada",
    "conversation": "5b04e2526bc34a3db462e5627a7e849a",
    "turn": "",
    "channel": "rest",
    "text": "a bit more to the left",
    "reward": -0.2,
    "confidence": 0.9,
    "source": "model",
    "correction": [{"axis": "yaw", "sign": 1, "size": "small"}],
    "situation": {},
    "outcome": "ok",
    "duration_ms": None,
    "lessons": [3],
    "words_reward": None,
    "about": {"turn": "efd22dda5f454906a6b4493f9eb2a5bc", "tool": "move_head", "args": {}},
}
_LESSON: Fields = {
    "id": 3,
    "at": 1777887000.1,
    "person": "ada",
    "kind": "value",
    "tool": "look_at_object",
    "parameter": "yaw_offset",
    "situation": {},
    "explanation": "I look 5 degrees more to my left at things on the table, because you told me.",
    "words": "a bit more to the left",
    "undone": False,
}

RESPONSES: dict[str, Fields] = {
    "POST /api/v1/feedback": {"status": "received", "reward": -0.2, "confidence": 0.9, "feedback": _FEEDBACK},
    "GET /api/v1/feedback": {"feedback": [_FEEDBACK], "total": 1},
    "GET /api/v1/lessons": {"lessons": [_LESSON], "total": 1},
    "POST /api/v1/lessons/{lesson_id}/undo": _LESSON | {"undone": True},
    "POST /api/v1/lessons/{lesson_id}/redo": _LESSON,
    "DELETE /api/v1/lessons": {"forgotten": 3, "message": "I forgot 3 lessons."},
}

REQUESTS: dict[str, Fields] = {
    "POST /api/v1/feedback": {"feedback_text": "a bit more to the left", "rating": -0.2},
}
