"""Guess their animal: the player thinks of one, and the robot asks until it knows.

It asks what divides the animals that fit best into halves. An animal that an answer speaks against is not ruled out,
but comes after those with fewer such answers: people err.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reachy_mind.brains.reflex.games.animals import Animal, animals, named
from reachy_mind.brains.reflex.games.game import Reply
from reachy_mind.brains.reflex.games.remarks import denies, gives_up, heard, says_yes, unsure
from reachy_mind.brains.reflex.wording import Wording

MOST_QUESTIONS, MOST_GUESSES = 20, 4
MOST_WORDS = 6
TRAITS = ("mammal", "big", "home", "wings", "plants", "meat", "sea", "africa", "fur", "bird", "insect", "small", "eggs",
          "forest", "tail", "swims", "jumps", "night", "dangerous", "climbs", "stripes", "horns", "shell", "fish",
          "flies")  # fmt: skip
"""What it asks; the phrasebook has a question for each."""


@dataclass(frozen=True)
class Inquiry:
    """What was answered to what, which animals it was not, and what was asked last: a trait, or an animal's name."""

    answers: tuple[tuple[str, bool], ...] = ()
    skipped: tuple[str, ...] = ()
    ruled_out: tuple[str, ...] = ()
    trait: str = ""
    guess: str = ""
    lost: bool = False
    """Whether it gave up, and asked what it was."""

    @property
    def asked(self) -> int:
        return len(self.answers) + len(self.skipped) + len(self.ruled_out)


class GuessTheirAnimal:
    """Twenty questions, the robot asking."""

    def begin(self, said: str, wording: Wording, chance: random.Random) -> Reply:  # noqa: ARG002 -- every game's
        reply = _next(Inquiry(), wording)
        return Reply(wording.say("theirs_begin", question=reply.text), reply.state)

    def accepts(self, state: Inquiry, said: str, language: str, *, acts: bool) -> bool:
        short = len(said.split()) <= MOST_WORDS
        if state.lost:
            return short and not acts
        return short and (says_yes(said) or denies(said) or unsure(said) or named(said, language) is not None)

    def answers(  # noqa: PLR0911 -- a way each to answer
        self,
        state: Inquiry,
        said: str,
        wording: Wording,
        chance: random.Random,  # noqa: ARG002 -- every game's
    ) -> Reply:
        if state.lost:
            return Reply(wording.say("theirs_told", animal=heard(said)))
        yes, no = says_yes(said), denies(said)
        told = named(said, wording.language)
        if told is not None and not yes and not no:
            return Reply(wording.say("theirs_told", animal=told.name(wording.language)))
        if not (yes or no or unsure(said) or gives_up(said)):
            return Reply(wording.say("theirs_unclear", question=_question(state, wording)), state)
        if state.guess:
            if yes:
                return Reply(wording.say("theirs_right", asked=state.asked + 1))
            return _next(replace(state, ruled_out=(*state.ruled_out, state.guess), guess=""), wording)
        if yes or no:
            return _next(replace(state, answers=(*state.answers, (state.trait, yes))), wording)
        return _next(replace(state, skipped=(*state.skipped, state.trait)), wording)

    def reminder(self, state: Inquiry, wording: Wording) -> str:
        return _question(state, wording)


def _next(state: Inquiry, wording: Wording) -> Reply:
    """The next question, the next guess, or the end."""
    fits = _fitting(state)
    trait = _dividing(fits, state)
    if not fits or state.asked >= MOST_QUESTIONS or len(state.ruled_out) >= MOST_GUESSES:
        return Reply(wording.say("theirs_lost"), replace(state, lost=True, trait="", guess=""))
    if len(fits) <= 1 or not trait:
        after = replace(state, guess=fits[0].name("en"), trait="")
    else:
        after = replace(state, trait=trait, guess="")
    return Reply(_question(after, wording), after)


def _question(state: Inquiry, wording: Wording) -> str:
    if state.lost:
        return wording.say("theirs_lost")
    if state.guess:
        animal = next(one for one in animals() if one.name("en") == state.guess)
        return wording.say("theirs_guess", animal=animal.name(wording.language))
    return wording.say(f"animal_ask_{state.trait}")


def _fitting(state: Inquiry) -> list[Animal]:
    """The animals against which the fewest answers speak, in the order of the table."""
    left = [one for one in animals() if one.name("en") not in state.ruled_out]
    against = [sum((trait in one.traits) is not yes for trait, yes in state.answers) for one in left]
    fewest = min(against, default=0)
    return [one for one, count in zip(left, against, strict=True) if count == fewest]


def _dividing(fits: Sequence[Animal], state: Inquiry) -> str:
    """The trait that divides them best; empty when none does."""
    known = {trait for trait, _ in state.answers} | set(state.skipped)
    counts = {trait: sum(trait in one.traits for one in fits) for trait in TRAITS if trait not in known}
    dividing = {trait: count for trait, count in counts.items() if 0 < count < len(fits)}
    return min(dividing, key=lambda trait: abs(2 * dividing[trait] - len(fits)), default="")
