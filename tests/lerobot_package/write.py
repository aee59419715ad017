"""Writes datasets with LeRobot's own code. Runs in `.lerobot`.

`write.py new FOLDER [film]`: two tasks in three episodes, recorded with `add_frame` and `save_episode`.
`write.py resume DATASET`: one more episode at the end of a dataset.
`write.py delete DATASET FOLDER`: the dataset without its first episode, by LeRobot's dataset tools.
`write.py merge FOLDER DATASET DATASET`: two datasets in one, likewise.
`write.py push DATASET`: uploads it to the Hub at HF_ENDPOINT with the Hub's own client.
`write.py pull FOLDER`: downloads it from there, likewise.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")
sys.path.insert(0, str(Path(__file__).parent))
import numpy as np  # noqa: E402
import torchvision_import  # noqa: E402, F401
from huggingface_hub import HfApi  # noqa: E402
from lerobot.datasets.dataset_tools import delete_episodes, merge_datasets  # noqa: E402
from lerobot.datasets.lerobot_dataset import LeRobotDataset  # noqa: E402

POSE = ["x", "y", "z", "roll", "pitch", "yaw", "body_yaw", "antenna_left", "antenna_right"]
FPS = 20
NAME = "reachy-mind/written"
CAMERA = "observation.images.camera"
EPISODES = (("look at the cup", 21), ("wave", 13), ("look at the cup", 17))


def new(root: Path, film: str = "") -> None:
    pose = {"dtype": "float32", "shape": (9,), "names": POSE}
    features: dict[str, Any] = {"observation.state": pose, "action": pose}
    if film:
        features[CAMERA] = {"dtype": "video", "shape": (48, 64, 3), "names": ["height", "width", "channels"]}
    dataset = LeRobotDataset.create(NAME, FPS, features, root=root, robot_type="reachy_mini", vcodec=film or "h264")
    for number, (task, length) in enumerate(EPISODES):
        _record(dataset, task, length, number, film=bool(film))
    dataset.finalize()


def resume(root: Path) -> None:
    dataset = LeRobotDataset(NAME, root=root, video_backend="pyav", vcodec="h264")
    extra = {"observation.target": np.zeros(4, np.float32)} if "observation.target" in dataset.features else {}
    _record(dataset, "nod", 11, 5, film=bool(dataset.meta.video_keys), **extra)
    dataset.finalize()


def delete(root: Path, out: Path) -> None:
    source = LeRobotDataset(NAME, root=root, video_backend="pyav")
    delete_episodes(source, [0], output_dir=out, repo_id=f"{NAME}-less")


def merge(out: Path, *roots: Path) -> None:
    sources = [LeRobotDataset(f"{NAME}-{number}", root=root) for number, root in enumerate(roots)]
    merge_datasets(sources, output_repo_id=f"{NAME}-both", output_dir=out)


def push(root: Path) -> None:
    # As LeRobotDataset.push_to_hub does, but for its card: that is checked at an address that is not HF_ENDPOINT.
    api = HfApi()
    api.create_repo(NAME, repo_type="dataset", private=True, exist_ok=True)
    api.upload_folder(repo_id=NAME, repo_type="dataset", folder_path=root, ignore_patterns=[".cache/**"])
    api.create_tag(NAME, tag="v3.0", repo_type="dataset")


def pull(root: Path) -> None:
    dataset = LeRobotDataset(NAME, root=root, video_backend="pyav")
    assert len(dataset[len(dataset) - 1]["action"]) == len(POSE)


def _record(dataset: LeRobotDataset, task: str, length: int, number: int, *, film: bool, **more: Any) -> None:
    for row in range(length):
        state = np.zeros(9, np.float32)
        state[5] = 0.02 * row + 0.1 * number
        frame = {"observation.state": state, "action": state + np.float32(0.01), "task": task} | more
        if film:
            frame[CAMERA] = np.full((48, 64, 3), (row * 10, 40 + 40 * number, 200), np.uint8)
        dataset.add_frame(frame)
    dataset.save_episode()


if __name__ == "__main__":
    act = {"new": new, "resume": resume, "delete": delete, "merge": merge, "push": push, "pull": pull}[sys.argv[1]]
    act(*(Path(text) if index < 1 or act is not new else text for index, text in enumerate(sys.argv[2:])))
