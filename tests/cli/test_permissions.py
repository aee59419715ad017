"""`reachy-mind permissions`, and files that a command refuses to start with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.processes import here, here_json


def written(home: Path, rules: str) -> Path:
    home.mkdir(exist_ok=True)
    file = home / "permissions.yaml"
    file.write_text(rules)
    return file


def test_check_tells_which_rule_about_which_act_decides(home: Path) -> None:
    written(home, "rules:\n- {pattern: robot.nod, tier: forbidden}\n- {pattern: robot.wake_up, tier: confirm}\n")
    told = here("permissions", "check", "play_move").stdout
    assert told.startswith("robot.play_move: autonomous (as it declares)\n")
    assert "it nods, rule 'robot.nod' (line 2)" in told and "confirm when the robot sleeps" in told
    for name, args in (("play_move", '{"name": "happy+yes"}'), ("play_recorded_move", '{"move_name": "nod"}')):
        found = here_json("permissions", "check", name, "--args", args)
        assert (found["tool"], found["tier_name"]) == ("robot.play_move", "forbidden")
        assert found["reason"] == "it nods, rule 'robot.nod' (line 2)"
    other = here_json("permissions", "check", "play_move", "--args", '{"name": "waltz"}')
    assert other["tier_name"] == "confirm", "whether it sleeps is not known here"
    assert here("permissions", "check", "play_move", "--args", "{").returncode == 1


@pytest.mark.parametrize("command", [("permissions", "check", "nod"), ("permissions", "show"), ("tools", "list")])
def test_no_command_starts_with_permissions_that_others_could_have_written(
    home: Path, command: tuple[str, ...]
) -> None:
    file = written(home, "rules: []\n")
    file.chmod(0o666)
    done = here(*command)
    error, hint = done.stderr.strip().splitlines()[-2:]
    assert done.returncode == 1 and error == f"error: {file} can be written by everybody"
    assert hint == f"hint: read it, then: chmod go-w {file}"


def test_no_command_starts_with_a_configuration_that_leads_nowhere(home: Path) -> None:
    home.mkdir()
    (home / "config.yaml").symlink_to(home / "gone.yaml")
    done = here("config", "show")
    assert done.returncode == 1 and done.stderr.startswith(f"error: {home / 'config.yaml'} is a link to ")
    assert "hint: " in done.stderr
