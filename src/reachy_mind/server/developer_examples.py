"""Example responses of the developer routes, for `openapi_examples`."""

from __future__ import annotations

from reachy_mind.server.workshop_examples import Fields

_ROUTE = "/api/v1/developer/repositories"
_STATE: Fields = {"branch": "feature/door", "upstream": "origin/feature/door", "ahead": 1, "behind": 0}
_REPOSITORY = {"name": "house", **_STATE, "changed": 3, "cut": False, "in_progress": "", "problem": ""}
_FILE: Fields = {"path": "src/door.py", "state": "modified", "change": "modified", "before": "", "addressable": True}
_COMMIT: Fields = {
    "commit": "1f0c4f3a9c1b",
    "author": "Ada",
    "email": "ada@example.org",
    "date": "2026-05-04T09:30:00+00:00",
    "subject": "feat: a door",
    "refs": "HEAD -> feature/door",
}
_PULL: Fields = {
    "number": 7,
    "title": "A door",
    "state": "open",
    "draft": False,
    "author": "ada",
    "head": "ada:feature/door",
    "base": "main",
    "url": "https://github.com/ada/house/pull/7",
    "updated_at": "2026-05-04T09:30:00Z",
}
_CHECK: Fields = {"name": "tests", "state": "failed", "detail": "1 failed", "url": "", "required": True}

RESPONSES: dict[str, Fields] = {
    f"GET {_ROUTE}": {"folder": "/home/ada/reachy_repos", "repositories": [_REPOSITORY], "total": 1},
    f"GET {_ROUTE}/{{name}}/status": {
        "name": "house",
        "commit": "1f0c4f3a9c1b",
        **_STATE,
        "in_progress": "",
        "counts": {"conflict": 0, "staged": 1, "modified": 1, "untracked": 1},
        "files": [_FILE],
        "total": 3,
        "cut": False,
    },
    f"GET {_ROUTE}/{{name}}/diff": {
        "name": "house",
        "files": [{"path": "src/door.py", "added": None, "removed": None, "before": ""}],  # null for a binary file
        "total": 1,
        "diff": "diff --git a/src/door.py b/src/door.py\n@@ -1 +1 @@\n-OPEN = False\n+OPEN = True\n",
        "cut": False,
    },
    f"GET {_ROUTE}/{{name}}/log": {"name": "house", "commits": [_COMMIT], "more": True},
    f"GET {_ROUTE}/{{name}}/pulls": {
        "repository": "ada/house",
        "pulls": [_PULL],
        "more": False,
        "has_token": True,
        "error": None,
    },
    f"GET {_ROUTE}/{{name}}/pulls/{{number}}/checks": {
        "repository": "ada/house",
        "number": 7,
        "title": "A door",
        "head": "1f0c4f3a9c1b0f8a4e6d2c7b5a3918273645abcd",
        "state": "failed",
        "summary": "1 of 2 checks failed: tests.",
        "passed": 1,
        "failed": 1,
        "pending": 0,
        "checks": [_CHECK | {"step": "Run pytest"}],
        "missing": [],
        "more": False,
        "error": None,
    },
}
