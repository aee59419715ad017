"""Files on both ways: positions, scratch files, replacing one that is open elsewhere, who may read."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.errors import NotReady
from reachy_mind.system import durable_files, private_files, scheduling
from reachy_mind.system.file_names import is_device
from reachy_mind.system.linux_only import other_system, require_linux
from reachy_mind.system.open_files import BYTES, read_at, write_at
from reachy_mind.system.scratch_file import ScratchFile
from reachy_mind.workshop.isolation import IsolationRefused, choose, unavailable


class OpenElsewhere(type(Path())):  # type: ignore[misc]
    """A file whose target another program reads, as Windows tells it, for the first `times` tries."""

    times = 0
    winerror: int | None = 32

    def replace(self, target: Any) -> Any:
        if self.times:
            self.times -= 1
            error = PermissionError(errno.EACCES, "it is used by another process")
            error.winerror = self.winerror  # type: ignore[attr-defined]
            raise error
        return Path(str(self)).replace(target)


@pytest.mark.usefixtures("way")
def test_bytes_are_written_and_read_at_a_position(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT | BYTES, 0o600)
    assert write_at(descriptor, b"abc\ndef", 0) == 7
    assert write_at(descriptor, b"XY", 2) == 2
    assert read_at(descriptor, 4, 1) == b"bXYd"
    assert read_at(descriptor, 100, 7) == b""
    os.close(descriptor)


@pytest.mark.usefixtures("way")
def test_a_scratch_file_is_gone_afterwards() -> None:
    with ScratchFile("speech.wav") as file:
        assert file.content() == b""
        Path(file.path).write_bytes(b"sound")
        assert file.content() == b"sound"
        path = file.path
    assert not Path(path).exists()


@pytest.mark.usefixtures("way")
def test_files_and_folders_are_synced(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        durable_files.sync_file(file.fileno())
    durable_files.sync_folder(tmp_path)


def test_a_file_that_is_read_elsewhere_is_replaced_once_it_is_free(tmp_path: Path) -> None:
    new, old = OpenElsewhere(tmp_path / "new"), tmp_path / "old"
    Path(str(new)).write_text("new", encoding="utf-8")
    old.write_text("old", encoding="utf-8")
    new.times = 3
    durable_files.replace(new, old)
    assert old.read_text(encoding="utf-8") == "new"


def test_without_the_right_to_replace_it_fails_at_once(tmp_path: Path) -> None:
    new = OpenElsewhere(tmp_path / "new")
    new.times, new.winerror = 2, None
    with pytest.raises(PermissionError):
        durable_files.replace(new, tmp_path / "old")
    assert new.times == 1


def test_windows_gives_a_folder_to_its_user_alone() -> None:
    command = private_files.restrict_command(Path("data folder"), "PC\\Ann & Bob")
    assert command == ["icacls", "data folder", "/inheritance:r", "/grant:r", "PC\\Ann & Bob:(OI)(CI)F", "/Q"]


def test_the_portable_way_claims_no_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACHY_MIND_PORTABLE", "1")
    assert scheduling.raise_priority() is scheduling.ORDINARY
    assert not scheduling.ORDINARY.real_time
    assert scheduling.may_be_real_time() is None


@pytest.mark.parametrize("name", ["con", "NUL", "aux.json", "com1", "LPT9"])
def test_nothing_is_called_what_windows_takes_for_a_device(name: str) -> None:
    assert is_device(name)
    assert not is_device(f"{name.partition('.')[0]}fetti")


def test_generated_code_is_refused_where_no_isolation_is() -> None:
    with pytest.raises(IsolationRefused, match="macOS has none of these layers") as error:
        choose("auto", unavailable("macOS"))
    assert "nothing runs without" in error.value.hint
    with pytest.raises(IsolationRefused, match="does not hold here"):
        choose("landlock", unavailable("macOS"))


def test_what_needs_linux_says_so_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    require_linux("device agents")
    monkeypatch.setattr("reachy_mind.system.linux_only.LINUX", False)
    monkeypatch.setattr("sys.platform", "win32")
    assert other_system() == "Windows"
    with pytest.raises(NotReady, match="device agents need Linux; this is Windows"):
        require_linux("device agents")
