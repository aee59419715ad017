"""Example responses and request bodies of the demonstration routes, for `openapi_examples`."""

from __future__ import annotations

from reachy_mind.server.workshop_examples import Fields

_DEMONSTRATION: Fields = {
    "demo_id": "5b04e2526bc3",
    "dataset": "demonstrations",
    "task_description": "look at the cup",
    "source": "tools",
    "person": "ada",
    "created_at": "2026-05-04T10:50:00+00:00",
    "frames": 41,
    "fps": 20,
    "duration_s": 2.0,
    "video": False,
    "actions": [{"name": "robot.look", "args": {"yaw": 20}, "status": "ok"}],
}
_PATH = "/api/v1/demonstrations/{demo_id}"

RESPONSES: dict[str, Fields] = {
    "POST /api/v1/demonstration": {"status": "stored", "message": "I will remember how to look at the cup."}
    | _DEMONSTRATION
    | {"results": [{"command": "look", "clamped": []}]},
    "GET /api/v1/demonstrations": {"demonstrations": [_DEMONSTRATION], "total": 1, "broken": []},
    f"GET {_PATH}": _DEMONSTRATION | {"times": [0.0, 0.05], "axes": {"yaw": [0.0, 1.5], "pitch": [0.0, 0.0]}},
    f"DELETE {_PATH}": _DEMONSTRATION | {"message": "I have forgotten that demonstration."},
    f"POST {_PATH}/trim": _DEMONSTRATION | {"message": "I have trimmed it."},
    f"POST {_PATH}/replay": {"command": "replay", "demo_id": "5b04e2526bc3", "duration_s": 2.0, "clamped": []},
}
REQUESTS: dict[str, Fields] = {
    "POST /api/v1/demonstration": {
        "task_description": "look at the cup",
        "actions": [{"name": "robot.look", "args": {"yaw": 20, "pitch": 5}}],
    },
    f"POST {_PATH}/trim": {"start": 0.5, "end": 1.5},
}
