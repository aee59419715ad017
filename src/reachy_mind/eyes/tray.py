"""`Tray`: pictures on their way through the gate.

A call's arguments and result are words, kept in the audit and told to whoever listens; a picture is too large for that,
and nobody else's business. So it is laid here, and the call says which.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from uuid import uuid4

from reachy_mind.errors import InvalidParameter
from reachy_mind.eyes.pictures import Picture

MOST = 8
KEPT_S = 120.0


class Tray:
    """Holds a few pictures for a short time; each can be taken once."""

    def __init__(self) -> None:
        self._pictures: OrderedDict[str, tuple[float, Picture]] = OrderedDict()

    def lay(self, picture: Picture) -> str:
        """The name to take it by."""
        now = time.monotonic()
        for name, (laid_at, _) in list(self._pictures.items()):
            if now - laid_at > KEPT_S or len(self._pictures) >= MOST:
                del self._pictures[name]
        name = uuid4().hex
        self._pictures[name] = now, picture
        return name

    def take(self, name: str) -> Picture:
        """Raises InvalidParameter when it is not here any more."""
        if name not in self._pictures:
            raise InvalidParameter("this picture is not there any more", hint="send it again")
        return self._pictures.pop(name)[1]
