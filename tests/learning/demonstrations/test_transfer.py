"""Datasets out of and into the store: folders, zip files, and a Hub that takes uploads."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.errors import AssetError, InvalidParameter, NotReady
from reachy_mind.learning.demonstrations.demonstration import DatasetInvalid, UnknownDemonstration
from reachy_mind.learning.demonstrations.store import DemonstrationStore
from reachy_mind.learning.demonstrations.transfer import (
    export_dataset,
    import_dataset,
    pull_demonstrations,
    push_demonstrations,
)
from tests.fakes.writable_hub import WRITE, WritableHub
from tests.learning.demonstrations.shown import filmed, turn

REPOSITORY = "reachy-mind/shown"


@pytest.fixture
def store(tmp_path: Path) -> DemonstrationStore:
    made = DemonstrationStore(tmp_path / "datasets")
    made.add([turn("a"), turn("b", count=11)], "mine")
    return made


@pytest.mark.parametrize("target", ["out", "out.zip"])
def test_what_is_exported_is_imported_as_it_was(store: DemonstrationStore, tmp_path: Path, target: str) -> None:
    export_dataset(store, "mine", tmp_path / target)
    taken = import_dataset(store, tmp_path / target, "back")
    assert [one.episode.task for one in taken] == ["a", "b"]
    for one, other in zip(store.load("mine"), store.load("back"), strict=True):
        assert np.array_equal(one.states, other.states) and one.tool_calls == other.tool_calls and one.id != other.id
    with pytest.raises(InvalidParameter, match="there already"):
        export_dataset(store, "mine", tmp_path / target)
    with pytest.raises(UnknownDemonstration):
        export_dataset(store, "nothing", tmp_path / "else")
    assert sorted(path.name for path in store.folder.iterdir() if path.is_dir()) == ["back", "mine"]


def test_camera_frames_come_along_or_not(store: DemonstrationStore, tmp_path: Path) -> None:
    store.add([filmed(8)], "film")
    export_dataset(store, "film", tmp_path / "film.zip")
    (with_frames,) = import_dataset(store, tmp_path / "film.zip", "with")
    (without,) = import_dataset(store, tmp_path / "film.zip", "without", videos=False)
    assert with_frames.episode.video is not None and without.episode.video is None


def no_zip(file: Path) -> None:
    file.write_bytes(b"PK\x03\x04 nothing")


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-200])


def without_rows(file: Path) -> None:
    with zipfile.ZipFile(file) as old:
        members = {name: old.read(name) for name in old.namelist() if not name.endswith("file-001.parquet")}
    with zipfile.ZipFile(file, "w") as new:
        for name, content in members.items():
            new.writestr(name, content)


def leads_out(file: Path) -> None:
    with zipfile.ZipFile(file, "w") as new:
        new.writestr("meta/info.json", "{}")
        new.writestr("../../escaped.txt", "x")


@pytest.mark.parametrize("harm", [no_zip, cut, without_rows, leads_out])
def test_a_damaged_zip_is_refused_and_leaves_nothing(
    store: DemonstrationStore, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    export_dataset(store, "mine", tmp_path / "out.zip")
    harm(tmp_path / "out.zip")
    with pytest.raises(DatasetInvalid) as caught:
        import_dataset(store, tmp_path / "out.zip", "back")
    assert caught.value.hint and store.names() == ["mine"] and not list(tmp_path.rglob("escaped.txt"))


async def test_a_dataset_goes_to_the_hub_without_names_and_comes_back(store: DemonstrationStore) -> None:
    store.add([filmed(8), filmed(6, task="wave")], "film")
    with WritableHub(REPOSITORY) as hub:
        place = await push_demonstrations(store, "film", REPOSITORY, endpoint=hub.url, token=hub.token)
        assert place == f"{hub.url}/datasets/{REPOSITORY}" and hub.refused == []
        assert hub.created == [{"type": "dataset", "organization": "reachy-mind", "name": "shown", "private": True}]
        assert hub.tags == ["v3.0"] and b"LeRobot" in hub.files["README.md"]
        assert not any(b"Ann" in content for content in hub.files.values())
        await push_demonstrations(store, "film", REPOSITORY, endpoint=hub.url, token=hub.token, private=False)
        assert hub.tags == ["v3.0"], "moved to the new commit"
        taken = await pull_demonstrations(store, REPOSITORY, "back", endpoint=hub.url, token=hub.token)
    assert [one.episode.task for one in taken] == ["look at the cup", "wave"]
    assert np.array_equal(store.load("back")[0].states, store.load("film")[0].states)


async def test_an_upload_without_a_token_or_with_a_wrong_one_is_refused(store: DemonstrationStore) -> None:
    with WritableHub(REPOSITORY) as hub:
        with pytest.raises(NotReady, match="token"):
            await push_demonstrations(store, "mine", REPOSITORY, endpoint=hub.url, token="")
        with pytest.raises(AssetError, match="no access"):
            await push_demonstrations(store, "mine", REPOSITORY, endpoint=hub.url, token="hf_wrong")  # noqa: S106
        assert hub.files == {}
    with pytest.raises(AssetError, match="can't be reached"):
        await push_demonstrations(store, "mine", REPOSITORY, endpoint="http://127.0.0.1:9", token=WRITE)
