"""The tools there are: every name once, with a schema that says what it takes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import jsonschema
import pytest

from reachy_mind.tools.builtin import ALIASES, TOOLS
from reachy_mind.tools.definition import Tier, Tool
from reachy_mind.tools.permissions import Permissions
from reachy_mind.tools.registry import Registry
from reachy_mind.tools.schemas import export
from tests.tools.builtin.robot import done, refused, toolbox

NAMES = {
    "robot": """move_head look_at look_at_world look_at_pixel look_at_object look_at_sound rotate set_antennas nod shake
        wave express_emotion stop_emotion dance stop_dance play_move rest wake_up sleep set_motor_mode head_tracking
        stop do_nothing get_robot_state get_pose get_sensor_data set_light""",
    "perception": """take_photo analyze_scene detect_objects detect_faces describe_image listen set_camera
        set_microphone""",
    "voice": "speak set_volume",
    "web": "search_web get_weather",
    "time": "get_time set_timer set_reminder list_timers cancel_timer",
    "memory": "store_memory search_memories forget_memory get_user_profile update_user_profile",
    "tasks": "task_status task_cancel background_demo",
    "mind": "set_personality list_personalities",
    "workshop": "create_tool rollback_tool deactivate_tool list_tools",
    "learning": "list_lessons undo_lesson",
}
HIDDEN = """play_emotion camera capture_image set_antenna_state play_recorded_move get_status cancel_action goto_pose
    idle_do_nothing web_search go_to_sleep remember forget set_led set_led_color set_lights light"""
BY_NAME = {tool.name: tool for tool in TOOLS}


def test_every_name_is_there_once() -> None:
    shown = [tool.qualified for tool in TOOLS if not tool.hidden]
    assert Counter(shown) == Counter(f"{group}.{name}" for group, names in NAMES.items() for name in names.split())
    assert max(Counter(tool.name for tool in TOOLS).values()) == 1


def test_every_other_name_is_of_a_tool() -> None:
    assert Counter(alias.name for alias in ALIASES) == Counter(HIDDEN.split())
    assert {alias.target for alias in ALIASES} <= BY_NAME.keys() and not {a.name for a in ALIASES} & BY_NAME.keys()


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_says_what_it_takes(tool: Tool) -> None:
    [described] = export([tool], "anthropic")
    schema = described["input_schema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object" and schema["additionalProperties"] is False
    assert 10 < len(described["description"]) < 600
    if not tool.hidden:
        assert all(about.get("description") for about in schema.get("properties", {}).values()), schema


def test_people_decide_about_what_can_not_be_undone() -> None:
    tiers = {name: BY_NAME[name].tier for name in BY_NAME}
    assert tiers["forget_memory"] is Tier.CONFIRM
    for name in ("set_motor_mode", "set_camera", "set_microphone"):
        assert tiers[name] is Tier.NOTIFY
    assert tiers["stop"] is tiers["move_head"] is tiers["store_memory"] is Tier.AUTONOMOUS


async def test_other_names_of_what_needs_a_camera(tmp_path: Path) -> None:
    calls = {
        "camera": {"question": "Who is there?"},
        "capture_image": {"analyze": True, "save": False},
    }
    aliases = {alias.name: alias for alias in ALIASES}
    async with toolbox(tmp_path) as box:
        for name, args in calls.items():
            alias = aliases[name]
            BY_NAME[alias.target].check(alias.translated(args))  # so that they will be understood
            assert (await refused(box, name, **args))[0] == "NOT_READY"
    assert aliases["camera"].translated({"question": "Who?"}) == {"prompt": "Who?"}
    assert aliases["capture_image"].translated({"analyze": True}) == {"describe": True, "save": False}
    assert aliases["web_search"].translated({"query": "tea"}) == {"query": "tea"}
    assert aliases["play_recorded_move"].translated({"move_name": "hey"}) == {"name": "hey"}


async def test_without_a_robot(tmp_path: Path) -> None:
    async with toolbox(tmp_path) as box:
        for name in ("stop", "cancel_action"):
            assert (await done(box, name))["message"] == "There is no robot, so nothing is moving."
        await done(box, "do_nothing", reason="it is late")
        assert (await done(box, "stop_dance"))["stopped"] == []
        for name in ("nod", "rest", "wake_up", "sleep", "dance", "get_robot_state", "get_pose", "get_sensor_data"):
            assert (await refused(box, name))[0] == "NOT_READY"


@pytest.mark.parametrize(
    ("rule", "tool"), [("robot.sleep", "lie_down"), ("play_move", "perform"), ("move_head", "look")]
)
def test_a_rule_about_a_tool_counts_for_its_exact_twin(tmp_path: Path, rule: str, tool: str) -> None:
    file = tmp_path / "permissions.yaml"
    file.write_text(f"rules:\n- {{pattern: '{rule}', tier: forbidden}}\n")
    registry = Registry(TOOLS, ALIASES)
    twin, _ = registry.find(tool)
    assert Permissions(file).decide_tier(twin, registry.other_names(twin)).tier is Tier.FORBIDDEN
