"""`RemoteSpeaker`: a loudspeaker behind a line. Samples and orders go there; how far it has played comes back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from reachy_mind.body.media.tally import Tally, parts


class RemoteSpeaker(ABC):
    """What the loudspeakers of the simulator and of the vendor's process have in common.

    Messages that come back: `position` with `played`; `flushed` with `played` and `dropped`; `error` with `message`.
    """

    device: str

    def __init__(self, what: str) -> None:
        self.tally = Tally(what)
        self._flushes = self._dropped = 0

    @property
    def written(self) -> int:
        return self.tally.written

    @property
    def position(self) -> int:
        return self.tally.position

    @abstractmethod
    async def send(self, order: bytes | dict[str, str]) -> None:
        """Samples, or an order. Raises LinkLost when the line has gone."""

    async def write(self, pcm: bytes) -> None:
        """Play this after what was written before. Waits while more than a second is still to be played."""
        for part in parts(pcm):
            await self.tally.room()
            self.tally.check()
            await self.send(part)
            self.tally.written += len(part) // 2

    async def drained(self) -> None:
        """Wait until everything written has been played."""
        await self.tally.until(lambda: self.position >= self.written)

    async def flush(self) -> int:
        """Fall silent now. The number of written samples that nobody will hear."""
        self.tally.check()
        flushes, before = self._flushes, self._dropped
        await self.send({"type": "flush"})
        await self.tally.until(lambda: self._flushes > flushes)
        return self._dropped - before

    def told(self, message: dict[str, Any]) -> None:
        """What came back."""
        match message["type"]:
            case "position":
                self.tally.position = message["played"]
            case "flushed":
                self.tally.position = message["played"]
                self.tally.written -= message["dropped"]
                self._dropped += message["dropped"]
                self._flushes += 1
            case "error":
                self.tally.lose(message["message"])
        self.tally.wake()

    @abstractmethod
    async def __aenter__(self) -> Self: ...
    @abstractmethod
    async def __aexit__(self, *_: object) -> None: ...
