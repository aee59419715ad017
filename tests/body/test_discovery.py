from __future__ import annotations

import socket

from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from reachy_mind.body.discovery import discover
from reachy_mind.body.protocol import SERVICE_TYPE


async def test_a_robot_that_announces_itself_is_found() -> None:
    announcer = AsyncZeroconf(interfaces=["127.0.0.1"])
    info = AsyncServiceInfo(
        SERVICE_TYPE,
        f"reachy_test.{SERVICE_TYPE}",
        addresses=[socket.inet_aton("127.0.0.1")],
        port=8123,
        properties={"robot_name": "Test robot", "version": "1.13.0", "model": "Reachy Mini Lite"},
        server="reachy-test.local.",
    )
    try:
        await (await announcer.async_register_service(info))
        found = [robot for robot in await discover(2.0, interfaces=["127.0.0.1"]) if robot.name == "Test robot"]
    finally:
        await announcer.async_close()
    assert [(robot.address, robot.port) for robot in found] == [("127.0.0.1", 8123)]
    assert found[0].properties["version"] == "1.13.0"


async def test_nobody_answering_is_an_empty_list() -> None:
    assert [r for r in await discover(0.2, interfaces=["127.0.0.1"]) if r.name == "nobody"] == []
