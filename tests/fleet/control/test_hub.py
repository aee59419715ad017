"""The hub on loopback: what devices send is stored once and acknowledged, what is meant for them arrives."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from reachy_mind.fleet.control import device_exchange, device_socket, devices, downlink, twins, uplink
from reachy_mind.fleet.control.device_connection import EMERGENCY_BURST
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import Operation, Result, Sql
from reachy_mind.fleet.protocol.close_codes import CloseCode
from reachy_mind.fleet.protocol.frame import decode, encode, new_frame, now_ms
from reachy_mind.fleet.protocol.limits import ConnectionLimits
from tests.fleet.hub_server import TENANT, Client, HubServer, hub_server
from tests.waiting import until

FLOOD_AHEAD = 20
"""Events that a flood has on their way."""


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with SqliteStore(tmp_path / "fleet.db") as opened:
        yield opened


@pytest.fixture
async def node(store: SqliteStore) -> AsyncIterator[HubServer]:
    async with hub_server(store) as served:
        yield served


async def stored(node: HubServer) -> list[dict[str, Any]]:
    """The events in the store, oldest first."""
    return (await node.hub.store.read(lambda sql: uplink.listed(sql, TENANT, limit=1000)))[::-1]


async def test_events_are_stored_in_order_and_acknowledged(node: HubServer) -> None:
    kitchen = await node.device()
    async with node.client(kitchen) as client:
        for number in range(1, 51):
            await client.say("button.pressed", {"n": number}, seq=number)
        await client.acked(50)
    assert [event["payload"]["n"] for event in await stored(node)] == list(range(1, 51))


async def test_a_repeated_event_is_acknowledged_again_and_stored_once(node: HubServer) -> None:
    kitchen = await node.device()
    async with node.client(kitchen) as client:
        first = await client.say("button.pressed", {"n": 1}, seq=1)
        await client.acked(1)
        client.heard.clear()
        await client.socket.send(encode(first))
        await client.acked(1)
    assert len(await stored(node)) == 1


async def test_a_device_is_told_where_it_stopped(node: HubServer) -> None:
    kitchen = await node.device()
    async with node.client(kitchen) as client:
        await client.say("button.pressed", seq=1)
        await client.say("emergency.pressed", seq=1, prio=0)
        await client.acked(1)
        await client.acked(1, "ack0")
    async with node.client(kitchen) as client:
        assert client.welcome["up"] == {"seq": 1, "seq0": 1}
    async with node.client(kitchen, epoch="another-card") as client:
        assert client.welcome["up"] == {"seq": 0, "seq0": 0}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("not json", CloseCode.NOT_UNDERSTOOD),
        ('{"v":1,"id":"a","type":"button.pressed","seq":1,"p":{"x":NaN}}', CloseCode.NOT_UNDERSTOOD),
        ('{"v":2,"id":"a","type":"button.pressed","seq":1}', CloseCode.NOT_UNDERSTOOD),
        ('{"v":1,"id":"a","type":"../x","seq":1}', CloseCode.NOT_UNDERSTOOD),
        ('{"v":1,"id":"a","type":"x","p":' + "[" * 100 + "]" * 100 + "}", CloseCode.NOT_UNDERSTOOD),
        ('{"v":1,"id":"a","type":"x","p":{"x":"' + "x" * 70_000 + '"}}', CloseCode.TOO_LARGE),
        ('{"v":1,"id":"a","type":"button.pressed","seq":5}', CloseCode.GAP),
        ('{"v":1,"id":"a","type":"ack","ack":7}', CloseCode.NOT_UNDERSTOOD),
        ('{"v":1,"id":"a","type":"hello","p":{}}', CloseCode.NOT_UNDERSTOOD),
        ('{"c":"00000000","v":1,"id":"a","type":"button.pressed","seq":1}', CloseCode.DAMAGED),
    ],
)
async def test_what_is_not_understood_closes_the_connection_and_stores_nothing(
    node: HubServer, text: str, code: int
) -> None:
    kitchen = await node.device()
    async with node.client(kitchen) as client:
        await client.socket.send(text)
        assert await client.closed() == code
    assert await stored(node) == []


async def test_a_flood_is_refused_and_others_go_on(store: SqliteStore) -> None:
    async with hub_server(store, limits=ConnectionLimits(rate_per_s=5, burst=10)) as node:
        noisy, quiet = await node.device("noisy"), await node.device("quiet")
        async with node.client(noisy) as flood, node.client(quiet) as other:
            for number in range(1, 200):
                await flood.say("button.pressed", seq=number)
            assert await flood.closed() == CloseCode.TOO_MANY
            await other.say("button.pressed", seq=1)
            await other.acked(1)


async def test_an_emergency_is_never_too_many(store: SqliteStore) -> None:
    async with hub_server(store, limits=ConnectionLimits(rate_per_s=1, burst=2)) as node:
        kitchen = await node.device()
        async with node.client(kitchen) as client:
            for number in range(1, 41):
                await client.say("emergency.pressed", seq=number, prio=0)
            await client.acked(40, "ack0")


async def test_a_flood_of_emergencies_is_held_back_and_loses_none(store: SqliteStore) -> None:
    async with hub_server(store) as node:
        mad, quiet = await node.device("mad"), await node.device("quiet")
        async with node.client(mad) as flood, node.client(quiet) as other:
            number = 0
            while not node.hub.counters.emergencies_held_back:
                number += 1
                await flood.say("emergency.pressed", seq=number, prio=0)
                await flood.acked(number - FLOOD_AHEAD, "ack0")
            assert number > EMERGENCY_BURST, "people can't press so often"
            await other.say("emergency.pressed", seq=1, prio=0)
            await other.acked(1, "ack0")
            await flood.acked(number, "ack0")


async def test_what_is_no_event_is_not_outside_of_the_limits(store: SqliteStore) -> None:
    few = ConnectionLimits(rate_per_s=1, burst=5)
    async with hub_server(store, limits=few) as node, node.client(await node.device()) as flood:
        for _ in range(30):
            await flood.say("heartbeat", {"state": "idle"}, prio=0)
        assert await flood.closed() == CloseCode.TOO_MANY


async def test_a_new_connection_replaces_the_old_one(node: HubServer) -> None:
    kitchen = await node.device()
    async with node.client(kitchen) as old, node.client(kitchen) as new:
        assert await old.closed() == CloseCode.SUPERSEDED
        await new.say("button.pressed", seq=1)
        await new.acked(1)


class LateAnswers(SqliteStore):
    """The next write is answered when `answered` is set, later than those after it."""

    answered: asyncio.Event | None = None
    waits = False

    async def write(self, operation: Operation[Result]) -> Result:
        held, self.answered = self.answered, None
        result = await super().write(operation)
        if held is not None:
            self.waits = True
            await held.wait()
        return result


async def test_an_older_connection_that_opens_later_does_not_end_the_newer_one(tmp_path: Path) -> None:
    async with LateAnswers(tmp_path / "fleet.db") as store, hub_server(store) as node:
        kitchen, answered = await node.device(), asyncio.Event()
        url, how = f"ws://127.0.0.1:{node.port}{device_socket.PATH}", {"compression": None, "proxy": None}
        headers = node.headers(kitchen)
        async with connect(url, subprotocols=["cp1"], additional_headers=headers, **how) as socket:  # type: ignore[arg-type, list-item]
            older = Client(socket)
            store.answered = answered
            await older.say("hello", {"device": kitchen.id, "boot": "boot-1", "epoch": "epoch-1"})
            await until(lambda: store.waits)
            async with node.client(kitchen) as newer:
                answered.set()
                assert await older.closed() == CloseCode.SUPERSEDED
                await newer.say("button.pressed", seq=1)
                await newer.acked(1)


async def test_two_stores_with_one_epoch_are_told_apart(node: HubServer) -> None:
    """A copied SD card: what the second one has is not taken for a repetition of the first one's."""
    kitchen = await node.device()
    async with node.client(kitchen) as client:
        await client.say("button.pressed", {"of": "first"}, seq=1)
        await client.acked(1)
    async with node.client(kitchen) as copy:
        await copy.say("button.pressed", {"of": "second"}, seq=1)
        assert await copy.closed() == CloseCode.EPOCH_CONFLICT


