"""Reads questions about people, pets and things: who is meant, and what is asked for.

"how old is my aunt?" asks for an age, "what does she grow?" for what follows the same verb, of whom "she" stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from reachy_mind.memory import subjects
from reachy_mind.memory.predicates import base, is_age, is_verb
from reachy_mind.memory.relation_words import RELATIONS, gender_of_name
from reachy_mind.memory.subjects import OWNERS, PRONOUN_LANGUAGES, Subject, bare, fold

MOST_WORDS = 24
_ASPECTS = {
    "all": "about tell know remember told sobre über",
    "age": "old age âge ans años edad alt",
    "name": "called named name names s'appelle appelle nom llama nombre heißt heisst heissen",
    "birthday": "birthday born anniversaire cumpleaños geburtstag geboren",
    "allergy": "allergic allergy allergies allergique alérgico alérgica allergisch",
    "home": "live lives habite vit vive wohnt lebt",
    "origin": "from vient viene kommt",
    "job": "job profession occupation living métier profesión beruf",
    "work": "work works travaille trabaja arbeitet",
    "dislike": "hate hates dislike dislikes détester déteste odia hasst",
    "like": "like likes love loves enjoy enjoys prefer aime adore gusta gustan encanta mag liebt",
}
"""Words of a question by what it asks for, in the order they are looked for."""
BY_WORD = {word: aspect for aspect, words in reversed(_ASPECTS.items()) for word in words.split()}
_ASKING = {
    "en": """what what's who who's whose whom which where where's when when's how how's does do did is are can has
        have tell
        was were am""",
    "fr": "quel quelle qui que qu'est-ce qu'est-ce-que où comment quand est-ce à combien quoi",
    "es": "cuántos cuantos qué que quién quien dónde donde cómo como cuándo cuando a cuál",
    "de": "wie wer was wo woher wann wogegen welche welches welchen ist hat mag",
}
_FIRST_PERSON = frozenset(("tengo", "soy", "vivo", "trabajo", "me", "estoy", "hago"))
"""Words by which a Spanish question without a subject is about the speaker."""
_WHO = frozenset(("who", "who's", "qui", "quién", "quien", "wer"))
_WHERE = frozenset(("where", "where's", "où", "dónde", "donde", "wo"))
_YES_NO = frozenset(("does", "do", "is", "are", "can", "has", "have"))
EMPTY = frozenset(
    """what what's who who's which where where's when when's how how's does do did is are can has have the a an 's of to
    for in at i you me my so and please again now still ever really exactly actually
    quel quelle qui que où comment quand est a ans il elle s' qu' qu'est-ce l' le la de
    cuántos qué que quién dónde cómo se es el la a le tiene
    wie wer was wo ist sie er""".split()  # noqa: SIM905
)
_OPENING = re.compile(
    r"^\W*(?:(?:hey|hi|hello|ok|okay|so|and|but|well|now|please|reachy|robot|um|uh|et|y|und|dis|oye|sag mal)\b[\s,]*)*"
    r"(?:(?:do|can|could|would) you (?:still )?(?:know|remember|tell me|remind me)(?! about| of)\b[\s,]*"
    r"|(?:tell|remind) me (?!about|of)|i forgot[\s,]*|sais-tu |te souviens-tu |sabes |te acuerdas de "
    r"|weißt du(?: noch)?,? )?",
    re.I,
)
_VISUAL = re.compile(
    r"\b(?:see|look(?:s|ing)? (?:at|like)|wear(?:s|ing)?|hold(?:s|ing)?|doing|standing|sitting)\b", re.I
)
_BEFORE_PLACES = frozenset(
    """in at of from to
    on for with the a an de du à au en aus nach von im zu le la el los der die das un una ein""".split()  # noqa: SIM905
)
_NOT_IN_LOWER_CASE = frozenset(("will", "mark", "rose", "grace", "may", "frank", "jack", "ivy", "jean", "sam", "max"))


@dataclass(frozen=True)
class Question:
    """What is asked about whom. `words`: the words of the question that are not the subject."""

    subject: Subject
    aspect: str
    words: tuple[str, ...]
    yes_no: bool = False
    language: str = "en"
    text: str = ""
    """The question without what it opens with."""
    said: str = ""
    """The subject as it stands in the question."""

    def about(self, subject: Subject) -> str:
        """The question in full, with the subject's own words in place of a pronoun."""
        words = subject.words
        possessive = self.said.casefold() in subjects.POSSESSIVES or self.said.endswith("'s")
        shown = f"{words}'s" if possessive else words
        if not self.said:
            return f"{self.text} {shown}"
        return re.sub(rf"(?<!\w){re.escape(self.said)}(?!\w)", lambda _: shown, self.text, count=1)


