"""`RequestWords`: the words of a request that carry its meaning, and whether another request says the same.

Two requests say the same when they have the same words after politeness, fillers and articles are gone: in the same
order, or with one part moved to the front ("tonight do the trick"). A word may be inflected or misspelt, and "do" may
stand before a request that was taught without it. One word more, less or other is another request: "do the dishes thing
tomorrow" is not "do the thing".
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

from reachy_mind.brains.reflex.spelling import common_words
from reachy_mind.brains.word_lists import alternatives, spaced
from reachy_mind.models.wordpiece import without_accents

MOVED, ADDED, INFLECTED, MISSPELT = 0.03, 0.03, 0.03, 0.06
"""What a part that was moved, a "do", an inflected word and a misspelt word take from the likeness of 1."""
MOST_MISSPELT = 2
SHORTEST_MISSPELT = 4
"""Letters: a shorter word with one letter changed is another word."""
SHORTEST_STEM = 4
ENDINGS = frozenset(("", "s", "es", "ing", "en", "r", "st"))
LONGEST = 12
"""Words: a longer request is told once, not said again in the same words."""

_WORD = re.compile(r"[^\W_]+")
_PHRASES = re.compile(
    r"\b(?:"
    + alternatives(
        r"""
        (?:can|could|would|will) you|i (?:want|need|would like) you to|i d like you to|go ahead and|come on
        once more|one more time|for (?:me|her|him|them|us)|(?<=show )(?:me|us)|(?<=give )(?:me|us)|thank you|hey robot
        reachy mini
        est ce que tu (?:peux|pourrais)|(?:peux|pourrais) tu|tu (?:peux|pourrais)|je (?:veux|voudrais) que tu
        vas y|(?<=refais )nous|(?<=montre )(?:moi|nous)
        s il te plait|s il vous plait|encore une fois|pour (?:moi|elle|lui|eux|nous)
        me puedes|puedes|podrias|quiero que|por favor|otra vez|una vez mas|para (?:mi|ella|el|ellos|nosotros)
        (?:kannst|konntest|wurdest|willst) du|noch (?:ein)?mal|fur (?:mich|sie|ihn|uns)|bitte schon
        """
    )
    + r")\b"
)
_FILLERS = frozenset(
    spaced(
        """
        please pls plz plese pleas plaese kindly just now again hey hi hello ok okay reachy robot um uh erm hm hmm well
        so oh thanks the teh hte a an that taht this your yuor our these those some it is s
        le la les l un une ce cet cette ces ton ta tes stp svp maintenant encore allez euh ben donc salut bonjour merci
        el los las lo una ese esa este esta eso tu tus ahora ya oye venga vamos bueno pues eh hola gracias
        der die das den dem des ein eine einen einem einer dieser diese dieses diesen dein deine deinen jetzt bitte
        biite mal doch nochmal wieder komm ah ahm also hallo danke
        """
    )
)
DO = "do"
_DO = frozenset(
    spaced(
        """
        do doing perform show give go fais faire faites refais montre montrer haz hacer haga muestra dame mach mache
        machen zeig zeige
        """
    )
)
"""Verbs that say only that something is to be done; `DO` stands for all of them."""
_DEPENDENT = frozenset(
    spaced(
        """
        do did go make yes no yeah yep nope sure okay more less other another one ones same both all else there
        louder quieter faster slower higher lower left right up down back further farther bigger smaller longer shorter
        bit little much too not stop continue carry on repeat twice three times time way side he she him her them me i
        you what why how where when who
        refais oui non plus moins autre autres meme autrement gauche droite haut bas fort vite lentement
        doucement peu trop pas continue repete fois la toi moi quoi pourquoi comment
        hazlo si mas menos otro otra mismo misma izquierda derecha arriba abajo fuerte rapido despacio poco
        demasiado sigue repite veces que por como
        tu ja nein mehr weniger andere anderen anderer anderes gleiche gleichen links rechts hoch
        runter oben unten lauter leiser schneller langsamer bisschen viel zu nicht weiter wiederhole was warum wie
        """
    )
)
"""Words that mean something only after what was said or done before: "again", "the other one", "louder"."""


@dataclass(frozen=True)
class RequestWords:
    """The words of a request, in order, without accents and capitals."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> RequestWords:
        plain = without_accents(text).replace("\u2019", "'").replace("n't", " not")
        plain = _PHRASES.sub(" ", " ".join(_WORD.findall(plain)))
        kept = (word for word in plain.split() if word not in _FILLERS)
        return cls(tuple(DO if word in _DO else word for word in kept))

    @property
    def initials(self) -> str:
        """The first letters of its words: the same for all requests that say the same."""
        return "".join(sorted(word[0] for word in self.words if word != DO))

    @property
    def stands_alone(self) -> bool:
        """Whether it means the same at any time: some words, not too many, and not only such as "the other one"."""
        return 0 < len(self.words) <= LONGEST and not _DEPENDENT.issuperset(self.words)

    def likeness(self, taught: RequestWords) -> float:
        """1 for the same words, less for a part that was moved and words that are inflected or misspelt; 0 for
        another request."""
        if self.words == taught.words:
            return 1.0
        if DO in self.words and DO not in taught.words:
            return RequestWords(tuple(word for word in self.words if word != DO)).likeness(taught) - ADDED
        if len(self.words) != len(taught.words):
            return 0.0
        known = common_words()
        return max((self._aligned(taught, start, known) for start in range(len(self.words))), default=0.0)

    def _aligned(self, taught: RequestWords, start: int, known: Container[str]) -> float:
        """The likeness when the part from `start` on was moved to the front."""
        likeness, misspelt = 1.0 - MOVED * (start > 0), 0
        for said, meant in zip(self.words, taught.words[start:] + taught.words[:start], strict=True):
            if said == meant:
                continue
            if _is_inflected(said, meant):
                likeness -= INFLECTED
            elif _is_misspelt(said, meant, known) and misspelt < MOST_MISSPELT:
                likeness, misspelt = likeness - MISSPELT, misspelt + 1
            else:
                return 0.0
        return likeness


def _is_inflected(one: str, other: str) -> bool:
    stem = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        stem += 1
    return stem >= SHORTEST_STEM and one[stem:] in ENDINGS and other[stem:] in ENDINGS


def _is_misspelt(said: str, taught: str, known: Container[str]) -> bool:
    """Whether one is the other with a typing error. Two words that exist are two words, however alike they look."""
    if min(len(said), len(taught)) < SHORTEST_MISSPELT or said[0] != taught[0]:
        return False
    if said in known and taught in known:
        return False
    if _is_swapped(said, taught) or _undoubled(said) == _undoubled(taught):
        return True
    return taught in known and said not in known and _is_one_letter_off(said, taught)


def _is_swapped(one: str, other: str) -> bool:
    """Whether two neighbouring letters changed places."""
    differ = [place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b]
    return (
        len(one) == len(other)
        and len(differ) == 2
        and differ[1] == differ[0] + 1
        and one[differ[0]] == other[differ[1]]
        and one[differ[1]] == other[differ[0]]
    )


def _undoubled(word: str) -> str:
    return re.sub(r"(.)\1+", r"\1", word)


def _is_one_letter_off(one: str, other: str) -> bool:
    """Whether one letter is missing, too many or another."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    added, missing = one[start + 1 :] == other[start:], one[start:] == other[start + 1 :]
    return added or missing or one[start + 1 :] == other[start + 1 :]
