"""One act, one permission: a rule is about what happens, whichever tool makes it happen."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.config.configuration import load
from reachy_mind.events import Bus
from reachy_mind.motion import clips
from reachy_mind.motion.clips import Clip
from reachy_mind.motion.moves import Frames
from reachy_mind.motion.repertoire import BUILT_IN, Repertoire
from reachy_mind.storage.database import Database
from reachy_mind.tools import acts
from reachy_mind.tools.act_table import TABLE
from reachy_mind.tools.acts import EMOTION_GESTURES, NOD, SHAKE, WAVE, Act
from reachy_mind.tools.audit import Audit
from reachy_mind.tools.builtin import ALIASES, TOOLS
from reachy_mind.tools.confirmations import Confirmations
from reachy_mind.tools.context import Caller, Parts
from reachy_mind.tools.definition import Outcome
from reachy_mind.tools.permissions import Permissions
from reachy_mind.tools.registry import Registry
from reachy_mind.tools.tasks import Tasks
from reachy_mind.tools.toolbox import Toolbox

DOCS = Path(__file__).parents[2] / "docs" / "permissions.md"
ALL_ACTS = [value for value in vars(acts).values() if isinstance(value, Act)]
STILL = Frames([(0.0,) * 9] * 20)


@contextlib.asynccontextmanager
async def ruled(folder: Path, **tiers: str) -> AsyncIterator[Toolbox]:
    """All built-in tools without a robot, with a rule for each name; `__` stands for the dot."""
    file = folder / "permissions.yaml"
    rules = [f"- {{pattern: '{name.replace('__', '.')}', tier: {tier}}}" for name, tier in tiers.items()]
    file.write_text("\n".join(["rules:", *rules]))
    bus, repertoire = Bus(), Repertoire(folder / "moves")
    async with Database(folder / "mind.db") as database, Tasks(database, bus) as tasks:
        parts = Parts(load(), bus, database, None, repertoire, tasks)
        yield Toolbox(
            Registry(TOOLS, ALIASES), Permissions(file), Confirmations(bus, timeout_s=5), Audit(database), parts
        )


def denied(outcome: Outcome, *said: str) -> None:
    assert outcome.status == "denied" and outcome.error is not None, outcome
    for words in said:
        assert words in outcome.error["message"], outcome.error


def test_every_tool_of_ours_has_an_entry_and_every_act_is_a_tool() -> None:
    names = {tool.qualified for tool in TOOLS}
    made = ("create", "rollback", "approve", "reject", "deactivate", "import", "retry")
    above = {f"workshop.{name}_tool" for name in made} | {"workshop.run_code", "workshop.list_tools"}
    above |= {name for name in TABLE if name.startswith(("developer.", "github."))}  # tests/developer has each of them
    assert set(TABLE) == names | above  # added by the mind: they belong to a room above
    assert {name for act in ALL_ACTS for name in act.names} <= names
    others = {name.rpartition(".")[2] for name in names | above}
    assert {name for entry in TABLE.values() for name in entry.same_as} <= others


def test_a_tool_that_moves_says_that_it_may_switch_the_motors_on() -> None:
    for tool in TOOLS:
        entry = TABLE[tool.qualified]
        possible = {act for condition in entry.perhaps for act in condition.may} | set(entry.always)
        motors = {acts.MOTORS_ON, acts.MOTORS_OFF}
        assert not tool.moves or possible & motors, tool.qualified


def test_what_emotions_show_is_what_they_say() -> None:
    said = {NOD: r"\b[Nn]ods?\b(?! off)", SHAKE: r"[Ss]hakes? (?:its|of the) head", WAVE: r"\bwaves? one\b"}
    for entry in BUILT_IN.values():
        if entry.kind == "emotion":
            shown = [act for act, words in said.items() if re.search(words, entry.description)]
            assert shown == ([EMOTION_GESTURES[entry.name]] if entry.name in EMOTION_GESTURES else []), entry


MOVES = [
    ("robot__nod", "play_move", {"name": "nod"}),
    ("robot__nod", "play_move", {"name": "Nod"}),
    ("robot__nod", "play_move", {"name": "yes"}),
    ("robot__nod", "play_move", {"name": "nod+happy"}),
    ("robot__nod", "play_move", {"name": "happy + nod"}),
    ("robot__nod", "play_move", {"name": "nod", "background": True}),
    ("robot__nod", "express_emotion", {"emotion": "agreeing"}),
    ("robot__nod", "play_emotion", {"emotion": "nodding"}),
    ("robot__nod", "mcp__robot__play_move", {"name": "nod"}),
    ("nod", "perform", {"name": "nod", "parameters": {"times": 1}}),
    ("robot__shake", "play_move", {"name": "no"}),
    ("robot__shake", "express_emotion", {"emotion": "no"}),
    ("robot__wave", "perform", {"name": "hello"}),
    ("robot__dance", "play_move", {"name": "waltz"}),
    ("robot__dan*", "play_recorded_move", {"move_name": "waltz"}),
    ("robot__dance", "play_move", {"name": "random"}),
    ("robot__dance", "perform", {"name": "tilt+waltz"}),
    ("robot__express_emotion", "play_move", {"name": "happy"}),
    ("play_emotion", "perform", {"name": "tilt+joy"}),
]


@pytest.mark.parametrize(("rule", "tool", "args"), MOVES)
async def test_a_move_is_what_it_shows(tmp_path: Path, rule: str, tool: str, args: dict[str, Any]) -> None:
    async with ruled(tmp_path, **{rule: "forbidden"}) as box:
        denied(await box.call(tool, args), "forbidden: it ", f"rule '{rule.replace('__', '.')}' (line 2)")
    async with ruled(tmp_path, **{rule: "confirm"}) as box:
        assert (await box.call(tool, args)).error["code"] == "NOT_CONFIRMED"  # type: ignore[index]
    async with ruled(tmp_path, robot__sleep="forbidden") as box:
        outcome = await box.call(tool, args)
        assert outcome.status in ("error", "started"), "only the missing robot is in the way"


async def test_another_move_is_not_refused(tmp_path: Path) -> None:
    async with ruled(tmp_path, robot__nod="forbidden", robot__dance="forbidden") as box:
        for name in ("shake", "happy", "tilt+peekaboo"):
            assert (await box.call("play_move", {"name": name})).error["code"] == "NOT_READY"  # type: ignore[index]
        assert (await box.call("play_move", {"name": "nodd+unheard"})).status == "error", "it is no move at all"


@pytest.mark.parametrize("rule", ["robot__nod", "robot__dance", "robot__express_emotion"])
async def test_a_recorded_move_may_show_anything(tmp_path: Path, rule: str) -> None:
    """Nobody can tell what a file shows: a nod may have been exported, or recorded, under another name."""
    repertoire = Repertoire(tmp_path / "moves")
    repertoire.save(Clip("greeting", STILL))
    for dataset, move in (
        ("elsewhere", "hop"),
        ("reachy-mini-dances-library", "hop"),
        ("reachy-mini-emotions-library", "yes1"),
        ("reachy-mini-emotions-library", "yes_sad1"),
        ("reachy-mini-dances-library", "simple_nod"),
    ):
        folder = tmp_path / "moves" / dataset
        folder.mkdir(exist_ok=True)
        clips.write(Clip(move, STILL), folder / f"{move}.json")
    async with ruled(tmp_path, **{rule: "forbidden"}) as box:
        for name in ("greeting", "elsewhere/hop"):
            for tool in ("play_move", "perform", "dance"):
                denied(await box.call(tool, {"name": name}), "forbidden")
        vendor = {
            "reachy-mini-dances-library/hop": {"robot__dance"},
            "reachy-mini-emotions-library/yes1": {"robot__nod", "robot__express_emotion"},
            "reachy-mini-emotions-library/yes_sad1": {"robot__nod", "robot__express_emotion"},
            "reachy-mini-dances-library/simple_nod": {"robot__nod", "robot__dance"},
        }
        for name, rules in vendor.items():
            refused = (
                await box.call("play_recorded_move", {"dataset": name.split("/")[0], "move_name": name.split("/")[1]})
            ).status == "denied"
            assert refused is (rule in rules), name


OTHERS = [
    ("robot__wake_up", "move_head", {"direction": "left"}, "switches the motors on"),
    ("robot__set_motor_mode", "look", {"yaw": 10}, "switches the motors on"),
    ("robot__wake_up", "teleoperate", {"reins": "x"}, "switches the motors on"),
    ("robot__wake_up", "nod", {}, "switches the motors on"),
    ("robot__wake_up", "set_motor_mode", {"mode": "enabled"}, "switches the motors on"),
    ("robot__sleep", "set_motor_mode", {"mode": "disabled"}, "switches the motors off"),
    ("robot__set_motor_mode", "record_move", {"name": "x", "by_hand": True}, "motors"),
    ("robot__move_head", "look_at", {"yaw": 10}, "moves the head"),
    ("robot__look_at", "look_at_world", {"x": 1, "y": 0, "z": 0}, "moves the head"),
    ("robot__move_head", "goto", {"pitch": 5}, "moves the head"),
    ("robot__set_antennas", "goto", {"antenna_left": 5}, "goto"),
    ("robot__rotate", "look_at", {"yaw": 150}, "turns the body"),
    ("robot__rotate", "move_head", {"direction": "left", "degrees": 150}, "turns the body"),
    ("robot__rotate", "goto", {"body_yaw": 20}, "turns the body"),
    ("robot__remove_move", "record_move", {"name": "x", "overwrite": True}, "deletes"),
    ("robot__record_move", "save_take", {"reins": "x", "name": "y"}, "records"),
    ("perception__take_photo", "camera", {}, "opens the camera"),
    ("perception__take_photo", "detect_faces", {}, "opens the camera"),
    ("perception__set_camera", "look_at_object", {"name": "cup"}, "opens the camera"),
    ("perception__take_photo", "head_tracking", {"enabled": True}, "opens the camera"),
    ("perception__take_photo", "set_camera", {"enabled": True}, "opens the camera"),
    ("perception__analyze_scene", "capture_image", {"analyze": True}, "analyses"),
    ("perception__set_microphone", "listen", {}, "opens the microphone"),
    ("voice__speak", "set_personality", {"name": "poet"}, "speaks"),
    ("memory__store_memory", "update_user_profile", {"key": "home", "value": "Rome"}, "remembers"),
    ("memory__update_user_profile", "remember", {"fact": "I live in Rome"}, "remembers"),
    ("memory__forget_memory", "update_user_profile", {"key": "home", "value": " "}, "forgets"),
    ("memory__erase_person", "forget", {"query": "everything about me"}, "erases"),
    ("memory__forget_memory", "erase_person", {"name": "Ada"}, "forgets"),
]


@pytest.mark.parametrize(("rule", "tool", "args", "said"), OTHERS)
async def test_what_else_a_call_does_is_decided_too(
    tmp_path: Path, rule: str, tool: str, args: dict[str, Any], said: str
) -> None:
    async with ruled(tmp_path, **{rule: "forbidden"}) as box:
        denied(await box.call(tool, args), "forbidden", said, f"rule '{rule.replace('__', '.')}' (line 2)")


async def test_what_a_call_does_not_do_is_not_held_against_it(tmp_path: Path) -> None:
    spared = [
        ("set_motor_mode", {"mode": "gravity_compensation"}),
        ("head_tracking", {"enabled": False}),
        ("set_camera", {"enabled": False}),
        ("describe_image", {}),
    ]
    async with ruled(tmp_path, robot__wake_up="forbidden", perception__take_photo="forbidden") as box:
        for tool, args in spared:
            assert (await box.call(tool, args)).status == "error", tool
        assert (await box.call("set_personality", {"name": "poet"}, caller=Caller("brain"))).status == "error"


async def test_the_first_rule_about_an_act_wins_and_the_strictest_act_decides(tmp_path: Path) -> None:
    async with ruled(tmp_path, robot__wake_up="autonomous", robot__set_motor_mode="forbidden") as box:
        assert (await box.call("nod")).error["code"] == "NOT_READY"  # type: ignore[index]
    async with ruled(tmp_path, robot__nod="confirm", robot__dance="forbidden", robot__play_move="autonomous") as box:
        assert (await box.call("play_move", {"name": "nod"})).tier == 3
        assert (await box.call("play_move", {"name": "nod+waltz"})).tier == 4
        assert (await box.call("play_move", {"name": "tilt"})).tier == 1


async def test_erasing_a_person_needs_the_scope_of_its_route_whichever_way_it_comes(tmp_path: Path) -> None:
    caller = Caller("brain", scopes=frozenset({"talk", "control"}))
    async with ruled(tmp_path, time__get_time="notify") as box:
        denied(await box.call("forget_memory", {"query": "everything about me"}, caller=caller), "scope admin")
        asked = await box.call("forget_memory", {"query": "my cat"}, caller=caller)
        assert asked.error is not None and asked.error["code"] == "NOT_CONFIRMED"


async def test_stop_is_never_denied(tmp_path: Path) -> None:
    async with ruled(tmp_path, **{"*": "forbidden"}) as box:
        for name in ("stop", "robot.stop", "cancel_action"):
            assert (await box.call(name, caller=Caller(scopes=frozenset()))).status == "ok"


async def test_permissions_show_which_acts_of_a_tool_rules_are_about(tmp_path: Path) -> None:
    async with ruled(tmp_path, robot__nod="forbidden", robot__wake_up="confirm") as box:
        found = [act.as_dict() for act in box.decisions.possible(box.registry.find("play_move")[0])]
    assert {(act["what"], act["tier_name"]) for act in found} == {
        ("it nods", "forbidden"),
        ("it switches the motors on", "confirm"),
    }
    assert all(act["when"] and "rule" in act["reason"] for act in found)


def table() -> list[str]:
    """The table of docs/permissions.md."""
    rows = ["| tool | scope | acts |", "|---|---|---|"]
    for name, entry in sorted(TABLE.items()):
        conditional: dict[str, list[str]] = {}
        for condition in entry.perhaps:
            conditional.setdefault(condition.when, []).extend(act.what for act in condition.may)
        parts = [f"as {', '.join(f'`{other}`' for other in entry.same_as)}"] if entry.same_as else []
        parts += [act.what for act in entry.always]
        parts += [f"{', '.join(dict.fromkeys(found))} ({when})" for when, found in conditional.items()]
        rows.append(f"| `{name}` | {entry.scope} | {'; '.join(parts)} |")
    return rows


def test_the_page_of_permissions_has_the_table() -> None:
    assert "\n".join(table()) in DOCS.read_text(encoding="utf-8"), "\n".join(["it should be:", *table()])
