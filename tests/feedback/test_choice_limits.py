"""What learning may choose, and which requests mean what they say."""

from __future__ import annotations

import pytest

from reachy_mind.brains.brain import declared
from reachy_mind.brains.word_lists import spaced
from reachy_mind.feedback.choice_limits import can_be_chosen, may_be_made, names_what_was_done
from reachy_mind.feedback.choices import ChosenCall
from reachy_mind.tools.builtin import TOOLS
from reachy_mind.tools.definition import Tier

CHOSEN = {tool.qualified for tool in TOOLS if can_be_chosen(tool, declared(tool))}


def test_gestures_answers_and_looks_can_be_chosen() -> None:
    assert {"robot.dance", "robot.wave", "robot.look_at_object", "voice.speak", "time.get_time"} <= CHOSEN


@pytest.mark.parametrize(
    "name",
    spaced(
        """
    memory.forget_memory memory.store_memory memory.update_user_profile memory.search_memories memory.erase_person
    mind.change_setting mind.set_permission mind.set_personality workshop.create_tool workshop.rollback_tool
    workshop.deactivate_tool robot.sleep robot.wake_up robot.set_motor_mode robot.lie_down robot.remove_move
    robot.record_move perception.set_camera perception.set_microphone tasks.task_cancel
    """
    ),
)
def test_what_is_personal_or_changes_the_robot_is_never_chosen_whatever_its_tier(name: str) -> None:
    (tool,) = (tool for tool in TOOLS if tool.qualified == name)
    assert name not in CHOSEN
    if name != "tasks.task_cancel":  # that one only by its tier
        assert not can_be_chosen(tool, Tier.AUTONOMOUS)


@pytest.mark.parametrize(
    ("tier", "made"),
    [(Tier.AUTONOMOUS, True), (Tier.NOTIFY, True), (Tier.CONFIRM, False), (Tier.FORBIDDEN, False)],
)
def test_a_tool_that_needs_consent_now_is_not_chosen(tier: Tier, made: bool) -> None:
    calls = (ChosenCall("nod"), ChosenCall("dance"))
    assert may_be_made(calls, TOOLS, lambda tool: tier if tool.name == "dance" else Tier.AUTONOMOUS) is made


def test_a_tool_that_the_turn_does_not_have_is_not_chosen() -> None:
    without = [tool for tool in TOOLS if tool.name != "dance"]
    assert may_be_made((ChosenCall("dance"),), TOOLS, declared)
    assert not may_be_made((ChosenCall("dance"),), without, declared)
    assert not may_be_made((), TOOLS, declared)


@pytest.mark.parametrize(
    ("request_said", "call", "named"),
    [
        ("look left", ChosenCall("move_head", {"direction": "left"}), True),
        ("regarde à gauche", ChosenCall("move_head", {"direction": "left"}), True),
        ("wave at grandma", ChosenCall("wave"), True),
        ("winke mal", ChosenCall("wave"), True),
        ("be happy", ChosenCall("express_emotion", {"emotion": "happy"}), True),
        ("look at the cup", ChosenCall("look_at_object", {"name": "cup"}), True),
        ("do the thing", ChosenCall("wave"), False),
        ("party time", ChosenCall("dance", {"name": "random"}), False),
        ("say hi to the camera", ChosenCall("speak", {"text": "hi to the camera"}), False),
    ],
)
def test_a_request_that_names_what_was_done_is_told_from_one_that_was_misunderstood(
    request_said: str, call: ChosenCall, named: bool
) -> None:
    assert names_what_was_done(request_said, [call]) is named
