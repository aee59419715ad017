"""What a learned choice may not do, and what may not be learned as one.

A learned choice only names tools: its calls go through the gate of the turn, which decides as always. On top of that it
may name only tools that need no person's consent, and none that is personal or changes what the robot is or may do:
what people get used to must not end in a lost memory or a robot that lies down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from reachy_mind.brains.word_lists import spaced
from reachy_mind.feedback.choices import ChosenCall
from reachy_mind.feedback.request_words import RequestWords
from reachy_mind.tools import acts
from reachy_mind.tools.act_table import acts_of
from reachy_mind.tools.definition import Tier, Tool

EXCLUDED_GROUPS = frozenset(("memory", "mind", "workshop", "developer", "github"))
"""Memory is personal; the others change personality, settings, permissions, tools or code."""
EXCLUDED_TOOLS = frozenset(("perception.set_camera", "perception.set_microphone"))
EXCLUDED_ACTS = frozenset(
    (acts.MOTORS_OFF, acts.MOTORS_YIELD, acts.REMEMBER, acts.RECALL, acts.FORGET, acts.ERASE, acts.RECORD,
     acts.REMOVE_MOVE)
)  # fmt: skip

_DIRECTIONS = """left right up down front ahead gauche droite haut bas devant izquierda derecha arriba abajo frente
    links rechts hoch oben runter unten vorne geradeaus"""
_NAMES = {
    "wave": "wave waving waves winke winken wink coucou salue saluer saluda saludar",
    "dance": "dance dancing danse danser baila bailar tanz tanze tanzen",
    "nod": "nod nodding hoche hocher asiente asentir nick nicke nicken",
    "shake": "shake shaking secoue secouer sacude niega schuttel schuttle schutteln",
    "move_head": f"head tete cabeza kopf {_DIRECTIONS}",
    "look_at": f"head tete cabeza kopf {_DIRECTIONS}",
    "rotate": f"turn rotate spin tourne gira dreh drehe {_DIRECTIONS}",
    "set_antennas": f"antenna antennas antenne antennes antena antenas antennen {_DIRECTIONS}",
    "rest": "rest relax repose descansa ruh ruhe entspann",
    "take_photo": "photo picture foto bild photographie",
    "set_timer": "timer minuteur temporizador wecker",
    "set_reminder": "remind reminder rappelle recuerda recuerdame erinner erinnere",
    "get_time": "time heure hora uhr uhrzeit",
    "get_weather": "weather meteo clima wetter",
    "set_volume": "volume louder quieter son volumen lautstarke lauter leiser",
    "set_light": "light lumiere luz licht",
}
"""The words by which a request names a tool."""
_AROUND = frozenset(
    spaced(
        """
        do look show be feel play make set go to at of in for me us my with on
        regarde montre sois joue mets de du au a en pour moi nous avec
        mira muestra se juega pon de del al a en para mi con
        schau zeig sei spiel setz zu zum zur an auf in fur mir uns mit nach
        """
    )
)


def can_be_chosen(tool: Tool, tier: Tier) -> bool:
    """Whether a learned choice may name this tool, which has this tier now."""
    if tier > Tier.NOTIFY or tool.hidden or tool.not_ready_reason:
        return False
    if tool.group in EXCLUDED_GROUPS or tool.qualified in EXCLUDED_TOOLS:
        return False
    entry = acts_of(tool)
    performed = {*entry.always, *(act for condition in entry.perhaps for act in condition.may)}
    return entry.scope != "admin" and acts.MOTORS_ON not in entry.always and not performed & EXCLUDED_ACTS


def may_be_made(calls: Sequence[ChosenCall], tools: Iterable[Tool], tier: Callable[[Tool], Tier]) -> bool:
    """Whether a learned choice may make these calls with the tools of a turn; `tier`: as `Turn.tier`."""
    known = {tool.name: tool for tool in tools}
    named = [known.get(call.tool) for call in calls]
    return bool(named) and all(tool is not None and can_be_chosen(tool, tier(tool)) for tool in named)


def names_what_was_done(request: str, calls: Iterable[ChosenCall]) -> bool:
    """Whether a request says in plain words what was done for it. "Look left" is no other word for "look right": who
    meant that misspoke, and what they say next time is meant as it is said."""
    words = RequestWords.of(request).words
    return any(_is_named(words, call) for call in calls)


def _is_named(words: Sequence[str], call: ChosenCall) -> bool:
    if not set(_NAMES.get(call.tool, "").split()).isdisjoint(words):
        return True
    given = {word for value in call.args.values() for word in RequestWords.of(str(value)).words}
    return not given.isdisjoint(words) and given.union(_AROUND).issuperset(words)