async def test_an_event_that_is_sent_again_in_a_new_epoch_is_stored_once(node: HubServer) -> None:
    kitchen = await node.device()
    async with node.client(kitchen) as client:
        event = await client.say("emergency.pressed", seq=1, prio=0)
        await client.acked(1, "ack0")
    async with node.client(kitchen, epoch="epoch-2") as client:
        await client.socket.send(encode(event))
        await client.acked(1, "ack0")
    assert len(await stored(node)) == 1


async def test_commands_wait_arrive_in_order_and_go_once_acknowledged(node: HubServer) -> None:
    kitchen = await node.device()

    async def send(number: int) -> None:
        await node.hub.store.write(
            lambda sql: downlink.queue(sql, kitchen.id, TENANT, "speak", {"n": number}, by="a person")
        )
        await node.hub.wake(kitchen.id, "command")

    await send(1)
    async with node.client(kitchen) as client:
        await send(2)
        got = [await client.next("speak"), await client.next("speak")]
        assert [frame.p["n"] for frame in got] == [1, 2]
        await client.say("ack", ack=1)
    async with node.client(kitchen, down={"epoch": client.welcome["down"], "seq": 1}) as client:
        again = await client.next("speak")
        assert again.p["n"] == 2
        assert again.id == got[1].id
        await client.say("ack", ack=2)
        await client.say("command.done", {"status": "failed", "error": "no voice"}, seq=1, re=again.id)
        await client.acked(1)
    rows = await node.hub.store.read(lambda sql: downlink.listed(sql, TENANT, kitchen.id))
    assert [(row["status"], row["error"]) for row in rows] == [("failed", "no voice"), (None, None)]


