"""Questions about the speaker's own things, plans and tastes that what they told answers, in four languages.

"what colour is my car?" is answered by "my car is red", "when is my exam?" by "my exam is on Thursday", "where is my
passport?" by "I put my passport in the drawer", "do I like techno?" by "I hate techno". Nothing told is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reachy_mind.memory.answers import Answer
from reachy_mind.memory.name_words import DAYS
from reachy_mind.memory.normalization import plain, stem
from reachy_mind.memory.relation_words import RELATIONS
from reachy_mind.memory.sentences import second_person, sentence

LONGEST = 160
_MY = r"(?:my|our|the|mon|ma|mes|notre|la|le|mi|mis|nuestr[oa]|el|mein\w*|unser\w*|der|die|das)"
_COLOURS = (
    r"\b(?:red|green|blue|yellow|black|white|brown|gr[ea]y|orange|pink|purple|silver|gold(?:en)?|beige|turquoise"
    r"|rouge|verte?|bleue?|jaune|noire?|blanche?|gris\w*|marron|rose|violet\w*|roj[oa]|verde|azul|amarill[oa]|negr[oa]"
    r"|blanc[oa]|marr[oó]n|rosa|morad[oa]|rot\w*|grun\w*|blau\w*|gelb\w*|schwarz\w*|weiss\w*|braun\w*|grau\w*|lila)\b"
)
_TIME = (
    rf"\b(?:{'|'.join(sorted(DAYS))}|today|next (?:week|month|year)|in \w+ (?:days|weeks|months)|at \w+"
    rf"|\d{{1,2}}(?:st|nd"
    r"|rd|th)?|a \d+ ?h|um \w+|janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre"
    r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|januar|februar|marz"
    r"|juni|juli|oktober|dezember|spring|summer|autumn|winter|easter|christmas)\b"
)
_PLACE = (
    r"\b(?:in|on|under|behind|next to|beside|at|near|inside|dans|sur|sous|derriere|a cote|en|sobre|debajo|detras|auf"
    r"|unter|hinter|neben|im|am)\b"
)
_LIKES = r"\b(?:like|love|enjoy|adore|aime|adore|gustan?|encantan?|mag|liebe)\b"
_DISLIKES = (
    r"\b(?:hate|dislike|detest|stand|deteste|odio|hasse|not like|don t like|aime pas|no me gustan?|mag kein\w*)\b"
)
_ASKED = {
    "colour": re.compile(
        rf"\b(?:what|which) colou?r (?:is|are|was) {_MY} (?P<a>.+)$|\bde quelle couleur (?:est|sont) {_MY} (?P<b>.+)$"
        rf"|\bde que color (?:es|son) {_MY} (?P<c>.+)$|\bwelche farbe (?:hat|haben) {_MY} (?P<d>.+)$"
    ),
    "time": re.compile(
        rf"\b(?:when|what day|on what day|what time) (?:is|s|are|was) {_MY} (?P<a>.+)$|\bquand (?:est"
        rf"|a lieu) {_MY} (?P<b>.+)$"
        rf"|\bcuando (?:es|son) {_MY} (?P<c>.+)$|\bwann (?:ist|habe ich) {_MY} (?P<d>.+)$"
    ),
    "doing": re.compile(
        r"\bwhen (?:am i|are we) (?:getting |going to |to )?(?P<a>\w+)$|\bwhen (?:do|will|did) (?:i|we) (?P<b>\w+)$"
        r"|\bwhen (?:do|will|did) (?:i|we) (?P<c>\w+ (?:my|our|the) \w+)$"
    ),
    "place": re.compile(
        rf"\bwhere (?:is|are|did i (?:put|leave|park|hide)) {_MY} (?P<a>.+)$|\bou (?:est|sont"
        rf"|ai je mis) {_MY} (?P<b>.+)$"
        rf"|\bdonde (?:esta|estan|deje|puse) {_MY} (?P<c>.+)$|\bwo (?:ist|sind) {_MY} (?P<d>.+)$"
    ),
    "count": re.compile(
        r"\bhow many (?P<a>\w+) do (?:i|we) have$|\bcombien de (?P<b>\w+) (?:est ce que j ai|ai je|j ai)$"
        r"|\bcuant[oa]s (?P<c>\w+) tengo$|\bwie viele (?P<d>\w+) habe ich$"
    ),
    "trip": re.compile(
        r"\bwhere (?:are we|am i|do we|do i) (?:going|go|travell?ing|flying|off to|moving)\b|\bou (?:est ce qu on va"
        r"|allons nous)\b"
        r"|\badonde (?:vamos|voy)\b|\bwohin (?:fahren|fliegen|reisen|gehen) wir\b|\bwohin (?:fahre|fliege|reise"
        r"|gehe) ich\b"
    ),
    "origin": re.compile(
        r"\bwhere (?:am i|do i come) from\b|\bd ou (?:je viens|viens je|je suis|est ce que je viens)\b|\bde donde soy\b"
        r"|\bwoher (?:komme|bin) ich\b|\bwo komme ich (?:denn )?her\b"
    ),
    "allergy": re.compile(
        r"\bwhat (?:am i|are my) allerg\w+|\bam i allergic to (?P<a>.+)$|\ba quoi (?:est ce que )?je suis allergique\b"
        r"|\ba que soy alergic[oa]\b|\bwo(?:gegen|rauf) bin ich allergisch\b"
    ),
    "taste": re.compile(
        r"\bdo i (?:like|love|enjoy|hate) (?P<a>.+)$|\best ce que j aime (?P<b>.+)$|^me gustan? (?P<c>.+)$"
        r"|\bmag ich (?P<d>.+)$"
    ),
    "likes": re.compile(
        r"\bwhat (?:kinds? of |sort of )?(?:\w+ )?do i (?:like|love|enjoy)$|\bqu est ce que j aime$|\bque me gusta$"
        r"|\bwas mag ich$"
    ),
    "dislikes": re.compile(
        r"\bwhat (?:\w+ )?do i (?:hate|dislike|not like)$|\bqu est ce que je deteste$|\bwas hasse ich$"
    ),
}
_ARTICLES = frozenset("the a an some any le la les l un une des el los las una der die das den".split())  # noqa: SIM905


@dataclass(frozen=True)
class ThingQuestion:
    """`about`: the stem of the thing that is asked about, empty where the kind says it all."""

    kind: str
    about: str = ""


def read(text: str) -> ThingQuestion | None:
    """The question about the speaker's things, plans or tastes in a text; None where there is none."""
    said = re.sub(r"^(?:and|so|do you (?:know|remember)|can you tell me|et|y|und|weisst du|sais tu) ", "", plain(text))
    if len(said) > LONGEST:
        return None
    for kind, pattern in _ASKED.items():
        if (found := pattern.search(said)) is None:
            continue
        about = next((each for each in found.groupdict().values() if each), "")
        words = [word for word in about.split() if word not in _ARTICLES]
        of_others = bool(words) and words[0] in RELATIONS and kind != "count"
        if found.groupdict() and about and (not words or len(words) > 3 or of_others):
            return None  # "when is my sister's birthday" is about somebody
        return ThingQuestion(kind, stem(words[-1]) if words else "")
    return None


