"""`reachy-mind feedback score`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reachy_mind.cli import app


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REACHY_MIND_HOME", str(tmp_path))
    return tmp_path


def test_a_text_is_scored() -> None:
    result = CliRunner().invoke(app, ["feedback", "score", "a bit more to the left", "--json"])
    scored = json.loads(result.stdout)
    assert set(scored) == {"reward", "confidence", "stop", "correction"}
    assert scored["correction"] == {"axis": "yaw", "sign": 1, "size": "small"}
    assert -0.5 < scored["reward"] < 0 and scored["stop"] is False
    assert "stop" in CliRunner().invoke(app, ["feedback", "score", "stop it"]).stdout


def test_a_file_gives_a_line_for_each_line(home: Path) -> None:
    texts = ["perfect!", "halt!", "", "what time is it?"]
    (home / "said.jsonl").write_text("\n".join(json.dumps({"text": text, "label": 1}) for text in texts) + "\n\n")
    result = CliRunner().invoke(app, ["feedback", "score", "--file", str(home / "said.jsonl"), "--json"])
    scored = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(scored) == 4
    assert scored[0]["reward"] > 0.7 and scored[1]["stop"] and abs(scored[3]["reward"]) < 0.2


@pytest.mark.parametrize("content", ["no json", '{"words": "well done"}', "[]"])
def test_a_line_without_a_text_is_named(home: Path, content: str) -> None:
    (home / "said.jsonl").write_text('{"text": "fine"}\n' + content)
    result = CliRunner().invoke(app, ["feedback", "score", "--file", str(home / "said.jsonl")])
    assert "said.jsonl:2" in str(result.exception)


def test_one_of_text_and_file_is_needed(home: Path) -> None:
    assert CliRunner().invoke(app, ["feedback", "score"]).exit_code == 2
    assert CliRunner().invoke(app, ["feedback", "score", "fine", "--file", str(home / "x")]).exit_code == 2
    assert "can't be read" in str(CliRunner().invoke(app, ["feedback", "score", "--file", str(home)]).exception)
