"""`VoiceConnection`: a spoken conversation from a command, with the running mind or with one in this process.

The sound comes from, and goes to, devices or files of this computer.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Coroutine
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

    from reachy_mind.body.media import Media, Microphone, Speaker
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.conversation.events import VoiceEvent
    from reachy_mind.conversation.spoken import SpokenConversation
    from reachy_mind.conversation.wire import VoiceFrame

REPORT_EVERY_S = 0.1
"""How often the mind is told how much was played."""


class VoiceConnection(Protocol):
    """What `talk` needs of a mind. `frames`: as the voice socket sends them; None when the mind has ended it."""

    frames: asyncio.Queue[VoiceFrame | None]

    async def listen(self, *, on: bool) -> None:
        """Open or close the microphone."""


class LocalVoice:
    """With a mind in this process."""

    def __init__(self) -> None:
        self.frames: asyncio.Queue[VoiceFrame | None] = asyncio.Queue()
        self.conversation: SpokenConversation | None = None

    def on_event(self, event: VoiceEvent) -> None:
        from reachy_mind.conversation.wire import voice_frame

        self.frames.put_nowait(voice_frame(event))

    async def listen(self, *, on: bool) -> None:
        assert self.conversation is not None
        self.conversation.listen(on=on)


class RemoteVoice:
    """With a mind in another process, over its voice socket: our microphone is sent there, what it says is played."""

    def __init__(self, socket: ClientConnection, microphone: Microphone, speaker: Speaker) -> None:
        self._socket, self._microphone, self._speaker = socket, microphone, speaker
        self.frames: asyncio.Queue[VoiceFrame | None] = asyncio.Queue()
        self._sounds: asyncio.Queue[bytes | int] = asyncio.Queue()
        """Sound to play, and the numbers of flushes."""
        self._on = True
        self._ready = asyncio.Event()

    async def listen(self, *, on: bool) -> None:
        self._on = on
        await self._send(type="start" if on else "stop")

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Sends, receives and plays for the time of an `async with`."""
        parts = (self._send_microphone(), self._receive(), self._play())
        tasks = [asyncio.create_task(self._watch(part), name="voice connection") for part in parts]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch(self, part: Coroutine[Any, Any, None]) -> None:
        """A part that fails ends the conversation."""
        from websockets.exceptions import ConnectionClosed

        from reachy_mind.conversation.wire import error_frame
        from reachy_mind.errors import MindError

        try:
            await part
        except ConnectionClosed:
            self.frames.put_nowait(None)
        except MindError as error:
            self.frames.put_nowait(error_frame(error))
            self.frames.put_nowait(None)

    async def _send_microphone(self) -> None:
        await self._ready.wait()  # models may have to be loaded: before that nothing is heard
        async for block in self._microphone:
            if self._on:
                await self._socket.send(block)

    async def _receive(self) -> None:
        async for content in self._socket:
            if isinstance(content, bytes):
                self._sounds.put_nowait(content)
                continue
            frame: VoiceFrame = json.loads(content)
            if frame["type"] == "flush":
                self._sounds.put_nowait(frame["number"])
            else:
                self.frames.put_nowait(frame)
            if frame["type"] == "state":
                self._ready.set()
        self.frames.put_nowait(None)

    async def _play(self) -> None:
        """Plays what comes, and reports how much was played since the last flush."""
        flushed_at = number = reported = 0
        while True:
            try:
                async with asyncio.timeout(REPORT_EVERY_S):
                    sound = await self._sounds.get()
            except TimeoutError:
                pass
            else:
                if isinstance(sound, bytes):
                    await self._speaker.write(sound)
                else:
                    await self._speaker.flush()
                    flushed_at, number, reported = self._speaker.written, sound, 0
            played = self._speaker.position - flushed_at
            if played > reported:
                reported = played
                await self._send(type="played", samples=played, number=number)

    async def _send(self, **control: Any) -> None:
        await self._socket.send(json.dumps(control))


@contextlib.asynccontextmanager
async def connect_voice(
    configuration: Configuration, media: Media, *, robot: str | None, microphone_off: bool
) -> AsyncIterator[VoiceConnection]:
    """`microphone_off`: the microphone is closed at first; `robot` as in `connect`."""
    from reachy_mind.cli.connection import RemoteConnection, connect

    async with connect(configuration, robot=robot, owner=True) as connection:
        if isinstance(connection, RemoteConnection):
            async with (
                connection.socket("ws/voice") as socket,
                media.speaker() as speaker,
                media.microphone() as microphone,
            ):
                remote = RemoteVoice(socket, microphone, speaker)
                async with remote.running():
                    if microphone_off:
                        await remote.listen(on=False)
                    yield remote
            return
        local, mind = LocalVoice(), connection.mind
        conversation = await mind.speech.conversation(
            media=media, microphone_off=microphone_off, on_event=local.on_event
        )
        async with conversation as local.conversation:
            mind.announce()
            yield local
