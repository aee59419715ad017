"""The demonstrations, performed: what they tell was done by a mind, and nothing of it stays behind.

The second and the third take a minute of processor time; `make demos` runs them.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import psutil
import pytest

from reachy_mind.demo.catalogue import DEMOS
from tests.fakes.processes import family, here, here_json

pytestmark = [pytest.mark.process, pytest.mark.simulator]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made, so that what stays behind is seen."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def performed(number: int, *options: str) -> dict[str, Any]:
    done = here("demo", str(number), "--fast", "--no-browser", "--json", *options)
    assert done.returncode == 0, done.stderr + done.stdout
    shown: dict[str, Any] = json.loads(done.stdout)
    return shown


def said(shown: dict[str, Any], kind: str) -> list[str]:
    return [line["text"] for line in shown["lines"] if line["kind"] == kind]


def test_the_list_tells_what_each_shows() -> None:
    assert [each["number"] for each in here_json("demo", "--list")["demos"]] == [1, 2, 3]
    told = here("demo", "--list").stdout
    assert all(each.title in told and f"about {each.minutes} minutes" in told for each in DEMOS)


@pytest.mark.parametrize("wrong", [("demo",), ("demo", "4")])
def test_a_demonstration_that_there_is_not_is_refused(wrong: tuple[str, ...]) -> None:
    done = here(*wrong)
    assert done.returncode == 1
    assert "error: " in done.stderr and "--list" in done.stderr


@pytest.mark.timeout(300)
def test_a_conversation_is_held_and_nothing_of_it_stays(home: Path, temporary: Path) -> None:
    home.mkdir()
    mine = home / "permissions.yaml"
    mine.write_text("rules: []\n", encoding="utf-8")
    shown = performed(1)
    assert shown["demo"] == 1
    figures = shown["figures"]
    assert figures["things_named"] == 3 and figures["aim_degrees"] < 8
    assert figures["tools"] >= 5 and figures["requests"] == 7
    assert 0 <= figures["stop_s"] < 5 and figures["rest_p95_ms"] > 0
    assert any("duck" in text for text in said(shown, "robot"))
    assert any(text.startswith("take_photo(") and text.endswith(": ok") for text in said(shown, "tool"))
    assert any("typed" in text for text in said(shown, "narration")), "without sound it says what it does instead"
    assert list(home.iterdir()) == [mine] and not list(temporary.glob("reachy-mind-demo-*"))


@pytest.mark.timeout(300)
def test_a_rule_of_the_owner_holds_and_the_step_that_fails_is_named(home: Path, temporary: Path) -> None:
    home.mkdir()
    rule = "rules:\n  - {pattern: robot.wave, tier: forbidden, reason: no waving here}\n"
    (home / "permissions.yaml").write_text(rule, encoding="utf-8")
    done = here("demo", "1", "--fast", "--no-browser", "--json")
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "DEMO_FAILED" and error["message"].startswith("step 1, It talks and moves: ")
    assert not list(temporary.glob("reachy-mind-demo-*"))


@pytest.mark.timeout(300)
def test_ctrl_c_ends_it_in_order_and_leaves_nothing(home: Path, temporary: Path) -> None:
    argv = [sys.executable, "-m", "reachy_mind", "demo", "1", "--fast", "--no-browser"]
    environ = dict(os.environ) | {"TMPDIR": str(temporary)}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ) as demo:
        assert demo.stdout is not None and demo.stderr is not None
        for line in demo.stdout:
            if line.startswith("you: "):
                break
        everybody = family(demo.pid)
        assert list(temporary.glob("reachy-mind-demo-*"))
        demo.send_signal(signal.SIGINT)
        demo.stdout.read()
        told = demo.stderr.read()
        assert demo.wait(60) == 130
    assert "your data is as it was" in told and "Traceback" not in told
    assert not list(temporary.glob("reachy-mind-demo-*")) and not home.exists()
    _, alive = psutil.wait_procs(everybody, 10)
    assert not alive


@pytest.mark.demo
@pytest.mark.timeout(600)
def test_a_tool_is_written_used_and_taken_away(temporary: Path) -> None:
    shown = performed(2, "--yes")
    figures, tools = shown["figures"], said(shown, "tool")
    assert figures["trial_cases"] >= 3 and figures["lines_of_code"] > 5 and figures["escapes"] == 0
    stages = [text for text in tools if text.startswith("it is tried in a simulated world")]
    assert len(stages) >= 2, "the watcher and the routine"
    assert any("ball" in text for text in said(shown, "robot")), "it told of what was new"
    *_, routine, harmful = [text for text in tools if text.startswith("create_tool(")]
    assert routine.endswith(": ok") and harmful.endswith(": error")
    assert any("deactivate_tool" in text for text in tools)


@pytest.mark.demo
@pytest.mark.timeout(300)
def test_without_a_yes_nothing_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", open("/dev/null", encoding="utf-8"))  # noqa: SIM115, PTH123 -- ends with the test
    done = here("demo", "2", "--fast", "--no-browser", "--json")
    error = json.loads(done.stdout)["error"]
    assert done.returncode == 1 and "step 1" in error["message"] and "you say yes" in error["message"]
    assert "nobody can be asked here" in done.stderr


@pytest.mark.demo
@pytest.mark.timeout(600)
def test_words_and_demonstrations_make_it_better(temporary: Path) -> None:
    shown = performed(3, "--yes")
    figures = shown["figures"]
    assert figures["corrected_degrees"] > 2 and figures["kept_degrees"] > 2
    assert figures["aim_after"] >= figures["aim_before"] + 0.2
    if "skill_after" not in figures:  # without PyTorch it says so
        assert any("PyTorch" in text for text in said(shown, "narration"))
        return
    assert figures["skill_before"] < 0.2 and figures["skill_after"] > 0.9
    assert figures["skill_worst_degrees"] < 6
    assert sum(text.startswith("practised_look_at(") for text in said(shown, "tool")) == 3