async def test_an_expired_command_is_not_sent(node: HubServer) -> None:
    kitchen = await node.device()

    def queue(sql: Sql) -> None:
        downlink.queue(sql, kitchen.id, TENANT, "speak", {"n": 1}, by="a person", expires_at=now_ms() - 1)
        downlink.queue(sql, kitchen.id, TENANT, "speak", {"n": 2}, by="a person")

    await node.hub.store.write(queue)
    async with node.client(kitchen) as client:
        frame = await client.next("speak")
    assert (frame.p["n"], frame.seq, frame.skip) == (2, 2, 1)


async def test_a_hub_that_was_set_back_numbers_its_commands_anew(node: HubServer) -> None:
    kitchen = await node.device()
    await node.hub.store.write(lambda sql: downlink.queue(sql, kitchen.id, TENANT, "speak", {"n": 1}, by="a person"))
    before = (await node.hub.store.read(lambda sql: devices.get(sql, TENANT, kitchen.id))).down_epoch
    async with node.client(kitchen, down={"epoch": before, "seq": 40}) as client:
        assert client.welcome["down"] != before
        assert (await client.next("speak")).seq == 1


async def test_the_wanted_state_arrives_at_once_or_with_the_next_connection(node: HubServer) -> None:
    kitchen = await node.device()

    async def want(volume: int) -> None:
        await node.hub.store.write(lambda sql: twins.change(sql, kitchen.id, {"volume": volume}, by="a person"))
        await node.hub.wake(kitchen.id, "twin")

    await want(20)
    async with node.client(kitchen) as client:
        assert client.welcome["desired"]["volume"] == 20
        await want(30)
        frame = await client.next("twin.desired")
        assert (frame.p["volume"], frame.p["version"]) == (30, 2)
        await client.say("twin.reported", {"version": 2, "volume": 30})

        async def in_sync() -> bool:
            return (await node.hub.store.read(lambda sql: twins.get(sql, kitchen.id))).in_sync

        await until(in_sync)
    async with node.client(kitchen, twin=2) as client:
        assert "desired" not in client.welcome


async def test_what_the_bus_loses_is_found_in_the_store(node: HubServer) -> None:
    kitchen = await node.device()
    async with node.client(kitchen) as client:
        await node.hub.store.write(
            lambda sql: downlink.queue(sql, kitchen.id, TENANT, "speak", {}, by="a person")
        )  # and nobody wakes the hub
        assert (await client.next("speak")).seq == 1


async def test_a_revoked_device_is_closed_and_refused(node: HubServer) -> None:
    kitchen = await node.device()
    async with node.client(kitchen) as client:
        await node.hub.store.write(lambda sql: devices.revoke(sql, kitchen))
        await node.hub.wake(kitchen.id, "revoked")
        assert await client.closed() == CloseCode.REVOKED
    with pytest.raises(InvalidStatus, match="401"):
        async with node.client(kitchen):
            pass


