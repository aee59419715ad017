"""`Tuning`: values of tool parameters as people taught them, computed from their lessons.

Each parameter of a tool has a Bayesian regression for each person (`learner`). Its label is how far the wanted value is
from the default, in medium steps. Its features are the situation: where the thing is that is looked at, or which
arguments a call has. One part of a label holds for the tool as a whole and one for the situation, so that what was
taught for "look left" is known a little for "look right" too. A learned value never leaves the limits of the tool.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reachy_mind.feedback.aim import GEOMETRY, PRAISED, PRECISION, aim_regression, aim_weight, look_features
from reachy_mind.feedback.learner import BayesianRegression, Label, still_valid
from reachy_mind.feedback.lessons import Lesson
from reachy_mind.tools.tunables import Tunable, tunables

MEDIUM = math.radians(10)
"""A medium step, on the scale of the labels."""
WEIGHTS = {size: round(aim_weight(degrees), 2) for size, degrees in PRECISION.items()}
"""How much the label of a correction counts: the larger the step, the rougher the guess at what was meant."""
ACCEPTED = round(aim_weight(3.0), 2)
FEW = 2
NEARBY = (15.0, 15.0, 0.3)
"""Degrees left and up, and metres, within which a thing is in the same place."""
CONFIRMED = round(aim_weight(PRAISED), 2)
"""How much "perfect" counts."""
MOST_LESSONS = 100
"""About one parameter, of one person; the latest count: people change, and no turn waits for the sum of years."""


@dataclass(frozen=True)
class Learned:
    """What is known of one parameter in one situation."""

    value: Any
    default: Any
    times: int
    """How often the parameter was corrected."""


class ParameterModel:
    """What one person taught about one parameter of one tool."""

    def __init__(self, taught: Sequence[Lesson]) -> None:
        self.times = sum("step" in lesson.label for lesson in taught)
        self.lessons = lessons = tuple(taught[-MOST_LESSONS:])
        # Of the corrections of one action, the last one says what was wanted; the others were on the way to it.
        last = {lesson.label.get("episode") or lesson.id: lesson for lesson in lessons}
        places = dict.fromkeys(_place(lesson.situation) for lesson in lessons if not _geometric(lesson.situation))
        self._places = {place: 1 + at for at, place in enumerate(places)}
        self._geometric = any(_geometric(lesson.situation) for lesson in lessons)
        used = _used(last.values())
        labels = still_valid([_label(self._features(lesson.situation), lesson) for lesson in used])
        self._regression = (
            aim_regression(_axis(lessons[0]), labels)
            if self._geometric
            else BayesianRegression(1 + len(self._places), labels=labels)
        )

    def offset(self, situation: Mapping[str, Any]) -> float:
        """How far from the default it was taught, in medium steps."""
        return self._regression.mean(self._features(situation)) / MEDIUM

    def _features(self, situation: Mapping[str, Any]) -> tuple[float, ...]:
        if self._geometric:
            return look_features(situation)
        features = [1.0] + [0.0] * len(self._places)
        if (at := self._places.get(_place(situation))) is not None:
            features[at] = 1.0
        return tuple(features)


def _used(lessons: Iterable[Lesson]) -> list[Lesson]:
    """The lessons that are learned from. Of few about the same situation the last one counts: who changes their mind
    need not say it twice. Many outvote a slip."""
    by_place: defaultdict[Hashable, list[Lesson]] = defaultdict(list)
    for lesson in lessons:
        by_place[_nearby(lesson.situation)].append(lesson)
    return [each for told in by_place.values() for each in (told[-1:] if len(told) <= FEW else told)]


def _nearby(situation: Mapping[str, Any]) -> Hashable:
    """Equal for situations that people would call the same."""
    if not _geometric(situation):
        return _place(situation)
    return tuple(round(float(situation.get(name) or 0.0) / size) for name, size in zip(GEOMETRY, NEARBY, strict=True))


def _label(features: tuple[float, ...], lesson: Lesson) -> Label:
    """What was done last, after corrections, was accepted: nobody objected."""
    weight = max(float(lesson.label.get("weight", 1.0)), ACCEPTED)
    return Label(features, float(lesson.label["offset"]) * MEDIUM, weight)


class Tuning:
    """The learned values of all people. `rebuild` computes them anew from the lessons that hold."""

    def __init__(self, lessons: Iterable[Lesson] = ()) -> None:
        self.rebuild(lessons)

    def rebuild(self, lessons: Iterable[Lesson]) -> None:
        """`lessons`: oldest first, without those that were undone."""
        self._values: defaultdict[tuple[str, str, str], list[Lesson]] = defaultdict(list)
        self._models: dict[tuple[str, str, str], ParameterModel] = {}
        self._arguments: dict[tuple[str, str, str], Lesson] = {}
        self._taught: set[tuple[str, str]] = set()
        self.add(lessons)

    def add(self, lessons: Iterable[Lesson]) -> None:
        """Learn more. What they change is computed when it is asked for."""
        for lesson in lessons:
            key = lesson.person, lesson.tool, lesson.parameter
            if lesson.kind == "value":
                self._values[key].append(lesson)
                self._models.pop(key, None)
            elif lesson.kind == "arguments":
                self._arguments[lesson.person, lesson.tool, _place(lesson.situation)] = lesson
            else:
                continue
            self._taught.add((lesson.person, lesson.tool))

    def learned(self, tool: str, given: Mapping[str, Any], person: str) -> dict[str, Any]:
        """Values for parameters that a call does not give, as this person taught them."""
        if (person, tool) not in self._taught:
            return {}
        situation = situation_of(tool, given)
        found: dict[str, Any] = {}
        if (lesson := self._arguments.get((person, tool, _place(given)))) is not None:
            found |= {name: None for name in given if name not in lesson.label["args"]} | lesson.label["args"]
        for tunable in tunables(tool, dict(given)):
            name = tunable.parameter
            if name in found or given.get(name) is not None or name.endswith("_offset"):
                continue
            if (known := self.known(person, tool, tunable, situation)) is not None and known.value != known.default:
                found[name] = known.value
        return found

    def offsets(self, person: str, situation: Mapping[str, Any]) -> dict[str, float]:
        """Degrees left and up beside a thing that is looked at, by parameter of look_at_object."""
        found: dict[str, float] = {}
        for tunable in tunables("look_at_object"):
            if tunable.parameter.endswith("_offset"):
                known = self.known(person, "look_at_object", tunable, situation)
                found[tunable.parameter] = float(known.value) if known is not None else 0.0
        return found

    def known(self, person: str, tool: str, tunable: Tunable, situation: Mapping[str, Any]) -> Learned | None:
        """What this person taught about a parameter; None: nothing."""
        model = self._model(person, tool, tunable.parameter)
        if model is None:
            return None
        return Learned(tunable.at(model.offset(situation)), tunable.value(tunable.default), model.times)

    def _model(self, person: str, tool: str, parameter: str) -> ParameterModel | None:
        key = person, tool, parameter
        if key not in self._models and key in self._values:
            self._models[key] = ParameterModel(self._values[key])
        return self._models.get(key)

    def changes(self, lesson: Lesson) -> bool:
        """Whether a lesson still makes a difference: "slower" and then "faster" leave nothing to tell."""
        if lesson.kind != "value" or lesson.parameter.endswith("_offset"):
            return True
        for tunable in tunables(lesson.tool, dict(lesson.situation)):
            if tunable.parameter == lesson.parameter:
                known = self.known(lesson.person, lesson.tool, tunable, lesson.situation)
                return known is not None and known.value != known.default
        return True

    def contradicts(self, lesson: Lesson) -> bool:
        """Whether the lesson says the opposite of what its person taught about the same parameter in earlier talk."""
        model, step = self._model(lesson.person, lesson.tool, lesson.parameter), lesson.label.get("step")
        if model is None or step is None:
            return False
        occasion = lesson.label.get("episode")
        steps = [each.label.get("step") for each in model.lessons if each.label.get("episode") != occasion]
        opposed = [each for each in steps if each is not None and each != step]
        return len(opposed) * 2 > len(steps)


def situation_of(tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call that say what is asked for, without those that can be tuned."""
    tuned = {tunable.parameter for tunable in tunables(tool, dict(args))}
    return {name: value for name, value in args.items() if name not in tuned}


def _axis(lesson: Lesson) -> str:
    """The axis on which a parameter of an aim is corrected; empty for one that no tool has any more."""
    return next((each.axis for each in tunables(lesson.tool) if each.parameter == lesson.parameter), "")


def _place(situation: Mapping[str, Any]) -> str:
    return json.dumps(dict(situation), sort_keys=True, default=str)


def _geometric(situation: Mapping[str, Any]) -> bool:
    return any(name in situation for name in GEOMETRY)
