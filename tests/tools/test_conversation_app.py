"""Tools as people wrote them for the conversation app, in folders of their own, through our gate."""

from __future__ import annotations

import asyncio
import contextlib
import math
import sys
import textwrap
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.errors import InvalidParameter
from reachy_mind.events import Announced, ConfirmationAsked, TaskChanged, ToolStarted
from reachy_mind.motion.client import Motion
from reachy_mind.motion.repertoire import Repertoire
from reachy_mind.tools.builtin import moves, state
from reachy_mind.tools.context import Caller
from reachy_mind.tools.conversation_app import Loaded, forms, load_folder, threads
from reachy_mind.tools.conversation_app.imports import shim_modules
from reachy_mind.tools.conversation_app.moves import merge_pose, to_native_move
from reachy_mind.tools.definition import Outcome, Tool
from reachy_mind.tools.sdk.reachy_mini import create_head_pose
from reachy_mind.tools.sdk.reachy_mini.utils.interpolation import linear_pose_interpolation
from reachy_mind.tools.toolbox import Toolbox
from tests.tools.bench import BENCH, done, toolbox
from tests.tools.guest_files import ECHO, LONG, MOVES, PROPERTIES, RUDE
from tests.waiting import until

ALLOWED = "rules: [{pattern: 'profile.*', tier: autonomous}]"

pytestmark = pytest.mark.slow


def folder(tmp_path: Path, **files: str) -> Path:
    """A folder of tools as a user has it."""
    place = tmp_path / "profile"
    place.mkdir(mode=0o755, exist_ok=True)
    for name, text in files.items():
        file = place / f"{name}.py"
        file.write_text(textwrap.dedent(text))
        file.chmod(0o644)
    return place


@contextlib.asynccontextmanager
async def guests(
    tmp_path: Path, rules: str = ALLOWED, *, motion: Motion | None = None, others: tuple[Tool, ...] = (), **files: str
) -> AsyncIterator[Toolbox]:
    """A gate over the tools of a folder, and some of ours behind them."""
    loaded = await asyncio.to_thread(load_folder, folder(tmp_path, **files), source="profile test")
    assert not loaded.refused
    async with toolbox(tmp_path, rules, tools=(*loaded.tools, *others)) as box:
        box.parts.motion, box.parts.repertoire = motion, Repertoire(tmp_path / "moves")
        yield box
    loaded.close()


def code(outcome: Outcome) -> str:
    return "" if outcome.error is None else outcome.error["code"]


# The form


async def test_a_custom_tool_runs_unchanged(tmp_path: Path) -> None:
    async with guests(tmp_path, echo=ECHO) as box:
        outcome = await box.call("echo", {"text": "hello", "times": 2})
        assert outcome.status == "ok" and outcome.data == {"status": "success", "message": "hello hello"}
        found, _ = box.registry.find("echo")
        assert (found.qualified, found.source, found.tier) == ("profile.echo", "profile test", None)
        assert found.description == "Say it again, some times."


async def test_what_it_calls_an_error_is_one(tmp_path: Path) -> None:
    async with guests(tmp_path, echo=ECHO) as box:
        outcome = await box.call("echo", {"text": "wrong"})
        assert outcome.status == "error" and outcome.error is not None
        assert code(outcome) == "TOOL_FAILED" and outcome.error["message"] == "that is the wrong word"


@pytest.mark.parametrize(
    "args", [{}, {"text": 3}, {"text": "x", "times": 0}, {"text": "x", "tone": "shrill"}, {"text": "x", "loud": True}]
)
async def test_arguments_are_checked_by_its_schema(tmp_path: Path, args: dict[str, Any]) -> None:
    async with guests(tmp_path, echo=ECHO) as box:
        assert code(await box.call("echo", args)) == "INVALID_PARAMETER"


