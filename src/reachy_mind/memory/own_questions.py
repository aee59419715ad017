"""Questions of people about themselves that a memory answers in other words: "which colour do I like best?".

"what is my job?" is answered by "I work as a nurse", "what did I eat this morning?" by "I had pancakes for breakfast",
"should I eat a peanut butter sandwich?" by an allergy. What used to be is no answer to what is now.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reachy_mind.memory.answers import Answer
from reachy_mind.memory.normalization import plain, stem, terms
from reachy_mind.memory.sentences import second_person, sentence

LONGEST = 200
_DAYS = (
    r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|lundi|mardi|mercredi|jeudi|vendredi|samedi"
    r"|dimanche|lunes|martes|miercoles|jueves|viernes|sabado|domingo|montag|dienstag|mittwoch|donnerstag|freitag"
    r"|samstag|sonntag)"
)
_ASKED = {
    "favourite": re.compile(
        r"\b(?:which|what) (?P<one>\w+(?: \w+)?) do i (?:like|love|prefer)(?: the)? (?:best|most)\b"
        r"|\bwhat (?:is|s|was) my favou?rite (?P<two>\w+(?: \w+)?)\b"
        r"|\bwhat (?:is|s) the (?P<three>\w+) (?:that )?i like (?:the )?(?:best|most)\b"
        r"|\bquelle? (?P<fr>\w+) (?:est ce que )?(?:j aime le plus|je prefere)|\bquelle? est m(?:on"
        r"|a) (?P<fr2>\w+) prefere"
        r"|\bque (?P<es>\w+) me gusta mas\b|\bcual es mi (?P<es2>\w+) (?:favorit|preferid)"
        r"|\bwelche[ns]? (?P<de>\w+) mag ich am (?:liebsten|meisten)|\bwas ist meine? lieblings(?P<de2>\w+)"
    ),
    "home": re.compile(
        r"\bwhere (?:do|am) i (?:now |currently )?(?:live|living)\b|\b(?:city|town|country|village) do i live in\b"
        r"|\bou (?:est ce que )?j habite|\bou habite je|\bdonde vivo\b|\bwo (?:wohne|lebe) ich\b"
    ),
    "job": re.compile(
        r"\bwhat (?:is|s) my (?:job|profession|occupation|work)\b|\bwhat do i (?:do|work)(?: as| for a living"
        r"| for work)\b"
        r"|\bwhat (?:kind of )?(?:job|work) do i (?:have|do)\b|\bquel est mon (?:metier|travail|boulot)"
        r"|\bcual es mi (?:trabajo|profesion)|\ben que trabajo\b|\bwas ist mein (?:beruf|job)\b|\bals was arbeite ich\b"
    ),
    "meal": re.compile(
        r"\bwhat did (?:i|we) (?:eat|have|drink)\b|\bwhat (?:was|did i have for) my (?:breakfast|lunch|dinner)\b"
        r"|\bqu (?:est ce que )?j ai mange|\bqu ai je mange|\bque (?:he comido|comi|he desayunado|desayune|he cenado"
        r"|cene)\b"
        r"|\bwas habe ich .*\bgegessen\b|\bwas habe ich gegessen\b"
    ),
    "day": re.compile(
        r"\bwhat (?:was|is|s|do i have|have i got|did i (?:say|have|plan)|am i doing|happens)(?: \w+){0,3}? (?:on "
        r"|for )?"
        rf"(?P<day>{_DAYS})(?: again)?$"
        rf"|\b(?:qu est ce que j ai|c etait quoi|il y a quoi|j ai quoi"
        rf"|qu y a t il)(?: deja)? (?P<fr_day>{_DAYS})(?: deja)?$"
        rf"|\bque (?:tengo|habia|hay|era|tenia)(?: \w+)? (?P<es_day>{_DAYS})$"
        rf"|\bwas (?:war|ist|habe ich|mache ich)(?: noch ?mal| noch| denn)* (?:am )?(?P<de_day>{_DAYS})(?: noch ?mal)?$"
    ),
    "should": re.compile(
        r"\b(?:should|can|may|could|shall) i (?:\w+ )?(?:eat|have|drink|try|take|touch|pet|get|buy|order|taste)\b"
        r"|\bis (?:it|that|this|\w+) (?:ok|okay|safe|good|all right|alright)\b|\bje (?:peux|dois"
        r"|devrais) (?:\w+ )?(?:manger|prendre|boire)"
        r"|\best ce que je peux\b|\bpuis je\b|\b(?:puedo|debo|deberia) (?:comer|tomar|beber|probar)\b"
        r"|\b(?:darf|kann|soll|sollte) ich\b"
    ),
}
_NOT_A_PLAN = re.compile(
    r"\b(?:day|date|weather|time|temperature|jour|meteo|dia|tiempo|tag|datum|wetter|capital|news)\b"
)
_PAST = re.compile(
    r"\bused to\b|\bno longer\b|\bnot anymore\b|\banymore\b|\bavant j|\bj habitais\b|\bantes\b|\bfruher\b"
)
_HOME = re.compile(
    r"\bi(?: now| currently)? live in\b|\bi (?:m|am) (?:now )?living in\b|\bi (?:ve "
    r"|have )?(?:just )?moved (?:from .+ )?to\b"
    r"|\bmy home is\b"
    r"|\bj habite\b|\bje vis\b|\bvivo en\b|\bich wohne\b|\bwohne ich\b"
)
_JOB = re.compile(
    r"\bi (?:(?:m|am) )?work(?:ing)? as\b|\bmy (?:job|profession|occupation) is\b|^i (?:m"
    r"|am) (?:now )?an? (?!\w* ?(?:boy|girl|man|woman"
    r"|fan|vegetarian|vegan|mother|father|mum|mom|dad|widow|widower|twin|bit|little|lot|person|grand\w+|kid|child"
    r"|human)\b)"
    r"|\bje travaille comme\b|\bmon metier\b|\btrabajo como\b|\bich arbeite als\b|\bmein beruf ist\b"
)
_ATE = re.compile(
    r"\b(?:i|we) (?:just |only )?(?:ate|drank|have eaten|ve eaten)\b|\bj ai (?:mange|bu)\b|\b(?:he (?:comido"
    r"|desayunado|cenado)|comi|desayune|cene)\b"
    r"|\bich habe .*\bgegessen\b|\b(?:i|we) (?:just |only )?(?:had|ve had) (?!to\b|an? (?:\w+ )?(?:meeting|dream"
    r"|appointment|day|time|call"
    r"|lesson|headache|accident|baby|fight|nightmare|dog|cat|party|test|exam|visit)\b)"
)
_MEALS = {
    "breakfast": r"breakfast|morning|petit dejeuner|matin|desayun\w*|manana|fruhstuck|morgen|heute fruh",
    "lunch": r"lunch|noon|midday|(?<!petit )dejeuner|midi|almuerz\w*|comida|mittag\w*",
    "dinner": r"dinner|supper|evening|tonight|last night|diner|soir|cena\w*|noche|abend\w*",
}
_ALLERGIES = (
    (
        re.compile(r"\ballergic to (?P<what>.+)$|\bi have an? (?P<kind>.+?) allergy", re.I),
        "Better not: you are allergic to {}.",
    ),
    (re.compile(r"\ballergique (?P<what>(?:\u00e0|aux?) .+)$", re.I), "Mieux vaut \u00e9viter : tu es allergique {}."),
    (re.compile(r"\b(?P<what>al\u00e9rgic[oa] al? .+)$", re.I), "Mejor no: eres {}."),
    (re.compile(r"\ballergisch (?P<what>(?:gegen|auf) .+)$", re.I), "Besser nicht: du bist allergisch {}."),
)
_FAMILIES = (
    "nut peanut walnut almond hazelnut cashew pistachio pecan nutella praline marzipan",
    "milk dairy lactose cheese yoghurt yogurt cream butter milkshake icecream custard",
    "gluten wheat bread pasta cake pizza biscuit cookie cracker",
    "shellfish seafood shrimp prawn crab lobster mussel oyster",
    "egg omelette omelet meringue mayonnaise",
    "fish tuna salmon cod sushi",
    "cat kitten",
    "dog puppy",
)
"""Things that whoever is allergic to the first of them should leave alone."""


@dataclass(frozen=True)
class OwnQuestion:
    """What is asked for about the speaker, and the word that the answer must have."""

    kind: str
    about: str = ""
    text: str = ""


def read(text: str) -> OwnQuestion | None:
    """The question about the speaker in a text; None where there is none of these."""
    said = plain(text)
    if len(said) > LONGEST:
        return None
    for kind, pattern in _ASKED.items():
        if (found := pattern.search(said)) is None or (kind == "day" and _NOT_A_PLAN.search(said)):
            continue
        about = next((each for each in found.groupdict().values() if each), "")
        return OwnQuestion(kind, about, said)
    return None


def answer(text: str, contents: Sequence[str]) -> Answer | None:
    """The answer from what the speaker told, newest first; None when there is none."""
    question = read(text)
    if question is None:
        return None
    if question.kind == "should":
        return _allergy(question, contents)
    finders: dict[str, Callable[[str], bool]] = {
        "favourite": lambda said: _is_favourite(said, question.about),
        "home": lambda said: bool(_HOME.search(said)),
        "job": lambda said: bool(_JOB.search(said)),
        "meal": lambda said: bool(_ATE.search(said)) and _same_meal(question.text, said),
        "day": lambda said: bool(re.search(rf"\b{question.about}\b", said)),
    }
    fits = finders[question.kind]
    found = [content for content in contents if not _PAST.search(said := plain(content)) and fits(said)]
    if not found:
        return None
    shown = found[:1] if question.kind != "day" else list(dict.fromkeys(found))[:2]
    told = " ".join(sentence(second_person(each)) for each in shown)
    return Answer(told, known=True, content="; ".join(shown))


def _is_favourite(said: str, noun: str) -> bool:
    words = said.replace("favourite", "favorite").replace("colour", "color")
    noun = noun.replace("colour", "color")
    singular = stem(noun.split()[-1])
    likes = re.search(r"\bfavorit|\bprefer|\blieblings|\b(?:best|most) of all\b|\blike .* (?:best|most)\b", words)
    return bool(likes) and any(stem(word.removeprefix("lieblings")) == singular for word in words.split())


def _same_meal(asked: str, said: str) -> bool:
    """Whether both are about the same meal, as far as they say."""
    meals = [{meal for meal, words in _MEALS.items() if re.search(rf"\b(?:{words})\b", text)} for text in (asked, said)]
    return not (meals[0] and meals[1]) or bool(meals[0] & meals[1])


def _allergy(question: OwnQuestion, contents: Sequence[str]) -> Answer | None:
    asked = {stem(word) for word in terms(question.text)}
    for content in contents:
        for pattern, told in _ALLERGIES:
            found = pattern.search(content.strip(" .!"))
            if found is None or content.lower().startswith(("my ", "our ")):
                continue
            what = found["what"] or found.groupdict().get("kind") or ""
            if _harms(what, asked):
                return Answer(told.format(what), known=True, content=content)
    return None


def _harms(what: str, asked: set[str]) -> bool:
    """Whether something in the question is what somebody is allergic to, or has it in it."""
    for word in terms(what):
        allergen = stem(word)
        if allergen in asked:
            return True
        for family in _FAMILIES:
            members = [stem(one) for one in family.split()]
            if allergen == members[0] and set(members) & asked:
                return True
    return False
