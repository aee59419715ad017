"""Example responses and request bodies of the workshop's routes and of those of generated tools."""

from __future__ import annotations

from typing import Any

Fields = dict[str, Any]

_CODE = 'async def greet() -> dict:\n    """Greet somebody."""\n    return await nod(times=2)\n'
_HASH = "9061c1443ff39e6486b6fd2a4b586aa7d112d2aa862b057494ad23a7c86317fb"
_BUNDLE = '{"format": "reachy-mind-tool/1", "tool": {"name": "greet"}, "public_key": "...", "signature": "..."}'
VERSION: Fields = {
    "name": "greet",
    "version": 2,
    "sha256": _HASH,
    "state": "tested",
    "description": "Greet somebody.",
    "capabilities": ["motion"],
    "author": "recipe:sequence",
    "signer": "",
    "known_signer": True,
    "created_at": 1777887000.1,
    "approved_by": "",
    "approved_at": None,
    "passed": True,
    "reason": "",
    "faults": [],
    "trouble": "",
}
_CHANGES: Fields = {
    "name": "greet",
    "from": None,
    "to": 2,
    "added_capabilities": ["motion"],
    "removed_capabilities": [],
    "changed": [],
    "code": "--- greet v1\n+++ greet v2",
}
_WHOLE = VERSION | {
    "code": _CODE,
    "parameters": [],
    "timeout_s": 300.0,
    "explanation": "It nods twice.",
    "request": "greet me with two nods",
    "cases": [],
    "results": None,
    "allows": {"motion": "move: head, body and antennas"},
    "changes": _CHANGES,
}
_LISTED: Fields = {
    "name": "greet",
    "description": "Greet somebody.",
    "capabilities": ["motion"],
    "active": None,
    "state": "tested",
    "reason": "",
    "waiting": 2,
    "versions": [{"version": 2, "state": "tested"}],
    "trouble": "",
}
_CASE: Fields = {
    "test": 0,
    "case": "no arguments",
    "origin": "generated",
    "fault": "",
    "status": "pass",
    "reason": "",
    "robot": {"moved": True},
    "duration_s": 2.4,
    "moves": 31,
}
_PLAYED: Fields = {
    "duration_s": 2.4,
    "times": [0.0],
    "poses": [[0.0] * 16],
    "marks": [{"t": 0.1, "kind": "call", "text": "nod(times=2)", "status": "ok"}],
}
_APPROVED = VERSION | {"state": "active", "approved_by": "rest, call 5b04e252", "message": "I can use greet now."}

RESPONSES: dict[str, Fields] = {
    "GET /api/v1/workshop/status": {
        "ready": True,
        "isolation": None,
        "reason": "",
        "profiles": [{"name": "full", "available": True, "reason": "", "layers": {}, "missing": {}}],
    },
    "GET /api/v1/workshop/tools": {"tools": [_LISTED], "total": 1},
    "POST /api/v1/workshop/run": {
        "status": "ok",
        "result": None,
        "output": "",
        "error": None,
        "calls": [{"name": "nod", "args": {}, "status": "ok"}],
        "isolation": "full",
        "wall_ms": 1412.5,
        "cpu_ms": 9.1,
        "max_rss_mb": 31.2,
        "artifacts": [],
        "calls_omitted": 0,
        "virtual_s": None,
    },
    "POST /api/v1/workshop/trial": {
        "passed": True,
        "results": [],
        "errors": [],
        "warnings": [],
        "not_understood": [],
    },
    "POST /api/v1/tools/generate": {
        "tool_name": "greet",
        "version": 1,
        "sha256": _HASH,
        "code": _CODE,
        "explanation": "It nods twice.",
        "capabilities": ["motion"],
        "validation_result": {},
        "test_results": {},
        "state": "tested",
        "repairs": 0,
        "message": "I wrote greet, and it passed its trial. It waits for your approval.",
    },
    "POST /api/v1/workshop/check": {
        "ok": True,
        "name": None,
        "description": "Greet somebody.",
        "parameters": [],
        "returns": None,
        "is_async": True,
        "capabilities": ["motion"],
        "tools": ["nod"],
        "findings": [],
    },
    "GET /api/v1/tools/{name}/versions": {"name": "greet", "active": None, "versions": [VERSION], "total": 1},
    "GET /api/v1/tools/{name}/versions/{number}": _WHOLE,
    "GET /api/v1/tools/{name}/versions/{number}/bundle": {"bundle": _BUNDLE},
    "GET /api/v1/tools/{name}/versions/{number}/replay": {
        "name": "greet",
        "version": 2,
        "passed": True,
        "cases": [_CASE],
        "total": 1,
    },
    "GET /api/v1/tools/{name}/versions/{number}/replay/{case}": {"name": "greet", "version": 2, "case": 0} | _PLAYED,
    "POST /api/v1/tools/{name}/trial": VERSION | {"message": "Version 2 of greet passed its trial."},
    "POST /api/v1/tools/{name}/approve": _APPROVED,
    "POST /api/v1/tools/{name}/reject": VERSION | {"state": "rejected", "message": "Version 2 of greet is rejected."},
    "POST /api/v1/tools/{name}/rollback": _APPROVED | {"version": 1, "message": "I use version 1 of greet again."},
    "POST /api/v1/tools/{name}/deactivate": _APPROVED | {"state": "retired", "message": "I no longer use greet."},
    "POST /api/v1/tools/import": VERSION | {"state": "draft", "message": "Version 1 of greet is on the shelf."},
}

REQUESTS: dict[str, Fields] = {
    "POST /api/v1/workshop/run": {"code": _CODE, "allow": "motion"},
    "POST /api/v1/workshop/trial": {"code": _CODE, "test_cases": [{"input": {}, "expected": {}}]},
    "POST /api/v1/tools/generate": {"description": "take photos every 5 seconds for 1 minute"},
    "POST /api/v1/workshop/check": {"code": _CODE},
    "POST /api/v1/tools/{name}/approve": {"version": 2, "sha256": _HASH, "capabilities": ["motion"]},
    "POST /api/v1/tools/{name}/reject": {"version": 2, "reason": "it nods too often"},
    "POST /api/v1/tools/{name}/rollback": {"version": 1},
    "POST /api/v1/tools/{name}/deactivate": {},
    "POST /api/v1/tools/{name}/trial": {"version": 2},
    "POST /api/v1/tools/import": {"bundle": _BUNDLE},
}
