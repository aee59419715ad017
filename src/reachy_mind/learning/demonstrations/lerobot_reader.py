"""Reads a LeRobot dataset (version 3.0) as demonstrations. The folder is untrusted: it may come from the Hub or a zip.

Nothing in it decides which file is opened, no link is followed, and every file has a limit before it is read.
"""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reachy_mind.errors import InvalidParameter
from reachy_mind.learning.demonstrations.demonstration import (
    ID,
    MAX_FPS,
    POSE_NAMES,
    TARGET_NAMES,
    DatasetInvalid,
    DemonstratedCall,
    Demonstration,
    Rows,
    Source,
    unseen,
)
from reachy_mind.learning.demonstrations.lerobot_format import (
    ACTION,
    EPISODES_FOLDER,
    INFO_FILE,
    SIDECAR_FILE,
    STATE,
    TARGET,
    VERSION,
    VIDEO_PATH,
    arrow,
)
from reachy_mind.motion.move_format import printable

MAX_META_BYTES = 64 << 20
MAX_TABLE_BYTES = 512 << 20
MAX_ROWS = 5_000_000
MAX_DEMONSTRATIONS = 10_000


@dataclass(frozen=True, slots=True)
class StoredEpisode:
    """What a dataset says about one demonstration, without its rows."""

    task: str
    length: int
    fps: int
    about: SidecarEntry
    video: Path | None = None
    video_start: float = 0.0

    @property
    def duration(self) -> float:
        return (self.length - 1) / self.fps


