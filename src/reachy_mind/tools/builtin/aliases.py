"""Tool aliases: names used by other programs. They work in calls, permissions and profiles, but are not listed."""

from __future__ import annotations

from typing import Any

from reachy_mind.tools.definition import Alias


def _in_seconds(given: dict[str, Any]) -> dict[str, Any]:
    """`duration_ms` as `duration`; the tool refuses what is not a number."""
    if not isinstance(given.get("duration_ms"), int | float):
        return given
    rest = {key: value for key, value in given.items() if key != "duration_ms"}
    return rest | {"duration": given["duration_ms"] / 1000}


def _of_dataset(given: dict[str, Any]) -> dict[str, Any]:
    """Dataset and move as one name: the folder of a dataset has the last part of its name on the Hub."""
    rest = {key: value for key, value in given.items() if key not in ("dataset", "move_name")}
    dataset, move = given.get("dataset"), given.get("move_name")
    if not isinstance(move, str) or not isinstance(dataset, str | None):
        return given
    return rest | {"name": f"{dataset.rstrip('/').rpartition('/')[2]}/{move}" if dataset else move}


def _unsaved(given: dict[str, Any]) -> dict[str, Any]:
    """`save` defaults to false under this alias."""
    return {"save": False} | given


EFFECTS = {
    **dict.fromkeys(("on", "steady", "static", "constant"), "solid"),
    **dict.fromkeys(("flash", "flashing", "blinking"), "blink"),
    **dict.fromkeys(("breathe", "breathing", "fade", "pulsing"), "pulse"),
    "none": "off",
}


def _as_light(given: dict[str, Any]) -> dict[str, Any]:
    """The channels of a colour as one colour, and other words for effects."""
    rest = {key: value for key, value in given.items() if key not in ("r", "g", "b", "red", "green", "blue", "on")}
    channels = [given.get(short, given.get(long)) for short, long in (("r", "red"), ("g", "green"), ("b", "blue"))]
    if any(channel is not None for channel in channels):
        rest["color"] = [channel or 0 for channel in channels]
    if "on" in given:
        rest.setdefault("effect", "solid" if given["on"] else "off")
    for name in ("effect", "mode", "pattern"):
        if isinstance(rest.get(name), str):
            rest[name] = EFFECTS.get(rest[name].casefold(), rest[name])
    return rest


LIGHT_PARAMETERS: dict[str, str | None] = {
    "colour": "color",
    "rgb": "color",
    "intensity": "brightness",
    "mode": "effect",
    "pattern": "effect",
}

ALIASES: tuple[Alias, ...] = (
    Alias("play_emotion", "express_emotion"),
    Alias("camera", "analyze_scene", {"question": "prompt"}),
    Alias("capture_image", "take_photo", {"analyze": "describe"}, _unsaved),
    Alias("set_antenna_state", "set_antennas", {"left_angle": "left", "right_angle": "right"}, _in_seconds),
    Alias("play_recorded_move", "play_move", convert=_of_dataset),
    Alias("get_status", "get_robot_state"),
    Alias("cancel_action", "stop", {"action_id": None, "all_actions": None}),
    Alias("goto_pose", "look_at"),
    Alias("idle_do_nothing", "do_nothing"),
    Alias("web_search", "search_web"),
    Alias("go_to_sleep", "sleep"),
    Alias("remember", "store_memory", {"fact": "content"}),
    Alias("forget", "forget_memory"),
    *(
        Alias(name, "set_light", LIGHT_PARAMETERS, _as_light)
        for name in ("set_led", "set_led_color", "set_lights", "light")
    ),
)
