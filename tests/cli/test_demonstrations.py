"""`reachy-mind demonstrations` as people call it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reachy_mind.learning.demonstrations.store import DemonstrationStore
from tests.fakes.processes import here as command
from tests.fakes.processes import here_json as command_json
from tests.learning.demonstrations.shown import turn

pytestmark = pytest.mark.process


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DemonstrationStore:
    monkeypatch.setenv("REACHY_MIND_HOME", str(tmp_path / "home"))
    made = DemonstrationStore(tmp_path / "home" / "datasets")
    made.add([turn("wave", id="0123456789ab"), turn("bow", id="ba9876543210")], "mine")
    return made


def test_they_are_listed_shown_trimmed_and_deleted(store: DemonstrationStore) -> None:
    listed = command_json("demonstrations", "list")
    assert [one["task_description"] for one in listed["demonstrations"]] == ["wave", "bow"] and listed["broken"] == []
    assert "wave" in command("demonstrations", "show", "0123456789ab").stdout
    assert command_json("demonstrations", "trim", "0123456789ab", "--from", "0.5", "--yes")["duration_s"] == 1.5
    assert command("demonstrations", "delete", "ba9876543210", "--yes").stdout == "deleted ba9876543210\n"
    assert [one.id for one in store.load("mine")] == ["0123456789ab"]


def test_a_damaged_dataset_is_named_in_the_list(store: DemonstrationStore) -> None:
    (store.folder / "mine/meta/info.json").write_text("{")
    assert command_json("demonstrations", "list")["broken"][0]["code"] == "DATASET_INVALID"
    assert "the dataset mine: meta/info.json is no JSON" in command("demonstrations", "list").stdout
    assert command_json("demonstrations", "delete", "mine", "--dataset", "--yes") == {"deleted": "mine"}
    assert store.names() == []


def test_a_dataset_goes_out_and_comes_back(store: DemonstrationStore, tmp_path: Path) -> None:
    out = str(tmp_path / "out.zip")
    assert command_json("demonstrations", "export", "mine", out) == {"dataset": "mine", "exported": out}
    assert len(command_json("demonstrations", "import", out, "--dataset", "back")["imported"]) == 2
    assert command("demonstrations", "import", out).stdout == "imported 2 into out\n"
    assert store.names() == ["back", "mine", "out"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("show", "nothing"), "NOT_FOUND"),
        (("replay", "nothing"), "NOT_FOUND"),
        (("export", "nothing", "x"), "NOT_FOUND"),
        (("import", "/nowhere"), "DATASET_INVALID"),
        (("import", "/nowhere", "--dataset", "../out"), "INVALID_PARAMETER"),
        (("trim", "0123456789ab", "--from", "3", "--yes"), "INVALID_PARAMETER"),
    ],
)
def test_what_makes_no_sense_has_an_error_and_changes_nothing(
    store: DemonstrationStore, arguments: tuple[str, ...], code: str
) -> None:
    done = command("demonstrations", *arguments, "--json")
    assert done.returncode == 1 and json.loads(done.stdout)["error"]["code"] == code
    assert len(store.load("mine")) == 2 and store.names() == ["mine"]