def read(text: str, names: Iterable[str] = ()) -> Question | None:
    """The question about somebody in a text; None where there is none. `names`: names that are known."""
    words = words_of(text)
    if not words or len(words) > MOST_WORDS or _VISUAL.search(text):
        return None
    first = words[0].casefold()
    language = next((each for each, asking in _ASKING.items() if first in asking.split()), "")
    if not language:
        return None
    known = {fold(name).split(" ")[0] for name in names}
    found = _subject(words, language, known)
    if found is None:
        return _dropped(words, language)
    subject, start, end = found
    rest = [*words[:start], *words[end:]]
    lower = [word.casefold() for word in rest]
    if _is_about_another(lower[:start], [word.casefold() for word in words]):
        return None
    said = " ".join(words[start:end])
    possessive = said.endswith("'s") or subject.pronoun in subjects.POSSESSIVES
    aspect = _aspect(lower, lower[start:], possessive=possessive, language=language)
    if not aspect or (subject.pronoun and aspect == "place"):
        return None
    yes_no = first in _YES_NO and language == "en" and aspect != "all"
    return Question(subject, aspect, tuple(rest), yes_no, language, " ".join(words), said)


def in_full(question: Question, subject: Subject) -> str:
    """The question with the subject that a pronoun stands for. A question for the name does not tell it."""
    if not question.subject.pronoun:
        return question.text
    unnamed = question.aspect in ("name", "who") and subject.noun
    return question.about(replace(subject, name="") if unnamed else subject)


def asks_who(text: str) -> bool:
    """Whether it asks for somebody by what they are or do."""
    words = words_of(text)
    if len(words) < 3 or words[0].casefold() != "who" or not is_verb(words[1]):
        return False
    return _subject(words, "en", set()) is None or words[1].casefold() not in ("is", "was")


def words_of(text: str) -> list[str]:
    """The words of a question, without what it opens with."""
    bare_text = _OPENING.sub("", text.replace("\u2019", "'").strip(), count=1)
    bare_text = re.sub(r"\b(qu')(?=(?:elles?|ils?|on)\b)", r"\1 ", bare_text)
    bare_text = re.sub(r"-(?:t-)?(elles?|ils?)\b", r" \1", bare_text)
    return [word for word in map(bare, bare_text.split()) if word]


def _subject(words: Sequence[str], language: str, known: set[str]) -> tuple[Subject, int, int] | None:
    """The subject in a question, and where it stands: the first that is owned or named, else a pronoun."""
    pronoun: tuple[Subject, int, int] | None = None
    for at in range(1, len(words)):
        word = words[at]
        first = fold(word.removesuffix("'s"))
        if word.casefold() in OWNERS:
            unknown = words[0].casefold() in _YES_NO
            found = subjects.read(_with_names(words[at:], known, lower=unknown), lambda each, _: each[:1].islower())
            if found is not None:
                return found[0], at, at + found[1]
            if word.casefold() in ("my", "our") and words[0].casefold() in _WHERE:
                thing = " ".join(words[at + 1 :])
                return Subject(word.casefold(), thing, gender="it"), at, len(words)
        elif _may_be_name(word, first, known) and not _is_place(words, at, language):
            end = at + 1
            while end < len(words) and words[end][:1].isupper() and not words[end - 1].endswith("'s"):
                end += 1
            name = " ".join(words[at:end]).removesuffix("'s")
            return Subject(name=name[:1].upper() + name[1:], gender=gender_of_name(name), language=language), at, end
        elif pronoun is None and word.casefold().removesuffix("'s") in PRONOUN_LANGUAGES.get(language, ()):
            if language == "en" and word.casefold() == "it" and words[0].casefold() not in ("how", "what", "what's"):
                continue
            bare_word = word.casefold().removesuffix("'s")
            pronoun = Subject(pronoun=bare_word, language=language), at, at + 1
    return pronoun


