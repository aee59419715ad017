"""`SKILLS`: how a policy of each task becomes a tool: its function, its trial, and how people ask for it.

`call` is what the function of the tool does with the robot, the eyes and the policy. What it uses is in `definitions`
and is copied into the file of the tool (`source_bundle`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reachy_mind.learning.environments import beat, find_object, look_at, track_face
from reachy_mind.learning.policies.programs.beat import keep_beat
from reachy_mind.learning.policies.programs.find_object import find_thing
from reachy_mind.learning.policies.programs.look_at import look_at_thing
from reachy_mind.learning.policies.programs.track_face import track_face as follow_face
from reachy_mind.workshop.draft import Case

ERROR = {"status": "error"}
DECIDED = "decisions, fallbacks, decisions_per_s, skill"
AIMED = f"status, message, arrived, found, thing, remaining_degrees, {DECIDED}"


@dataclass(frozen=True)
class SkillTemplate:
    """`parameters`: of the tool, with defaults; `arguments`: what they are. `asked`: what people say, by language,
    with {words} for the words of the tool's name, {past} for "practised", arguments marked as `[thing=the duck]`."""

    tool_name: str
    summary: str
    parameters: str
    arguments: tuple[str, ...]
    returns: str
    call: str
    definitions: tuple[Any, ...]
    capabilities: tuple[str, ...]
    cases: tuple[Case, ...]
    asked: Mapping[str, tuple[str, ...]]
    usual: Mapping[str, Any] = field(default_factory=dict)
    run_s: float = 10.0


