"""`Act`: something that a call makes happen. A permission rule for a tool is a rule about its act, whoever performs it.

`play_move` of a nod is a nod, and a look from sleep switches the motors on. `act_table` lists the acts of every
built-in tool; here is what each act is called, and which acts a move of the repertoire or a target pose has.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from reachy_mind.body.pose import Pose
from reachy_mind.errors import MindError
from reachy_mind.motion.library.emotion_names import normalized
from reachy_mind.motion.library.gestures import OTHER_WORDS

if TYPE_CHECKING:
    from reachy_mind.motion.client import Motion
    from reachy_mind.motion.repertoire import Repertoire, RepertoireEntry

Scope = Literal["talk", "read", "control", "admin"]
LEAST_TURN, LEAST_SHIFT_M = math.radians(1), 0.001


@dataclass(frozen=True)
class Act:
    """`what` happens, in words, and the tools that are this act: the first rule that matches one of `names` is the
    rule about the act."""

    what: str
    names: tuple[str, ...]
    scope: Scope = "talk"
    """What a caller needs for it, whichever tool performs it; most acts need no more than their tool."""


NOD = Act("it nods", ("robot.nod",))
SHAKE = Act("it shakes its head", ("robot.shake",))
WAVE = Act("it waves", ("robot.wave",))
EMOTION = Act("it shows an emotion", ("robot.express_emotion",))
DANCE = Act("it dances", ("robot.dance",))
MOVE_HEAD = Act("it moves the head", ("robot.move_head", "robot.look_at"))
TURN_BODY = Act("it turns the body", ("robot.rotate",))
MOVE_ANTENNAS = Act("it moves the antennas", ("robot.set_antennas",))
MOTORS_ON = Act("it switches the motors on", ("robot.wake_up", "robot.set_motor_mode"))
MOTORS_OFF = Act("it lays the head down and switches the motors off", ("robot.sleep", "robot.set_motor_mode"))
MOTORS_YIELD = Act("it makes the motors yield", ("robot.set_motor_mode",))
TAKE_PICTURE = Act("it opens the camera", ("perception.take_photo", "perception.set_camera"))
ANALYZE = Act("it analyses a picture", ("perception.analyze_scene",))
FIND_FACES = Act("it looks for faces", ("perception.detect_faces",))
FIND_OBJECTS = Act("it looks for objects", ("perception.detect_objects",))
FOLLOW = Act("it follows people with the head", ("robot.head_tracking",))
LISTEN = Act("it opens the microphone", ("perception.listen", "perception.set_microphone"))
SPEAK = Act("it speaks", ("voice.speak",))
REMEMBER = Act("it remembers", ("memory.store_memory", "memory.update_user_profile"))
RECALL = Act("it tells what it remembers", ("memory.search_memories", "memory.get_user_profile"))
FORGET = Act("it forgets", ("memory.forget_memory",))
ERASE = Act("it erases everything of a person", ("memory.erase_person",), "admin")
RECORD = Act(
    "it records a move",
    ("robot.record_move", "robot.save_take", "robot.begin_demonstration", "robot.keep_demonstration"),
)
REMOVE_MOVE = Act("it deletes a recorded move", ("robot.remove_move",))
REMOVE_DEMONSTRATION = Act("it deletes a demonstration, or part of one", ("robot.remove_demonstration",))

FOLLOWING = (FOLLOW, TAKE_PICTURE, FIND_FACES, MOVE_HEAD)
"""The acts of head tracking, which goes on after its call."""
GESTURES = {"nod": NOD, "shake": SHAKE, "wave": WAVE}
UNKNOWN_MOVE = (NOD, SHAKE, WAVE, EMOTION, DANCE)
"""What a recorded move may show: nobody can tell from its file."""
DATASETS = {"reachy-mini-dances-library": DANCE, "reachy-mini-emotions-library": EMOTION}
"""The vendor's collections of recorded moves, whose content is known."""
EMOTION_GESTURES: dict[str, Act] = {
    **dict.fromkeys(("agreeing", "attentive", "determined", "grateful", "thinking"), NOD),
    **dict.fromkeys(("disagreeing", "sad"), SHAKE),
    "welcoming": WAVE,
}
"""Emotions that nod, shake the head or wave on the way."""


@dataclass(frozen=True)
class ActRequest:
    """A call whose acts are asked for: its arguments, and the state of the robot that they depend on."""

    arguments: Mapping[str, Any]
    motion: Motion | None = None
    repertoire: Repertoire | None = None
    by_brain: bool = False
    """A brain speaks by its reply: a tool that it calls does not speak besides."""

    @property
    def asleep(self) -> bool:
        """Whether a movement would switch the motors on first; also when that is not known."""
        try:
            return self.motion is None or not self.motion.awake
        except MindError:
            return True

    @property
    def pose(self) -> Pose:
        """The pose from which a movement starts; the front when it is not known."""
        try:
            return self.motion.state.command if self.motion is not None else Pose()
        except MindError:
            return Pose()


def acts_of_move(names: str, repertoire: Repertoire | None) -> frozenset[Act]:
    """The acts of a move of the repertoire, or of several joined by `+`. Reads the names of files.

    A name that the repertoire does not know has none: the tool refuses it.
    """
    found: set[Act] = set()
    for name in names.split("+") if repertoire is not None else ():
        try:
            found.update(_acts_of_entry(repertoire.entry(name.strip())))  # type: ignore[union-attr]
        except MindError:
            continue
    return frozenset(found)


def _acts_of_entry(entry: RepertoireEntry) -> Collection[Act]:
    match entry.kind:
        case "dance":
            return (DANCE,)
        case "emotion":
            return (EMOTION, EMOTION_GESTURES.get(entry.name, EMOTION))
        case "gesture":
            return (GESTURES[entry.name],) if entry.name in GESTURES else ()
        case _:
            return _acts_of_recording(entry.name)


def _acts_of_recording(name: str) -> Collection[Act]:
    """A recording of the vendor's: the kind of its collection, and what each word of its name says (`yes_sad1`,
    `simple_nod`). Any other: anything."""
    dataset, _, move = name.rpartition("/")
    if dataset not in DATASETS:
        return UNKNOWN_MOVE
    words = [word.rstrip("0123456789") for word in normalized(move).split("_")]
    said = {GESTURES[word] for word in (OTHER_WORDS.get(word, word) for word in words) if word in GESTURES}
    return {DATASETS[dataset], *said, *([DANCE] if any("dance" in word for word in words) else [])}


def acts_of_target(before: Pose, after: Pose) -> frozenset[Act]:
    """The acts of a movement from one pose to another."""
    found = set()
    least = dict.fromkeys(("roll", "pitch", "yaw"), LEAST_TURN) | dict.fromkeys("xyz", LEAST_SHIFT_M)
    if any(abs(getattr(after, axis) - getattr(before, axis)) > size for axis, size in least.items()):
        found.add(MOVE_HEAD)
    if abs(after.body_yaw - before.body_yaw) > LEAST_TURN:
        found.add(TURN_BODY)
    if any(abs(new - old) > LEAST_TURN for new, old in zip(after.antennas, before.antennas, strict=True)):
        found.add(MOVE_ANTENNAS)
    return frozenset(found)
