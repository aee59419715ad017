"""The animals of the guessing game and what is true of them, and what a question asks for in four languages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import yaml

from reachy_mind.brains.reflex.games.remarks import heard
from reachy_mind.brains.reflex.games.solutions import CONTENT
from reachy_mind.brains.reflex.labels import LANGUAGES


@dataclass(frozen=True)
class Animal:
    """`names`: by language, the one that is told first."""

    names: dict[str, tuple[str, ...]]
    legs: int
    traits: frozenset[str]

    def name(self, language: str) -> str:
        return self.names[language][0]


# What a question asks for, by words without accents; the first that fits.
TRAITS = {
    "farm": r"\bfarm|\bferme\b|\bgranja\b|bauernhof",
    "zoo": r"\bzoo",
    "pet": r"\bpets?\b|domestique|de compagnie|mascota|haustier",
    "home": r"\b(?:house|home|with (?:people|humans))\b|maison|avec (?:les|des) (?:gens|humains)|casa\b"
    r"|con (?:la gente|personas)"
    r"|zu hause|im haus|bei (?:den )?menschen",
    "africa": r"\bafri[ck]|afrique|savann|sabana",
    "cold": r"\bcold|\bice\b|\bsnow|arctic|\bpole\b|\bfroid|\bglace\b|\bfrio\b|\bhielo\b|\bnieve|\bkalt|\beis\b"
    r"|\bschnee",
    "sea": r"\bsea\b|\bocean|\bmer\b|\bmar\b|\bmeer\b|ozean",
    "water": r"\bwater|\brivers?\b|\blakes?\b|\bl'?eau\b|\bagua\b|\bwasser",
    "forest": r"\bforest|\bwoods?\b|\bforet|\bbosque|\bwald",
    "meat": r"\beats? (?:other )?(?:fish|insects|mice|bugs|animals)|\bmange (?:du|des) (?:poisson|insectes|souris)"
    r"|\bcome (?:peces|pescado|insectos|ratones)|\bfrisst (?:es )?(?:fische?|insekten|mause)|\bmeat|carnivor"
    r"|other animals"
    r"|predator|\bhunt|\bviande|autres animaux|\bchasse|\bcarne\b|otros animales"
    r"|\bcaza\b"
    r"|fleisch|andere tiere|raubtier|\bjagt",
    "mammal": r"\bmammals?\b|mammifere|mamifero|saugetier|saeugetier|\bmilk|\blait\b|\bleche\b|\bmilch",
    "bird": r"\bbirds?\b|oiseau|\baves?\b|\bpajaros?\b|\bvogel\b",
    "fish": r"\bfish\b|poisson|\bpez\b|\bpeces\b|\bfisch\b",
    "reptile": r"reptil",
    "amphibian": r"amphibi|anfibio",
    "insect": r"insect|\bbugs?\b|insekt",
    "feathers": r"feather|\bplumes?\b|\bplumas?\b|federn|gefieder",
    "wings": r"\bwings?\b|\bailes?\b|\balas?\b|flugel|fluegel",
    "fur": r"\bfur\b|\bfurry\b|\bhair|\bfluffy\b|\bwool|\bpoils?\b|fourrure|poilu|\bpelo\b|pelaje|peludo|\bfell\b"
    r"|\bhaare?\b",
    "spines": r"\bspines?\b|\bspik|\bprickl|piquant|\bpuas?\b|\bstacheln?\b",
    "shell": r"\bshell|coquille|carapace|caparazon|concha|\bpanzer|\bschale|schneckenhaus",
    "horns": r"\bhorns?\b|antlers?|\bcornes?\b|\bbois\b|\bcuernos?\b|horner|hoerner|geweih",
    "stripes": r"\bstripe|rayures?|\braye|\brayas?\b|streifen|gestreift",
    "spots": r"\bspots?\b|spotted|taches|manchas|flecken|gefleckt",
    "tail": r"\btails?\b|\bqueue\b|\bcola\b|\brabo\b|schwanz|schweif",
    "flies": r"\bfly\b|\bflies\b|\bflying\b|\bvole\b|\bvoler\b|\bvuela\b|\bvolar\b|fliegen|fliegt",
    "swims": r"\bswim|\bnage\b|\bnager\b|\bnada\b|\bnadar\b|schwimm",
    "climbs": r"\bclimb|\bgrimpe|\btrepa|\bescala\b|kletter",
    "jumps": r"\bjump|\bhop\b|\bhops\b|\bleap|\bsaut|\bsalta|spring|hupf|huepf",
    "night": r"\bnight|nocturn|\bnuit\b|\bnoche\b|\bnacht",
    "dangerous": r"danger|\bbites?\b|\bscary\b|\bmord\b|\bpeligros|\bmuerde\b|gefahrlich|gefaehrlich|beisst",
    "eggs": r"\beggs?\b|\boeufs?\b|\bhuevos?\b|\beier\b|\bei\b",
    "plants": r"\bplants?\b|\bgrass\b|\bleaves\b|vegetarian|herbivor|\bplantes\b|\bherbe\b|\bfeuilles\b|\bplantas\b"
    r"|\bhierba\b"
    r"|\bhojas\b|pflanzen|\bgras\b|blatter|blaetter",
    "big": r"\bbig\b|\bbigger\b|\blarge|\bhuge\b|\btall|\bgrand|\bgros\b|\bgrosse\b|enorme|\bgrandes?\b|\bgross"
    r"|\briesig",
    "small": r"\bsmall|\blittle\b|\btiny\b|\bpetit|\bpequen|\bchic[oa]\b|\bklein|\bwinzig",
}
_PATTERNS = {trait: re.compile(words) for trait, words in TRAITS.items()}
_WILD = re.compile(r"\bwild\b|sauvage|salvaje|\bwild(?:tier|lebend)?")
_LEGS = re.compile(r"\blegs?\b|\bpaws?\b|\bfeet\b|\bpattes?\b|\bpatas?\b|\bbeine?\b|\bpfoten\b|\bjambes\b")
_NUMBERS = {
    0: r"\b(?:no|0|any|sin|keine?|pas de|aucune)\b",
    2: r"\b(?:two|2|deux|dos|zwei)\b",
    4: r"\b(?:four|4|quatre|cuatro|vier)\b",
    6: r"\b(?:six|6|seis|sechs)\b",
    8: r"\b(?:eight|8|huit|ocho|acht)\b",
}
_QUESTION = re.compile(
    r"^(?:and )?(?:is|does|can|has|do|are|will|would|could|it|il|elle|est ce|c'est|a t|peut|vit|mange|pond|es|tiene"
    r"|puede|vive"
    r"|come|pone|esta|hat|ist|kann|lebt|frisst|legt|hast|isst)\b"
)


@cache
def animals() -> tuple[Animal, ...]:
    """All of them, in the order of the table."""
    rows = yaml.safe_load((CONTENT / "animals.yaml").read_text(encoding="utf-8"))
    out = []
    for row in rows:
        *names, legs, traits = (part.strip() for part in row.split("|"))
        by_language = {lang: tuple(name.split("/")) for lang, name in zip(LANGUAGES, names, strict=True)}
        out.append(Animal(by_language, int(legs), frozenset(traits.split())))
    return tuple(out)


def named(said: str, language: str) -> Animal | None:
    """The animal that a guess names: the longest name in it ("polar bear", not "bear")."""
    words = heard(said)
    found = [
        (len(name), animal)
        for animal in animals()
        for name in map(heard, animal.names[language])
        if re.search(rf"\b{re.escape(name)}(?:s|es|e|n|en|x)?\b", words)
    ]
    return max(found, key=lambda one: one[0])[1] if found else None


def trait(said: str) -> str:
    """What a question asks for; empty when that is not known."""
    words = heard(said)
    return next((name for name, pattern in _PATTERNS.items() if pattern.search(words)), "")


def is_question(said: str) -> bool:
    return said.rstrip().endswith("?") or bool(_QUESTION.match(heard(said)))


def truth(animal: Animal, said: str) -> bool | int | None:
    """Yes, no, a number of legs; None when the table does not tell."""
    words = heard(said)
    if _LEGS.search(words):
        asked = [number for number, pattern in _NUMBERS.items() if re.search(pattern, words)]
        if asked and asked != [0]:
            return animal.legs in asked
        return animal.legs == 0 if asked and "any" not in words.split() else animal.legs
    if _WILD.search(words):
        return not animal.traits & {"home", "pet", "farm"}
    if re.search(r"\b(?:alive|living|an? animal|vivant|un animal|viv[oa]|lebendig|ein tier)\b", words):
        return True
    if re.search(r"\bmale\b|\bfemale\b", words) or not (wanted := trait(said)):
        return None
    return _holds(animal, wanted)


def size(animal: Animal) -> int:
    """Small, middling, or bigger than a person."""
    return 1 + ("big" in animal.traits) - ("small" in animal.traits)


def compared(animal: Animal, other: Animal, said: str) -> bool | None:
    """Whether it is bigger or smaller than another, as was asked; None when they are about the same."""
    wanted = trait(said)
    if wanted not in ("big", "small") or size(animal) == size(other):
        return None
    return (size(animal) > size(other)) == (wanted == "big")


def _holds(animal: Animal, wanted: str) -> bool:
    traits = animal.traits
    if wanted == "home":
        return bool(traits & {"home", "pet", "farm"})
    if wanted == "water":
        return bool(traits & {"water", "sea"})
    return wanted in traits
