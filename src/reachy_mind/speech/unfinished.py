"""`unfinished`: whether a person who falls silent after these words has broken off, in five languages.

By the words alone: what no sentence ends with ("turn your head to the"), and what only begins one ("could you", "I
would like", "remind me"). What else may follow is the reader's business (`brains/reflex/end_of_turn`).
"""

from __future__ import annotations

import re

LAST_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset(  # words are easier to read and to add to than a list of strings
        """
        and or but so because if when while that which who whose to the a an my your his her our their this these of in
        on at for with from by about as than very could would can will should i'd i'll let's is are was were um uh er
        erm hm hmm please
        """.split()  # noqa: SIM905
    ),
    "fr": frozenset(
        """
        et ou mais parce que si quand le la les un une des de du à au aux pour avec dans sur mon ma mes ton ta tes s'il
        euh heu est très
        """.split()  # noqa: SIM905
    ),
    "es": frozenset(
        """
        y o pero porque si cuando el la los las un una de del al para con en por mi tu su este esta eh es muy
        """.split()  # noqa: SIM905
    ),
    "de": frozenset(
        """
        und oder aber weil wenn dass der die das den dem ein eine einen zum zur für mit im auf an mein dein äh ähm sehr
        """.split()  # noqa: SIM905
    ),
    "it": frozenset(
        """
        e ed o ma perché quando il lo la gli le i un una di da del nel nella al alla allo con su per tra fra mio tuo
        questo questa ehm è molto
        """.split()  # noqa: SIM905
    ),
}
"""No sentence ends with these, by language."""
FILLERS = frozenset(("um", "uh", "er", "erm", "euh", "heu", "eh", "äh", "ähm", "ehm"))
_ASKING = r"(?:please|just|also|now|then|hey|ok|okay|reachy|robot|um|uh|well|so|and|bitte|por favor|s'il te pla[iî]t)"
_VERB = r"""(?:
    tell|show|give|make|take|set|put|bring|remind|remember|ask|say|play|find|get|start|call|help\ me\ to|try
    |dis|montre|donne|fais|prends|mets|rappelle|souviens|demande|cherche
    |di|dime|mu[eé]strame|ens[eé][ñn]ame|dame|haz|toma|pon|recu[eé]rdame|recuerda|busca
    |sag|zeig|gib|mach|nimm|stell|erinnere|merk|frag|such
    |dimmi|mostrami|dammi|fai|prendi|metti|ricordami|ricorda|cerca
)"""
_WHOM = r"(?:me|us|him|her|it|my|your|-moi|\ moi|-toi|\ toi|\ que|mir|mich|uns|dir)"
_REQUEST = r"""(?:
    (?:could|can|would|will)\ you
    |i(?:\ would|'d)\ (?:really\ )?like(?:\ you)?(?:\ to(?:\ know)?)?|i\ (?:want|need)(?:\ you)?(?:\ to(?:\ know)?)?
    |do\ you(?:\ know)?|are\ you|is\ there|i'm|i\ am|what(?:'s|\ is)|how|why|where|when
    |peux-tu|tu\ peux|pourrais-tu|tu\ pourrais|je\ (?:veux|voudrais)|j'aimerais|est-ce\ que(?:\ tu\ peux)?|qu'est-ce
    |puedes|podr[ií]as|quiero|quisiera|me\ gustar[ií]a|qu[eé]
    |kannst\ du|k[oö]nntest\ du|w[uü]rdest\ du|ich\ (?:will|m[oö]chte|h[aä]tte\ gern)|was\ ist|wie\ ist
    |puoi|potresti|vorrei|voglio|che\ cosa
)"""
_BEGUN = re.compile(
    rf"^\W*(?:{_ASKING}\W+)*(?:(?:{_REQUEST}\W+)?(?:{_ASKING}\W+)*{_VERB}(?:\W?{_WHOM})*|{_REQUEST})"
    rf"(?:\W+(?:please|bitte|por\ favor|uh|um))*\W*$",
    re.VERBOSE | re.IGNORECASE,
)
"""Somebody asks for something and has not said for what."""
_WHERE_TO = re.compile(r"\b(turn|move|rotate|tilt)( your| the| it| my)?( head| body| antennas?)?\W*$")
"""A turn without a direction is not finished."""
_OPEN_ANSWERS = frozenset(("why", "how", "when", "where", "remember", "try", "please"))
"""Whole questions, and answers, when they are all that is said and their melody or mark says so."""
_STATED = re.compile(r"\b(?:it|he|she|that|this|they|you|we|there|name|time|day) (?:is|are|was|were)\W*$")
"""The end of "tell me what time it is"."""
_ASKED_ABOUT = re.compile(
    r"^\W*(?:(?:and|so|but)\W+)?(?:what|who|where|which)\b.*\b(?:are|is|do|does|did|was|were|'s|'re)\s+"
    r"(?:you|it|this|that|they|he|she)\b.*\b(?:from|for|about|at|with|of|to|on|in)\W*$"
)
"""A question may end with its preposition: "where are you from?"."""
_LAST_WORD = re.compile(r"([\w']+)\W*$")
_OPEN_MARKS = (",", "-", "\u2013", "…", "...", ":")


def unfinished(text: str, language: str = "en") -> bool:
    """Whether a person who falls silent here has broken off: no sentence ends with this."""
    said = text.casefold().replace("\u2019", "'").strip()
    if not said:
        return False
    if said.endswith(_OPEN_MARKS):
        return True
    if said.rstrip(".?!") in _OPEN_ANSWERS and said.endswith("?"):
        return False
    if _WHERE_TO.search(said) or _BEGUN.match(said):
        return True
    last = _LAST_WORD.search(said)
    if last is None or _STATED.search(said) or _ASKED_ABOUT.match(said):
        return False
    return last[1] in FILLERS or last[1] in LAST_WORDS.get(language[:2].casefold(), frozenset())
