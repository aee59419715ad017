"""`replacement`: what is asked for in place of what was just done: "no, I meant dance", "not that, wave", "wrong, nod".

The words around the new request are taken off, so that it is read like any other. In English, French, Spanish and
German.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reachy_mind.brains.word_lists import alternatives

LONGEST = 200
"""Characters: who corrects a request is brief."""

_GAP = r"[\s,.;:!?\u2026\u2014-]+"
_NO = alternatives(
    r"""
    not (?:that|this|it)(?: one| thing)?|that(?:'s| is| was)(?: all)? wrong|you(?:'ve)? got (?:it|that|me) wrong
    that(?:'s| is| was) not (?:it|right|what i (?:meant|said|wanted|asked for))|i (?:didn't|did not|don't) mean that
    pas (?:[cç]a|celui-l[aà]|celle-l[aà])|ce n'est pas [cç]a|c'est pas [cç]a|ce n'est pas ce que je voulais(?: dire)?
    (?:eso|as[ií]|[eé]se|[eé]sa) no|no (?:eso|as[ií]|era eso)|eso no (?:es|era) lo que (?:quer[ií]a|dije|ped[ií])
    nicht (?:das|so|der|die|den)|so nicht|das (?:meinte|wollte) ich nicht|das war nicht gemeint
    c'est faux|mauvaise r[eé]ponse|est[aá] mal|te equivocaste|te has equivocado|das (?:war|ist) falsch
    no|nope|nah|oh|hm+|uh|um|wait|sorry|well|but|hey|reachy|wrong(?: one| thing| move)?|incorrect|nonsense
    non|mais|euh|pardon|faux|pero|mal|perd[oó]n|incorrecto|nein|nee|n[oö]|doch|aber|falsch|quatsch
    """
)
_MEANT = alternatives(
    r"""
    i (?:really |actually |just )?mean(?:t)?(?: to say| to ask for| for you to| you to| you should)?
    what i (?:really |actually )?(?:meant|mean|wanted|said) (?:was|is)
    (?:by|with) (?:that|this|it|['"\u201c][^'"\u201d]{1,40}['"\u201d])
    that (?:means|meant)(?=\s+\S+(?:\s+\S+){0,2}$)|when i say (?:that|this|so)
    you (?:were|are) (?:supposed|meant) to
    je (?:voulais|veux) dire(?: de| que tu)?|je parlais de|par l[aà]
    quer[ií]a decir(?: que)?|quise decir(?: que)?|quiero decir(?: que)?|me refer[ií]a a|con eso
    ich mein(?:t)?e(?: damit| doch)?(?:,? dass du)?|damit mein(?:t)?e ich|damit
    """
)
_ASKED = alternatives(
    r"""
    i (?:said|asked for|asked you (?:to|for)|told you to|wanted you to)
    j'ai dit(?: de)?|je t'ai (?:dit|demand[eé]) de|je voulais que tu|tu devais
    (?:te )?(?:dije|he dicho|ped[ií])(?: que)?|quer[ií]a que|ten[ií]as que|deb[ií]as
    ich sagte(?:,? dass du)?|ich wollte,? dass du|ich hab(?:e)? gesagt(?:,? dass du)?|du solltest
    """
)
_LEAD = re.compile(rf"(?:{_NO})(?P<gap>{_GAP})", re.IGNORECASE)
_EXPLICIT = re.compile(rf"(?:(?:{_MEANT})(?:{_GAP}|$))+", re.IGNORECASE)
_REPEATED = re.compile(rf"(?:{_ASKED}){_GAP}", re.IGNORECASE)
_DENIED = re.compile(
    r"(?:i (?:didn't|did not|don't) mean|not|pas|nicht|no) (?P<denied>[^,.;!?]{1,30})[,.;!?]+\s*"
    r"(?:(?:but|mais|sino|sondern) )?(?P<rest>\S.*)",
    re.IGNORECASE,
)
_GEMEINT = re.compile(r"ich hab(?:e)? (?P<rest>.+?) gemeint", re.IGNORECASE)
_TAIL = re.compile(
    r"(?:[,;.!?]+\s*(?:and |et |y |und )?(?:not|pas|no|nicht) [^,.;!?]{1,30}"
    r"|[\s,]+(?:instead(?: of [^,.;!?]{1,30})?|rather|plut[oô]t|en vez de [^,.;!?]{1,30}|mejor|stattdessen|lieber))"
    r"[.!?\s]*$",
    re.IGNORECASE,
)
_HEAD = re.compile(r"(?:rather|instead|plut[oô]t|mejor|lieber|eher|stattdessen)[\s,]+", re.IGNORECASE)
_OTHER = re.compile(
    r"(?:the |to the )?other (?:one|side|way|direction)|(?:(?:der|die|das|den|zur) )?andere[nrs]?(?: seite| richtung)?"
    r"|(?:de )?l'autre(?: c[oô]t[eé]| sens)?|(?:a?l |el |la |del )?otr[oa](?: lado| direcci[oó]n)?",
    re.IGNORECASE,
)
_YOU_DID = re.compile(
    r"[\s,]+(?:and|but|et|mais|y|pero|und|aber) (?:you|tu|t[uú]|du|fuiste|has|me)\b.*$", re.IGNORECASE
)
_NO_REQUEST = re.compile(
    r"(?:not|don't|do not|never|ne|pas|no|nicht|kein\w*|it|that|this|[cç]a|eso|es|das)\b", re.IGNORECASE
)
_EDGES = " \t\n\"'.!"


@dataclass(frozen=True)
class Replacement:
    """A request in place of the last one. `explicit`: somebody says what they meant; else it may be another remark."""

    request: str
    explicit: bool = False

    @property
    def other(self) -> bool:
        """Whether it only says that it should be the other one of two."""
        return bool(_OTHER.fullmatch(self.request))


def replacement(text: str) -> Replacement | None:
    """The request that replaces what was just done; None for a sentence that replaces nothing."""
    if len(text) > LONGEST:
        return None
    said = text.replace("\u2019", "'").strip(_EDGES)
    rest, explicit = _led(said), False
    if denied := _DENIED.match(rest):
        rest = _led(denied["rest"])
    if found := _EXPLICIT.match(rest):
        rest, explicit = rest[found.end() :], True
    elif found := _GEMEINT.match(rest):
        rest, explicit = found["rest"], True
    if found := _REPEATED.match(rest):
        rest = _YOU_DID.sub("", rest[found.end() :])
    if found := _HEAD.match(rest):
        rest = rest[found.end() :]
    rest = _TAIL.sub("", rest).strip(_EDGES)
    if not rest or rest == said or _NO_REQUEST.match(rest):
        return None
    return Replacement(rest, explicit)


def _led(text: str) -> str:
    """Without a "no" or a complaint before it. "No, dance" asks for a dance, "no dancing" does not."""
    at, paused = 0, False
    while found := _LEAD.match(text, at):
        at, paused = found.end(), paused or bool(found["gap"].strip())
    rest = text[at:]
    return rest if paused or _EXPLICIT.match(rest) or _REPEATED.match(rest) else text