@pytest.mark.parametrize("token", ["", "Bearer x", "Basic eDp5", "Bearer dev_000000000000_" + "x" * 43])
async def test_without_a_valid_token_there_is_no_websocket(node: HubServer, token: str) -> None:
    with pytest.raises(InvalidStatus, match="401"):
        await connect(
            f"ws://127.0.0.1:{node.port}{device_socket.PATH}",
            subprotocols=["cp1"],
            additional_headers={"Authorization": token} if token else {},
            proxy=None,
        )


async def test_a_device_cannot_speak_for_another(node: HubServer) -> None:
    kitchen, hall = await node.device("kitchen"), await node.device("hall")
    url = f"ws://127.0.0.1:{node.port}{device_socket.PATH}"
    headers = node.headers(kitchen, **{"X-Device-ID": hall.id})
    with pytest.raises(InvalidStatus, match="401"):
        await connect(url, subprotocols=["cp1"], additional_headers=headers, proxy=None)
    async with connect(url, subprotocols=["cp1"], additional_headers=node.headers(kitchen), proxy=None) as socket:
        await socket.send(encode(new_frame("hello", {"device": hall.id, "boot": "b", "epoch": "e"})))
        await socket.wait_closed()
        assert socket.close_code == CloseCode.NOT_UNDERSTOOD


async def test_a_websocket_that_the_server_has_closed_takes_nothing_more_and_fails_nobody() -> None:
    sent: list[str] = []

    async def closed(message: dict[str, Any]) -> None:
        sent.append(message["type"])
        raise RuntimeError("Unexpected ASGI message 'websocket.send', after sending 'websocket.close'.")

    transport = device_socket.SocketTransport(closed)
    await transport.send("command")
    await transport.close(CloseCode.TRY_LATER, "too late")
    assert transport.ended and sent == ["websocket.send"]


async def test_a_silent_device_counts_as_gone(store: SqliteStore) -> None:
    async with hub_server(store, limits=ConnectionLimits(heartbeat_s=0.2, rate_per_s=100)) as node:
        kitchen = await node.device()
        async with node.client(kitchen):
            await until(lambda: not node.hub.connected(kitchen.id))


async def test_a_device_that_does_not_read_does_not_hold_others_back(node: HubServer) -> None:
    """Its commands fill its connection; another device's arrive meanwhile."""
    deaf, hall = await node.device("deaf"), await node.device("hall")
    text = "x" * 60_000
    async with node.client(deaf) as silent, node.client(hall) as other:
        silent.socket.transport.pause_reading()

        def fill(sql: Sql) -> None:
            for _ in range(150):
                downlink.queue(sql, deaf.id, TENANT, "speak", {"text": text}, by="a person", prio=0)

        await node.hub.store.write(fill)
        await node.hub.wake(deaf.id, "command")
        await node.hub.store.write(lambda sql: downlink.queue(sql, hall.id, TENANT, "speak", {}, by="a person"))
        await node.hub.wake(hall.id, "command")
        await other.next("speak")
        silent.socket.transport.abort()


