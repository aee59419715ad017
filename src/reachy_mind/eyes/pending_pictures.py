"""`PendingPictures`: a short-lived store for pictures that a tool call passes by reference.

A call's arguments and result go into the audit and to every event subscriber. A picture is too large and too private
for that, so the call carries only its name here.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from uuid import uuid4

from reachy_mind.errors import InvalidParameter
from reachy_mind.eyes.pictures import Picture

MAX_PENDING = 8
EXPIRY_S = 120.0


class PendingPictures:
    """Keeps a few pictures for a short time; each can be taken once."""

    def __init__(self) -> None:
        self._pictures: OrderedDict[str, tuple[float, Picture]] = OrderedDict()

    def put(self, picture: Picture) -> str:
        """Store a picture and return its name."""
        now = time.monotonic()
        for name, (stored_at, _) in list(self._pictures.items()):
            if now - stored_at > EXPIRY_S or len(self._pictures) >= MAX_PENDING:
                del self._pictures[name]
        name = uuid4().hex
        self._pictures[name] = now, picture
        return name

    def take(self, name: str) -> Picture:
        """Remove and return a picture. Raises InvalidParameter when it is unknown or has expired."""
        if name not in self._pictures:
            raise InvalidParameter("this picture is no longer available", hint="send it again")
        return self._pictures.pop(name)[1]
