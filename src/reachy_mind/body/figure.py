"""The robot as a picture: a light figure for a page to show, made of the vendor's description.

`build` writes `figure.urdf` and binary glTF meshes of what one sees of the robot. Every joint takes a number the robot
reports: `yaw_body` and `stewart_1..6` its seven joint angles, `left_antenna` and `right_antenna` those of a `Pose`. The
joints `head` and `rod_1..6` float. The head's transform is the joint's origin times `Pose.head_matrix()`, relative to
the foot: it does not turn with the body. Rod i begins at `arm_tip_i`, and its z axis points to `head_ball_i`.

`python -m reachy_mind.body.figure DESCRIPTION CACHE` makes the figure where it is missing and says where it is.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.errors import AssetError, MindError

PARTS = ("figure.py", "skeleton.py", "meshes.py")
STALE_S, OLD_S = 3600.0, 7 * 86400.0
FACTS = "figure.json"
PARTIAL = ".figure-"


@dataclass(frozen=True)
class Figure:
    """A figure on disk: what it takes to show it. Draw calls and triangles count every arm, rod and antenna."""

    folder: Path
    triangles: int
    draw_calls: int
    bytes: int


def edition(description: Path) -> str:
    """What the figure is made of and by, in twelve letters. Raises AssetError when the description is not there."""
    sources = (description / "mjcf" / "reachy_mini.xml", *(Path(__file__).with_name(part) for part in PARTS))
    try:
        parts = [source.read_bytes() for source in sources]
    except OSError as error:
        raise _unusable(description, error) from error
    return hashlib.sha256(b"\0".join([*parts, version("fast-simplification").encode()])).hexdigest()[:12]


def folder(description: Path, cache: Path) -> Path:
    """Where the figure of this description belongs."""
    return cache / f"figure-{edition(description)}"


def found(folder: Path) -> Figure | None:
    """The figure in `folder`, if one is there and whole."""
    try:
        facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        figure = Figure(folder, int(facts["triangles"]), int(facts["draw_calls"]), int(facts["bytes"]))
        return figure if figure.bytes == _size(folder) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def build(description: Path, folder: Path) -> Figure:
    """Make the figure and put it into `folder`, all at once: nobody ever sees half of it.

    Of several builds at the same time the first one's figure stays. Raises AssetError when the description is missing
    or damaged, and when the figure can't be written.
    """
    files, triangles, draw_calls = _made(description)
    figure = Figure(folder, triangles, draw_calls, sum(map(len, files.values())))
    facts = {"triangles": triangles, "draw_calls": draw_calls, "bytes": figure.bytes}
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        partial = Path(tempfile.mkdtemp(prefix=PARTIAL, dir=folder.parent))
        try:
            for name, content in (files | {FACTS: json.dumps(facts).encode()}).items():
                (partial / name).write_bytes(content)
            partial.chmod(0o755)  # a temporary folder is made for its owner alone
            return _placed(partial, figure)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise AssetError(
            f"the robot's figure can't be kept in {folder}: {error}", hint="is the disk full, or the folder read-only?"
        ) from error


def _placed(partial: Path, figure: Figure) -> Figure:
    for last in (False, True):
        try:
            partial.rename(figure.folder)
        except OSError:  # something is there already: what another build made, or a damaged figure
            there = found(figure.folder)
            if there is not None:
                return there
            if last:
                raise
            # Out of the way in one step: another build may be doing the same.
            aside = partial.with_name(f"{partial.name}-damaged")
            with contextlib.suppress(FileNotFoundError):
                figure.folder.rename(aside)
            shutil.rmtree(aside, ignore_errors=True)
        else:
            break
    return figure


def _sweep(folder: Path) -> None:
    """Remove what builds that were killed have left, and figures of editions before this one."""
    for pattern, age_s in ((f"{PARTIAL}*", STALE_S), ("figure-*", OLD_S)):
        for left in folder.parent.glob(pattern):
            with contextlib.suppress(OSError):
                if left != folder and time.time() - left.stat().st_mtime > age_s:
                    shutil.rmtree(left)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir() if file.name != FACTS)


def _made(description: Path) -> tuple[dict[str, bytes], int, int]:
    """The figure's files by name, its triangles and its draw calls."""
    # Neither MuJoCo nor the simplifier is loaded to find a figure that is there.
    from reachy_mind.body import meshes, skeleton  # noqa: PLC0415

    root = description / "mjcf" / "reachy_mini.xml"
    if not root.is_file():
        raise _unusable(description, "it has no mjcf/reachy_mini.xml")
    height = Kinematics(description / "kinematics_data.json").head_height
    try:
        robot = skeleton.Skeleton(root)
        shown = robot.surfaces()
    except (skeleton.Damaged, KeyError) as error:
        raise _unusable(description, error) from error
    files = {f"{name}.glb": meshes.glb(surfaces) for name, surfaces in shown.items()}
    files["figure.urdf"] = skeleton.urdf(robot.frames, height).encode()
    drawn = [surface for name, surfaces in shown.items() for surface in surfaces * skeleton.COPIES.get(name, 1)]
    return files, sum(len(surface.faces) for surface in drawn), len(drawn)


def _unusable(description: Path, reason: object) -> AssetError:
    return AssetError(
        f"the robot description in {description} can't be used: {reason}",
        hint="reachy-mind models pull robot-description",
    )


def main(arguments: Sequence[str]) -> int:
    """Build the figure of DESCRIPTION in CACHE unless it is there; one line of JSON says where it is."""
    try:
        description, cache = map(Path, arguments)
    except ValueError:
        sys.stderr.write("error: two arguments are needed\nhint: python -m reachy_mind.body.figure DESCRIPTION CACHE\n")
        return 1
    try:
        place = folder(description, cache)
        there = found(place)
        figure = there or build(description, place)
    except MindError as error:
        sys.stderr.write(f"error: {error.message}\nhint: {error.hint}\n")
        return 1
    facts = {"folder": str(figure.folder), "triangles": figure.triangles, "draw_calls": figure.draw_calls}
    sys.stdout.write(json.dumps(facts | {"bytes": figure.bytes, "built": there is None}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
