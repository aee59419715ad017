"""Rule-based answers to questions about a picture. They name only objects that a detector found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from reachy_mind.eyes import scene, untrusted_text
from reachy_mind.eyes.faces import Face
from reachy_mind.eyes.object_names import PEOPLE, counted, listed, name_matches, number, plural, with_article
from reachy_mind.eyes.objects import DetectedObject
from reachy_mind.eyes.questions import SceneQuestion
from reachy_mind.eyes.untrusted_text import PictureText

TOO_DARK = "It is too dark: I can't see anything."
NO_VISION_MODEL = "A vision model would know more: none is set up."


@dataclass(frozen=True, slots=True)
class SceneAnswer:
    """`by`: what answered, `rules` or the name of a vision model. `about`: the one object it is about, if any.

    `text` can be spoken. It contains text read in the picture only as a quotation.
    """

    text: str
    things: tuple[DetectedObject, ...] = ()
    faces: tuple[Face, ...] = ()
    texts: tuple[PictureText, ...] = field(default=())
    by: str = "rules"
    about: str = ""


def compose(  # noqa: PLR0911 -- one per kind
    question: SceneQuestion, things: Sequence[DetectedObject], read: Sequence[PictureText] = ()
) -> str:
    """The answer to any question whose kind is not `open`."""
    match question.kind:
        case "text":
            return _text(read)
        case "count":
            return _count(question, things)
        case "is_there":
            return _is_there(question, things)
        case "colour" | "is_colour":
            return _colour(question, things)
        case "where":
            return _where(question, things)
        case "beside":
            return _beside(question, things)
        case "nearest":
            return _nearest(question, things)
        case _:
            return _what(question, things)


def matching(things: Sequence[DetectedObject], name: str, colour: str = "") -> list[DetectedObject]:
    """The objects with this name and colour, nearest first. Without distances, the largest first."""
    there = [thing for thing in things if name_matches(thing.name, name or "thing") and colour in ("", thing.colour)]
    return sorted(there, key=lambda thing: (thing.distance_m is None, thing.distance_m or 0.0, -thing.box.area))


def _text(read: Sequence[PictureText]) -> str:
    return f"I can read {untrusted_text.quoted(list(read))}." if read else "I see no text that I can read."


def _what(question: SceneQuestion, things: Sequence[DetectedObject]) -> str:
    if not question.side:
        return scene.sentence(things)
    where = f"on the {question.side}"
    there = [thing for thing in things if scene.side(thing.box) == where]
    return scene.sentence(there) if there else f"I see nothing {where} that I know."


def _count(question: SceneQuestion, things: Sequence[DetectedObject]) -> str:
    if not question.name and not question.colour:
        return scene.total(things)
    there = matching(things, question.name, question.colour)
    if not there:
        return f"I see no {_several(question)}."
    sure = [thing for thing in there if thing.score >= scene.SURE_SCORE]
    if not sure:
        return f"I am not sure: there may be {counted(len(there), _called(question, there))}."
    if question.name == PEOPLE or {thing.name for thing in sure} == {sure[0].name}:
        return f"I see {number(len(sure))} {_one_or_more(len(sure), _called(question, sure))}."
    return f"I see {number(len(sure))}: {listed([with_article(thing.name) for thing in sure])}."


def _is_there(question: SceneQuestion, things: Sequence[DetectedObject]) -> str:
    there = matching(things, question.name, question.colour)
    if not there:
        name = question.name or "thing"
        return scene.absent(f"{question.colour} {name}".strip(), things)
    sure = [thing for thing in there if thing.score >= scene.SURE_SCORE]
    if not sure:
        return f"I am not sure: it may be {with_article(there[0].name)} {scene.side(there[0].box)}."
    if len(sure) > 1:
        return f"Yes, I see {counted(len(sure), _called(question, sure))}."
    adjective = f"{question.colour} " if question.colour else ""
    return f"Yes, I see {with_article(adjective + sure[0].name)} {scene.side(sure[0].box)}."


def _colour(question: SceneQuestion, things: Sequence[DetectedObject]) -> str:
    there = _meant(question, things)
    if not there:
        return scene.absent(question.name, things) if question.name else "I don't know which thing you mean."
    colour, name = there[0].colour, there[0].name
    if not colour:
        return f"I can't tell the colour of the {name}."
    if question.kind == "is_colour":
        return f"Yes, the {name} is {colour}." if colour == question.colour else f"No, the {name} is {colour}."
    others = [thing for thing in there[1:] if thing.colour and thing.colour != colour]
    if others:
        all_colours = list(dict.fromkeys(thing.colour for thing in there if thing.colour))
        return f"I see {number(len(there))} {plural(name)}: {listed(all_colours)}."
    return f"The {name} is {colour}."


def _where(question: SceneQuestion, things: Sequence[DetectedObject]) -> str:
    there = _meant(question, things)
    if not there:
        return scene.absent(question.name, things) if question.name else "I don't know which thing you mean."
    if len(there) > 1:
        places = [f"one {scene.side(thing.box)}" for thing in sorted(there, key=lambda thing: thing.box.centre[0])]
        return f"I see {number(len(there))} {plural(there[0].name)}: {listed(places)}."
    return f"The {there[0].name} is {scene.side(there[0].box)}{_away(there[0])}."


def _beside(question: SceneQuestion, things: Sequence[DetectedObject]) -> str:
    there = _meant(question, things)
    if not there:
        return scene.absent(question.name, things) if question.name else "I don't know which thing you mean."
    one = there[0]
    across = one.box.centre[0]
    others = [thing for thing in things if thing is not one]
    if question.side == "left":
        others = [thing for thing in others if thing.box.centre[0] < across]
    elif question.side == "right":
        others = [thing for thing in others if thing.box.centre[0] > across]
    where = f"{question.side} of" if question.side else "next to"
    if not others:
        return f"I see nothing {where} the {one.name}."
    near = min(others, key=lambda thing: abs(thing.box.centre[0] - across))
    rest = [thing for thing in others if thing is not near]
    further = f", and further {question.side} {listed([with_article(thing.name) for thing in rest])}"
    also = further if rest and question.side else ""
    return f"{_capital(with_article(near.name))} is {where} the {one.name}{also}."


def _nearest(question: SceneQuestion, things: Sequence[DetectedObject]) -> str:
    there = matching(things, question.name, question.colour)
    if not there:
        return scene.NOTHING
    one = there[0]
    if one.distance_m is None:
        return f"The {one.name} {scene.side(one.box)} looks largest, so I think it is the nearest."
    return f"The {one.name} is the nearest{_away(one)}."


def _meant(question: SceneQuestion, things: Sequence[DetectedObject]) -> list[DetectedObject]:
    """The objects the question is about: those of its name; without a name, the only object, if there is one."""
    if question.name:
        return matching(things, question.name)
    return list(things) if len(things) == 1 else []


def _away(thing: DetectedObject) -> str:
    if thing.distance_m is None:
        return ""
    metres = thing.distance_m
    return f", about {round(metres * 20) * 5} centimetres away" if metres < 1 else f", about {metres:.1f} metres away"


def _called(question: SceneQuestion, there: Sequence[DetectedObject]) -> str:
    """The detected name when all objects share it, else the name in the question."""
    names = {thing.name for thing in there}
    name = names.pop() if len(names) == 1 else question.name or "thing"
    return f"{question.colour} {name}".strip()


def _several(question: SceneQuestion) -> str:
    return plural(f"{question.colour} {question.name or 'thing'}".strip())


def _one_or_more(count: int, name: str) -> str:
    return name if count == 1 else plural(name)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
