"""`ProgressFile`: how far a run is, for those who look on: the terminal, the page, other programs.

A lock decides whether a run is under way: a process that was killed holds none. `progress.json` tells how far it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from reachy_mind.errors import AssetError, Busy
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder, write_atomically

FILE, LOCK = "progress.json", ".training.lock"
READING_S = 0.3
"""Those who look on hold the lock for an instant."""
State = Literal["running", "waiting", "interrupted", "done", "failed"]


@dataclass(frozen=True)
class TrainingProgress:
    """`waiting`: for a person. `interrupted`: killed or stopped; the same command goes on."""

    state: State
    episode: int = 0
    episodes: int = 0
    pid: int = field(default_factory=os.getpid)
    reason: str = ""
    """Why it failed, or what it waits for."""
    episode_id: str = ""
    """Of the episode on which it waits, or waited last, for feedback."""
    scene: str = ""
    """For a person who watches: what the latest episode is about."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


_PROGRESS = TypeAdapter(TrainingProgress)


class ProgressFile:
    """The progress of the run in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._progress = TrainingProgress("running")
        self._unfinished = False

    @contextmanager
    def held(self, episodes: int) -> Iterator[Self]:
        """Train for the duration of the block. Raises Busy while another process trains the same run, AssetError."""
        try:
            make_folder(self._folder)
            lock = FileLock(self._folder / LOCK, timeout=READING_S)
            lock.acquire()
        except Timeout:
            hint = "reachy-mind learn status shows it; train under another --name"
            raise Busy(f"the run {self._folder.name} is being trained already", hint=hint) from None
        except OSError as error:
            fault = classify(error, self._folder)
            raise AssetError(f"{self._folder} can't be written: {fault.cause}", hint=fault.hint) from error
        with lock:
            before = read_file(self._folder)
            self._write(TrainingProgress("running", before.episode if before else 0, episodes))
            try:
                yield self
            except KeyboardInterrupt:
                self._write(replace(self._progress, state="interrupted"))
                raise
            except BaseException as error:
                self._write(replace(self._progress, state="failed", reason=str(error) or type(error).__name__))
                raise
            self._write(replace(self._progress, state="interrupted" if self._unfinished else "done", reason=""))

    def went_back(self, episode: int) -> None:
        """The run is at this episode again: it has to go on from there."""
        self._unfinished = True
        self.reached(episode)

    def reached(self, episode: int) -> None:
        """So many episodes are done."""
        self._write(replace(self._progress, state="running", episode=episode, reason=""))

    def shows(self, scene: str) -> None:
        """An episode begins that a person watches."""
        self._write(replace(self._progress, scene=scene))

    def waits(self, episode_id: str, episode: int) -> None:
        """So many episodes are done, and the run waits for feedback on the one with this id."""
        reason = f"feedback on {episode_id}"
        self._write(replace(self._progress, state="waiting", episode=episode, reason=reason, episode_id=episode_id))

    def goes_on(self) -> None:
        """It no longer waits."""
        self._write(replace(self._progress, state="running", reason=""))

    def _write(self, progress: TrainingProgress) -> None:
        self._progress = progress
        write_atomically(self._folder / FILE, json.dumps(progress.as_dict()).encode())


def read_progress(folder: Path) -> TrainingProgress | None:
    """How far the run in a folder is; None when it never began. A run whose process is gone is interrupted."""
    progress = read_file(folder)
    if progress is None or progress.state not in ("running", "waiting"):
        return progress
    try:
        with FileLock(folder / LOCK, timeout=0):
            return replace(progress, state="interrupted", reason="")
    except (Timeout, OSError):
        return progress


def read_file(folder: Path) -> TrainingProgress | None:
    """What the file says, whether the process is alive or not; None without a file, or for a damaged one."""
    try:
        return _PROGRESS.validate_json((folder / FILE).read_bytes())
    except (OSError, ValidationError):
        return None
