"""What a game is: it begins, and answers each thing a player says until it is over."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Protocol

from reachy_mind.brains.reflex.plan import Step
from reachy_mind.brains.reflex.wording import Wording


@dataclass(frozen=True)
class Reply:
    """What the robot says, what it does before and after that, and how the game stands then; no state: it is over."""

    text: str
    state: Any = None
    before: tuple[Step, ...] = ()
    after: tuple[Step, ...] = ()


class Game(Protocol):
    """Rules without memory: the state goes in and comes out."""

    def begin(self, said: str, wording: Wording, chance: random.Random) -> Reply:
        """`said`: how the game was asked for."""
        ...

    def accepts(self, state: Any, said: str, language: str, *, acts: bool) -> bool:
        """Whether it is plainly a turn in this game; `acts`: out of the game it would be a request to do something."""
        ...

    def answers(self, state: Any, said: str, wording: Wording, chance: random.Random) -> Reply:
        """The next state, after what a player said."""
        ...

    def reminder(self, state: Any, wording: Wording) -> str:
        """Where the game stands, for who comes back to it."""
        ...
