"""Devices of the older protocol: each of its messages, in both directions, as a program of theirs says and takes it."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import wave
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from reachy_mind.fleet.control import audio_clips, downlink, emergencies, twins, uplink
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.close_codes import CloseCode
from reachy_mind.fleet.protocol.limits import ConnectionLimits
from reachy_mind.fleet.protocol.source_messages import MAX_SOURCE_BYTES
from tests.fleet.hub_server import TENANT, HubServer, hub_server
from tests.waiting import until

ETAG = "a" * 64
TONE = np.sin(np.arange(1600) / 8).astype("<f4").tobytes()


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with SqliteStore(tmp_path / "fleet.db") as opened:
        yield opened


@pytest.fixture
async def node(store: SqliteStore) -> AsyncIterator[HubServer]:
    async with hub_server(store) as served:
        yield served


class OlderDevice:
    """It knows JSON messages with a type and a payload, and nothing of numbers or acknowledgements."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def say(self, type_: str, payload: Any) -> None:
        await self.socket.send(json.dumps({"type": type_, "payload": payload}))

    async def hear(self) -> tuple[str, dict[str, Any]]:
        message = json.loads(await self.socket.recv())
        assert set(message) == {"type", "payload"}
        return message["type"], message["payload"]

    async def closed(self) -> int | None:
        await self.socket.wait_closed()
        return self.socket.close_code


@contextlib.asynccontextmanager
async def older(node: HubServer, device: Device, **headers: str) -> AsyncIterator[OlderDevice]:
    named = {"X-Device-ID": device.id} | headers
    url = f"ws://127.0.0.1:{node.port}/ws"
    async with connect(url, additional_headers=node.headers(device, **named), proxy=None, max_size=8 << 20) as socket:
        yield OlderDevice(socket)


async def events(node: HubServer) -> list[tuple[str, int, dict[str, Any]]]:
    rows = await node.hub.store.read(lambda sql: uplink.listed(sql, TENANT, limit=1000))
    return [(row["type"], row["prio"], row["payload"]) for row in reversed(rows) if row["type"] != "command.done"]


async def arrived(node: HubServer, count: int) -> list[tuple[str, int, dict[str, Any]]]:
    async def all_there() -> bool:
        return len(await events(node)) >= count

    await until(all_there)
    return await events(node)


async def order(node: HubServer, device: Device, type_: str, payload: dict[str, Any], **fields: Any) -> str:
    frame = await node.hub.store.write(
        lambda sql: downlink.queue(sql, device.id, TENANT, type_, payload, by="a person", **fields)
    )
    await node.hub.wake(device.id, "command")
    return frame.id


async def want(node: HubServer, device: Device, **changes: Any) -> None:
    await node.hub.store.write(lambda sql: twins.change(sql, device.id, changes, by="a person"))
    await node.hub.wake(device.id, "twin")


async def reported(node: HubServer, device: Device, version: int) -> Any:
    async def it_is() -> bool:
        twin = await node.hub.store.read(lambda sql: twins.get(sql, device.id))
        return twin.reported is not None and twin.reported.version >= version

    await until(it_is)
    return (await node.hub.store.read(lambda sql: twins.get(sql, device.id))).reported


async def statuses(node: HubServer, device: Device) -> dict[str, tuple[str | None, str | None]]:
    rows = await node.hub.store.read(lambda sql: downlink.listed(sql, TENANT, device.id, limit=1000))
    return {row["id"]: (row["status"], row["error"]) for row in rows}


async def done(node: HubServer, device: Device, command: str) -> tuple[str | None, str | None]:
    async def it_is() -> bool:
        return (await statuses(node, device))[command][0] is not None

    await until(it_is)
    return (await statuses(node, device))[command]


