"""A spoken conversation with the mind that runs, or with one of our own, through devices or files of this computer."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from reachy_mind.body.media import Media, Microphone, Speaker
    from reachy_mind.config import Configuration
    from reachy_mind.owner import Owner
    from reachy_mind.talking import Talking

Told = dict[str, Any]
REPORT_S = 0.1


class Line(Protocol):
    """What `talk` needs of a mind; events are those of `telling`, errors and the end of the line (`gone`) too."""

    events: asyncio.Queue[Told]

    async def listen(self, *, on: bool) -> None: ...


class Near:
    """A mind in this process."""

    def __init__(self, events: asyncio.Queue[Told], talking: Talking) -> None:
        self.events, self._talking = events, talking

    async def listen(self, *, on: bool) -> None:
        self._talking.listen(on=on)


class Far:
    """A mind in another process, over its voice socket: our microphone goes there, what it says is played."""

    def __init__(self, socket: Any, speaker: Speaker) -> None:
        self._socket, self._speaker = socket, speaker
        self.events: asyncio.Queue[Told] = asyncio.Queue()
        self._sounds: asyncio.Queue[bytes | int] = asyncio.Queue()
        self._on = True
        self._ready = asyncio.Event()

    async def listen(self, *, on: bool) -> None:
        self._on = on
        await self._socket.send(json.dumps({"type": "start" if on else "stop"}))

    async def hear(self, microphone: Microphone) -> None:
        await self._ready.wait()  # models may have to be loaded: nothing is said before somebody hears it
        async for block in microphone:
            if self._on:
                await self._socket.send(block)

    async def read(self) -> None:
        async for frame in self._socket:
            if isinstance(frame, bytes):
                self._sounds.put_nowait(frame)
                continue
            told = json.loads(frame)
            if told["type"] == "flush":
                self._sounds.put_nowait(told["number"])
            else:
                self.events.put_nowait(told)
            if told["type"] == "state":
                self._ready.set()
        self.events.put_nowait({"type": "gone"})

    async def play(self) -> None:
        """What comes is played; how far that is, is told back."""
        flushed_at = number = told = 0
        while True:
            try:
                async with asyncio.timeout(REPORT_S):
                    sound = await self._sounds.get()
            except TimeoutError:
                pass
            else:
                if isinstance(sound, bytes):
                    await self._speaker.write(sound)
                else:
                    await self._speaker.flush()
                    flushed_at, number, told = self._speaker.written, sound, 0
            played = self._speaker.position - flushed_at
            if played > told:
                told = played
                await self._socket.send(json.dumps({"type": "played", "samples": played, "number": number}))


@contextlib.asynccontextmanager
async def connected(
    configuration: Configuration, media: Media, robot: str | None, *, deaf: bool
) -> AsyncIterator[Line]:
    """The mind that runs, else one of our own. `deaf`: the microphone is closed at first."""
    from reachy_mind import owner
    from reachy_mind.cli.attach import own, require_same

    running = owner.find(configuration.home)
    if running is not None:
        if robot is not None:
            await require_same(running, robot)
        async with _far(running, media) as line:
            if deaf:
                await line.listen(on=False)
            yield line
        return
    from reachy_mind.voice import conversing

    events: asyncio.Queue[Told] = asyncio.Queue()
    async with own(configuration, owner=True) as mind:
        parts = (mind.speech.ears(), mind.speech.mouth())
        module = await asyncio.to_thread(conversing)
        async with module.Talking(mind, parts=parts, media=media, deaf=deaf, told=events.put_nowait) as talking:
            mind.announce()
            yield Near(events, talking)


@contextlib.asynccontextmanager
async def _far(running: Owner, media: Media) -> AsyncIterator[Line]:
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed, InvalidHandshake

    from reachy_mind.errors import NotReady

    url = f"ws://127.0.0.1:{running.port}/api/v1/ws/voice"
    headers = {"Authorization": f"Bearer {running.token}"}
    try:
        async with (
            connect(url, additional_headers=headers, proxy=None, compression=None) as socket,
            media.speaker() as speaker,
            media.microphone() as microphone,
        ):
            far = Far(socket, speaker)
            async with _together(far.hear(microphone), far.read(), far.play(), end=far.events):
                yield far
    except (OSError, InvalidHandshake, ConnectionClosed) as error:
        raise NotReady(
            f"the mind (process {running.pid}) does not answer: {error}",
            hint="it may be starting or stopping: try again",
        ) from error


@contextlib.asynccontextmanager
async def _together(*parts: Any, end: asyncio.Queue[Told]) -> AsyncIterator[None]:
    """All of them, for the time of an `async with`; when one fails, that is an event."""
    from websockets.exceptions import ConnectionClosed

    from reachy_mind.errors import MindError

    async def watched(part: Any) -> None:
        try:
            await part
        except ConnectionClosed:
            end.put_nowait({"type": "gone"})
        except MindError as error:
            end.put_nowait({"type": "error", **error.as_dict()})
            end.put_nowait({"type": "gone"})

    tasks = [asyncio.create_task(watched(part), name="line") for part in parts]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
