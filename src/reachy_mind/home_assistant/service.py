"""`home_assistant`: what the settings ask for: Wyoming services, MQTT discovery, both or nothing."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from reachy_mind.errors import MissingExtra
from reachy_mind.mind import Mind


@contextlib.asynccontextmanager
async def home_assistant(mind: Mind) -> AsyncIterator[list[str]]:
    """While it is open Home Assistant can use the robot; gives what is served, in words.

    Raises MissingExtra, PortTaken, ConfigError.
    """
    settings = mind.configuration.settings.home_assistant
    async with contextlib.AsyncExitStack() as stack:
        served = []
        if settings.wyoming_port:
            try:
                from reachy_mind.home_assistant.wyoming_server import WyomingServer  # noqa: PLC0415 -- of an extra
            except ImportError:
                raise MissingExtra("a Wyoming service", "home-assistant") from None
            host, port = settings.wyoming_host, settings.wyoming_port
            await stack.enter_async_context(WyomingServer(mind, host, port, settings.wyoming_peers, settings.name))
            kind = "satellite and services" if settings.satellite != "off" else "services"
            served.append(f"Wyoming {kind} at tcp://{host}:{port}")
        if settings.mqtt_host:
            from reachy_mind.home_assistant.mqtt_device import MqttDevice  # noqa: PLC0415 -- only where it is wanted

            await stack.enter_async_context(MqttDevice(mind, settings))
            served.append(f"MQTT discovery at {settings.mqtt_host}:{settings.mqtt_port}")
        yield served
