"""What is answered in words alone: greetings, jokes, questions, refusals."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import date, datetime

from reachy_mind.brains.reflex import feelings, reckoning, replies, self_knowledge
from reachy_mind.brains.reflex.plan import Talk
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.brains.word_lists import lines
from reachy_mind.memory.sentences import second_person
from reachy_mind.models.wordpiece import without_accents

# Which refusal it is, by words of four languages without accents; the first that fits.
DANGERS = {
    "rules": """ignor|rules|instruction|regles|consignes|reglas|instrucc|regeln|anweisung|safety|override|jailbreak
        developer mode|pretend you have no""",
    "privacy": r"""\bspy|secretly|passwor|mot de passe|contrasen|spion|heimlich|espion|espia|private|eavesdrop
        credit card
        \bbank|\bpin\b|listen in""",
    "machine": r"""delet|\brm\b|sudo|format|files?\b|fichier|archivo|datei|disk|shell|command|virus|malware
        hack|wipe|erase
        server|computer|ordinat|ordenad|rechner|system|process|database|drop table|curl|wget|loesch|losch|borra
        supprim
        efface""",
    "robot": r"""neck|yourself|your (?:head|motor|antenna|body)|jump off|throw yourself|fall off|overheat
        burn out|break your
        toi[- ]|ton cou|tete|cuello|cabeza|tirate|dich|dein|hals|kopf|spin (?:until|so)|faster than|past your
        beyond your
        limits|limites|grenzen|full force""",
}
IMPOSSIBLE = {
    "home": r"""light|lamp|door|window|heating|thermostat|coffee|tea\b|cook|bake|kitchen|oven|fridge|dish
        laundry|call|phone
        mail|text (?:my|him|her)|buy|order|pizza|tv|music|lumiere|porte|cafe|cuisin|telephon|achet|command|luz
        puerta|cocin
        llama|compra|licht|tur|fenster|kaffee|koch|ruf|bestell|kauf|einkauf""",
    "hands": r"""hand|arm\b|arms|hold|grab|pick|carry|bring|fetch|give me|pass me|write|draw|clap|hug|massage
        main|bras|knit
        attrap|apporte|port|mano|brazo|agarra|trae|coge|abraz|hande|arme|greif|hol\b|bring|trag|umarm|schreib""",
    "walk": r"""walk|run\b|jump|fly|swim|climb|come (?:here|over)|go to|drive|follow me|leg|stairs|marche|cour
        saut|vol\w*
        nage|monte|viens|camina|corre|salta|vuela|sube|ven\b|lauf|geh|spring|flieg|schwimm|komm|treppe|renn""",
}
_SOCIAL = re.compile(
    "|".join(
        lines(
            r"""how (?:are|r) (?:you|u|ya)\b(?! (?:facing|standing|positioned|turned))|how (?:is|s) (?:it
            everything|life)
            how do you (?:do|feel)|how have you been|what ?'?s up|what is up|you (?:ok|okay|good|alright)\b
            how you doing
            feeling today|ca va|comment (?:vas|tu vas|allez|va)|quoi de neuf|que tal|como (?:estas|te va|andas|va)
            todo bien|wie geht|alles (?:klar|gut|okay|ok)|wie laufts|was geht|na\b.*alles"""
        )
    )
)


def answered(  # noqa: PLR0911 -- the first that fits
    talk: Talk, wording: Wording, today: date | None = None, tools: Collection[str] = ()
) -> str:
    """What to say to it. `today`: for questions about days; `tools`: for what it can do here."""
    said = without_accents(talk.said)
    if talk.phrase:
        return wording.say(talk.phrase, what=talk.what)
    if key := self_knowledge.about_itself(talk, tools):
        return wording.say(key)
    match talk.kind:
        case kind if kind in reckoning.KINDS:
            return reckoning.answered(talk, wording, today or datetime.now().astimezone().date())
        case "@danger":
            return wording.say(_which("danger", DANGERS, said, "danger_person"))
        case "@impossible":
            return wording.say(_which("impossible", IMPOSSIBLE, said, "impossible"))
        case "@knowledge":
            return _nice_words(talk.said, wording) or replies.unanswerable(wording)
        case "@game":
            return wording.say("game_offer")
        case "@tell" | "@correct":
            return wording.say("report")
        case kind if kind in feelings.KINDS:
            return feelings.answered(talk, wording)
        case kind:
            key = kind.removeprefix("@")
            return wording.say(key if key in wording else "unclear")


_NICE = re.compile(
    r"\bsay (?:something|a few|some) (?:\w+ )?(?:nice|kind|sweet|lovely|friendly|good)\b"
    r"|\b(?:dis|dites) (?:quelque chose de (?:gentil|sympa|beau)|quelques mots gentils)\b"
    r"|\bdi (?:algo|unas palabras) (?:bonit[oa]s?|amables?|agradables?)\b"
    r"|\bsag (?:etwas|was|ein paar) (?:nette|liebe|schone)\w*\b"
)
_WHOM = re.compile(
    r"\b(?:about|to|for|sur|de|pour|\u00e0|sobre|para|a|\u00fcber|zu|f\u00fcr)"
    r" (?P<whom>(?:my|our|ma|mon|mi|meine[nmr]?|mein) [\w-]+(?: (?-i:[A-Z])\w+)?|(?-i:[A-Z])\w+)",
    re.IGNORECASE,
)
_NOMINATIVE = {"meinen": "mein", "meinem": "mein", "meiner": "meine"}


def _nice_words(said: str, wording: Wording) -> str:
    """A kind sentence for who asks for one; empty for any other question."""
    if not _NICE.search(without_accents(said)):
        return ""
    found = _WHOM.search(said)
    if found is None:
        return wording.say("nice_you")
    words = [_NOMINATIVE.get(word.casefold(), word) for word in found["whom"].split()]
    shown = second_person(" ".join(words), wording.language)
    told = wording.say("nice_about", what=shown)
    return told[:1].upper() + told[1:]


def is_social(said: str) -> bool:
    """Whether it asks how the robot is out of politeness, and no figures are wanted."""
    return bool(_SOCIAL.search(without_accents(said)))


def _which(family: str, kinds: dict[str, str], said: str, usual: str) -> str:
    for kind, words in kinds.items():
        if re.search("|".join(lines(words)), said):
            return f"{family}_{kind}"
    return usual
