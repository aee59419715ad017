"""Questions about who asks them: "what is my favourite colour?". They are for memory, whatever else they look like.

The reader was trained before there was a memory, and takes some of them for talk about the robot's own likes. What it
takes for something to do is left alone.
"""

from __future__ import annotations

import re

from reachy_mind.brains.plan import Guess, Part, Plan, Step, Talk, Unknown
from reachy_mind.brains.reading.pieces import plain
from reachy_mind.memory import extraction

_TALK = frozenset(("@likes", "@maker", "@knowledge", "@report", "@unclear", "@age", "@name", "@are_you", "@story"))
_GUESSES = frozenset(("list_timers", "detect_faces", "search_web", "get_time", "search_memories", "get_user_profile"))
_VERBS = (
    r"like|love|hate|dislike|prefer|enjoy|live|work|own|have|drink|eat|play|collect|study|speak|buy|see|watch|visit|meet"
    r"|lose|find|do|go|get|read|cook|break|plan|tell|say|want|need|grow|start|finish|move|train|keep|put|leave"
)
_ABOUT_ME = re.compile(
    r"(?:(?:what|who|where|when|which|how old|how tall|how big|what kind of|what sort of)(?:'?s| is| are| was| were"
    r"| will) (?:the \w+(?: \w+)? of )?my (?!pose\b|timers?\b|reminders?\b|alarms?\b|battery\b)\S.*"
    rf"|(?:what|who|where|when|which|why|how often)(?: \w+){{0,3}} (?:do|did|am|was|have|will) i (?:{_VERBS}|going to"
    r"|allergic|scared|afraid|born|named|called)\b.*"
    r"|where am i from|what am i allergic to|am i allergic to \S.*|do i (?:like|love|hate|have|live|own|eat|drink) \S.*"
    r"|what (?:kind|sort) of \w+ (?:do|did) i \S.*|how old am i|what is it that i \S.*"
    r"|(?:what|who|where|when) did we (?:talk|speak|chat|discuss|say)\b.*"
    r"|quel(?:le)?s? (?:est|sont) (?:mon|ma|mes) \S.*|(?:ou|quand) est (?:mon|ma) \S.*"
    r"|ou (?:est-ce que )?j'?\s?habite\S*"
    r"|comment s'appelle (?:mon|ma) \S.*|qu'est-ce que j'?\s?aime\S*"
    r"|(?:cual(?:es)?|quien|cuando|donde) (?:es|son|esta) (?:mi|mis) \S.*|como se llama mi \S.*|donde vivo"
    r"|que me gusta"
    r"|(?:was|wer|wann|wo|wie alt|wie) (?:ist|sind|war) meine?[nmr]? \S.*|wie heisst meine?[nmr]? \S.*|wo wohne ich"
    r"|was mag ich)"
)
_WHO = re.compile(
    r"(?:who am i|qui suis-?\s?je|quien soy|wer bin ich|wie heisse? ich|comment je m'appelle|como me llamo)"
)


def asked(said: str) -> Step | None:
    """What to look up for a question about who asks it; None for anything else."""
    words = " ".join(plain(said).replace("\u2019", "'").replace("\u00df", "ss").strip(" ?!.\u00bf\u00a1").split())
    words = re.sub(
        r"^(?:(?:hey |ok |okay )?reachy,? |so,? |and |tell me,? |please |do you know |dis-moi,? )+", "", words
    )
    if _WHO.fullmatch(words):
        return Step("get_user_profile", {}, said)
    if _ABOUT_ME.fullmatch(words):
        return Step("search_memories", {"query": said.strip(" ?!.")[:500]}, said)
    return None


def instead(read: Plan, said: str) -> Plan:
    """The plan, or memory's where a question about who asks was taken for something else."""
    if len(read.parts) != 1:
        return read
    if _is_told(read.parts[0]) and extraction.facts(said):
        return Plan((Step("store_memory", {"content": said.strip()}, said),), read.language)
    if not _open(read.parts[0]):
        return read
    step = asked(said)
    return Plan((step,), read.language) if step is not None else read


def _is_told(part: Part) -> bool:
    """Whether it may be something to remember."""
    return isinstance(part, Guess) and all(step.tool in ("store_memory", "update_user_profile") for step in part.steps)


def _open(part: Part) -> bool:
    """Whether it does nothing, or only something that may have been meant."""
    match part:
        case Talk():
            return part.kind in _TALK
        case Guess():
            return all(step.tool in _GUESSES for step in part.steps)
        case Unknown():
            return part.why != "too_much"
    return False
