"""What is restored takes the place of what is in a data folder, also when the program is killed on the way.

It is complete and synced in `.restore/home` before anything moves. Then `.restore/moves.json` says what has to move:
from there on the replacement is carried on by whoever takes the folder next. What was there is in `replaced/TIME`.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from reachy_mind.errors import ConfigError
from reachy_mind.storage.backup_contents import LEFT_OUT
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder, write_atomically
from reachy_mind.system.durable_files import sync_folder


@dataclass(frozen=True)
class Moves:
    """`old`: the names that leave the data folder, for `replaced`/`aside`. `new`: those that come into it."""

    aside: str
    old: tuple[str, ...]
    new: tuple[str, ...]


def work_folder(folder: Path) -> Path:
    return folder / ".restore"


def unpacked_folder(folder: Path) -> Path:
    return work_folder(folder) / "home"


def own_names(folder: Path) -> tuple[str, ...]:
    """What is in a data folder and would be replaced."""
    return tuple(sorted(path.name for path in folder.iterdir() if path.name not in LEFT_OUT))


def is_interrupted(folder: Path) -> bool:
    """Whether a replacement began here and did not end."""
    return _moves_file(folder).exists()


def put_in_place(folder: Path, aside: str) -> Path | None:
    """Replace what is in the folder by what was unpacked. Returns where the old content is. Raises ConfigError.

    The caller owns the folder.
    """
    old = own_names(folder)
    moves = Moves(aside, old, own_names(unpacked_folder(folder)))
    try:
        write_atomically(_moves_file(folder), json.dumps(asdict(moves)).encode())
    except OSError as error:
        raise _refused(folder, error) from error
    settle(folder)
    return folder / "replaced" / aside if old else None


def settle(folder: Path) -> None:
    """Carry on a replacement that was interrupted, and remove what an earlier step has left. Raises ConfigError.

    The caller owns the folder.
    """
    if not work_folder(folder).exists():
        return
    try:
        moves = _read_moves(folder)
        if moves is not None:
            _move_all(folder, moves)
        shutil.rmtree(work_folder(folder))
    except OSError as error:
        raise _refused(folder, error) from error


def _move_all(folder: Path, moves: Moves) -> None:
    """Each step can be done again: what is in its new place already stays there."""
    aside, unpacked = folder / "replaced" / moves.aside, unpacked_folder(folder)
    if moves.old:
        make_folder(aside)
    for name in moves.old:
        if not _exists(aside / name) and _exists(folder / name):
            (folder / name).rename(aside / name)
    if moves.old:
        sync_folder(aside)
    for name in moves.new:
        if _exists(unpacked / name):
            (unpacked / name).rename(folder / name)
    sync_folder(folder)
    _moves_file(folder).unlink()
    sync_folder(work_folder(folder))


def _exists(path: Path) -> bool:
    with contextlib.suppress(FileNotFoundError):
        path.lstat()
        return True
    return False


def _read_moves(folder: Path) -> Moves | None:
    try:
        told = json.loads(_moves_file(folder).read_bytes())
        return Moves(str(told["aside"]), tuple(map(str, told["old"])), tuple(map(str, told["new"])))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        hint = f"the restored files are in {unpacked_folder(folder)}, the old ones in {folder / 'replaced'}"
        raise ConfigError(f"{_moves_file(folder)} makes no sense: {error}", hint=hint) from error


def _moves_file(folder: Path) -> Path:
    return work_folder(folder) / "moves.json"


def _refused(folder: Path, error: OSError) -> ConfigError:
    fault = classify(error, folder / "mind.db")
    return ConfigError(f"the data folder {folder} can't be replaced: {fault.cause}", hint=fault.hint)
