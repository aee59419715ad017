"""Nods, shakes of the head, waves, shrugs."""

from __future__ import annotations

import re
from typing import Any

from reachy_mind.brains.clauses import Clause
from reachy_mind.brains.manner import Manner
from reachy_mind.brains.plan import Setting, Step
from reachy_mind.brains.rules.rule import Answer, Match, Rulebook

BOOK = Rulebook()

MOST_TIMES = 5
GESTURES: dict[str, str] = {
    "nod": "nod",
    "nods": "nod",
    "shake": "shake",
    "shakes": "shake",
    "headshake": "shake",
    "wave": "wave",
    "waves": "wave",
}
_NOMINAL = re.compile(
    r"(?:(?:do|make|give|perform|have|show|try|execute|offer|how about|what about|i want|i need|i would like|i "
    r"would love|let us have"
    r"|can i get|can i have|can i see|could i get|may i have|could i have|may i see|let me see|let us see|i want "
    r"to see|time for"
    r"|i would like to see|i would love|i would appreciate to see|followed by|answer with|respond with|reply with"
    r"|greet (?:me|us"
    r"|them) with|say hello with"
    r"|say goodbye with|finish with|end with|start with)"
    r" )?(?:(?:me|us|it|them|everyone|everybody|the audience|him|her) )?"
    r"(?P<count>a|an|another|some|one|the|your|your best|\d+|1 more|2 more|a single|a double)"
    r" (?P<how>(?:(?:quick|slow|little|small|big|nice|friendly|tiny|short|gentle|fast|polite|good|proper|firm"
    r"|cheerful|warm|happy"
    r"|enthusiastic|simple|single|double|more|clear|short|brief|cute|approving|vigorous|lovely|strong|rapid|head"
    r"|yes|no) ){0,3})"
    r"(?P<what>nods?|shakes?|headshakes?|waves?|shrugs?|peekaboo)(?P<rest>(?: .+)?)"
)
_NO_MATTER = re.compile(
    r"\b(?:head|yes|no|friendly|approving|polite|good|proper|lovely|warm|cute|cheerful|happy|firm|simple|single|double"
    r"|clear|brief|short|nice|big|little|small|tiny|more)\b"
)
_OF_HEAD = re.compile(r" ?(?:of|with) (?:the|your|its) (?:head|antennas?|hand)")
_NOD_TAIL = re.compile(
    r"(?:(?:your|the) (?:head|antennas?|hand|arm)|yes|no|in agreement|in approval|approvingly|in disagreement"
    r"|disapprovingly|to say yes"
    r"|to say no|for yes|for no|to agree|to disagree|like you agree|like you disagree|as if you agree|to show you "
    r"understand|at me|at us"
    r"|if you agree|up and down|from side to side|left and right|side to side|to confirm|in response|hello|hi"
    r"|goodbye|bye|bye bye"
    r"|good bye|to say hello|to say hi|to say goodbye|to say bye|to greet (?:me|us|everyone)|with (?:your|the) "
    r"(?:left |right )?"
    r"(?:antennas?|head|hand)|happily)(?= |$)"
)
_TO_WHOM = re.compile(
    r"(?:to|at) (?:(?:the|my|our|all|this|that) )?[^\W\d]+(?: (?!slowly|quickly|fast|gently)[^\W\d]+){0,3}(?= |$)"
)


@BOOK.rule
def gesture(clause: Clause, setting: Setting) -> Answer:  # noqa: ARG001
    """ "nod twice", "shake your head slowly", "wave goodbye to Anna", "give me three quick nods"."""
    text = clause.core.text
    times: int | None = None
    if found := _NOMINAL.fullmatch(text):
        what = found["what"]
        count = found["count"].split()[0]
        times = int(count) if count.isdigit() else {"single": 1, "a": None}.get(count)
        if (count == "a" and "single" in text) or count == "another":
            times = 1
        if "double" in found["how"]:
            times = 2
        if count in ("a", "an", "the") and what in ("nods", "shakes", "waves"):
            return None
        how = _NO_MATTER.sub("", found["how"])
        rest = _OF_HEAD.sub("", how + found["rest"], count=1).split()
        tool = GESTURES.get(what) or ("shrug" if what.startswith("shrug") else "peekaboo")
        if "no" in found["how"].split() and tool == "nod":
            return None
    else:
        words = clause.core.words
        tool = GESTURES.get(words[0], "") if words and not words[0].endswith("s") else ""
        if not tool:
            return None
        rest = list(words[1:])
    if tool in ("shrug", "peekaboo"):
        return Step("play_move", {"name": tool}, clause.core.as_said()) if not rest else None
    return _gesture(tool, rest, times, clause)


