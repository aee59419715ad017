"""`RemoteSpeaker`: common part of speakers behind a connection that reports the playback position."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from reachy_mind.body.media.playback_progress import PlaybackProgress, parts


class RemoteSpeaker(ABC):
    """The common part of the simulator's speaker and of the speaker in the vendor's process.

    Received messages: `position` with `played`; `flushed` with `played` and `dropped`; `error` with `message`.
    """

    device: str

    def __init__(self, what: str) -> None:
        self.progress = PlaybackProgress(what)
        self._flushes = self._dropped = 0

    @property
    def written(self) -> int:
        return self.progress.written

    @property
    def position(self) -> int:
        return self.progress.position

    @abstractmethod
    async def send(self, order: bytes | dict[str, str]) -> None:
        """Send samples or a message. Raises LinkLost when the connection is lost."""

    async def write(self, pcm: bytes) -> None:
        """Queue samples. Waits while more than a second is queued. Raises LinkLost."""
        for part in parts(pcm):
            await self.progress.wait_for_space()
            self.progress.check()
            await self.send(part)
            self.progress.written += len(part) // 2

    async def drained(self) -> None:
        """Wait until everything written has been played."""
        await self.progress.until(lambda: self.position >= self.written)

    async def flush(self) -> int:
        """Stop playback now. Returns the number of samples dropped."""
        self.progress.check()
        flushes, before = self._flushes, self._dropped
        await self.send({"type": "flush"})
        await self.progress.until(lambda: self._flushes > flushes)
        return self._dropped - before

    def handle_message(self, message: dict[str, Any]) -> None:
        """Handle a received message."""
        match message["type"]:
            case "position":
                self.progress.position = message["played"]
            case "flushed":
                self.progress.position = message["played"]
                self.progress.written -= message["dropped"]
                self._dropped += message["dropped"]
                self._flushes += 1
            case "error":
                self.progress.lose(message["message"])
        self.progress.wake()

    @abstractmethod
    async def __aenter__(self) -> Self: ...
    @abstractmethod
    async def __aexit__(self, *_: object) -> None: ...
