"""`PageModel`: a small 3D model of the robot for the page, built from the vendor's description into a cache folder.

`build` writes `figure.urdf` and binary glTF meshes of the visible surfaces. Each joint takes a value the robot reports:
`yaw_body` and `stewart_1..6` the seven joint angles, `left_antenna` and `right_antenna` those of a `Pose`. The joints
`head` and `rod_1..6` float. The head's transform is the joint's origin times `Pose.head_matrix()`, relative to the
foot: it does not turn with the body. Rod i begins at `arm_tip_i`, and its z axis points to `head_ball_i`.

`python -m reachy_mind.body.page_model DESCRIPTION CACHE` builds the model if it is missing and prints where it is.
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

SOURCE_FILES = ("page_model.py", "skeleton.py", "meshes.py")
PARTIAL_EXPIRY_S, MODEL_EXPIRY_S = 3600.0, 7 * 86400.0
METADATA_FILE = "figure.json"
PARTIAL_PREFIX = ".figure-"


@dataclass(frozen=True)
class PageModel:
    """A model on disk and its rendering cost. Draw calls and triangles count every arm, rod and antenna."""

    folder: Path
    triangles: int
    draw_calls: int
    bytes: int


def fingerprint(description: Path) -> str:
    """Cache key: a hash of the description and of the code that builds the model. Raises AssetError."""
    sources = (description / "mjcf" / "reachy_mini.xml", *(Path(__file__).with_name(part) for part in SOURCE_FILES))
    try:
        parts = [source.read_bytes() for source in sources]
    except OSError as error:
        raise _unusable(description, error) from error
    return hashlib.sha256(b"\0".join([*parts, version("fast-simplification").encode()])).hexdigest()[:12]


def folder(description: Path, cache: Path) -> Path:
    """The cache folder of this description's model. Raises AssetError."""
    return cache / f"figure-{fingerprint(description)}"


def load(folder: Path) -> PageModel | None:
    """The model in `folder`; None when it is missing or incomplete."""
    try:
        facts = json.loads((folder / METADATA_FILE).read_text(encoding="utf-8"))
        figure = PageModel(folder, int(facts["triangles"]), int(facts["draw_calls"]), int(facts["bytes"]))
        return figure if figure.bytes == _size(folder) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def build(description: Path, folder: Path) -> PageModel:
    """Build the model and move it to `folder` atomically.

    Of several concurrent builds, the first one's result stays. Raises AssetError when the description is missing or
    damaged, and when the model can't be written.
    """
    files, triangles, draw_calls = _build_files(description)
    figure = PageModel(folder, triangles, draw_calls, sum(map(len, files.values())))
    facts = {"triangles": triangles, "draw_calls": draw_calls, "bytes": figure.bytes}
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _remove_stale(folder)
        partial = Path(tempfile.mkdtemp(prefix=PARTIAL_PREFIX, dir=folder.parent))
        try:
            for name, content in (files | {METADATA_FILE: json.dumps(facts).encode()}).items():
                (partial / name).write_bytes(content)
            partial.chmod(0o755)  # mkdtemp allows only its owner
            return _move_into_place(partial, figure)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    except OSError as error:
        raise AssetError(
            f"the robot's 3D model can't be saved in {folder}: {error}",
            hint="is the disk full, or the folder read-only?",
        ) from error


def _move_into_place(partial: Path, figure: PageModel) -> PageModel:
    for last in (False, True):
        try:
            partial.rename(figure.folder)
        except OSError:  # the folder exists: another build's result, or a damaged model
            there = load(figure.folder)
            if there is not None:
                return there
            if last:
                raise
            # Moved away atomically: another build may do the same.
            aside = partial.with_name(f"{partial.name}-damaged")
            with contextlib.suppress(FileNotFoundError):
                figure.folder.rename(aside)
            shutil.rmtree(aside, ignore_errors=True)
        else:
            break
    return figure


def _remove_stale(folder: Path) -> None:
    """Remove the remains of killed builds, and models with an old cache key."""
    for pattern, age_s in ((f"{PARTIAL_PREFIX}*", PARTIAL_EXPIRY_S), ("figure-*", MODEL_EXPIRY_S)):
        for left in folder.parent.glob(pattern):
            with contextlib.suppress(OSError):
                if left != folder and time.time() - left.stat().st_mtime > age_s:
                    shutil.rmtree(left)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir() if file.name != METADATA_FILE)


def _build_files(description: Path) -> tuple[dict[str, bytes], int, int]:
    """The model's files by name, its triangles and its draw calls."""
    # Imported here: finding an existing model needs neither MuJoCo nor the simplifier.
    from reachy_mind.body import meshes, skeleton  # noqa: PLC0415

    root = description / "mjcf" / "reachy_mini.xml"
    if not root.is_file():
        raise _unusable(description, "it has no mjcf/reachy_mini.xml")
    height = Kinematics(description / "kinematics_data.json").head_height
    try:
        robot = skeleton.Skeleton(root)
        shown = robot.surfaces()
    except (skeleton.DescriptionDamaged, KeyError) as error:
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
    """Build the model of DESCRIPTION in CACHE unless it exists; prints one line of JSON with its folder."""
    try:
        description, cache = map(Path, arguments)
    except ValueError:
        sys.stderr.write(
            "error: two arguments are needed\nhint: python -m reachy_mind.body.page_model DESCRIPTION CACHE\n"
        )
        return 1
    try:
        place = folder(description, cache)
        there = load(place)
        figure = there or build(description, place)
    except MindError as error:
        sys.stderr.write(f"error: {error.message}\nhint: {error.hint}\n")
        return 1
    facts = {"folder": str(figure.folder), "triangles": figure.triangles, "draw_calls": figure.draw_calls}
    sys.stdout.write(json.dumps(facts | {"bytes": figure.bytes, "built": there is None}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