def _gesture(tool: str, rest: list[str], times: int | None, clause: Clause) -> Answer:
    tail = _NOD_TAIL.sub("", " ".join(rest))
    if tool == "wave" or re.search(r"(?:to|at) (?:me|us|everyone|everybody|him|her|them)\b", tail):
        tail = _TO_WHOM.sub("", tail.strip())
    words = tail.split()
    if "antennas" in words or "antenna" in words or "ears" in words:
        return None
    manner = Manner.of(words)
    if manner.strange or manner.directions or manner.degrees is not None:
        return None
    times = manner.times or times or (int(manner.bare) if manner.bare and manner.bare >= 1 else None)
    if manner.hold_s:
        times = max(1, round(manner.hold_s))
    args: dict[str, Any] = {}
    note = ""
    if times is not None:
        args["times"] = min(times, MOST_TIMES)
        note = f"{MOST_TIMES} times is the most I do at once." if times > MOST_TIMES else ""
    if manner.speed and manner.speed != "normal":
        args["speed"] = manner.speed
    return Step(tool, args, clause.core.as_said(), note)


@BOOK.pattern(
    r"say yes (?:with|by) (?:your head|using your head|moving your head|a nod)|(?:express|show) (?:agreement"
    r"|approval) with your head",
    r"answer yes without (?:words|speaking)|move your head (?:up and down|to say yes|as a yes)|agree with me"
    r"|agree|bob your head(?: up and down)?",
)
def yes(match: Match) -> Answer:
    return Step("nod", {}, match.said.as_said())


@BOOK.pattern(
    r"say no (?:with|by) (?:your head|using your head|moving your head)|move your head (?:to say no|as a no)",
    r"answer no without (?:words|speaking)|move your head (?:from side to side|side to side|left and right "
    r"quickly)|disagree with me|disagree",
)
def no(match: Match) -> Answer:
    return Step("shake", {}, match.said.as_said())


@BOOK.pattern(
    r"(?:say|tell) (?:hello|hi|goodbye|bye|bye bye|good bye) (?:with|by|using) (?:your |a |an |one )?(?:antennas?"
    r"|wave|waving|hand|body).*",
    r"(?:say|wave|tell) (?:hello|hi|goodbye|bye|good bye)? ?(?:to|at) (?:the |my |our )?[^\W\d]+(?: [^\W\d]+)?"
    r" (?:with|by|using) (?:your |a |an )?(?:antennas?|wave|waving|body)",
    r"greet (?:me|us|everyone|everybody|them|him|her|the (?:guests|visitors|audience|kids|class|people)|my "
    r"[^\W\d]+)(?: with a wave)?",
)
def hello(match: Match) -> Answer:
    return Step("wave", {}, match.said.as_said())


@BOOK.pattern(r"(?:shrug|shrug your shoulders|do a shrug|give (?:me|us) a shrug)")
def shrug(match: Match) -> Answer:
    return Step("play_move", {"name": "shrug"}, match.said.as_said())


@BOOK.pattern(
    r"(?:play |do |let us play )?(?:peekaboo|peek a boo)(?: with (?:me|us|the (?:baby|kids|child|children)))?"
    r"|play hide and seek"
)
def peekaboo(match: Match) -> Answer:
    return Step("play_move", {"name": "peekaboo"}, match.said.as_said()) if "hide" not in match[0] else None
