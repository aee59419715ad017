"""Example responses (`RESPONSES`) and request bodies (`REQUESTS`) by route, for the OpenAPI description.

The response schemas are derived from the examples: every field shown is always present, and None stands for any value.
Tests compare them with what the routes really return.
"""

from __future__ import annotations

from reachy_mind import __version__
from reachy_mind.server import (
    demonstration_examples,
    developer_examples,
    feedback_examples,
    training_examples,
    workshop_examples,
)
from reachy_mind.server.workshop_examples import Fields

_ID = "5b04e2526bc34a3db462e5627a7e849a"
_AT = "2026-05-04T09:30:00.120000+00:00"
_POSE: Fields = {"x_mm": 0.1, "y_mm": 0.0, "z_mm": -0.1, "roll": 0.0, "pitch": -0.1, "yaw": 10.1, "body_yaw": 0.0}
_ROBOT: Fields = {
    "robot": "reachy_mini_sim",
    "address": "127.0.0.1:8000",
    "simulated": True,
    "version": "1.13.0",
    "link": "connected",
    "motor_mode": "enabled",
    "busy": False,
    "pose": _POSE | {"antenna_left": 10.0, "antenna_right": -10.0},
    "joints": [0.0, 39.1, -33.2, 39.0, -33.1, 39.1, -33.1],
    "age_ms": 11.9,
    "error": None,
}
_DONE = _ROBOT | {"command": "look", "clamped": []}
_CALL: Fields = {"name": "nod", "args": {"times": 2}, "status": "ok"}
_EXECUTED: Fields = {
    "status": "success",
    "result": None,
    "execution_time": 0.8,
    "call_id": _ID,
    "tier": 1,
    "outcome": "ok",
    "error": None,
}
_SESSION: Fields = {
    "session_id": _ID,
    "person": "ada",
    "profile": "default",
    "created_at": _AT,
    "updated_at": _AT,
    "message_count": 2,
    "active_agent": "reflex",
}
_PROFILE: Fields = {"name": "poet", "about": "Speaks in verse.", "source": "user", "voice": "", "greeting": "Well met."}
_PROFILE |= {"hidden": False, "broken": "", "problems": []}
_WHOLE_PROFILE = _PROFILE | {"instructions": "You are a poet."}
_QUESTION: Fields = {
    "id": _ID,
    "call_id": _ID,
    "tool": "memory.forget_memory",
    "arguments": {"query": "keys"},
    "consequence": "What I know about keys is gone for good.",
    "reason": "as it declares",
    "expires_at": 1777887060.1,
}
_TIMER: Fields = {
    "id": "3",
    "kind": "reminder",
    "due_at": 1772532300.0,
    "message": "call Ada",
    "conversation": "",
    "person": "",
    "created_at": 1772532000.0,
}
_ANNOUNCEMENT: Fields = {
    "key": "0f9e2c5d8a7b4b1f9d3c6e8a1b2c3d4e",
    "at": 1772532300.0,
    "text": "Reminder: call Ada",
    "about": "reminder 3",
    "conversation": "",
    "person": "",
    "told_at": None,
    "told_by": "",
}
_TASK: Fields = {"id": "8de3ad93037c", "tool": "tasks.background_demo", "state": "running", "progress": 0.1}
_TASK |= {"message": "step 1 of 10", "started_at": 1777887000.1, "ended_at": None, "result": None}
_MEMORY: Fields = {"id": "fb81255295204ba0", "person": "ada", "type": "fact", "content": "The keys are in the drawer"}
_MEMORY |= {"created_at": 1777887000.1, "times": 1, "superseded_by": None}
_PERSON: Fields = {"id": "ada", "name": "Ada", "created_at": 1777887000.1, "seen_at": 1777887060.1}
_VOICE: Fields = {
    "available": True,
    "reason": "",
    "hint": "",
    "state": "open",
    "microphone": "open",
    "doing": "listening",
}
_VOICE |= {"speaking": False, "awake": True, "wake": "always", "ears": "moonshine base", "voice": "piper"}
_VOICE |= {"session_id": _ID}
_TOKEN: Fields = {"id": "1a2b3c4d", "name": "kitchen", "scopes": ["read", "talk"], "created": 1777887000.1}
_TOKEN |= {"kind": "program", "expires": None, "last_used": None, "expired": False}
_TOOL: Fields = {"name": "nod", "group": "robot", "description": "Nod to say yes.", "source": "built-in", "tier": 1}
_TOOL |= {"parameters": {"type": "object"}, "tier_name": "autonomous", "reason": "as it declares", "ready": True}
_ACT: Fields = {
    "what": "it nods",
    "when": "the move shows it; a recorded one may show anything",
    "tier_name": "confirm",
}
_ACT |= {"reason": "it nods, rule 'robot.nod' (line 2)"}
_TOOL |= {"acts": [_ACT], "generated": None}
_PULL: Fields = {"state": "running", "stage": "downloading", "done": 104857600, "total": 1090000000, "error": None}

