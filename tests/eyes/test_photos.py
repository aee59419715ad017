"""Photos stay on this machine, for their owner alone, as long as they should and no longer."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from reachy_mind.eyes.photos import NoSuchPhoto, PhotoError, Photos
from tests.eyes.pictures import plain, seen


@pytest.fixture
def photos(tmp_path: Path) -> Photos:
    return Photos(tmp_path / "photos", days=30, most=3)


def test_a_photo_is_kept_for_its_owner(photos: Photos) -> None:
    kept = photos.save(plain((200, 20, 20)), [seen("duck", 0.3, 0.5, "yellow")])
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(photos.folder.stat().st_mode) == 0o700
    picture, things = photos.read(photos.find())
    assert (picture.width, picture.height) == (320, 180)
    assert [(thing.name, thing.colour, thing.distance_m) for thing in things] == [("duck", "yellow", 0.5)]


def test_the_oldest_go(photos: Photos) -> None:
    names = [photos.save(plain((10 * n, 20, 20))).name for n in range(5)]
    assert {photo.name for photo in photos.all()} == set(names[2:])
    old = photos.find(names[3])
    os.utime(old.path, (time.time() - 40 * 86400,) * 2)
    newest = photos.save(plain((1, 2, 3)))
    there = [photo.name for photo in photos.all()]
    assert old.name not in there and newest.name in there
    assert sorted(path.suffix for path in photos.folder.iterdir()) == [
        ".jpg",
        ".jpg",
        ".jpg",
        ".json",
        ".json",
        ".json",
    ]


def test_erased_is_gone_with_what_was_noted(photos: Photos) -> None:
    kept = photos.save(plain((0, 0, 0)))
    assert photos.erase(kept.name).name == kept.name
    assert list(photos.folder.iterdir()) == []
    photos.save(plain((0, 0, 0)))
    photos.save(plain((0, 0, 0)))
    assert photos.erase_all() == 2 and photos.all() == []


def test_only_photos_are_found(photos: Photos, tmp_path: Path) -> None:
    with pytest.raises(NoSuchPhoto, match="no photos"):
        photos.find()
    photos.save(plain((0, 0, 0)))
    (photos.folder / "letter.jpg").write_text("not ours")
    (tmp_path / "secret.jpg").write_text("secret")
    for name in ("../secret.jpg", "/etc/passwd", "letter.jpg", "\x00"):
        with pytest.raises(NoSuchPhoto):
            photos.find(name)
    assert photos.erase_all() == 1 and (photos.folder / "letter.jpg").exists()


def test_a_folder_that_can_not_be_written_to_is_said(tmp_path: Path) -> None:
    (tmp_path / "photos").write_text("a file where the folder should be")
    with pytest.raises(PhotoError, match="can't be kept") as told:
        Photos(tmp_path / "photos", days=1, most=1).save(plain((0, 0, 0)))
    assert "write" in told.value.hint


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_said_and_leaves_nothing_behind(photos: Photos, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fdopen

    def full(handle: int, mode: str) -> object:
        os.dup2(os.open("/dev/full", os.O_WRONLY), handle)
        return real(handle, mode)

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(PhotoError, match="disk is full") as told:
        photos.save(plain((0, 0, 0)))
    assert "erase" in told.value.hint
    assert list(photos.folder.iterdir()) == []
