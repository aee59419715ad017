"""A quiz of five questions with a score."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from reachy_mind.brains.reflex.games.game import Reply
from reachy_mind.brains.reflex.games.remarks import gives_up, skips, wants_hint
from reachy_mind.brains.reflex.games.solutions import QuizQuestion, is_right, questions
from reachy_mind.brains.reflex.wording import Wording

ROUNDS = 5


@dataclass(frozen=True)
class Round:
    """The questions of this quiz, how many were answered, and how many right."""

    asked: tuple[QuizQuestion, ...]
    answered: int = 0
    right: int = 0

    @property
    def question(self) -> QuizQuestion:
        return self.asked[self.answered]


class Quiz:
    """Five questions, each answered once."""

    def begin(self, said: str, wording: Wording, chance: random.Random) -> Reply:  # noqa: ARG002 -- every game's
        known = questions(wording.language, "quiz")
        fresh = [one for one in known if not wording.heard_before(one.text)]
        picked = tuple(chance.sample(fresh if len(fresh) >= ROUNDS else list(known), ROUNDS))
        return Reply(wording.say("quiz_begin", question=picked[0].text), Round(picked))

    def accepts(self, state: Round, said: str, language: str, *, acts: bool) -> bool:
        right = is_right(said, state.question.answers, language)
        return wants_hint(said) or gives_up(said) or skips(said) or (right and not (acts and len(said.split()) > 4))

    def answers(self, state: Round, said: str, wording: Wording, chance: random.Random) -> Reply:  # noqa: ARG002
        if wants_hint(said):
            return Reply(wording.say("quiz_hint", letter=state.question.answer[0].upper()), state)
        right = is_right(said, state.question.answers, wording.language)
        passed = gives_up(said) or skips(said)
        key = "quiz_right" if right else "quiz_told" if passed else "quiz_wrong"
        told = wording.say(key, answer=state.question.answer)
        after = replace(state, answered=state.answered + 1, right=state.right + right)
        if after.answered < ROUNDS:
            return Reply(f"{told} {wording.say('quiz_next', question=after.question.text)}", after)
        key = "quiz_end_good" if after.right >= ROUNDS - 2 else "quiz_end"
        return Reply(f"{told} {wording.say(key, right=after.right, rounds=ROUNDS)}")

    def reminder(self, state: Round, wording: Wording) -> str:
        return wording.say("quiz_next", question=state.question.text)