class SidecarCall(BaseModel):
    """A tool call in the sidecar file."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=200)
    args: dict[str, Any] = {}
    status: str = Field("ok", max_length=40)
    at_s: float = Field(0.0, ge=-1.0, le=3600.0)


class SidecarEntry(BaseModel):
    """One demonstration in the sidecar file; a dataset of another program has none."""

    id: str = Field(pattern=ID.pattern)
    source: Source = "teleoperation"
    person: Annotated[str, Field(max_length=200)] = ""
    created_at: Annotated[str, Field(max_length=40)] = ""
    tool_calls: Annotated[list[SidecarCall], Field(max_length=1000)] = []
    task: str | None = None
    length: int | None = None
    """As they were when this was written: another program may have changed the dataset since."""

    def is_of(self, task: str, length: int) -> bool:
        return self.task in (None, task) and self.length in (None, length)


class _Feature(BaseModel):
    dtype: str
    shape: list[int]
    names: Any = None


class _Info(BaseModel):
    codebase_version: str
    fps: int = Field(ge=1, le=MAX_FPS)
    features: dict[str, _Feature]

    @property
    def video_key(self) -> str | None:
        return next((name for name, about in self.features.items() if about.dtype == "video"), None)


def read_episodes(folder: Path, *, films: bool = True) -> list[StoredEpisode]:
    """What is in a dataset, without its rows, and without video unless `films`. Raises DatasetInvalid, MissingExtra."""
    info = _read_info(folder)
    needed = ["episode_index", "tasks", "length", "dataset_from_index", "dataset_to_index"]
    key = info.video_key if films else None
    places = [f"videos/{key}/{name}" for name in ("chunk_index", "file_index", "from_timestamp")] if key else []
    rows: list[dict[str, Any]] = []
    for file in _parquet_files(folder, EPISODES_FOLDER):
        rows += _table(file, [*needed, *places]).to_pylist()
    if not 0 < len(rows) <= MAX_DEMONSTRATIONS:
        raise _broken(folder, f"has {len(rows)} demonstrations", hint=f"1 to {MAX_DEMONSTRATIONS}")
    rows.sort(key=lambda row: int(row["episode_index"] or 0))
    entries, start = _read_sidecar(folder), 0
    found: list[StoredEpisode] = []
    for number, row in enumerate(rows):
        numbers = [row[name] for name in ("episode_index", "length", "dataset_from_index", "dataset_to_index")]
        length = numbers[1]
        if not all(isinstance(value, int) for value in numbers) or length < 1:
            raise _broken(folder, f"episode {number} has no length")
        if numbers != [number, length, start, start + length]:
            raise _broken(folder, f"its list of episodes has a gap at {number}")
        tasks = row["tasks"]
        task = tasks[0] if isinstance(tasks, list) and tasks and isinstance(tasks[0], str) else ""
        film, film_start = _film(folder, key, row) if key else (None, 0.0)
        about = entries[number] if number < len(entries) else None
        if about is None or not about.is_of(task, length):
            about = SidecarEntry(id=_made_id(folder, number))
        found.append(StoredEpisode(task or "unnamed", length, info.fps, about, film, film_start))
        start += length
    if len({one.about.id for one in found}) != len(found):
        raise _broken(folder, "two demonstrations have the same id")
    return found


def read_demonstrations(folder: Path, *, films: bool = True) -> list[Demonstration]:
    """All demonstrations of a dataset, without video unless `films`. Raises DatasetInvalid, MissingExtra."""
    info, episodes = _read_info(folder), read_episodes(folder, films=films)
    total = sum(one.length for one in episodes)
    columns = [STATE, ACTION, "episode_index", *([TARGET] if TARGET in info.features else [])]
    parts: dict[str, list[Any]] = {name: [] for name in columns}
    for file in _parquet_files(folder, Path("data")):
        table = _table(file, columns)
        for name in columns:
            width = 0 if name == "episode_index" else info.features[name].shape[0]
            parts[name].append(_values(file, table, name, width))
    rows = {name: np.concatenate(found) for name, found in parts.items()}
    if len(rows[STATE]) != total:
        raise _broken(folder, f"has {len(rows[STATE])} rows and not the {total} of its episodes")
    if (rows["episode_index"] != np.repeat(np.arange(len(episodes)), [one.length for one in episodes])).any():
        raise _broken(folder, "its rows are not those of its list of episodes")
    found, start = [], 0
    for one in episodes:
        part = slice(start, start + one.length)
        targets = rows[TARGET][part] if TARGET in rows else unseen(one.length)
        try:
            found.append(_demonstration(one, rows[STATE][part], rows[ACTION][part], targets))
        except InvalidParameter as error:
            raise _broken(folder, f"{one.about.id}: {error.message}", hint=error.hint) from None
        start += one.length
    return found


def _demonstration(one: StoredEpisode, states: Rows, actions: Rows, targets: Rows) -> Demonstration:
    about = one.about
    return Demonstration(
        one.task[:500],
        states,
        actions,
        targets,
        about.source,
        one.fps,
        id=about.id,
        person=printable(about.person),
        created_at=printable(about.created_at),
        tool_calls=tuple(
            DemonstratedCall(printable(call.name), call.args, printable(call.status), call.at_s)
            for call in about.tool_calls
        ),
        video=one.video,
        video_start=one.video_start,
    )


def _read_info(folder: Path) -> _Info:
    raw = _json(folder, INFO_FILE)
    version = raw.get("codebase_version") if isinstance(raw, dict) else None
    if version != VERSION:
        hint = "convert an older one with LeRobot's own converter (v2.1 to v3.0)"
        raise _broken(
            folder, f"is a LeRobot dataset of version {printable(str(version)[:20])}, not {VERSION}", hint=hint
        )
    try:
        info = _Info.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        raise _broken(folder, f"{INFO_FILE}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    for name in (STATE, ACTION):
        feature = info.features.get(name)
        if feature is None or feature.shape != [len(POSE_NAMES)] or _names(feature.names) != list(POSE_NAMES):
            hint = f"{name} must have the nine numbers {', '.join(POSE_NAMES)}, in metres and radians"
            raise _broken(folder, "is not of a Reachy Mini", hint=hint)
    target = info.features.get(TARGET)
    if target is not None and target.shape != [len(TARGET_NAMES)]:
        raise _broken(folder, f"{TARGET} has the shape {target.shape}", hint=", ".join(TARGET_NAMES))
    return info


def _names(names: object) -> list[Any]:
    """LeRobot's names are a list, or one list in an object."""
    if isinstance(names, dict) and len(names) == 1:
        names = next(iter(names.values()))
    return names if isinstance(names, list) else []


