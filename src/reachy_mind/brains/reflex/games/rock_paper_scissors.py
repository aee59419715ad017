"""Rock, paper, scissors: the robot shows its choice with its antennas. Best of three: two wins end it."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace

from reachy_mind.brains.reflex.games.game import Reply
from reachy_mind.brains.reflex.games.remarks import gives_up, heard
from reachy_mind.brains.reflex.plan import Step
from reachy_mind.brains.reflex.wording import Wording

WINS = 2
MOST_WORDS = 6
BEATS = {"rock": "scissors", "paper": "rock", "scissors": "paper"}
ANTENNAS = {"rock": (150, 150), "paper": (90, 90), "scissors": (25, 25)}
"""Left and right, degrees from upright: folded down, flat, and a V."""
NAMES = {
    "en": {"rock": "rock", "paper": "paper", "scissors": "scissors"},
    "fr": {"rock": "pierre", "paper": "feuille", "scissors": "ciseaux"},
    "es": {"rock": "piedra", "paper": "papel", "scissors": "tijera"},
    "de": {"rock": "Stein", "paper": "Papier", "scissors": "Schere"},
}
_WORDS = {
    "rock": re.compile(r"\b(?:rocks?|stone|pierre|caillou|piedra|roca|stein)\b"),
    "paper": re.compile(r"\b(?:paper|feuille|papier|papel)\b"),
    "scissors": re.compile(r"\b(?:scissors?|ciseaux?|tijeras?|schere)\b"),
}


@dataclass(frozen=True)
class GameScore:
    """Rounds that each has won."""

    mine: int = 0
    yours: int = 0


class RockPaperScissors:
    """One game of three rounds or more."""

    def begin(self, said: str, wording: Wording, chance: random.Random) -> Reply:  # noqa: ARG002 -- every game's
        return Reply(wording.say("rps_begin"), GameScore())

    def accepts(self, state: GameScore, said: str, language: str, *, acts: bool) -> bool:  # noqa: ARG002 -- every game's
        return choice(said) is not None or gives_up(said)

    def answers(self, state: GameScore, said: str, wording: Wording, chance: random.Random) -> Reply:
        yours = choice(said)
        if yours is None:
            return Reply(wording.say("rps_which"), state)
        mine = chance.choice(sorted(BEATS))
        left, right = ANTENNAS[mine]
        shown = (Step("set_antennas", {"left": left, "right": right, "duration": 0.3}, said, quiet=True),)
        names = NAMES[wording.language]
        if mine == yours:
            return Reply(_begun(wording.say("rps_draw", mine=names[mine])), state, shown)
        lost = BEATS[mine] == yours
        score = replace(state, mine=state.mine + 1) if lost else replace(state, yours=state.yours + 1)
        values = {"mine": names[mine], "your": names[yours], "yours": score.yours, "ours": score.mine}
        if max(score.mine, score.yours) < WINS:
            return Reply(_begun(wording.say("rps_lost" if lost else "rps_won", **values)), score, shown)
        return Reply(_begun(wording.say("rps_lost_game" if lost else "rps_won_game", **values)), None, shown)

    def reminder(self, state: GameScore, wording: Wording) -> str:
        return wording.say("rps_reminder", yours=state.yours, ours=state.mine)


def _begun(text: str) -> str:
    """With a capital letter, whichever word comes first."""
    return text[:1].upper() + text[1:]


def choice(said: str) -> str | None:
    """What a player shows; None when that is none of the three, or more than one."""
    words = heard(said)
    if len(words.split()) > MOST_WORDS:
        return None
    found = [name for name, pattern in _WORDS.items() if pattern.search(words)]
    return found[0] if len(found) == 1 else None
