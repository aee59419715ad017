"""`TABLE`: the acts of every built-in tool, and the scope that its caller needs. docs/permissions.md shows it.

A new tool needs an entry here. A tool of another source (a profile, a package, an MCP server) has none: its own name
is its act, it needs the scope `control`, and what it does through `ctx.call` or the robot's views is checked as it
happens.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from reachy_mind.body.limits import reachable_body_yaw
from reachy_mind.body.protocol import MotorMode
from reachy_mind.errors import MindError
from reachy_mind.memory.forget_requests import is_everything
from reachy_mind.motion.library.emotion_names import resolve_name
from reachy_mind.motion.library.emotions import EMOTIONS
from reachy_mind.tools import acts
from reachy_mind.tools.acts import Act, ActRequest, Scope, acts_of_move
from reachy_mind.tools.definition import CLIENT, Tool

SUFFICIENT_SCOPES: Mapping[Scope, frozenset[str]] = {
    "talk": frozenset({"talk", "control", "mcp", "admin"}),
    "read": frozenset({"read", "control", "mcp", "admin"}),
    "control": frozenset({"control", "mcp", "admin"}),
    "admin": frozenset({"admin"}),
}
"""Any of these is enough: whoever may call tools may also look and talk."""
NECK_DEGREES = 45.0
"""Beyond this angle between head and body the body turns along; see `builtin.head`."""


@dataclass(frozen=True)
class ActCondition:
    """Acts that a call performs depending on its arguments or the robot's state. `when` says so in words."""

    when: str
    may: tuple[Act, ...]
    """The acts that are possible."""
    acts: Callable[[ActRequest], Collection[Act]]
    reads_files: bool = False

    @classmethod
    def of(cls, when: str, act: Act, holds: Callable[[ActRequest], bool]) -> ActCondition:
        return cls(when, (act,), lambda request: (act,) if holds(request) else ())


@dataclass(frozen=True)
class ToolActs:
    """What a tool does besides the act of its own name, and the scope that its caller needs."""

    scope: Scope = "control"
    always: tuple[Act, ...] = ()
    perhaps: tuple[ActCondition, ...] = ()
    same_as: tuple[str, ...] = ()
    """Tools that do the same: a rule for one of them is also a rule for this one's name."""

    @property
    def reads_files(self) -> bool:
        return any(condition.reads_files for condition in self.perhaps)

    def performed(self, request: ActRequest) -> frozenset[Act]:
        """The acts of one call. Blocks if `reads_files`."""
        return frozenset(self.always).union(*(condition.acts(request) for condition in self.perhaps))


def _given(name: str, value: object = True) -> Callable[[ActRequest], bool]:
    return lambda request: request.arguments.get(name) == value


def _plays(parameter: str) -> ActCondition:
    def found(request: ActRequest) -> Collection[Act]:
        return acts_of_move(str(request.arguments.get(parameter, "")), request.repertoire)

    return ActCondition(
        "the move shows it; a recorded one may show anything", acts.UNKNOWN_MOVE, found, reads_files=True
    )


def _turns_aside(degrees_aside: Callable[[ActRequest], float]) -> ActCondition:
    """The body turns along when the head turns far from it; `degrees_aside` tells how far."""
    when = f"the head turns more than {NECK_DEGREES:g} degrees from the body"
    return ActCondition.of(when, acts.TURN_BODY, lambda request: abs(degrees_aside(request)) > NECK_DEGREES)


def _from_body(yaw_degrees: float, request: ActRequest) -> float:
    return yaw_degrees - math.degrees(request.pose.body_yaw)


def _aside(request: ActRequest) -> float:
    """How far `move_head` turns from the body: a direction starts from the body, an angle from the front."""
    args = request.arguments
    if args.get("direction") is None:
        return _from_body(args.get("yaw") or 0.0, request)
    sideways = any(side in args["direction"] for side in ("left", "right"))
    return float(args.get("degrees") or 0.0) if sideways else 0.0


def _towards(request: ActRequest) -> float:
    """How far `look_at_world` turns from the body."""
    return _from_body(
        math.degrees(math.atan2(request.arguments.get("y", 0.0), request.arguments.get("x", 0.0))), request
    )


def _feels(request: ActRequest) -> Collection[Act]:
    """The gesture that belongs to an emotion."""
    try:
        name = resolve_name(str(request.arguments.get("emotion", "")), EMOTIONS)
    except MindError:  # the tool refuses it
        return ()
    return (acts.EMOTION_GESTURES[name],) if name in acts.EMOTION_GESTURES else ()