def _read_sidecar(folder: Path) -> list[SidecarEntry]:
    """What it says about the demonstrations; of another program's dataset, or one that it changed, not about all."""
    if not (folder / SIDECAR_FILE).exists():
        return []
    raw = _json(folder, SIDECAR_FILE)
    listed = raw.get("demonstrations") if isinstance(raw, dict) else None
    if not isinstance(listed, list) or len(listed) > MAX_DEMONSTRATIONS:
        raise _broken(folder, f"{SIDECAR_FILE} lists no demonstrations")
    try:
        return [SidecarEntry.model_validate(entry) for entry in listed]
    except ValidationError as error:
        raise _broken(folder, f"{SIDECAR_FILE}: {error.errors()[0]['msg']}") from None


def _made_id(folder: Path, number: int) -> str:
    return hashlib.sha256(f"{folder.name}/{number}".encode()).hexdigest()[:12]


def _film(folder: Path, key: str, row: Mapping[str, Any]) -> tuple[Path | None, float]:
    chunk, number, start = (row[f"videos/{key}/{name}"] for name in ("chunk_index", "file_index", "from_timestamp"))
    if not (isinstance(chunk, int) and isinstance(number, int) and isinstance(start, float | int)):
        raise _broken(folder, "an episode has no video, but the dataset has")
    if "/" in key or ".." in key:
        raise _broken(folder, f"'{printable(key[:40])}' is no name of a camera")
    file = folder / VIDEO_PATH.format(video_key=key, chunk_index=chunk, file_index=number)
    if not file.is_file() or file.is_symlink():
        raise _broken(folder, f"{file.relative_to(folder)} is missing")
    return file, float(start)


def _parquet_files(folder: Path, under: Path) -> list[Path]:
    files = sorted((folder / under).glob("chunk-*/file-*.parquet"))
    if not files:
        raise _broken(folder, f"has no files in {under}")
    return files


def _table(file: Path, columns: Sequence[str]) -> Any:
    pa, parquet = arrow()
    _require_small(file, MAX_TABLE_BYTES)
    try:
        opened = parquet.ParquetFile(file)
        about = opened.metadata
        size = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
        if about.num_rows > MAX_ROWS or size > MAX_TABLE_BYTES:
            raise DatasetInvalid(f"{file.name} has more rows than a dataset of demonstrations should")
        missing = [name for name in columns if name not in opened.schema_arrow.names]
        if missing:
            raise DatasetInvalid(f"{file.name} lacks {', '.join(missing)}", hint="is it a LeRobot dataset?")
        return opened.read(columns=list(columns))
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = printable(str(error).partition("\n")[0][:200])
        raise DatasetInvalid(
            f"{file.parent.parent.parent.name}/{file.name} can't be read: {reason}", hint=_HINT
        ) from None


def _values(file: Path, table: Any, name: str, width: int) -> Any:
    column = table.column(name).combine_chunks()
    try:
        if column.null_count:
            raise ValueError("a value is missing")
        if not width:
            return column.to_numpy(zero_copy_only=False).astype(np.int64)
        flat = column.flatten().to_numpy(zero_copy_only=False).astype(np.float32)
        return flat.reshape(len(column), width)
    except (ValueError, TypeError, AttributeError, NotImplementedError) as error:
        raise DatasetInvalid(f"{file.name}: {name}: {printable(str(error)[:200])}", hint=_HINT) from None


def _json(folder: Path, name: Path) -> Any:
    file = folder / name
    try:
        _require_small(file, MAX_META_BYTES)
        return json.loads(file.read_bytes())
    except OSError as error:
        raise _broken(folder, f"{name}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise _broken(folder, f"{name} is no JSON: {printable(str(error)[:200])}") from None


def _require_small(file: Path, most: int) -> None:
    about = file.lstat()
    if not stat.S_ISREG(about.st_mode) or about.st_size > most:
        raise DatasetInvalid(f"{file.name} is no file of at most {most >> 20} MiB", hint=_HINT)


_HINT = "delete it, import it again, or put back a copy"


def _broken(folder: Path, reason: str, *, hint: str = _HINT) -> DatasetInvalid:
    return DatasetInvalid(f"the dataset {printable(folder.name)}: {reason}", hint=hint)
