"""What sandboxed code and class-form tools see of the robot: one mind, one simulated robot, the surface in a thread."""

from __future__ import annotations

import asyncio
import inspect
import math
import textwrap
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import pytest_asyncio

from reachy_mind.body import wav
from reachy_mind.config.configuration import load
from reachy_mind.mind import Mind
from reachy_mind.models.robot_description import DESCRIPTION
from reachy_mind.tools.context import Context
from reachy_mind.tools.conversation_app import load_folder
from reachy_mind.tools.definition import tool
from reachy_mind.tools.sdk.reachy_mini import ReachyMini, create_head_pose
from reachy_mind.tools.sdk.reachy_mini.transport import InvalidArgument, RobotCallError
from reachy_mind.workshop.artifacts import Artifacts
from reachy_mind.workshop.broker import Broker
from reachy_mind.workshop.capabilities import NAMES, Capabilities
from reachy_mind.workshop.http_broker import HttpBroker
from reachy_mind.workshop.run_budget import RunBudget
from reachy_mind.workshop.workshop import offered
from tests.conftest import MODELS
from tests.tools.builtin.robot import done
from tests.waiting import until
from tests.workshop.surface import SurfacePackages, connected

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]

EVERYTHING = ",".join(NAMES)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mind(tmp_path_factory: pytest.TempPathFactory, description: Path) -> AsyncIterator[Mind]:
    assert description.name == DESCRIPTION
    home = tmp_path_factory.mktemp("home")
    environ = {"REACHY_MIND_HOME": str(home), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    configuration = load(environ=environ, flags={"robot.address": "sim", "robot.idle": False, "mind.brain": "reflex"})
    async with Mind(configuration).session() as running:
        await done(running.toolbox, "wake_up")
        yield running


async def look_at_table(mind: Mind) -> None:
    await done(mind.toolbox, "rest", speed="fast")
    await done(mind.toolbox, "look_at_object", name="table")


async def inside(
    mind: Mind, code: Callable[[SurfacePackages], Any], folder: Path, allow: str = EVERYTHING, **budget: Any
) -> tuple[Any, Broker]:
    """What `code` returns, run in a thread within a call of the gate, and the broker that served it."""
    brokers: list[Broker] = []
    ended: list[Any] = []
    failed: list[BaseException] = []

    @tool(group="test", tier="autonomous", timeout_s=60)
    async def run(ctx: Context) -> dict[str, Any]:
        """Run something."""
        capabilities = Capabilities.parse(allow)
        registry, files = mind.toolbox.registry, Artifacts(folder / "artifacts", "run")
        broker = Broker(
            ctx, capabilities, RunBudget(**budget), registry=registry, files=files, http=HttpBroker(capabilities)
        )
        brokers.append(broker)
        try:
            with connected(broker) as packages:
                ended.append(await asyncio.to_thread(code, packages))
        except BaseException as error:
            failed.append(error)
            raise
        finally:
            await broker.close()
        return {}

    mind.toolbox.registry.add(run, replace=True)
    outcome = await mind.toolbox.call("run")
    if failed:
        raise failed[0]
    assert outcome.status == "ok", outcome
    return ended[0], brokers[0]


async def test_it_moves_and_tells_where_it_is(mind: Mind, tmp_path: Path) -> None:
    def code(_: SurfacePackages) -> Any:
        with ReachyMini(media_backend="no_media", timeout=3) as mini:
            mini.goto_target(head=create_head_pose(yaw=20, pitch=-5), antennas=[0.4, -0.4], duration=0.4, body_yaw=None)
            pose, (joints, antennas) = mini.get_current_head_pose(), mini.get_current_joint_positions()
            mini.set_target(head=create_head_pose(yaw=10))
            mini.look_at_world(1.0, 0.3, 0.0, duration=0.3)
            looked = mini.get_current_head_pose()
            mini.goto_target(body_yaw=0.2, duration=0.3)
            return pose, joints, antennas, looked, mini.get_current_body_yaw(), mini.imu

    (pose, joints, antennas, looked, body_yaw, imu), broker = await inside(mind, code, tmp_path)
    assert pose.shape == (4, 4) and math.degrees(math.atan2(pose[1, 0], pose[0, 0])) == pytest.approx(20, abs=3)
    assert len(joints) == 7 and antennas == pytest.approx([0.4, -0.4], abs=0.1) and imu is None
    assert math.atan2(looked[1, 0], looked[0, 0]) == pytest.approx(math.atan2(0.3, 1.0), abs=0.06)
    assert body_yaw == pytest.approx(0.2, abs=0.06)
    assert [one.name for one in broker.record][:2] == ["robot.goto_target", "robot.get_current_head_pose"]


async def test_hostile_orders_are_refused_and_move_nothing(mind: Mind, tmp_path: Path) -> None:
    await done(mind.toolbox, "rest", speed="fast")
    assert mind.motion is not None
    before = mind.motion.state.command

    def code(_: SurfacePackages) -> int:
        mini, refused = ReachyMini(), 0
        for order in (
            lambda: mini.goto_target(head=np.full((4, 4), np.nan)),
            lambda: mini.goto_target(head=np.eye(4) * 2),
            lambda: mini.goto_target(body_yaw=1.0, duration=1e9),
            lambda: mini.goto_target(body_yaw=1.0, duration=-1),
            lambda: mini.goto_target(body_yaw=1.0, method="teleport"),
            lambda: mini.goto_target(body_yaw=float("inf")),
            lambda: mini.set_target(antennas=[True, False]),
            lambda: mini.look_at_world(float("nan"), 0, 0),
            lambda: mini.look_at_world(0, 0, 0),
            lambda: mini.look_at_image(-1, 5),
            lambda: mini.look_at_image(100_000, 5),
            lambda: mini._call("robot.goto_target", body_yaw=0.1, force=True),
            lambda: mini._call("robot.play_frames", frames=np.full((10, 19), np.inf)),
        ):
            with pytest.raises(InvalidArgument):
                order()
            refused += 1
        return refused

    refused, broker = await inside(mind, code, tmp_path)
    assert broker.refused == refused and {one.status for one in broker.record} == {"error"}
    assert mind.motion.state.command.distance(before) < math.radians(1)


HOSTILE: list[Any] = [
    *(
        None,
        True,
        0,
        -1,
        2**70,
        10**400,
        1e308,
        math.nan,
        math.inf,
        "",
        "x" * 500,
        "\ud800",
        b"",
        bytearray(5),
        [],
        [[]],
    ),
    *([1, 2], [True, False], [None] * 16, [1.0] * 16, {}, {"a": {}}, ("a",), "../../x", "http://[::1", [["a", "b"]]),
    *(
        np.zeros(0),
        np.zeros(16),
        np.eye(4) * np.nan,
        np.zeros((4, 4), bool),
        np.full((3, 19), np.inf),
        np.zeros(3, "i1"),
    ),
    *(np.zeros((1, 1, 1)), np.full((5, 7), 1e30), np.zeros((3, 19), "i8")),
]


async def test_no_value_gets_past_the_checks(mind: Mind, tmp_path: Path) -> None:
    """Whatever is sent for a parameter is refused with a reason; nothing of it fails inside."""

    def code(_: SurfacePackages) -> set[str]:
        mini, codes = ReachyMini(), set()
        for method, names in (
            ("robot.goto_target", ("head", "antennas", "body_yaw", "duration", "method")),
            ("robot.set_target", ("head", "antennas", "body_yaw")),
            ("robot.look_at_world", ("x", "duration", "perform_movement")),
            ("robot.play_frames", ("frames", "initial_goto_duration")),
            ("robot.play_recorded_move", ("name", "sound")),
            ("robot.find_move", ("name", "dataset")),
            ("media.push_audio_sample", ("data",)),
            ("media.play_sound", ("name", "data")),
            ("http.request", ("method", "url", "headers", "body", "form", "params", "timeout")),
            ("artifact.keep", ("name",)),
            ("tools.call", ("name", "args")),
        ):
            for name in names:
                for value in HOSTILE:
                    try:
                        mini._call(method, **{name: value})  # a few are right, such as no arguments for a tool
                    except RobotCallError as error:
                        codes.add(error.code)
        return codes

    codes, _ = await inside(mind, code, tmp_path, refused=10_000, calls_per_s=1e6)
    assert codes <= {"INVALID_PARAMETER", "PERMISSION_DENIED", "UNKNOWN_TOOL", "OUT_OF_REACH"}, codes


async def test_frames_are_what_the_camera_sees(mind: Mind, tmp_path: Path) -> None:
    def code(_: SurfacePackages) -> Any:
        media = ReachyMini().media
        return media.camera.read(), media.get_frame_jpeg(), media.camera.resolution

    (frame, jpeg, size), _ = await inside(mind, code, tmp_path, "camera")
    assert frame.dtype == np.uint8 and frame.shape == (size[1], size[0], 3) and frame.std() > 5
    assert jpeg[:2] == b"\xff\xd8"
    await done(mind.toolbox, "set_camera", enabled=False)
    try:
        (frame, jpeg), _ = await inside(
            mind, lambda _: (ReachyMini().media.get_frame(), ReachyMini().media.get_frame_jpeg()), tmp_path
        )
        assert frame is None and jpeg is None
    finally:
        await done(mind.toolbox, "set_camera", enabled=True)


async def test_it_looks_at_a_place_in_the_picture(mind: Mind, tmp_path: Path) -> None:
    await done(mind.toolbox, "rest", speed="fast")

    def code(_: SurfacePackages) -> Any:
        mini = ReachyMini()
        aimed = mini.look_at_image(100, 180, duration=0.5)
        return aimed, mini.get_current_head_pose()

    (aimed, reached), _ = await inside(mind, code, tmp_path)
    assert math.atan2(aimed[1, 0], aimed[0, 0]) > 0.3, "the left of the picture is to the robot's left"
    assert np.abs(aimed[:3, :3] - reached[:3, :3]).max() < 0.1


async def test_a_move_of_its_own_and_one_that_the_robot_knows(mind: Mind, tmp_path: Path) -> None:
    def code(packages: SurfacePackages) -> Any:
        moves = packages.find("reachy_mini.motion.recorded_move")
        move = packages.find("reachy_mini.motion.move").Move

        class Wag(move):  # type: ignore[misc, valid-type]
            duration = 0.5

            def evaluate(self, t: float) -> Any:
                return None, [0.6 * t / 0.5, -0.6 * t / 0.5], None

        mini = ReachyMini()
        mini.start_recording()
        mini.play_move(Wag())
        frames = mini.stop_recording()
        dances = moves.RecordedMoves("pollen-robotics/reachy-mini-dances-library")
        with pytest.raises(ValueError, match="no move"):
            dances.get("gavotte")
        emotions = moves.RecordedMoves("pollen-robotics/reachy-mini-emotions-library")
        return frames, dances.list_moves(), emotions.get("happy1").duration

    (frames, dances, seconds), _ = await inside(mind, code, tmp_path)
    assert frames[-1]["antennas"] == pytest.approx([0.6, -0.6], abs=0.15) and frames[-1]["time"] > 0.3
    assert np.array(frames[0]["head"]).shape == (4, 4) and "waltz" in dances and seconds > 0.3


async def test_sound_goes_out_and_its_direction_comes_in(mind: Mind, tmp_path: Path) -> None:
    def code(_: SurfacePackages) -> Any:
        with ReachyMini() as mini:
            mini.media.start_playing()
            mini.media.push_audio_sample(np.zeros((1600, 2), dtype=np.float32))
            for wrong in (np.full(10, np.nan), np.zeros((10, 7)), np.zeros(1_000_000)):
                with pytest.raises(InvalidArgument):
                    mini.media.push_audio_sample(wrong)
            with pytest.raises(FileNotFoundError):
                mini.media.play_sound("nowhere.wav")
            (tmp_path / "beep.wav").write_bytes(wav.write(bytes(3200)))
            mini.media.play_sound(str(tmp_path / "beep.wav"))
            (tmp_path / "tune.mp3").write_bytes(b"ID3 and then something that a decoder might not expect")
            with pytest.raises(InvalidArgument, match="can't be played"):
                mini.media.play_sound(str(tmp_path / "tune.mp3"))
            mini.media.start_recording()
            return mini.media.get_DoA(), mini.media.get_audio_sample()

    (direction, heard), _ = await inside(mind, code, tmp_path)
    assert direction is not None and 0 <= direction[0] <= math.pi
    assert heard is None or heard.shape[1] == 2


async def test_the_end_of_a_run_ends_its_movement_and_its_lease(mind: Mind, tmp_path: Path) -> None:
    assert mind.motion is not None

    def code(_: SurfacePackages) -> None:
        mini = ReachyMini()
        mini.set_target(body_yaw=1.0)
        mini.start_head_tracking()

    await inside(mind, code, tmp_path)
    await until(lambda: not mind.motion.state.busy)  # type: ignore[union-attr]
    assert mind.toolbox.parts.sight is not None and not mind.toolbox.parts.sight.following
    assert (await done(mind.toolbox, "nod", times=1))["move"] == "nod", "the body is free again"


async def test_a_run_that_ends_while_the_robot_gets_up_leaves_it_there(mind: Mind, tmp_path: Path) -> None:
    """The worker may be killed at any moment: what was begun for it ends with it."""
    motion = mind.motion
    assert motion is not None
    await done(mind.toolbox, "sleep")
    call = asyncio.create_task(
        inside(mind, lambda _: ReachyMini().goto_target(body_yaw=1.0, duration=5), tmp_path), name="run"
    )
    await motion.wait_for(lambda state: state.busy, 10)
    assert mind.toolbox.parts.extra["running_movements"]._movements
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await motion.wait_for(lambda state: not state.busy, 1.0)
    assert motion.state.command.body_yaw < 0.3
    await done(mind.toolbox, "wake_up")


async def test_a_stop_ends_the_run(mind: Mind, tmp_path: Path) -> None:
    assert mind.motion is not None
    refused: list[Exception] = []

    def code(_: SurfacePackages) -> None:
        for target in (1.5, -1.5):
            try:
                ReachyMini().goto_target(body_yaw=target, duration=20)
            except Exception as error:  # noqa: BLE001 -- code that goes on whatever it is told
                refused.append(error)

    run = asyncio.create_task(inside(mind, code, tmp_path))
    await mind.motion.wait_for(lambda state: state.busy, 10)
    assert (await mind.toolbox.call("stop")).status == "ok"
    with pytest.raises(asyncio.CancelledError):
        await run
    await until(lambda: len(refused) == 2)
    assert not mind.motion.state.busy and mind.motion.state.command.body_yaw > -0.2


async def test_tools_are_functions_and_their_data_is_text_where_text_is_expected(mind: Mind, tmp_path: Path) -> None:
    text = inspect.cleandoc('''
        from reachy_mind import tools

        async def look() -> dict:
            seen = await analyze_scene("list objects")
            try:
                await tools.call("nod", times=99)
            except tools.ToolError as error:
                code = error.code
            try:
                await tools.call("speak", text="hello")
            except tools.ToolError as error:
                denied = error.code
            return {"names": seen.split(", "), "said": f"{seen}", "message": seen["message"], "code": code,
                    "denied": denied, "duck": "duck" in seen, "known": "nod" in tools.names(),
                    "time": bool(await get_time())}

        def plain() -> str:
            return get_pose()["message"]
    ''')  # fmt: skip
    names = offered(mind.toolbox.registry)
    await look_at_table(mind)
    seen, broker = await inside(mind, lambda s: s.run(text, "look", names), tmp_path, "camera,motion")
    assert seen["names"] == ["duck", "croissant", "apple"] and seen["said"] == "duck, croissant, apple"
    assert seen["message"].startswith("I see a duck on the left") and seen["duck"] and seen["known"] and seen["time"]
    assert (seen["code"], seen["denied"]) == ("INVALID_PARAMETER", "PERMISSION_DENIED")
    assert [(one.name, one.status) for one in broker.record][:3] == [
        ("analyze_scene", "ok"),
        ("nod", "error"),
        ("speak", "denied"),
    ]
    assert "My head is at" in (await inside(mind, lambda s: s.run(text, "plain", names), tmp_path))[0]


async def test_a_new_object_is_in_the_next_list(mind: Mind, tmp_path: Path) -> None:
    assert mind.motion is not None
    await look_at_table(mind)
    names = offered(mind.toolbox.registry)
    text = "async def objects():\n    return set((await analyze_scene('list objects')).split(', '))"

    async def objects() -> set[str]:
        return set((await inside(mind, lambda s: s.run(text, "objects", names), tmp_path, "camera"))[0])

    before = await objects()
    ball = {"shape": "sphere", "size": [0.05], "label": "ball", "name": "new", "position": [0.45, 0.1]}
    async with httpx.AsyncClient(base_url=f"{mind.motion.address.http}/sim/v1", timeout=60) as http:
        (await http.post("/objects", json=ball)).raise_for_status()
        try:

            async def there() -> bool:
                return await objects() - before == {"ball"}

            await until(there)
        finally:
            await http.delete("/objects/new")


async def test_files_that_a_result_names_are_kept(mind: Mind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = inspect.cleandoc('''
        def write():
            with open("note.txt", "w") as file:
                file.write("hello")
            return {"file": "note.txt", "files": ["note.txt", "/etc/passwd", "missing.txt", "hello"], "n": 1}
    ''')  # fmt: skip
    result, broker = await inside(mind, lambda s: s.run(text, "write", []), tmp_path, "")
    kept = str(tmp_path / "artifacts" / "run" / "note.txt")
    assert result == {"file": kept, "files": [kept, "/etc/passwd", "missing.txt", "hello"], "n": 1}
    assert [one.name for one in broker.record] == ["artifact.keep"]


async def test_requests_go_to_the_broker(mind: Mind, tmp_path: Path) -> None:
    def code(packages: SurfacePackages) -> None:
        requests = packages.requests
        for call in (lambda: requests.get("http://example.org/"), lambda: requests.post("http://127.0.0.1/", json={})):
            with pytest.raises(requests.exceptions.ConnectionError, match="not a host"):
                call()
        with pytest.raises(requests.exceptions.InvalidURL):
            requests.get("file:///etc/passwd")
        response = requests.Response(404, "http://x/", {"Content-Type": "text/plain"}, b'{"a": 1}')
        assert not response.ok and response.json() == {"a": 1} and response.headers["content-type"] == "text/plain"
        with pytest.raises(requests.HTTPError):
            response.raise_for_status()

    _, broker = await inside(mind, code, tmp_path)
    assert [(one.name, one.status) for one in broker.record] == [("http.request", "denied")] * 2 + [
        ("http.request", "error")
    ]


GUEST = """
import base64
import time

import numpy as np

from reachy_mini import ReachyMini
from reachy_mini_conversation_app.tools.core_tools import Tool, ToolDependencies


class Peer(Tool):
    name = "peer"
    description = "Look at the left of the picture."
    parameters_schema = {"type": "object", "properties": {}}

    async def __call__(self, deps: ToolDependencies, **kwargs):
        with ReachyMini() as mini:
            frame = mini.media.camera.read()
            latest = deps.camera_worker.get_latest_frame()
            mini.look_at_image(100, 180, duration=0.4)
            angle, speech = mini.media.get_DoA()
        loud = np.random.default_rng(1).integers(-20000, 20000, 24000, dtype="<i2")
        deps.head_wobbler.feed(base64.b64encode(loud.tobytes()).decode())
        for _ in range(50):
            if abs(mini._scope_transport.scope.motion.state.added.pitch) > 0.001:
                break
            time.sleep(0.05)
        sways = abs(mini._scope_transport.scope.motion.state.added.pitch) > 0.001
        deps.head_wobbler.reset()
        shapes = {"frame": list(frame.shape), "latest": list(latest.shape)}
        return {**shapes, "sways": sways, "enabled": deps.camera_enabled, "angle": angle}
"""


async def test_a_class_form_tool_has_the_same_robot(mind: Mind, tmp_path: Path) -> None:
    folder = tmp_path / "guests"
    folder.mkdir(mode=0o755)
    (folder / "peer.py").write_text(textwrap.dedent(GUEST))
    (folder / "peer.py").chmod(0o644)
    loaded = await asyncio.to_thread(load_folder, folder, source="profile test")
    assert not loaded.refused
    [peer] = loaded.tools
    mind.toolbox.registry.add(peer)
    try:
        with mind.toolbox.confirmations.call_channel("peer", answer=(True, "test")):
            outcome = await mind.toolbox.call("peer", call_id="peer")
        assert outcome.status == "ok", outcome
        assert outcome.data["frame"] == outcome.data["latest"] and len(outcome.data["frame"]) == 3
        assert outcome.data["sways"], "the head moves with the sound that it plays"
        assert outcome.data["enabled"] and 0 <= outcome.data["angle"] <= math.pi
    finally:
        mind.toolbox.registry.remove("peer")
        loaded.close()


async def test_permission_rules_count_for_what_code_does(mind: Mind, tmp_path: Path) -> None:
    rules = mind.toolbox.permissions
    file = tmp_path / "permissions.yaml"
    file.write_text("rules: [{pattern: robot.rotate, tier: forbidden}, {pattern: take_photo, tier: forbidden}]")
    mind.toolbox.permissions = mind.toolbox.decisions.permissions = type(rules)(file)

    def code(_: SurfacePackages) -> None:
        mini = ReachyMini()
        with pytest.raises(RobotCallError, match="turns the body"):
            mini.goto_target(body_yaw=1.2, duration=0.3)
        with pytest.raises(RobotCallError, match="opens the camera"):
            mini.media.get_frame()

    try:
        _, broker = await inside(mind, code, tmp_path)
        assert {one.status for one in broker.record} == {"denied"}
    finally:
        mind.toolbox.permissions = mind.toolbox.decisions.permissions = rules
