"""The robot as a device of Home Assistant: its entities, as MQTT discovery describes them, and their commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reachy_mind import __version__
from reachy_mind.errors import InvalidParameter
from reachy_mind.mind import Mind

LONGEST_TEXT = 2000


@dataclass(frozen=True)
class ToolCommand:
    """A call of a tool that Home Assistant asks for."""

    tool: str
    args: dict[str, Any]


def discovery(identifier: str, name: str, base: str, profiles: Sequence[str]) -> dict[str, Any]:
    """The content of `PREFIX/device/IDENTIFIER/config`."""

    def entity(platform: str, key: str, label: str, icon: str, **more: Any) -> dict[str, Any]:
        about = {"platform": platform, "unique_id": f"{identifier}_{key}", "name": label, "icon": f"mdi:{icon}"}
        return about | more

    def switch(key: str, label: str, icon: str) -> dict[str, Any]:
        return entity(
            "switch",
            key,
            label,
            icon,
            state_topic=f"{base}/{key}",
            command_topic=f"{base}/{key}/set",
            payload_on="ON",
            payload_off="OFF",
        )

    def button(key: str, label: str, icon: str) -> dict[str, Any]:
        return entity("button", key, label, icon, command_topic=f"{base}/{key}/set", payload_press="PRESS")

    components = {
        "state": entity("sensor", "state", "State", "robot", state_topic=f"{base}/state"),
        "doing": entity("sensor", "doing", "Doing", "head-cog", state_topic=f"{base}/doing"),
        "robot": entity(
            "binary_sensor", "robot", "Robot", "lan-connect", state_topic=f"{base}/robot", device_class="connectivity"
        ),
        "wake": button("wake", "Wake up", "weather-sunny"),
        "sleep": button("sleep", "Sleep", "sleep"),
        "stop": button("stop", "Stop", "stop"),
        "camera": switch("camera", "Camera", "camera"),
        "microphone": switch("microphone", "Microphone", "microphone"),
        "say": entity("notify", "say", "Say", "bullhorn", command_topic=f"{base}/say/set"),
        "profile": entity(
            "select", "profile", "Profile", "drama-masks", state_topic=f"{base}/profile",
            command_topic=f"{base}/profile/set", options=list(profiles),
        ),
    }  # fmt: skip
    device = {"identifiers": [identifier], "name": name, "manufacturer": "Pollen Robotics", "model": "Reachy Mini"}
    return {
        "device": device | {"sw_version": f"Reachy Mind {__version__}"},
        "origin": {"name": "Reachy Mind", "sw_version": __version__},
        "availability_topic": f"{base}/online",
        "payload_available": "online",
        "payload_not_available": "offline",
        "components": components,
    }


def states(mind: Mind) -> dict[str, str]:
    """The state of each entity that has one, by its key."""
    voice = mind.speech.described()
    return {
        "state": mind.state,
        "doing": mind.doing,
        "robot": "ON" if mind.motion is not None and mind.motion.status == "connected" else "OFF",
        "camera": "ON" if mind.sight.on else "OFF",
        "microphone": "ON" if voice["microphone"] == "open" else "OFF",
        "profile": mind.profile.name,
    }


def command(key: str, payload: str) -> ToolCommand:
    """What a message to `BASE/KEY/set` asks for. Raises InvalidParameter."""
    match key, payload:
        case "wake", "PRESS":
            return ToolCommand("robot.wake", {})
        case "sleep", "PRESS":
            return ToolCommand("robot.lie_down", {})
        case "stop", "PRESS":
            return ToolCommand("robot.stop", {})
        case (("camera" | "microphone"), ("ON" | "OFF")):
            return ToolCommand(f"perception.set_{key}", {"enabled": payload == "ON"})
        case "profile", name if name:
            return ToolCommand("mind.set_personality", {"name": name})
        case "say", text if text.strip() and len(text) <= LONGEST_TEXT:
            return ToolCommand("voice.speak", {"text": text})
    raise InvalidParameter(f"{key}: no command {payload[:40]!r}", hint="see docs/other-programs.md")
