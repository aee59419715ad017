"""Describes detected objects: "I see a duck on the left, a croissant in the middle and an apple on the right."."""

from __future__ import annotations

from collections.abc import Sequence

from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.object_names import PEOPLE, counted, listed, plural
from reachy_mind.eyes.objects import DetectedObject

SURE_SCORE = 0.5
"""Objects with a lower score are named as uncertain."""
LEFT_EDGE, RIGHT_EDGE = 0.42, 0.58
"""The middle of the picture, in shares of its width."""
MAX_PLACES = 8
"""With more entries than this, objects are only counted: nobody listens to a longer list."""
NOTHING = "I see nothing that I know."


def side(box: Box) -> str:
    """Left, middle or right, as the robot sees it."""
    across, _ = box.centre
    return "on the left" if across < LEFT_EDGE else "on the right" if across > RIGHT_EDGE else "in the middle"


def with_people(things: Sequence[DetectedObject], faces: Sequence[Box]) -> list[DetectedObject]:
    """The objects, plus a person for each face outside every detected person."""
    people = [thing for thing in things if thing.name == PEOPLE]
    alone = [face for face in faces if not any(_within(face, person.box) for person in people)]
    return [*things, *(DetectedObject(PEOPLE, 1.0, face, "faces") for face in alone)]


def _within(face: Box, person: Box) -> bool:
    x, y = face.centre
    return person.left <= x <= person.right and person.top <= y <= person.bottom


def sentence(things: Sequence[DetectedObject]) -> str:
    """All objects, from left to right."""
    if not things:
        return NOTHING
    sure = [thing for thing in things if thing.score >= SURE_SCORE]
    doubtful = [thing for thing in things if thing.score < SURE_SCORE]
    text = ""
    if sure:
        text = f"I see {_placed(sure)}."
    if doubtful:
        maybe = listed([counted(count, name) for name, count in _counts(doubtful).items()])
        text += f" There may also be {maybe}." if text else f"I am not sure, but I may see {maybe}."
    return text


def _placed(things: Sequence[DetectedObject]) -> str:
    """ "a cup on the left, and two ducks and an apple on the right"; only counts when there are many."""
    ordered = sorted(things, key=lambda thing: thing.box.centre[0])
    sides: dict[str, list[DetectedObject]] = {}
    for thing in ordered:
        sides.setdefault(side(thing.box), []).append(thing)
    by_side = [[counted(count, name) for name, count in _counts(those).items()] for those in sides.values()]
    if sum(map(len, by_side)) > MAX_PLACES:
        return listed([counted(count, name) for name, count in _counts(ordered).items()])
    places = [f"{listed(names)} {where}" for names, where in zip(by_side, sides, strict=True)]
    if len(places) > 1 and any(len(names) > 1 for names in by_side):
        return f"{', '.join(places[:-1])}, and {places[-1]}"
    return listed(places)


def _counts(things: Sequence[DetectedObject]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for thing in things:
        counts[thing.name] = counts.get(thing.name, 0) + 1
    return counts


def inventory(things: Sequence[DetectedObject]) -> str:
    """The names of the objects that are certain, separated by commas: "duck, 2 cups". For programs, not for people."""
    sure = sorted((thing for thing in things if thing.score >= SURE_SCORE), key=lambda thing: thing.box.centre[0])
    names = [name if count == 1 else f"{count} {plural(name)}" for name, count in _counts(sure).items()]
    return ", ".join(names) or "nothing"


def total(things: Sequence[DetectedObject]) -> str:
    """The number of objects, and where they are."""
    if len(things) < 2:
        return sentence(things)
    return f"I see {counted(len(things), 'thing')}: {_placed(things)}."


def absent(name: str, things: Sequence[DetectedObject]) -> str:
    """Says that there is no such object, and what there is instead."""
    there = list(dict.fromkeys(thing.name for thing in things))
    instead = f" I see {listed([counted(count, name) for name, count in _counts(things).items()])}." if there else ""
    return f"I see no {name}.{instead}"