def is_about_oneself(text: str) -> bool:
    """Whether only what the speaker told about themselves can answer it: "what am I allergic to?"."""
    question = read(text)
    return question is not None and question.kind in ("origin", "allergy", "likes", "dislikes", "taste")


def answer(text: str, contents: Sequence[str]) -> Answer | None:
    """The answer from what the speaker told, newest first; None when there is none."""
    question = read(text)
    if question is None:
        return None
    tells: dict[str, Callable[[str], bool]] = {
        "colour": lambda said: _owns(said, question.about) and bool(re.search(_COLOURS, said)),
        "time": lambda said: _owns(said, question.about) and bool(re.search(_TIME, said)),
        "doing": lambda said: (
            bool(_SELF.match(said)) and question.about in _stems(said) and bool(re.search(_WHEN, said))
        ),
        "place": lambda said: _owns(said, question.about) and bool(re.search(_PLACE, said)),
        "count": lambda said: question.about in _stems(said) and bool(_COUNTED.search(said)),
        "trip": lambda said: bool(_GOING.search(said)),
        "origin": lambda said: bool(_ORIGIN.search(said)),
        "allergy": lambda said: bool(_ALLERGIC.search(said)) and (not question.about or question.about in _stems(said)),
        "taste": lambda said: _is_taste(said) and question.about in _stems(said),
        "likes": lambda said: _is_taste(said) and not re.search(_DISLIKES, said),
        "dislikes": lambda said: _is_taste(said) and bool(re.search(_DISLIKES, said)),
    }
    found = [content for content in contents if tells[question.kind](plain(content))]
    if not found:
        return None
    shown = found[:1] if question.kind not in ("likes", "dislikes", "allergy") else list(dict.fromkeys(found))[:4]
    told = " ".join(sentence(second_person(each)) for each in shown)
    if question.kind == "taste" or (question.kind == "allergy" and question.about):
        yes = question.kind == "allergy" or (re.search(_DISLIKES, plain(found[0])) is None) == (
            "hate" not in plain(text)
        )
        told = f"{'Yes' if yes else 'No'}, {told[:1].lower()}{told[1:]}"
    return Answer(told, known=True, content="; ".join(shown))


_GOING = re.compile(
    r"\b(?:i|we)\b.*\b(?:going|travell?ing|flying|off|moving) to (?!bed|work|school)\w+|\b(?:on|nous) (?:va|allons"
    r"|part|partons)\b"
    r"|\bvamos a\b|\bwir (?:fahren|fliegen|reisen)\b|\bich (?:fahre|fliege|reise)\b"
)
_COUNTED = re.compile(
    r"^(?:i|we|j|je|tengo|ich)\b.*\b(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|no|une?|deux|trois"
    r"|quatre|cinq"
    r"|un[ao]?|dos|tres|cuatro|cinco|eine?n?|zwei|drei|vier|funf)\b"
)
_SELF = re.compile(r"^(?:i|we|i m|we re)\b")
_WHEN = rf"{_TIME}|\b(?:next|last|in) \w+\b"
_ORIGIN = re.compile(
    r"^(?:i am from|i m from|i come from|je viens de|je suis de|soy de|vengo de|ich komme aus|ich bin aus)\b"
)
_ALLERGIC = re.compile(r"^(?:i|je|soy|ich|j)\b.*\b(?:allerg|alergic)")


def _owns(said: str, noun: str) -> bool:
    """Whether a statement is about a thing of the speaker's own: "my car", not "my wife's car"."""
    words = said.split()
    places = [at for at, word in enumerate(words) if stem(word) == noun]
    return any(not any(word in RELATIONS for word in words[max(0, at - 3) : at]) for at in places)


def _is_taste(said: str) -> bool:
    own = re.match(r"(?:i|je|j|me|no me|odio|ich|we)\b", said)
    return bool(own) and bool(re.search(_LIKES, said) or re.search(_DISLIKES, said))


def _stems(said: str) -> set[str]:
    return {stem(word) for word in said.split()}
