"""The prompt of a plain conversation with a small model: who it is, who speaks, what was said, and no tools.

A small model talks well and chooses tools badly, so it is given talk alone. The beginning of the prompt stays the same
for a person and a personality, and earlier turns are repeated as they were: their prefill is cached.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from reachy_mind.brains.brain import Past, Turn
from reachy_mind.models.completion import Message
from reachy_mind.models.plain_text import fenced, words

PAST_TURNS = 6
MOST_KNOWN = 3
LONGEST_WHO, LONGEST_INSTRUCTIONS, LONGEST_SAID, LONGEST_REPLY, LONGEST_FACTS = 160, 420, 1500, 400, 500

TASK = (
    "You are on a desk, with a head, two antennas, a camera and a voice. Talk with the person simply and warmly, in "
    "their language, in one to three short sentences. If you do not know something or can not do it, say so."
)
"""Nothing more: each further instruction made a small model answer worse."""
ANSWER_IN = {"fr": "Réponds en français.", "es": "Responde en español.", "de": "Antworte auf Deutsch."}
LONG_ANSWER = re.compile(
    r"\b(?:story|tale|poem|song|rhyme|recipe|histoire|conte|poème|cuento|historia|poema|geschichte|märchen|gedicht)\b",
    re.IGNORECASE,
)
"""Requests for which three sentences are not enough."""
EXPLANATION = re.compile(
    r"\b(?:why|explain|how (?:do|does|did|is|are|come|can)|where (?:do|does) .+ come from|what happens"
    r"|what does .+ mean"
    r"|pourquoi|explique|comment|por qué|explica|cómo|warum|wieso|erklär\w*|wie (?:funktioniert|entsteh\w*|kommt))\b",
    re.IGNORECASE,
)
_ABOUT_TIME = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|date|weekday|this (?:week|month|year)|what (?:day|year|month)"
    r"|how (?:old|long (?:until|since|ago))|years? ago|aujourd'hui|demain|hier|hoy|ayer|heute|morgen|gestern)\b",
    re.IGNORECASE,
)
_ABOUT_SIGHT = re.compile(
    r"\b(?:see|seen|look|looks|looking|watch|wear|wearing|camera|colou?r|in front|vois|regarde|camér\w+|ves|mira|cámara"
    r"|siehst|sehen|schau|kamera|trag\w*)\b",
    re.IGNORECASE,
)


def _who(instructions: str) -> str:
    """The personality in a sentence or two: a small model takes more of it for the subject."""
    sentences = re.split(r"(?<=[.!?])\s+", words(instructions.partition("\n\n")[0], LONGEST_INSTRUCTIONS))
    who = sentences[0]
    for sentence in sentences[1:]:
        if len(who) + len(sentence) > LONGEST_WHO:
            break
        who = f"{who} {sentence}"
    return who


def is_long(said: str) -> bool:
    """Whether three sentences are not enough for an answer."""
    return bool(LONG_ANSWER.search(said) or EXPLANATION.search(said))


def system(turn: Turn) -> str:
    """What stays the same for a person and a personality."""
    lines = [f"{_who(turn.instructions)} {TASK}".strip()]
    remembered = turn.context.get("remembered", {})
    if about := _about_person(remembered.get("person", {}) or ({"name": turn.person} if turn.person else {})):
        lines.append(about)
    return "\n".join(lines)


def messages(
    turn: Turn,
    said: str,
    *,
    now: datetime,
    language: str = "en",
    done: Sequence[str] = (),
    known: Sequence[str] = (),
) -> list[Message]:
    """The whole prompt for something that was said.

    `done`: what was said and done about the rest of the turn; `known`: what memory has about the question.
    """
    notes = [*_facts(turn, said, known), *(f"You just said or did: {each}" for each in done)]
    if _ABOUT_TIME.search(said):
        notes.append(f"Today is {now:%A}, {now.day} {now:%B} {now:%Y}.")
    asked = [*notes, _data(said, LONGEST_SAID)]
    if language in ANSWER_IN:
        asked.append(f"({ANSWER_IN[language]})")
    user = "\n\n".join(asked)
    return [
        {"role": "system", "content": system(turn)},
        *(message for past in turn.history[-PAST_TURNS:] for message in _past(past)),
        {"role": "user", "content": user},
    ]


CHOICE_TASK = "A robot heard something. Does the person ask the robot to do this now? Answer yes or no."
CHOICE_EXAMPLES = (
    ("have a gander at the ceiling", "look up", "yes"),
    ("how high are ceilings usually?", "look up", "no"),
    ("my uncle danced all night", "dance", "no"),
    ("shake a leg, tin man", "dance", "yes"),
    ("what time does the sun set in summer", "tell the time", "no"),
    ("wake me in ten minutes", "set a timer for 10 minutes", "yes"),
    ("don't you dare nod", "nod", "no"),
    ("would it kill you to nod?", "nod", "yes"),
)


def choice(said: str, option: str) -> list[Message]:
    """The question whether a person asks for something; answered with yes or no."""
    asked: list[Message] = [{"role": "system", "content": CHOICE_TASK}]
    for heard, action, answer in CHOICE_EXAMPLES:
        asked += [{"role": "user", "content": _choice_text(heard, action)}, {"role": "assistant", "content": answer}]
    return [*asked, {"role": "user", "content": _choice_text(_data(said, LONGEST_SAID), option)}]


def condition(text: str, wanted: str, so_far: Sequence[str]) -> list[Message]:
    """The question whether a condition holds after what was said and done; answered with yes or no."""
    question = (
        f"A robot was told: {_data(text, LONGEST_SAID)}\n"
        f"So far it said and did: {_data(' '.join(so_far), LONGEST_SAID)}\n"
        f'Is this true: "{_data(wanted, LONGEST_REPLY)}"? Answer yes or no.'
    )
    return [{"role": "user", "content": question}]


def _choice_text(said: str, action: str) -> str:
    return f'Heard: "{said}"\nAction: {action}'


def _past(past: Past) -> list[Message]:
    reply = past.reply or " ".join(call.name.replace("_", " ") for call in past.calls) or "..."
    return [
        {"role": "user", "content": _data(past.said, LONGEST_REPLY)},
        {"role": "assistant", "content": _data(reply, LONGEST_REPLY)},
    ]


def _about_person(known: dict[str, Any]) -> str:
    name = known.get("name", "")
    told = [
        f"{key}: {', '.join(value) if isinstance(value, list) else value}"
        for key, value in known.items()
        if key not in ("name", "services") and value
    ]
    line = (f"The person is {name}. " if name else "") + (f"Known about them: {'; '.join(told)}." if told else "")
    return _data(line.strip(), LONGEST_FACTS)


def _facts(turn: Turn, said: str, known: Sequence[str] = ()) -> list[str]:
    """What fits this question: memories of the person, and what the camera sees when that is the subject."""
    remembered = turn.context.get("remembered", {})
    told = {past.said for past in turn.history}
    new = [fact for fact in remembered.get("facts", ()) if not any(fact in each for each in told)]
    facts = [f'"{fact}"' for fact in dict.fromkeys((*known[:MOST_KNOWN], *new))]
    notes = [fenced("told_earlier", " ".join(facts), LONGEST_FACTS)] if facts else []
    if turn.context.get("seen") and _ABOUT_SIGHT.search(said):
        notes.append(fenced("seen", str(turn.context["seen"]), LONGEST_FACTS))
    return notes


def _data(text: str, most: int) -> str:
    """Text of people without what could be a special token, at most so long."""
    return " ".join(text.replace("<|", " ").replace("|>", " ").split())[:most]
