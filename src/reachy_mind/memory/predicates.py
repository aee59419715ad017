"""What is said about a subject, cut into single predicates: "is ninety and grows roses" is an age and a verb.

Each has an aspect. Aspects of which there can be only one value at a time (age, home) are `single`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from reachy_mind.memory.normalization import plain
from reachy_mind.memory.subjects import bare

LONGEST_ITEM = 3
"""Words of each thing in a list after a comma; "dogs and cats" are three."""
SINGLE = frozenset(("age", "home", "birthday"))
STRONG = frozenset(("age", "name", "home", "origin", "allergy", "taste", "birthday", "work", "kind", "relation"))
"""Aspects by which a bare name is known to be somebody's."""

_BEGINNINGS = {
    "en": """
        name: is called; is named; are called; are named; goes by
        home: lives; live; moved to; has moved to; is living; stays in
        origin: is from; are from; comes from; come from
        allergy: is allergic to; are allergic to
        birthday: was born on; was born in; has a birthday on; has a birthday in
        work: works; work; is working; is employed
        like: likes; like; loves; love; adores; enjoys; enjoy; prefers; is fond of; is into
        dislike: hates; hate; dislikes; detests; can not stand; does not like; do not like; does not enjoy
        kind: is a; is an; are a
        """,
    "fr": """
        name: s'appelle; s'appellent; se nomme
        home: habite; vit; habitent; vivent
        origin: vient de; vient du; est de
        allergy: est allergique à; est allergique au; est allergique aux
        birthday: est née le; est né le; est née en; est né en
        work: travaille; travaillent
        like: aime; adore; aiment; adorent
        dislike: déteste; n'aime pas; détestent
        kind: est une; est un
        """,
    "es": """
        name: se llama; se llaman
        home: vive; viven
        origin: es de; viene de; son de
        allergy: es alérgico a; es alérgica a; es alérgico al; es alérgica al
        birthday: nació el; nació en
        work: trabaja; trabajan
        like: ama; adora; aman; le gusta; le gustan; le encanta; le encantan; les gusta; les encanta
        dislike: odia; detesta; odian
        kind: es una; es un
        """,
    "de": """
        name: heißt; heisst; heißen
        home: wohnt; lebt; wohnen; leben
        origin: kommt aus; ist aus; stammt aus
        allergy: ist allergisch gegen; ist allergisch auf
        birthday: ist geboren am
        work: arbeitet; arbeiten
        like: mag; liebt; mögen; lieben
        dislike: hasst; mag kein; mag keine; mag keinen
        kind: ist ein; ist eine
        """,
}
_VERBS = {
    "en": """is are has have can does do was likes loves hates lives works plays grows sings dances swims reads writes
        speaks studies teaches drives rides collects bakes cooks paints drinks eats owns runs makes builds keeps sells
        wears goes comes enjoys adores prefers sleeps walks watches travels knits sews gardens fishes climbs cycles
        draws takes gives helps uses smokes hates dislikes moved turned turns looks barks bites chases catches weighs
        earns suffers supports follows attends starts cannot can't isn't aren't doesn't don't hasn't haven't never
        always usually often really also still absolutely mostly only just died belongs retired calls
        love hate like live enjoy go""",
    "fr": """est sont a ont s'appelle s'appellent se habite vit vient travaille aime adore déteste joue cultive parle
        chante lit mange boit collectionne fait étudie court danse n'aime n'est va porte conduit peint habitent vivent
        travaillent aiment adorent jouent""",
    "es": """es son tiene tienen le les se vive viene trabaja ama adora odia juega toca cultiva habla canta lee come
        bebe colecciona hace estudia corre baila no nació va pinta conduce viven trabajan detesta está""",
    "de": """ist sind hat haben heißt heisst heißen wohnt lebt kommt arbeitet mag liebt hasst spielt züchtet spricht
        singt liest isst trinkt sammelt macht studiert läuft tanzt wohnen leben arbeiten mögen stammt fährt malt lernt
        kann""",
}
_ADVERBS = frozenset(
    """really also still always usually often absolutely mostly only just now already nearly almost about""".split()  # noqa: SIM905
)
_AND = {"en": ("and", "but", "who"), "fr": ("et", "mais", "qui"), "es": ("y", "pero", "que"), "de": ("und", "aber")}
_ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen""".split()  # noqa: SIM905
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBERS = (
    {word: value for value, word in enumerate(_ONES)}
    | {word: 10 * value for value, word in enumerate(_TENS, start=2)}
    | {"hundred": 100, "half": 0}
)
_OLD = frozenset(("years", "year", "months", "month", "weeks", "week", "days", "old", "of", "age", "and", "a", "today"))
_WHEN = frozenset(("on", "in", "last", "yesterday", "today", "this", "just", "recently"))
"""What may follow an age: "turned nine on Monday"."""
_LASTING = frozenset(("learning", "studying", "training", "expecting", "teaching", "saving"))
_PASSING = frozenset(
    """here there back coming going sleeping doing watching looking talking sitting standing eating waiting calling
    leaving driving walking joking kidding lying being getting ready done late right wrong sure so nice great good fun
    what how fine ok okay over not""".split()  # noqa: SIM905
)
_NO_CLAIMS = frozenset(
    """want need believe think
    say ask know mean hurt come seem look sound feel hope tell wonder get let call thank was""".split()  # noqa: SIM905
)
_ADDRESSED = frozenset(("you", "your", "yourself", "you're"))
"""What is said about the robot is no memory of somebody."""
_COPULAS = ("est", "habite", "s'appelle", "es", "vive", "se", "ist", "wohnt", "heißt", "heisst")
_CONTRACTIONS = {
    "isn't": ("is", "not"), "aren't": ("are", "not"), "doesn't": ("does", "not"), "don't": ("do", "not"),
    "can't": ("can", "not"), "cannot": ("can", "not"), "hasn't": ("has", "not"), "haven't": ("have", "not"),
}  # fmt: skip


@dataclass(frozen=True)
class Predicate:
    """`words`: as it was said; `aspect`: what it tells, a verb in its base form where it has no other name."""

    words: str
    aspect: str
    value: str
    negative: bool = False


def is_verb(word: str, language: str = "en") -> bool:
    """Whether a word can begin a predicate."""
    lower = word.casefold()
    if lower in _verbs(language):
        return True
    regular = len(lower) > 3 and lower.endswith("s") and not lower.endswith(("ss", "'s", "us"))
    return language == "en" and regular and word[:1].islower() and lower.isalpha()


def base(verb: str) -> str:
    """An English verb without its ending: "grows" and "grow", "studies" and "study" are the same."""
    lower = verb.casefold()
    irregular = {"has": "have", "is": "be", "are": "be", "does": "do", "goes": "go", "moved": "live"}
    if lower in irregular:
        return irregular[lower]
    if lower.endswith("ies") and len(lower) > 4:
        return f"{lower[:-3]}y"
    if lower.endswith(("sses", "shes", "ches", "xes", "zes")):
        return lower[:-2]
    return lower[:-1] if lower.endswith("s") and not lower.endswith("ss") and len(lower) > 3 else lower


def split(words: Sequence[str], language: str) -> Iterator[Predicate]:
    """The predicates in the words after a subject; those that tell nothing lasting are left out."""
    for piece in _pieces(words, language):
        found = _read(_up_to_comma(piece), language)
        if found is not None:
            yield found


def is_age(words: Sequence[str]) -> bool:
    """Whether the words are an age in English: "6", "ninety-one", "seven and a half", "six months old"."""
    plainly = [word for word in plain(" ".join(words)).split() if word not in _ADVERBS]
    numbers = [word for word in plainly if _is_number(word)]
    return bool(numbers) and plainly[0] in numbers and all(word in numbers or word in _OLD for word in plainly)


def years(text: str) -> int | None:
    """The number in an age: 91 for "ninety-one"; None without one."""
    found = [int(word) if word.isdigit() else _NUMBERS[word] for word in plain(text).split() if _is_number(word)]
    return sum(found) if found else None


def _is_number(word: str) -> bool:
    return word in _NUMBERS or (word.isascii() and word.isdigit() and len(word) < 4)


@cache
def _verbs(language: str) -> frozenset[str]:
    return frozenset(_VERBS[language].split())


@cache
def _beginnings(language: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """Beginnings of predicates with their aspects, the longest first."""
    found = []
    for line in _BEGINNINGS[language].strip().splitlines():
        aspect, _, beginnings = line.strip().partition(":")
        found += [(tuple(each.split()), aspect) for each in beginnings.split(";")]
    return tuple(sorted(found, key=lambda one: -len(one[0])))


def _pieces(words: Sequence[str], language: str) -> Iterator[list[str]]:
    """The words cut before each conjunction or comma that another verb follows."""
    piece: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        joint = bare(word).casefold() in _AND[language]
        following = at + 1 if joint else at
        if piece and (joint or piece[-1].endswith(",")) and _begins(words[following:], language):
            yield piece
            piece, at = [], following
            continue
        if joint and not piece:
            at += 1
            continue
        piece.append(word)
        at += 1
    if piece:
        yield piece


def _up_to_comma(piece: list[str]) -> list[str]:
    """Only what somebody likes, has or does is told in lists."""
    end = next((at + 1 for at, word in enumerate(piece) if word.endswith(",")), len(piece))
    first, *items = " ".join(piece).split(", ")
    listed = bool(items) and all(len(item.split()) <= LONGEST_ITEM for item in items) and len(first.split()) > 1
    if listed and bare(piece[0]).casefold() not in ("is", "are", "lives", *_COPULAS):
        return piece
    return piece[:end]


def _begins(words: Sequence[str], language: str) -> bool:
    """Whether another predicate begins here: a known verb, or one by its ending before an article or preposition."""
    if not words:
        return False
    lower = bare(words[0]).casefold()
    if lower in _verbs(language):
        return True
    follows = bare(words[1]).casefold() if len(words) > 1 else ""
    return is_verb(bare(words[0]), language) and follows in ("the", "a", "an", "to", "in", "at", "for", "with", "on")


def _read(piece: Sequence[str], language: str) -> Predicate | None:
    said = " ".join(piece).strip(" ,.;!")
    words = [plain_word for word in said.split() for plain_word in _CONTRACTIONS.get(word.casefold(), (word,))]
    while words and words[0].casefold() in _ADVERBS:
        words = words[1:]
    if not words or _ADDRESSED & {bare(word).casefold() for word in words}:
        return None
    if (age := _age(words, language)) is not None:
        return Predicate(said, "age", age)
    lower = [bare(word).casefold() for word in words]
    for beginning, aspect in _beginnings(language):
        if tuple(lower[: len(beginning)]) == beginning:
            value = " ".join(words[len(beginning) :]).strip(" ,")
            if not value and aspect != "work":
                return None
            if aspect in ("like", "dislike"):
                return Predicate(said, "taste", value, aspect == "dislike")
            return Predicate(said, aspect, value)
    return _english(said, words) if language == "en" else _foreign(said, words, language)


def _age(words: Sequence[str], language: str) -> str | None:
    lower = [bare(word).casefold() for word in words]
    match language:
        case "en" if lower[0] in ("is", "are", "turned", "turns"):
            when = next((at for at, word in enumerate(lower) if lower[0] != "is" and word in _WHEN), len(words))
            if is_age(words[1:when]):
                return " ".join(word for word in words[1:when] if word.casefold() not in _ADVERBS)
        case "fr" if lower[0] == "a" and lower[-1] in ("ans", "mois"):
            return " ".join(words[1:])
        case "es" if lower[0] == "tiene" and lower[-1] in ("años", "anos", "meses"):
            return " ".join(words[1:])
        case "de" if lower[0] == "ist" and (lower[-2:] == ["jahre", "alt"] or (len(lower) == 2 and lower[1].isdigit())):
            return " ".join(words[1:])
    return None


def _english(said: str, words: Sequence[str]) -> Predicate | None:  # noqa: PLR0911 -- the first that fits
    """A predicate by its verb: "is afraid of thunder", "grows roses", "does not eat meat", "can swim"."""
    lower = [bare(word).casefold() for word in words]
    negative = "not" in lower[:2] or lower[0] == "never"
    rest = [word for word in words[1:] if word.casefold() != "not"] if negative else list(words[1:])
    if lower[0] == "never" and rest:
        return _english(said, rest) and Predicate(said, base(rest[0]), " ".join(rest[1:]), negative=True)
    match lower[0]:
        case "does" | "do" if negative and rest and base(rest[0]) not in _NO_CLAIMS:
            return Predicate(said, base(rest[0]), " ".join(rest[1:]), negative=True)
        case "can":
            return Predicate(said, "can", " ".join(rest), negative) if rest else None
        case "is" | "are":
            return _being(said, rest, negative=negative)
        case "has" | "have":
            allergy = rest[-1:] == ["allergy"]
            value = " ".join(rest[1:-1] if allergy else rest)
            return Predicate(said, "allergy" if allergy else "have", value, negative) if value else None
    verb = base(words[0])
    if verb in _NO_CLAIMS or not is_verb(words[0]):
        return None
    return Predicate(said, verb, " ".join(rest))


def _being(said: str, rest: Sequence[str], *, negative: bool) -> Predicate | None:
    if not rest or plain(rest[0]) in _PASSING or (rest[0].endswith("ing") and rest[0] not in _LASTING):
        return None
    lower = [bare(word).casefold() for word in rest]
    if lower[:2] == ["allergic", "to"]:
        return Predicate(said, "allergy", " ".join(rest[2:]), negative)
    if lower[0] in ("a", "an") and len(rest) > 1:
        return Predicate(said, "kind", " ".join(rest[1:]), negative)
    return Predicate(said, "be", " ".join(rest), negative)


def _foreign(said: str, words: Sequence[str], language: str) -> Predicate | None:
    verb = words[0].casefold()
    if verb not in _verbs(language) or len(words) < 2:
        return None
    return Predicate(said, verb, " ".join(words[1:]))
