"""From feedback to lessons: what a correction or a reward teaches about the call that it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reachy_mind.brains.brain import Past, ToolCall, Turn
from reachy_mind.feedback.aim import GEOMETRY
from reachy_mind.feedback.aim_words import AIMS, read_aim_corrections
from reachy_mind.feedback.attribution import MOST_TURNS_BACK
from reachy_mind.feedback.choice_limits import can_be_chosen, names_what_was_done
from reachy_mind.feedback.choices import ChosenCall, can_be_taught
from reachy_mind.feedback.corrections import read_corrections
from reachy_mind.feedback.lessons import NewLesson
from reachy_mind.feedback.meant import read_meant
from reachy_mind.feedback.readings import Correction
from reachy_mind.feedback.records import Action, NewFeedback
from reachy_mind.feedback.tuning import CONFIRMED, WEIGHTS, situation_of
from reachy_mind.tools.tunables import Tunable, from_position, intended, revised, tunables

CONFIRMS = 0.8
"""A reward from which on the values of a call are confirmed."""


@dataclass(frozen=True)
class Corrected:
    """A call with corrections applied: what to call now, and what to keep."""

    action: Action
    args: dict[str, Any]
    """Of the call to make now."""
    lessons: tuple[NewLesson, ...]
    applied: tuple[Correction, ...]


def corrected(
    action: Action, before: Sequence[Action], corrections: Sequence[Correction], person: str, words: str
) -> Corrected | None:
    """The call with the corrections applied; None when it has nothing on their axes.

    `before`: the calls before it, the last one first. They tell whether a value of the call was asked for, or comes
    from an earlier correction.
    """
    now = meant = action.args | action.learned
    applied: list[Correction] = []
    for each in corrections:
        call = revised(action.tool, now, each.axis, each.sign, each.size)
        ideal = intended(action.tool, meant, each.axis, each.sign, each.size)
        if call is not None and ideal is not None:
            now, meant = call, ideal
            applied.append(each)
    if not applied:
        return None
    roughest = min(applied, key=lambda each: WEIGHTS[each.size])
    label = {"weight": WEIGHTS[roughest.size], "step": roughest.sign}
    return Corrected(action, now, tuple(_lessons(action, before, meant, label, person, words)), tuple(applied))


def moved_pose(history: Sequence[Past], corrections: Sequence[Correction]) -> Corrected | None:
    """Where the robot looks, moved by corrections of its direction: for a call that has nothing to change there.

    It is done and not kept: nobody asked for that pose.
    """
    aimed = [each for each in corrections if each.axis in ("yaw", "pitch", "roll")]
    for past in reversed(history[-MOST_TURNS_BACK:]):
        for call in reversed(past.calls):
            data = call.outcome.data
            if not isinstance(data, dict) or not isinstance(data.get("final_position"), dict):
                continue
            args: dict[str, Any] | None = None
            position: Mapping[str, Any] = data["final_position"]
            for each in aimed:
                args = from_position(position, each.axis, each.sign, each.size)
                position = args or position
            return Corrected(Action(past.turn, "look_at"), args, (), tuple(aimed)) if args else None
    return None


def confirmed(action: Action, before: Sequence[Action], person: str, words: str) -> list[NewLesson]:
    """Praise of a call whose values were learned or corrected: they were right."""
    return list(_lessons(action, before, action.args | action.learned, {"weight": CONFIRMED}, person, words))


def lessons_of(new: NewFeedback, before: Sequence[Action] = ()) -> list[NewLesson]:
    """What a piece of feedback teaches that no turn has applied."""
    if not new.about.tool:
        return []
    if new.corrections:
        done = corrected(new.about, before, new.corrections, new.person, new.text)
        return list(done.lessons) if done is not None else []
    return confirmed(new.about, before, new.person, new.text) if new.reward >= CONFIRMS else []


def _lessons(
    action: Action,
    before: Sequence[Action],
    meant: Mapping[str, Any],
    label: Mapping[str, Any],
    person: str,
    words: str,
) -> Iterator[NewLesson]:
    """Nothing is learned about a value that a person asked for."""
    origin = _origin(action, before)
    asked = origin.args
    changed = {name: value for name, value in meant.items() if value != asked.get(name)}
    if any(name in asked for name in changed):
        return
    label = {**label, "episode": origin.turn}
    if not set(asked) <= set(meant):  # a direction became angles
        yield NewLesson(person, "arguments", action.tool, {**label, "args": dict(meant)}, "", dict(asked), words)
        return
    for name, value in changed.items():
        tunable = _tunable(action.tool, asked, name)
        number = tunable.read({**asked, name: value}) if tunable is not None else None
        if tunable is None or number is None:
            yield NewLesson(person, "arguments", action.tool, {**label, "args": dict(meant)}, "", dict(asked), words)
            return
        where = _where(action, name) or situation_of(action.tool, asked)
        yield NewLesson(person, "value", action.tool, {**label, "offset": tunable.offset(number)}, name, where, words)


def _origin(action: Action, before: Sequence[Action]) -> Action:
    """The call as a person asked for it: the last one that was not made because of a correction."""
    origin = action
    for earlier in before:
        read = read_aim_corrections if origin.tool in AIMS else read_corrections
        if not read(origin.request) or earlier.tool != action.tool:
            break
        origin = earlier
    return origin


def _where(action: Action, parameter: str) -> dict[str, Any]:
    """Where the thing was, for parameters that depend on it."""
    if not parameter.endswith("_offset"):
        return {}
    return {name: action.situation[name] for name in GEOMETRY if name in action.situation}


def _tunable(tool: str, args: Mapping[str, Any], parameter: str) -> Tunable | None:
    return next((each for each in tunables(tool, dict(args)) if each.parameter == parameter), None)


def _request_before(history: Sequence[Past]) -> Past:
    """The last request that does not itself say what was meant by another."""
    return next((past for past in reversed(history) if read_meant(past.said) is None), history[-1])


def choice_lessons(turn: Turn, calls: Sequence[ToolCall]) -> list[NewLesson]:
    """What was meant by the request before: the calls of this turn, if they ended well and need no person's yes."""
    before, tools = _request_before(turn.history), {tool.name: tool for tool in turn.tools}
    done = [call for call in calls if call.outcome.status in ("ok", "started")]
    if not done or len(done) != len(calls) or not can_be_taught(before.said):
        return []
    if names_what_was_done(before.said, [ChosenCall(call.name, call.args) for call in before.calls]):
        return []
    if not all(call.name in tools and can_be_chosen(tools[call.name], turn.tier(tools[call.name])) for call in done):
        return []
    label = {"request": before.said, "calls": [[call.name, call.args] for call in done], "weight": 1.0}
    return [NewLesson(turn.person, "choice", done[0].name, label, words=turn.text, conversation=turn.conversation)]


def handoff_lessons(turn: Turn, to: str) -> list[NewLesson]:
    """Who should answer the request before, from now on: the name of a brain or an agent."""
    before = turn.history[-1]
    if not can_be_taught(before.said):
        return []
    label = {"request": before.said, "handoff": to, "weight": 1.0}
    return [NewLesson(turn.person, "choice", "", label, words=turn.text, conversation=turn.conversation)]
