"""`reachy-mind talk` with WAV files for microphone and loudspeaker: no sound card is needed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reachy_mind.body import wav
from tests.fakes.minds import Run, running
from tests.fakes.people import length_s, said_now
from tests.fakes.processes import command, here

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What is said in them; the answer to the first is short."""
    folder = tmp_path_factory.mktemp("said")
    said = {"How are you?": folder / "how.wav", "What time is it?": folder / "time.wav"}
    for text, file in said.items():
        file.write_bytes(wav.write(said_now(text)))
    return said


@pytest.fixture
def question(files: dict[str, Path]) -> Path:
    return files["How are you?"]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """One that runs, without a robot."""
    home = tmp_path_factory.mktemp("home")
    with running(home, "--robot", "none", "--no-browser", speech__voice="flite") as run:
        yield run


@pytest.fixture
def mind(started: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The same, found by the commands of this test."""
    monkeypatch.setenv("REACHY_MIND_HOME", str(started.home))
    return started


def talk(*arguments: str) -> dict[str, object]:
    done = command("talk", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    told: dict[str, object] = json.loads(done.stdout)
    return told


def test_a_file_is_heard_and_the_answer_is_in_another(
    question: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REACHY_MIND_SPEECH__VOICE", "flite")
    answer = tmp_path / "answer.wav"
    done = command("talk", "--robot", "none", "--input", str(question), "--output", str(answer))
    assert done.returncode == 0, done.stderr
    you, robot = done.stdout.splitlines()
    assert you == "you: How are you?" and len(robot) > len("robot: ") + 5
    assert 1 < length_s(answer.read_bytes()) < 15


def test_it_goes_to_the_mind_that_runs(mind: Run, files: dict[str, Path], tmp_path: Path) -> None:
    question, answer = files["What time is it?"], tmp_path / "answer.wav"
    told = talk("--input", str(question), "--output", str(answer))
    [turn] = told["turns"]  # type: ignore[misc]
    assert turn["heard"] == "What time is it?" and turn["reply"].startswith("It is ")
    assert turn["tools"] == [{"name": "get_time", "args": {}, "status": "ok"}] and turn["interrupted"] is None
    assert 2 < length_s(answer.read_bytes()) < 15
    refused = here("talk", "--input", str(question), "--robot", "10.1.2.3", "--json")
    assert json.loads(refused.stdout.splitlines()[0])["error"]["code"] == "ALREADY_RUNNING"


def test_nobody_hears_who_has_not_pressed_a_key(mind: Run, question: Path) -> None:
    argv = [sys.executable, "-m", "reachy_mind", "talk", "--push-to-talk", "--input", str(question), "--json"]
    done = subprocess.run(argv, input="", capture_output=True, text=True, timeout=90, check=True)
    assert json.loads(done.stdout)["turns"] == []
    pressed = subprocess.run(argv, input="\n", capture_output=True, text=True, timeout=90, check=True)
    assert json.loads(pressed.stdout)["turns"][0]["heard"], "one key: it listens"


@pytest.mark.parametrize(
    ("content", "told"), [(None, "can't be read"), (b"", "no WAV"), (b"ID3 some music", "no WAV"), (b"RIFF", "no WAV")]
)
def test_what_is_no_sound_is_named(tmp_path: Path, content: bytes | None, told: str) -> None:
    file = tmp_path / "file.wav"
    if content is not None:
        file.write_bytes(content)
    done = here("talk", "--robot", "none", "--input", str(file), "--json")
    error = json.loads(done.stdout)["error"]
    assert done.returncode == 1 and error["code"] == "INVALID_PARAMETER" and told in error["message"]


def test_without_ears_or_a_place_for_the_answer_it_says_so(
    question: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REACHY_MIND_SPEECH__EARS", "none")
    done = here("talk", "--robot", "none", "--input", str(question), "--json")
    error = json.loads(done.stdout)["error"]
    assert done.returncode == 1 and error["code"] == "NOT_READY" and "speech.ears" in error["message"]
