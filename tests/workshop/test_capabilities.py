"""What a run may use: nothing but what was allowed by name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.builtin import TOOLS
from reachy_mind.tools.definition import Tool
from reachy_mind.workshop.capabilities import NAMES, Capabilities

BY_NAME = {tool.name: tool for tool in TOOLS}
ALL = Capabilities.parse(",".join(NAMES))


@pytest.mark.parametrize(
    ("allowed", "tools"),
    [
        ("", "get_pose get_robot_state get_sensor_data do_nothing get_time set_timer task_status stop"),
        ("motion", "nod move_head dance rotate wake_up sleep set_motor_mode play_move set_antennas look_at_sound rest"),
        ("camera", "take_photo analyze_scene detect_objects detect_faces describe_image"),
        ("motion,camera", "head_tracking look_at_pixel look_at_object"),
        ("microphone", "listen"),
        ("speak", "speak set_volume"),
        ("light", "set_light"),
        ("http", "search_web get_weather"),
        ("memory", "store_memory search_memories forget_memory get_user_profile"),
        ("tools:task_cancel, tools:mind.list_personalities", "task_cancel list_personalities"),
    ],
)
def test_a_tool_needs_its_capability_and_no_other(allowed: str, tools: str) -> None:
    granted = Capabilities.parse(allowed)
    others = Capabilities(ALL.granted - granted.granted)
    for name in tools.split():
        assert granted.covers(BY_NAME[name]) == "", name
        assert bool(others.covers(BY_NAME[name])) is bool(allowed), name


@pytest.mark.parametrize("name", ["set_camera", "set_microphone"])
def test_who_may_use_a_device_may_not_switch_it_on(name: str) -> None:
    assert f"tools:{name}" in ALL.covers(BY_NAME[name])
    assert Capabilities.parse(f"tools:{name}").covers(BY_NAME[name]) == ""


@pytest.mark.parametrize("name", ["create_tool", "rollback_tool", "list_tools", "set_permission", "change_setting"])
def test_some_tools_can_not_be_allowed(name: str) -> None:
    everything = Capabilities(ALL.granted, frozenset(), frozenset({name, BY_NAME[name].qualified}))
    assert everything.covers(BY_NAME[name])


def test_what_no_table_lists_needs_its_name() -> None:
    for tool in (tool for tool in TOOLS if tool.group in ("mind", "tasks", "workshop") and tool.name != "task_status"):
        assert ALL.covers(tool), tool.name
    foreign: Tool = replace(BY_NAME["nod"], source="profile test", group="profile")
    assert ALL.covers(foreign) and not Capabilities.parse("tools:nod").covers(foreign)
    hidden = next(tool for tool in TOOLS if tool.hidden and tool.group == "robot")
    assert ALL.covers(hidden)


@pytest.mark.parametrize(
    "wrong", ["root", "motion;camera", "http:", "http:a b", "http:x/y", "tools:", "tools:../x", "Motion"]
)
def test_a_capability_that_is_none(wrong: str) -> None:
    with pytest.raises(InvalidParameter):
        Capabilities.parse(wrong)


def test_they_are_written_as_they_are_read() -> None:
    text = ["camera", "motion", "http:example.org:8080", "tools:nod"]
    assert Capabilities.parse(text).words == text and Capabilities.parse(" ,").words == []
