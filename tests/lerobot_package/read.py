"""Reads a dataset with `LeRobotDataset` and puts what it got into a folder. Runs in `.lerobot`.

`read.py DATASET FOLDER`: every item of the dataset in items.npz, and everything else as JSON on the last line.
"""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")
sys.path.insert(0, str(Path(__file__).parent))
import numpy as np  # noqa: E402
import torch  # noqa: E402
import torchvision_import  # noqa: E402, F401
from lerobot.datasets.lerobot_dataset import LeRobotDataset  # noqa: E402
from lerobot.datasets.sampler import EpisodeAwareSampler  # noqa: E402

NAME = "reachy-mind/read"
STEPS = (-0.1, 0.0, 0.05)


def main(root: Path, out: Path) -> None:
    dataset = LeRobotDataset(NAME, root=root, video_backend="pyav")
    items = [dataset[number] for number in range(len(dataset))]
    numbers = [key for key, value in items[0].items() if isinstance(value, torch.Tensor)]
    arrays = {key: np.stack([item[key].numpy() for item in items]) for key in numbers}
    last = len(dataset) - 1
    report: dict[str, Any] = {
        "episodes": dataset.num_episodes,
        "frames": dataset.num_frames,
        "fps": dataset.fps,
        "robot_type": dataset.meta.robot_type,
        "features": {key: [about["dtype"], list(about["shape"])] for key, about in dataset.features.items()},
        "names": dataset.meta.names,
        "tasks": {task: int(row.task_index) for task, row in dataset.meta.tasks.iterrows()},
        "task_of_items": [item["task"] for item in items],
        "lengths": [int(row["length"]) for row in dataset.meta.episodes],
        "tasks_of_episodes": [list(row["tasks"]) for row in dataset.meta.episodes],
        "files": sorted({str(dataset.meta.get_data_file_path(number)) for number in range(dataset.num_episodes)}),
        "stats": {
            key: {name: value.tolist() for name, value in found.items()} for key, found in dataset.meta.stats.items()
        },
        "some_episodes": _some_episodes(root, dataset.num_episodes),
        "batch": _batch(dataset),
        "repr": repr(dataset),
    }
    if dataset.num_episodes <= 20:
        around = LeRobotDataset(NAME, root=root, video_backend="pyav", delta_timestamps={"action": list(STEPS)})
        for key in ("action", "action_is_pad"):
            arrays[f"around/{key}"] = np.stack([around[number][key].numpy() for number in range(len(around))])
    if dataset.meta.video_keys:
        (key,) = dataset.meta.video_keys
        window = LeRobotDataset(NAME, root=root, video_backend="pyav", delta_timestamps={key: list(STEPS)})
        arrays["around/frames"] = window[last][key].numpy()
        try:
            importlib.import_module("torchcodec")
        except (ImportError, OSError, RuntimeError) as error:
            report["torchcodec"] = str(error)[:400]
        else:
            other = LeRobotDataset(NAME, root=root, video_backend="torchcodec")
            arrays["torchcodec/frames"] = np.stack([other[number][key].numpy() for number in range(len(other))])
            report["torchcodec"] = ""
    np.savez(out / "items.npz", **{key.replace("/", "|"): value for key, value in arrays.items()})
    print(json.dumps(report))  # noqa: T201 -- the answer


def _some_episodes(root: Path, count: int) -> dict[str, Any]:
    """The first and the last episode alone, as for a split into training and test."""
    chosen = sorted({0, count - 1})
    part = LeRobotDataset(NAME, root=root, episodes=chosen, video_backend="pyav")
    return {"chosen": chosen, "found": sorted({int(part[number]["episode_index"]) for number in range(len(part))})}


def _batch(dataset: LeRobotDataset) -> dict[str, list[int]]:
    """A batch of a torch data loader, without the last row of each episode."""
    starts, ends = dataset.meta.episodes["dataset_from_index"], dataset.meta.episodes["dataset_to_index"]
    sampler = EpisodeAwareSampler(starts, ends, drop_n_last_frames=1)
    loader = torch.utils.data.DataLoader(dataset, batch_size=4, sampler=sampler)
    batch = next(iter(loader))
    return {key: list(value.shape) for key, value in batch.items() if isinstance(value, torch.Tensor)}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
