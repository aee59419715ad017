"""Recorded moves between the vendor and us: its dances with our reader, our moves with its reader and its daemon.

Runs where `make test-vendor` has put the vendor's environment, its daemon (VENDOR_DAEMON), the sampled dances
(VENDOR_DANCES) and the daemon's own Hugging Face cache (VENDOR_HF_HOME).
"""

from __future__ import annotations

import json
import math
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from reachy_mind.body.address import Address
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.motion import clips
from reachy_mind.motion.clips import Clip
from reachy_mind.motion.editing import Edit
from reachy_mind.motion.hub_download import pull_dataset
from reachy_mind.motion.moves import Frames, min_jerk
from tests.fakes.hub import Hub
from tests.waiting import until

DAEMON, DANCES = os.environ.get("VENDOR_DAEMON", ""), Path(os.environ.get("VENDOR_DANCES", ""))
CACHE = Path(os.environ.get("VENDOR_HF_HOME", ""))
PYTHON = Path(__file__).resolve().parents[2] / ".vendor" / "bin" / "python"
DATASET = "reachy-mind/conformance"

pytestmark = [pytest.mark.skipif(not DAEMON, reason="no vendor's environment"), pytest.mark.process]

EVALUATE = """
import json, sys
from reachy_mini.motion.recorded_move import RecordedMoves
library = RecordedMoves(sys.argv[1])
move = library.get(sys.argv[2])
poses = []
for t in json.load(sys.stdin):
    head, antennas, body_yaw = move.evaluate(t)
    poses.append([head.reshape(-1).tolist(), antennas.tolist(), body_yaw])
about = {"names": library.list_moves(), "duration": move.duration, "description": move.description}
print(json.dumps(about | {"sound": move.sound_path and move.sound_path.name, "poses": poses}))
"""


def turn() -> Clip:
    """Out to one side and down, held there, and back: not the same mirrored, and slow enough to be followed."""
    far = Pose(0.01, 0.012, -0.008, 0.15, 0.2, 0.45, 0.2, 0.9, -0.4)
    shares = [min_jerk(i / 60) for i in range(60)] + [1.0] * 80 + [min_jerk(1 - i / 60) for i in range(61)]
    still = [AWAKE.as_tuple] * 30
    return Clip(
        "turn", Frames([*still, *(AWAKE.blend(far, share).as_tuple for share in shares), *still]), "to the left"
    )


@pytest.fixture
def ours(tmp_path: Path) -> Clip:
    """A move of ours, edited, with a sound, in the cache where the vendor's programs look for a dataset."""
    original = turn()
    sound = tmp_path / "beep.wav"
    sound.write_bytes(b"RIFF")
    edited = Edit(start=0.2, end=2.4, mirror=True, slow=1.5).applied(original.frames)
    dataset = CACHE / "hub" / f"datasets--{DATASET.replace('/', '--')}"
    revision = "c0" * 20
    clip = replace(original, frames=edited, description="to the right", sound=sound)
    clips.write(clip, dataset / "snapshots" / revision / "turn.json", overwrite=True)
    (dataset / "refs").mkdir(exist_ok=True)
    (dataset / "refs" / "main").write_text(revision)
    return clip


def test_every_dance_of_the_vendor_is_a_move_of_ours(kinematics: Kinematics, record_property: Any) -> None:
    files = sorted(DANCES.glob("*.json"))
    assert len(files) == 20
    clamped: dict[str, int] = {}
    for file in files:
        clip = clips.read(file)
        assert clip.frames.finite and 2.0 < clip.duration < 6.0
        assert "BPM" in clip.description
        table = np.array(clip.frames.frames)
        assert table.std(axis=0).max() > 0.01, f"{clip.name} does not move"
        clamped[clip.name] = sum(bool(kinematics.within_reach(Pose(*frame))[1]) for frame in clip.frames.frames)
        assert clamped[clip.name] < len(table) / 3, f"{clip.name} is out of reach for {clamped[clip.name]} frames"
    touched = {name: count for name, count in clamped.items() if count}
    record_property("clamped", touched)
    assert len(touched) <= 4, touched


