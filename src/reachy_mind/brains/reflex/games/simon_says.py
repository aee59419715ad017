"""Simon says: commands count only with "Simon says". The robot leads for five rounds, or the player does.

When the robot leads, the player tells what they do. When the player leads, the robot does what it can with its tools;
`store` reads those commands.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace

from reachy_mind.brains.reflex.games.game import Reply
from reachy_mind.brains.reflex.games.remarks import gives_up, heard
from reachy_mind.brains.reflex.wording import Wording

ROUNDS = 5
MOST_REFUSED = 3
"""Commands without "Simon says" in a row, after which the game is over: somebody has forgotten it."""
SIMON = re.compile(r"^\W*(?:simon says|jacques a dit|sim[o\u00f3]n dice|simon sagt)\W*", re.IGNORECASE)
COMMANDED = re.compile(
    r"[.!?,;:]\W*(?:and |ok |okay )?(?=(?:simon says|jacques a dit|sim[o\u00f3]n dice|simon sagt)\W+\w)", re.IGNORECASE
)
"""Before a command in the same breath as the wish to play: whoever says so leads."""
_LEADS = re.compile(
    r"\b(?:i lead|i(?:'m| am| will be|'ll be) (?:simon|the leader)|you (?:obey|follow|play along)|let me lead"
    r"|i (?:want to|give the) (?:lead|commands)|je (?:mene|commande|suis jacques)|c'est moi qui (?:commande|mene)"
    r"|yo (?:mando|soy simon|dirijo)|ich (?:bin simon|fuhre|gebe die befehle))\b"
)
_STILL = re.compile(
    r"\b(?:nothing|not|don't|do not|didn't|no|still|stay|won't|freeze|rien|pas|ne bouge|non|nada|quiet[oa]|nichts|nicht"
    r"|nein|still|ruhig)\b"
)
_CLAIMS_SIMON = re.compile(
    r"(?:didn't|did not|forgot|pas|n'a pas|no|nicht|hast)\b.*\b(?:say|dit|dicho|dijiste|gesagt|simon)"
)


@dataclass(frozen=True)
class Leading:
    """The robot leads: whether Simon said the last command, and how it went so far."""

    simon: bool
    command: str
    done: int = 0
    right: int = 0


@dataclass(frozen=True)
class Following:
    """The player leads: commands without "Simon says" in a row."""

    refused: int = 0


State = Leading | Following


class SimonSays:
    """Both ways to play it."""

    def begin(self, said: str, wording: Wording, chance: random.Random) -> Reply:
        if _LEADS.search(heard(said)) or COMMANDED.search(said):
            return Reply(wording.say("simon_follow"), Following())
        first = _commanded(wording, chance)
        return Reply(f"{wording.say('simon_begin')} {first.command}", first)

    def accepts(self, state: State, said: str, language: str, *, acts: bool) -> bool:  # noqa: ARG002 -- every game's
        if isinstance(state, Following):
            return acts or bool(SIMON.match(said))
        own = re.match(r"(?:i|i'm|je|j'|ich|me|done|fait|hecho|fertig|ok|okay)\b", heard(said))
        return bool(own or _LEADS.search(heard(said))) or gives_up(said)

    def answers(self, state: State, said: str, wording: Wording, chance: random.Random) -> Reply:
        if _LEADS.search(heard(said)):
            return Reply(wording.say("simon_follow"), Following())
        if isinstance(state, Following):
            return _followed(state, said, wording)
        moved = not (_STILL.search(heard(said)) or _CLAIMS_SIMON.search(heard(said)))
        if moved and state.simon and _other_command(state.command, said, wording):
            return _next(state, "simon_other", wording, chance, right=False)
        right = moved == state.simon
        key = ("simon_right" if state.simon else "simon_still") if right else "simon_wrong" if moved else "simon_missed"
        return _next(state, key, wording, chance, right=right)

    def reminder(self, state: State, wording: Wording) -> str:
        return state.command if isinstance(state, Leading) else wording.say("simon_follow")


def _next(state: Leading, key: str, wording: Wording, chance: random.Random, *, right: bool) -> Reply:
    """How it was, and the next command or the end."""
    done, score = state.done + 1, state.right + right
    if done == ROUNDS:
        return Reply(f"{wording.say(key)} {wording.say('simon_end', right=score, rounds=ROUNDS)}")
    after = replace(_commanded(wording, chance), done=done, right=score)
    return Reply(f"{wording.say(key)} {after.command}", after)


def _other_command(command: str, said: str, wording: Wording) -> bool:
    """Whether somebody tells of doing something else than what was said."""
    told = _stems(said)
    meant = [one for one in wording.ways("simon_commands") if _stems(one) & told]
    return bool(meant) and not any(one in command for one in meant)


def _stems(text: str) -> set[str]:
    """The beginnings of its words, without those that any command has."""
    return {word[:4] for word in heard(text).split() if len(word) > 3} - {"your", "with", "dein", "head", "once"}


def _commanded(wording: Wording, chance: random.Random) -> Leading:
    simon = chance.random() < 0.6
    command = chance.choice(wording.ways("simon_commands"))
    text = wording.say("simon_says", command=command) if simon else f"{command[:1].upper()}{command[1:]}!"
    return Leading(simon, text)


def _followed(state: Following, said: str, wording: Wording) -> Reply:
    if SIMON.match(said):
        return Reply(wording.say("simon_obeyed"), Following())
    if state.refused + 1 >= MOST_REFUSED:
        return Reply(wording.say("simon_forgotten"))
    return Reply(wording.say("simon_not_said"), Following(state.refused + 1))
