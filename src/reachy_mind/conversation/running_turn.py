"""`RunningTurn`: a turn on its way through `Turns`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from reachy_mind.brains.brain import Turn
from reachy_mind.conversation.client_side import ClientSide
from reachy_mind.conversation.events import TurnEvent
from reachy_mind.conversation.response import ResponseBuilder


@dataclass
class RunningTurn:
    """A turn from the moment it was accepted to its response."""

    turn: Turn
    response: ResponseBuilder
    context: dict[str, Any]
    is_stop: bool
    stops_before: int
    """How many stops there had been when it was said: one more ends it."""
    person_given: bool
    """Whether the caller said who speaks; else memory found out."""
    scopes: frozenset[str] | None
    """The scopes of whoever said it; None: no limit."""
    client: ClientSide | None = None
    """What the program brings along that passed it on."""
    events: asyncio.Queue[TurnEvent] = field(default_factory=asyncio.Queue)
