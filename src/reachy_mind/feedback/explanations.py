"""Lessons in words, in four languages: "I look 8 degrees lower for things on the table, because you told me twice."."""

from __future__ import annotations

import json
from collections.abc import Hashable
from functools import cache
from importlib import resources
from typing import Any

import yaml

from reachy_mind.brains.reflex.plan import Step
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.feedback.lessons import Lesson
from reachy_mind.feedback.tuning import Learned, Tuning
from reachy_mind.profiles.phrasebook import LANGUAGES
from reachy_mind.tools.tunables import tunables

LOW, HIGH = -8.0, 15.0
"""Degrees: a thing below the first lies on the table; one above the second is above the robot."""


@cache
def _texts(language: str) -> dict[str, Any]:
    file = resources.files("reachy_mind.feedback").joinpath("explanations.yaml")
    read: dict[str, dict[str, Any]] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return read[language if language in LANGUAGES else "en"]


def explained(lesson: Lesson, tuning: Tuning, language: str = "en") -> str:
    """What a lesson comes to, together with the others of that person about the same thing."""
    texts, wording = _texts(language), Wording(language)
    if lesson.kind == "choice":
        return _choice(lesson, texts, wording)
    asked = {
        name: texts["values"].get(value, value) if isinstance(value, str) else value
        for name, value in lesson.situation.items()
        if value != "random"
    }
    step = " ".join(wording.steps([Step(lesson.tool, asked)]).split())
    if lesson.kind == "arguments":
        return str(texts["arguments"]).format(step=step)
    known = _known(lesson, tuning)
    times = _times(texts, known.times if known is not None else 1)
    if lesson.parameter.endswith("_offset"):
        return str(texts["offset"]).format(
            offset=_offset(lesson, tuning, texts), place=_place(lesson, texts), times=times
        )
    if known is None:
        return str(texts["arguments"]).format(step=step)
    changes, name = texts["changes"], lesson.parameter
    change = str(changes.get(name, changes["other"])).format(
        parameter=name.replace("_", " "), value=_said(known.value, texts), default=_said(known.default, texts)
    )
    return str(texts["value"]).format(step=step, change=change, times=times)


def subject_of(lesson: Lesson) -> Hashable:
    """Equal for lessons that one sentence tells together."""
    if lesson.kind == "choice":
        return lesson.kind, lesson.label.get("request"), float(lesson.label.get("weight", 1.0)) > 0
    if lesson.parameter.endswith("_offset"):
        return lesson.tool, "offset", _height(lesson)
    return lesson.tool, lesson.parameter, json.dumps(dict(lesson.situation), sort_keys=True, default=str)


def _said(value: Any, texts: dict[str, Any]) -> str:
    """A value as people say it: numbers without what nobody would notice."""
    if isinstance(value, str):
        return str(texts["values"].get(value, value))
    return f"{value:.0f}" if abs(value) >= 10 else f"{value:.2g}"


def _known(lesson: Lesson, tuning: Tuning) -> Learned | None:
    for tunable in tunables(lesson.tool, dict(lesson.situation)):
        if tunable.parameter == lesson.parameter:
            return tuning.known(lesson.person, lesson.tool, tunable, lesson.situation)
    return None


def _choice(lesson: Lesson, texts: dict[str, Any], wording: Wording) -> str:
    request, handoff = lesson.label.get("request", ""), lesson.label.get("handoff", "")
    if handoff:
        return str(texts["handoff"]).format(request=request, to=handoff)
    calls = [Step(str(name), dict(args)) for name, args in lesson.label.get("calls", ())]
    wanted = float(lesson.label.get("weight", 1.0)) > 0
    return str(texts["choice" if wanted else "unwanted"]).format(request=request, step=wording.steps(calls))


def _offset(lesson: Lesson, tuning: Tuning, texts: dict[str, Any]) -> str:
    offsets = tuning.offsets(lesson.person, lesson.situation)
    across, up = round(offsets.get("yaw_offset", 0.0)), round(offsets.get("pitch_offset", 0.0))
    sides = texts["sides"]
    parts = [sides["left" if across > 0 else "right"].format(n=abs(across))] if across else []
    parts += [sides["up" if up > 0 else "down"].format(n=abs(up))] if up else []
    return str(texts["and"]).join(parts) or str(texts["exactly"])


def _place(lesson: Lesson, texts: dict[str, Any]) -> str:
    return str(texts["places"][_height(lesson)])


def _height(lesson: Lesson) -> str:
    elevation = float(lesson.situation.get("elevation") or 0.0)
    return "low" if elevation < LOW else "high" if elevation > HIGH else "level"


def _times(texts: dict[str, Any], count: int) -> str:
    table = texts["times"]
    return str(table.get(count) or table["many"].format(n=count))
