"""`LocalVoiceBackend`: voice sessions on this machine, in a worker process of its own, with the reflex brain.

It is what a device uses when its control plane refuses or is away. Nothing is loaded before the first session; the
process ends when it was not used for a while, since a small computer has better use for its memory.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError
from reachy_mind.fleet.voice.session import VoiceRefused
from reachy_mind.fleet.voice.voice_process import ProcessSession, VoiceProcess
from reachy_mind.fleet.voice.worker_setup import IDLE_S, WorkerSetup

if TYPE_CHECKING:
    from typing import Self

    from reachy_mind.config.configuration import Configuration
    from reachy_mind.fleet.device.personas import PersonaTexts

UNUSED_S: Final = 120.0
"""The process is ended when it had no session for so long."""


class LocalVoiceBackend:
    """A `VoiceBackend`; use as `async with`. One session at a time: a new one ends the one before."""

    def __init__(self, configuration: Configuration, *, idle_s: float = IDLE_S, unused_s: float = UNUSED_S) -> None:
        self._setup = WorkerSetup.of(configuration, "reflex", idle_s)
        self._unused_s = unused_s
        self._process: VoiceProcess | None = None
        self._session: ProcessSession | None = None
        self._ending: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        """The process, while there is one."""
        return self._process.pid if self._process is not None else None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stay()
        await self._end()

    async def open(self, persona: PersonaTexts | None, language: str) -> ProcessSession:
        """Raises VoiceRefused."""
        async with self._lock:
            await self._stay()
            if self._session is not None:
                self._session.end("another one was opened")
                await self._stay()
            try:
                process = await self._running()
                self._session = await process.open(persona, language, on_end=self._leave)
            except VoiceRefused:
                raise
            except MindError as error:
                raise VoiceRefused(error.message, hint=error.hint) from error
            return self._session

    async def warm(self) -> None:
        """Load what a session needs, by opening one and closing it. Raises VoiceRefused."""
        session = await self.open(None, self._setup.configuration.settings.speech.language)
        await session.aclose()

    async def _running(self) -> VoiceProcess:
        """Raises WorkerError."""
        if self._process is None or self._process.gone:
            await self._end()
            self._process = VoiceProcess("voice", self._setup, lambda process: None)  # noqa: ARG005
            await self._process.start()
        return self._process

    def _leave(self) -> None:
        self._session = None
        if self._ending is None:
            self._ending = asyncio.create_task(self._end_later(), name="voice end")

    async def _end_later(self) -> None:
        await asyncio.sleep(self._unused_s)
        async with self._lock:
            self._ending = None
            if self._process is not None and not self._process.sessions:
                await self._end()

    async def _stay(self) -> None:
        if self._ending is not None:
            ending, self._ending = self._ending, None
            with contextlib.suppress(MindError):
                await cancel_and_wait(ending)

    async def _end(self) -> None:
        if self._process is not None:
            await self._process.aclose("the device is ending")
            self._process = None
