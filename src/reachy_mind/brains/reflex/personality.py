"""Being somebody else: "be a poet", "switch to the teacher personality", "be yourself again".

Names are the user's as well, so they are given with the question. A plain "be ..." counts only for one of them: people
also say "be happy", and "be careful".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from reachy_mind.brains.reflex.plan import Plan, Step, Talk
from reachy_mind.brains.reflex.tokens import Spoken

LONGEST = 120
"""Characters of a sentence that is about this and nothing else."""
MOST_WORDS = 3
"""Of a name."""
DEFAULT = "default"

_THE = r"(?:(?:the|a|an|your|my|our|that|some) )?"
_KIND = r"(?:personality|personalities|profile|persona|character|mode|role|self)"
_TAKE = "use|load|activate|select|choose|take|try"
_NAMED = (
    rf"(?:switch|change|go|turn|move)(?: (?:back|over))?(?: your {_KIND})? (?:to|into) {_THE}(?P<name>\S.*?) {_KIND}",
    rf"(?:switch|change|set|turn)(?: back)?(?: your| the)? {_KIND} (?:to|into) {_THE}(?P<name>\S.*)",
    rf"(?:{_TAKE}|put on|play|become|be|show (?:me|us)|give (?:me|us)) {_THE}(?P<name>\S.*?) {_KIND}",
    rf"(?:{_TAKE}) {_THE}{_KIND} (?:called |named )?(?P<name>\S.*)",
    r"(?:wechs(?:le|el)|schalte) (?:zur?|auf) (?:personlichkeit|persönlichkeit) (?P<name>\S.*)",
    r"(?:prends|passe a|passe à) la personnalit(?:e|é) (?P<name>\S.*)",
    r"(?:cambia a|usa) la personalidad (?P<name>\S.*)",
)
_PLAIN = (
    rf"(?:be|become|play|(?:act|talk|speak|behave) (?:as|like)|pretend to be) {_THE}(?P<name>\S.*)",
    rf"(?:turn into|switch to|change to|transform into) {_THE}(?P<name>\S.*)",
    rf"i (?:want|would like|need) you (?:to be|as) {_THE}(?P<name>\S.*)",
    r"(?:sei|werde)(?: (?:ein|eine|der|die|das|mein|meine))? (?P<name>\S.*)",
    r"(?:sois|deviens)(?: (?:un|une|le|la|mon|ma))? (?P<name>\S.*)",
    r"(?:se|sé|conviertete en|conviértete en)(?: (?:un|una|el|la|mi))? (?P<name>\S.*)",
)
_YOURSELF = (
    r"be (?:yourself|normal|reachy|your (?:own|usual|normal|old) self)(?: again)?",
    rf"(?:go|switch|change|turn) back to (?:normal|yourself|being yourself|{_THE}(?:usual|normal|default|old) {_KIND})",
)
_MANY = "(?:personalities|profiles|personas|characters)"
_WHICH = (
    rf"(?:which|what|how many)(?: other)? {_MANY} (?:do you (?:have|know)|have you|are there|can you (?:be|play))",
    rf"(?:list|show(?: me| us)?|tell (?:me|us))(?: all)? {_THE}{_MANY}",
    r"who (?:else )?(?:can|could) you be|(?:which|what) personality (?:do you have|are you|is this|is active)(?: now)?",
)
_CLEARLY = re.compile(r"\b(?:personality|profile|persona|personnalité|personalidad|persönlichkeit)\b")
"""Words that are about this whatever name comes with them: an unknown one is then told to be unknown."""
_NO_NAMES = frozenset(
    ("my", "your", "the", "this", "a", "another", "other", "new", "user", "different", "what", "which")
)
_HEAD = re.compile(
    r"(?:(?:hey|hi|hello|okay|ok|so|now|well|then|yes|please|kindly|just|reachy|robot|buddy|[,.!:]|go ahead and|try to"
    r"|(?:can|could|would|will) you|i (?:want|need|would like) you to(?! be\b)|why do not you|it is time to"
    r"|you (?:can|could|should|may|must)(?: now)?) )+"
)
_NEGATED = re.compile(r"\b(?:not|never|no need to|refrain from|avoid)\b")
_TAIL = re.compile(
    r"(?: (?:[,.!?]|please|thanks|reachy|now|again|instead|for (?:me|us|a while|a bit|a moment)|from now on|today"
    r"|tonight))+$"
)


MOST_NAMED = 4
"""Personalities that are told to who wants one that there is not."""
_ROLE = re.compile(
    r"(?:become|act (?:as|like)|talk like|speak like|behave like|pretend to be|turn into|transform into|be(?= an? ))"
    r" (?:an? |the )?(?P<name>\w+)"
)
_KINDS = re.compile(
    r"^(?:bit|little|good|nice|dear|friend|sport|robot|statue|you|me|it|human|happy|sad|angry|quiet"
    r"|calm|still|silent|\w+(?:er|ed|y|ful))$"
)
"""What is no role: "be a bit quieter"."""


def plan(text: str, names: Callable[[], Sequence[str]]) -> Plan | None:
    """What to do about a sentence that is about who the robot is; None for any other."""
    if len(text) > LONGEST:
        return None
    said = Spoken.of(text).text
    head = _HEAD.match(said)
    words = _TAIL.sub("", said[head.end() :] if head else said)
    if _NEGATED.search(words):
        return None
    if any(re.fullmatch(pattern, words) for pattern in _WHICH):
        return Plan((Step("list_personalities", {}, text),))
    if (role := _ROLE.fullmatch(words)) and not _known(role["name"], names()) and not _KINDS.search(role["name"]):
        some = [name.replace("_", " ") for name in names() if name not in (DEFAULT, "example")][:MOST_NAMED]
        if some:
            return Plan((Talk("@role", text, "no_such_role", ", ".join(some)),))
    if name := _wished(words, names):
        keep = {"keep": True} if "from now on" in text.casefold() else {}
        return Plan((Step("set_personality", {"name": name, **keep}, text),))
    return None


def _wished(words: str, names: Callable[[], Sequence[str]]) -> str:
    """Who to be; empty when that is not what was said."""
    if any(re.fullmatch(pattern, words) for pattern in _YOURSELF):
        return DEFAULT
    for patterns, clearly in ((_NAMED, bool(_CLEARLY.search(words))), (_PLAIN, False)):
        for pattern in patterns:
            if (found := re.fullmatch(pattern, words)) is None:
                continue
            said = found["name"].strip()
            if known := _known(said, names()):
                return known
            if clearly and said not in _NO_NAMES and len(said.split()) <= MOST_WORDS:
                return said
    return ""


def _known(said: str, names: Sequence[str]) -> str:
    """The name that is meant, which may be said with a word too many: "grumpy robot" for `grumpy`."""
    word = re.sub(r"[\s-]+", "_", said.casefold())
    bare = word.removesuffix("_robot").removesuffix("_personality")
    by_form = {name.replace("-", "_"): name for name in names}
    return by_form.get(word) or by_form.get(bare) or by_form.get(f"{word}_robot") or ""
