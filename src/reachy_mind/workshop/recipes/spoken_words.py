"""Words that a tool is asked to say: "say cheers", "dis aux enfants que ...", "tell me to sit up straight".

They are taken as they stand. What somebody wants to be told about himself is turned round: "my pills" to "your pills".
"""

from __future__ import annotations

import re

from reachy_mind.workshop.recipes import texts

_SAY = re.compile(
    r"^(?:you )?(?:(?:say|shout|yell|announce|call out|whisper|scream|exclaim|reply|answer|respond)"
    r"(?: (?:out )?loud(?:ly)?)?"
    r"(?: (?:the words?|with))?(?!\s+(?:something|anything|what|how|who|where|when|which|why|whether|if|your|the time"
    r"|it|so|that it|when)\b)(?: that)?"
    r"|(?:dis|crie|annonce|r[eé]ponds|chuchote)(?: [aà] voix haute)?(?: le mot)?(?!\s+(?:quelque chose|ce que|combien"
    r"|comment|qui|o[uù]|quand|si|l'heure|ton)\b)(?: que| qu')?"
    r"|(?:di|grita|anuncia|contesta|responde|susurra)(?: en voz alta)?(?: la palabra)?(?!\s+(?:algo|qu[eé]|cu[aá]nt\w+"
    r"|c[oó]mo|qui[eé]n|d[oó]nde|cu[aá]ndo|si|la hora|tu)\b)"
    r"|(?:sage?|rufe?|schreie?|antworte|fl[uü]stere?)(?: laut)?(?: das wort)?(?!\s+(?:etwas|was|wie|wer|wo|wann|ob"
    r"|bescheid|mir|uns|deinen|die uhrzeit)\b)(?: dann)?(?:,? dass)?)"
    r"[\s,:]+(?P<text>\S.*)$",
    re.IGNORECASE,
)
_TELL = re.compile(
    r"^(?:tell (?:me|us|everybody|everyone|them|him|her|people|(?:the |my )\w+)(?: that| to|,?:)"
    r"|(?:remind) (?:me|us)(?: that| to| about)"
    r"|(?:dis|rappelle|demande)(?:[- ](?:moi|nous|leur|lui)| aux? \w+| [aà] \w+)(?: que| de| qu'| d')"
    r"|(?:d[ií]|recu[eé]rda|pide)(?:me|nos|les|le)(?: a \w+)? que"
    r"|(?:sage?|erinnere?) (?:mir|uns|allen|mich|ihnen)(?:,? dass| daran,?))"
    r"\s*(?P<text>\S.*)$",
    re.IGNORECASE,
)
_MY_ES = re.compile(r"^(?P<me>me |nos )?(?P<verb>\w+[ea])\b")
_TURNED: dict[str, tuple[tuple[str, str], ...]] = {
    "en": ((r"i am|i'm", "you are"), (r"i|me", "you"), (r"my", "your"), (r"mine", "yours"), (r"myself", "yourself")),
    "fr": ((r"me", "te"), (r"m'", "t'"), (r"mon", "ton"), (r"ma", "ta"), (r"mes", "tes"), (r"je", "tu")),
    "es": ((r"me", "te"), (r"mi", "tu"), (r"mis", "tus")),
    "de": (
        (r"ich", "du"), (r"mich", "dich"), (r"mir", "dir"), (r"mein(e[nmrs]?)?", r"dein\1"), (r"soll", "sollst"),
        (r"muss", "musst"),
    ),
}  # fmt: skip


_TO_ME = re.compile(
    r"(?:\bme|\bus|[- ]moi|[- ]nous|d[ií]me|d[ií]nos|recu[eé]rdame|\bmich|\bmir|\buns)\b", re.IGNORECASE
)


def read(words: str, language: str) -> str:
    """What shall be said; empty when the words ask for something else."""
    said = words.strip(" ,;.!")
    if found := _TELL.match(said):
        return _told(said[: found.start("text")], found["text"].strip(" \"'"), language)
    if found := _SAY.match(said):
        return found["text"].strip(" \"'\u201c\u201d\u201e\u00ab\u00bb")
    return ""


def _told(lead: str, text: str, language: str) -> str:
    """What a person is told, or told to do, spoken to that person."""
    to_me = bool(_TO_ME.search(lead))
    if to_me and language == "es" and (found := _MY_ES.match(text)):  # "que me levante": "que te levantes"
        return f"Que {'te ' if found['me'] else ''}{found['verb']}s{text[found.end() :]}"
    if to_me:
        for word, other in _TURNED.get(language, ()):
            end = "" if word.endswith("'") else r"(?!\w)"
            text = re.sub(rf"(?<!\w)(?:{word}){end}", other, text, flags=re.IGNORECASE)
    if language == "fr" and (found := re.search(r"\b(?:de |d')$", lead, re.IGNORECASE)):
        return texts.text("run", "remember" if to_me else "time_to", language).format(text=f"{found[0]}{text}")
    if language == "de" and ("daran" in lead.casefold() or to_me):
        that = "dass " if lead.casefold().rstrip().endswith("dass") else ""
        return texts.text("run", "remember", language).format(text=f"{that}{text}")
    return text
