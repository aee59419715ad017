"""`reachy-mind robot`: with a mind of its own for a moment, and with one that runs; a real simulated robot."""

from __future__ import annotations

import pytest

from reachy_mind.body.address import Address
from tests.fakes.minds import Run
from tests.fakes.processes import command_json as process_json
from tests.fakes.processes import here as command
from tests.fakes.processes import here_json as command_json

pytestmark = pytest.mark.process


@pytest.fixture
def where(robot: Address, monkeypatch: pytest.MonkeyPatch) -> str:
    """A robot that sleeps, for commands that have a mind of their own."""
    monkeypatch.setenv("REACHY_MIND_ROBOT__ADDRESS", str(robot))
    return str(robot)


def test_look_wakes_a_simulated_robot_of_its_own_and_reports_what_was_measured() -> None:
    outcome = process_json("robot", "look", "--yaw", "30")
    assert outcome["pose"]["yaw"] == pytest.approx(30, abs=1)
    assert outcome["simulated"] is True and outcome["motor_mode"] == "enabled" and outcome["clamped"] == []


def test_robot_commands_one_after_the_other(running: Run) -> None:
    text = command("robot", "wake")
    assert text.returncode == 0 and "motors enabled" in text.stdout
    wish = ("--yaw", "-20", "--z", "5", "--antenna-left", "40", "--duration", "0.6")
    moved = command_json("robot", "goto", *wish)["pose"]
    assert moved["yaw"] == pytest.approx(-20, abs=1.5)
    assert moved["z_mm"] == pytest.approx(5, abs=1)
    assert moved["antenna_left"] == pytest.approx(40, abs=2)
    clamped = command_json("robot", "look", "--pitch", "90", "--clamp", "--duration", "0.6")
    assert [(c["axis"], c["given"]) for c in clamped["clamped"]] == [("pitch", 40.0)]
    assert command_json("robot", "stop")["command"] == "stop"
    assert command_json("robot", "sleep")["motor_mode"] == "disabled"


def test_parts_that_are_not_named_stay_and_a_body_that_can_not_is_said(running: Run) -> None:
    command_json("robot", "look", "--yaw", "-100", "--duration", "1")
    pose = command_json("robot", "goto", "--antenna-left", "30", "--duration", "0.3")["pose"]
    assert pose["yaw"] == pytest.approx(-100, abs=6)
    refused = command_json("robot", "goto", "--body-yaw", "90")["error"]
    assert refused["code"] == "OUT_OF_REACH" and "body_yaw 90" in refused["message"]


def test_out_of_reach_is_refused_and_leaves_a_sleeping_robot_asleep(where: str) -> None:
    done = command("robot", "look", "--pitch", "80")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.splitlines() == [
        "error: the robot can't reach this pose: pitch 80.0 degrees",
        "hint: nearest reachable values: pitch 40.0",
    ]
    assert command_json("robot", "state")["motor_mode"] == "disabled"
    assert command_json("robot", "stop")["motor_mode"] == "disabled"


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_numbers_that_are_none_are_refused(running: Run, value: str) -> None:
    assert command_json("robot", "look", "--yaw", value)["error"]["code"] == "INVALID_PARAMETER"


def test_nobody_there_is_one_error_and_one_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACHY_MIND_ROBOT__CONNECT_TIMEOUT_S", "0.5")
    done = command("robot", "state", "--robot", "127.0.0.1:1")
    assert done.returncode == 1
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == ["error", "hint"]
