"""`reachy-mind moves` as people call it: real processes, files, a real simulated robot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from reachy_mind.body.address import Address
from reachy_mind.motion.hub_download import EMOTIONS
from reachy_mind.motion.move_format import encode
from reachy_mind.motion.moves import Frames
from tests.fakes.hub import Hub
from tests.fakes.processes import command_json as process_json
from tests.fakes.processes import here as command
from tests.fakes.processes import here_json as command_json

pytestmark = pytest.mark.process

MOVE = encode(Frames([(0.0,) * 9] * 30), "stands still")


@pytest.fixture
def where(robot: Address, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("REACHY_MIND_ROBOT__ADDRESS", str(robot))
    return str(robot)


def test_list_names_every_kind() -> None:
    moves = {move["name"]: move for move in command_json("moves", "list")["moves"]}
    assert moves["happy"]["kind"] == "emotion" and "intensity" in moves["happy"]["parameters"]
    assert moves["nod"]["parameters"][:2] == ["times", "speed"]
    text = command("moves", "list", "--kind", "dance").stdout
    assert "two_step" in text and "happy" not in text


def test_a_move_is_played_from_sleep_and_ends_at_rest(where: str) -> None:
    outcome = process_json("moves", "play", "nod", "--times", "1", "--speed", "fast")
    assert outcome["move"] == "nod" and outcome["clamped"] == [] and outcome["motor_mode"] == "enabled"
    assert abs(outcome["pose"]["pitch"]) < 3
    told = command("moves", "play", "tilt", "--side", "left", "--hold", "0", "--slow", "0.8")
    assert told.returncode == 0 and told.stdout.startswith("tilt: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("happpy",), "happy"),
        (("happy", "--intensity", "7"), "0.1"),
        (("happy", "--times", "3"), "intensity"),
        (("nod", "--times", "50"), "nod"),
        (("nod", "--slow", "100"), "0.25"),
        (("nod", "--from", "5", "--to", "1"), "start must come before end"),
    ],
)
def test_what_can_not_be_played_is_refused_before_the_robot_wakes(arguments: tuple[str, ...], said: str) -> None:
    done = command("moves", "play", *arguments)
    assert done.returncode == 1 and said in done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_recorded_edited_exported_imported_played_and_drawn(where: str, tmp_path: Path) -> None:
    recorded = command_json("moves", "record", "mine", "--seconds", "1.5")
    assert recorded["duration_s"] == pytest.approx(1.5, abs=0.1)
    assert Path(recorded["file"]).is_file()
    again = command("moves", "record", "mine", "--seconds", "1")
    assert again.returncode == 1 and "already" in again.stderr

    exported = command_json(
        "moves", "export", "nod", str(tmp_path / "bow.json"), "--mirror", "--slow", "1.5", "--seed", "1"
    )
    content = json.loads((tmp_path / "bow.json").read_text())
    assert content["time"][-1] == pytest.approx(exported["duration_s"], abs=0.02)
    assert len(content["set_target_data"]) == len(content["time"])
    assert command("moves", "export", "nod", str(tmp_path / "bow.json")).returncode == 1  # it is there

    assert command_json("moves", "import", str(tmp_path / "bow.json"), "--name", "slow_bow")["imported"] == ["slow_bow"]
    assert "slow_bow" in command("moves", "list", "--kind", "recorded").stdout
    played = command_json("moves", "play", "slow_bow", "--scale", "0.5")
    assert played["duration_s"] == pytest.approx(exported["duration_s"], abs=0.02)

    command_json("moves", "plot", "slow_bow+mine", str(tmp_path / "bow.png"))
    with Image.open(tmp_path / "bow.png") as picture:
        assert picture.width > 800 and len(picture.convert("RGB").getcolors(1 << 24) or []) > 20
    refused = command_json("moves", "plot", "nod", str(tmp_path / "bow.txt"))["error"]
    assert refused["code"] == "INVALID_PARAMETER"


def test_a_folder_is_imported_without_its_broken_files(tmp_path: Path) -> None:
    (tmp_path / "fine.json").write_bytes(MOVE)
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "happy.json").write_bytes(MOVE)
    outcome = command_json("moves", "import", str(tmp_path))
    assert outcome["imported"] == ["fine"]
    assert {refused["name"] for refused in outcome["refused"]} == {"broken", "happy"}
    assert command("moves", "import", str(tmp_path / "nothing.json")).returncode == 1


def test_a_dataset_comes_from_the_hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with Hub(EMOTIONS) as hub:
        hub.files = {"cheerful1.json": MOVE, "README.md": b"no move"}
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        outcome = command_json("moves", "import", "emotions")
    assert outcome == {"imported": ["pollen-robotics--reachy-mini-emotions-library/cheerful1"], "refused": []}
    assert "cheerful1" in command("moves", "list", "--kind", "recorded").stdout


def test_without_a_network_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    done = command("moves", "import", "emotions")
    assert done.returncode == 1 and "hint:" in done.stderr
