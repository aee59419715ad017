"""The API's description (OpenAPI): what FastAPI knows of the routes, with what it doesn't: who may call them, what they
answer by example, and every way they can fail."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from reachy_mind.server.examples import ANSWERS, ASKED
from reachy_mind.server.visitors import ANYONE, OPEN, scope_of

Described = dict[str, Any]
FAILURES = {
    400: "This is no JSON, or no form",
    401: "UNAUTHORIZED: there is no token or login, or none that counts",
    403: "PERMISSION_DENIED, NOT_CONFIRMED: the visitor, or the rules, or a person said no",
    404: "NOT_FOUND, UNKNOWN_TOOL: there is nothing of this name",
    408: "TIMEOUT: the request did not come to its end",
    409: "ROBOT_BUSY, CANCELLED: something else has the robot, or ended this",
    413: "INVALID_PARAMETER: the request is too large",
    422: "INVALID_PARAMETER, OUT_OF_REACH, MOVE_INVALID, CONFIG_INVALID: what is wrong with the request",
    429: "BUSY: too many requests; `Retry-After` tells when",
    500: "ERROR, HARDWARE_ERROR: something broke; the log tells more",
    502: "BAD_ANSWER: a service answered with something that can't be used",
    503: "NOT_READY, LINK_LOST, MISSING_EXTRA, WORKER_FAILED: a part that is needed is not there",
    504: "TIMEOUT: it took too long",
}
_TYPES = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
EVERYWHERE = (401, 403, 422, 429, 500, 503)
WITH_BODY = (400, 408, 413)
WITH_NAME = (404,)
ACTING = (404, 409, 502, 504)
ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {name: {"type": "string"} for name in ("code", "message", "hint")},
        }
    },
    "example": {"error": {"code": "NOT_READY", "message": "there is no robot", "hint": "start with --robot sim"}},
}


def describe(app: FastAPI) -> None:
    """Let the app tell all of it at `/openapi.json`."""

    def openapi() -> Described:
        if app.openapi_schema is None:
            about = "A robot's mind. Errors have one form; lists are paged by `offset` and `limit`. See docs/api.md."
            made = get_openapi(title=app.title, version=app.version, description=about, routes=app.routes)
            app.openapi_schema = _completed(made)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _completed(made: Described) -> Described:
    parts = made.setdefault("components", {})
    schemas = parts.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Error"] = ERROR
    parts["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "reachy-mind token new NAME --scope SCOPE"},
        "login": {"type": "apiKey", "in": "cookie", "name": "__Host-reachy_mind_8642"},
    }
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            _complete(operation, f"{method.upper()} {path}")
    return made


def _complete(operation: Described, route: str) -> None:
    method, _, path = route.partition(" ")
    needed = scope_of(method, path)
    who = {OPEN: "For everybody.", ANYONE: "For everybody who was let in."}.get(needed, f"Scope: `{needed}`.")
    operation["description"] = f"{operation.get('description', '')}\n\n{who}".strip()
    # {}: on this machine nothing is needed, unless server.require_token is set
    operation["security"] = [{}] if needed == OPEN else [{"token": []}, {"login": []}, {}]
    answers = operation["responses"]
    for status in (*EVERYWHERE, *(WITH_BODY if "requestBody" in operation else ()), *_more(method, path)):
        content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
        answers[str(status)] = {"description": FAILURES[status], "content": content}
    operation["responses"] = dict(sorted(answers.items()))
    if route in ANSWERS:
        good = answers.get("200") or answers["201"]
        good["content"] = good.get("content", {}) | {
            "application/json": {"schema": shape(ANSWERS[route]), "example": ANSWERS[route]}
        }
    if route in ASKED:
        operation["requestBody"]["content"]["application/json"]["example"] = ASKED[route]
    if path == "/api/v1/chat":
        answers["200"]["content"]["text/event-stream"] = {"schema": {}}


def _more(method: str, path: str) -> tuple[int, ...]:
    if method != "GET" or "/vision" in path:
        return ACTING
    return WITH_NAME if "{" in path else ()


def shape(example: Any) -> Described:
    """The schema of answers like this one: all of its fields, of its types; a list may be empty."""
    if isinstance(example, dict) and example:
        properties = {name: shape(value) for name, value in example.items()}
        return {"type": "object", "required": list(example), "properties": properties}
    if isinstance(example, list) and example:
        return {"type": "array", "items": shape(example[0])}
    kind = _TYPES.get(type(example))
    return {"type": kind} if kind else {}
