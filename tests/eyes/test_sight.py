"""Sight in the simulator: face following, switching the camera off, reported states."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import httpx
import pytest

from reachy_mind.body.address import Address
from reachy_mind.body.media import Media
from reachy_mind.body.media.on_demand_camera import OnDemandCamera
from reachy_mind.config.configuration import load
from reachy_mind.errors import LinkLost, NotReady
from reachy_mind.events import CameraChanged, TurnStarted
from reachy_mind.eyes import sight
from reachy_mind.eyes.pictures import encode
from reachy_mind.mind import Mind
from reachy_mind.tools.definition import ToolError
from tests.eyes.pictures import written
from tests.fakes.processes import Daemon
from tests.server.served import calling

Until = Callable[[Callable[[], object]], Awaitable[None]]
HEIGHT_M = 1.25
"""Somebody whose face the robot on its table sees without looking up."""


@contextlib.asynccontextmanager
async def looking(robot: Address, **eyes: object) -> AsyncIterator[Mind]:
    flags = {"robot.address": str(robot), "robot.idle": False} | {f"eyes.{name}": value for name, value in eyes.items()}
    async with Mind(load(flags=flags), thinks=False).session() as mind:
        yield mind


class Room:
    def __init__(self, daemon: Daemon) -> None:
        self._http = httpx.Client(base_url=f"{daemon.url}/sim/v1")

    def post(self, route: str, **body: object) -> None:
        self._http.post(route, json=body).raise_for_status()

    def put(self, route: str, **body: object) -> None:
        self._http.put(route, json=body).raise_for_status()


@pytest.fixture
def room(daemon: Daemon, robot: Address) -> Room:
    return Room(daemon)


def yaw(mind: Mind) -> float:
    return math.degrees(mind.body().state.pose.yaw)


async def reports(mind: Mind, number: int) -> None:
    """Until the robot has reported its state so many times: time for whatever should not happen."""
    states = mind.body().states()
    for _ in range(number):
        await anext(states)


async def test_people_are_followed_until_told_not_to(robot: Address, room: Room, until: Until) -> None:
    room.post("/people", name="ada", at=(0.8, 0.35), height=HEIGHT_M)
    async with looking(robot) as mind:
        await mind.act("wake_up")
        assert mind.sight.frames.count == 0, "nobody has asked for pictures"
        await mind.act("head_tracking", {"enabled": True})
        await until(lambda: abs(yaw(mind) - 24) < 4)
        room.post("/people/ada/walk", to=(0.8, -0.35), speed=0.5, looking="robot")
        await until(lambda: abs(yaw(mind) + 24) < 4)
        [face] = (await mind.act("detect_faces"))["faces"]
        assert face["side"] == "ahead"
        for rule in ("head_tracking", "perception.take_photo", "robot.move_head"):
            mind.toolbox.permissions.adopt(f"rules: [{{pattern: {rule}, tier: forbidden}}]")
            await until(lambda: mind.sight.described()["paused"] and not mind.sight.frames.has_demand())
            mind.toolbox.permissions.adopt("")
            await until(lambda: not mind.sight.described()["paused"])
        await mind.act("head_tracking", {"enabled": False})
        await until(lambda: abs(yaw(mind)) < 2)
        await until(lambda: not mind.sight.frames.has_demand())


async def test_a_stop_ends_following_until_somebody_speaks(robot: Address, room: Room, until: Until) -> None:
    async with looking(robot) as mind:
        await mind.act("wake_up")
        await mind.act("head_tracking", {"enabled": True})
        await until(lambda: mind.sight.frames.count > 0)
        await mind.stop()
        room.post("/people", name="ada", at=(0.8, 0.35), height=HEIGHT_M)
        await until(lambda: mind.sight.described()["paused"] and not mind.sight.frames.has_demand())
        await reports(mind, 40)
        assert abs(yaw(mind)) < 3, "it was told to stop"
        mind.bus.publish(TurnStarted(turn_id="1", conversation="", text="hello"))
        await until(lambda: yaw(mind) > 18)


async def test_asleep_it_looks_at_nobody(robot: Address, until: Until) -> None:
    async with looking(robot) as mind:
        await mind.act("head_tracking", {"enabled": True})
        await until(lambda: mind.sight.described()["paused"])
        await reports(mind, 30)
        assert mind.sight.frames.count == 0 and mind.sight.described()["paused"]
        await mind.act("wake_up")
        await until(lambda: mind.sight.frames.count > 0)
        await mind.act("sleep")
        await until(lambda: not mind.sight.frames.has_demand())


async def test_faces_are_told_from_left_to_right(robot: Address, room: Room) -> None:
    async with looking(robot) as mind:
        await mind.act("wake_up")
        assert (await mind.act("detect_faces"))["message"] == "I see no face."
        room.post("/people", name="ada", at=(0.6, 0.3), height=1.2)
        room.post("/people", name="bob", at=(0.8, -0.3), height=1.2)
        told = await mind.act("detect_faces")
        assert told["count"] == 2 and [face["side"] for face in told["faces"]] == ["left", "right"]
        assert told["message"] == "I see two faces: one near to my left and one to my right."


async def test_the_camera_off_is_off_and_on_again(robot: Address, room: Room, until: Until) -> None:
    room.post("/people", name="ada", at=(0.8, 0.0), height=HEIGHT_M)
    async with looking(robot) as mind, calling(mind) as http:
        await mind.act("wake_up")
        await mind.act("head_tracking", {"enabled": True})
        await until(lambda: mind.sight.described()["people"] == 1)
        with mind.bus.subscribe(CameraChanged) as events:
            told = await mind.act("set_camera", {"enabled": False})
            assert told["camera"] == "off" and "off" in told["message"]
            changed = await events.get()
            assert isinstance(changed, CameraChanged) and changed.camera == "off"
        assert not mind.sight.on and mind.sight.camera is not None and not mind.sight.camera.open
        for call in ("detect_faces", "head_tracking"):
            with pytest.raises(ToolError, match="switched off") as error:
                await mind.act(call, {"enabled": True} if call == "head_tracking" else {})
            assert "set_camera" in error.value.hint
        with pytest.raises(NotReady, match="switched off"):
            await mind.sight.look()
        said = (await http.get("/vision")).json()
        assert (said["available"], said["camera"], said["open"]) == (False, "off", False)
        assert (await http.get("/vision/frame")).status_code == 503
        taken = mind.sight.frames.count
        await until(lambda: not mind.sight.frames.has_demand())
        assert mind.sight.frames.count == taken, "nobody looks, not even whoever followed"
        assert (await mind.act("set_camera", {"enabled": True}))["camera"] == "on"
        assert (await http.get("/vision/frame")).status_code == 200
        await until(lambda: mind.sight.described()["people"] == 1)


async def test_a_camera_that_must_stay_off_stays_off(robot: Address) -> None:
    async with looking(robot, camera=False) as mind:
        for _ in range(2):
            with pytest.raises(ToolError) as error:
                await mind.act("set_camera", {"enabled": True})
            assert "--no-camera" in error.value.hint and not mind.sight.on
        assert (await mind.act("set_camera", {"enabled": False}))["camera"] == "off"


async def test_without_a_tracker_nobody_is_followed_and_it_says_why(robot: Address) -> None:
    async with looking(robot, tracker="off") as mind:
        with pytest.raises(ToolError, match="switched off") as error:
            await mind.act("head_tracking", {"enabled": True})
        assert "--head-tracker" in error.value.hint
        assert (await mind.sight.look()).width == 640, "everything else works"


async def test_a_dark_room_is_told(robot: Address, room: Room) -> None:
    async with looking(robot) as mind, calling(mind) as http:
        await mind.sight.look()
        room.put("/light", level=0.0, direction=(0, 0, -1))
        with mind.bus.subscribe(CameraChanged) as events:
            while mind.sight.state == "on":
                await mind.sight.look()
            changed = await events.get()
        assert isinstance(changed, CameraChanged) and changed.camera == "dark" and "covered" in changed.reason
        assert "covered" in (await http.get("/vision")).json()["trouble"]


async def test_where_the_head_was_when_the_picture_was_taken(robot: Address) -> None:
    async with looking(robot) as mind:
        await mind.act("wake_up")
        turning = asyncio.create_task(mind.act("move_head", {"direction": "left", "degrees": 40}))
        moments = []
        while not turning.done():
            moments.append((time.monotonic(), mind.body().state.pose.yaw))
            await asyncio.sleep(0.05)
        for moment, pose_then in moments[-20:]:
            assert mind.sight.pose_at(moment).yaw == pytest.approx(pose_then, abs=math.radians(6))
        assert mind.sight.pose_at(time.monotonic()).yaw == pytest.approx(math.radians(40), abs=math.radians(6))


async def test_a_camera_that_came_back_is_told_though_nobody_asks_for_pictures(
    home: Path, monkeypatch: pytest.MonkeyPatch, until: Until
) -> None:
    monkeypatch.setattr(sight, "RECOVERY_S", (0.05, 0.2))

    class Unsteady:
        """A camera that hangs for the first three frames."""

        device = "unsteady"
        taken = 0

        async def frame(self) -> bytes:
            Unsteady.taken += 1
            if Unsteady.taken < 4:
                raise LinkLost("it gives no picture")
            return encode(written("hello").pixels)

        async def __aenter__(self) -> Unsteady:
            return self

        async def __aexit__(self, *_: object) -> None: ...

    async with Mind(load(flags={"robot.address": "none"}), thinks=False).session() as mind:
        mind.sight.camera = OnDemandCamera(Unsteady)
        mind.sight._media = Media("local", "", camera=Unsteady, microphone=Unsteady, speaker=Unsteady)
        with mind.bus.subscribe(CameraChanged) as changes:
            with pytest.raises(LinkLost):
                await mind.sight.frame()
            await until(lambda: Unsteady.taken == 4)
            told = [await changes.get() for _ in range(2)]
        assert [(change.camera, change.reason) for change in told] == [("lost", "it gives no picture"), ("on", "")]