class TestFromTheDevice:
    async def test_buttons_are_events_and_the_emergency_button_is_an_emergency(self, node: HubServer) -> None:
        kitchen = await node.device()
        async with older(node, kitchen) as device:
            await device.say("button_press", {"button": "companion", "request_persona": "companion"})
            await device.say("button_press", {"button": "activity", "request_persona": "entertainer"})
            await device.say("button_press", {"button": "emergency", "request_persona": "emergency"})
            found = await arrived(node, 3)
        assert found == [
            ("button.pressed", 1, {"button": "companion", "request_persona": "companion"}),
            ("button.pressed", 1, {"button": "activity", "request_persona": "entertainer"}),
            ("emergency.pressed", 0, {"button": "emergency", "request_persona": "emergency"}),
        ]
        rows = await node.hub.store.read(lambda sql: emergencies.listed(sql, TENANT))
        assert [(row["device"], row["state"]) for row in rows] == [(kitchen.id, "open")]

    async def test_what_was_said_becomes_a_clip(self, node: HubServer) -> None:
        kitchen = await node.device()
        async with older(node, kitchen) as device:
            about = {"persona_id": "companion", "session_id": "s1"}
            await device.say("audio_stream", {"audio_b64": base64.b64encode(TONE).decode(), **about})
            ((type_, _, payload),) = await arrived(node, 1)
        assert (type_, payload["persona"], payload["session"]) == ("utterance.recorded", "companion", "s1")
        content = await node.hub.store.read(lambda sql: audio_clips.get(sql, TENANT, payload["audio"]))
        with wave.open(io.BytesIO(content)) as clip:
            assert (clip.getframerate(), clip.getnchannels(), clip.getnframes()) == (16000, 1, 1600)

    async def test_half_a_minute_of_sound_fits(self, node: HubServer) -> None:
        kitchen = await node.device()
        async with older(node, kitchen) as device:
            samples = base64.b64encode(TONE * 300).decode()
            await device.say("audio_stream", {"audio_b64": samples, "persona_id": None, "session_id": None})
            await arrived(node, 1)

    async def test_a_request_for_a_personality_is_answered_with_its_texts(self, node: HubServer) -> None:
        kitchen = await node.device()
        await put_persona(node, "companion", "Be kind.")
        async with older(node, kitchen) as device:
            await device.say("persona_request", {"persona_id": "companion"})
            type_, payload = await device.hear()
            assert (type_, payload["persona"]["files"]) == ("persona_response", {"instructions.txt": "Be kind."})
            await device.say("persona_request", {"persona_id": "nobody"})
            assert await device.hear() == ("persona_response", {"persona_id": "nobody", "persona": None})

    async def test_a_heartbeat_says_how_it_is_as_far_as_it_makes_sense(self, node: HubServer) -> None:
        kitchen = await node.device()
        async with older(node, kitchen) as device:
            for strange in (
                {"state": "x" * 5000},
                {"state": "two\nlines", "temperature_c": "hot"},
                {"temperature_c": 10**400},
                {"battery_percent": [1], "uptime": {"h": 1}},
            ):
                await device.say("heartbeat", strange)
            await device.say("heartbeat", {"state": "idle", "temperature_c": 51.5, "cpu": 0.3})
            await until(lambda: node.hub.connected(kitchen.id))
            connection = node.hub._connections[kitchen.id]
            await until(lambda: connection.heartbeat is not None and connection.heartbeat.state == "idle")
            assert connection.heartbeat is not None and connection.heartbeat.temperature_c == 51.5
            await device.socket.send('{"type":"heartbeat"}')
            await device.say("button_press", {"button": "companion"})
            await arrived(node, 1)

    @pytest.mark.parametrize(
        "message",
        [
            "",
            "nonsense",
            "[]",
            "{}",
            '{"type":"button_press"}',
            '{"type":"button_press","payload":{}}',
            '{"type":"button_press","payload":{"button":7}}',
            '{"type":"button_press","payload":{"button":"a\\nb"}}',
            '{"type":"button_press","payload":{"button":"\\ud800"}}',
            '{"type":"reboot_everything","payload":{}}',
            '{"type":"persona_request","payload":{"persona_id":"../../etc/passwd"}}',
            '{"type":"audio_stream","payload":{"audio_b64":"!!!"}}',
            '{"type":"audio_stream","payload":{"audio_b64":"YWJj"}}',
            '{"type":"audio_stream","payload":{"audio_b64":"' + "A" * (3 << 20) + '"}}',
            '{"type":"heartbeat","payload":' + '{"a":' * 5000 + "1" + "}" * 5001,
            '{"type":"button_press","payload":{"button":"' + "x" * 201 + '"}}',
        ],
    )
    async def test_what_it_does_not_understand_closes_the_connection_and_nothing_else(
        self, node: HubServer, message: str
    ) -> None:
        kitchen = await node.device()
        async with older(node, kitchen) as device, older(node, await node.device("hall")) as other:
            await device.socket.send(message)
            assert await device.closed() in (CloseCode.NOT_UNDERSTOOD, CloseCode.TOO_LARGE)
            await other.say("button_press", {"button": "companion"})
            assert len(await arrived(node, 1)) == 1
        await until(lambda: not node.hub.connected(kitchen.id))

    async def test_a_message_that_is_too_large_closes_the_connection(self, node: HubServer) -> None:
        async with older(node, await node.device()) as device:
            with contextlib.suppress(Exception):  # the hub may close while this is being sent
                await device.say("audio_stream", {"audio_b64": "A" * (MAX_SOURCE_BYTES + 1)})
            assert await device.closed() == CloseCode.TOO_LARGE
        assert await events(node) == []

    async def test_binary_messages_say_nothing(self, node: HubServer) -> None:
        async with older(node, await node.device()) as device:
            await device.socket.send(b"\x00" * 1000)
            await device.say("button_press", {"button": "companion"})
            await arrived(node, 1)

    async def test_a_flood_is_refused_but_never_an_emergency(self, store: SqliteStore) -> None:
        async with hub_server(store, limits=ConnectionLimits(rate_per_s=1, burst=4)) as node:
            async with older(node, await node.device("calls")) as device:
                for _ in range(20):
                    await device.say("button_press", {"button": "emergency"})
                assert len(await arrived(node, 20)) == 20
            async with older(node, await node.device("noisy")) as device:
                for _ in range(20):
                    await device.say("button_press", {"button": "companion"})
                assert await device.closed() == CloseCode.TOO_MANY