def _reaches(request: ActRequest) -> bool:
    args, body_yaw = request.arguments, request.pose.body_yaw
    target = args.get("body_yaw")
    if target is not None:
        return abs(math.radians(target) - body_yaw) > acts.LEAST_TURN
    yaw = args.get("yaw")
    return yaw is not None and abs(reachable_body_yaw(math.radians(yaw), body_yaw) - body_yaw) > acts.LEAST_TURN


def _any_of(*names: str) -> Callable[[ActRequest], bool]:
    return lambda request: any(request.arguments.get(name) is not None for name in names)


WAKES = ActCondition.of("the robot sleeps", acts.MOTORS_ON, lambda request: request.asleep)
MOVES = ToolActs(perhaps=(WAKES,))
AIMS = (acts.MOVE_HEAD, acts.TURN_BODY)
OVERWRITES = ActCondition.of("it overwrites one", acts.REMOVE_MOVE, _given("overwrite"))
READ, TALK, ADMIN, CONTROL = ToolActs("read"), ToolActs("talk"), ToolActs("admin"), ToolActs()

TABLE: Mapping[str, ToolActs] = {
    "robot.move_head": ToolActs(
        always=(acts.MOVE_HEAD,),
        perhaps=(
            WAKES,
            _turns_aside(_aside),
        ),
    ),
    "robot.look_at": ToolActs(
        always=(acts.MOVE_HEAD,),
        perhaps=(WAKES, _turns_aside(lambda request: _from_body(request.arguments.get("yaw", 0.0), request))),
    ),
    "robot.look_at_world": ToolActs(
        always=(acts.MOVE_HEAD,),
        perhaps=(WAKES, _turns_aside(_towards)),
    ),
    "robot.look_at_pixel": ToolActs(always=(*AIMS, acts.TAKE_PICTURE), perhaps=(WAKES,)),
    "robot.look_at_object": ToolActs(always=(*AIMS, acts.TAKE_PICTURE, acts.FIND_OBJECTS), perhaps=(WAKES,)),
    "robot.look_at_sound": ToolActs(always=AIMS, perhaps=(WAKES,)),
    "robot.look": ToolActs(
        always=(acts.MOVE_HEAD,),
        perhaps=(WAKES, ActCondition.of("the neck can't turn that far", acts.TURN_BODY, _reaches)),
        same_as=("move_head", "look_at"),
    ),
    "robot.goto": ToolActs(
        perhaps=(
            WAKES,
            ActCondition.of(
                "a place of the head is given", acts.MOVE_HEAD, _any_of("x", "y", "z", "roll", "pitch", "yaw")
            ),
            ActCondition.of("body_yaw is given, or the neck can't turn that far", acts.TURN_BODY, _reaches),
            ActCondition.of("an antenna is given", acts.MOVE_ANTENNAS, _any_of("antenna_left", "antenna_right")),
        ),
        same_as=("look_at", "set_antennas"),
    ),
    "robot.rotate": ToolActs(always=(acts.TURN_BODY,), perhaps=(WAKES,)),
    "robot.set_antennas": ToolActs(always=(acts.MOVE_ANTENNAS,), perhaps=(WAKES,)),
    "robot.rest": ToolActs(
        always=(acts.MOVE_HEAD,), perhaps=(WAKES, _turns_aside(lambda request: _from_body(0.0, request)))
    ),
    "robot.nod": ToolActs(always=(acts.NOD,), perhaps=(WAKES,)),
    "robot.shake": ToolActs(always=(acts.SHAKE,), perhaps=(WAKES,)),
    "robot.wave": ToolActs(always=(acts.WAVE,), perhaps=(WAKES,)),
    "robot.express_emotion": ToolActs(
        always=(acts.EMOTION,),
        perhaps=(ActCondition("that emotion does so", tuple(acts.GESTURES.values()), _feels), WAKES),
    ),
    "robot.dance": ToolActs(always=(acts.DANCE,), perhaps=(_plays("name"), WAKES)),
    "robot.play_move": ToolActs(perhaps=(_plays("name"), WAKES)),
    "robot.perform": ToolActs(perhaps=(_plays("name"), WAKES), same_as=("play_move",)),
    "robot.teleoperate": ToolActs(
        always=(*AIMS, acts.MOVE_ANTENNAS), perhaps=(WAKES,), same_as=("move_head", "look_at", "set_antennas")
    ),
    "robot.record_move": ToolActs(
        always=(acts.RECORD,),
        perhaps=(
            ActCondition(
                "it is posed by hand",
                (acts.MOTORS_YIELD, acts.MOTORS_ON),
                lambda request: (acts.MOTORS_YIELD, acts.MOTORS_ON) if request.arguments.get("by_hand") else (),
            ),
            OVERWRITES,
        ),
    ),
    "robot.save_take": ToolActs(always=(acts.RECORD,), perhaps=(OVERWRITES,)),
    "robot.remove_move": ToolActs(always=(acts.REMOVE_MOVE,)),
    "robot.begin_demonstration": ToolActs(
        always=(acts.RECORD,),
        perhaps=tuple(
            ActCondition.of("with the camera", act, _given("camera"))
            for act in (acts.TAKE_PICTURE, acts.FIND_OBJECTS, acts.FIND_FACES)
        ),
    ),
    "robot.keep_demonstration": ToolActs(always=(acts.RECORD,)),
    "robot.replay_demonstration": ToolActs(
        perhaps=(
            ActCondition("a demonstration may show anything", acts.UNKNOWN_MOVE, lambda _: acts.UNKNOWN_MOVE),
            WAKES,
        ),
        same_as=("play_move",),
    ),
    "robot.trim_demonstration": ToolActs(always=(acts.REMOVE_DEMONSTRATION,)),
    "robot.remove_demonstration": ToolActs(always=(acts.REMOVE_DEMONSTRATION,)),
    "robot.wake_up": ToolActs(always=(acts.MOTORS_ON,)),
    "robot.wake": ToolActs(always=(acts.MOTORS_ON,), same_as=("wake_up",)),
    "robot.sleep": ToolActs(always=(acts.MOTORS_OFF,)),
    "robot.lie_down": ToolActs(always=(acts.MOTORS_OFF,), same_as=("sleep",)),
    "robot.set_motor_mode": ToolActs(
        perhaps=(
            ActCondition.of("mode is enabled", acts.MOTORS_ON, _given("mode", MotorMode.ENABLED)),
            ActCondition.of("mode is disabled", acts.MOTORS_OFF, _given("mode", MotorMode.DISABLED)),
            ActCondition.of(
                "mode is gravity_compensation", acts.MOTORS_YIELD, _given("mode", MotorMode.GRAVITY_COMPENSATION)
            ),
        )
    ),
    "robot.head_tracking": ToolActs(
        perhaps=tuple(ActCondition.of("enabled", act, _given("enabled")) for act in acts.FOLLOWING)
    ),
    "robot.stop": TALK,
    "robot.stop_emotion": TALK,
    "robot.stop_dance": TALK,
    "robot.do_nothing": TALK,
    "robot.set_light": CONTROL,
    "robot.get_robot_state": READ,
    "robot.get_pose": READ,
    "robot.get_sensor_data": READ,
    "perception.set_camera": ToolActs(perhaps=(ActCondition.of("enabled", acts.TAKE_PICTURE, _given("enabled")),)),
    "perception.take_photo": ToolActs(
        always=(acts.TAKE_PICTURE,), perhaps=(ActCondition.of("describe", acts.ANALYZE, _given("describe")),)
    ),
    "perception.capture_picture": ToolActs("read", always=(acts.TAKE_PICTURE,), same_as=("take_photo",)),
    "perception.analyze_scene": ToolActs("read", always=(acts.TAKE_PICTURE, acts.ANALYZE)),
    "perception.analyze_picture": ToolActs(
        always=(acts.ANALYZE, acts.FIND_FACES, acts.FIND_OBJECTS),
        perhaps=(ActCondition.of("no picture is given", acts.TAKE_PICTURE, _given("picture", "")),),
        same_as=("analyze_scene", "describe_image"),
    ),
    "perception.detect_objects": ToolActs("read", always=(acts.TAKE_PICTURE, acts.FIND_OBJECTS)),
    "perception.detect_faces": ToolActs("read", always=(acts.TAKE_PICTURE, acts.FIND_FACES)),
    "perception.describe_image": ToolActs(always=(acts.ANALYZE,)),
    "perception.listen": ToolActs(always=(acts.LISTEN,)),
    "perception.set_microphone": ToolActs(perhaps=(ActCondition.of("enabled", acts.LISTEN, _given("enabled")),)),
    "voice.speak": ToolActs(always=(acts.SPEAK,)),
    "voice.set_volume": CONTROL,
    "web.search_web": TALK,
    "web.get_weather": TALK,
    "time.get_time": TALK,
    "time.set_timer": CONTROL,
    "time.set_reminder": CONTROL,
    "time.list_timers": READ,
    "time.cancel_timer": CONTROL,
    "memory.store_memory": ToolActs(always=(acts.REMEMBER,)),
    "memory.search_memories": ToolActs("read", always=(acts.RECALL,)),
    "memory.get_user_profile": ToolActs("read", always=(acts.RECALL,)),
    "memory.update_user_profile": ToolActs(
        perhaps=(
            ActCondition.of("a value is given", acts.REMEMBER, lambda request: bool(_value(request))),
            ActCondition.of("the value is empty", acts.FORGET, lambda request: not _value(request)),
        )
    ),
    "memory.forget_memory": ToolActs(
        always=(acts.FORGET,),
        perhaps=(
            ActCondition.of(
                "everything is to be forgotten",
                acts.ERASE,
                lambda request: is_everything(str(request.arguments.get("query", ""))),
            ),
        ),
    ),
    "memory.erase_person": ToolActs("admin", always=(acts.FORGET, acts.ERASE)),
    "tasks.task_status": READ,
    "tasks.task_cancel": CONTROL,
    "tasks.background_demo": CONTROL,
    "mind.set_personality": ToolActs(
        perhaps=(
            ActCondition.of(
                "no brain calls it: its greeting is said aloud", acts.SPEAK, lambda request: not request.by_brain
            ),
        )
    ),
    "mind.list_personalities": TALK,
    "mind.save_personality": ADMIN,
    "mind.remove_personality": ADMIN,
    "mind.set_permission": ADMIN,
    "mind.change_setting": ADMIN,
    "learning.list_lessons": READ,
    "learning.undo_lesson": CONTROL,
    "learning.start_training": CONTROL,
    "learning.stop_training": CONTROL,
    "learning.publish_training": ADMIN,
    "learning.remove_training": CONTROL,
    "workshop.create_tool": ADMIN,
    "workshop.list_tools": READ,
    "workshop.rollback_tool": ADMIN,
    "workshop.run_code": ADMIN,
    "workshop.approve_tool": ADMIN,
    "workshop.reject_tool": ADMIN,
    "workshop.deactivate_tool": ADMIN,
    "workshop.import_tool": ADMIN,
    "workshop.retry_tool": ADMIN,
    "developer.code": CONTROL,
    "developer.execute_code": CONTROL,
    "developer.code_move_to_repo": CONTROL,
    "github.github_clone": CONTROL,
    "github.github_pull": CONTROL,
    "github.github_push": CONTROL,
    "github.github_list_repos": READ,
    "github.github_list_files": READ,
    "github.github_read_file": READ,
    "github.github_write_file": CONTROL,
    "github.github_edit_file": CONTROL,
    "github.github_exec": CONTROL,
    "github.github_status": READ,
    "github.github_diff": READ,
    "github.github_log": READ,
    "github.github_add": CONTROL,
    "github.github_rm": CONTROL,
    "github.github_restore": CONTROL,
    "github.github_discard": CONTROL,
    "github.github_commit": CONTROL,
    "github.github_branch": CONTROL,
    "github.github_reset": CONTROL,
    "github.github_rebase": CONTROL,
    "github.github_issue": CONTROL,
    "github.github_list_issues": READ,
    "github.github_update_issue": CONTROL,
    "github.github_comment_issue": CONTROL,
    "github.github_close_issue": CONTROL,
    "github.github_create_pr": CONTROL,
    "github.github_merge_pr": CONTROL,
    "github.github_list_prs": READ,
    "github.github_update_pr": CONTROL,
    "github.github_comment_pr": ToolActs(same_as=("github_pr_comment",)),
    "github.github_pr_comment": ToolActs(same_as=("github_comment_pr",)),
    "github.github_close_pr": CONTROL,
    "github.github_pr_checks": READ,
    "github.github_ci_logs": READ,
}
UNLISTED = ToolActs()
OF_CLIENT = ToolActs(scope="talk")
RESERVED_GROUPS = frozenset(name.partition(".")[0] for name in TABLE) | {
    "profile",
    "developer",
    "generated",
    "mcp",
    "stop",
}
"""Groups of our own tools and of profiles: an MCP server of that name would get the rules that are meant for them."""
ADMIN_TOOLS = frozenset(name for name, entry in TABLE.items() if entry.scope == "admin")


def _value(request: ActRequest) -> str:
    return str(request.arguments.get("value", "")).strip()


def acts_of(tool: Tool) -> ToolActs:
    """The entry of a tool; one that is not built in has no acts but its own name. A client may use what it declares."""
    if tool.source == CLIENT:
        return OF_CLIENT
    return TABLE.get(tool.qualified, UNLISTED) if tool.source == "built-in" else UNLISTED


def changes_something(registry: Iterable[Tool], names: Collection[str]) -> bool:
    """Whether one of these tools does more than to look or to tell: to call it by mistake matters."""
    offered = {tool.name: tool for tool in registry}
    return any(name not in offered or acts_of(offered[name]).scope not in ("read", "talk") for name in names)


def has_scope(scopes: Collection[str] | None, needed: Scope) -> bool:
    """Whether a caller with these scopes may do what needs one; None: the owner, who may do all."""
    return scopes is None or not SUFFICIENT_SCOPES[needed].isdisjoint(scopes)


def within_scopes(tool: Tool, scopes: Collection[str] | None) -> bool:
    """Whether a caller with these scopes may use a tool."""
    return has_scope(scopes, acts_of(tool).scope)
