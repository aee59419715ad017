"""A device agent without hardware and a real control plane: what presses, commands and states do to either."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reachy_mind.errors import AlreadyRunning, InvalidParameter
from reachy_mind.fleet.agent.agent import DeviceAgent
from reachy_mind.fleet.control import devices, downlink, emergencies, persona_policy, personas, twins
from reachy_mind.fleet.control.device_connection import DeviceConnection
from reachy_mind.fleet.control.devices import Device
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import Row, Sql
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.protocol.frame import Frame
from tests.fleet.agent.conftest import MakeAgent, RunningAgent
from tests.fleet.hub_server import TENANT, HubServer, hub_server
from tests.waiting import until


def enrolled(node: HubServer, device: Device, **more: str) -> dict[str, str]:
    """By the environment names of the source."""
    token = node.tokens[device.id]
    return {
        "device_id": device.id,
        "device_auth_token": token,
        "control_plane_url": f"ws://127.0.0.1:{node.port}/ws",
    } | more


async def events(store: SqliteStore, type_: str) -> list[dict[str, Any]]:
    rows = await store.read(lambda sql: sql.rows("SELECT body FROM uplink WHERE type = ? ORDER BY seq", type_))
    return [json.loads(row["body"]) for row in rows]


async def connected(running: RunningAgent) -> None:
    async def is_connected() -> bool:
        return bool(await running.status("fleet") == "connected")

    await until(is_connected)


async def test_it_is_connected_by_the_environment_names_of_the_source(make_agent: MakeAgent, tmp_path: Path) -> None:
    async with SqliteStore(tmp_path / "fleet.db") as store, hub_server(store) as node:
        device = await node.device()
        async with make_agent(**enrolled(node, device, cache_dir=str(tmp_path / "cache"))) as running:
            await connected(running)
            assert (tmp_path / "cache" / "device.db").exists()
            assert await running.status("light") == "idle"

            async def heartbeat() -> dict[str, Any] | None:
                return (await store.read(lambda sql: devices.get(sql, TENANT, device.id))).heartbeat

            async def told() -> bool:
                await node.hub.flush_presence()
                found = await heartbeat()
                return found is not None and found["state"] == "idle" and found["uptime_s"] >= 0

            await until(told)


async def test_presses_arrive_with_the_personality_that_they_ask_for(make_agent: MakeAgent, tmp_path: Path) -> None:
    async with SqliteStore(tmp_path / "fleet.db") as store, hub_server(store) as node:
        device = await node.device()
        async with make_agent(**enrolled(node, device)) as running:
            await connected(running)
            await running.press("blue")
            await running.press("blue", "long")

            async def both() -> bool:
                return len(await events(store, "button.pressed")) == 2

            await until(both)
            assert await events(store, "button.pressed") == [
                {"button": "blue", "press": "single", "request_persona": "entertainer"},
                {"button": "blue", "press": "long"},
            ]
            assert (await running.status("sound"))["volume"] == 60


async def test_an_emergency_is_told_here_and_there_until_somebody_acknowledges_it(
    make_agent: MakeAgent, tmp_path: Path
) -> None:
    async with SqliteStore(tmp_path / "fleet.db") as store, hub_server(store) as node:
        device = await node.device()
        async with make_agent(**enrolled(node, device)) as running:
            await connected(running)
            await running.press("red")
            assert await running.status("state") == "emergency"
            assert (await running.ask("light"))["history"][-1]["effect"] == "flash"

            async def opened() -> list[Row]:
                return await store.read(lambda sql: sql.rows("SELECT * FROM emergency"))

            await until(opened)
            (emergency,) = await opened()

            async def says_that_help_knows() -> bool:
                return "Help has been told" in await running.status("said")

            await until(says_that_help_knows)
            await store.write(lambda sql: emergencies.acknowledge(sql, TENANT, emergency["id"], by="Ana"))
            await node.hub.wake(device.id, "command")

            async def over() -> bool:
                return "Ana" in str(await running.status("said")) and await running.status("state") == "idle"

            await until(over)
            assert await running.status("light") == "idle"
            assert not (running.folder / "alarm.json").exists()


async def test_offline_an_emergency_is_kept_and_said_to_be_kept_and_survives_a_restart(
    make_agent: MakeAgent, tmp_path: Path
) -> None:
    async with make_agent() as running:
        await running.press("red")

        async def kept() -> bool:
            return await running.status("emergencies") == 1 and (running.folder / "alarm.json").exists()

        await until(kept)
        alarm = await running.status("alarm")

        async def says_that_it_is_not_delivered() -> bool:
            return "can't reach anybody yet" in str(await running.status("said"))

        await until(says_that_it_is_not_delivered)
    async with make_agent() as running:
        assert await running.status("state") == "emergency"
        assert await running.status("alarm") == alarm
        await running.press("green", "long")  # "I am fine"

        async def cancelled() -> bool:
            return await running.status("emergencies") == 2

        await until(cancelled)
        assert await running.status("state") == "idle"


async def test_a_state_that_is_wanted_is_applied_and_reported(make_agent: MakeAgent, tmp_path: Path) -> None:
    async with SqliteStore(tmp_path / "fleet.db") as store, hub_server(store) as node:
        device = await node.device()
        async with make_agent(**enrolled(node, device, reachy_mind_device__max_volume="80")) as running:
            await connected(running)

            async def want(**changes: Any) -> None:
                await store.write(lambda sql: twins.change(sql, device.id, changes, by="test"))
                await node.hub.wake(device.id, "twin")

            async def reported() -> Any:
                return (await store.read(lambda sql: twins.get(sql, device.id))).reported

            await want(volume=30, config={"transition_message": "", "microphone": False})

            async def done() -> bool:
                found = await reported()
                return found is not None and found.version == 1

            await until(done)
            assert (await reported()).errors == {}
            assert (await running.status("sound"))["volume"] == 30
            assert await running.status("light") == "muted"
            await want(volume=100, config={"microphone": True, "colour": "blue"})

            async def again() -> bool:
                return bool((await reported()).version == 2)

            await until(again)
            errors = (await reported()).errors
            assert "at most" in errors["volume"] and "colour" in errors["config"]
            assert (await running.status("sound"))["volume"] == 80


async def test_commands_are_carried_out_and_answered(make_agent: MakeAgent, tmp_path: Path) -> None:
    async with SqliteStore(tmp_path / "fleet.db") as store, hub_server(store) as node:
        device = await node.device()
        async with make_agent(**enrolled(node, device)) as running:
            await connected(running)

            def ask(sql: Sql) -> None:
                downlink.queue(sql, device.id, TENANT, "speak", {"text": "hello"}, by="test")
                downlink.queue(sql, device.id, TENANT, "update", {"version": "2.0"}, by="test")
                downlink.queue(sql, device.id, TENANT, "audio.play", {"url": "http://192.0.2.1/x.wav"}, by="test")
                downlink.queue(sql, device.id, TENANT, "move.play", {"name": "x"}, by="test")

            await store.write(ask)
            await node.hub.wake(device.id, "command")

            async def answered() -> bool:
                return len(await events(store, "command.done")) == 4

            await until(answered)
            outcomes = [(each["status"], each.get("error", "")) for each in await events(store, "command.done")]
            assert outcomes[0][0] == "failed" and "no voice" in outcomes[0][1]
            assert outcomes[1] == ("failed", "this device has no way to be updated")
            assert outcomes[2][0] == "failed" and "https" in outcomes[2][1]
            assert outcomes[3][0] == "unsupported", "it is no robot"


async def test_a_second_agent_on_the_same_folder_is_refused(make_agent: MakeAgent) -> None:
    async with make_agent() as running:
        other = DeviceAgent(running.configuration)
        with pytest.raises(AlreadyRunning, match="already runs here"):
            await other.run()
        assert await running.status("state") == "idle", "the first one goes on"


async def test_a_store_that_another_process_has_is_an_error(make_agent: MakeAgent, tmp_path: Path) -> None:
    async with DeviceStore(tmp_path / "home" / "fleet" / "device" / "device.db"):
        with pytest.raises(AlreadyRunning, match="another process"):
            async with make_agent():
                await asyncio.sleep(30)


async def test_what_can_t_be_asked_is_answered_with_why(make_agent: MakeAgent) -> None:
    async with make_agent() as running:
        for request in (
            {"do": "explode"},
            {"do": "press", "button": "yellow"},
            {"do": "press", "button": "red", "press": "hard"},
        ):
            with pytest.raises(Exception, match=r"can't|no button|no press") as refused:
                await running.ask(**request)  # type: ignore[arg-type]
            assert refused.value.code == InvalidParameter.code  # type: ignore[attr-defined]
        assert (running.folder / "agent.sock").stat().st_mode & 0o777 == 0o600


async def test_the_personality_is_announced_when_it_changes_and_not_at_a_restart(
    make_agent: MakeAgent, tmp_path: Path
) -> None:
    async with SqliteStore(tmp_path / "fleet.db") as store, hub_server(store) as node:
        device = await node.device()
        bundle = personas.PersonaBundle(
            "companion", {"instructions.txt": "Be kind.", "greeting.txt": "Hello there!\nMore."}
        )

        def change(sql: Sql) -> None:
            personas.put(sql, TENANT, bundle, by="test")
            wanted = {"persona": {"id": bundle.id, "etag": bundle.etag}}
            twins.change(sql, device.id, wanted, by="test")

        async with make_agent(**enrolled(node, device)) as running:
            await connected(running)
            (running.folder / "personas").mkdir(exist_ok=True)
            (running.folder / "personas" / f"{bundle.etag}.json").write_text(bundle.body)
            await store.write(change)
            await node.hub.wake(device.id, "twin")

            async def changed() -> bool:
                return await running.status("persona") == "companion"

            await until(changed)
            assert await running.status("said") == "Hello there!"
        async with make_agent(**enrolled(node, device)) as running:
            await connected(running)

            async def known() -> bool:
                return await running.status("persona") == "companion"

            await until(known)
            assert await running.status("said") == ""
            await store.write(lambda sql: twins.change_persona(sql, device.id, None, by="test"))
            await node.hub.wake(device.id, "twin")

            async def without() -> bool:
                return await running.status("persona") is None

            await until(without)


class OpenedSessions:
    """In the place of the control plane's voice: whom devices want to talk with. It answers nothing."""

    def __init__(self) -> None:
        self.personas: list[str | None] = []

    async def receive(self, connection: DeviceConnection, frame: Frame) -> None:  # noqa: ARG002
        if frame.type == "voice.open":
            self.personas.append((frame.p.get("persona") or {}).get("id"))

    async def leave(self, connection: DeviceConnection) -> None:
        pass


