"""`Elicitation`: confirmations through the MCP client that made a call, in both generations of the protocol.

Protocol versions until 2025 ask while the call waits (elicitation). From 2026 on the call returns the question, and the
client calls again with the answer and the state it was given. Our state identifies one open question: it is valid for
one answer, within the confirmation timeout, for this client, this tool and these arguments.
"""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from reachy_mind.tools.result_limits import text

KEY = "confirm"
MAX_OPEN = 50
MAX_ARGUMENTS = 1000
"""Characters of the arguments that a question shows."""
SCHEMA: types.ElicitRequestedSchema = {
    "type": "object",
    "properties": {"approve": {"type": "boolean", "title": "Do it", "description": "Whether the robot may do this"}},
    "required": ["approve"],
}

Request = ServerRequestContext[Any, Any]


@dataclass(frozen=True)
class _OpenQuestion:
    call: str
    expires: float


class Elicitation:
    """The open questions at clients of the newer generation."""

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._open: OrderedDict[str, _OpenQuestion] = OrderedDict()

    def request(self, client: str, tool: str, arguments: dict[str, Any], question: str) -> types.InputRequiredResult:
        """The result of a call that asks `question` first."""
        state = secrets.token_urlsafe(24)
        self._open[state] = _OpenQuestion(_call_key(client, tool, arguments), time.monotonic() + self._timeout_s)
        while len(self._open) > MAX_OPEN:
            self._open.popitem(last=False)
        params = types.ElicitRequestFormParams(message=question, requested_schema=SCHEMA)
        return types.InputRequiredResult(input_requests={KEY: types.ElicitRequest(params=params)}, request_state=state)

    def answer(
        self, client: str, tool: str, arguments: dict[str, Any], params: types.CallToolRequestParams
    ) -> bool | None:
        """The answer that came with a repeated call; None when it answers no open question."""
        question = self._open.pop(params.request_state or "", None)
        if question is None or question.expires < time.monotonic():
            return None
        if question.call != _call_key(client, tool, arguments):
            return None
        return is_approval((params.input_responses or {}).get(KEY))


def is_approval(answer: Any) -> bool:
    """Whether an answer approves: only a form that was accepted with its box ticked."""
    if not isinstance(answer, types.ElicitResult):
        return False
    return answer.action == "accept" and (answer.content or {}).get("approve") is True


def is_modern(ctx: Request) -> bool:
    """Whether this client speaks the newer generation of the protocol."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def supports_forms(ctx: Request) -> bool:
    """Whether the client declares that it can show a form to a person."""
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.elicitation is None:
        return False
    # A client that names no mode supports the original one: forms.
    return capabilities.elicitation.form is not None or capabilities.elicitation.url is None


def question_text(tool: str, arguments: dict[str, Any], consequence: str, reason: str) -> str:
    """The question for a person, with the arguments as they are."""
    given = text(arguments)
    shown = given if len(given) <= MAX_ARGUMENTS else f"{given[:MAX_ARGUMENTS]}... ({len(given)} characters)"
    return f"May the robot do this?\n{tool}: {consequence}\nWith: {shown}\nYou are asked because: {reason}"


def _call_key(client: str, tool: str, arguments: dict[str, Any]) -> str:
    return text([client, tool, arguments])