RESPONSES: dict[str, Fields] = {
    "GET /healthz": {"status": "ok", "version": __version__},
    "GET /readyz": {
        "status": "ready",
        "state": "ready",
        "brain": "reflex",
        "profile": "default",
        "robot": "connected",
        "tools": 67,
        "tasks": [],
        "waiting_confirmations": 0,
        "interrupted": [],
        "trouble": {},
    },
    "POST /api/v1/login": _TOKEN | {"kind": "browser", "name": "Android 1a2b3c4d"},
    "POST /api/v1/logout": {"left": "Android 1a2b3c4d"},
    "GET /api/v1/me": {"kind": "program", "id": "1a2b3c4d", "name": "kitchen", "scopes": ["read", "talk"]},
    "POST /api/v1/logins": {
        "code": "Ptqh3odPXbRwA_I8Tx_GhKmz",
        "expires_at": 1777887600.1,
        "urls": ["https://192.168.1.7:8642/login#Ptqh3odPXbRwA_I8Tx_GhKmz"],
    },
    "GET /api/v1/tokens": {"tokens": [_TOKEN], "total": 1},
    "DELETE /api/v1/tokens/{which}": _TOKEN | {"revoked": True},
    "GET /api/v1/robot/figure": {
        "source": "robot description",
        "urdf": "/figure/39cb/figure.urdf",
        "state": "ready",
        "reason": "",
    },
    "GET /api/v1/robot/light": {"color": "#ff0000", "brightness": 1.0, "effect": "solid"},
    "GET /api/v1/robot/state": _ROBOT | {"mind": "ready"},
    "POST /api/v1/robot/stop": _DONE | {"command": "stop", "message": "I stopped."},
    "POST /api/v1/robot/look": _DONE,
    "POST /api/v1/robot/goto": _DONE | {"command": "goto"},
    "POST /api/v1/robot/wake": _DONE | {"command": "wake"},
    "POST /api/v1/robot/sleep": _DONE | {"command": "sleep"},
    "GET /api/v1/moves": {
        "moves": [
            {"name": "agreeing", "kind": "emotion", "description": "Nods.", "parameters": ["intensity"], "own": False}
        ],
        "total": 48,
    },
    "GET /api/v1/moves/{name}/trajectory": {
        "name": "agreeing",
        "description": "Nods.",
        "sound": False,
        "duration_s": 1.6,
        "times": [0.0, 0.01],
        "axes": {"pitch": [0.0, 1.2], "yaw": [0.0, 0.0]},
    },
    "DELETE /api/v1/moves/{name}": {"message": "I have forgotten the move mine.", "move": "mine"},
    "POST /api/v1/moves/play": _DONE | {"command": "play", "move": "nod"},
    "POST /api/v1/moves/record": _DONE | {"command": "record"},
    "GET /api/v1/vision": {
        "available": True,
        "reason": "",
        "hint": "",
        "provider": "sim",
        "because": "the robot is simulated",
        "camera": "on",
        "open": True,
        "trouble": "",
        "tracker": "bundled",
        "following": True,
    },
    "GET /api/v1/vision/seen": {
        "camera": "open",
        "reason": "",
        "hint": "",
        "at": 1777887000.1,
        "width": 640,
        "height": 360,
        "faces": [],
        "things": [],
        "missing": [],
    },
    "GET /api/v1/voice": _VOICE,
    "GET /api/v1/voice/voices": {
        "voices": [
            {
                "engine": "kokoro",
                "name": "af_heart",
                "about": "woman, American",
                "languages": ["en"],
                "licence": "Apache-2.0",
                "installed": True,
                "in_use": True,
                "asset": "kokoro-voice",
                "size": 100547105,
                "hint": "",
            }
        ],
        "total": 39,
        "in_use": "kokoro af_heart",
        "voice": "auto",
        "voice_name": "af_heart",
        "personality": "",
        "moods": ["neutral", "calm"],
    },
    "POST /api/v1/voice/microphone": _VOICE,
    "POST /api/v1/voice/stt": {
        "transcription": "Look left.",
        "confidence": 0.71,
        "alternatives": [{"text": "Look left.", "confidence": 0.71}, {"text": "Look lost.", "confidence": 0.64}],
        "duration": 1.2,
        "language": "en",
        "took_ms": 80.1,
    },
    "POST /api/v1/chat": {
        "response": "I nodded.",
        "session_id": _ID,
        "agent_used": "reflex",
        "tools_called": [_CALL["name"]],
        "tool_calls": [_CALL],
        "trace_id": _ID,
        "latency_ms": 3.8,
        "duration_ms": 812.9,
        "cost_usd": 0.0,
        "error": None,
    },
    "GET /api/v1/session": {"sessions": [_SESSION], "total": 1},
    "GET /api/v1/session/{session_id}": _SESSION,
    "GET /api/v1/session/{session_id}/history": {
        "messages": [{"role": "user", "content": "nod", "timestamp": _AT, "agent": None}],
        "total": 1,
    },
    "DELETE /api/v1/session/{session_id}": {"deleted": _ID},
    "GET /api/v1/tools": {"tools": [_TOOL], "total": 56, "refused": {}},
    "POST /api/v1/tools/execute": _EXECUTED,
    "DELETE /api/v1/tools/calls/{call_id}": {"call_id": _ID, "cancelled": True},
    "GET /api/v1/confirmations": {"confirmations": [_QUESTION], "total": 1, "channels": ["chat socket"]},
    "GET /api/v1/confirmations/{confirmation_id}": _QUESTION,
    "POST /api/v1/confirmations/{confirmation_id}": {"id": _ID, "approved": True},
    "GET /api/v1/tasks": {"tasks": [_TASK], "total": 1},
    "GET /api/v1/tasks/{task_id}": _TASK,
    "DELETE /api/v1/tasks/{task_id}": _EXECUTED,
    **workshop_examples.RESPONSES,
    **feedback_examples.RESPONSES,
    **demonstration_examples.RESPONSES,
    **training_examples.RESPONSES,
    **developer_examples.RESPONSES,
    "GET /api/v1/timers": {"timers": [_TIMER], "total": 1},
    "GET /api/v1/announcements": {"announcements": [_ANNOUNCEMENT], "total": 1},
    "GET /api/v1/permissions": {
        "file": "/home/ada/.local/share/reachy-mind/permissions.yaml",
        "rules": [{"pattern": "robot.*", "tier": "notify", "reason": "", "line": 2}],
        "tools": {"robot.nod": "notify"},
        "acts": [{"tool": "robot.play_move"} | _ACT],
        "trouble": "",
    },
    "PUT /api/v1/permissions": {"tool": "robot.nod", "tier": "confirm", "message": "robot.nod is confirm now."},
    "POST /api/v1/permissions/reload": {"rules": 1},
    "GET /api/v1/doctor": {
        "healthy": True,
        "checks": [{"name": "robot", "ok": True, "detail": "simulated", "fix": "", "optional": False}],
        "total": 12,
    },
    "GET /api/v1/settings": {
        "settings": [
            {
                "key": "robot.idle",
                "value": None,
                "origin": "default",
                "about": "Whether it breathes",
                "takes": "true or false",
                "kind": "bool",
                "choices": [],
                "live": True,
                "fixed": "",
            }
        ],
        "total": 90,
        "folder": "/home/ada/.local/share/reachy-mind",
    },
    "PUT /api/v1/settings": {
        "key": "robot.idle",
        "value": None,
        "live": True,
        "message": "robot.idle is False from now on.",
    },
    "GET /api/v1/audit": {
        "entries": [
            {
                "seq": 11,
                "at": 1777887000.1,
                "call_id": _ID,
                "tool": "robot.nod",
                "tier": 1,
                "status": "ok",
                "code": "",
                "caller": "person",
                "channel": "rest",
                "principal": "token kitchen (1a2b3c4d)",
                "duration_ms": 801.2,
            }
        ],
        "total": 1,
    },
    "GET /api/v1/mcp/servers": {"servers": [], "total": 0, "trouble": ""},
    "POST /api/v1/mcp/reload": {"servers": 0},
    "GET /api/v1/models": {
        "models": [
            {
                "name": "chat",
                "task": "chat",
                "summary": "a small language model",
                "licence": "Apache-2.0",
                "licence_url": "https://www.apache.org/licenses/LICENSE-2.0",
                "size": 1090000000,
                "memory": None,
                "state": "absent",
                "bytes_on_disk": 0,
                "used": False,
                "pull": None,
            }
        ],
        "total": 15,
        "recommended": {
            "name": None,
            "title": "Qwen2.5-Coder 1.5B",
            "size": 1090000000,
            "memory": 2000000000,
            "licence": "Apache-2.0",
            "licence_url": "https://www.apache.org/licenses/LICENSE-2.0",
            "why": "it takes 2.0 GB of the 6.1 GB of memory that are free, and 4 cores are enough for it",
            "obstacle": "",
        },
        "offered": True,
        "voice": {
            "name": None,
            "title": "Kokoro, 28 natural voices",
            "licence": "Apache-2.0",
            "licence_url": "https://www.apache.org/licenses/LICENSE-2.0",
            "size": 100547105,
            "why": "it sounds natural, and this machine should be quick enough for it",
        },
        "ollama": None,
    },
    "POST /api/v1/models/{name}/pull": _PULL | {"name": "chat"},
    "DELETE /api/v1/models/{name}/pull": {"name": "chat", "cancelled": True},
    "GET /api/v1/profiles": {"profiles": [_PROFILE], "total": 13, "active": "default"},
    "GET /api/v1/profiles/{name}": _WHOLE_PROFILE,
    "POST /api/v1/profiles": _WHOLE_PROFILE,
    "PUT /api/v1/profiles/{name}": _WHOLE_PROFILE,
    "DELETE /api/v1/profiles/{name}": {"deleted": "poet", "put_aside": "/home/ada/…/profiles/.removed/poet-1777887000"},
    "POST /api/v1/profiles/{name}/activate": {"active": "poet", "greeting": "Well met.", "kept": False, "problems": []},
    "GET /api/v1/memory": {"memories": [_MEMORY], "total": 1},
    "POST /api/v1/memory": {"ids": ["fb81255295204ba0"], "replaced": [], "message": "I'll remember that."},
    "DELETE /api/v1/memory": {"message": "I forgot that."},
    "GET /api/v1/memory/status": {"memories": 5, "people": 1, "search": "full text and meaning"},
    "GET /api/v1/memory/{memory_id}": _MEMORY,
    "DELETE /api/v1/memory/{memory_id}": {"message": "I forgot that."},
    "GET /api/v1/people": {"people": [_PERSON], "total": 1},
    "GET /api/v1/people/{name}": _PERSON | {"profile": {"likes": ["tea"]}, "memories": 5},
    "GET /api/v1/people/{name}/export": {"person": "Ada", "profile": {"likes": ["tea"]}, "memories": [_MEMORY]},
    "DELETE /api/v1/people/{name}": {"message": "I forgot Ada."},
}

