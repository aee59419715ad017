"""What somebody meant instead of what was done: "no, I meant dance", "j'ai dit danse, pas tourne"."""

from __future__ import annotations

import re

from reachy_mind.brains.word_lists import alternatives

LONGEST_TEXT, MOST_WORDS = 200, 12
"""Characters of a text that is read; words that may be meant."""

_NO = r"(?:(?:no|nope|nah|non|nein|ne|nee|hm+|oh|sorry|wait|but|mais|aber|pero)\b[\s,.!:;\u2014-]*)"
_MEANT = alternatives(
    r"""
    what i (?:really |actually )?(?:meant|mean) (?:was|is)
    when i say .{1,40}?,? i (?:mean|want)
    (?:by|with) (?:that|this|it) i (?:mean|meant)
    i (?:really |actually )?m(?:ea|e|ae)nt(?: to say| to ask for| for you to| you to| you should)?
    that (?:means|meant|was supposed to mean)
    (?:je|j['\u2019]) ?(?:voulais|veux) dire(?: que tu devais| de)?
    je parlais (?:de|d['\u2019])
    (?:quer[ií]a|quise|quiero) decir(?: que)?
    me refer[ií]a a(?:l)?
    ich meinte?(?: doch| damit)?(?:,? dass du)?
    damit mein(?:e|te) ich
    gemeint war
    """
)
_ASKED = alternatives(
    r"""
    i (?:clearly |just )?(?:said|asked for|asked you to|asked you for|told you to|wanted you to|wanted|want)
    (?:je t['\u2019]ai|j['\u2019]avais|j['\u2019]ai) (?:dit|demand[eé])(?: de| d['\u2019])?
    je (?:voulais|veux)(?: que tu)?
    (?:te )?(?:he dicho|dije|he pedido|ped[ií]|quer[ií]a|quiero)(?: que)?
    ich (?:sagte|wollte|will|habe|hab)
    """
)
_SAID = re.compile(rf"^{_NO}*(?:{_MEANT})[\s,:]+(?P<meant>.+)$")
_REPEATED = re.compile(rf"^(?P<no>{_NO}*)(?:{_ASKED})[\s,:]+(?P<meant>.+)$")
_DENIED = re.compile(r"^(?P<no>no|nope|non|nein)\b[\s,.!]+(?P<meant>[^,]+?),? (?:not|pas|nicht|instead of) .+$")
_TAIL = re.compile(
    r"[\s,;.!?\u2014-]+(?:(?:and |but )?"
    r"(?:not|rather than|instead of|et pas|pas|au lieu de|y no|no|en vez de|nicht|statt)(?: .*)?"
    r"|instead|please|plut[o\u00f4]t|s['\u2019]il te pla[i\u00ee]t|por favor|bitte|gesagt|gemeint|of course)$"
)
_ARTICLES = "the|an?|some|les?|la|une?|des|el|los|las|una|der|die|das|eine?n?|den"
_SWAPPED = re.compile(
    rf"^(?:(?:no|non|nein)[\s,]+)?(?:not|pas|nicht|no) (?:{_ARTICLES}) [^,]{{1,40}}?,? ?(?:but |mais |sondern |sino )?"
    rf"(?P<meant>(?:{_ARTICLES}) .+)$"
)
_HEAD = re.compile(rf"^(?:(?:you to|you should|for you to|to|that|please|{_ARTICLES}|de|dass|tu)\s+|[ld]['\u2019])+")
_NOT_MEANT = re.compile(
    r"^(?:it|that|this|what|well|no|yes|nothing|so|every word|no harm|by|something|nichts|rien|nada|es|\u00e7a|eso|oui"
    r"|ja)\b"
)


def read_meant(text: str) -> str | None:
    """What was meant, in the person's words and small letters; None where nobody says so."""
    if len(text) > LONGEST_TEXT:
        return None
    said = " ".join(text.casefold().split()).strip(" .!?,;:\"'\u2026")
    if found := _SAID.match(said):
        return _cleaned(found["meant"])
    if (found := _REPEATED.match(said)) and (found["no"] or _TAIL.search(found["meant"])):
        return _cleaned(found["meant"])
    if found := _DENIED.match(said):
        return _cleaned(found["meant"])
    if (found := _SWAPPED.match(said)) and len(found["meant"].split()) <= 4:
        return _cleaned(found["meant"])
    return None


def _cleaned(meant: str) -> str | None:
    before = None
    while before != meant:
        before, meant = meant, _TAIL.sub("", meant).strip(" .!?,;:\"'\u2026")
    meant = _HEAD.sub("", meant).strip()
    if not meant or len(meant.split()) > MOST_WORDS or _NOT_MEANT.match(meant):
        return None
    return meant
