"""`read_answer`: the answer to "was it good?", in English, French, Spanish and German, and what else was said."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reachy_mind.brains.word_lists import spaced
from reachy_mind.feedback.readings import BUTTONS

_YES = frozenset(spaced("yes yeah yep sure good great perfect nice ja gut genau super oui bien si sí claro bueno"))
_NO = frozenset(spaced("no nope not bad nein nicht schlecht non pas mal malo"))
_BESIDE = frozenset(
    spaced(
        """
        it was is that the really very quite so at all too i think liked like did thanks thank you please
        es war das sehr ganz danke bitte c'est c'était était très merci fue estuvo muy gracias
        """
    )
)
"""Words that may stand in an answer and change nothing."""
_NOT_BAD = re.compile(r"\b(?:not|nicht|pas|no) (?:so |that |too |si |tan )?(?:bad|schlecht|mal|malo)\b")
_CLAUSE = re.compile(r"[,.!?;:]+\s*")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


@dataclass(frozen=True)
class QuestionAnswer:
    """How good it was, and the rest of what was said."""

    reward: float
    rest: str = ""


def read_answer(text: str) -> QuestionAnswer | None:
    """None for words that are no answer: a request, or "good morning"."""
    clauses = [clause for clause in _CLAUSE.split(text.replace("\u2019", "'")) if clause.strip()]
    rewards: list[float] = []
    for clause in clauses:
        if (reward := _reward(clause.casefold())) is None:
            break
        rewards.append(reward)
    return QuestionAnswer(rewards[0], ", ".join(clauses[len(rewards) :])) if rewards else None


def _reward(clause: str) -> float | None:
    words = _WORD.findall(clause)
    if not words or not (_YES | _NO | _BESIDE).issuperset(words) or (_YES | _NO).isdisjoint(words):
        return None
    if _NOT_BAD.search(clause):
        return BUTTONS["good"]
    return BUTTONS["good"] if _NO.isdisjoint(words) else BUTTONS["bad"]