REQUESTS: dict[str, Fields] = {
    "PUT /api/v1/permissions": {"tool": "robot.nod", "tier": "confirm", "reason": "it is late"},
    "PUT /api/v1/settings": {"key": "robot.idle", "value": False},
    "POST /api/v1/chat": {"message": "look left, then nod twice"},
    "POST /api/v1/tools/execute": {"tool_name": "nod", "parameters": {"times": 2}},
    "POST /api/v1/confirmations/{confirmation_id}": {"approve": True, "by": "Ada"},
    **workshop_examples.REQUESTS,
    **feedback_examples.REQUESTS,
    **demonstration_examples.REQUESTS,
    **training_examples.REQUESTS,
    "POST /api/v1/memory": {"content": "The keys are in the drawer", "type": "fact", "person": "Ada"},
    "POST /api/v1/profiles": {"name": "poet", "instructions": "You are a poet.", "greeting": "Well met."},
    "PUT /api/v1/profiles/{name}": {"greeting": "Hello, traveller."},
    "POST /api/v1/profiles/{name}/activate": {"keep": False},
    "POST /api/v1/robot/look": {"yaw": 20, "pitch": -5, "duration": 1.0},
    "POST /api/v1/robot/goto": {"yaw": 10, "z_mm": 5, "duration": 1.5},
    "POST /api/v1/moves/play": {"name": "agreeing", "parameters": {"intensity": 0.7}},
    "POST /api/v1/moves/record": {"name": "mine", "seconds": 5},
    "POST /api/v1/voice/tts": {"text": "Hello.", "speed": 1.0},
    "POST /api/v1/voice/sample": {"engine": "kokoro", "voice": "af_heart", "mood": "calm"},
    "POST /api/v1/voice/microphone": {"enabled": False},
    "POST /api/v1/login": {"code": "Ptqh3odPXbRwA_I8Tx_GhKmz"},
    "POST /api/v1/logins": {"scopes": ["read", "talk"], "days": 1},
}