async def test_a_person_is_asked_unless_a_rule_says_otherwise(tmp_path: Path) -> None:
    async with guests(tmp_path, "", echo=ECHO) as box:
        denied = await box.call("echo", {"text": "hello"})
        assert (denied.status, code(denied), denied.tier) == ("denied", "NOT_CONFIRMED", 3)
        with box.confirmations.channel("test"), box.parts.bus.subscribe(ConfirmationAsked) as asked:
            call = asyncio.create_task(box.call("echo", {"text": "hello"}))
            event = await asked.get()
            assert isinstance(event, ConfirmationAsked) and event.tool == "profile.echo"
            box.confirmations.answer(event.confirmation_id, approved=True, by="test")
            assert (await call).status == "ok"


async def test_forbidden_counts_for_guests(tmp_path: Path) -> None:
    async with guests(tmp_path, "rules: [{pattern: echo, tier: forbidden}]", echo=ECHO) as box:
        assert code(await box.call("echo", {"text": "hello"})) == "PERMISSION_DENIED"


async def test_rules_for_the_robots_own_tools_do_not_speak_for_guests(tmp_path: Path) -> None:
    async with guests(tmp_path, "rules: [{pattern: 'robot.*', tier: autonomous}]", echo=ECHO) as box:
        assert code(await box.call("echo", {"text": "hello"})) == "NOT_CONFIRMED"


async def test_a_profiles_tool_comes_before_one_of_ours(tmp_path: Path) -> None:
    own = ECHO.replace('"echo"', '"nod"')
    async with guests(tmp_path, nod=own, others=BENCH) as box:
        assert (await box.call("nod", {"text": "mine"})).data == {"status": "success", "message": "mine"}
        assert "nod" in box.registry.refused and done == []
        assert (await box.call("robot.nod")).data == {"nodded": 2} and done == ["nod 2 normal"]


async def test_tools_of_ours_and_instances_in_the_folder(tmp_path: Path) -> None:
    ours = '''
        from reachy_mind.tools.definition import tool

        @tool(group="robot", tier="autonomous")
        async def bow(ctx, deep: bool = False) -> dict:
            """Bow."""
            return {"deep": deep}
    '''
    instance = """
        class Counter:
            description = "Count."
            parameters_schema = {}

            def __init__(self, name):
                self.name, self.count = name, 0

            async def __call__(self, deps):
                self.count += 1
                return {"count": self.count}

        tool = Counter("count")
    """
    async with guests(tmp_path, ours=ours, instance=instance) as box:
        assert (await box.call("bow", {"deep": True})).data == {"deep": True}
        assert [(await box.call("count")).data["count"] for _ in range(2)] == [1, 2]
        assert box.registry.find("profile.bow")[0].tier is None


# The folder


def refused(tmp_path: Path, **files: str) -> Loaded:
    return load_folder(folder(tmp_path, **files), source="profile test")


def test_one_broken_file_does_not_spoil_the_rest(tmp_path: Path) -> None:
    loaded = refused(
        tmp_path,
        echo=ECHO,
        missing="import a_library_nobody_has",
        syntax="def broken(:",
        exits="import sys\nsys.exit(1)",
        again=ECHO,
        arguments=ECHO.replace("    async def", "    def __init__(self, key): ...\n    async def").replace(
            '"echo"', '"b"'
        ),
    )
    assert [tool.name for tool in loaded.tools] == ["echo"]
    assert "a_library_nobody_has" in loaded.refused["missing.py"]
    assert "SyntaxError" in loaded.refused["syntax.py"] and "SystemExit" in loaded.refused["exits.py"]
    assert "called echo" in loaded.refused["echo.py:Echo"] and "key" in loaded.refused["arguments.py:Echo"]


