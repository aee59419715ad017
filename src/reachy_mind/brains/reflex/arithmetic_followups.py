"""Sums that go on from the last one: "now add ten", "and times two?", "half of that"."""

from __future__ import annotations

import re
from functools import cache

from reachy_mind.brains.reflex import arithmetic, quantities, word_problems
from reachy_mind.brains.reflex.tokens import Spoken
from reachy_mind.brains.word_lists import alternatives
from reachy_mind.models.wordpiece import without_accents
from reachy_mind.profiles.phrasebook import LANGUAGES, book

LONGEST = 60
_IT = r"(?: (?:it|that|this|the result|ca|cela|le resultat|eso|esto|lo|das|es|davon|dieses))?"
_OPENING = re.compile(
    r"^(?:(?:and|now|then|ok|okay|so|please|what is|what about|what's|how much is|that|it|et|maintenant|puis|alors"
    r"|combien font|y|ahora|luego|cuanto es|und|jetzt|dann|nun|was ist|wie viel ist|das|ca|eso) )*"
)
_WITH_NUMBER = {
    "+": rf"(?:plus|add|increased by|more|ajoute[sz]?|mas|suma(?:le)?|anade(?:le)?|addiere|zahle|rechne plus){_IT}",
    "-": rf"(?:minus|less|take away|subtract|take off|decreased by|moins|enleve[sz]?|retire"
    rf"|menos|resta(?:le)?|quita(?:le)?|weniger|ziehe?|subtrahiere){_IT}",
    "*": rf"(?:times|multiplied by|multiply{_IT} by|multiply{_IT} with|fois"
    rf"|multiplie{_IT}(?:-le)? par|por|multiplica(?:lo)? por|mal|multipliziere?{_IT} mit){_IT}",
    "/": rf"(?:divided by|divide{_IT} by|over|divise{_IT}(?:-le)? par|divisee? par"
    rf"|dividido (?:por|entre)|dividelo (?:por|entre)|entre|durch|geteilt durch|teile?{_IT} durch){_IT}",
}
_CLOSING = r"(?: (?:to (?:it|that)|from (?:it|that)|more|please|dazu|hinzu|davon ab|ab|a eso|de eso))*"
_WHOLE = {
    "/2": alternatives(
        r"""
        (?:half|a half)(?: of)? (?:that|it|this)|halve (?:it|that)|(?:la )?moitie(?: de ca)?|(?:la )?mitad(?: de eso)?
        (?:die )?halfte(?: davon)?
        """
    ),
    "/3": r"a third of (?:that|it)|(?:le|un) tiers(?: de ca)?|un tercio(?: de eso)?|ein drittel(?: davon)?",
    "/4": r"(?:a )?quarter of (?:that|it)|(?:le|un) quart(?: de ca)?|un cuarto(?: de eso)?|ein viertel(?: davon)?",
    "*2": alternatives(
        r"""
        (?:double|twice) (?:that|it)|doubled|le double(?: de ca)?|el doble(?: de eso)?|doblalo|das doppelte(?: davon)?
        verdopple (?:es|das)
        """
    ),
    "*3": r"triple (?:that|it)|tripled|le triple|el triple(?: de eso)?|das dreifache(?: davon)?",
    "** 0.5": r"(?:the )?square root(?: of (?:that|it))?|(?:la )?racine(?: carree)?(?: de ca)?"
    r"|(?:la )?raiz(?: cuadrada)?(?: de eso)?"
    r"|(?:die )?(?:quadrat)?wurzel(?: davon| daraus)?",
    "**2": r"squared|square (?:it|that)|au carre|al cuadrado|(?:zum|im|hoch) (?:quadrat|2|zwei)",
}
_SUBJECT = r"(?:and |then |if |i |you |we |he |she |they |also |later |now )*"
_TOLD = {
    "+": rf"{_SUBJECT}(?:then )?(?:buy|buys|get|gets|find|finds|receive|receives|pick|bake|win|wins|earn|add"
    rf"|adds)(?: up)?",
    "-": rf"{_SUBJECT}(?:then )?(?:give away|give|gives away|lose|loses|eat|eats|sell|sells|spend|spends|drop|drops"
    rf"|use|uses)",
}
"""What happens next in a little story: "and if I then buy three?"."""
_NUMBER = r"-?\d+(?:[.,]\d+)?"


_PERCENT = re.compile(
    rf"^\W*(?:and|et|y|und|what about)? ?(?P<number>{_NUMBER}) ?(?:%|percent|prozent|pour ?cent"
    rf"|por ?ciento)\W*$",
    re.I,
)
_PERCENTAGE = re.compile(rf"{_NUMBER}(?P<sign> ?(?:%|percent|prozent|pour ?cent|por ?ciento))", re.I)


def continued(text: str, said: str, reply: str) -> tuple[str, str]:  # noqa: PLR0911 -- the first that fits
    """The sum that a text makes with the result of the last one, and its language; empty when it makes none.

    `said` and `reply`: the turn before.
    """
    if len(text) > LONGEST:
        return "", ""
    result, language = _result(said, reply)
    if not result:
        return "", ""
    if percent := _PERCENT.match(text):
        again = _PERCENTAGE.sub(lambda old: f"{percent['number']}{old['sign']}", said, count=1)
        return (again, language) if again != said else ("", "")
    plain = without_accents(text.replace("\u2019", "'")).strip(" .!?,\u00bf\u00a1").replace(",", "")
    asked = _OPENING.sub("", plain, count=1)
    for operation, words in _WHOLE.items():
        if re.fullmatch(rf"(?:{words})(?: please)?", asked):
            return f"{result} {operation}", language
    for operation, words in _TOLD.items():
        if found := re.fullmatch(
            rf"(?:{words}) (?P<number>\w+)(?: (?:more|again|of them|weitere|mas"
            rf"|de plus))*",
            asked,
        ):
            number = _whole_number(found["number"], language)
            return (f"({result}) {operation} {number}", language) if number else ("", "")
    for operation, words in _WITH_NUMBER.items():
        if found := re.fullmatch(rf"(?:{words}) (?P<number>[\w. -]+?){_CLOSING}", asked):
            number = _whole_number(found["number"], language)
            return (f"({result}) {operation} {number}", language) if number else ("", "")
    return "", ""


def _whole_number(text: str, language: str) -> str:
    """A number that the words are, and nothing else."""
    if len(text.split()) > 5:
        return ""
    found = re.fullmatch(rf"\s*({_NUMBER})\s*", Spoken.of(quantities.english(text, language)).text)
    return found[1] if found else ""


def _result(said: str, reply: str) -> tuple[str, str]:
    """The number of the last reply, where that was a sum."""
    for language in LANGUAGES:
        for way in _ways(language):
            if found := re.fullmatch(way, reply.strip()):
                return found[1].replace(",", "."), language
    numbers = re.findall(rf"(?<![\w.]){_NUMBER}(?!\w)", reply)
    if len(set(numbers)) == 1:
        for language in LANGUAGES:
            if arithmetic.answer(said, language) or word_problems.answer(said, language):
                return str(numbers[0]).replace(",", "."), language
    return "", ""


@cache
def _ways(language: str) -> tuple[str, ...]:
    escaped = (re.escape(str(way)) for way in book(language)["arithmetic"])
    return tuple(way.replace(re.escape("{answer}"), rf"({_NUMBER})(?: \w+)?") for way in escaped)