def evaluated(name: str, times: list[float]) -> Any:
    """A move as the vendor's own reader plays it."""
    environment = {**os.environ, "HF_HOME": str(CACHE), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [PYTHON, "-c", EVALUATE, DATASET, name],
        input=json.dumps(times), capture_output=True, text=True, env=environment, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_vendors_reader_plays_our_move_as_we_do(ours: Clip) -> None:
    """On every frame and between them, over the whole of its time."""
    times = [tick / 200 for tick in range(2 * len(ours.frames.frames) - 2)]
    played = evaluated("turn", times)
    assert played["names"] == ["turn"] and played["description"] == "to the right" and played["sound"] == "turn.wav"
    assert played["duration"] == pytest.approx(ours.duration)
    for number, (t, (head, antennas, body_yaw)) in enumerate(zip(times, played["poses"], strict=True)):
        pose = ours.frames.evaluate(t)
        near = 1e-4 if number % 2 else 1e-6
        assert head == pytest.approx(pose.head_matrix(), abs=near), f"at {t} s"
        assert antennas == pytest.approx(pose.antennas, abs=1e-6)
        assert body_yaw == pytest.approx(pose.body_yaw, abs=1e-6)


async def test_the_vendors_daemon_plays_our_move(ours: Clip) -> None:
    wish = min((Pose(*frame) for frame in ours.frames.frames), key=lambda pose: pose.yaw)
    measured: list[dict[str, float]] = []
    async with httpx.AsyncClient(base_url=Address.parse(DAEMON).http, timeout=20) as http:

        async def until_done(started: httpx.Response) -> None:
            started.raise_for_status()

            async def ended() -> bool:
                measured.append((await http.get("/api/state/present_head_pose")).raise_for_status().json())
                return started.json() not in (await http.get("/api/move/running")).raise_for_status().json()

            await until(ended)

        await http.post("/api/motors/set_mode/enabled")
        neutral = {"head_pose": {"x": 0.0}, "antennas": AWAKE.antennas, "body_yaw": 0.0, "duration": 1.5}
        await until_done(await http.post("/api/move/goto", json=neutral))
        measured.clear()
        assert (await http.get(f"/api/move/recorded-move-datasets/list/{DATASET}")).json() == ["turn"]
        await until_done(await http.post(f"/api/move/play/recorded-move-dataset/{DATASET}/turn"))
    assert len(measured) > 10
    far = min(measured, key=lambda pose: pose["yaw"])
    assert far["yaw"] == pytest.approx(wish.yaw, abs=math.radians(4)) and wish.yaw < -0.4
    assert max(pose["pitch"] for pose in measured) == pytest.approx(wish.pitch, abs=math.radians(4))
    assert min(pose["roll"] for pose in measured) == pytest.approx(wish.roll, abs=math.radians(4))
    assert max(pose["yaw"] for pose in measured) < math.radians(5)


async def test_a_dataset_in_the_vendors_cache_is_taken_from_there(ours: Clip, tmp_path: Path) -> None:
    pulled = await pull_dataset(DATASET, tmp_path / "moves", endpoint="http://127.0.0.1:1", cache=CACHE)
    assert pulled.names == ["turn"] and pulled.from_cache
    copied = clips.read(tmp_path / "moves" / "turn.json")
    assert np.array(copied.frames.frames) == pytest.approx(np.array(ours.frames.frames), abs=1e-6)


def test_our_fake_hub_is_one_to_the_hubs_own_client() -> None:
    """The list of files, over several pages; `tests/motion/test_hub.py` relies on it."""
    listing = (
        "import sys, json, huggingface_hub as hub\n"
        "tree = list(hub.HfApi().list_repo_tree(sys.argv[1], repo_type='dataset', recursive=False))\n"
        "print(json.dumps([[node.path, node.blob_id, node.lfs and node.lfs.sha256] for node in tree"
        " if isinstance(node, hub.hf_api.RepoFile)]))"
    )
    with Hub(DATASET) as fake:
        fake.files = {f"{name}.json": name.encode() * 2000 for name in ("a", "b", "long", "d", "e")}
        environment = {**os.environ, "HF_ENDPOINT": fake.url, "HF_HUB_OFFLINE": "0", "HF_HOME": str(CACHE)}
        done = subprocess.run(
            [PYTHON, "-c", listing, DATASET],
            capture_output=True, text=True, env=environment, check=False, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        nodes = {node["path"]: [node["path"], node["oid"], node.get("lfs", {}).get("oid")] for node in fake.nodes("")}
    assert json.loads(done.stdout) == list(nodes.values()) and nodes["long.json"][2]
