"""`SKILLS`: how a policy of each task becomes a tool: its function, its trial, and how people ask for it.

A template's entry is the function of the tool; `$name` is its name. Everything that the entry uses besides the robot
is in `definitions`, and is copied into the file of the tool (`source_bundle`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reachy_mind.learning.environments import look_at
from reachy_mind.learning.policies.guarded import GuardedPolicy
from reachy_mind.learning.policies.programs.look_at import look_at_thing
from reachy_mind.learning.policies.programs.packed_policy import PackedPolicy
from reachy_mind.workshop.draft import Case

ERROR = {"status": "error"}


@dataclass(frozen=True)
class SkillTemplate:
    """`asked`: what people say, with {words} for the words of the tool's name and its other spellings, and arguments
    marked as `[thing=the duck]`, by language."""

    tool_name: str
    summary: str
    entry: str
    definitions: tuple[Any, ...]
    capabilities: tuple[str, ...]
    cases: tuple[Case, ...]
    asked: Mapping[str, tuple[str, ...]]
    usual: Mapping[str, Any] = field(default_factory=dict)
    run_s: float = 10.0


LOOK_AT = SkillTemplate(
    tool_name="practised_look_at",
    summary="Look at a thing the way it was practised in simulation.",
    entry='''\
async def $name(thing: str = "thing") -> dict:
    """$summary

    Args:
        thing: What to look at, such as duck; the nearest thing, if it is not given.

    Returns:
        dict: status, message, arrived, found, thing, decisions, fallbacks, remaining_degrees, decisions_per_s, skill.
    """
    policy = GuardedPolicy(PackedPolicy(POLICY), control)
    try:
        done = await look_at_thing(ReachyMini(), sight.locate, policy, thing)
    except (tools.ToolError, RobotCallError) as error:
        return {"status": "error", "message": f"I could not look: {error.message}."}
    return done | {"skill": SKILL}
''',
    definitions=(PackedPolicy, GuardedPolicy, look_at.control, look_at_thing),
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
            "show me the look at you {past}",
            "show me how you {past} to look at [thing=the duck]",
            "do the look at you {past}",
            "do your {words}",
            "show me your {words}",
            "run {words}",
            "use the tool {words}",
        ),
        "fr": ("regarde [thing=le canard] comme tu t'es entraîné", "lance {words} [thing=le canard]"),
        "es": ("mira [thing=el pato] como lo has practicado", "ejecuta {words} [thing=el pato]"),
        "de": ("schau [thing=die Ente] an wie du es geübt hast", "starte {words} [thing=die Ente]"),
    },
    usual={"thing": "apple"},
)

SKILLS: Mapping[str, SkillTemplate] = {"look_at": LOOK_AT}
"""By task."""
