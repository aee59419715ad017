"""Attribution: which action some words of feedback are about, also when they come late.

Words that name an action ("the dance was great") are about the last one of that kind. "Earlier" skips the last action.
Other words are about the last turn. What was done too long ago, or too many turns before, is not guessed at.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence

from reachy_mind.brains.brain import Past, ToolCall
from reachy_mind.feedback.records import Action

MOST_TURNS_BACK = 4
"""Of words that name nothing."""
MOST_TURNS_BACK_NAMED = 12
LONGEST_S = 1800.0
"""Words that name nothing are not about what was done longer ago."""

_NAMED: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"danc\w*|dans\w*|tanz\w*|bail\w*|getanzt", ("dance",)),
    (r"nod\w*|hoch\w*tête|nick\w*|genickt|as(?:entir|entimiento)|cabece\w*", ("nod",)),
    (r"wav(?:e|es|ed|ing)|salu[dt]\w*|wink\w*|gewunken", ("wave",)),
    (r"photo\w*|picture|pictures|foto\w*|bild|bilder", ("take_photo",)),
    (r"emotion\w*|expression\w*|gefühl\w*|émotion\w*|emoción|emociones", ("express_emotion",)),
    (r"antenn\w*|antena\w*|ears", ("set_antennas",)),
    (r"turn(?:ed)?\s+round|rotation|rotat\w*|drehung|giro", ("rotate",)),
    (r"look(?:ed|ing)?|gaze|head|blick|kopf|regard\w*|tête|mirada|cabeza", ("look_at_object", "move_head", "look_at",
     "look_at_world", "look_at_pixel", "look_at_sound")),
    (r"timer\w*|reminder\w*|wecker|erinnerung\w*|minuteur|rappel|temporizador|recordatorio", ("set_timer",
     "set_reminder")),
    (r"weather|wetter|météo|clima", ("get_weather",)),
)  # fmt: skip
_KINDS = [(re.compile(rf"\b(?:{words})\b"), tools) for words, tools in _NAMED]
_EARLIER = re.compile(
    r"\b(?:earlier|before that|the first (?:one|time)|the one before|vorhin|davor|das erste|tout à l'heure|avant ça"
    r"|le premier|la première|antes|el primero|la primera)\b"
)


def attributed(text: str, history: Sequence[Past], now: float | None = None) -> Action:
    """What the words are about; an empty action when nobody can tell. `history`: oldest first."""
    words = text.casefold().replace("\u2019", "'")
    turns = list(reversed(history[-MOST_TURNS_BACK_NAMED:]))
    tools = tools_named(words)
    for past in turns if tools else ():
        for call in _done(past):
            if call.name in tools:
                return action(past, call)
    if _EARLIER.search(words):
        acted = [past for past in turns if any(_done(past))]
        return action(acted[1], next(_done(acted[1]))) if len(acted) > 1 else Action()
    if not turns or _too_old(turns[0], now):
        return Action()
    return action(turns[0], next(_done(turns[0]), None))


def stopped(history: Sequence[Past]) -> Action:
    """What a stop was about: the last call, also one that it cut short."""
    for past in reversed(history):
        for call in reversed(past.calls):
            if call.name != "stop":
                return action(past, call)
    return Action()


def tools_named(words: str) -> tuple[str, ...]:
    """The tools that words in small letters name by what they do; empty for none."""
    return next((tools for pattern, tools in _KINDS if pattern.search(words)), ())


def recent(history: Sequence[Past], now: float | None = None) -> list[Past]:
    """The turns that are not too long ago for words that name nothing."""
    return [past for past in history if not _too_old(past, now)]


def actions(history: Sequence[Past], most_turns: int = MOST_TURNS_BACK_NAMED) -> list[Action]:
    """The calls of the last turns that ended well, the last one first."""
    return [action(past, call) for past in reversed(history[-most_turns:]) for call in _done(past)]


def action(past: Past, call: ToolCall | None) -> Action:
    """A call of a turn as feedback sees it; without a call, what was said in that turn."""
    if call is None:
        return Action(turn=past.turn, request=past.said)
    data = call.outcome.data if isinstance(call.outcome.data, dict) else {}
    learned, situation = data.get("learned"), data.get("situation")
    return Action(
        turn=past.turn,
        tool=call.name,
        args=dict(call.args),
        learned=learned if isinstance(learned, dict) else {},
        situation=situation if isinstance(situation, dict) else {},
        outcome=call.outcome.status,
        duration_ms=call.outcome.duration_ms or None,
        request=past.said,
    )


def _done(past: Past) -> Iterator[ToolCall]:
    """Its calls that did something, or were begun, the last one first. To search in vain is to do nothing."""
    for call in reversed(past.calls):
        data = call.outcome.data
        if call.name == "stop":
            continue
        if call.outcome.status in ("ok", "started") and not (isinstance(data, dict) and data.get("found") is False):
            yield call


def _too_old(past: Past, now: float | None) -> bool:
    """A clock that was set back tells nothing: then the order of the turns decides alone."""
    if not past.at:
        return False
    return (time.time() if now is None else now) - past.at > LONGEST_S
