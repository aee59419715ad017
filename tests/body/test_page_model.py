"""The robot's 3D model for the page: small enough, and in the pose that MuJoCo computes."""

from __future__ import annotations

import json
import math
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest

import reachy_mind
from reachy_mind.body import page_model, skeleton
from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.page_model import PageModel
from reachy_mind.body.pose import ASLEEP, AWAKE, Pose
from reachy_mind.errors import AssetError

pytestmark = pytest.mark.simulator  # MuJoCo reads every mesh, for seconds

Array = np.ndarray[Any, np.dtype[Any]]

BUILT_IN = Path(reachy_mind.__file__).parent / "server" / "web" / "figure" / "figure.urdf"
LEGS = range(1, 7)
JOINTS = {
    "yaw_body": ("revolute", "foot", "body"),
    "head": ("floating", "foot", "head"),
    "left_antenna": ("revolute", "head", "left_antenna_link"),
    "right_antenna": ("revolute", "head", "right_antenna_link"),
    **{f"stewart_{leg}": ("revolute", "body", f"arm_{leg}") for leg in LEGS},
    **{f"arm_tip_{leg}": ("fixed", f"arm_{leg}", f"arm_tip_{leg}") for leg in LEGS},
    **{f"head_ball_{leg}": ("fixed", "head", f"head_ball_{leg}") for leg in LEGS},
    **{f"rod_{leg}": ("floating", "foot", f"rod_{leg}") for leg in LEGS},
}
POSES = {
    "awake": AWAKE,
    "asleep": ASLEEP,
    "head tilted and turned": Pose(z=0.01, roll=0.25, pitch=-0.2, yaw=0.5, antenna_left=-0.7, antenna_right=0.9),
    "head shifted": Pose(x=0.01, y=-0.01, z=0.005, pitch=0.2, antenna_left=1.5, antenna_right=1.5),
    "body turned, head not": Pose(body_yaw=0.6, antenna_left=math.pi, antenna_right=-math.pi),
    "both turned": Pose(yaw=-1.2, roll=-0.1, body_yaw=-0.8),
}


@pytest.fixture(scope="module")
def made(description: Path, tmp_path_factory: pytest.TempPathFactory) -> PageModel:
    return page_model.build(description, page_model.folder(description, tmp_path_factory.mktemp("cache")))


# What it weighs, and what it is made of


def test_the_whole_robot_stays_within_the_budget_of_a_page(made: PageModel) -> None:
    assert 20_000 < made.triangles <= 50_000
    assert made.draw_calls <= 36
    files = sum(file.stat().st_size for file in made.folder.iterdir() if file.name != "figure.json")
    assert made.bytes == files < 3_000_000


def test_the_numbers_are_those_of_the_files(made: PageModel) -> None:
    visuals = [mesh.attrib["filename"] for mesh in parsed(made.folder / "figure.urdf").iter("mesh")]
    shown = [primitive for name in visuals for primitive in primitives(made.folder / name)]
    assert (sum(len(p.faces) for p in shown), len(shown)) == (made.triangles, made.draw_calls)


@pytest.mark.parametrize("which", ["made", "built in"])
def test_both_figures_have_the_joints_and_links_the_page_drives(made: PageModel, which: str) -> None:
    robot = parsed(made.folder / "figure.urdf" if which == "made" else BUILT_IN)
    found = {
        joint.attrib["name"]: (joint.attrib["type"], child(joint, "parent")["link"], child(joint, "child")["link"])
        for joint in robot.iter("joint")
    }
    assert found == JOINTS
    links = {link.attrib["name"]: link for link in robot.iter("link")}
    assert links.keys() == {"foot", *(end for _, _, end in JOINTS.values())}
    bare = {name for name, link in links.items() if link.find("visual") is None}
    assert bare == {f"{part}_{leg}" for part in ("arm_tip", "head_ball") for leg in LEGS}


def test_the_built_in_figure_needs_no_mesh_and_moves_like_the_other(made: PageModel) -> None:
    real, simple = parsed(made.folder / "figure.urdf"), parsed(BUILT_IN)
    assert not list(simple.iter("mesh"))
    named = {material.attrib["name"] for material in simple.findall("material")}
    assert {material.attrib["name"] for material in simple.iter("material")} == named
    for name in JOINTS:
        assert np.allclose(origin(joint(real, name)), origin(joint(simple, name)), atol=1e-4), name
        assert axis(joint(real, name)) == axis(joint(simple, name)), name


