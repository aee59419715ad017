"""Riddles: one at a time, with a hint, and the answer for who gives up."""

from __future__ import annotations

import random
from dataclasses import dataclass

from reachy_mind.brains.reflex.games.game import Reply
from reachy_mind.brains.reflex.games.remarks import gives_up, skips, wants_hint
from reachy_mind.brains.reflex.games.solutions import QuizQuestion, is_right, questions
from reachy_mind.brains.reflex.wording import Wording


@dataclass(frozen=True)
class Asked:
    """The riddle that is open."""

    riddle: QuizQuestion


class Riddles:
    """A riddle that was not asked lately, if there is one."""

    def begin(self, said: str, wording: Wording, chance: random.Random) -> Reply:  # noqa: ARG002 -- every game's
        known = questions(wording.language, "riddles")
        fresh = [one for one in known if not wording.heard_before(one.text)] or list(known)
        riddle = chance.choice(fresh)
        return Reply(wording.say("riddle_begin", riddle=riddle.text), Asked(riddle))

    def accepts(self, state: Asked, said: str, language: str, *, acts: bool) -> bool:
        right = is_right(said, state.riddle.answers, language)
        return wants_hint(said) or gives_up(said) or skips(said) or (right and not (acts and len(said.split()) > 4))

    def answers(self, state: Asked, said: str, wording: Wording, chance: random.Random) -> Reply:
        if skips(said):
            following = self.begin(said, wording, chance)
            told = wording.say("riddle_skipped", answer=state.riddle.answer, riddle=following.text)
            return Reply(told, following.state)
        if is_right(said, state.riddle.answers, wording.language):
            return Reply(wording.say("riddle_right", answer=state.riddle.answer))
        if gives_up(said):
            return Reply(wording.say("riddle_told", answer=state.riddle.answer))
        if wants_hint(said):
            return Reply(wording.say("riddle_hint", hint=state.riddle.hint), state)
        return Reply(wording.say("riddle_wrong"), state)

    def reminder(self, state: Asked, wording: Wording) -> str:
        return wording.say("riddle_begin", riddle=state.riddle.text)
