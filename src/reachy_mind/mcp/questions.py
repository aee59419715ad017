"""`Questions`: a person's yes by way of the client that a call came from, in both generations of the protocol.

Until 2025 a server asks while the call waits (elicitation). From 2026 on it can't: the call is answered with what is
to be asked, and the client calls again with the answer and with the state it was given. That state is the number of a
question of ours: good for one answer, for a minute, for this client, this tool and these arguments alone.
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

from reachy_mind.tools.output import text

KEY = "confirm"
MOST = 50
LONGEST_ARGUMENTS = 1000
SCHEMA: types.ElicitRequestedSchema = {
    "type": "object",
    "properties": {"approve": {"type": "boolean", "title": "Do it", "description": "Whether the robot may do this"}},
    "required": ["approve"],
}

Request = ServerRequestContext[Any, Any]


@dataclass(frozen=True)
class _Open:
    about: str
    expires: float


class Questions:
    """Those that were handed to clients of the newer generation, and wait to come back."""

    def __init__(self, wait_s: float) -> None:
        self._wait_s = wait_s
        self._open: OrderedDict[str, _Open] = OrderedDict()

    def handed(self, guest: str, tool: str, arguments: dict[str, Any], asked: str) -> types.InputRequiredResult:
        """The question, as the answer to a call."""
        state = secrets.token_urlsafe(24)
        self._open[state] = _Open(_about(guest, tool, arguments), time.monotonic() + self._wait_s)
        while len(self._open) > MOST:
            self._open.popitem(last=False)
        params = types.ElicitRequestFormParams(message=asked, requested_schema=SCHEMA)
        return types.InputRequiredResult(input_requests={KEY: types.ElicitRequest(params=params)}, request_state=state)

    def answer(
        self, guest: str, tool: str, arguments: dict[str, Any], params: types.CallToolRequestParams
    ) -> bool | None:
        """What came back with a call; None when it answers no question of ours that is still open."""
        question = self._open.pop(params.request_state or "", None)
        if question is None or question.expires < time.monotonic():
            return None
        if question.about != _about(guest, tool, arguments):
            return None
        return said_yes((params.input_responses or {}).get(KEY))


def said_yes(answer: Any) -> bool:
    """Only a form that was sent with its box ticked is a yes."""
    if not isinstance(answer, types.ElicitResult):
        return False
    return answer.action == "accept" and (answer.content or {}).get("approve") is True


def modern(ctx: Request) -> bool:
    """Whether this client speaks the newer generation."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def can_ask(ctx: Request) -> bool:
    """Whether the client says that it can show a form to a person."""
    able = ctx.session.client_capabilities
    if able is None or able.elicitation is None:
        return False
    # One that names no mode has the only one there was at first: forms.
    return able.elicitation.form is not None or able.elicitation.url is None


def worded(tool: str, arguments: dict[str, Any], consequence: str, reason: str) -> str:
    """What a person is asked; the arguments are shown as what they are."""
    given = text(arguments)
    shown = given if len(given) <= LONGEST_ARGUMENTS else f"{given[:LONGEST_ARGUMENTS]}... ({len(given)} characters)"
    return f"May the robot do this?\n{tool}: {consequence}\nWith: {shown}\nYou are asked because: {reason}"


def _about(guest: str, tool: str, arguments: dict[str, Any]) -> str:
    return text([guest, tool, arguments])