def test_every_mesh_is_sound(made: PageModel) -> None:
    files = sorted(made.folder.glob("*.glb"))
    assert [file.stem for file in files] == ["antenna", "arm", "body", "foot", "head", "rod"]
    for file in files:
        for found in primitives(file):
            assert np.isfinite(found.positions).all()
            assert np.abs(found.positions).max() < 0.3
            assert np.allclose(found.positions.min(axis=0), found.bounds[0])
            assert np.allclose(found.positions.max(axis=0), found.bounds[1])
            assert np.allclose(np.linalg.norm(found.normals, axis=1), 1, atol=1e-4)
            assert len(found.colours) == len(found.normals) == len(found.positions)
            assert found.faces.min() == 0 and found.faces.max() == len(found.positions) - 1


def test_normals_point_out_of_the_shells(made: PageModel) -> None:
    for found in primitives(made.folder / "head.glb"):
        corners = found.positions[found.faces]
        flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        agree = np.einsum("ij,ikj->ik", flat, found.normals[found.faces]) > 0
        assert agree.mean() > 0.99


def test_the_lenses_alone_shine_and_shells_are_white(made: PageModel) -> None:
    plastic, glass = primitives(made.folder / "head.glb")
    assert glass.roughness < 0.2 < plastic.roughness
    assert glass.colours[:, :3].max() < 10
    assert (plastic.colours[:, :3] == 255).all(axis=1).mean() > 0.4
    sides = [glass.positions[glass.positions[:, 1] < 0], glass.positions[glass.positions[:, 1] > 0]]
    widths = [float(np.ptp(side[:, 1])) for side in sides]
    assert widths == pytest.approx([0.040, 0.030], abs=0.002)


# Where it is


@pytest.mark.parametrize("pose", POSES.values(), ids=POSES.keys())
def test_the_figure_is_where_mujoco_puts_the_robot(
    made: PageModel, physics: Physics, kinematics: Kinematics, pose: Pose
) -> None:
    physics.settle(pose, kinematics)
    robot = parsed(made.folder / "figure.urdf")
    frames = placed(robot, **physics.measured(kinematics.head_height))
    assert frames["head"] == pytest.approx(physics.site("head"), abs=1e-5)
    for leg in LEGS:
        assert frames[f"arm_tip_{leg}"][:3, 3] == pytest.approx(physics.body(f"passive_{leg}")[:3, 3], abs=1e-5)
        assert frames[f"head_ball_{leg}"][:3, 3] == pytest.approx(physics.ball(leg), abs=1e-5)
    moving = {"foot": "foot", "body": "yaw_body", "head": "passive_7"}
    moving |= {f"{side}_antenna_link": f"{side}_antenna" for side in ("left", "right")}
    moving |= {f"arm_{leg}": f"stewart_{leg}" for leg in LEGS}
    for link, by in moving.items():
        (mesh,) = next(each for each in robot.iter("link") if each.attrib["name"] == link).iter("mesh")
        points = np.concatenate([found.positions for found in primitives(made.folder / mesh.attrib["filename"])])
        points = points @ frames[link][:3, :3].T + frames[link][:3, 3]
        there = physics.vertices(by, skeleton.SHAPES[Path(mesh.attrib["filename"]).stem])
        assert [points.min(axis=0), points.max(axis=0)] == [
            pytest.approx(there.min(axis=0), abs=2e-3),
            pytest.approx(there.max(axis=0), abs=2e-3),
        ], link


@pytest.mark.parametrize("which", ["made", "built in"])
@pytest.mark.parametrize("pose", POSES.values(), ids=POSES.keys())
def test_the_rods_keep_their_length(made: PageModel, kinematics: Kinematics, pose: Pose, which: str) -> None:
    robot = parsed(made.folder / "figure.urdf" if which == "made" else BUILT_IN)
    joints = kinematics.joints(pose.head_matrix(), pose.body_yaw)
    assert joints is not None
    frames = placed(robot, head=pose.head_matrix(), joints=joints, left=0.0, right=0.0)
    for leg in LEGS:
        span = frames[f"head_ball_{leg}"][:3, 3] - frames[f"arm_tip_{leg}"][:3, 3]
        assert np.linalg.norm(span) == pytest.approx(0.085, abs=1e-3)


