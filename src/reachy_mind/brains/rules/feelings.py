"""Feelings: "be happy", "look a bit sad", "make an angry face"."""

from __future__ import annotations

import re
from typing import Any

from reachy_mind.brains.clauses import Clause
from reachy_mind.brains.phrases import lines, spaced
from reachy_mind.brains.plan import Setting, Step
from reachy_mind.brains.rules.rule import Answer, Rulebook
from reachy_mind.motion.library.emotions import EMOTIONS
from reachy_mind.motion.library.words import SYNONYMS

BOOK = Rulebook()


_FEELING = (
    r"(?:(?:please )?(?:be|look|act|feel|seem|appear|become|get|sound|go|behave|pose|stay|being)"
    r" (?:as if you are |like you are |all |as )?"
    r"|(?:show|tell)(?: me| us| everyone)?(?: that)? (?:how |that )?you are (?:feeling )?"
    r"|(?:show|tell)(?: me| us| everyone)?(?: that)? you feel "
    r"|(?:show|let)(?: me| us)? (?:see )?(?:what |how )?you look like (?:when|if) you are "
    r"|(?:show|express|display|demonstrate|convey|play|perform|act out|mimic|imitate|project|radiate)"
    r"(?: me| us| everyone)? (?:some |your |a bit of |the emotion |the emotion of |the feeling of |an emotion of "
    r"|an expression of |a feeling of |a |an )?"
    r"|(?:show me|show us|do|make|put on|pull|give me|give us|give|let me see|let us see|wear|i want to see|have|try)"
    r" (?:a |an |your |the |some )(?:most )?"
    r"|pretend (?:to be|you are|that you are|to feel|being|to look) |imagine (?:you are|being) "
    r"|make (?:yourself|it) (?:look |seem |feel )?|react (?:as if you are |like you are )?|respond (?:with )?"
    r"|act (?:as if|like|as though) you (?:are|feel|were) (?:feeling )?"
    r"|look (?:as if|like|as though) you (?:are|feel|were) )"
)
_STRONG_WORDS = lines(
    """very|really|so|extremely|super|totally|incredibly|absolutely|completely|quite|deeply|much|most|wildly|terribly
    strong|big|great|huge|more|seriously|truly|intensely|strongly|as much as you can"""
)
_FAINT_WORDS = lines(
    "a bit|a little|slightly|a little bit|somewhat|kind of|mildly|a tad|sort of|a touch|faintly|a tiny bit|little"
)
_STRENGTH: dict[str, float] = {
    word: level
    for level, words in ((1.0, _STRONG_WORDS), (0.4, _FAINT_WORDS))
    for word in sorted(words, key=len, reverse=True)
}
_STRONG = "|".join(sorted(_STRENGTH, key=len, reverse=True))
_EMOTION = re.compile(
    rf"(?P<frame>{_FEELING})?(?P<strength>(?:(?:{_STRONG}) ){{0,3}})(?P<what>[^\W\d]+(?: [^\W\d]+)??)"
    r"(?P<face> (?:face|expression|look|emotion|pose|mood|gesture|reaction|feeling|move|movement|animation))?"
    rf"(?P<after>(?: (?:{_STRONG}|about it|about that|at me|with me|with your (?:body|head|antennas)|for once"
    r"|at (?:this|that)|of (?:yourself|me|us)|right now|to see (?:me|us)|that (?:you|we|i) .+))?)"
)
_BY_FEELING = {
    "happy": """smile|grin|rejoice|cheer up|smile at me|smile at us|smile for me|give me a smile|give us a smile
        do a smile|show me a smile|show us a smile|beam""",
    "amused": "laugh|giggle|chuckle|laugh at me|laugh out loud|give me a laugh|snicker",
    "sad": "cry|weep|sob|mourn",
    "disappointed": "sulk|pout|apologize|say sorry|sigh|apologise",
    "tired": "yawn|do a yawn|give me a yawn",
    "shy": "blush|hide your face",
    "excited": "celebrate|cheer|cheer for me|cheer me on|jump for joy|hooray",
    "calm": "calm down|relax yourself|calm yourself|breathe|take a deep breath|chill down",
    "thinking": "ponder|think|think hard|think about it|have a think|reflect",
    "angry": "frown|rage|get angry|growl|scowl",
    "scared": "panic|shiver|tremble|get scared",
    "grateful": "bow|take a bow|do a bow|say thanks with your body|make a bow",
    "attentive": "concentrate|focus|pay attention",
    "welcoming": "welcome us|welcome me|welcome everyone|welcome our guests|welcome the guests",
    "loving": "give me a hug|love me|hug me|send me love",
    "sleepy": "snooze|pretend that you are asleep|pretend to sleep|pretend you are asleep|pretend to be asleep",
    "curious": "wonder",
    "playful": "do something funny|do something silly|be a clown|make a joke with your body",
}
VERBS_OF_FEELING = {verb: feeling for feeling, verbs in _BY_FEELING.items() for verb in lines(verbs)}
_LOOSE = frozenset(
    spaced(
        """
        rest idle none nothing default waiting ok okay yes no hello hi hug kiss bow sleep greeting greet
        goodbye thanks think laugh cry smile yawn snooze welcome love wow nodding sleeping listening normal
        hurry cross lost attention success lol haha oops sorry fun warm cheeky sunny dull content mad
        engaged understanding relax
        """
    )
)
"""Words for feelings that mean other things too: only where the frame says that a feeling is meant."""
_SURE_FRAMES = re.compile(
    r"(?:be|act|feel|seem|appear|pretend|imagine|express|display|convey|demonstrate|become|look like|look as|show)\b.*"
)


@BOOK.rule
def feeling(clause: Clause, setting: Setting) -> Answer:
    """ "be happy", "look a bit sad", "show me you are surprised", "make an angry face", "smile"."""
    text = clause.core.text
    words = text.split()
    if text in VERBS_OF_FEELING:
        return Step("express_emotion", {"emotion": VERBS_OF_FEELING[text]}, clause.core.as_said())
    if len(words) > 14 or not (found := _EMOTION.fullmatch(text)):
        return None
    if not (found["frame"] or found["face"] or clause.asked or setting.verb == "act"):
        return None
    name = emotion_of(found["what"]) if found["what"] != "thank you" else None
    if name is None or (found["what"] in _LOOSE and not (found["face"] or _SURE_FRAMES.match(found["frame"] or ""))):
        return None
    if found["frame"] == "get " and found["what"] in ("lost", "rest", "sleep", "going"):
        return None
    strength = f"{found['strength']} {found['after'].strip()}".strip()
    args: dict[str, Any] = {"emotion": name}
    level = next(
        (_STRENGTH[word] for word in sorted(_STRENGTH, key=len, reverse=True) if re.search(rf"\b{word}\b", strength)),
        None,
    )
    if level is not None:
        args["intensity"] = level
    return Step("express_emotion", args, clause.core.as_said())


def emotion_of(words: str) -> str | None:
    word = words.replace(" ", "_")
    if word in EMOTIONS:
        return word
    return SYNONYMS.get(word)
