"""The command line as people and programs call it: usage, settings, `doctor`, `bench`, `sim`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reachy_mind.body.address import Address
from tests.fakes.processes import Daemon, command, command_json, here, here_json

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    "arguments", [["robot", "look", "--yaw", "left"], ["fly"], ["robot", "jump"], ["models", "pull"], ["--what"]]
)
def test_wrong_usage_is_exit_code_2_and_json_when_asked(arguments: list[str]) -> None:
    assert here(*arguments).returncode == 2
    done = here(*arguments, "--json")
    assert done.returncode == 2 and json.loads(done.stdout)["error"]["code"] == "USAGE"


def test_config_show_tells_value_and_origin(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-anybodys-eyes")
    shown = command_json("config", "show")
    assert shown["home"] == str(home)
    assert shown["settings"]["openai.api_key"]["origin"] == "environment OPENAI_API_KEY"
    for done in (here("config", "show", "--json"), here("config", "show")):
        assert "not-for-anybodys" not in done.stdout + done.stderr


def test_a_wrong_setting_stops_every_command_with_its_place(home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").write_text("server: {port: many}")
    done = here("robot", "state")
    assert done.returncode == 1
    assert "server.port" in done.stderr and "config.yaml" in done.stderr and "65535" in done.stderr


def test_doctor_checks_this_machine_and_the_robot(robot: Address) -> None:
    report = command_json("doctor", "--robot", str(robot))
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
    done = here("doctor")
    assert done.returncode == 1
    assert "FAIL robot description" in done.stdout and "reachy-mind models pull robot-description" in done.stdout


def test_doctor_says_what_to_do_without_ears_and_voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACHY_MIND_ROBOT__ADDRESS", "none")
    monkeypatch.setenv("REACHY_MIND_SPEECH__EARS", "none")
    monkeypatch.setenv("REACHY_MIND_SPEECH__VOICE", "flite")
    monkeypatch.setenv("PATH", str(tmp_path))
    checks = {check["name"]: check for check in here_json("doctor")["checks"]}
    assert checks["ears"]["detail"] == "switched off (speech.ears: none)"
    assert checks["voice"]["detail"] == "flite is not installed" and "apt-get install flite" in checks["voice"]["fix"]
    assert not checks["ears"]["ok"] and checks["ears"]["optional"] and checks["voice"]["optional"]


def test_bench_sim_reports_ours_a_reference_and_the_machine() -> None:
    report = command_json("bench", "sim", "--seconds", "1")
    assert report["bench"] == "sim" and set(report) == {"bench", "ours", "reference", "ratio", "machine"}
    assert report["ours"]["frames_per_s"] > 0 and report["ours"]["states_per_s"] > 0
    assert here_json("bench", "telepathy")["error"]["code"] == "INVALID_PARAMETER"


def test_the_simulator_serves_by_itself_and_names_a_taken_port(daemon: Daemon) -> None:
    done = command("sim", "--port", str(daemon.port))
    assert done.returncode == 1 and f"port {daemon.port}" in done.stderr


def test_version_and_help() -> None:
    assert command("--version").stdout.strip().count(".") == 2
    assert "robot" in command("--help").stdout
