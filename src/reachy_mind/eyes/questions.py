"""Parses questions about a picture with rules. A question that no rule matches is `open`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from reachy_mind.eyes import colours
from reachy_mind.eyes.object_names import ANYTHING, PEOPLE, canonical, plain, singular

Kind = Literal[
    "what", "describe", "is_there", "count", "colour", "is_colour", "where", "beside", "nearest", "text", "open"
]
Side = Literal["", "left", "right"]
IT = frozenset(("it", "that", "this", "them", "they", "he", "she", "that thing", "this thing", "that one", "this one"))


@dataclass(frozen=True, slots=True)
class SceneQuestion:
    """`name`: the object asked about, in the singular; empty for everything. `colour` and `side` narrow it."""

    kind: Kind
    name: str = ""
    colour: str = ""
    side: Side = ""


_COLOUR = f"(?P<colour>{'|'.join((*colours.COLOURS, *colours.SYNONYMS))})"
_SHORT = {
    "WHAT": r"(?:(?:say|list|explain) )?(?:what|which)(?: (?:things|objects|items))?(?: else| all)?",
    "SEE": r"(?:(?:do|can|could) you (?:see|recogni[sz]e|spot)|you (?:can )?see|are you (?:seeing|looking at))",
    "THING": r"(?P<thing>[\w' -]{1,60}?)",
    "SIDE": r"(?:on|to|at) (?:the|your) (?P<side>left|right)(?: side| hand side)?",
    "PLACE": (
        r"(?:(?:on|in|at) (?:the|this|that) (?:table|desk|floor|shelf|room|picture|photo|image|view|scene)"
        r"|(?:in front of|around|near|next to|behind) you|in view|here|there|visible)"
    ),
}
"""Macros in the patterns below."""
_READ: dict[Kind, tuple[str, ...]] = {
    "text": (
        r"(?:what|which (?:words?|text)) (?:does|do|is|did) .{0,40}\b(?:say|says|written|read)(?: .{0,30})?",
        r"(?:can you )?read .{1,60}",
        r"what (?:is the )?(?:text|words?|writing)(?: .{0,40})?",
        r"(?:is there|SEE) (?:any |some |a |the )?(?:text|writing|words?|sign|letters)(?: .{0,40})?",
    ),
    "nearest": (
        (
            r"(?:what|which|who)(?: thing| object| one| of them)?(?: is| are)?(?: the)? (?:nearest|closest)"
            r"(?: (?!to )THING)?(?: to (?:you|us|the robot))?"
        ),
    ),
    "count": (r"(?:how many|count|count (?:all )?the|the number of) (?:of )?THING",),
    "colour": (
        r"(?:what|which) colou?rs? (?:is|are|has|have|does) THING(?: have)?",
        r"(?:what|which) colou?r THING (?:is|are|has)",
        r"(?:what is )?the colou?r of THING",
    ),
    "is_colour": (rf"(?:is|are) (?!there)THING {_COLOUR}",),
    "beside": (
        (
            r"(?:what|who|which thing)(?: (?:is|are|stands|lies))? (?:(?:to|on) the )?(?P<side>left|right)(?: side)? "
            r"(?:of|from) THING"
        ),
        r"(?:is there )?(?:anything|something|what|who)(?: is| stands| lies)? (?:next to|beside|near) THING",
    ),
    "where": (
        r"where (?:is|are|do you see|can you see|did you see|is there) THING",
        r"where THING (?:is|are)",
        r"how (?:far|near|close)(?: away)? (?:is|are) THING(?: away)?(?: (?:from|to) (?:you|us|me))?",
        r"how (?:far|near|close)(?: away)? THING (?:is|are)(?: away)?(?: (?:from|to) (?:you|us|me))?",
        r"(?:on )?which side is THING(?: on)?",
    ),
    "what": (
        r"WHAT SEE(?: SIDE)?(?: .{0,40})?",
        r"WHAT (?:is|are|lies|stands)(?: the (?:thing|object|one))? SIDE",
        r"WHAT (?:is|are) (?:PLACE|this|that)(?: PLACE)?",
        r"(?:name|list|identify|find|detect) (?:all |the |every )*(?:things?|objects?|items?)(?: .{0,40})?",
        r"look(?: around)?",
    ),
    "is_there": (
        r"(?:(?:is|are) there|SEE|have you (?:seen|got)|any|is there still) THING",
        r"(?:if|whether) (?:there (?:is|are)|you (?:can )?see) THING",
        r"(?:is|are) THING (?:still )?PLACE",
    ),
    "describe": (
        r"(?:describe|analy[sz]e|inspect|examine|tell (?:me|us) about|look at)(?: .{0,60})?",
        r"what (?:does|do) .{1,40} look like(?: .{0,20})?",
        r"what THING looks? like(?: .{0,20})?",
        r"what is (?:going on|happening)(?: .{0,40})?",
    ),
}
"""The first match counts."""


def _compiled(expression: str) -> re.Pattern[str]:
    for short, long in _SHORT.items():
        expression = expression.replace(short, long)
    return re.compile(expression)


_RULES = [(kind, _compiled(expression)) for kind, forms in _READ.items() for expression in forms]
_LISTING = re.compile(
    r"(?:please )?(?:list|name|enumerate) (?:(?:all|the|every|of|visible|detected) )*(?:objects?|things?|items?)"
    r"(?: (?:you see|that you see|visible|in view|here|(?:on|in) the [a-z]+))?[.!]?"
)
_PEOPLE = re.compile(
    r"(?:who|is (?:any|some)(?:one|body)|(?:do|can) you see (?:me|us|any(?:one|body)|some(?:one|body))"
    r"|am i visible|are we visible)\b.{0,60}"
)
_LEADING = re.compile(
    r"^(?:(?:please|so|and|now|hey|ok|okay|then|well|reachy|(?:can|could) you tell (?:me|us)"
    r"|tell (?:me|us)(?! about)|look and)[, ]+)+"
)
_TRAILING = re.compile(
    r"(?: (?:now|please|there|here|right now|you|in view|at all|on it|do|can|are|is|you see|are there|do you see"
    r"|can you see|in front of you|on the (?:table|desk|floor|shelf)"
    r"|in (?:the|this|that) (?:room|picture|photo|image|scene|view)|anywhere|around"
    r"|around you|near you|next to you|behind you))+$"
)


def read(text: str, about: str = "") -> SceneQuestion:
    """Parse a question. `about`: the object mentioned last, which "it" stands for."""
    said = re.sub(r"[^\w' -]+", " ", text.casefold().replace("\u2019", "'"))
    said = re.sub(r"\b(what|where|who|that|there|it)'s\b", r"\1 is", said)
    said = _LEADING.sub("", " ".join(said.split()))
    if _PEOPLE.fullmatch(said):
        return SceneQuestion("count" if said.startswith("who") else "is_there", PEOPLE)
    for kind, rule in _RULES:
        if found := rule.fullmatch(said):
            return _build(kind, found.groupdict(), about)
    return SceneQuestion("open")


def asks_for_list(text: str) -> bool:
    """Whether a request is for a plain list of the objects: "list objects", "name all things in the picture"."""
    return _LISTING.fullmatch(" ".join(text.casefold().split())) is not None


def _build(kind: Kind, groups: dict[str, str | None], about: str) -> SceneQuestion:
    name, own = subject(groups.get("thing") or "", about)
    colour = colours.canonical_colour(groups.get("colour") or "") or own
    side: Side = "left" if groups.get("side") == "left" else "right" if groups.get("side") else ""
    if kind == "is_there" and not name and not colour:
        kind = "what"
    return SceneQuestion(kind, name, colour, side)


def subject(named: str, about: str = "") -> tuple[str, str]:
    """The object name in some words, in the singular (empty for anything), and its colour."""
    words = _TRAILING.sub("", f" {named}").strip()
    if words in IT:
        return about, ""
    words = plain(words)
    if words in IT:
        return about, ""
    colour = ""
    kept = []
    for word in words.split():
        if (one := colours.canonical_colour(word)) and not colour:
            colour = one
        else:
            kept.append(word)
    name = singular(" ".join(kept))
    if name in ANYTHING or canonical(name) in ANYTHING:
        name = ""
    return name, colour