def test_a_file_that_never_ends_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reachy_mind.tools.conversation_app.IMPORT_TIMEOUT_S", 0.5)
    loaded = refused(tmp_path, echo=ECHO, endless="while True:\n    pass")
    assert [tool.name for tool in loaded.tools] == ["echo"] and "0.5 s" in loaded.refused["endless.py"]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ('{"type": "object", "properties": {"x": {"type": "text"}}}', "properties.x.type"),
        ('{"type": "string"}', "no JSON object"),
        ('{"type": "object", "properties": []}', "no JSON object"),
        ('{"type": "object", "required": "x"}', "required"),
        ("None", "NoneType"),
        ('"none"', "str"),
    ],
)
def test_a_schema_that_is_none_is_refused(tmp_path: Path, wrong: str, why: str) -> None:
    text = f"""
        class Odd:
            name, description, parameters_schema = "odd", "Odd.", {wrong}
            async def __call__(self, deps): ...
    """
    assert why in refused(tmp_path, odd=text).refused["odd.py:Odd"]


@pytest.mark.parametrize(
    ("name", "why"), [("stop", "robot's own"), ("Loud Name", "can't be called"), ("", "can't be called")]
)
def test_a_name_that_can_not_be_is_refused(tmp_path: Path, name: str, why: str) -> None:
    loaded = refused(tmp_path, echo=ECHO.replace('"echo"', f'"{name}"'))
    assert loaded.tools == [] and why in loaded.refused["echo.py:Echo"]


def test_what_others_can_write_is_not_run(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    place = folder(tmp_path, echo=f"open({str(ran)!r}, 'w')\n{ECHO}")
    place.chmod(0o777)
    loaded = load_folder(place, source="profile test")
    assert "others may write" in loaded.refused[str(place)] and not ran.exists()
    place.chmod(0o755)
    (place / "echo.py").chmod(0o666)
    assert "others may write" in load_folder(place, source="profile test").refused["echo.py"] and not ran.exists()
    assert "profile test" in load_folder(tmp_path / "nowhere", source="profile test").threads.name


def test_a_folder_of_somebody_else_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = folder(tmp_path, echo=ECHO)
    owner = place.stat().st_uid
    if owner == 0:
        import os

        os.chown(place, 12345, -1)
    else:
        monkeypatch.setattr("os.geteuid", lambda: owner + 1)
    assert "belongs to somebody else" in load_folder(place, source="profile test").refused[str(place)]


async def test_files_see_one_another_and_nobody_else_sees_them(tmp_path: Path) -> None:
    before, path = set(sys.modules), list(sys.path)
    helper = ECHO.replace("from typing", "from .words import WORDS\nfrom . import words\nfrom typing").replace(
        '" ".join([kwargs["text"]] * kwargs.get("times", 1))', "WORDS + words.WORDS"
    )
    async with guests(tmp_path, helper=helper, words='WORDS = "a"') as box:
        assert (await box.call("echo", {"text": ""})).data["message"] == "aa"
    assert sys.path == path and not list((tmp_path / "profile").glob("__pycache__"))
    ours = ("_reachy_mind_guests_", "reachy_mind", "jsonschema", "referencing", "rpds", "attr")
    assert [name for name in set(sys.modules) - before if name.startswith("reachy_mini")] == []
    assert all(name.startswith(ours) or "." in name for name in set(sys.modules) - before if "guests" in name)
    with pytest.raises(ImportError):
        __import__("reachy_mini_conversation_app")


async def test_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    for word in ("one", "two"):
        async with guests(tmp_path, echo=ECHO.replace('" ".join([kwargs["text"]]', f'" ".join(["{word}"]')) as box:
            assert (await box.call("echo", {"text": "x"})).data["message"] == word


# The background


async def test_a_background_task_tells_its_progress_and_its_end(tmp_path: Path) -> None:
    async with guests(tmp_path, long=LONG) as box:
        with box.parts.bus.subscribe(TaskChanged, Announced) as events:
            outcome = await box.call("brew", {"kind": "green"}, caller=Caller(conversation="c"))
            assert outcome.status == "ok" and outcome.data["status"] == "started"
            seen = [await asyncio.wait_for(events.get(), 10)]
            while not isinstance(seen[-1], Announced):
                seen.append(await asyncio.wait_for(events.get(), 10))
        assert seen[-1].text == "The green tea is ready" and seen[-1].conversation == "c"
        told = [(event.state, event.progress) for event in seen if isinstance(event, TaskChanged)]
        assert told[0] == ("running", 0.0) and ("running", 0.5) in told and told[-1] == ("done", 1.0)
        assert box.parts.tasks is not None
        task = box.parts.tasks.get(outcome.data["task_id"])
        assert (task.tool, task.description, task.state) == ("profile.brew", "Brewing green", "done")


async def test_its_own_background_flag_is_its_own(tmp_path: Path) -> None:
    async with guests(tmp_path, long=LONG) as box:
        outcome = await box.call("brew", {"kind": "black", "background": False})
        assert outcome.data == {"status": "success", "message": "The black tea is ready"}


@pytest.mark.parametrize("kind", ["cold", "slow"])
async def test_a_background_task_is_cancelled_whether_it_listens_or_not(tmp_path: Path, kind: str) -> None:
    async with guests(tmp_path, long=LONG) as box:
        started = await box.call("brew", {"kind": kind})
        assert box.parts.tasks is not None
        assert box.parts.tasks.get(started.data["task_id"]).state == "running"
        task = await asyncio.wait_for(box.parts.tasks.cancel(started.data["task_id"]), 5)
        assert task.state == "cancelled"
        assert (await box.call("brew", {"kind": "black", "background": False})).status == "ok"


async def test_a_background_task_that_fails_says_so(tmp_path: Path) -> None:
    async with guests(tmp_path, long=LONG) as box:
        with box.parts.bus.subscribe(Announced) as events:
            await box.call("brew", {"kind": "mud"})
            event = await asyncio.wait_for(events.get(), 10)
        assert isinstance(event, Announced) and "that is no tea" in event.text


async def test_there_are_not_too_many_tasks(tmp_path: Path) -> None:
    async with guests(tmp_path, long=LONG) as box:
        outcomes = [await box.call("brew", {"kind": "cold"}) for _ in range(4)]
        assert [code(outcome) for outcome in outcomes] == ["", "", "", "BUSY"]


# Bad manners


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "DEFAULT_TIMEOUT_S", 1.5)  # long enough for a well-behaved tool on a busy machine


