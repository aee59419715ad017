"""Dances, by name or any, and recorded moves."""

from __future__ import annotations

import re
from typing import Any

from reachy_mind.brains.phrases import lines
from reachy_mind.brains.plan import Step, Words
from reachy_mind.brains.rules.feelings import emotion_of
from reachy_mind.brains.rules.rule import Answer, Match, Rulebook
from reachy_mind.motion.library.dances import DANCES, MOST_REPEATS

BOOK = Rulebook()


_OTHER_NAMES = {
    "two_step": "2 step|twostep",
    "figure_eight": "figure 8|figure of 8|figure of eight|figure eights|figure 8s",
    "robot_pop": "robot|robot dance|robotic|robotpop",
    "rocker": "rock|rock and roll|headbang|headbanging|rocknroll|rocking",
    "waltz": "waltzes|viennese waltz",
    "ripple": "ripples",
    "semaphore": "semaphores",
    "conga": "conga line",
}
_DANCE_NAMES: dict[str, str] = {name.replace("_", " "): name for name in DANCES} | {
    other: name for name, others in _OTHER_NAMES.items() for other in lines(others)
}
_NAMED = "|".join(sorted((re.escape(name) for name in _DANCE_NAMES), key=len, reverse=True))
_HOW_MANY = r"(?P<often>(?: \d+(?: more)? times| for \d+ (?:seconds|minutes)| for a while| all night| a lot| a bit)?)"
_TO = (
    r"(?: (?:to|with|for) (?:me|us|the (?:music|beat|rhythm|song)|this (?:song|music)|everyone|my friends|some music"
    r"|my [^\W\d]+))?"
)
_ADVERBS = (
    r"(?: (?:around|happily|a little|a bit|something|some|slowly|quickly|freely|like nobody is watching|like "
    r"nobodys watching|like no one is watching|like crazy|now"
    r"|along|like a robot))?"
)


def _danced(match: Match, name: str) -> Step:
    args: dict[str, Any] = {"name": name}
    often = match["often"].split()
    if "times" in often:
        args["repeat"] = min(max(int(float(often[0])), 1), MOST_REPEATS)
    elif often[:1] == ["for"] and often[1].isdigit():
        seconds = int(often[1]) * (60 if "minutes" in often else 1)
        args["repeat"] = min(max(round(seconds / 10), 1), MOST_REPEATS)
    return Step("dance", args, match.said.as_said())


@BOOK.pattern(
    rf"(?:dance|do|see|perform|show me|show us|give me|give us|try|play|start|let me see|let us see|i want|i want to "
    rf"see|i would like to see|let us do"
    rf"|let us dance|how about|what about|can i see|can we see|i would love to see)?"
    rf" ?(?:the |a |an |your |me the |me a |us a |some |another |your best |1 |1 more )?(?:little |quick |nice "
    rf"|short |bit of |famous |proper )?"
    rf"(?P<name>{_NAMED})(?: dance| dance move| move| routine)?{_TO}{_HOW_MANY}{_TO}",
    rf"dance (?:like|as) (?:a |an )?(?P<name>robot|rocker){_HOW_MANY}",
    rf"dance (?:to |in )(?:the |a |some )?(?P<name>{_NAMED})(?: music| style)?{_HOW_MANY}",
    rf"(?:do|perform|dance|show me|play|try) (?:a |the |your )?dance (?:called |named )?(?:the "
    rf")?(?P<name>{_NAMED}){_HOW_MANY}",
    rf"(?P<name>headbang|rock) ?(?:out|on)?{_TO}{_HOW_MANY}",
)
def named_dance(match: Match) -> Answer:
    text = match[0].strip()
    if text in ("robot", "rock", "a robot", "the robot", "1 robot", "figure 8") or text.startswith(
        ("show me the robot", "play rock")
    ):
        return None
    if match["name"] == "robot" and not re.match(r"(?:dance|do)\b", text) and "dance" not in text:
        return None
    return _danced(match, _DANCE_NAMES[match["name"]])


@BOOK.pattern(
    rf"(?:dance|boogie|groove|bust a move|break it down|shake it|jam|get your groove on|break into dance"
    rf"|dance away){_ADVERBS}{_TO}"
    rf"{_HOW_MANY}{_TO}{_ADVERBS}",
    rf"(?:do|see|perform|show me|show us|give me|give us|try|play|start|let me see|let us see|have|make|i want|i want "
    rf"to see|i would like to see|time for"
    rf"|let us have|how about|what about|can i see|can we see|can i get|can i have|i would like|i would love to "
    rf"see|i need|may i see|may i have)?"
    rf" ?(?:a |an |your |some |any |another |me a |us a |the |one |1 |\d+ )(?:(?:little|quick|silly|funny|random"
    rf"|nice|short|happy|crazy|cool|fun|small|"
    rf"big|best|great|new|favorite|different|good|other|victory|celebratory|celebration|funky|cute|joyful|wild) "
    rf"){{0,2}}"
    rf"(?:dance|dances|dancing|dance moves?|moves|dance routine|boogie){_TO}{_HOW_MANY}{_TO}",
    rf"(?:dance|do) (?:a |any |something |some )?(?:random|anything|whatever you like|any dance you like"
    rf"|whatever)(?: dance)?{_HOW_MANY}",
    rf"show (?:me|us) (?:how you (?:dance|move)|what you (?:have|got)|your (?:best )?(?:dance )?moves|you can "
    rf"dance){_HOW_MANY}",
    rf"(?:entertain (?:me|us)|surprise (?:me|us)|do (?:a|your best) trick|show (?:me|us) (?:a trick|something "
    rf"(?:cool|fun))){_HOW_MANY}",
    rf"(?:hit the dance ?floor|let us (?:dance|party|boogie)|do (?:some|a bit of) dancing){_HOW_MANY}",
)
def any_dance(match: Match) -> Answer:
    step = _danced(match, "random")
    if count := re.search(r"\b(\d+) (?:\w+ )?dances\b", match[0]):
        step.args["repeat"] = min(max(int(count[1]), 1), MOST_REPEATS)
    return step


@BOOK.pattern(r"(?:dance|do) (?:the|a) (?P<name>[^\W\d]+)(?: dance)?|do (?:the|a) (?P<other>[^\W\d]+) dance")
def unknown_dance(match: Match) -> Answer:
    name = match.as_said("name") if match[0].startswith("dance") else match.as_said("other")
    if not name or emotion_of(name):
        return None
    return Words(f"I don't know the {name}. I can dance a waltz, a salsa, the twist and nine more.")


@BOOK.pattern(
    r"(?:play|perform|run|execute|replay|do|show me|show us) <the>(?P<name>[^\W\d]\w*(?: [^\W\d]\w*){0,3}) "
    r"(?:move|recording|routine|motion|clip)",
    r"(?:play|perform|run|execute|replay|do|show me|show us) <the>(?:recorded )?(?:move|recording|routine|motion|clip)"
    r" (?:called |named )?(?P<name>[^\W\d]\w*(?: \w+){0,3})",
)
def play_move(match: Match) -> Answer:
    name = match["name"]
    if set(name.split()) <= {
        "best",
        "nice",
        "cool",
        "dance",
        "funny",
        "random",
        "recorded",
        "same",
        "last",
        "favorite",
        "new",
    }:
        return Step("dance", {"name": "random"}, match.said.as_said()) if "dance" in name else None
    if dance := _DANCE_NAMES.get(name.removesuffix(" dance")):
        return Step("dance", {"name": dance}, match.said.as_said())
    return Step("play_move", {"name": name.replace(" ", "_")}, match.said.as_said())