class TestToTheDevice:
    async def test_it_is_asked_to_switch_its_personality_and_says_that_it_did(self, node: HubServer) -> None:
        kitchen = await node.device()
        await put_persona(node, "companion", "Be kind.")
        about: dict[str, Any] = {"persona": {"id": "companion", "etag": ETAG}}
        async with older(node, kitchen) as device:
            await want(node, kitchen, **about, config={"transition_message": "Hello!"})
            switch = {"persona_id": "companion", "transition_message": "Hello!"}
            assert await device.hear() == ("persona_switch", switch)
            await device.say("ack", {"switch_complete": False, "persona_id": "companion"})
            failed = await reported(node, kitchen, 1)
            assert failed.persona is None and "persona" in failed.errors
            await device.say("ack", {"switch_complete": True, "persona_id": "companion"})

            async def in_sync() -> bool:
                return (await node.hub.store.read(lambda sql: twins.get(sql, kitchen.id))).in_sync

            await until(in_sync)
        async with older(node, kitchen) as device:
            assert (await device.hear())[0] == "persona_switch", "it keeps nothing, so it is told again"

    async def test_what_it_cannot_be_is_reported_as_unsupported(self, node: HubServer) -> None:
        kitchen = await node.device()
        await want(node, kitchen, volume=30, config={"light": "dim"})
        async with older(node, kitchen):
            found = await reported(node, kitchen, 1)
        assert set(found.errors) == {"volume", "config"}

    async def test_sound_by_address_and_as_a_clip(self, node: HubServer) -> None:
        kitchen = await node.device()
        clip = await node.hub.store.write(
            lambda sql: audio_clips.keep(sql, TENANT, audio_clips.from_float32(TONE), made_by="anna")
        )
        async with older(node, kitchen) as device:
            by_url = await order(node, kitchen, "audio.play", {"url": "https://sound.example/a.wav"})
            assert await device.hear() == ("audio_response", {"audio_url": "https://sound.example/a.wav"})
            by_clip = await order(node, kitchen, "audio.play", {"audio": clip})
            _, payload = await device.hear()
            played = np.frombuffer(base64.b64decode(payload["audio_b64"]), "<f4")
            assert np.abs(played - np.frombuffer(TONE, "<f4")).max() < 1e-3
            missing = await order(node, kitchen, "audio.play", {"audio": "nothing"})
            assert (await done(node, kitchen, by_url))[0] == (await done(node, kitchen, by_clip))[0] == "done"
            status, error = await done(node, kitchen, missing)
            assert status == "unsupported" and "no such clip" in str(error)

    async def test_a_clip_of_another_rate_is_played_at_its_own_speed(self, node: HubServer) -> None:
        """Such a device plays 16,000 samples a second."""
        kitchen, seconds = await node.device(), 0.5
        tone = np.sin(np.arange(int(48000 * seconds)) * 2 * np.pi * 440 / 48000).astype("<f4").tobytes()
        clip = await node.hub.store.write(
            lambda sql: audio_clips.keep(sql, TENANT, audio_clips.from_float32(tone, 48000), made_by="anna")
        )
        async with older(node, kitchen) as device:
            await order(node, kitchen, "audio.play", {"audio": clip})
            _, payload = await device.hear()
        played = np.frombuffer(base64.b64decode(payload["audio_b64"]), "<f4")
        assert len(played) == 16000 * seconds
        assert np.argmax(np.abs(np.fft.rfft(played))) * 16000 / len(played) == pytest.approx(440, abs=4)

    async def test_activities_in_sync(self, node: HubServer) -> None:
        kitchen = await node.device()
        async with older(node, kitchen) as device:
            await order(node, kitchen, "activity.start", {"activity": "bingo"})
            assert await device.hear() == ("sync_event", {"event_type": "start_group_activity", "activity": "bingo"})
            await order(node, kitchen, "playback.sync", {"at": 5, "event_type": "reboot"})
            assert await device.hear() == ("sync_event", {"event_type": "sync_playback", "at": 5})

    async def test_what_it_cannot_do_is_answered_in_its_place(self, node: HubServer) -> None:
        kitchen = await node.device()
        ids = [await order(node, kitchen, type_, {}) for type_ in ("speak", "restart", "dance.tango")]
        ids.append(await order(node, kitchen, "emergency.acknowledged", {}, prio=0))
        async with older(node, kitchen):
            assert [(await done(node, kitchen, each))[0] for each in ids] == ["unsupported"] * 4

    async def test_many_commands_that_waited_are_delivered_once_each(self, store: SqliteStore) -> None:
        """The hub answers them in its place: those answers are no flood of the device."""
        async with hub_server(store, limits=ConnectionLimits()) as node:
            kitchen = await node.device()
            ids = [await order(node, kitchen, "audio.play", {"url": f"https://a.example/{n}"}) for n in range(150)]
            async with older(node, kitchen) as device:
                heard = [(await device.hear())[1]["audio_url"] for _ in ids]
                assert heard == [f"https://a.example/{n}" for n in range(150)]
                assert (await done(node, kitchen, ids[-1]))[0] == "done"
            assert {status for status, _ in (await statuses(node, kitchen)).values()} == {"done"}

    async def test_a_clip_that_cannot_be_played_does_not_hold_back_the_next_command(self, node: HubServer) -> None:
        kitchen = await node.device()

        def broken(sql: Sql) -> None:
            sql.run(
                "INSERT INTO audio_clip (id, tenant, made_by, content, created_at, expires_at)"
                " VALUES (?, ?, 'anna', ?, 0, ?)",
                *("broken", TENANT, b"RIFF....WAVE", 1 << 50),
            )

        await node.hub.store.write(broken)
        async with older(node, kitchen) as device:
            failed = await order(node, kitchen, "audio.play", {"audio": "broken"})
            await order(node, kitchen, "audio.play", {"url": "https://a.example/next"})
            assert await device.hear() == ("audio_response", {"audio_url": "https://a.example/next"})
            assert (await done(node, kitchen, failed))[0] == "unsupported"


