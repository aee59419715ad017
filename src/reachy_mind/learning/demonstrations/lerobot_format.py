"""LeRobot's dataset format, version 3.0: writes demonstrations as a dataset's folder and reads them back.

    meta/info.json, meta/stats.json, meta/tasks.parquet, meta/episodes/chunk-000/file-000.parquet
    data/chunk-000/file-000.parquet                               one file for each demonstration
    videos/observation.images.camera/chunk-000/file-000.mp4       likewise, where all were filmed

What LeRobot has no place for (id, source, person, time, tool calls) is in `meta/demonstrations.json`, which its readers
ignore. The features are `observation.state`, `observation.target` and `action`.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reachy_mind.errors import InvalidParameter, MissingExtra
from reachy_mind.learning.demonstrations import feature_statistics, video
from reachy_mind.learning.demonstrations.demonstration import POSE_NAMES, TARGET_NAMES, Demonstration, Rows

VERSION = "v3.0"
ROBOT_TYPE = "reachy_mini"
STATE, TARGET, ACTION, CAMERA = "observation.state", "observation.target", "action", "observation.images.camera"
CHUNK = 1000
DATA_PATH = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
VIDEO_PATH = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
EPISODES_FOLDER, EPISODES_FILE = Path("meta/episodes"), Path("meta/episodes/chunk-000/file-000.parquet")
INFO_FILE, STATS_FILE, TASKS_FILE = Path("meta/info.json"), Path("meta/stats.json"), Path("meta/tasks.parquet")
SIDECAR_FILE = Path("meta/demonstrations.json")
INDEX_COLUMNS = ("frame_index", "episode_index", "index", "task_index")


def arrow() -> tuple[Any, Any]:
    """pyarrow and its parquet part. Raises MissingExtra."""
    try:
        import pyarrow  # noqa: PLC0415 -- the extra
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("keeping demonstrations", "demonstrations") from None
    return pyarrow, pyarrow.parquet


def write_dataset(folder: Path, demonstrations: Sequence[Demonstration], kept: Path | None = None) -> None:
    """Write all files of a dataset into a new folder and sync them.

    `kept`: the folder of the dataset as it was; its data file of a demonstration that is still in its place is linked
    instead of written. Raises InvalidParameter for demonstrations that can't be in one dataset, OSError.
    """
    require_alike({(one.fps, one.filmed) for one in demonstrations})
    tasks = list(dict.fromkeys(one.task for one in demonstrations))
    before = _kept_episodes(kept) if kept is not None else []
    episodes: list[dict[str, Any]] = []
    statistics: list[dict[str, feature_statistics.FeatureStatistics]] = []
    image_shape, start = None, 0
    for number, one in enumerate(demonstrations):
        place = {"chunk_index": number // CHUNK, "file_index": number % CHUNK}
        file, film = folder / DATA_PATH.format(**place), folder / VIDEO_PATH.format(video_key=CAMERA, **place)
        file.parent.mkdir(parents=True, exist_ok=True)
        columns = _columns(one, number, start, tasks.index(one.task))
        old = before[number] if number < len(before) else None
        if kept is not None and old is not None and old.same_as(one):
            _link(kept / DATA_PATH.format(**place), file)
            found = old.statistics
        else:
            before = before[:number]  # what follows has other numbers now
            _write_data(file, columns)
            found = {name: feature_statistics.of_rows(values) for name, values in columns.items()}
        if one.filmed:
            film.parent.mkdir(parents=True, exist_ok=True)
            _write_film(film, one, image_shape)
            if image_shape is None or CAMERA not in found:
                images = video.read_video(film, 0.0, len(one.states))
                image_shape = images[0].shape
                found |= {CAMERA: feature_statistics.of_images([image[:, :, ::-1] for image in images])}
        episodes.append(_episode(one, number, start, place) | _flat(found))
        statistics.append(found)
        start += len(one.states)
    fps = demonstrations[0].fps if demonstrations else 0
    _write_json(folder / INFO_FILE, _info(len(demonstrations), start, len(tasks), fps, image_shape))
    _write_json(folder / STATS_FILE, feature_statistics.combined(statistics))
    _write_json(folder / SIDECAR_FILE, {"version": 1, "demonstrations": [_about(one) for one in demonstrations]})
    _write_tasks(folder / TASKS_FILE, tasks)
    _write_episodes(folder / EPISODES_FILE, episodes)
    _sync(folder)


def require_alike(kinds: Collection[tuple[int, bool]]) -> None:
    """Raises InvalidParameter unless all demonstrations of a dataset have the same rate, and all or none were filmed:
    the format wants that."""
    if len({fps for fps, _ in kinds}) > 1:
        raise InvalidParameter("the dataset has another number of rows a second", hint="choose another dataset")
    if len({filmed for _, filmed in kinds}) > 1:
        raise InvalidParameter(
            "a dataset has camera frames in all demonstrations or in none", hint="choose another dataset"
        )


def _columns(one: Demonstration, number: int, start: int, task: int) -> dict[str, Rows]:
    count = len(one.states)
    frame = np.arange(count, dtype=np.int64)
    columns: dict[str, Any] = {
        STATE: one.states,
        TARGET: one.targets,
        ACTION: one.actions,
        "timestamp": (frame / one.fps).astype(np.float32),
        "frame_index": frame,
        "episode_index": np.full(count, number, dtype=np.int64),
        "index": frame + start,
        "task_index": np.full(count, task, dtype=np.int64),
    }
    return columns


def _write_data(file: Path, columns: Mapping[str, Rows]) -> None:
    pa, parquet = arrow()
    arrays = {}
    for name, values in columns.items():
        if values.ndim == 2:
            flat = pa.array(np.ascontiguousarray(values, dtype=np.float32).ravel())
            arrays[name] = pa.FixedSizeListArray.from_arrays(flat, values.shape[1])
        else:
            arrays[name] = pa.array(values)
    parquet.write_table(pa.table(arrays), file, compression="snappy")


def _episode(one: Demonstration, number: int, start: int, place: Mapping[str, int]) -> dict[str, Any]:
    row: dict[str, Any] = {"episode_index": number, "tasks": [one.task], "length": len(one.states)}
    row |= {"dataset_from_index": start, "dataset_to_index": start + len(one.states)}
    row |= {f"data/{name}": value for name, value in place.items()}
    row |= {"meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0}
    if one.filmed:
        row |= {f"videos/{CAMERA}/{name}": value for name, value in place.items()}
        row |= {f"videos/{CAMERA}/from_timestamp": 0.0, f"videos/{CAMERA}/to_timestamp": len(one.states) / one.fps}
    return row


def _flat(statistics: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {f"stats/{name}/{kind}": values for name, found in statistics.items() for kind, values in found.items()}


def _info(episodes: int, frames: int, tasks: int, fps: int, image: tuple[int, ...] | None) -> dict[str, Any]:
    features: dict[str, Any] = {
        STATE: {"dtype": "float32", "shape": [len(POSE_NAMES)], "names": list(POSE_NAMES)},
        TARGET: {"dtype": "float32", "shape": [len(TARGET_NAMES)], "names": list(TARGET_NAMES)},
        ACTION: {"dtype": "float32", "shape": [len(POSE_NAMES)], "names": list(POSE_NAMES)},
        "timestamp": {"dtype": "float32", "shape": [1], "names": None},
    } | {name: {"dtype": "int64", "shape": [1], "names": None} for name in INDEX_COLUMNS}
    if image is not None:
        about = {"video.height": image[0], "video.width": image[1], "video.codec": video.CODEC}
        about |= {"video.pix_fmt": "yuv420p", "video.is_depth_map": False, "video.fps": fps, "video.channels": 3}
        names = ["height", "width", "channels"]
        features[CAMERA] = {
            "dtype": "video",
            "shape": list(image),
            "names": names,
            "info": about | {"has_audio": False},
        }
    return {
        "codebase_version": VERSION,
        "robot_type": ROBOT_TYPE,
        "total_episodes": episodes,
        "total_frames": frames,
        "total_tasks": tasks,
        "chunks_size": CHUNK,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": fps,
        "splits": {"train": f"0:{episodes}"},
        "data_path": DATA_PATH,
        "video_path": VIDEO_PATH if image is not None else None,
        "features": features,
    }


def _about(one: Demonstration) -> dict[str, Any]:
    about = {"id": one.id, "source": one.source, "person": one.person, "created_at": one.created_at}
    return about | {
        "task": one.task,
        "length": len(one.states),
        "tool_calls": [asdict(call) | {"args": dict(call.args)} for call in one.tool_calls],
    }


@dataclass(frozen=True)
class _KeptEpisode:
    """An episode of the dataset as it was, whose data file can be used again."""

    id: str
    task: str
    length: int
    statistics: dict[str, feature_statistics.FeatureStatistics]

    def same_as(self, one: Demonstration) -> bool:
        return (self.id, self.task, self.length) == (one.id, one.task, len(one.states))


def _kept_episodes(folder: Path) -> list[_KeptEpisode]:
    """What `write_dataset` wrote; empty for a folder that another program wrote, or that can't be read."""
    pa, parquet = arrow()
    try:
        listed = json.loads((folder / SIDECAR_FILE).read_bytes())["demonstrations"]
        rows = parquet.read_table(folder / EPISODES_FILE).to_pylist()
        kept = []
        for about, row in zip(listed, rows, strict=True):
            found: dict[str, Any] = {}
            for name, value in row.items():
                if name.startswith("stats/"):
                    feature, kind = name.removeprefix("stats/").rsplit("/", 1)
                    found.setdefault(feature, {})[kind] = value
            kept.append(_KeptEpisode(about["id"], about["task"], about["length"], found))
        files = (DATA_PATH.format(chunk_index=n // CHUNK, file_index=n % CHUNK) for n in range(len(kept)))
        return kept if all((folder / file).is_file() for file in files) else []
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException):
        return []


def _write_film(film: Path, one: Demonstration, shape: tuple[int, ...] | None) -> None:
    """The frames of `one` as a file, in the size of the dataset's first ones (`shape`)."""
    count = len(one.states)
    if one.video is None:
        images = video.decoded(one.images)
    elif one.video_start == 0.0 and _has_frames(one.video, count, shape):
        _link(one.video, film)
        return
    else:  # several demonstrations in one file, as LeRobot writes them
        images = video.read_video(one.video, one.video_start, count)
    video.write_video(film, video.resized(images, shape or images[0].shape), one.fps)


def _has_frames(file: Path, count: int, shape: tuple[int, ...] | None) -> bool:
    length, found = video.length_and_shape(file)
    return length == count and shape in (None, found)


def _write_tasks(file: Path, tasks: Sequence[str]) -> None:
    pa, parquet = arrow()
    # LeRobot reads this file with pandas and finds a task by the index: its name is in the schema's metadata.
    table = pa.table(
        {"task_index": pa.array(range(len(tasks)), pa.int64()), "__index_level_0__": pa.array(tasks, pa.string())}
    )
    column = {"metadata": None, "numpy_type": "int64", "pandas_type": "int64"}
    pandas = {
        "index_columns": ["__index_level_0__"],
        "column_indexes": [],
        "columns": [
            column | {"name": "task_index", "field_name": "task_index"},
            column
            | {"name": None, "field_name": "__index_level_0__", "numpy_type": "object", "pandas_type": "unicode"},
        ],
    }
    parquet.write_table(table.replace_schema_metadata({"pandas": json.dumps(pandas)}), file)


def _write_episodes(file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    pa, parquet = arrow()
    file.parent.mkdir(parents=True, exist_ok=True)
    names = list(rows[0]) if rows else []
    parquet.write_table(pa.table({name: [row[name] for row in rows] for name in names}), file)


def _write_json(file: Path, content: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False), encoding="utf-8")


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _sync(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
