"""Files that decide what the robot may do: which ones are read, and which are refused by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from reachy_mind.errors import ConfigError
from reachy_mind.storage.files import read_own_file, read_user_file


def _missing_target(file: Path) -> None:
    file.unlink()
    file.symlink_to(file.with_name("gone.yaml"))


def _directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _link_to_shared(file: Path) -> None:
    other = file.rename(file.with_name("other.yaml"))
    other.chmod(0o666)
    file.symlink_to(other)


UNTRUSTED: dict[str, tuple[Callable[[Path], None], str]] = {
    "a link that leads nowhere": (_missing_target, "which is not there"),
    "a directory": (_directory, "is a directory"),
    "a pipe": (_pipe, "a pipe"),
    "writable by all": (lambda file: file.chmod(0o646), "written by everybody"),
    "writable by its group": (lambda file: file.chmod(0o660), "written by its group"),
    "a link to one that is writable by all": (_link_to_shared, "written by everybody"),
}


def test_a_folder_behind_a_link_that_leads_nowhere_is_not_an_empty_one(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.symlink_to(tmp_path / "unmounted")
    with pytest.raises(ConfigError, match=r"home is a link to .*unmounted, which is not there"):
        read_own_file(home / "config.yaml")
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="can't be read"):
        read_own_file(tmp_path / "file" / "config.yaml")


OWNED_BY_ANOTHER = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")


@pytest.mark.parametrize("how", UNTRUSTED)
def test_what_others_could_have_written_is_refused_by_name(tmp_path: Path, how: str) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text("rules: []")
    file.chmod(0o600)
    spoil, said = UNTRUSTED[how]
    spoil(file)
    with pytest.raises(ConfigError) as error:
        read_own_file(file)
    assert str(file) in error.value.message and said in error.value.message and error.value.hint


@OWNED_BY_ANOTHER
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text("rules: []")
    os.chown(file, 12345, -1)
    with pytest.raises(ConfigError, match=r"belongs to another user \(12345\)"):
        read_own_file(file)


@OWNED_BY_ANOTHER
def test_a_file_of_root_is_accepted_from_any_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container, into which root's file is mounted."""
    file = tmp_path / "rules.yaml"
    file.write_text("rules: []")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert read_own_file(file) is not None


def test_no_file_and_a_link_to_a_good_one_are_fine(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    assert read_own_file(file) is None and read_user_file(file) == ("", 0o600)
    real = tmp_path / "real.yaml"
    real.write_text("rules: []")
    real.chmod(0o640)
    file.symlink_to(real)
    assert read_own_file(file) == ("rules: []", 0o640)