class TestWhoMayConnect:
    @pytest.mark.parametrize(
        "headers",
        [
            {"Authorization": ""},
            {"Authorization": "Bearer x"},
            {"Authorization": "Basic eDp5"},
            {"Authorization": "Bearer dev_000000000000_" + "A" * 43},
            {"X-Device-ID": "hall"},
            {"X-Device-ID": "../kitchen"},
        ],
    )
    async def test_a_wrong_token_or_id_is_refused(self, node: HubServer, headers: dict[str, str]) -> None:
        kitchen = await node.device()
        await node.device("hall")
        with pytest.raises(InvalidStatus, match="401"):
            async with older(node, kitchen, **headers):
                pass

    async def test_the_id_is_required_and_may_be_the_name(self, node: HubServer) -> None:
        kitchen = await node.device()
        with pytest.raises(InvalidStatus, match="401"):
            await connect(f"ws://127.0.0.1:{node.port}/ws", additional_headers=node.headers(kitchen), proxy=None)
        async with older(node, kitchen, **{"X-Device-ID": "kitchen"}):
            await until(lambda: node.hub.connected(kitchen.id))

    async def test_a_token_in_the_address_is_no_token(self, node: HubServer) -> None:
        kitchen = await node.device()
        url = f"ws://127.0.0.1:{node.port}/ws?token={node.tokens[kitchen.id]}"
        with pytest.raises(InvalidStatus, match="401"):
            await connect(url, additional_headers={"X-Device-ID": kitchen.id}, proxy=None)

    async def test_a_newer_connection_replaces_the_older_one(self, node: HubServer) -> None:
        kitchen = await node.device()
        async with older(node, kitchen) as first, older(node, kitchen) as second:
            assert await first.closed() == CloseCode.SUPERSEDED
            await second.say("button_press", {"button": "companion"})
            await arrived(node, 1)


async def put_persona(node: HubServer, name: str, text: str) -> None:
    body = json.dumps({"id": name, "files": {"instructions.txt": text}})

    def insert(sql: Sql) -> None:
        sql.run(
            "INSERT INTO persona (tenant, id, etag, body, created_at, created_by) VALUES (?, ?, ?, ?, 1, 'x')",
            *(TENANT, name, ETAG, body),
        )

    await node.hub.store.write(insert)
