"""How something is to be done: where to, how far, how fast, how often, with which part of the body.

`Manner.of` reads all of a stretch of words. What it can't place is in `strange`: a rule that asks for no strange words
never acts on half of a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from reachy_mind.brains.numbers import number
from reachy_mind.brains.phrases import Phrases, lines, spaced

SPEEDS = {
    "slow": Phrases(
        lines(
            """slowly|slow|gently|softly|calmly|carefully|leisurely|in slow motion|nice and slow|nice and slowly
            unhurriedly
            at a slow pace|take your time|slower|more slowly|more gently|at low speed|lazily|gradually
            at a slow speed|delicately"""
        )
    ),
    "fast": Phrases(
        lines(
            """quickly|fast|quick|rapidly|swiftly|briskly|speedily|as fast as you can|as quickly as you can
            at full speed|rapid
            in a hurry|hurry|real quick|energetically|vigorously|faster|more quickly|as fast as possible
            as quickly as possible
            at high speed|at top speed|abruptly|at a fast pace|enthusiastically|with energy|like crazy|like mad"""
        )
    ),
    "normal": Phrases(lines("normally|at normal speed|at a normal speed|at a normal pace")),
}
AMOUNTS = {
    "small": Phrases(
        lines(
            """a bit|a little|a little bit|a tiny bit|slightly|just a little|somewhat|a touch|a tad|a smidge
            a smidgen|a hair
            barely|bit|a fraction|ever so slightly|little|tiny|small|subtly|a small amount|not too far|not too much
            not much"""
        )
    ),
    "large": Phrases(
        lines(
            """a lot|far|quite far|very far|much|farther|further|a long way|strongly|big|hard|deep|deeply
            quite a bit|quite a lot
            way|high|higher|low|lower|sharply|sharp|large|well"""
        )
    ),
    "full": Phrases(
        lines(
            """all the way|completely|fully|as far|as high|as low|as far as you can|as far as possible
            as much as you can|to the max|totally|entirely
            as high as you can|as low as you can|as far as it goes|to the maximum|to the limit
            as far as your neck allows"""
        )
    ),
    "half": Phrases(lines("halfway|half way|partly|partway|half")),
}
DIRECTIONS = {
    "left": Phrases(
        lines("left|leftward|leftwards|lefthand|counterclockwise|anticlockwise|counter clockwise|anti clockwise")
    ),
    "right": Phrases(lines("right|rightward|rightwards|righthand|clockwise")),
    "up": Phrases(
        lines("up|upward|upwards|skyward|skywards|the ceiling|ceiling|the sky|sky|above|above you|overhead|the roof")
    ),
    "down": Phrases(
        lines(
            """down|downward|downwards|the floor|floor|the ground|ground|the table|your feet|below|beneath you
            the desk|my feet"""
        )
    ),
    "front": Phrases(
        lines(
            """front|forward|forwards|ahead|straight|straight ahead|center|the center|middle|the middle|dead ahead
            in front of you
            straight forward|to the front|back to the front|back to center|back to the center|back to the middle
            centered|neutral
            back to neutral|back forward|back ahead|back to normal|starting position|start position|home position
            straight on
            back to the start|back to where you started|initial position|neutral position|default position|upfront
            in front"""
        )
    ),
    "behind": Phrases(
        lines("behind|behind you|backward|backwards|around|the other way around|all the way around|round|about")
    ),
}
PARTS = {
    "head": Phrases(lines("head|face|eyes|gaze|nose|chin|neck|your view|your attention")),
    "body": Phrases(lines("body|whole body|torso|base|yourself|upper body|entire body|trunk|hips|waist")),
    "left antenna": Phrases(lines("left antenna|left ear|left one|left feeler|left antennas")),
    "right antenna": Phrases(lines("right antenna|right ear|right one|right feeler|right antennas")),
    "antennas": Phrases(
        lines(
            """antennas|antenna|ears|ear|feelers|both antennas|2 antennas|both ears|left and right antennas
            both your antennas
            both of your antennas|both the antennas"""
        )
    ),
}
GLUE = frozenset(
    spaced(
        """
        the a an to your my its toward towards side of and , : in at on by from for over with direction hand
        it me then just there here now please about approximately roughly exactly more even too so very
        really super go but that this angle around under as possible through us again pretty quite only both
        once you i can could should extra another nicely happily politely properly cutely proudly cheerfully
        sweetly also again if nearly almost at least firmly clearly out into back be will
        """
    )
)
UNITS = frozenset(("degrees", "times", "seconds", "minutes"))


@dataclass
class Manner:
    """What was read. Numbers without a unit are in `bare`."""

    speed: str = ""
    amount: str = ""
    directions: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    degrees: float | None = None
    times: int | None = None
    hold_s: float | None = None
    over_s: float | None = None
    bare: float | None = None
    strange: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, words: Sequence[str]) -> Manner:
        manner, at = cls(), 0
        while at < len(words):
            at += manner._take(words, at)
        return manner

    def _take(self, words: Sequence[str], at: int) -> int:
        """Read what stands at a place; how many words that were."""
        if (value := number(words[at])) is not None:
            return self._number(words, at, value)
        best, kind, name = 0, "", ""
        for family, table in (("part", PARTS), ("speed", SPEEDS), ("amount", AMOUNTS), ("direction", DIRECTIONS)):
            for word, phrases in table.items():
                if (length := phrases.at(words, at)) > best:
                    best, kind, name = length, family, word
        if kind == "part":
            self.parts.append(name)
        elif kind == "speed":
            self.speed = name
        elif kind == "amount":
            self.amount = name
        elif kind == "direction":
            self.directions.append(name)
        elif words[at] not in GLUE:
            self.strange.append(words[at])
        return max(best, 1)

    def _number(self, words: Sequence[str], at: int, value: float) -> int:
        unit = words[at + 1] if at + 1 < len(words) else ""
        before = words[at - 1] if at else ""
        if unit not in UNITS and unit == "more" and words[at + 2 : at + 3] == ["times"]:
            unit = "times"
        if unit == "degrees":
            self.degrees = value
        elif unit == "times":
            self.times = max(1, int(value))
        elif unit in ("seconds", "minutes"):
            seconds = value * (60 if unit == "minutes" else 1)
            if before in ("over", "within", "takes"):
                self.over_s = seconds
            elif before in ("for", "about"):
                self.hold_s = seconds
            else:  # "nod in five minutes" is a time to do it, not a manner
                self.strange.append(unit)
        else:
            self.bare = value
            return 1
        return 2

    @property
    def antenna(self) -> bool:
        return any("antenna" in part for part in self.parts)
