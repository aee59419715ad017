"""Names that people say are not theirs: "that's not my name", "no, I'm Pam", and the answer to "is that your name?"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reachy_mind.memory.introductions import given
from reachy_mind.memory.name_words import DAYS, is_first_name, is_state
from reachy_mind.memory.normalization import plain

_DENIED = re.compile(
    r"^\W*(?:(?:no|nope|sorry|wait|hey|but|well|actually|non|nein|perd[oó]n|aber|mais|pero)\b(?! me\b| soy\b)[\s,.!]*)*"
    r"(?:my (?:first |real )?name(?:'s not| is not| isn't|s not) (?:actually |really )?(?P<a>[\w'-]+)"
    r"|(?:that|this|it)(?:'s not| is not| isn't|s not) my (?:first |real )?name"
    r"|i(?:'m| am|m) not (?:called|named) (?P<b>[\w'-]+)|do(?:n't| not) call me (?P<c>[\w'-]+)|nobody calls me that"
    r"|i do(?:n't| not) go by (?P<d>[\w'-]+)"
    r"|(?:that's|that is|you have|you've got|you got) (?:the |my )?(?:wrong name|name wrong)"
    r"|i(?:'m| am|m) not (?P<e>(?-i:[A-Z])[\w'-]+)"
    r"|je (?:ne )?m'appelle pas (?P<f>[\w'-]+)|(?:ce n'est|c'est) pas mon (?:pr[eé])?nom"
    r"|mon (?:pr[eé])?nom n'est pas (?P<g>[\w'-]+)|ne m'appelle pas (?P<h>[\w'-]+)"
    r"|je ne suis pas (?P<i>(?-i:[A-ZÀ-Þ])[\w'-]+)"
    r"|(?:yo )?no me llamo (?P<j>[\w'-]+)|(?:ese|ése|eso|este) no es mi nombre|mi nombre no es (?P<k>[\w'-]+)"
    r"|(?:yo )?no soy (?P<l>(?-i:[A-ZÀ-Þ])[\w'-]+)|no me llames (?P<m>[\w'-]+)"
    r"|ich hei(?:ß|ss)e (?:gar |doch )?nicht (?P<n>[\w'-]+)|so hei(?:ß|ss)e ich (?:gar |doch )?nicht"
    r"|das ist (?:gar |doch )?nicht mein (?:vor)?name|mein (?:vor)?name ist (?:gar |doch )?nicht (?P<o>[\w'-]+)"
    r"|ich bin (?:gar |doch )?nicht (?:der |die )?(?P<p>(?-i:[A-ZÄÖÜ])[\w'-]+)|nenn mich nicht (?P<q>[\w'-]+))"
    r"(?P<rest>.*)$",
    re.I,
)
_INSTEAD = re.compile(
    r"^[\s,.;:!]*(?:(?:but|it's|it is|i'm|i am|my name is|sondern|mais|sino|c'est|es|es ist|ich hei(?:ß|ss)e"
    r"|ich bin|je m'appelle|je suis|me llamo|soy)\b[\s,]*)+(?P<name>[^,.!?]+)",
    re.I,
)
_RATHER = re.compile(
    r"^\W*(?:(?:no|nope|sorry|wait|actually|oops|non|nein|perd[oó]n|eigentlich|en fait|en realidad)\b[\s,.!]*)+"
    r"(?:(?:you (?:misheard|got (?:it|that) wrong)|that's (?:wrong|not right)|wrong)\b[\s,.!]*)?"
    r"(?:(?:i meant?|it's|it is|i'm|i am|c'est|es|es ist|ich bin|soy|je suis)\b[\s,]*)*"
    r"(?P<name>(?-i:[A-ZÀ-Þ])[\w'-]+)(?:,? (?:not|pas|no|nicht) (?P<wrong>[\w'-]+))?\W*$",
    re.I,
)
"""The right name alone, after a wrong one: "actually it's Samantha"."""
_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|it is|that's right|right|correct|exactly|that's me|of course|sure|oui|ouais|exact"
    r"|c'est [çc]a|s[ií]|claro|exacto|as[ií] es|eso es|ja|genau|stimmt|richtig|jawohl)\b[^?]{0,40}$",
    re.I,
)
_NO = re.compile(r"^\W*(?:no|nope|nah|not really|non|pas du tout|nein|nee|falsch)\b[\s,.!]*$", re.I)
_JUST_SAID = frozenset("that so this it like asi eso ca comme ainsi called".split())  # noqa: SIM905


@dataclass(frozen=True)
class NameDenial:
    """`wrong`: the name, empty for the one just used; `right`: the speaker's own, where they say it."""

    wrong: str = ""
    right: str = ""


def denied(said: str) -> NameDenial | None:
    """The name that is denied in what was said; None where none is."""
    found = _DENIED.match(said.replace("\u2019", "'"))
    if found is None:
        return None
    wrong = next((each for key, each in found.groupdict().items() if each and key != "rest"), "")
    just_said = not wrong or plain(wrong) in _JUST_SAID
    if not just_said and not is_first_name(wrong) and (is_state(wrong) or wrong[:1].islower()):
        return None  # "I'm not German", "my name is not important"
    instead = _INSTEAD.match(found["rest"])
    right = given(instead["name"], plainly=True) if instead else ""
    return NameDenial("" if just_said else wrong, right)


def corrected(said: str) -> NameDenial | None:
    """The right name that is said alone after another: "actually it's Samantha", "no, Pam, not Sam"."""
    found = _RATHER.match(said.replace("\u2019", "'"))
    if found is None or plain(found["name"]) in DAYS or (is_state(found["name"]) and not is_first_name(found["name"])):
        return None
    return NameDenial(found["wrong"] or "", found["name"])


def confirms(said: str) -> bool:
    """Whether it is a yes to "is that your name?"."""
    return bool(_YES.match(said.replace("\u2019", "'")))


def refuses(said: str) -> bool:
    """Whether it is a bare no to "is that your name?"."""
    return bool(_NO.match(said))


def language(said: str) -> str:
    """The language in which a name is denied; empty where none is."""
    if denied(said) is None:
        return ""
    lower = said.casefold().replace("\u2019", "'")
    words = (
        ("fr", r"m'appelle|\bnom\b|pr[eé]nom|\bje\b"),
        ("es", r"llam|\bnombre\b|\bsoy\b"),
        ("de", r"\bich\b|\bmein|nenn"),
    )
    return next((each for each, pattern in words if re.search(pattern, lower)), "en")
