"""The robot as a device of Home Assistant over MQTT: found, shown, commanded, gone and back."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiomqtt
import pytest

from reachy_mind.access.loopback import listen
from reachy_mind.config.home_assistant_settings import HomeAssistantSettings
from reachy_mind.events import ToolCalled
from reachy_mind.home_assistant.mqtt_device import MqttDevice
from reachy_mind.mind import Mind
from tests.fakes.mqtt_broker import MqttBroker
from tests.waiting import until

pytestmark = pytest.mark.process

KEY = "key-for-tests"
MOSQUITTO = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")


@contextlib.asynccontextmanager
async def mosquitto(folder: Path) -> AsyncIterator[int]:
    with listen(0) as free:
        port: int = free.getsockname()[1]
    (folder / "mosquitto.conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
    assert MOSQUITTO is not None
    command = [MOSQUITTO, "-c", str(folder / "mosquitto.conf")]
    running = await asyncio.create_subprocess_exec(*command, stderr=subprocess.DEVNULL)
    try:
        async with asyncio.timeout(10):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                except OSError:
                    await asyncio.sleep(0.05)
                    continue
                writer.close()
                break
        yield port
    finally:
        running.terminate()
        await running.wait()


@contextlib.asynccontextmanager
async def broker(kind: str, folder: Path) -> AsyncIterator[int]:
    if kind == "mosquitto":
        if MOSQUITTO is None:
            pytest.skip("Mosquitto is not installed: apt-get install mosquitto")
        async with mosquitto(folder) as port:
            yield port
    else:
        async with MqttBroker() as fake:
            yield fake.port


class Home:
    """What Home Assistant sees: the latest message of each topic."""

    def __init__(self, client: aiomqtt.Client) -> None:
        self.client = client
        self.seen: dict[str, str] = {}

    async def watch(self) -> None:
        async for message in self.client.messages:
            payload = message.payload
            self.seen[message.topic.value] = payload.decode() if isinstance(payload, bytes) else ""

    async def shows(self, topic: str, value: str) -> None:
        await until(lambda: self.seen.get(topic) == value)


@contextlib.asynccontextmanager
async def home(port: int) -> AsyncIterator[Home]:
    async with aiomqtt.Client("127.0.0.1", port) as client:
        await client.subscribe("#")
        one = Home(client)
        watching = asyncio.create_task(one.watch())
        try:
            yield one
        finally:
            watching.cancel()
            await asyncio.wait([watching])


def settings(port: int, **more: Any) -> HomeAssistantSettings:
    return HomeAssistantSettings(mqtt_host="127.0.0.1", mqtt_port=port, **more)


@pytest.fixture
async def mind() -> AsyncIterator[Mind]:
    async with Mind(robot="none").session() as awake:
        yield awake


@pytest.mark.parametrize("kind", ["fake", "mosquitto"])
async def test_home_assistant_finds_shows_and_commands_the_robot(mind: Mind, tmp_path: Path, kind: str) -> None:
    async with broker(kind, tmp_path) as port, home(port) as ha:
        async with MqttDevice(mind, settings(port)) as device:
            base = device.base
            await ha.shows(f"{base}/online", "online")
            about = json.loads(ha.seen[f"homeassistant/device/{device.identifier}/config"])
            parts = about["components"]
            assert parts["profile"]["options"] == list(mind.personality.names())
            assert {part["platform"] for part in parts.values()} == {
                *("sensor", "binary_sensor", "button", "switch", "notify", "select")
            }
            await ha.shows(f"{base}/state", "ready")
            await ha.shows(f"{base}/profile", "default")
            await ha.client.publish(parts["profile"]["command_topic"], "poet", qos=1)
            await ha.shows(parts["profile"]["state_topic"], "poet")
            with mind.bus.subscribe(ToolCalled) as events:
                await ha.client.publish(parts["stop"]["command_topic"], "PRESS", qos=1)
                async with asyncio.timeout(10):
                    event = await anext(aiter(events))
            assert (event.tool, event.caller, event.channel) == ("robot.stop", "program", "mqtt")
        await ha.shows(f"{base}/online", "offline")


async def test_what_is_no_command_and_what_is_retained_is_not_done(mind: Mind) -> None:
    async with MqttBroker() as fake, home(fake.port) as ha:
        base = MqttDevice(mind, settings(fake.port)).base
        await ha.client.publish(f"{base}/profile/set", "poet", qos=1, retain=True)
        async with MqttDevice(mind, settings(fake.port)) as device:
            await ha.shows(f"{base}/online", "online")
            for key, payload in (("stop", "NOW"), ("camera", "MAYBE"), ("dance", "PRESS"), ("profile", "nobody")):
                await ha.client.publish(f"{base}/{key}/set", payload, qos=1)
            await ha.client.publish(f"{base}/profile/set", "grumpy", qos=1)
            await ha.shows(f"{base}/profile", "grumpy")
            assert device.connected.is_set()


async def test_it_comes_back_after_the_broker_was_gone_and_after_home_assistant_started(mind: Mind) -> None:
    async with MqttBroker() as fake, MqttDevice(mind, settings(fake.port)) as device:
        await until(lambda: fake.retained.get(f"{device.base}/state") == b"ready")
        fake.retained.clear()
        fake.drop()
        await until(lambda: fake.retained.get(f"{device.base}/state") == b"ready")
        topic = f"homeassistant/device/{device.identifier}/config"
        fake.retained.clear()
        async with aiomqtt.Client("127.0.0.1", fake.port) as client:
            await client.publish("homeassistant/status", "online")
            await until(lambda: topic in fake.retained and f"{device.base}/state" in fake.retained)


async def test_a_broker_that_refuses_does_not_end_the_mind(mind: Mind) -> None:
    async with MqttBroker(KEY) as fake:
        async with MqttDevice(mind, settings(fake.port, mqtt_user="robot", mqtt_password=f"not {KEY}")) as device:
            await asyncio.sleep(0)
            assert not device.connected.is_set()
        async with MqttDevice(mind, settings(fake.port, mqtt_user="robot", mqtt_password=KEY)) as device:
            async with asyncio.timeout(10):
                await device.connected.wait()
