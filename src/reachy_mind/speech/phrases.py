"""Phrases of spoken conversations: calling the robot, yes and no, acknowledgements."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

ACKNOWLEDGEMENTS = {
    "en": ("Okay.", "Sure.", "Right."),
    "fr": ("D'accord.", "Bien sûr."),
    "es": ("Vale.", "Claro."),
    "de": ("Okay.", "Klar."),
}
LISTENING = {"en": "Yes?", "fr": "Oui ?", "es": "¿Sí?", "de": "Ja?"}
DID_YOU_SAY = {
    "en": 'Did you say "{text}"?',
    "fr": "Vous avez dit « {text} » ?",
    "es": "¿Ha dicho «{text}»?",
    "de": "Sagtest du „{text}“?",
}
NOT_UNDERSTOOD = {
    "en": "Sorry, I did not get that.",
    "fr": "Pardon, je n'ai pas compris.",
    "es": "Perdón, no lo he entendido.",
    "de": "Entschuldigung, das habe ich nicht verstanden.",
}
ALL_RIGHT = {"en": "All right.", "fr": "D'accord.", "es": "De acuerdo.", "de": "Gut."}
YES = re.compile(r"(yes|yeah|yep|sure|ok|okay|do it|go ahead|oui|si|sí|ja)( please| do it| go ahead)?", re.IGNORECASE)
NO = re.compile(r"(no|nope|don't|do not|stop|cancel|non|nein)( thanks| thank you| don't| do not)?", re.IGNORECASE)
_LIKE_STOP = re.compile(r"(?!star|stay|stan|stor[iy]|stud|stat)st[aeiou][a-z]{0,3}\W*", re.IGNORECASE)
_GREETING = r"(?:hey|hay|hi|hello|ok|okay|he|he's|they)"
_NAME = r"(?:b?r(?:ea|ee|ei|ie|e|i)(?:tch|ch|gg?|dg|ck|kk?|tt)(?:ie|y|i|ey|ee)|reach e)"
"""What a small speech-to-text model makes of a name it does not know: Richie, Ricky, Reggie, Reiki, Breachy, Ritty."""
_CALLED = re.compile(rf"^\W*(?:(?:{_GREETING}\W+)?{_NAME}|{_GREETING}\W+(?:peachy|ricket))\b\W*", re.IGNORECASE)
_ALIKE = 0.7


def meant(text: str) -> str:
    """What was heard, or "Stop." for a lone word that sounds like it: small ears hear a short word in a room as another
    one ("Step.", "Stuff."), and this is the one that must not be missed."""
    return "Stop." if _LIKE_STOP.fullmatch(text.strip()) else text


def clear_answer(text: str) -> bool | None:
    """Yes or no, if that is all that was said."""
    said = re.sub(r"[^\w' ]", "", text).strip()
    if YES.fullmatch(said):
        return True
    return False if NO.fullmatch(said) else None


def after_name(text: str) -> str | None:
    """What was said to the robot after its name, or all of it when that was only the name; None without the name."""
    called = _CALLED.match(text)
    return None if called is None else text[called.end() :].strip(' "') or text


def after_word(text: str, word: str) -> str | None:
    """What was said after the wake word, empty when that was all; None when the ears made something else of it."""
    said, plain = list(re.finditer(r"\S+", text)), re.sub(r"\W|_", "", word.casefold())
    longest = word.count("_") + 2  # ears may hear one word as two
    found = [
        (_alike(text[said[first].start() : said[last].end()], plain), said[last].end())
        for first in range(len(said))
        for last in range(first, min(first + longest, len(said)))
    ]
    alike, end = max(found, default=(0.0, 0))
    return text[end:].strip(' "') if alike >= _ALIKE else None


def _alike(said: str, plain: str) -> float:
    return SequenceMatcher(None, re.sub(r"\W", "", said.casefold()), plain, autojunk=False).ratio()


def listening(language: str) -> str:
    """The answer to a person who only called the robot."""
    return LISTENING.get(language, LISTENING["en"])


def did_you_say(text: str, language: str) -> str:
    """The question whether this was said."""
    return DID_YOU_SAY.get(language, DID_YOU_SAY["en"]).format(text=text.strip().rstrip(".!?…"))


def not_understood(language: str) -> str:
    return NOT_UNDERSTOOD.get(language, NOT_UNDERSTOOD["en"])


def all_right(language: str) -> str:
    """The answer to a no."""
    return ALL_RIGHT.get(language, ALL_RIGHT["en"])


def acknowledgements(language: str) -> tuple[str, ...]:
    return ACKNOWLEDGEMENTS.get(language, ACKNOWLEDGEMENTS["en"])