class TestExchange:
    """cp1 by HTTP requests."""

    async def test_events_go_up_and_commands_come_down(self, node: HubServer) -> None:
        kitchen = await node.device()
        await node.hub.store.write(lambda sql: downlink.queue(sql, kitchen.id, TENANT, "speak", {}, by="a person"))
        hello = encode(new_frame("hello", {"device": kitchen.id, "boot": "b", "epoch": "e"}))
        event = encode(new_frame("button.pressed", {"n": 1}, seq=1))
        async with self.http(node, kitchen) as http:
            answer = (await http.post(device_exchange.PATH, json={"frames": [hello, event], "wait_s": 5})).json()
            frames = [decode(text) for text in answer["frames"]]
            while not {"welcome", "speak"} <= {frame.type for frame in frames} or not any(f.ack for f in frames):
                more = await http.post(device_exchange.PATH, json={"conn": answer["conn"], "wait_s": 5})
                frames += [decode(text) for text in more.json()["frames"]]
        assert [event["payload"]["n"] for event in await stored(node)] == [1]

    async def test_a_waiting_request_is_answered_when_a_command_comes(self, node: HubServer) -> None:
        kitchen = await node.device()
        hello = encode(new_frame("hello", {"device": kitchen.id, "boot": "b", "epoch": "e"}))
        async with self.http(node, kitchen) as http:
            conn = (await http.post(device_exchange.PATH, json={"frames": [hello]})).json()["conn"]
            waiting = asyncio.create_task(http.post(device_exchange.PATH, json={"conn": conn, "wait_s": 20}))
            await asyncio.sleep(0)
            await node.hub.store.write(lambda sql: downlink.queue(sql, kitchen.id, TENANT, "speak", {}, by="a person"))
            await node.hub.wake(kitchen.id, "command")
            assert "speak" in (await waiting).text

    async def test_another_device_does_not_get_into_a_connection(self, node: HubServer) -> None:
        kitchen, hall = await node.device("kitchen"), await node.device("hall")
        hello = encode(new_frame("hello", {"device": kitchen.id, "boot": "b", "epoch": "e"}))
        async with self.http(node, kitchen) as http:
            conn = (await http.post(device_exchange.PATH, json={"frames": [hello]})).json()["conn"]
        async with self.http(node, hall) as http:
            assert (await http.post(device_exchange.PATH, json={"conn": conn})).status_code == 409

    async def test_what_is_not_understood_is_said(self, node: HubServer) -> None:
        kitchen = await node.device()
        hello = encode(new_frame("hello", {"device": kitchen.id, "boot": "b", "epoch": "e"}))
        async with self.http(node, kitchen) as http:
            answer = (await http.post(device_exchange.PATH, json={"frames": [hello, "nonsense"]})).json()
            while "closed" not in answer:
                answer = (await http.post(device_exchange.PATH, json={"conn": answer["conn"], "wait_s": 5})).json()
        assert answer["closed"]["code"] == CloseCode.NOT_UNDERSTOOD

    @staticmethod
    def http(node: HubServer, device: devices.Device) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{node.port}", headers=node.headers(device), timeout=30, trust_env=False
        )


class TestSourceDevices:
    """Devices that do not speak cp1."""

    async def test_an_emergency_button_is_an_emergency(self, node: HubServer) -> None:
        kitchen = await node.device()
        async with self.socket(node, kitchen) as socket:
            await socket.send(json.dumps({"type": "button_press", "payload": {"button": "emergency"}}))
            await socket.send(json.dumps({"type": "button_press", "payload": {"button": "companion"}}))

            async def both() -> bool:
                return [event["type"] for event in await stored(node)] == ["emergency.pressed", "button.pressed"]

            await until(both)

    async def test_a_personality_is_switched_and_reported(self, node: HubServer) -> None:
        kitchen = await node.device()
        etag = "a" * 64

        def want(sql: Sql) -> None:
            sql.run(
                "INSERT INTO persona (tenant, id, etag, body, created_at, created_by) VALUES (?, ?, ?, ?, 1, 'x')",
                *(TENANT, "poet", etag, json.dumps({"id": "poet", "files": {"instructions.txt": "rhyme"}})),
            )
            twins.change(sql, kitchen.id, {"persona": {"id": "poet", "etag": etag}}, by="a person")

        await node.hub.store.write(want)
        async with self.socket(node, kitchen) as socket:
            assert json.loads(await socket.recv()) == {"type": "persona_switch", "payload": {"persona_id": "poet"}}
            await socket.send(json.dumps({"type": "persona_request", "payload": {"persona_id": "poet"}}))
            assert json.loads(await socket.recv())["payload"]["persona"]["files"] == {"instructions.txt": "rhyme"}
            done = {"switch_complete": True, "persona_id": "poet"}
            await socket.send(json.dumps({"type": "ack", "payload": done}))

            async def in_sync() -> bool:
                return (await node.hub.store.read(lambda sql: twins.get(sql, kitchen.id))).in_sync

            await until(in_sync)

    async def test_sound_is_kept_and_played(self, node: HubServer) -> None:
        kitchen = await node.device()
        samples = np.sin(np.arange(1600) / 8).astype("<f4").tobytes()
        async with self.socket(node, kitchen) as socket:
            about = {"audio_b64": base64.b64encode(samples).decode(), "persona_id": None, "session_id": "s"}
            await socket.send(json.dumps({"type": "audio_stream", "payload": about}))

            async def heard() -> bool:
                return len(await stored(node)) == 1

            await until(heard)
            clip = (await stored(node))[0]["payload"]["audio"]
            await node.hub.store.write(
                lambda sql: downlink.queue(sql, kitchen.id, TENANT, "audio.play", {"audio": clip}, by="a person")
            )
            await node.hub.wake(kitchen.id, "command")
            answer = json.loads(await socket.recv())
        assert answer["type"] == "audio_response"
        played = np.frombuffer(base64.b64decode(answer["payload"]["audio_b64"]), "<f4")
        assert np.abs(played - np.frombuffer(samples, "<f4")).max() < 1e-3

    async def test_what_it_cannot_do_is_told_to_who_asked(self, node: HubServer) -> None:
        kitchen = await node.device()
        await node.hub.store.write(lambda sql: downlink.queue(sql, kitchen.id, TENANT, "speak", {}, by="a person"))
        async with self.socket(node, kitchen):

            async def told() -> bool:
                rows = await node.hub.store.read(lambda sql: downlink.listed(sql, TENANT, kitchen.id))
                return [row["status"] for row in rows] == ["unsupported"]

            await until(told)

    async def test_the_id_must_be_the_token_s(self, node: HubServer) -> None:
        kitchen, hall = await node.device("kitchen"), await node.device("hall")
        with pytest.raises(InvalidStatus, match="401"):
            await connect(
                f"ws://127.0.0.1:{node.port}/ws",
                additional_headers=node.headers(kitchen, **{"X-Device-ID": hall.id}),
                proxy=None,
            )

    @staticmethod
    def socket(node: HubServer, device: devices.Device) -> connect:
        return connect(
            f"ws://127.0.0.1:{node.port}/ws",
            additional_headers=node.headers(device, **{"X-Device-ID": device.id}),
            proxy=None,
        )


