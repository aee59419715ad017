"""`reachy-mind profile` and `run --profile`: with a mind that runs, and without."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from reachy_mind.config.configuration import load
from tests.fakes.minds import running as run_at
from tests.fakes.processes import here
from tests.fakes.processes import here_json as command_json
from tests.profiles.folders import OWN_TOOL, folder, put


def command(*arguments: str) -> tuple[int, str]:
    """The exit code and everything it said."""
    done = here(*arguments)
    return done.returncode, done.stdout + done.stderr


def test_they_are_listed_shown_and_checked() -> None:
    put("broken", tools_txt="nod")
    put("captain", instructions_txt="You sail.", tools_txt="nod\nnodd\n")
    code, out = command("profile", "list")
    assert code == 0 and "* default " in out and "  poet " in out
    assert "broken: it has no instructions" in out and "(1 problem: reachy-mind profile check captain)" in out
    listed = command_json("profile", "list")
    assert listed["active"] == "default" and listed["total"] == len(listed["profiles"]) >= 15
    shown = command_json("profile", "show", "Night Watch")
    assert shown["name"] == "night_watch" and "night watch" in shown["instructions"] and shown["files"]["voice"]
    code, out = command("profile", "check", "captain")
    assert code == 0 and "tools.txt:2: there is no tool called 'nodd'" in out
    done = here("profile", "check", "--json")
    told = json.loads(done.stdout)["profiles"]
    assert done.returncode == 1 and [each["name"] for each in told if each["broken"]] == ["broken"]


def test_a_new_one_has_the_default_tools_and_nothing_is_overwritten() -> None:
    assert command("profile", "new", "captain")[0] == 0
    default = command_json("profile", "show", "default")
    made = command_json("profile", "show", "captain")
    assert made["tools"] == default["tools"] and made["problems"] == [] and "captain" in made["instructions"]
    before = (folder("captain") / "instructions.txt").read_text()
    code, out = command("profile", "new", "captain", "--instructions", "x")
    assert code == 1 and "already" in out and (folder("captain") / "instructions.txt").read_text() == before
    assert command("profile", "new", "../captain")[0] == 1
    assert command("profile", "new", "bard", "--like", "poet", "--instructions", "You sing.")[0] == 0
    assert command_json("profile", "show", "bard")["instructions"] == "You sing."


def test_trust_is_given_and_asked_for_again_after_a_change() -> None:
    place = put("hummer", instructions_txt="You hum.", tools_txt="hum", hum_py=OWN_TOOL)
    assert "refused" in command("profile", "check", "hummer")[1]
    assert list(command_json("profile", "trust", "hummer")["files"]) == ["hum.py"]
    assert "refused" not in command("profile", "check", "hummer")[1]
    (place / "hum.py").write_text("import os\n")
    assert "changed since it was trusted" in command("profile", "check", "hummer")[1]
    assert command("profile", "trust", "captain_nobody")[0] == 1


def test_without_a_mind_only_the_next_start_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    code, out = command("profile", "use", "poet")
    assert code == 1 and "no mind is running" in out
    assert command_json("profile", "use", "poet", "--keep")["kept"] is True
    assert load().settings.mind.profile == "poet" and "* poet" in command("profile", "list")[1]
    assert command("profile", "use", "nobody", "--keep")[0] == 1 and load().settings.mind.profile == "poet"
    monkeypatch.setenv("REACHY_MINI_CUSTOM_PROFILE", "coach")
    assert "which wins at the next start" in command("profile", "use", "teacher", "--keep")[1]


@pytest.mark.process
def test_a_mind_starts_as_who_was_named_and_becomes_another_while_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with run_at(tmp_path / "own", "--robot", "none", "--profile", "grumpy") as run:
        monkeypatch.setenv("REACHY_MIND_HOME", str(run.home))
        assert any("grumpy" in line for line in run.heard)
        assert "* grumpy" in command("profile", "list")[1]
        assert command_json("profile", "use", "poet")["active"] == "poet"
        assert httpx.get(f"{run.url}/readyz").json()["profile"] == "poet"
        chat = subprocess.run(
            [sys.executable, "-m", "reachy_mind", "chat"],
            input="/profile teacher\n/profile\n/profile nobody\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert "Good to see you." in chat.stdout and "* teacher" in chat.stdout and "no personality" in chat.stdout
        assert command("profile", "use", "nobody")[0] == 1
        assert httpx.get(f"{run.url}/readyz").json()["profile"] == "teacher"
        assert run.end(signal.SIGINT) == 0
    wrong = subprocess.run(
        [sys.executable, "-m", "reachy_mind", "run", "--robot", "none", "--profile", "poett"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert wrong.returncode == 1 and "there are: poet" in wrong.stderr
