"""Checkpoints: what is found again after a save, a corrupt file, a rollback and pruning."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from reachy_mind.errors import AssetError, InvalidParameter
from reachy_mind.learning.training.checkpoints import CheckpointInfo, Checkpoints, CorruptCheckpoint


def save(checkpoints: Checkpoints, episode: int, success: float = 0.5, violations: float = 0.0) -> CheckpointInfo:
    figures = {"success": success, "violations": violations}
    return checkpoints.save(episode, f"weights of {episode}".encode(), figures)


def content_file(folder: Path, info: CheckpointInfo) -> Path:
    return folder / f"{info.id}.checkpoint"


def damage(folder: Path, info: CheckpointInfo) -> None:
    """One bit of the content, the size as before."""
    file = content_file(folder, info)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def content_files(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.checkpoint")}


def test_a_saved_checkpoint_is_found_by_another_process(tmp_path: Path) -> None:
    folder = tmp_path / "run" / "checkpoints"
    info = Checkpoints(folder).save(7, b"\x00weights", {"success": 0.25, "loss": 1.5})
    loaded = Checkpoints(folder).load_latest()
    assert (loaded.info, loaded.content, loaded.refused) == (info, b"\x00weights", ())
    assert (info.episode, info.size, info.figures) == (7, 8, {"success": 0.25, "loss": 1.5})
    assert Checkpoints(folder).load(info.id).content == b"\x00weights"


def test_a_new_run_has_no_checkpoint_and_reading_creates_nothing(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path / "run")
    assert (checkpoints.infos(), checkpoints.latest(), checkpoints.best()) == ((), None, None)
    with pytest.raises(AssetError, match="there is no checkpoint in"):
        checkpoints.load_latest()
    assert not (tmp_path / "run").exists()


def test_a_corrupt_latest_is_reported_and_the_one_before_is_used(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    first, second, third = (save(checkpoints, episode) for episode in (10, 20, 30))
    damage(tmp_path, third)
    content_file(tmp_path, second).write_bytes(b"weig")
    with capture_logs() as logged:
        loaded = checkpoints.load_latest()
    assert (loaded.info, loaded.content) == (first, b"weights of 10")
    assert third.id in loaded.refused[0] and "sha256" in loaded.refused[0]
    assert second.id in loaded.refused[1] and "4 bytes" in loaded.refused[1]
    assert [(each["checkpoint"], each["code"]) for each in logged] == [
        (third.id, "CHECKPOINT_CORRUPT"),
        (second.id, "CHECKPOINT_CORRUPT"),
    ]
    assert checkpoints.latest() == first


def test_when_none_is_intact_the_run_does_not_start_from_nothing(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    content_file(tmp_path, save(checkpoints, 1)).unlink()
    for read in (checkpoints.latest, checkpoints.load_latest, checkpoints.best, checkpoints.rollback):
        with pytest.raises(CorruptCheckpoint, match="no checkpoint is intact") as caught:
            read()
        assert "backup" in caught.value.hint


def test_a_corrupt_checkpoint_is_not_loaded(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    changed, gone = save(checkpoints, 1), save(checkpoints, 2)
    damage(tmp_path, changed)
    content_file(tmp_path, gone).unlink()
    for info in (changed, gone):
        with pytest.raises(AssetError, match=f"checkpoint {info.id}") as caught:
            checkpoints.load(info.id)
        assert "earlier checkpoint" in caught.value.hint


def test_an_unknown_id_names_those_that_are_there(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    info = save(checkpoints, 1)
    with pytest.raises(AssetError, match=r"no checkpoint '\.\./secret'") as caught:
        checkpoints.load("../secret")
    assert info.id in caught.value.hint


def test_the_best_has_most_success_then_fewest_violations_then_is_the_later(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, keep=9)
    save(checkpoints, 1, success=0.7, violations=0)
    second = save(checkpoints, 2, success=0.9, violations=3)
    assert checkpoints.best() == second
    save(checkpoints, 3, success=0.9, violations=4)
    checkpoints.save(4, b"not evaluated", {"loss": 0.1})
    checkpoints.save(5, b"violations unknown", {"success": 0.9})
    assert checkpoints.best() == second
    sixth = save(checkpoints, 6, success=0.9, violations=1)
    last = save(checkpoints, 7, success=0.9, violations=1)
    assert checkpoints.best() == last
    damage(tmp_path, last)
    assert checkpoints.best() == sixth


def test_without_an_evaluation_there_is_no_best(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    checkpoints.save(1, b"weights", {"loss": 0.1})
    assert checkpoints.best() is None and checkpoints.latest() is not None


def test_pruning_keeps_the_newest_and_the_best(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, keep=2)
    for episode, success in enumerate((0.1, 0.9, 0.2, 0.3, 0.4)):
        save(checkpoints, episode, success)
    assert [info.episode for info in checkpoints.infos()] == [1, 3, 4]
    assert content_files(tmp_path) == {content_file(tmp_path, info).name for info in checkpoints.infos()}
    save(checkpoints, 5, success=0.95)
    assert [info.episode for info in checkpoints.infos()] == [4, 5]


def test_pruning_keeps_the_best_that_is_intact(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, keep=2)
    save(checkpoints, 1, success=0.8)
    damage(tmp_path, save(checkpoints, 2, success=0.9))
    save(checkpoints, 3, success=0.1)
    save(checkpoints, 4, success=0.1)
    assert [info.episode for info in checkpoints.infos()] == [1, 3, 4]


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "copy.checkpoint").write_text("mine too")
    (tmp_path / ".manifest.json.ab12cd_3").write_text("a write that was cut short")
    checkpoints = Checkpoints(tmp_path, keep=2)
    for episode in range(4):
        save(checkpoints, episode)
    assert (tmp_path / "notes.txt").exists() and (tmp_path / "copy.checkpoint").exists()
    assert not (tmp_path / ".manifest.json.ab12cd_3").exists()


def test_a_rollback_returns_to_the_one_before(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    first, second = save(checkpoints, 10, success=0.2), save(checkpoints, 20, success=0.9)
    assert checkpoints.rollback().content == b"weights of 10"
    assert checkpoints.latest() == first and checkpoints.best() == first
    again = save(checkpoints, 20, success=0.5)
    assert again.id != second.id  # an id means one content
    assert checkpoints.infos() == (first, again)


def test_a_rollback_passes_over_corrupt_ones(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    first, second, _, fourth = (save(checkpoints, episode) for episode in (1, 2, 3, 4))
    damage(tmp_path, fourth)
    damage(tmp_path, second)
    back = checkpoints.rollback()
    assert back.info == first and checkpoints.infos() == (first,)
    assert [fourth.id in back.refused[0], second.id in back.refused[1]] == [True, True]


def test_the_only_checkpoint_is_not_rolled_back(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    info = save(checkpoints, 1)
    with pytest.raises(AssetError, match="no checkpoint before"):
        checkpoints.rollback()
    assert checkpoints.latest() == info


@pytest.mark.parametrize("broken", ["", "{", "[]", '{"format": 1}', "changed figure"])
def test_a_damaged_manifest_is_refused_and_nothing_is_removed(tmp_path: Path, broken: str) -> None:
    checkpoints = Checkpoints(tmp_path)
    save(checkpoints, 1), save(checkpoints, 2)
    manifest = tmp_path / "manifest.json"
    text = manifest.read_text()
    manifest.write_text(text.replace("0.5", "0.6") if broken == "changed figure" else broken)
    there = content_files(tmp_path)
    for use in (checkpoints.load_latest, checkpoints.rollback, lambda: save(checkpoints, 3)):
        with pytest.raises(AssetError, match=r"manifest\.json is damaged") as caught:
            use()
        assert caught.value.hint
    assert content_files(tmp_path) == there


def test_a_manifest_that_is_gone_does_not_cost_the_checkpoints(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    save(checkpoints, 1), save(checkpoints, 2)
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(AssetError, match="is gone"):
        save(checkpoints, 3)
    assert len(content_files(tmp_path)) == 2


def test_what_can_not_be_saved_is_refused(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    save(checkpoints, 1)
    for value in (math.nan, math.inf):
        with pytest.raises(InvalidParameter, match="'success'"):
            save(checkpoints, 2, success=value)
    with pytest.raises(InvalidParameter, match="negative"):
        save(checkpoints, -1)
    with pytest.raises(InvalidParameter, match="too few"):
        Checkpoints(tmp_path, keep=1)
    assert [info.episode for info in checkpoints.infos()] == [1]


def test_a_folder_that_can_not_be_written_is_an_error_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file")
    with pytest.raises(AssetError, match="can't be") as caught:
        save(Checkpoints(tmp_path / "run"), 1)
    assert caught.value.hint


def test_the_manifest_names_hash_and_size(tmp_path: Path) -> None:
    info = save(Checkpoints(tmp_path), 3)
    [entry] = json.loads((tmp_path / "manifest.json").read_text())["checkpoints"]
    assert (entry["id"], entry["sha256"], entry["size"]) == (info.id, info.sha256, len(b"weights of 3"))
