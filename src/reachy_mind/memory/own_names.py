"""The speaker's own name in the course of a conversation: confirmed, denied, corrected, or somebody else's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reachy_mind.memory import clauses, introductions, name_denials
from reachy_mind.memory.memories import Fact
from reachy_mind.memory.mentions import Exchange

MOST_WORDS = 3
"""Of an answer to "what's your name?"."""
_ASKED = re.compile(
    r"\bmy name\b|\bwho (?:am i|i am)\b|\bm'appelle\b|\bmon (?:pr[eé])?nom\b|\bqui (?:je )?suis\b|\bme llamo\b"
    r"|\bmi nombre\b|\bqui[eé]n soy\b|\bhei(?:ß|ss)e ich\b|\bmein name\b|\bwer (?:ich )?bin\b",
    re.I,
)
_ASKS_WHO = re.compile(
    r"^\W*(?:(?:and|so|hey|reachy|do you (?:still )?(?:know|remember)|can you tell me|tell me|et|y|und|sais-tu"
    r"|wei(?:ß|ss)t du"
    r"|sabes)"
    r"\b[\s,]*)*"
    r"(?:who am i|who i am|my name|what(?:'s| is) my name|what my name is|what am i called|qui (?:je suis|suis-je)"
    r"|comment (?:je m'appelle"
    r"|m'appelle-je)"
    r"|quel est mon (?:pr[eé])?nom|qui[eé]n soy|c[oó]mo me llamo|cu[aá]l es mi nombre|wer (?:bin ich|ich bin)"
    r"|wie hei(?:ß|ss)e ich"
    r"|wie ist mein name|(?:te acuerdas de|recuerdas) mi nombre"
    r"|(?:tu )?te (?:souviens|rappelles)(?:-tu)? de mon (?:pr[eé])?nom|tu connais mon (?:pr[eé])?nom|sabes mi nombre"
    r"|wei(?:ß|ss)t du(?: noch)?,? wie ich hei(?:ß|ss)e|wie ich hei(?:ß|ss)e"
    r"|erinnerst du dich an meinen namen)(?: again| noch ?mal| d[eé]j[aà])?\W*$",
    re.I,
)
_OWNER = re.compile(
    r"^(?:(?:that|this|it)(?:'s| is| was)"
    r" (?:the name of (?P<a>(?:my|our) [\w' -]+)|(?P<b>(?:my|our) [\w' -]+?)'s name)"
    r"|(?:that|this)(?:'s| is) what (?P<c>(?:my|our) [\w' -]+?) is called"
    r"|(?P<d>(?:my|our) [\w' -]+?)(?:'s| is) called that"
    r"|(?:c'est|c'[eé]tait) le (?:pr[eé])?nom de (?P<e>(?:mon|ma|notre) [\w' -]+)"
    r"|(?P<f>(?:mon|ma) [\w' -]+?) s'appelle comme [çc]a"
    r"|(?:ese|ése|eso|este) es el nombre de (?P<g>(?:mi|nuestr[oa]) [\w' -]+)|as[ií] se llama (?P<h>mi [\w' -]+)"
    r"|das ist der (?:vor)?name (?:von )?(?P<i>(?:meine[srm]|unsere[srm]) [\w' -]+)"
    r"|so hei(?:ß|ss)t (?P<j>(?:meine?|unsere?) [\w' -]+))$",
    re.I,
)
_GENITIVE = ((r"^meines (\w+?)e?s$", r"mein \1"), (r"^meiner ", "meine "), (r"^meinem ", "mein "))


@dataclass(frozen=True)
class OwnName:
    """What was said about the speaker's own name. `denies`: as in `discourse.Told`."""

    name: str = ""
    denies: str | None = None

    @property
    def facts(self) -> tuple[Fact, ...]:
        said = f"my name is {self.name}"
        return (Fact(said, "fact", "name", self.name, ("name", self.name)),) if self.name else ()


def told(said: str, before: Sequence[Exchange]) -> OwnName | None:  # noqa: PLR0911 -- the first that fits
    """What is said about the speaker's name alone, by what was said before; None where there is nothing of it."""
    if (denial := name_denials.denied(said)) is not None:
        return OwnName(denial.right, denial.wrong)
    last = before[-1] if before else None
    if last is None:
        return None
    asked = introductions.asked_back(last.said, last.reply)
    if asked is not None and name_denials.confirms(said):
        return OwnName(asked.name)
    if asked is not None and name_denials.refuses(said):
        return OwnName(denies=asked.name)
    if (bare := introductions.answered(said, last.reply)) is not None:
        return OwnName(bare.name)
    if not (_ASKED.search(last.said) or any(introduced(last.said))):
        return None
    if (right := name_denials.corrected(said)) is not None:
        return OwnName(right.right, right.wrong)
    given = next(introduced(said), "") if clauses.objects(said) else ""
    return OwnName(given, "") if given else None


def asks(said: str) -> bool:
    """Whether the speaker asks who they are, and nothing else."""
    return bool(_ASKS_WHO.match(said.replace("\u2019", "'")))


def depends(said: str) -> bool:
    """Whether it may be about the speaker's name, by what was said before."""
    short = 0 < len(said.split()) <= MOST_WORDS
    return short or any((name_denials.denied(said), name_denials.confirms(said), name_denials.corrected(said)))


def introduced(said: str) -> Iterator[str]:
    """The names that somebody gave as theirs in what they said, sure or not: "I'm Quill", "no, I'm called Ida"."""
    for clause in clauses.statements(said):
        if (found := introductions.read(clause)) is not None:
            yield found.name


def last_given(before: Sequence[Exchange]) -> str:
    """The last name that the speaker gave as theirs."""
    return next((name for each in reversed(before) for name in introduced(each.said)), "")


def owner(clause: str) -> str:
    """Whose name the one just used is: "my brother" in "that is my brother's name"; empty where nobody's."""
    found = _OWNER.match(clause.strip(" .!"))
    whose = next((each for each in found.groupdict().values() if each), "") if found else ""
    for pattern, nominative in _GENITIVE:
        whose = re.sub(pattern, nominative, whose, flags=re.I)
    return whose
