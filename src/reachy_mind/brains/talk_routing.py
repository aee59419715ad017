"""Who answers a part of a turn when a model talks and has no tools: reflex, the model, or both.

The model is the default for everything that is said. Reflex keeps what it does at least as well: requests to act, sums,
units and dates that it can work out, games, emergencies, and a few words of politeness or about itself. A statement
that is worth remembering is stored without a word, and the model answers it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from reachy_mind.brains.brain import Past, Turn
from reachy_mind.brains.reflex import emergencies, reckoning
from reachy_mind.brains.reflex.followups import NOTHING_YET
from reachy_mind.brains.reflex.games import store as games
from reachy_mind.brains.reflex.plan import Condition, Guess, Part, Plan, Step, Talk, Unknown, Words
from reachy_mind.brains.reflex.self_knowledge import about_itself
from reachy_mind.brains.word_lists import spaced

Route = Literal["reflex", "model", "store", "recall"]
"""`store`: reflex stores it silently, then the model answers. `recall`: the memory answers if it is sure."""

POLITE = frozenset(
    spaced(
        """
    @greet @how_are_you @bye @thanks @praise @apology @compliment @yes @no @complaint @name @maker @age @are_you
    @abilities @forbid @correct @guess_no
    """
    )
)
"""Kinds of talk that reflex answers when they are short: in a longer sentence there is more to answer."""
MOST_POLITE_WORDS = 7
ALWAYS_REFLEX = frozenset(spaced("@danger @impossible")) | emergencies.KINDS
REPLIES = frozenset(spaced("@yes @no @complaint @guess_no @correct @praise"))
"""Kinds of talk that refer to what was said last."""
RECALL_TOOLS = frozenset(spaced("search_memories get_user_profile search_web"))
STORE_TOOLS = frozenset(spaced("store_memory update_user_profile"))
SILENT_TOOLS = RECALL_TOOLS | STORE_TOOLS | {"express_emotion"}
"""Tools that belong to talking: calling one is nothing that was done for the person."""
SHORT_JOKE = 5
"""Words: a request for a joke that is longer names a subject, which no ready joke has."""
_ASKED_TO_STORE = re.compile(
    r"\b(?:remember|memori[sz]e|don'?t forget|do not forget|keep in mind|keep that|bear in mind|note (?:that|down|this)"
    r"|make a note|write (?:that|this|it) down|save (?:that|this)|for the record|learn that"
    r"|souviens|rappelle-toi|retiens|n'oublie pas|note (?:que|bien)|recuerda|no olvides|apunta|anota|ten en cuenta"
    r"|merk|vergiss nicht|notier|erinner dich|behalte)",
    re.IGNORECASE,
)
_ASKED_THE_WEB = re.compile(
    r"\b(?:web|internet|online|google|search|look (?:it |that |this )?up|en ligne|cherche|línea|busca|such)\w*",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:i|my|mine|me|our|we|us|je|j'|moi|mon|ma|mes|notre|nos|yo|mi|mis|nuestr[oa]s?|ich|mir|mich|wir|mein\w*|unser\w*)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"\?\s*$|^\W*(?:how|what|why|which|who|when|where|comment|pourquoi|quoi|cómo|por qué|qué|wie|warum|was|wieso)\b",
    re.IGNORECASE,
)
_SAY = re.compile(
    r"\b(?:say|speak|repeat|tell|announce|greet|shout|whisper|read|dis|répète|di|repite|sag|sprich|wiederhol)\w*",
    re.IGNORECASE,
)


def route(part: Part, plan: Plan, turn: Turn) -> Route:  # noqa: PLR0911 -- the first that fits
    """Who answers this part of the plan."""
    match part:
        case Unknown(_, why):
            return "reflex" if why == "too_much" else "model"
        case Talk():
            return _talk_route(part, plan, turn)
        case Words():
            return "model" if part == NOTHING_YET and talked_last(turn.history) else "reflex"
        case Step(tool) if tool in STORE_TOOLS:
            return "reflex" if _ASKED_TO_STORE.search(turn.text) else "store"
        case Step("search_web"):
            return "reflex" if _ASKED_THE_WEB.search(turn.text) else "recall"
        case Step(tool) if tool in RECALL_TOOLS:
            return "recall"
        case Step("speak") if _QUESTION.search(turn.text) and not _SAY.search(turn.text):
            return "model"
    return "reflex"


def _talk_route(part: Talk, plan: Plan, turn: Turn) -> Route:
    alone = len(plan.parts) == 1
    if part.kind in reckoning.KINDS:
        solved = reckoning.can_answer(part, plan.language, datetime.now().astimezone().date())
        return "reflex" if solved else "model"
    if part.kind == "@game":
        return "reflex" if games.is_request(part.said, turn.history[-1].reply if turn.history else "") else "model"
    if part.kind in REPLIES and alone and talked_last(turn.history):
        return "model"
    if part.kind in ALWAYS_REFLEX:
        return "reflex" if alone or part.kind != "@impossible" or not _only_remembers(plan) else "model"
    if part.kind == "@joke":
        return "reflex" if len(part.said.split()) <= SHORT_JOKE else "model"
    short = len(part.said.split()) <= MOST_POLITE_WORDS
    return "reflex" if (part.kind in POLITE or about_itself(part, ())) and short else "model"


def _only_remembers(plan: Plan) -> bool:
    """Whether all that the plan does is to store something: the rest is a misread part of the same statement."""
    return bool(plan.steps) and all(step.tool in STORE_TOOLS for step in plan.steps)


def is_personal(text: str) -> bool:
    """Whether it is about who speaks, or theirs."""
    return bool(_PERSONAL.search(text))


def is_polite(part: Part) -> bool:
    """Whether it wants no answer beside something else that is said."""
    return isinstance(part, Talk) and part.kind in POLITE


def talked_last(history: Sequence[Past]) -> bool:
    """Whether the last turn was talk: nothing was done in it that "again" or "no" could mean instead."""
    if not history:
        return False
    return all(call.name in SILENT_TOOLS for call in history[-1].calls)


def needs_talker(plan: Plan, turn: Turn) -> bool:
    """Whether a brain that talks has a part in this turn."""
    return not plan.parts or any(
        isinstance(part, Guess | Condition) or route(part, plan, turn) != "reflex" for part in plan.parts
    )
