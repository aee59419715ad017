"""The OpenAPI description at `/openapi.json`: FastAPI's own, completed with scopes, example responses and errors."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from reachy_mind.access.authorization import AUTHENTICATED, PUBLIC, scope_of
from reachy_mind.server.openapi_examples import REQUESTS, RESPONSES

Schema = dict[str, Any]
ERROR_RESPONSES = {
    400: "The request is not valid JSON, or not a valid form",
    401: "UNAUTHORIZED: no token or login, or an invalid one",
    403: "PERMISSION_DENIED, NOT_CONFIRMED: the caller lacks the scope, or the rules or a person said no",
    404: "NOT_FOUND, UNKNOWN_TOOL, UNKNOWN_REPOSITORY: there is nothing with this name or id",
    408: "TIMEOUT: the request did not arrive in time",
    409: "ROBOT_BUSY, CANCELLED, NOT_APPROVED, NOT_TESTED, TAMPERED, ALREADY_TRAINING, UNSAFE_REPOSITORY,"
    " GIT_FAILED: the state of the robot, the tool or the repository does not allow it",
    413: "INVALID_PARAMETER: the request is too large",
    422: "INVALID_PARAMETER, OUT_OF_REACH, MOVE_INVALID, INVALID_BUNDLE, CONFIG_INVALID, PATH_REFUSED: what is wrong"
    " with it",
    429: "BUSY: too many requests; `Retry-After` says when to try again",
    500: "ERROR, HARDWARE_ERROR: something failed; see the log",
    502: "BAD_ANSWER: a service answered with something that can't be used",
    503: "NOT_READY, LINK_LOST, MISSING_EXTRA, WORKER_FAILED: a needed part is not available",
    504: "TIMEOUT: it took too long",
}
_TYPES = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
SCOPE_TEXTS = {PUBLIC: "No login needed.", AUTHENTICATED: "For every caller with a token or login."}
ALL_ROUTES = (401, 403, 422, 429, 500, 503)
WITH_BODY = (400, 408, 413)
WITH_ID = (404,)
ACTIONS = (404, 409, 502, 504)
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


def complete_openapi(app: FastAPI) -> None:
    """Replace the app's `openapi` with the completed description, built at the first request."""

    def openapi() -> Schema:
        if app.openapi_schema is None:
            about = "A robot's mind. Errors have one form; lists are paged by `offset` and `limit`. See docs/api.md."
            schema = get_openapi(title=app.title, version=app.version, description=about, routes=app.routes)
            app.openapi_schema = _completed(schema)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _completed(schema: Schema) -> Schema:
    components = schema.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Error"] = ERROR
    components["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "reachy-mind token new NAME --scope SCOPE"},
        "login": {"type": "apiKey", "in": "cookie", "name": "__Host-reachy_mind_8642"},
    }
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            _complete(operation, f"{method.upper()} {path}")
    return schema


def _complete(operation: Schema, route: str) -> None:
    method, _, path = route.partition(" ")
    needed = scope_of(method, path)
    who = {PUBLIC: "No login needed.", AUTHENTICATED: "For every caller with a token or login."}.get(
        needed, f"Scope: `{needed}`."
    )
    operation["description"] = f"{operation.get('description', '')}\n\n{who}".strip()
    # {}: on loopback no token is needed, unless server.require_token is set
    operation["security"] = [{}] if needed == PUBLIC else [{"token": []}, {"login": []}, {}]
    responses = operation["responses"]
    for status in (*ALL_ROUTES, *(WITH_BODY if "requestBody" in operation else ()), *_statuses(method, path)):
        content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
        responses[str(status)] = {"description": ERROR_RESPONSES[status], "content": content}
    operation["responses"] = dict(sorted(responses.items()))
    if route in RESPONSES:
        success = next(responses[status] for status in ("200", "201", "202") if status in responses)
        success["content"] = success.get("content", {}) | {
            "application/json": {"schema": schema_of(RESPONSES[route]), "example": RESPONSES[route]}
        }
    if route in REQUESTS:
        operation["requestBody"]["content"]["application/json"]["example"] = REQUESTS[route]
    if path == "/api/v1/chat":
        responses["200"]["content"]["text/event-stream"] = {"schema": {}}


def _statuses(method: str, path: str) -> tuple[int, ...]:
    if method != "GET" or "/vision" in path or "/developer" in path:
        return ACTIONS
    return WITH_ID if "{" in path else ()


KNOWN_OF_PEOPLE = frozenset(("likes",))
"""Fields of a person's profile in the examples: of somebody else they may not be known."""


def schema_of(example: Any) -> Schema:
    """The schema of values like this example: all of its fields, of its types; a list may be empty."""
    if isinstance(example, dict) and example:
        properties = {name: schema_of(value) for name, value in example.items()}
        required = [] if set(example) <= KNOWN_OF_PEOPLE else list(example)
        return {"type": "object", "required": required, "properties": properties}
    if isinstance(example, list) and example:
        return {"type": "array", "items": schema_of(example[0])}
    kind = _TYPES.get(type(example))
    return {"type": kind} if kind else {}