def _is_about_another(before: Sequence[str], every: Sequence[str]) -> bool:
    """Whether the robot or the speaker is asked about: "are you my friend?", "how do I ask my boss?"."""
    if {"your", "yours", "yourself"} & set(every):
        return True
    return "about" not in every and ("you" in every or ("i" in before and "say" not in before))


def _is_place(words: Sequence[str], at: int, language: str) -> bool:
    """Whether the capitalised words to which this one belongs follow a preposition: "in New York"."""
    start = at
    while start > 1 and words[start - 1][:1].isupper():
        start -= 1
    before = words[start - 1].casefold()
    return before in _BEFORE_PLACES and not (language == "fr" and before == "a")  # "quel âge a Mia"


def _may_be_name(word: str, first: str, known: set[str]) -> bool:
    if first in known:
        return word[:1].isupper() or first not in _NOT_IN_LOWER_CASE
    if word[:1].isupper():
        return first != "i" and word.removesuffix("'s").replace("-", "").isalpha()
    return gender_of_name(first) != "any" and first not in _NOT_IN_LOWER_CASE


def _with_names(words: Sequence[str], known: set[str], *, lower: bool) -> list[str]:
    """The words with names in capitals, so that "my aunt rosa" ends where it should.

    `lower`: words that are not known as names are put in lower case: "is my wife French?".
    """
    shown = []
    for at, word in enumerate(words):
        first = fold(word.removesuffix("'s"))
        named = at > 0 and RELATIONS.get(first) is None and _may_be_name(word, first, known)
        if named and lower and first not in known and gender_of_name(first) == "any":
            shown.append(word.casefold())
        else:
            shown.append(word[:1].upper() + word[1:] if named else word)
    return shown


def _dropped(words: Sequence[str], language: str) -> Question | None:
    """ "¿cuántos años tiene?": Spanish leaves the pronoun out."""
    lower = [word.casefold() for word in words]
    aspect = _aspect(lower, lower[1:], possessive=False, language=language)
    if _FIRST_PERSON & set(lower):
        return None
    if language != "es" or len(words) > 5 or aspect not in ("age", "name", "home", "work", "allergy"):
        return None
    return Question(
        Subject(pronoun="\N{EMPTY SET}", language="es"), aspect, tuple(words), text=" ".join(words), language="es"
    )


def _aspect(lower: Sequence[str], after: Sequence[str], *, possessive: bool, language: str) -> str:  # noqa: PLR0911 -- the first that fits
    """What is asked for; a verb in its base form where it has no other name, empty where nothing is."""
    if language == "en" and after[:1] == ["do"] and "living" not in lower:
        return "job"
    for aspect, words in _ASPECTS.items():
        if any(word in words.split() for word in lower):
            if aspect == "all" and not {"about", "sobre", "über"} & set(lower):
                continue
            if aspect in ("age", "name", "all") or not possessive or aspect in ("birthday", "job"):
                return aspect
    if possessive:
        attribute = fold(" ".join(after)).replace("favourite", "favorite").replace("colour", "color")
        return f"its {attribute}" if attribute else ""
    if lower[0] in _WHO and not [word for word in lower if word not in EMPTY]:
        return "who"
    if lower[0] in _WHERE and not after:
        return "place"
    if language != "en":
        return next(
            (word for word in lower[1:] if is_verb(word, language) and word not in ("est", "es", "ist", "a")), ""
        )
    if {"do", "does", "did"} & set(lower) and after:
        return base(next((word for word in after if word not in ("the", "still", "ever", "really")), ""))
    if lower[0] in ("can", "has", "have"):
        return "can" if lower[0] == "can" else "have"
    return "age" if lower[0] in ("is", "are") and is_age(after) else "be"
