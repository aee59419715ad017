"""`heard_here`: what the simulated robot says comes from the loudspeaker of this computer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from reachy_mind.body import protocol
from reachy_mind.body.media.soundcard_speaker import SoundcardSpeaker
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.errors import MindError


@contextlib.asynccontextmanager
async def heard_here(simulator: str) -> AsyncIterator[str]:
    """For the time of an `async with`. Yields why nothing is heard, empty when it is."""
    async with contextlib.AsyncExitStack() as stack:
        try:
            speaker = await stack.enter_async_context(SoundcardSpeaker())
        except MindError as error:
            yield error.message
            return
        uri = f"{simulator.replace('http', 'ws', 1)}{protocol.SIM_AUDIO}/speaker/capture"
        line = await stack.enter_async_context(connect(uri, compression=None, proxy=None))

        async def play() -> None:
            with contextlib.suppress(ConnectionClosed, MindError):  # the demonstration goes on without sound
                async for frame in line:
                    if isinstance(frame, bytes):
                        await speaker.write(frame)

        stack.push_async_callback(cancel_and_wait, asyncio.create_task(play(), name="demo loudspeaker"))
        yield ""
