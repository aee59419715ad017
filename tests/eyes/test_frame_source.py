"""The frame source: subscriptions, frame rates, and camera failures."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from reachy_mind.errors import HardwareError, LinkLost, MindError
from reachy_mind.eyes.frame_source import FrameSource
from reachy_mind.eyes.pictures import encode
from tests.eyes.photos import photo
from tests.waiting import settled

Until = Callable[[Callable[[], object]], Awaitable[None]]
JPEG = encode(photo("coffee.png"))


class Camera:
    """Gives the same picture, counts, and fails when told to."""

    def __init__(self) -> None:
        self.looks = 0
        self.error: BaseException | None = None
        self.gate: asyncio.Event | None = None

    async def look(self) -> bytes:
        self.looks += 1
        if self.gate is not None:
            await self.gate.wait()
        if self.error is not None:
            raise self.error
        return JPEG


async def test_nobody_who_looks_no_pictures() -> None:
    camera = Camera()
    async with FrameSource(camera.look) as watch:
        await watch.now()
        await settled()
        assert camera.looks == 1 and not watch.has_demand()


async def test_a_look_is_newer_than_the_call_even_while_another_is_under_way(until: Until) -> None:
    camera = Camera()
    camera.gate = asyncio.Event()
    async with FrameSource(camera.look) as watch:
        early = asyncio.create_task(watch.now())
        await until(lambda: camera.looks == 1)
        late, asked_at = asyncio.create_task(watch.now()), time.monotonic()
        await asyncio.sleep(0)
        camera.gate.set()
        assert (await early).taken_at < asked_at < (await late).taken_at


async def test_many_who_wait_share_one_picture_and_its_pixels() -> None:
    camera = Camera()
    async with FrameSource(camera.look) as watch:
        shots = await asyncio.gather(*(watch.next(0.0) for _ in range(5)))
        pictures = await asyncio.gather(*(shot.picture() for shot in shots))
        assert camera.looks == 1 and len({id(shot) for shot in shots}) == 1
        assert len({id(picture) for picture in pictures}) == 1
        assert not pictures[0].pixels.flags.writeable and pictures[0].width == 600


async def test_the_most_interested_sets_the_pace_and_who_hurries_does_not_wait(until: Until) -> None:
    camera = Camera()
    async with FrameSource(camera.look) as watch:
        with watch.subscribe(lambda: 0.2):
            await until(lambda: camera.looks == 1)
            async with asyncio.timeout(2):
                await watch.now()
            with watch.subscribe(lambda: 200.0):
                async with asyncio.timeout(2):
                    await until(lambda: camera.looks >= 10)
        await settled()
        taken = camera.looks
        await settled()
        assert camera.looks == taken, "nobody is interested any more"


@pytest.mark.parametrize("error", [LinkLost("unplugged"), ValueError("a driver's own")])
async def test_a_camera_that_fails_tells_who_waits_and_works_again_later(error: Exception) -> None:
    camera = Camera()
    async with FrameSource(camera.look) as watch:
        camera.error = error
        with pytest.raises(MindError, match=r"unplugged|a driver's own"):
            await watch.now()
        camera.error = None
        assert (await watch.now()).jpeg == JPEG


async def test_what_is_no_picture_says_so() -> None:
    async def look() -> bytes:
        return b"\xff\xd8 cut short"

    async with FrameSource(look) as watch:
        with pytest.raises(HardwareError, match="camera's picture"):
            await (await watch.now()).picture()


async def test_who_gives_up_waiting_leaves_nothing_behind(until: Until) -> None:
    camera = Camera()
    camera.gate = asyncio.Event()
    async with FrameSource(camera.look) as watch:
        waiting = asyncio.create_task(watch.now())
        await until(lambda: camera.looks == 1)
        waiting.cancel()
        camera.gate.set()
        await until(lambda: not watch.has_demand())


async def test_who_takes_a_recent_one_has_none_taken() -> None:
    camera = Camera()
    async with FrameSource(camera.look) as watch:
        first = await watch.now()
        assert await watch.now(age_s=60) is first and camera.looks == 1
        assert await watch.now() is not first


async def test_what_was_seen_can_be_forgotten() -> None:
    async with FrameSource(Camera().look) as watch:
        await watch.now()
        watch.forget()
        assert watch.latest is None
