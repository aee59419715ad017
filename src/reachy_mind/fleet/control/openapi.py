"""The OpenAPI description at `/openapi.json`: FastAPI's own, completed with who may call a route, and errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from reachy_mind.fleet.control.authorization import (
    PUBLIC,
    DeviceRequired,
    MetricsReaderRequired,
    OperatorRequired,
    requirement_of,
)

Schema = dict[str, Any]
ABOUT: Final = (
    "The control plane of a fleet. Errors have one form; lists are paged: `next` is the cursor for `after` or `before`."
    " Times are milliseconds since 1970. See docs/fleet.md."
)
ERRORS: Final = {
    400: "INVALID_PARAMETER: the request is not valid JSON",
    401: "UNAUTHORIZED: no key, login or token, or an invalid one",
    403: "PERMISSION_DENIED: the role does not allow it, or the request comes from a page of another site",
    404: "NOT_FOUND: there is nothing with this name or id",
    408: "TIMEOUT: the request did not arrive in time",
    409: "CONFLICT: its state does not allow it",
    413: "INVALID_PARAMETER: the request is too large",
    422: "INVALID_PARAMETER: what is wrong with it",
    429: "BUSY: too many requests; `Retry-After` says when to try again",
    500: "ERROR: something failed; see the node's log",
    503: "NOT_READY, DATABASE_ERROR: the store can't be used just now",
}
ALWAYS, WITH_BODY, WITH_ID = (403, 422, 429, 500, 503), (400, 408, 413), (404, 409)
ERROR: Final = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint"],
            "properties": {name: {"type": "string"} for name in ("code", "message", "hint")},
        }
    },
    "example": {
        "error": {"code": "NOT_FOUND", "message": "no device 'porch'", "hint": "reachy-mind fleet devices lists them"}
    },
}
SCHEMES: Final = {
    "key": {"type": "http", "scheme": "bearer", "description": "op_ID_SECRET: reachy-mind fleet operators new NAME"},
    "login": {
        "type": "apiKey",
        "in": "cookie",
        "name": "__Host-reachy_fleet_8700",
        "description": "After POST /fleet/v1/login; the name has the port",
    },
    "device": {"type": "http", "scheme": "bearer", "description": "dev_ID_SECRET: reachy-mind fleet enroll NAME"},
}


def complete_openapi(app: FastAPI, routes: Sequence[BaseRoute]) -> None:
    """Replace the app's `openapi` with the completed description, built at the first request."""

    def openapi() -> Schema:
        if app.openapi_schema is None:
            schema = get_openapi(title=app.title, version=app.version, description=ABOUT, routes=app.routes)
            app.openapi_schema = _completed(schema, {name: route for route in routes for name in _names(route)})
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _names(route: BaseRoute) -> list[tuple[str, str]]:
    return [(route.path, method.lower()) for method in route.methods or ()] if isinstance(route, APIRoute) else []


def _completed(schema: Schema, routes: dict[tuple[str, str], BaseRoute]) -> Schema:
    components = schema.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Error"] = ERROR
    components["securitySchemes"] = SCHEMES
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            route = routes[path, method]
            assert isinstance(route, APIRoute), "only these are described"
            _complete(operation, route, f"{method.upper()} {path}")
    return schema


def _complete(operation: Schema, route: APIRoute, name: str) -> None:
    who, operation["security"] = _access(route, name)
    operation["description"] = f"{operation.get('description', '')}\n\n{who}".strip()
    statuses = [*ALWAYS, *(WITH_BODY if "requestBody" in operation else ()), *(WITH_ID if "{" in name else ())]
    if operation["security"]:
        statuses.append(401)
    responses = operation["responses"]
    for status in statuses:
        content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
        responses[str(status)] = {"description": ERRORS[status], "content": content}
    operation["responses"] = dict(sorted(responses.items()))


def _access(route: APIRoute, name: str) -> tuple[str, list[Schema]]:
    """Who may call a route, in words and as OpenAPI says it."""
    if name in PUBLIC:
        return "No key needed.", []
    match requirement_of(route):
        case OperatorRequired(role=role):
            return f"Role: `{role}`.", [{"key": []}, {"login": []}]
        case MetricsReaderRequired():
            return "Role: `platform`, or the token of the setting `fleet.metrics_token`.", [{"key": []}, {"login": []}]
        case DeviceRequired() | None:
            return "For devices.", [{"device": []}]
