"""`reachy-mind memory`, with a mind for a moment and with one that runs."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.fakes.minds import running
from tests.fakes.processes import here, here_json
from tests.memory.files import traces


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACHY_MIND_ROBOT__ADDRESS", "none")


def test_it_is_remembered_from_one_command_to_the_next(home: Path, alone: None) -> None:
    note = {"content": "my favourite colour is zinnoberrot"}
    assert here("tools", "call", "store_memory", "--args", json.dumps(note)).returncode == 0
    assert "zinnoberrot" in here("memory", "search", "favourite colour").stdout
    (one,) = here_json("memory", "list")["memories"]
    assert here("memory", "forget", one["id"]).returncode == 1, "nobody said yes"
    assert here_json("memory", "forget", one["id"], "--yes")["forgotten"] == 1
    assert here("memory", "list").stdout == "nothing\n"
    status = here("memory", "status").stdout
    assert "0 memories" in status and "searched by full text" in status


@pytest.mark.process
def test_a_person_is_exported_and_erased_in_a_mind_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, file = tmp_path / "home", tmp_path / "ada.json"
    with running(folder, "--robot", "none") as run:
        monkeypatch.setenv("REACHY_MIND_HOME", str(folder))
        told = here("ask", "my name is Wilhelmina", "remember that my favourite colour is zinnoberrot", "--json")
        assert told.returncode == 0, told.stderr
        assert here("memory", "people").stdout == "Wilhelmina\n"
        assert "zinnoberrot" in here("memory", "list").stdout, "nobody else can be meant"
        assert here("memory", "export", "wilhelmina", "--file", str(file)).returncode == 0
        kept = json.loads(file.read_text())
        assert kept["person"] == "Wilhelmina" and "zinnoberrot" in json.dumps(kept["memories"])
        assert file.stat().st_mode & 0o077 == 0
        erased = here_json("memory", "erase", "Wilhelmina", "--yes")
        assert erased["complete"] and traces(folder, "zinnober", "wilhelmina") == []
        assert here_json("memory", "export", "Wilhelmina")["error"]["code"] == "NOT_FOUND"
        assert run.end(signal.SIGINT) in (0, 130)
    assert traces(folder, "zinnober", "wilhelmina") == []
