"""What is seen, in a sentence: "I see a duck on the left, a croissant in the middle and an apple on the right."."""

from __future__ import annotations

from collections.abc import Sequence

from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.naming import PEOPLE, counted, listed
from reachy_mind.eyes.things import Seen

SURE = 0.5
"""Below, what it is said to be is only likely."""
LEFT, RIGHT = 0.42, 0.58
"""Shares of the picture's width where the middle begins and ends."""
MOST = 8
"""More places than these nobody listens to: then things are only counted."""
NOTHING = "I see nothing that I know."


def side(box: Box) -> str:
    """Where in the picture, as the robot sees it."""
    across, _ = box.centre
    return "on the left" if across < LEFT else "on the right" if across > RIGHT else "in the middle"


def with_people(things: Sequence[Seen], faces: Sequence[Box]) -> list[Seen]:
    """Things, and a person for each face that belongs to none that was found."""
    people = [thing for thing in things if thing.name == PEOPLE]
    alone = [face for face in faces if not any(_within(face, person.box) for person in people)]
    return [*things, *(Seen(PEOPLE, 1.0, face, "faces") for face in alone)]


def _within(face: Box, person: Box) -> bool:
    x, y = face.centre
    return person.left <= x <= person.right and person.top <= y <= person.bottom


def sentence(things: Sequence[Seen]) -> str:
    """Everything, from left to right."""
    if not things:
        return NOTHING
    sure = [thing for thing in things if thing.score >= SURE]
    doubtful = [thing for thing in things if thing.score < SURE]
    told = ""
    if sure:
        told = f"I see {_placed(sure)}."
    if doubtful:
        maybe = listed([counted(count, name) for name, count in _counts(doubtful).items()])
        told += f" There may also be {maybe}." if told else f"I am not sure, but I may see {maybe}."
    return told


def _placed(things: Sequence[Seen]) -> str:
    """ "a cup on the left, and two ducks and an apple on the right"; only counted where there are many."""
    ordered = sorted(things, key=lambda thing: thing.box.centre[0])
    sides: dict[str, list[Seen]] = {}
    for thing in ordered:
        sides.setdefault(side(thing.box), []).append(thing)
    told = [[counted(count, name) for name, count in _counts(those).items()] for those in sides.values()]
    if sum(map(len, told)) > MOST:
        return listed([counted(count, name) for name, count in _counts(ordered).items()])
    places = [f"{listed(names)} {where}" for names, where in zip(told, sides, strict=True)]
    if len(places) > 1 and any(len(names) > 1 for names in told):
        return f"{', '.join(places[:-1])}, and {places[-1]}"
    return listed(places)


def _counts(things: Sequence[Seen]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for thing in things:
        counts[thing.name] = counts.get(thing.name, 0) + 1
    return counts


def total(things: Sequence[Seen]) -> str:
    """How many there are of everything, and where."""
    if len(things) < 2:
        return sentence(things)
    return f"I see {counted(len(things), 'thing')}: {_placed(things)}."


def absent(name: str, things: Sequence[Seen]) -> str:
    """That there is none, and what there is instead."""
    there = list(dict.fromkeys(thing.name for thing in things))
    instead = f" I see {listed([counted(count, name) for name, count in _counts(things).items()])}." if there else ""
    return f"I see no {name}.{instead}"