async def test_what_a_device_does_is_stored_before_it_is_shown(node: HubServer) -> None:
    kitchen = await node.device()
    shown: list[str] = []

    def look(message: dict[str, Any]) -> None:
        if message["kind"] == "heartbeat":
            shown.append(message["heartbeat"]["state"])

    async def stored_state() -> str:
        return (await node.hub.store.read(lambda sql: devices.get(sql, TENANT, kitchen.id))).state

    with node.hub.bus.subscribe(f"tenant.{TENANT}", look):
        async with node.client(kitchen) as client:
            for state in ("idle", "idle", "listening"):
                await client.say("heartbeat", {"state": state})
                await until(lambda state=state: shown and shown[-1] == state)  # type: ignore[misc]
                assert await stored_state() == state
    assert shown == ["idle", "listening"]


async def test_the_time_is_told_at_once_and_never_stored(node: HubServer) -> None:
    kitchen = await node.device()
    before = now_ms()
    async with node.client(kitchen) as client:
        await client.say("clock.ping", {"t0": 12.345})
        told = (await client.next("clock.pong")).p
        assert told["t0"] == 12.345 and before <= told["t1"] <= told["t2"] <= now_ms() + 1
    for nonsense in ({}, {"t0": "now"}, {"t0": -1}):
        async with node.client(kitchen) as client:
            await client.say("clock.ping", nonsense)
            assert await client.closed() == CloseCode.NOT_UNDERSTOOD
    assert await stored(node) == []


async def test_the_time_is_told_by_http_too(node: HubServer) -> None:
    kitchen = await node.device()
    hello = encode(new_frame("hello", {"device": kitchen.id, "boot": "b", "epoch": "e"}))
    async with httpx.AsyncClient(headers=node.headers(kitchen), trust_env=False) as client:
        url = f"http://127.0.0.1:{node.port}{device_exchange.PATH}"
        answer = (await client.post(url, json={"frames": [hello], "wait_s": 5})).json()
        ping = encode(new_frame("clock.ping", {"t0": 1.5}))
        answer = (await client.post(url, json={"conn": answer["conn"], "frames": [ping], "wait_s": 5})).json()
    (pong,) = [frame for frame in map(decode, answer["frames"]) if frame.type == "clock.pong"]
    assert pong.p["t0"] == 1.5
