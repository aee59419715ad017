"""Guess the animal: the robot thinks of one, and answers questions with yes or no."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from reachy_mind.brains.reflex.games.animals import Animal, animals, compared, is_question, named, truth
from reachy_mind.brains.reflex.games.game import Reply
from reachy_mind.brains.reflex.games.remarks import gives_up, wants_hint
from reachy_mind.brains.reflex.plan import Step
from reachy_mind.brains.reflex.wording import Wording

MOST_WORDS = 12
HINTS = ("mammal", "bird", "reptile", "amphibian", "insect", "fish", "africa", "sea", "forest", "home", "stripes",
         "horns", "shell", "wings", "jumps", "night", "big", "small", "eggs", "meat", "plants")  # fmt: skip
"""What can be a hint, the most telling first; the phrasebook has a sentence for each."""


@dataclass(frozen=True)
class Secret:
    """The animal, how many questions were asked, and which hints were given."""

    animal: Animal
    asked: int = 0
    hints: int = 0


class GuessTheAnimal:
    """Questions and guesses, as many as it takes."""

    def begin(self, said: str, wording: Wording, chance: random.Random) -> Reply:  # noqa: ARG002 -- every game's
        return Reply(wording.say("animal_begin"), Secret(chance.choice(animals())))

    def accepts(self, state: Secret, said: str, language: str, *, acts: bool) -> bool:
        if wants_hint(said) or gives_up(said):
            return True
        if len(said.split()) > MOST_WORDS:
            return False
        if named(said, language) is not None:
            return not acts or is_question(said)
        return truth(state.animal, said) is not None and (is_question(said) or not acts)

    def answers(  # noqa: PLR0911 -- a way each to answer
        self,
        state: Secret,
        said: str,
        wording: Wording,
        chance: random.Random,  # noqa: ARG002 -- every game's
    ) -> Reply:
        secret, language = state.animal, wording.language
        name = secret.name(language)
        if gives_up(said):
            return Reply(wording.say("animal_told", animal=name))
        if wants_hint(said):
            return _hinted(state, wording)
        known = truth(secret, said)
        guess = named(said, language)
        after = replace(state, asked=state.asked + 1)
        if guess is not None and _compares(said):
            known = compared(secret, guess, said)
        elif guess is not None:
            if guess == secret:
                return Reply(wording.say("animal_right", animal=name, asked=after.asked), after=(_nod(said),))
            return Reply(wording.say("animal_not", animal=guess.name(language)), after, after=(_shake(said),))
        if known is None:
            return Reply(wording.say("animal_unsure"), state)
        if isinstance(known, bool):
            shown = _nod(said) if known else _shake(said)
            return Reply(wording.say("animal_yes" if known else "animal_no"), after, after=(shown,))
        return Reply(wording.say("animal_legs", legs=known), after)

    def reminder(self, state: Secret, wording: Wording) -> str:
        return wording.say("animal_reminder", asked=state.asked)


def _hinted(state: Secret, wording: Wording) -> Reply:
    true = [trait for trait in HINTS if trait in state.animal.traits]
    if state.hints < len(true):
        hint = wording.say(f"animal_hint_{true[state.hints]}")
    else:
        hint = wording.say("animal_hint_letter", letter=state.animal.name(wording.language)[0].upper())
    return Reply(hint, replace(state, hints=state.hints + 1))


def _compares(said: str) -> bool:
    """ "is it bigger than a dog": a question, and no guess."""
    return any(word in said.casefold().split() for word in ("than", "que", "als", "like", "comme", "como", "wie"))


def _nod(said: str) -> Step:
    return Step("nod", {}, said, quiet=True)


def _shake(said: str) -> Step:
    return Step("shake", {}, said, quiet=True)
