"""`split`: takes "the way you learned it" out of a sentence, in the four languages.

    split("Schau zur Ente, so wie du es gelernt hast")     # PracticeClause("Schau zur Ente", "wie du es geübt hast")

Such words ask for a skill that was trained, and not for the usual way to do the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reachy_mind.models.wordpiece import without_accents

_WORD = re.compile("[\\w'\u2019-]+")
_EN_HOW, _EN_HAVE = (
    r"(?:(?:just|exactly) )?(?:as|like|how|(?:in )?the way)(?: that)?",
    r"(?:'ve| have| had| were| just)*",
)
_EN = "practised|practiced|trained|learned|learnt|rehearsed|studied|taught|been taught"
_EN_SKILL = "(?:skill|policy)"
_FR_WHO, _FR_HAVE = "comme (?:tu|on|vous|je)", "(?: (?:t'es|l'as|l'a|as|a|t'ai|te l'ai|l'ai|vous|etes|t'as))+"
_FR = "entrainee?|appris|pratique|exercee?|repete|montre"
_ES_HOW, _ES_HAVE = "(?:tal (?:y )?)?como(?: (?:lo|te))*", "(?: (?:has|hemos|he|habias))?"
_ES = "practicado|practicaste|entrenado|entrenaste|aprendido|aprendiste|ensayado|ensayaste|ensenado|ensene"
_DE_HOW, _DE_WHO = "(?:(?:genau|so) )*wie", "(?:du's|du|wir|ich|ihr)(?: (?:es|das|dir|dirs))*"
_DE, _DE_HAVE = "geubt|gelernt|trainiert|einstudiert|beigebracht|gezeigt", "(?: (?:hast|haben|habe|hattest|habt))?"
_CLAUSES = {
    "as you practised": (
        rf"{_EN_HOW} (?:you|we){_EN_HAVE} (?:{_EN})(?: (?:it|that|to|so|before|in training))*",
        rf"{_EN_HOW} i(?:'ve| have)? (?:taught|trained|showed|shown) you(?: to)?",
        rf"(?:with|using) (?:your|the|that)(?: (?:new|{_EN}))? {_EN_SKILL}(?: (?:that )?you{_EN_HAVE} (?:{_EN}))?",
        rf"(?:use|try|apply) (?:your|the|that)(?: (?:new|{_EN}))? {_EN_SKILL} (?:to|and)",
    ),
    "comme tu t'es entraîné": (
        rf"{_FR_WHO}{_FR_HAVE} (?:{_FR})(?: a le faire)?",
        "comme (?:a l'entrainement|appris|pratique)",
        rf"avec (?:la|ta) competence(?: (?:que tu|qui){_FR_HAVE} (?:{_FR}))?",
    ),
    "como lo has practicado": (
        rf"{_ES_HOW}{_ES_HAVE} (?:{_ES})",
        rf"con (?:la|tu) habilidad(?: que{_ES_HAVE} (?:{_ES}))?",
    ),
    "wie du es geübt hast": (
        rf"{_DE_HOW} {_DE_WHO} (?:{_DE}){_DE_HAVE}",
        rf"{_DE_HOW} (?:geubt|gelernt|trainiert)",
        rf"mit (?:deiner|der)(?: (?:geubt|gelernt|trainiert)en)? f(?:ah|ert)igkeit(?: die du (?:{_DE}){_DE_HAVE})?",
    ),
}
_PATTERNS = {usual: re.compile(rf"(?<!\S)(?:{'|'.join(said)})(?!\S)") for usual, said in _CLAUSES.items()}


@dataclass(frozen=True)
class PracticeClause:
    """`rest`: the sentence without the clause; `usual`: the usual words for the clause in this language."""

    rest: str
    usual: str


def split(text: str) -> PracticeClause | None:
    """None for a sentence without such a clause, or with nothing else."""
    placed = [(found.start(), found.end()) for found in _WORD.finditer(text)]
    said = " ".join(without_accents(text[start:end].casefold()).replace("\u2019", "'") for start, end in placed)
    for usual, pattern in _PATTERNS.items():
        if found := pattern.search(said):
            first, last = said.count(" ", 0, found.start()), said.count(" ", 0, found.end())
            before, after = text[: placed[first][0]], text[placed[last][1] :]
            rest = f"{before.rstrip(' ,;')} {after.lstrip(' ,;.!?')}".strip()
            return PracticeClause(rest, usual) if _WORD.search(rest) else None
    return None