def test_a_rod_reaches_from_its_origin_along_z(made: PageModel) -> None:
    (rod,) = primitives(made.folder / "rod.glb")
    low, high = rod.positions.min(axis=0), rod.positions.max(axis=0)
    assert -0.01 < low[2] < 0 and 0.085 < high[2] < 0.095
    assert np.abs([low[:2], high[:2]]).max() < 0.008


# How it is kept


def test_an_edition_changes_with_the_description(description: Path, tmp_path: Path) -> None:
    root = tmp_path / "mjcf" / "reachy_mini.xml"
    root.parent.mkdir()
    root.write_bytes((description / "mjcf" / "reachy_mini.xml").read_bytes())
    assert page_model.fingerprint(tmp_path) == page_model.fingerprint(description)
    root.write_bytes(root.read_bytes() + b"\n")
    assert page_model.fingerprint(tmp_path) != page_model.fingerprint(description)


def test_without_a_description_there_is_no_figure(tmp_path: Path) -> None:
    for attempt in (page_model.fingerprint, lambda at: page_model.build(at, tmp_path / "cache" / "figure-x")):
        with pytest.raises(AssetError) as caught:
            attempt(tmp_path / "nowhere")
        assert "robot-description" in caught.value.hint
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda xml: xml[: len(xml) // 2],
        lambda xml: xml.replace("antenna.stl", "gone.stl"),
        lambda xml: xml.replace('"left_antenna"', '"port_antenna"'),
    ],
    ids=["cut off", "a mesh gone", "a joint renamed"],
)
def test_a_damaged_description_says_so(description: Path, tmp_path: Path, damage: Callable[[str], str]) -> None:
    root = tmp_path / "mjcf" / "reachy_mini.xml"
    root.parent.mkdir()
    (root.parent / "assets").symlink_to(description / "mjcf" / "assets")
    (tmp_path / "kinematics_data.json").symlink_to(description / "kinematics_data.json")
    root.write_text(damage((description / "mjcf" / "reachy_mini.xml").read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(AssetError, match="can't be used"):
        page_model.build(tmp_path, tmp_path / "cache" / "figure-x")
    assert not (tmp_path / "cache").exists()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A figure that takes no time to make."""
    monkeypatch.setattr(page_model, "_build_files", lambda _: ({"a.glb": b"aaaa", "figure.urdf": b"<robot/>"}, 7, 2))


@pytest.mark.usefixtures("quick")
def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Path] = []

    def fill(path: Path, content: bytes) -> int:
        if written:
            raise OSError(28, "No space left on device")
        written.append(path)
        return len(content)

    monkeypatch.setattr(Path, "write_bytes", fill)
    with pytest.raises(AssetError, match="No space left"):
        page_model.build(tmp_path, tmp_path / "cache" / "figure-x")
    assert written
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.usefixtures("quick")
def test_a_cache_that_is_no_folder_says_so(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(AssetError, match="can't be saved"):
        page_model.build(tmp_path, tmp_path / "cache" / "figure-x")


@pytest.mark.usefixtures("quick")
@pytest.mark.process
def test_a_killed_build_leaves_no_figure_and_is_swept_up_later(tmp_path: Path) -> None:
    code = (
        "import os, pathlib, sys; from reachy_mind.body import page_model\n"
        "page_model._build_files = lambda _: ({'a.glb': b'a', 'figure.urdf': b'<robot/>'}, 1, 1)\n"
        "page_model._move_into_place = lambda *_: os.kill(os.getpid(), 9)\n"
        "page_model.build(pathlib.Path('.'), pathlib.Path(sys.argv[1]))"
    )
    target = tmp_path / "cache" / "figure-x"
    assert subprocess.run([sys.executable, "-c", code, target], check=False).returncode == -signal.SIGKILL
    (left,) = target.parent.iterdir()
    assert page_model.load(target) is None
    page_model.build(tmp_path, target)
    assert left.exists()  # it might be a build that is still going on
    long_ago = time.time() - 2 * page_model.PARTIAL_EXPIRY_S
    os.utime(left, (long_ago, long_ago))
    page_model.build(tmp_path, target)
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.usefixtures("quick")
def test_builds_at_the_same_time_agree(tmp_path: Path) -> None:
    target = tmp_path / "cache" / "figure-x"
    with ThreadPoolExecutor(8) as pool:
        results = set(pool.map(lambda _: page_model.build(tmp_path, target), range(16)))
    assert results == {page_model.load(target)}
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("damage", ["a.glb", "figure.json"])
def test_a_damaged_figure_is_made_anew(tmp_path: Path, damage: str) -> None:
    target = tmp_path / "cache" / "figure-x"
    whole = page_model.build(tmp_path, target)
    (target / damage).write_bytes(b"a")
    assert page_model.load(target) is None
    assert page_model.build(tmp_path, target) == whole == page_model.load(target)


@pytest.mark.usefixtures("quick")
def test_the_command_builds_what_is_missing(
    description: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for built in (True, False):
        assert page_model.main([str(description), str(tmp_path)]) == 0
        said = json.loads(capsys.readouterr().out)
        folder = str(page_model.folder(description, tmp_path))
        assert said == {"folder": folder, "triangles": 7, "draw_calls": 2, "bytes": 12, "built": built}


def test_the_command_fails_in_two_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert page_model.main([str(tmp_path / "nowhere"), str(tmp_path)]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["error", "hint"]


@pytest.mark.process
def test_finding_a_figure_loads_neither_mujoco_nor_the_simplifier() -> None:
    code = "import sys, reachy_mind.body.page_model; print({'mujoco', 'fast_simplification'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout == b"set()\n"


# Reading glTF


@dataclass(frozen=True)
class Primitive:
    positions: Array
    normals: Array
    colours: Array
    faces: Array
    bounds: tuple[Any, Any]
    roughness: float


def primitives(file: Path) -> list[Primitive]:
    content = file.read_bytes()
    magic, version, length, json_length, json_kind = struct.unpack_from("<4sII I4s", content)
    assert (magic, version, length, json_kind) == (b"glTF", 2, len(content), b"JSON")
    described = json.loads(content[20 : 20 + json_length])
    binary_length, binary_kind = struct.unpack_from("<I4s", content, 20 + json_length)
    assert binary_kind == b"BIN\0" and json_length % 4 == 0
    binary = content[28 + json_length :]
    assert len(binary) == binary_length == described["buffers"][0]["byteLength"]
    types = {5126: "<f4", 5121: "u1", 5123: "<u2", 5125: "<u4"}

    def read(index: int) -> Array:
        accessor = described["accessors"][index]
        view = described["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        assert view["byteOffset"] % 4 == 0 and view["byteOffset"] + view["byteLength"] <= len(binary)
        count = accessor["count"] * width
        values = np.frombuffer(binary, types[accessor["componentType"]], count, view["byteOffset"])
        assert values.nbytes == view["byteLength"]
        return values.reshape(-1, width)

    found = []
    for primitive in described["meshes"][0]["primitives"]:
        attributes = primitive["attributes"]
        bounds = described["accessors"][attributes["POSITION"]]
        found.append(
            Primitive(
                read(attributes["POSITION"]),
                read(attributes["NORMAL"]),
                read(attributes["COLOR_0"]),
                faces=read(primitive["indices"]).reshape(-1, 3),
                bounds=(bounds["min"], bounds["max"]),
                roughness=described["materials"][primitive["material"]]["pbrMetallicRoughness"]["roughnessFactor"],
            )
        )
    return found


# Reading URDF


def parsed(urdf: Path) -> ElementTree.Element:
    return ElementTree.parse(urdf).getroot()  # noqa: S314 - a file of ours


def child(element: ElementTree.Element, name: str) -> Mapping[str, str]:
    found = element.find(name)
    assert found is not None, name
    return found.attrib


def joint(robot: ElementTree.Element, name: str) -> ElementTree.Element:
    return next(each for each in robot.iter("joint") if each.attrib["name"] == name)


def turned(about: tuple[float, float, float], angle: float) -> Array:
    frame, flat = np.eye(4), np.zeros(9)
    quaternion = np.zeros(4)
    mujoco.mju_axisAngle2Quat(quaternion, np.array(about, dtype=float), angle)
    mujoco.mju_quat2Mat(flat, quaternion)
    frame[:3, :3] = flat.reshape(3, 3)
    return frame


def origin(element: ElementTree.Element) -> Array:
    given = child(element, "origin")
    roll, pitch, yaw = map(float, given["rpy"].split())
    frame = turned((0, 0, 1), yaw) @ turned((0, 1, 0), pitch) @ turned((1, 0, 0), roll)
    frame[:3, 3] = [float(value) for value in given["xyz"].split()]
    return frame


def axis(element: ElementTree.Element) -> tuple[float, ...] | None:
    return tuple(map(float, child(element, "axis")["xyz"].split())) if element.find("axis") is not None else None


def placed(
    robot: ElementTree.Element, head: tuple[float, ...], joints: tuple[float, ...], left: float, right: float
) -> dict[str, Array]:
    """The frame of every link but the rods, driven as the page drives it."""
    values = {"yaw_body": joints[0], "left_antenna": left, "right_antenna": right}
    values |= {f"stewart_{leg}": joints[leg] for leg in LEGS}
    frames = {"foot": np.eye(4)}
    for name, (kind, parent, link) in JOINTS.items():
        if name.startswith("rod"):
            continue
        element = joint(robot, name)
        moved = np.eye(4)
        if kind == "floating":
            moved = np.array(head).reshape(4, 4)
        elif kind == "revolute":
            about = axis(element)
            assert about is not None
            low, high = (float(child(element, "limit")[end]) for end in ("lower", "upper"))
            assert low <= values[name] <= high  # a loader would stop it there
            moved = turned((about[0], about[1], about[2]), values[name])
        frames[link] = frames[parent] @ origin(element) @ moved
    return frames


# MuJoCo


class Physics:
    """The vendor's robot in MuJoCo, without shells that collide."""

    def __init__(self, description: Path) -> None:
        self.model = mujoco.MjSpec.from_file(str(description / "mjcf" / "reachy_mini.xml")).compile()
        self.model.geom_contype[:] = self.model.geom_conaffinity[:] = 0
        self.data = mujoco.MjData(self.model)
        self._motors = self.model.jnt_qposadr[self.model.actuator_trnid[:, 0]]

    def settle(self, pose: Pose, kinematics: Kinematics) -> None:
        joints = kinematics.joints(pose.head_matrix(), pose.body_yaw)
        assert joints is not None
        mujoco.mj_resetData(self.model, self.data)
        wanted = [*joints, -pose.antenna_right, -pose.antenna_left]
        self.data.qpos[self._motors] = self.data.ctrl[:] = wanted
        mujoco.mj_step(self.model, self.data, nstep=1500)
        # The rods hold the head: it is near the pose wanted, or this would compare something else.
        head = Pose.from_head_matrix(self.measured(kinematics.head_height)["head"])
        assert math.hypot(head.x - pose.x, head.y - pose.y, head.z - pose.z) < 0.01
        assert abs(head.yaw - pose.yaw) < 0.15

    def measured(self, head_height: float) -> dict[str, Any]:
        """What the robot reports: `World` reads it just so."""
        head = self.site("head")
        head[2, 3] -= head_height
        *joints, right, left = (float(value) for value in self.data.qpos[self._motors])
        return {"head": tuple(head.reshape(-1)), "joints": tuple(joints), "left": -left, "right": -right}

    def site(self, name: str) -> Array:
        return self._frame(self.data.site(name))

    def body(self, moved_by: str) -> Array:
        return self._frame(self.data.body(self._body(moved_by)))

    def ball(self, leg: int) -> Array:
        found: Array = self.body("passive_7")[:3, 3] if leg == 6 else self.site(f"closing_{leg}_2")[:3, 3]
        return found

    def vertices(self, moved_by: str, shapes: Mapping[str, int]) -> Array:
        """Of the body's shapes, in the world."""
        found = []
        for geom in np.flatnonzero(self.model.geom_bodyid == self._body(moved_by)):
            mesh = self.model.mesh(self.model.geom_dataid[geom])
            if mesh.name in shapes:
                points = self.model.mesh_vert[mesh.vertadr[0] : mesh.vertadr[0] + mesh.vertnum[0]]
                turn = self.data.geom_xmat[geom].reshape(3, 3)
                found.append(points @ turn.T + self.data.geom_xpos[geom])
        return np.concatenate(found)

    def _body(self, moved_by: str) -> int:
        if moved_by == "foot":
            return int(self.model.body("body_foot_3dprint").id)
        return int(self.model.joint(moved_by).bodyid[0])

    @staticmethod
    def _frame(element: Any) -> Array:
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = element.xmat.reshape(3, 3), element.xpos
        return frame


@pytest.fixture(scope="module")
def physics(description: Path) -> Physics:
    return Physics(description)
