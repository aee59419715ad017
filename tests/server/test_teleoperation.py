"""The WebSocket of teleoperation, on a mind without a robot."""

from __future__ import annotations

from reachy_mind.mind import Mind
from tests.server.served import serving, socket


async def test_teleoperation_without_a_robot_is_refused_and_the_socket_stays(mind: Mind) -> None:
    async with serving(mind) as place, socket(place, "teleoperate") as line:
        await line.send({"type": "take"})
        assert "no robot" in (await line.until("released"))["reason"]
        for wrong in ('{"type": "fly"}', "[]", '{"type": "pose", "yaw": "NaN"}', b"\x00"):
            await line.send(wrong)
            assert (await line.until("error"))["code"] == "INVALID_PARAMETER"
        await line.send({"type": "record"})
        assert (await line.until("error"))["code"] == "NOT_READY"
        await line.send({"type": "save", "name": "nothing"})
        assert "nothing was recorded" in (await line.until("error", about="save"))["message"]
    rest = await mind.toolbox.call("robot.teleoperate", {"reins": "not mine"})
    assert rest.error is not None and rest.error["code"] == "INVALID_PARAMETER"