async def test_a_button_that_may_change_nothing_talks_with_the_personality_that_the_device_has(
    make_agent: MakeAgent, tmp_path: Path
) -> None:
    async with SqliteStore(tmp_path / "fleet.db") as store, hub_server(store) as node:
        device, opened = await node.device(), OpenedSessions()
        node.hub.voice = opened  # type: ignore[assignment]
        bundle = personas.PersonaBundle("little_friend", {"instructions.txt": "Be small."})

        def choose(sql: Sql) -> None:
            personas.put(sql, TENANT, bundle, by="test")
            persona_policy.set_policy(sql, TENANT, "tenant", "", ["emergency"], by="test")
            twins.change_persona(sql, device.id, {"id": bundle.id, "etag": bundle.etag}, by="test")

        await store.write(choose)
        async with make_agent(**enrolled(node, device)) as running:
            (running.folder / "personas").mkdir(parents=True, exist_ok=True)
            (running.folder / "personas" / f"{bundle.etag}.json").write_text(bundle.body)
            await connected(running)

            async def has_it() -> bool:
                return await running.status("persona") == "little_friend"

            await until(has_it)
            await running.press("green")
            await until(lambda: opened.personas)
            assert opened.personas == ["little_friend"]
            await running.press("green")  # it ends the talk

            async def is_over() -> bool:
                return await running.status("state") == "idle"

            await until(is_over)


async def test_pressing_makes_a_sound_at_once(make_agent: MakeAgent) -> None:
    async with make_agent() as running:
        await running.press("red")
        history = (await running.ask("light"))["history"]
        pressed = next(each["at"] for each in history if each["name"] == "emergency")
        await until(lambda: running.heard().first_loud(pressed - 0.001) is not None)
        alarm = running.heard().between(pressed, pressed + 1.0)
        assert int(np.abs(alarm.astype(np.int32)).max()) > 10000
