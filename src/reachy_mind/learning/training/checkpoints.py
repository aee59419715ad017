"""`Checkpoints`: the saved states of one training run, each verified by its hash when it is read.

A folder with one file per checkpoint and `manifest.json`, which lists them with size, sha256 and figures. A change is
made by replacing the manifest, once the files it names are on disk. A process that is killed therefore leaves the state
before or the state after; what it left unlisted is removed by the next change.

One run writes into a folder; others may read it. The content is bytes: what is in it is the caller's concern.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from filelock import FileLock, Timeout
from pydantic import Field, FiniteFloat, NonNegativeInt, TypeAdapter, ValidationError

from reachy_mind import log
from reachy_mind.errors import AssetError, Busy, InvalidParameter
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder, write_atomically

KEEP = 5
"""So many of the newest checkpoints are kept, and the best one."""
LOCK_S, FORMAT = 30.0, 1
_ID = r"\d{6,}-episode-\d+"
_OURS = re.compile(rf"({_ID})\.checkpoint|\.(?:manifest\.json|{_ID}\.checkpoint)\.\w+")
"""A content file, or the temporary file of a write that was cut short."""

_log = log.get(__name__)


class CorruptCheckpoint(AssetError):
    """A checkpoint is missing, or is not what was saved."""

    code = "CHECKPOINT_CORRUPT"


@dataclass(frozen=True)
class CheckpointInfo:
    """What the manifest says about a checkpoint."""

    id: Annotated[str, Field(pattern=f"^{_ID}$")]
    episode: NonNegativeInt
    sha256: str
    size: NonNegativeInt
    figures: Mapping[str, FiniteFloat]
    """Of the held-out evaluation: `success` and `violations` decide which checkpoint is the best."""


@dataclass(frozen=True)
class LoadedCheckpoint:
    """A checkpoint whose hash was verified, and why others were passed over for it."""

    info: CheckpointInfo
    content: bytes
    refused: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Manifest:
    format: int = FORMAT
    next: int = 1
    """The number of the next checkpoint. A number is never used for two."""
    checkpoints: tuple[CheckpointInfo, ...] = ()
    """In the order in which they were saved."""


_MANIFEST = TypeAdapter(_Manifest)


class Checkpoints:
    """The checkpoints in a folder, which is created by the first `save`."""

    def __init__(self, folder: Path, *, keep: int = KEEP) -> None:
        if keep < 2:
            raise InvalidParameter(f"{keep} checkpoints are too few to keep", hint="keep two or more, for a rollback")
        self._folder, self._keep = folder, keep
        self._manifest = folder / "manifest.json"

    def infos(self) -> tuple[CheckpointInfo, ...]:
        """Every checkpoint, in the order in which they were saved. Their content is not verified."""
        return self._read().checkpoints

    def save(self, episode: int, content: bytes, figures: Mapping[str, float]) -> CheckpointInfo:
        """Save a checkpoint, then prune. It is on disk when this returns. Raises AssetError when that can't be done."""
        if episode < 0:
            raise InvalidParameter(f"episode {episode} is negative", hint="count episodes from 0")
        for name, value in figures.items():
            if not math.isfinite(value):
                hint = "a run that has diverged is continued from an earlier checkpoint"
                raise InvalidParameter(f"the figure {name!r} of episode {episode} is {value}", hint=hint)
        with self._changing():
            before = self._read()
            info = CheckpointInfo(
                id=f"{before.next:06d}-episode-{episode}",
                episode=episode,
                sha256=hashlib.sha256(content).hexdigest(),
                size=len(content),
                figures={name: float(value) for name, value in figures.items()},
            )
            write_atomically(self._path(info), content)
            kept = self._pruned((*before.checkpoints, info))
            self._commit(_Manifest(next=before.next + 1, checkpoints=kept))
        return info

    def load(self, checkpoint_id: str) -> LoadedCheckpoint:
        """A checkpoint by its id. Raises AssetError for one that is not there, or is not what was saved."""
        infos = self.infos()
        for info in infos:
            if info.id == checkpoint_id:
                return LoadedCheckpoint(info, self._content(info))
        hint = f"there are: {', '.join(info.id for info in infos) or 'none'}"
        raise AssetError(f"there is no checkpoint {checkpoint_id!r} in {self._folder}", hint=hint)

    def latest(self) -> CheckpointInfo | None:
        """The latest checkpoint that is intact; None before the first `save`. Raises AssetError when none is intact."""
        return self.load_latest().info if self.infos() else None

    def load_latest(self) -> LoadedCheckpoint:
        """The latest intact one; `refused` has a sentence for each later one. Raises AssetError when there is none."""
        return self._first_intact(reversed(self.infos()))

    def best(self) -> CheckpointInfo | None:
        """The intact checkpoint with the most `success`; of equals the one with fewer `violations`, then the later.

        None when no checkpoint has a figure `success`. Raises AssetError when none of those is intact.
        """
        ranked = _ranked(self.infos())
        return self._first_intact(ranked).info if ranked else None

    def rollback(self) -> LoadedCheckpoint:
        """Discard the latest intact checkpoint, also when it is the best, and go back to the intact one before it.

        Raises AssetError, and discards nothing, when there is none before it.
        """
        with self._changing():
            manifest = self._read()
            latest, earlier = self._latest(manifest.checkpoints)
            back = self._first_intact(reversed(earlier))
            kept = earlier[: earlier.index(back.info) + 1]
            self._commit(_Manifest(next=manifest.next, checkpoints=kept))
        return LoadedCheckpoint(back.info, back.content, latest.refused + back.refused)

    def require_earlier(self) -> None:
        """Raises what `rollback` does where there is nothing to go back to."""
        self._latest(self.infos())

    def _latest(self, infos: tuple[CheckpointInfo, ...]) -> tuple[LoadedCheckpoint, tuple[CheckpointInfo, ...]]:
        """The latest intact checkpoint, and those before it."""
        latest = self._first_intact(reversed(infos))
        earlier = infos[: infos.index(latest.info)]
        if not earlier:
            hint = "it is the only one that is intact; start a new run in another folder to train from the start"
            raise AssetError(f"there is no checkpoint before {latest.info.id} in {self._folder}", hint=hint)
        return latest, earlier

    def _pruned(self, infos: tuple[CheckpointInfo, ...]) -> tuple[CheckpointInfo, ...]:
        """The newest, and the best that is intact: a corrupt one must not cost the one that stands in for it."""
        newest = infos[-self._keep :]
        for info in _ranked(infos):
            with suppress(CorruptCheckpoint):
                self._content(info)
                return newest if info in newest else (info, *newest)
        return newest

    def _first_intact(self, candidates: Iterable[CheckpointInfo]) -> LoadedCheckpoint:
        refused: list[str] = []
        for info in candidates:
            try:
                return LoadedCheckpoint(info, self._content(info), tuple(refused))
            except CorruptCheckpoint as error:
                _log.warning("a checkpoint was refused", checkpoint=info.id, code=error.code, reason=error.message)
                refused.append(error.message)
        if not refused:
            raise AssetError(f"there is no checkpoint in {self._folder}", hint="none has been saved yet")
        hint = "put the files back from a backup, or start a new run in another folder"
        raise CorruptCheckpoint("no checkpoint is intact: " + "; ".join(refused), hint=hint)

    def _content(self, info: CheckpointInfo) -> bytes:
        """Raises CorruptCheckpoint."""
        path = self._path(info)
        hint = "use an earlier checkpoint, or put the file back from a backup"
        try:
            content = path.read_bytes()
        except OSError as error:
            fault = classify(error, path)
            raise CorruptCheckpoint(f"checkpoint {info.id} can't be read: {fault.cause}", hint=hint) from error
        if len(content) != info.size:
            message = f"checkpoint {info.id} is corrupt: it has {len(content)} bytes, and {info.size} were saved"
            raise CorruptCheckpoint(message, hint=hint)
        if hashlib.sha256(content).hexdigest() != info.sha256:
            raise CorruptCheckpoint(f"checkpoint {info.id} is corrupt: its sha256 is not the saved one", hint=hint)
        return content

    def _path(self, info: CheckpointInfo) -> Path:
        return self._folder / f"{info.id}.checkpoint"

    @contextmanager
    def _changing(self) -> Iterator[None]:
        try:
            make_folder(self._folder)
            with FileLock(self._folder / ".lock", timeout=LOCK_S):
                yield
        except Timeout:
            raise Busy(f"another process is writing to {self._folder}", hint="one run writes into a folder") from None
        except OSError as error:
            fault = classify(error, self._manifest)
            raise AssetError(f"{self._folder} can't be written: {fault.cause}", hint=fault.hint) from error

    def _commit(self, manifest: _Manifest) -> None:
        body = asdict(manifest)
        text = json.dumps({**body, "sha256": _digest(body)}, indent=1)
        write_atomically(self._manifest, text.encode())
        listed = {info.id for info in manifest.checkpoints}
        for path in self._folder.iterdir():
            if (ours := _OURS.fullmatch(path.name)) and ours[1] not in listed:
                try:
                    path.unlink()
                except OSError as error:  # the change is made: the next one tries again
                    _log.warning("a file of a checkpoint could not be removed", file=path.name, reason=str(error))

    def _read(self) -> _Manifest:
        """Raises AssetError for a manifest that is damaged, or gone from among its checkpoints."""
        hint = "put it back from a backup, or start a new run in another folder; nothing was removed"
        try:
            body = json.loads(self._manifest.read_bytes())
            if body.pop("sha256") != _digest(body) or body["format"] != FORMAT:
                raise ValueError("it is not what was written")
            return _MANIFEST.validate_python(body)
        except FileNotFoundError:
            # A first save that was cut short leaves checkpoint 1 alone.
            if any(int(path.name.split("-")[0]) > 1 for path in self._folder.glob("*-episode-*.checkpoint")):
                raise AssetError(f"{self._manifest} is gone, and its checkpoints are there", hint=hint) from None
            return _Manifest()
        except OSError as error:
            fault = classify(error, self._manifest)
            raise AssetError(f"{self._manifest} can't be read: {fault.cause}", hint=fault.hint) from error
        except (ValueError, KeyError, TypeError, AttributeError, ValidationError) as error:
            raise AssetError(f"{self._manifest} is damaged", hint=hint) from error


def _ranked(infos: tuple[CheckpointInfo, ...]) -> list[CheckpointInfo]:
    """Those with a figure `success`, the best first. Unknown `violations` count as the most."""
    later_first = [info for info in reversed(infos) if "success" in info.figures]
    return sorted(later_first, key=lambda info: (-info.figures["success"], info.figures.get("violations", math.inf)))


def _digest(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True, allow_nan=False).encode()).hexdigest()
