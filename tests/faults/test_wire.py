"""Bad input on the wire: each gets a clear answer, the robot holds, and everybody else goes on as before."""

from __future__ import annotations

import asyncio
import json
import math
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect as sync_connect

from reachy_mind.body.address import Address
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.errors import HardwareError
from reachy_mind.motion.client import Motion
from tests.fakes.processes import Daemon
from tests.waiting import until

HEAD = list(AWAKE.head_matrix())


@pytest.fixture
async def raw(robot: Address) -> AsyncIterator[ClientConnection]:
    async with connect(robot.socket, compression=None) as socket:
        yield socket


async def answer(socket: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of one type."""
    async with asyncio.timeout(5):
        while True:
            message: dict[str, Any] = json.loads(await socket.recv())
            if message["type"] == kind:
                return message


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        ('{"type": "set_target", "head": [NaN' + ", 0" * 15 + "]}", "finite"),
        ('{"type": "set_body_yaw", "body_yaw": Infinity}', "finite"),
        ('{"type": "set_antennas", "antennas": [0, "up"]}', "number"),
        ('{"type": "set_antennas", "antennas": [0]}', "at least 2"),
        ('{"type": "set_head_joints", "joints": [0, 0]}', "at least 7"),
        ('{"type": "set_full_target", "head": [1, 2, 3]}', "at least 16"),
        ('{"type": "goto_target", "duration": -1}', "greater than 0"),
        ('{"type": "goto_target", "duration": 1e99}', "less than or equal to 600"),
        ('{"type": "set_motor_mode", "mode": "turbo"}', "enabled"),
        ('{"type": "set_torque", "on": true, "ids": ["tail"]}', "tail"),
        ('{"type": "append_record", "record": {}}', "nothing is being recorded"),
        ('{"type": "self_destruct"}', "unknown command 'self_destruct'"),
        ('{"head": []}', "unknown command"),
        ('{"type": "set_target", "head": [1,', "not JSON"),
        ("", "not JSON"),
        ("[]", "object"),
        ("null", "object"),
        ('{"type": "' + "x" * 5000 + '"}', "unknown command"),
        ("[" * 100_000, "not JSON"),
    ],
)
async def test_a_bad_frame_gets_an_error_and_the_line_stays_open(raw: ClientConnection, frame: str, told: str) -> None:
    await raw.send(frame)
    note = await answer(raw, "error")
    assert told in note["message"] or told in note["hint"], note
    assert len(note["message"]) < 500
    await answer(raw, "head_pose")


async def test_out_of_reach_is_said_and_the_robot_holds(raw: ClientConnection, motion: Motion) -> None:
    await motion.wake()
    before = (await motion.goto(AWAKE, 0.5)).state.pose
    await raw.send(json.dumps({"type": "set_full_target", "head": list(Pose(z=0.2).head_matrix())}))
    assert (await answer(raw, "error"))["code"] == "OUT_OF_REACH"
    for _ in range(25):
        await answer(raw, "head_pose")
    assert motion.state.pose.distance(before) < math.radians(2)


async def test_binary_frames_are_refused(raw: ClientConnection) -> None:
    await raw.send(b"\x00\x01")
    assert "binary" in (await answer(raw, "error"))["message"]


async def test_a_10_mb_frame_ends_that_connection_alone(raw: ClientConnection, motion: Motion) -> None:
    async def exchange() -> None:
        await raw.send("x" * 10_000_000)
        while True:
            await raw.recv()

    with pytest.raises(ConnectionClosed) as caught:
        await exchange()
    assert caught.value.rcvd is None or caught.value.rcvd.code == 1009
    assert motion.status == "connected"
    await motion.wait_for(lambda state: state.at > 0, timeout=5)


async def test_a_client_that_stops_reading_does_not_slow_the_others(robot: Address, motion: Motion) -> None:
    reader, writer = await asyncio.open_connection(robot.host, robot.port, limit=1024)
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    writer.write(
        f"GET /ws/sdk HTTP/1.1\r\nHost: {robot}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    before = await sim_time(robot)
    count = 0
    async for _ in motion.states():
        count += 1
        if count == 150:
            break
    after = await sim_time(robot)
    writer.close()
    # 150 states are 3 simulated seconds. Whoever does not read is sent away after 10: nobody may have to wait for that.
    assert 2.5 < after - before < 8.0


async def test_two_clients_see_the_same_robot(robot: Address, motion: Motion) -> None:
    async with connect(robot.socket, compression=None) as second:
        await motion.wake()
        await motion.goto(replace(AWAKE, yaw=0.3), 0.5)
        for _ in range(200):
            rows = (await answer(second, "head_pose"))["head_pose"]
        assert math.atan2(rows[1][0], rows[0][0]) == pytest.approx(0.3, abs=0.03)


async def test_a_client_killed_in_mid_move_leaves_a_robot_that_finishes_and_holds(
    robot: Address, motion: Motion
) -> None:
    await motion.wake()
    code = (
        "import sys, json, websockets.sync.client as c\n"
        f"s = c.connect({robot.socket!r})\n"
        "s.send(sys.argv[1]); print('sent', flush=True); sys.stdin.read()"
    )
    goto = json.dumps({"type": "goto_target", "head": list(replace(AWAKE, yaw=0.8).head_matrix()), "duration": 5.0})
    pipe = asyncio.subprocess.PIPE
    client = await asyncio.create_subprocess_exec(sys.executable, "-c", code, goto, stdin=pipe, stdout=pipe)
    await motion.wait_for(lambda state: state.pose.yaw > 0.05, timeout=10)
    client.kill()
    await client.wait()
    await motion.wait_for(lambda state: state.pose.yaw > 0.5, timeout=10)
    # It is not pulled back to where we had it: we start again from where it is now.
    assert (await motion.wait_for(lambda s: s.command.yaw > 0.25, timeout=5)).mode == "enabled"
    with pytest.raises(HardwareError):  # the daemon ignores us while the other's move runs: that is no success
        await motion.goto(AWAKE, 0.5)
    async with httpx.AsyncClient(base_url=robot.http) as http:

        async def idle() -> bool:
            return not (await http.get("/api/move/running")).json()

        await until(idle)
    assert (await motion.goto(AWAKE, 0.5)).state.pose.distance(AWAKE) < math.radians(3)


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Host": "evil.example"}, {"Origin": "null"}])
def test_web_pages_of_other_sites_get_nothing(daemon: Daemon, headers: dict[str, str]) -> None:
    refused = httpx.post(f"{daemon.url}/api/motors/set_mode/enabled", headers=headers)
    assert refused.status_code == 403 and refused.json()["error"]["code"] == "PERMISSION_DENIED"
    with pytest.raises(InvalidStatus):
        sync_connect(daemon.address.socket, additional_headers=headers)


@pytest.mark.parametrize(
    ("route", "content", "status"),
    [
        ("/api/move/goto", {"duration": 1.0, "head_pose": {"m": [1, 2, 3]}}, 422),
        ("/api/move/goto", {"head_pose": {"yaw": 0.1}}, 422),
        ("/api/move/goto", {"duration": 1.0, "head_pose": {"z": 0.4}}, 409),
        ("/api/move/stop", {"uuid": "00000000-0000-0000-0000-000000000000"}, 404),
        ("/api/move/set_target", {"target_antennas": ["a", "b"]}, 422),
        ("/api/motors/set_mode/turbo", None, 422),
    ],
)
def test_bad_rest_requests_are_answered(robot: Address, route: str, content: object, status: int) -> None:
    response = httpx.post(f"{robot.http}{route}", json=content)
    assert response.status_code == status
    assert response.json()["detail"]


def test_nan_in_a_rest_body_is_refused(robot: Address) -> None:
    body = '{"duration": 1.0, "head_pose": {"yaw": NaN}}'
    response = httpx.post(f"{robot.http}/api/move/goto", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == 422


async def sim_time(robot: Address) -> float:
    async with httpx.AsyncClient() as http:
        return float((await http.get(f"{robot.http}/sim/v1/time")).json()["sim_s"])