@pytest.mark.parametrize("how", ["sleep", "spin", "hang", "deaf"])
async def test_what_does_not_come_back_holds_up_nobody(tmp_path: Path, short: None, how: str) -> None:
    async with guests(tmp_path, rude=RUDE, echo=ECHO) as box:
        with box.parts.bus.subscribe(ToolStarted) as started:
            call = asyncio.create_task(box.call("rude", {"how": how}))
            await started.get()
        assert (await asyncio.wait_for(box.call("echo", {"text": "hello"}), 5)).status == "ok"
        outcome = await asyncio.wait_for(call, 5)
        assert outcome.status == "error" and code(outcome) == "TIMEOUT"
        assert (await box.call("rude", {"how": "well"})).data == {"how": "well"}


async def test_a_spinning_thread_is_ended(tmp_path: Path, short: None) -> None:
    def alive() -> int:
        return sum(thread.name == "guests of profile test" for thread in threading.enumerate())

    before = alive()
    async with guests(tmp_path, rude=RUDE) as box:
        assert code(await box.call("rude", {"how": "spin"})) == "TIMEOUT"
        await until(lambda: alive() <= before)


async def test_there_is_an_end_to_threads_that_are_stuck(
    tmp_path: Path, short: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with guests(tmp_path, rude=RUDE.replace("time.sleep(3)", "time.sleep(6)"), echo=ECHO) as box:
        calls = await asyncio.gather(*(_after(index, box, "sleep") for index in range(threads.MAX_STUCK_THREADS)))
        assert {code(outcome) for outcome in calls} == {"TIMEOUT"}
        outcome = await box.call("echo", {"text": "hello"})
        assert code(outcome) == "NOT_READY" and outcome.error is not None and "rude" in outcome.error["message"]

        async def room_again() -> bool:
            return (await box.call("echo", {"text": "hello"})).status == "ok"

        await until(room_again)  # they wake up


async def _after(index: int, box: Toolbox, how: str) -> Outcome:
    await asyncio.sleep(index * 0.01)
    return await box.call("rude", {"how": how})


@pytest.mark.parametrize(
    ("how", "says"), [("raise", "it broke"), ("exit", "tried to exit"), ("interrupt", "tried to exit")]
)
async def test_what_it_raises_stays_inside(tmp_path: Path, how: str, says: str) -> None:
    async with guests(tmp_path, rude=RUDE) as box:
        outcome = await box.call("rude", {"how": how})
        assert code(outcome) == "TOOL_FAILED" and outcome.error is not None and says in outcome.error["message"]
        assert (await box.call("rude", {"how": "well"})).status == "ok"


async def test_a_task_of_its_own_that_exits_ends_nobody(tmp_path: Path) -> None:
    async with guests(tmp_path, rude=RUDE) as box:
        await asyncio.wait_for(box.call("rude", {"how": "task"}), 10)
        assert (await box.call("rude", {"how": "well"})).status == "ok"


async def test_odd_answers_become_plain(tmp_path: Path) -> None:
    async with guests(tmp_path, rude=RUDE) as box:
        outcome = await box.call("rude", {"how": "odd"})
        assert outcome.status == "ok" and "object" in outcome.data["what"] and len(outcome.data["much"]) < 70_000


async def test_cancelling_the_call_reaches_the_coroutine(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    text = f"""
        import asyncio, pathlib

        class Wait:
            name, description, parameters_schema = "wait", "Wait.", {{}}

            async def __call__(self, deps):
                try:
                    pathlib.Path({str(mark)!r}).write_text("waiting")
                    await asyncio.sleep(3600)
                except asyncio.CancelledError:
                    pathlib.Path({str(mark)!r}).write_text("cancelled")
                    raise
    """
    async with guests(tmp_path, wait=text) as box:
        call = asyncio.create_task(box.call("wait"))
        await until(lambda: mark.exists() and mark.read_text() == "waiting")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert mark.read_text() == "cancelled"


# The robot


async def test_without_a_robot_it_is_told_so(tmp_path: Path) -> None:
    async with guests(tmp_path, moves=MOVES) as box:
        assert code(await box.call("glance", {"direction": "left"})) == "NOT_READY"


async def test_moves_move_the_robot(tmp_path: Path, motion: Motion) -> None:
    async with guests(tmp_path, motion=motion, moves=MOVES) as box:
        outcome = await box.call("glance", {"direction": "left"})
        assert outcome.data == {"status": "looking left"}, outcome
        assert math.degrees(motion.state.pose.yaw) == pytest.approx(30, abs=3)
        outcome = await box.call("tickle")
        assert outcome.status == "ok" and motion.state.pose.antenna_left == pytest.approx(-0.5, abs=0.1)
        assert math.degrees(motion.state.pose.yaw) == pytest.approx(30, abs=3)  # what a move leaves out stays
        outcome = await box.call("turn")
        assert outcome.status == "ok", outcome
        assert outcome.data["pitch"] == pytest.approx(15, abs=4)


async def test_a_stream_of_poses_is_followed(tmp_path: Path, motion: Motion) -> None:
    async with guests(tmp_path, motion=motion, moves=MOVES) as box:
        await motion.wake()
        assert (await box.call("follow")).status == "ok"
        assert math.degrees(motion.state.command.yaw) > 10


async def test_the_older_form_with_properties_and_late_imports(tmp_path: Path, motion: Motion) -> None:
    async with guests(tmp_path, motion=motion, properties=PROPERTIES) as box:
        outcome = await box.call("look_up", {"direction": "down"})
        assert outcome.status == "ok" and math.degrees(motion.state.pose.pitch) == pytest.approx(15, abs=4)
        assert code(await box.call("look_up", {"direction": "sideways"})) == "INVALID_PARAMETER"


async def test_a_dance_by_name_is_ended_like_one_of_ours(tmp_path: Path, motion: Motion) -> None:
    async with guests(tmp_path, motion=motion, others=(moves.stop_dance,), properties=PROPERTIES) as box:
        call = asyncio.create_task(box.call("boogie", caller=Caller(turn="1")))
        await motion.wait_for(lambda state: state.busy and state.command.distance(AWAKE) > 0.1, 10)
        assert (await box.call("stop_dance", caller=Caller(turn="1"))).status == "ok"
        assert (await asyncio.wait_for(call, 5)).status == "cancelled"
        assert "no move" in str((await box.call("boogie", {"dance_name": "gavotte"})).error)


async def test_a_stop_ends_the_call(tmp_path: Path, motion: Motion) -> None:
    async with guests(tmp_path, motion=motion, others=(state.stop,), moves=MOVES) as box:
        await motion.wake()
        call = asyncio.create_task(box.call("turn", {"seconds": 8}))
        await motion.wait_for(lambda state: state.busy, 10)
        assert (await box.call("stop")).status == "ok"
        assert (await asyncio.wait_for(call, 5)).status == "cancelled"


async def test_a_robot_that_was_stopped_takes_no_more_orders_of_the_same_call(tmp_path: Path, motion: Motion) -> None:
    async with guests(tmp_path, motion=motion, moves=MOVES) as box:
        await motion.wake()
        call = asyncio.create_task(box.call("insist"))
        await motion.wait_for(lambda state: state.busy, 10)
        await motion.stop()
        outcome = await asyncio.wait_for(call, 5)
        assert outcome.status == "error" and outcome.error is not None and "stopped" in outcome.error["message"]
        assert abs(math.degrees(motion.state.command.yaw)) < 20


async def test_a_newer_command_takes_the_body_from_a_guest(tmp_path: Path, motion: Motion) -> None:
    async with guests(tmp_path, motion=motion, moves=MOVES) as box:
        await motion.wake()
        older = asyncio.create_task(box.call("turn", {"seconds": 20}, caller=Caller(turn="1")))
        await motion.wait_for(lambda state: state.busy, 10)
        newer = await box.call("glance", {"direction": "right"}, caller=Caller(turn="2"))
        assert newer.status == "ok" and (await older).status == "cancelled"
        assert math.degrees(motion.state.pose.yaw) == pytest.approx(-30, abs=3)


async def test_a_guest_that_does_not_move_stands_in_nobodys_way(tmp_path: Path, motion: Motion) -> None:
    async with guests(tmp_path, motion=motion, moves=MOVES, rude=RUDE) as box:
        with box.parts.bus.subscribe(ToolStarted) as started:
            quiet = asyncio.create_task(box.call("rude", {"how": "hang"}, caller=Caller(turn="1")))
            await started.get()
        assert (await box.call("glance", {"direction": "left"}, caller=Caller(turn="2"))).status == "ok"
        assert not quiet.done()
        quiet.cancel()
        with pytest.raises(asyncio.CancelledError):
            await quiet


async def test_what_has_a_permission_of_its_own_goes_through_the_gate(tmp_path: Path, motion: Motion) -> None:
    async with guests(tmp_path, motion=motion, others=(state.sleep,), moves=MOVES) as box:
        outcome = await asyncio.wait_for(box.call("lie_down", caller=Caller(turn="1")), 30)
        assert outcome.status == "ok", outcome
        assert not motion.awake
        assert "robot.sleep" in [row["tool"] for row in (await box.audit.query())[0]]
    forbidden = f"{ALLOWED[:-1]}, {{pattern: robot.sleep, tier: forbidden}}]"
    (tmp_path / "second").mkdir()
    async with guests(tmp_path / "second", forbidden, motion=motion, others=(state.sleep,), moves=MOVES) as box:
        assert code(await box.call("lie_down")) == "PERMISSION_DENIED" and motion.awake


# Poses


def test_poses_are_the_vendors() -> None:
    pose = Pose(*(0.01, -0.02, 0.005), roll=0.2, pitch=-0.3, yaw=1.0)
    made = create_head_pose(10, -20, 5, *(math.degrees(angle) for angle in (0.2, -0.3, 1.0)), mm=True)
    assert merge_pose(Pose(), made).distance(pose) < 1e-9
    half = linear_pose_interpolation(create_head_pose(), create_head_pose(yaw=80, z=0.01), 0.5)
    assert merge_pose(Pose(), half).distance(Pose(z=0.005, yaw=math.radians(40))) < 1e-9
    beyond = merge_pose(Pose(yaw=math.radians(170)), create_head_pose(yaw=-170))
    assert math.degrees(beyond.yaw) == pytest.approx(190)
    with pytest.raises(InvalidParameter):
        merge_pose(Pose(), [1, 2, 3])


def test_dances_and_emotions_are_found_offline() -> None:
    recorded = shim_modules()["reachy_mini.motion.recorded_move"].RecordedMoves
    queue = shim_modules()["reachy_mini_conversation_app.dance_emotion_moves"]
    emotions = recorded("pollen-robotics/reachy-mini-emotions-library")
    assert "happy" in emotions.list_moves() and "happy" in emotions.get("happy2").name
    assert queue.EmotionQueueMove("sad1", emotions).duration > 0.5
    dances = shim_modules()["reachy_mini_dances_library.collection.dance"].AVAILABLE_MOVES
    assert all(dances[name][2]["description"] for name in dances)
    head, antennas, body_yaw = queue.DanceQueueMove(next(iter(dances))).evaluate(0.3)
    assert head.shape == (4, 4) and len(antennas) == 2 and math.isfinite(body_yaw)
    with pytest.raises(ValueError, match="no move"):
        emotions.get("hangry")


def test_a_move_that_is_none_is_told_so() -> None:
    class Endless:
        duration = math.inf

        def evaluate(self, t: float) -> None: ...

    class Nan:
        duration = 0.1

        def evaluate(self, _: float) -> tuple[None, tuple[float, float], None]:
            return None, (math.nan, 0.0), None

    for wrong in (Endless(), Nan(), object(), 3):
        with pytest.raises(InvalidParameter):
            to_native_move(wrong, Pose())


DANCER = """
from reachy_mini_conversation_app.tools.core_tools import Tool
from reachy_mini_conversation_app.dance_emotion_moves import DanceQueueMove


class Party(Tool):
    name = "party"
    description = "Dance, or look aside."
    parameters_schema = {"type": "object", "properties": {"what": {"type": "string"}}}

    async def __call__(self, deps, **kwargs):
        if kwargs["what"] == "dance":
            deps.movement_manager.queue_move(DanceQueueMove("waltz"))
        else:
            deps.reachy_mini.look_at_world(0.5, 0.2, 0.0, duration=0.3)
        return {"message": "done"}
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("rule", "what", "said"),
    [
        ("robot.dance", "dance", "it dances, rule 'robot.dance'"),
        ("robot.move_head", "look", "it moves the head"),
        ("robot.wake_up", "look", "it switches the motors on"),
    ],
)
async def test_a_rule_counts_for_what_a_guest_makes_the_robot_do(
    tmp_path: Path, motion: Motion, rule: str, what: str, said: str
) -> None:
    rules = f"rules: [{{pattern: 'profile.*', tier: autonomous}}, {{pattern: {rule}, tier: forbidden}}]"
    async with guests(tmp_path, rules, motion=motion, others=(*moves.TOOLS, *state.TOOLS), party=DANCER) as box:
        outcome = await box.call("party", {"what": what})
        assert outcome.status == "denied" and outcome.error is not None and said in outcome.error["message"], outcome
        assert not motion.awake, "it sleeps on"
