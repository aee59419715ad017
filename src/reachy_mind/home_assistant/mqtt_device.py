"""`MqttDevice`: the robot at an MQTT broker, where Home Assistant finds it by discovery.

Its commands are calls through the gate, as those of any program: rules, confirmations and audit hold. A retained
command is ignored: it is from another time.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self

from reachy_mind import log
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.home_assistant_settings import HomeAssistantSettings
from reachy_mind.errors import MindError, MissingExtra
from reachy_mind.home_assistant.mqtt_entities import command, discovery, states
from reachy_mind.mind import Mind
from reachy_mind.tools.context import Caller

if TYPE_CHECKING:
    import aiomqtt

FIRST_BACKOFF_S, MAX_BACKOFF_S = 1.0, 60.0
REFRESH_S = 2.0
MOST_COMMANDS = 8
SCOPES = frozenset({"control"})
"""What the broker's clients may do: who may write to its topics, may call the robot's tools."""
ONLINE, OFFLINE = "online", "offline"
STATUS = "status"
"""Topic under the prefix where Home Assistant says that it has started."""

_log = log.get(__name__)


class MqttDevice:
    """Use as `async with`, which does not wait for the broker. Raises MissingExtra."""

    def __init__(self, mind: Mind, settings: HomeAssistantSettings) -> None:
        self._mind, self._settings = mind, settings
        self.identifier = re.sub(r"\W", "_", f"reachy_mini_{socket.gethostname()}")[:60]
        self.base = f"reachy_mind/{self.identifier}"
        self.connected = asyncio.Event()
        self._sent: dict[str, str] = {}
        self._task: asyncio.Task[None] | None = None
        self._commands: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        _library()
        self._task = asyncio.create_task(self._stay_connected(), name="mqtt")
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None
        await cancel_and_wait(self._task)
        for running in tuple(self._commands):
            await cancel_and_wait(running)

    async def _stay_connected(self) -> None:
        library = _library()
        backoff_s = FIRST_BACKOFF_S
        while True:
            try:
                async with self._connection() as client:
                    backoff_s = FIRST_BACKOFF_S
                    await self._serve(client)
            except library.MqttError as error:
                _log.warning("the MQTT broker can't be used", host=self._settings.mqtt_host, reason=str(error)[:200])
            self.connected.clear()
            await asyncio.sleep(backoff_s)
            backoff_s = min(2 * backoff_s, MAX_BACKOFF_S)

    @contextlib.asynccontextmanager
    async def _connection(self) -> AsyncIterator[aiomqtt.Client]:
        library, settings = _library(), self._settings
        password = settings.mqtt_password.get_secret_value() if settings.mqtt_password is not None else None
        client = library.Client(
            settings.mqtt_host,
            settings.mqtt_port,
            username=settings.mqtt_user or None,
            password=password,
            identifier=self.identifier,
            will=library.Will(f"{self.base}/online", OFFLINE, qos=1, retain=True),
            tls_params=library.TLSParameters() if settings.mqtt_tls else None,
        )
        async with client:
            yield client

    async def _serve(self, client: aiomqtt.Client) -> None:
        await client.subscribe(f"{self.base}/+/set", qos=1)
        await client.subscribe(f"{self._settings.mqtt_prefix}/{STATUS}")
        await self._introduce(client)
        self.connected.set()
        publishing = asyncio.create_task(self._publish_changes(client), name="mqtt states")
        try:
            async for message in client.messages:
                await self._take(client, message)
        finally:
            try:
                await cancel_and_wait(publishing)
            finally:
                with contextlib.suppress(_library().MqttError, RuntimeError):
                    await client.publish(f"{self.base}/online", OFFLINE, qos=1, retain=True)

    async def _introduce(self, client: aiomqtt.Client) -> None:
        """Tell Home Assistant what there is."""
        profiles = await asyncio.to_thread(self._mind.personality.names)
        about = discovery(self.identifier, self._settings.name, self.base, profiles)
        topic = f"{self._settings.mqtt_prefix}/device/{self.identifier}/config"
        await client.publish(topic, json.dumps(about), qos=1, retain=True)
        await client.publish(f"{self.base}/online", ONLINE, qos=1, retain=True)
        self._sent.clear()

    async def _publish_changes(self, client: aiomqtt.Client) -> None:
        """Look at the robot now and then, and tell what has changed."""
        while True:
            for key, value in states(self._mind).items():
                if self._sent.get(key) != value:
                    await client.publish(f"{self.base}/{key}", value, qos=1, retain=True)
                    self._sent[key] = value
            await asyncio.sleep(REFRESH_S)

    async def _take(self, client: aiomqtt.Client, message: aiomqtt.Message) -> None:
        topic, payload = message.topic.value, bytes(message.payload or b"") if _is_bytes(message.payload) else b""
        text = payload.decode("utf-8", "replace")
        if topic == f"{self._settings.mqtt_prefix}/{STATUS}":
            if text == ONLINE:
                await self._introduce(client)
            return
        if message.retain:
            return
        key = topic.removeprefix(f"{self.base}/").removesuffix("/set")
        if len(self._commands) >= MOST_COMMANDS and key != "stop":
            _log.warning("too many commands over MQTT", command=key[:40])
            return
        task = asyncio.create_task(self._do(key, text), name=f"mqtt {key[:40]}")
        self._commands.add(task)
        task.add_done_callback(self._commands.discard)

    async def _do(self, key: str, payload: str) -> None:
        try:
            wanted = command(key, payload)
            await self._mind.act(wanted.tool, wanted.args, Caller("program", "mqtt", scopes=SCOPES))
        except MindError as error:
            _log.warning("a command over MQTT was not done", command=key[:40], reason=error.message, hint=error.hint)
        self._sent.pop(key, None)  # a switch that did not change is shown as it is


def _is_bytes(payload: Any) -> bool:
    return isinstance(payload, bytes | bytearray)


def _library() -> Any:
    try:
        import aiomqtt  # noqa: PLC0415 -- of an extra
    except ImportError:
        raise MissingExtra("a connection to an MQTT broker", "home-assistant") from None
    return aiomqtt
