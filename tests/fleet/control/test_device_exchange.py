"""cp1 by HTTP requests to a whole node: what a device may post, how long it waits, and which connection counts."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from reachy_mind.fleet.control import device_exchange, devices, downlink, uplink
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.device.enrolment import DeviceIdentity
from reachy_mind.fleet.protocol.close_codes import CloseCode
from reachy_mind.fleet.protocol.frame import Frame, decode, encode, new_frame
from reachy_mind.fleet.protocol.limits import WINDOW
from tests.fleet.app_server import AppServer, app_server
from tests.fleet.device.blocking_proxy import BlockingProxy
from tests.fleet.device.linked_device import linked
from tests.waiting import settled, until

PATH = device_exchange.PATH


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[AppServer]:
    async with app_server(SqliteStore(tmp_path / "fleet.db")) as served:
        yield served


@dataclass
class Poster:
    """A device that posts; `heard` is all that it got."""

    http: httpx.AsyncClient
    device: Device
    conn: str | None = None
    heard: list[Frame] = field(default_factory=list)
    closed_with: int | None = None

    async def post(self, *frames: Frame | str, wait_s: float = 0, **about: Any) -> httpx.Response:
        texts = [frame if isinstance(frame, str) else encode(frame) for frame in frames]
        content = {"frames": texts, "wait_s": wait_s} | ({"conn": self.conn} if self.conn else {}) | about
        answer = await self.http.post(PATH, json=content)
        if answer.status_code == 200:
            self.conn = answer.json()["conn"]
            self.heard += [decode(text) for text in answer.json()["frames"]]
            if closed := answer.json().get("closed"):
                self.closed_with = int(closed["code"])
        return answer

    def hello(self, **about: Any) -> Frame:
        return new_frame("hello", {"device": self.device.id, "boot": "b", "epoch": "e"} | about)

    async def open(self, **about: Any) -> None:
        await self.until(lambda: self.types() == ["welcome"], self.hello(**about))

    async def until(self, is_so: Any, *frames: Frame | str) -> None:
        """Post, and ask until something is so."""
        if frames:
            answer = await self.post(*frames, wait_s=5)
            assert answer.status_code == 200, answer.text
        async with asyncio.timeout(20):
            while not is_so():
                assert (await self.post(wait_s=5)).status_code == 200

    def types(self) -> list[str]:
        return [frame.type for frame in self.heard]

    def acked(self, field_: str = "ack") -> int:
        return max((getattr(frame, field_) or 0 for frame in self.heard), default=0)

    async def closed(self) -> int:
        async with asyncio.timeout(20):
            while self.closed_with is None:
                assert (await self.post(wait_s=5)).status_code == 200
        return self.closed_with


@contextlib.asynccontextmanager
async def poster(node: AppServer, name: str = "kitchen", token: str | None = None) -> AsyncIterator[Poster]:
    device, made = await node.control.device(name)
    async with posting(node, device, token or made) as found:
        yield found


@contextlib.asynccontextmanager
async def posting(node: AppServer, device: Device, token: str) -> AsyncIterator[Poster]:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=node.url, headers=headers, timeout=30, trust_env=False) as http:
        yield Poster(http, device)


async def stored(node: AppServer) -> list[Any]:
    rows = await node.control.read(lambda sql: uplink.listed(sql, node.control.tenants["home"], limit=1000))
    return [row["payload"].get("n") for row in reversed(rows)]


async def order(node: AppServer, device: Device, **payload: Any) -> None:
    await node.control.write(lambda sql: downlink.queue(sql, device.id, device.tenant, "speak", payload, by="anna"))
    await node.control.plane.hub.wake(device.id, "command")


def press(number: int, **about: Any) -> Frame:
    return new_frame("button.pressed", {"n": number} | about, seq=number)


async def test_a_hello_is_answered_and_frames_go_both_ways_in_order(node: AppServer) -> None:
    async with poster(node) as device:
        await device.open()
        for number in range(3):
            await order(node, device.device, number=number)
        await device.until(lambda: device.acked() == 40, *(press(n) for n in range(1, 41)))
        await device.until(lambda: device.types().count("speak") == 3)
        assert [f.p["number"] for f in device.heard if f.type == "speak"] == [0, 1, 2]
        await device.post(new_frame("ack", ack=3))
    assert await stored(node) == list(range(1, 41))


async def test_an_emergency_is_posted_with_the_hello_and_stored_once(node: AppServer) -> None:
    async with poster(node) as device:
        alarm = new_frame("emergency.pressed", {"n": 1}, seq=1, prio=0)
        await device.until(lambda: device.acked("ack0") == 1, device.hello(), alarm)
        await device.post(alarm, alarm)
    assert await stored(node) == [1]


@pytest.mark.parametrize("token", ["", "x", "dev_000000000000_" + "A" * 43, "op_000000000000_" + "A" * 43])
async def test_without_the_token_of_a_device_nothing_is_read(node: AppServer, token: str) -> None:
    async with poster(node, token=token or "-") as device:
        answer = await device.post(device.hello())
        assert answer.status_code == 401 and answer.json()["error"]["code"] == "UNAUTHORIZED"
        await node.control.write(lambda sql: devices.revoke(sql, device.device))


async def test_a_token_that_is_revoked_meanwhile_is_refused(node: AppServer) -> None:
    async with poster(node) as device:
        await device.open()
        await node.control.write(lambda sql: devices.revoke(sql, device.device))
        assert (await device.post(press(1))).status_code == 401
    assert await stored(node) == []


async def test_an_unknown_connection_or_another_device_s_says_hello_again(node: AppServer) -> None:
    async with poster(node) as kitchen, poster(node, "hall") as hall:
        await kitchen.open()
        for conn in ("nothing", kitchen.conn):
            answer = await hall.post(press(1), conn=conn)
            assert answer.status_code == 410 and answer.json()["error"]["code"] == "UNKNOWN_CONNECTION"
        assert (await hall.post(new_frame("hello", kitchen.hello().p))).status_code == 422
    assert await stored(node) == []


async def test_a_newer_connection_fences_the_older_one(node: AppServer) -> None:
    device, token = await node.control.device("kitchen")
    async with posting(node, device, token) as old, posting(node, device, token) as new:
        await old.open()
        await new.open(epoch="e2")
        await old.post(press(1))
        assert await old.closed() == CloseCode.SUPERSEDED
        await new.until(lambda: new.acked() == 1, press(1))
        assert (await old.post(press(2))).status_code == 410
    assert await stored(node) == [1]


async def test_a_device_that_says_hello_again_and_again_takes_no_others_place(node: AppServer) -> None:
    """Each hello replaces the one before: what is left of that is not kept for a minute."""
    async with poster(node) as noisy, poster(node, "hall") as hall:
        await hall.open()
        for _ in range(30):
            noisy.conn = None
            assert (await noisy.post(noisy.hello(), wait_s=5)).status_code == 200
        await settled()
        assert len(node.control.app.exchange) <= 3
        await hall.until(lambda: hall.acked() == 1, press(1))


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ({"frames": []}, 422),
        ({"frames": ["nonsense"]}, 422),
        ({"frames": ['{"v":1,"id":"a","type":"button.pressed","seq":1}']}, 422),
        ({"frames": ['{"v":1,"id":"a","type":"hello","p":{}}']}, 422),
        ({"frames": "hello"}, 422),
        ({"frames": [7]}, 422),
        ({"frames": ["x" * (65 << 10)]}, 422),
        ({"frames": ["{}"] * 65}, 422),
        ({"frames": [], "wait_s": -1}, 422),
        ({"frames": [], "wait_s": 26}, 422),
        ({"frames": [], "wait_s": "NaN"}, 422),
        ({"frames": [], "more": 1}, 422),
        ({"frames": [], "conn": "x" * 65}, 422),
        ([], 422),
    ],
)
async def test_what_it_does_not_take_is_an_error_that_says_why(node: AppServer, content: Any, status: int) -> None:
    async with poster(node) as device:
        answer = await device.http.post(PATH, json=content)
        assert answer.status_code == status and answer.json()["error"]["hint"]
        await device.open()


@pytest.mark.parametrize("body", [b"{", b"\xff", b'{"frames": NaN}', b'{"frames": [' + b"[" * 100_000])
async def test_what_is_no_json_is_refused(node: AppServer, body: bytes) -> None:
    async with poster(node) as device:
        answer = await device.http.post(PATH, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 400


async def test_a_body_without_end_is_refused(node: AppServer) -> None:
    async with poster(node) as device:
        answer = await device.http.post(PATH, json={"frames": ["x" * 60_000] * 18})
        assert answer.status_code == 413


async def test_a_window_of_the_largest_events_goes_by_http(node: AppServer, tmp_path: Path) -> None:
    device, token = await node.control.device("kitchen")
    async with BlockingProxy(node.port, "upgrade") as proxy:
        identity = DeviceIdentity(f"http://127.0.0.1:{proxy.port}", device.id, token)
        async with linked(tmp_path / "device" / "device.db", identity) as link:
            for number in range(WINDOW):
                await link.outbox.accept("utterance.recorded", {"n": number, "text": '"' * 32_000})

            async def all_gone() -> bool:
                return (await link.outbox.totals()).events == 0

            await until(all_gone)
            assert link.counters.by_http
    assert await stored(node) == list(range(WINDOW))


async def test_garbage_after_the_hello_closes_the_connection(node: AppServer) -> None:
    async with poster(node) as device:
        await device.open()
        await device.post("nonsense")
        assert await device.closed() == CloseCode.NOT_UNDERSTOOD
        assert (await device.post(press(1))).status_code == 410
    assert await stored(node) == []


async def test_what_is_said_after_the_connection_was_closed_is_not_stored(node: AppServer) -> None:
    async with poster(node) as device:
        await device.open()
        await device.post(press(1), "nonsense", press(2))
    assert await stored(node) == [1]


async def test_a_node_that_ends_ends_the_wait(node: AppServer) -> None:
    async with poster(node) as device:
        await device.open()
        waiting = asyncio.create_task(device.post(wait_s=25))
        await asyncio.sleep(0)
        await until(lambda: not waiting.done() and len(node.control.plane.hub))
        await node.control.app.drain()
        assert (await waiting).json()["closed"]["code"] == CloseCode.ENDING


async def test_requests_at_the_same_time_do_not_mix_their_frames(node: AppServer) -> None:
    async with poster(node) as device:
        await device.open()
        first, second = [press(n) for n in range(1, 21)], [press(n) for n in range(21, 41)]
        await asyncio.gather(device.post(*first), device.post(*second))
        await device.until(lambda: device.acked() == 40)
    assert await stored(node) == list(range(1, 41))


async def test_answers_are_json_that_is_read_without_loss(node: AppServer) -> None:
    async with poster(node) as device:
        await device.open()
        text = 'quotes " and \\ and \x00 and \U0001f600 and \u2028'
        await order(node, device.device, text=text)
        await device.until(lambda: "speak" in device.types())
        assert [frame.p["text"] for frame in device.heard if frame.type == "speak"] == [text]
