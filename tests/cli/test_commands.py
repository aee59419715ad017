"""The command line as people and programs call it: real processes, a real simulated robot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reachy_mind.body.address import Address
from tests.fakes.processes import Daemon, command, command_json


@pytest.fixture
def where(robot: Address, monkeypatch: pytest.MonkeyPatch) -> str:
    """Commands use the running simulator, which spares each of them starting one."""
    monkeypatch.setenv("REACHY_MIND_ROBOT__ADDRESS", str(robot))
    return str(robot)


def test_look_wakes_a_simulated_robot_of_its_own_and_reports_what_was_measured() -> None:
    outcome = command_json("robot", "look", "--yaw", "30")
    assert outcome["pose"]["yaw"] == pytest.approx(30, abs=1)
    assert outcome["simulated"] is True and outcome["motor_mode"] == "enabled" and outcome["clamped"] == []


def test_robot_commands_one_after_the_other(where: str) -> None:
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


def test_parts_that_are_not_named_stay_and_a_body_that_can_not_is_said(where: str) -> None:
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
        "hint: nearest it can do: pitch 40.0",
    ]
    assert command_json("robot", "state")["motor_mode"] == "disabled"


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_numbers_that_are_none_are_refused(where: str, value: str) -> None:
    assert command_json("robot", "look", "--yaw", value)["error"]["code"] == "INVALID_PARAMETER"


def test_nobody_there_is_one_error_and_one_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACHY_MIND_ROBOT__CONNECT_TIMEOUT_S", "0.5")
    done = command("robot", "state", "--robot", "127.0.0.1:1")
    assert done.returncode == 1
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == ["error", "hint"]


@pytest.mark.parametrize(
    "arguments", [["robot", "look", "--yaw", "left"], ["fly"], ["robot", "jump"], ["models", "pull"], ["--what"]]
)
def test_wrong_usage_is_exit_code_2_and_json_when_asked(arguments: list[str]) -> None:
    assert command(*arguments).returncode == 2
    done = command(*arguments, "--json")
    assert done.returncode == 2 and json.loads(done.stdout)["error"]["code"] == "USAGE"


def test_config_show_tells_value_and_origin(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-anybodys-eyes")
    shown = command_json("config", "show")
    assert shown["home"] == str(home)
    assert shown["settings"]["openai.api_key"]["origin"] == "environment OPENAI_API_KEY"
    for done in (command("config", "show", "--json"), command("config", "show")):
        assert "not-for-anybodys" not in done.stdout + done.stderr


def test_a_wrong_setting_stops_every_command_with_its_place(home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("server: {port: many}")
    done = command("robot", "state")
    assert done.returncode == 1
    assert "server.port" in done.stderr and "config.yaml" in done.stderr and "65535" in done.stderr


def test_doctor_checks_this_machine_and_the_robot(where: str) -> None:
    report = command_json("doctor", "--robot", where)
    checks = {check["name"]: check for check in report["checks"]}
    for name in (
        "Python",
        "data folder",
        "robot description",
        "simulated camera",
        "server port",
        "robot",
        "ears",
        "voice",
    ):
        assert checks[name]["ok"], checks[name]
    assert "heard 'Hello, can you hear me?'" in checks["ears"]["detail"]
    assert report["healthy"] is True


def test_doctor_says_how_to_mend_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACHY_MIND_MODELS__FOLDER", str(tmp_path / "no models"))
    done = command("doctor")
    assert done.returncode == 1
    assert "FAIL robot description" in done.stdout and "reachy-mind models pull robot-description" in done.stdout


def test_doctor_says_what_to_do_without_ears_and_voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACHY_MIND_ROBOT__ADDRESS", "none")
    monkeypatch.setenv("REACHY_MIND_SPEECH__EARS", "none")
    monkeypatch.setenv("REACHY_MIND_SPEECH__VOICE", "flite")
    monkeypatch.setenv("PATH", str(tmp_path))
    checks = {check["name"]: check for check in command_json("doctor")["checks"]}
    assert checks["ears"]["detail"] == "switched off (speech.ears: none)"
    assert checks["voice"]["detail"] == "flite is not installed" and "apt-get install flite" in checks["voice"]["fix"]
    assert not checks["ears"]["ok"] and checks["ears"]["optional"] and checks["voice"]["optional"]


def test_bench_sim_reports_ours_a_reference_and_the_machine() -> None:
    report = command_json("bench", "sim", "--seconds", "1")
    assert report["bench"] == "sim" and set(report) == {"bench", "ours", "reference", "ratio", "machine"}
    assert report["ours"]["frames_per_s"] > 0 and report["ours"]["states_per_s"] > 0
    assert command_json("bench", "telepathy")["error"]["code"] == "INVALID_PARAMETER"


def test_the_simulator_serves_by_itself_and_names_a_taken_port(daemon: Daemon) -> None:
    done = command("sim", "--port", str(daemon.port))
    assert done.returncode == 1 and f"port {daemon.port}" in done.stderr


def test_version_and_help() -> None:
    assert command("--version").stdout.strip().count(".") == 2
    assert "robot" in command("--help").stdout
