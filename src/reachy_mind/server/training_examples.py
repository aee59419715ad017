"""Example responses and request bodies of the training routes, for `openapi_examples`."""

from __future__ import annotations

from reachy_mind.server.workshop_examples import VERSION, Fields

_RUN: Fields = {
    "name": "look-at",
    "task": None,  # of a run that can't be read
    "algorithm": None,
    "state": "running",
    "reason": "",
    "episode_id": "",
    "scene": "",
    "episode": 160,
    "episodes": 300,
    "human": False,
    "success_rate": None,  # before the first evaluation
    "avg_reward": None,
    "violations": None,
    "best_checkpoint": None,
    "has_policy": True,
    "publishable": True,
    "curve": [[50, 0.88], [100, 0.96], [150, 0.99]],
    "updated_at": 1777887000.1,
}
_POINT: Fields = {"episode": 50, "success": 0.88, "reward": 1.2, "violations": 0.004, "time": 3.1}
_PLAN: Fields = {
    "task": "look_at",
    "algorithm": "ppo",
    "seed": 0,
    "episodes": 300,
    "evaluate_every": 50,
    "evaluation_episodes": 200,
    "robots": 10,
    "body": "kinematic",
    "randomised": False,
    "curriculum": False,
    "demonstrations": "",
    "human": False,
    "weights": {"task": 1.0, "human": 1.0, "safety": 0.1, "efficiency": 0.05},
}
_ROUTE = "/api/v1/training"

RESPONSES: dict[str, Fields] = {
    f"GET {_ROUTE}/status": _RUN | {"name": None, "updated_at": None, "runs": [_RUN]},
    f"GET {_ROUTE}/options": {
        "available": True,
        "reason": "",
        "hint": "",
        "tasks": [{"name": "look_at", "purpose": "look at a thing"}],
        "algorithms": [{"name": "ppo", "purpose": "practises, in small safe steps", "episodes": 300}],
        "datasets": ["demonstrations"],
    },
    f"GET {_ROUTE}/runs": {"runs": [_RUN], "total": 1},
    f"GET {_ROUTE}/runs/{{name}}": _RUN
    | {
        "plan": _PLAN,
        "points": [_POINT],
        "skills": [{"name": "practised_look_at", "version": 1, "state": "active"}],
        "log": "episode    50 of 300  88.0%\n",
    },
    f"POST {_ROUTE}/runs/{{name}}/publish": VERSION
    | {
        "message": "Version 1 of practised look at passed its trial; you decide whether I may use it.",
        "run": "look-at",
    },
    f"POST {_ROUTE}/start": _RUN | {"message": "I practise: look at a thing."},
    f"POST {_ROUTE}/stop": {"message": "I stopped practising: look-at can go on later.", "stopped": None},
    f"DELETE {_ROUTE}/runs/{{name}}": {"message": "I have deleted the run look-at.", "name": "look-at"},
}
REQUESTS: dict[str, Fields] = {
    f"POST {_ROUTE}/start": {"task": "look_at", "algorithm": "ppo", "episodes": 300},
}
