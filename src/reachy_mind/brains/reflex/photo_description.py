"""A photo that was asked for together with its description: what is seen is also said aloud.

Who speaks with the robot hears every answer; who writes to it, from another room perhaps, wants it to describe what it
sees to those who are there as well.
"""

from __future__ import annotations

import re
from dataclasses import replace

from reachy_mind.brains.brain import Turn
from reachy_mind.brains.reflex.plan import Part, Pause, Plan, Step
from reachy_mind.tools.definition import Outcome

DESCRIBED = (["take_photo", "describe_image"], ["take_photo", "analyze_scene"])
SEEN = "$seen"
"""Stands for what was seen, which is not known yet."""
_NOW = re.compile(r"what (?:you|it|he|she)(?: can)? sees?\b|what do you see|what'?s (?:there|in front)", re.IGNORECASE)
"""Such words mean what is before the camera, not the photo."""


def aloud(plan: Plan, turn: Turn) -> Plan:
    """The plan, with its words said aloud where that is wanted."""
    if [step.tool for step in plan.steps[-2:]] not in DESCRIBED or plan.parts[-1] is not plan.steps[-1]:
        return plan
    if turn.context.get("spoken") is True or not any(tool.name == "speak" for tool in turn.tools):
        return plan
    last = plan.steps[-1]
    if last.tool == "describe_image" and not last.args and _NOW.search(turn.text):
        last = Step("analyze_scene", {}, last.said, last.note)
    return replace(plan, parts=(*plan.parts[:-1], last, Step("speak", {"text": SEEN}, quiet=True)))


def filled(part: Part, last: Outcome | None) -> Part:
    """The part with what was seen in it; when nothing was, nothing is done."""
    if not isinstance(part, Step) or part.args.get("text") != SEEN:
        return part
    seen = last.data.get("message") if last is not None and isinstance(last.data, dict) else None
    return replace(part, args={"text": seen}) if isinstance(seen, str) and seen else Pause(0.0)