LOOK_AT = SkillTemplate(
    tool_name="practised_look_at",
    summary="Look at a thing the way it was practised in simulation.",
    parameters='thing: str = "thing"',
    arguments=("thing: What to look at, such as duck; the nearest thing, if it is not given.",),
    returns=AIMED,
    call="look_at_thing(ReachyMini(), sight.locate, policy, thing)",
    definitions=(look_at.control, look_at_thing),
    capabilities=("camera", "motion"),
    cases=(
        {"input": {"thing": "apple"}, "expected": {"arrived": True}, "robot": {"moved": True}},
        {"input": {"thing": "duck"}, "expected": {"arrived": True}, "robot": {"moved": True}},
        {"input": {"thing": "umbrella"}, "expected": {"found": False}},
        {"input": {"thing": " "}, "expected": ERROR},
    ),
    asked={
        "en": (
            "do your {words} [thing=the duck]",
            "show me your {words} [thing=the duck]",
            "run {words} [thing=the duck]",
            "look at [thing=the duck] the way you {past}",
            "look at [thing=the duck] as you {past}",
            "look at [thing=the duck] like you {past}",
            "show me the look at you {past}",
            "show me how you {past} to look at [thing=the duck]",
            "do the look at you {past}",
            "do your {words}",
            "show me your {words}",
            "run {words}",
            "use the tool {words}",
        ),
        "fr": (
            "regarde [thing=le canard] comme tu t'es entraîné",
            "tu peux regarder [thing=le canard] comme tu t'es entraîné",
            "lance {words} [thing=le canard]",
        ),
        "es": (
            "mira [thing=el pato] como lo has practicado",
            "puedes mirar [thing=el pato] como lo has practicado",
            "ejecuta {words} [thing=el pato]",
        ),
        "de": (
            "schau [thing=die Ente] an wie du es geübt hast",
            "kannst du [thing=die Ente] anschauen wie du es geübt hast",
            "starte {words} [thing=die Ente]",
        ),
    },
    usual={"thing": "apple"},
)
FIND_OBJECT = SkillTemplate(
    tool_name="practised_find_object",
    summary="Look around for a thing and look at it, the way it was practised in simulation.",
    parameters='thing: str = "thing"',
    arguments=("thing: What to find, such as duck.",),
    returns=f"{AIMED}, searched",
    call="find_thing(ReachyMini(), sight.locate, policy, thing)",
    definitions=(find_object.control, find_thing),
    capabilities=("camera", "motion"),
    cases=(
        {"input": {"thing": "duck"}, "expected": {"arrived": True}, "robot": {"moved": True}},
        {"input": {"thing": "umbrella"}, "expected": {"found": False}, "robot": {"moved": True}},
        {"input": {"thing": " "}, "expected": ERROR},
    ),
    asked={
        "en": (
            "do your {words} [thing=the duck]",
            "run {words} [thing=the duck]",
            "find [thing=the duck] the way you {past}",
            "find [thing=the duck] as you {past}",
            "look for [thing=the duck] the way you {past}",
            "look for [thing=the duck] as you {past}",
            "show me how you {past} to find [thing=the duck]",
            "show me your {words}",
            "use the tool {words}",
        ),
        "fr": ("cherche [thing=le canard] comme tu t'es entraîné", "lance {words} [thing=le canard]"),
        "es": ("busca [thing=el pato] como lo has practicado", "ejecuta {words} [thing=el pato]"),
        "de": ("such [thing=die Ente] wie du es geübt hast", "starte {words} [thing=die Ente]"),
    },
    usual={"thing": "duck"},
    run_s=15.0,
)
TRACK_FACE = SkillTemplate(
    tool_name="practised_track_face",
    summary="Follow a face with the head the way it was practised in simulation.",
    parameters="duration_s: float = 10.0",
    arguments=("duration_s: For how many seconds.",),
    returns=f"status, message, found, pictures, seen, median_degrees, {DECIDED}",
    call="track_face(ReachyMini(), sight.locate, policy, duration_s)",
    definitions=(track_face.control, follow_face),
    capabilities=("camera", "motion"),
    cases=(
        {"input": {"duration_s": 3.0}, "expected": {"found": False}},
        {"input": {"duration_s": 0.0}, "expected": ERROR},
    ),
    asked={
        "en": (
            "do your {words}",
            "do your {words} for [duration_s=20 seconds]",
            "run {words}",
            "follow my face the way you {past}",
            "follow my face as you {past}",
            "follow my face as you {past} for [duration_s=20 seconds]",
            "track my face the way you {past}",
            "track my face as you {past} for [duration_s=20 seconds]",
            "show me how you {past} to follow a face",
            "show me your {words}",
            "use the tool {words}",
        ),
        "fr": ("suis mon visage comme tu t'es entraîné",),
        "es": ("sigue mi cara como lo has practicado",),
        "de": ("folge meinem Gesicht wie du es geübt hast",),
    },
    usual={"duration_s": 10.0},
)
BEAT = SkillTemplate(
    tool_name="practised_beat",
    summary="Nod and swing the antennas on a beat the way it was practised in simulation.",
    parameters="bpm: float = 90.0, duration_s: float = 6.0",
    arguments=("bpm: Beats a minute.", "duration_s: For how many seconds."),
    returns=f"status, message, on_beat, {DECIDED}",
    call="keep_beat(ReachyMini(), policy, bpm, duration_s)",
    definitions=(beat.control, keep_beat),
    capabilities=("motion",),
    cases=(
        {"input": {"bpm": 90.0, "duration_s": 6.0}, "expected": {"on_beat": True}, "robot": {"moved": True}},
        {"input": {"bpm": 70.0, "duration_s": 6.0}, "expected": {"on_beat": True}, "robot": {"moved": True}},
        {"input": {"bpm": 1000.0}, "expected": ERROR},
    ),
    asked={
        "en": (
            "do your {words}",
            "do your {words} for [duration_s=20 seconds]",
            "do your {words} at [bpm=100]",
            "do your {words} at [bpm=100] beats per minute",
            "run {words}",
            "move to the beat the way you {past}",
            "move to the beat as you {past}",
            "keep the beat as you {past}",
            "nod on the beat as you {past}",
            "nod to the beat as you {past}",
            "show me how you {past} to keep the beat",
            "show me the beat you {past}",
            "show me your {words}",
            "use the tool {words}",
        ),
        "fr": ("bats le rythme comme tu t'es entraîné", "hoche la tête en rythme comme tu t'es entraîné"),
        "es": ("lleva el ritmo como lo has practicado", "asiente al ritmo como lo has practicado"),
        "de": ("halte den Takt wie du es geübt hast", "nicke im Takt wie du es geübt hast"),
    },
    usual={"bpm": 90.0, "duration_s": 6.0},
)

SKILLS: Mapping[str, SkillTemplate] = {
    "look_at": LOOK_AT,
    "find_object": FIND_OBJECT,
    "track_face": TRACK_FACE,
    "beat": BEAT,
}
"""By task."""
