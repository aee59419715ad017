from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.sim.recordings import Datasets, NoSuchMove, UnusableMove, decode
from reachy_mind.sim.robot import Refused
from reachy_mind.sim.uploads import MAX_SLOTS, Uploads, read_move


def content(*frames: tuple[float, Pose]) -> dict[str, Any]:
    """A recorded move as the vendor writes it: a head as rows of four."""
    targets = []
    for _, pose in frames:
        flat = pose.head_matrix()
        rows = [list(flat[i : i + 4]) for i in range(0, 16, 4)]
        targets.append({"head": rows, "antennas": list(pose.antennas), "body_yaw": pose.body_yaw})
    return {"description": "a move", "time": [t for t, _ in frames], "set_target_data": targets}


def text(*frames: tuple[float, Pose]) -> str:
    return json.dumps(content(*frames))


def keep(cache: Path, dataset: str, name: str, move: str, folder: str = "") -> Path:
    """A move where the vendor's programs look for one, as a file; `cache` is the `hub` folder."""
    home = cache / f"datasets--{dataset.replace('/', '--')}"
    file = home / "snapshots" / "abc" / folder / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(move)
    (home / "refs").mkdir(exist_ok=True)
    (home / "refs" / "main").write_text("abc")
    return file


NOD = text((10.0, AWAKE), (10.5, Pose(pitch=0.3, body_yaw=0.2)), (11.0, AWAKE))


def test_poses_between_frames_and_past_the_end() -> None:
    nod = decode("nod", NOD)
    assert nod.duration == pytest.approx(1.0), "its own clock may start anywhere"
    assert nod.pose(0.25).pitch == pytest.approx(0.15) and nod.pose(0.25).body_yaw == pytest.approx(0.1)
    assert nod.pose(1.0).distance(AWAKE) < 1e-9 and nod.pose(5.0).distance(AWAKE) < 1e-9


def test_a_head_that_passes_behind_takes_the_short_way() -> None:
    behind = decode("turn", text((0.0, Pose(yaw=math.radians(178))), (1.0, Pose(yaw=math.radians(-178)))))
    assert abs(math.degrees(behind.pose(0.5).yaw)) == pytest.approx(180, abs=0.01)


def damaged(change: Callable[[dict[str, Any]], object]) -> str:
    move = content((0.0, AWAKE), (1.0, AWAKE))
    change(move)
    return json.dumps(move)


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("nothing", "JSON"),
        ("{}", "time"),
        (damaged(lambda m: m["time"].pop()), "time"),
        (damaged(lambda m: m["set_target_data"].pop()), "2 times for 1 targets"),
        (damaged(lambda m: m["time"].reverse()), "backwards"),
        (damaged(lambda m: m.update(time=[1.0, 1.0])), "takes no time"),
        (damaged(lambda m: m["set_target_data"][0]["head"].pop()), "head"),
        (damaged(lambda m: m["set_target_data"][0].update(body_yaw=math.nan)), "body_yaw"),
    ],
)
def test_what_is_no_move_says_why(move: str, reason: str) -> None:
    with pytest.raises(UnusableMove, match=reason):
        decode("bad", move)


def test_datasets_are_found_where_the_vendor_keeps_them(tmp_path: Path) -> None:
    hub = tmp_path / "hub"
    keep(hub, "org/moves", "nod", NOD)
    keep(hub, "org/moves", "shake", NOD, "data")
    for environ in ({"HF_HOME": str(tmp_path)}, {"HF_HUB_CACHE": str(hub)}):
        datasets = Datasets.of_this_machine(environ)
        assert datasets.names("org/moves") == ["nod", "shake"]
        assert datasets.read("org/moves", "shake").duration == pytest.approx(1.0)
    with pytest.raises(NoSuchMove, match="wave"):
        datasets.read("org/moves", "wave")


@pytest.mark.parametrize("name", ["org/nothing", "nothing", "../../etc", "org/..", "a/b/c", ""])
def test_a_dataset_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(NoSuchMove):
        Datasets(tmp_path).names(name)


def test_a_revision_does_not_lead_out_of_the_cache(tmp_path: Path) -> None:
    keep(tmp_path, "org/moves", "nod", NOD)
    (tmp_path / "secret.json").write_text(NOD)
    (tmp_path / "datasets--org--moves" / "refs" / "main").write_text("../..")
    with pytest.raises(NoSuchMove):
        Datasets(tmp_path).read("org/moves", "secret")


def test_uploads_that_are_incomplete_or_out_of_order_are_refused() -> None:
    uploads = Uploads("move", read_move)
    with pytest.raises(Refused, match="no upload"):
        uploads.chunk("a", 0, NOD)
    uploads.start("a", 2, "json")
    uploads.chunk("a", 0, NOD)
    with pytest.raises(Refused, match="1 of 2"):
        uploads.finish("a")
    uploads.start("a", 2, "json")
    with pytest.raises(Refused, match="out of order"):
        uploads.chunk("a", 1, NOD)
    uploads.start("a", 1, "gzip+base64")
    uploads.chunk("a", 0, NOD)
    with pytest.raises(Refused):
        uploads.finish("a")
    assert uploads.take("a") is None


def test_only_so_many_uploads_are_kept() -> None:
    uploads = Uploads("move", read_move)
    for number in range(MAX_SLOTS + 1):
        uploads.start(str(number), 1, "json")
        uploads.chunk(str(number), 0, NOD)
        uploads.finish(str(number))
    assert uploads.take("0") is None and uploads.take("1") is not None
    assert uploads.take("1") is None, "an upload plays once"
