"""Which language a reply is in, by its most frequent words: to notice an answer in the wrong one."""

from __future__ import annotations

import re
import unicodedata

_COMMON = {
    "en": "the and is are you i it to of a an in that my your with for not what this was have do does did how why"
    " who when where which can could would tell me at on be there about if has he she we they please",
    "fr": "le la les et est je tu il elle un une des de que qui pas pour avec dans vous mon ton c'est du sur quel"
    " quelle pourquoi comment moi te es combien où",
    "es": "el la los las y es yo tú un una de que no para con en por mi tu está son muy del se lo qué cómo cuál cuántos"
    " cuántas dónde quién me eres",
    "de": "der die das und ist ich du es ein eine nicht mit für in zu den von mein dein auf sind wir bin dem wie was"
    " wer warum wo wann mir kannst hast habe bist heißt",
}
_WORDS = {language: frozenset(common.split()) for language, common in _COMMON.items()}
_LANGUAGE_NAMED = re.compile(
    r"\b(?:translat\w*|tradui\w*|traduc\w*|übersetz\w*|(?:in|into|en|auf|ins) (?:english|french|german|spanish|italian"
    r"|portuguese|dutch|japanese|chinese|mandarin|korean|russian|arabic|greek|turkish|polish|swedish|latin|hindi|hebrew"
    r"|anglais|français|allemand|espagnol|italien|japonais|chinois|inglés|francés|alemán|español|italiano|japonés|chino"
    r"|englisch\w*|deutsch\w*|französisch\w*|spanisch\w*|italienisch\w*|japanisch\w*|chinesisch\w*)"
    r"|(?:french|german|spanish|italian|japanese|chinese|russian|foreign) (?:words?|phrases?|sentences?|language))\b",
    re.IGNORECASE,
)
LEAST_SAID = 4
"""Words of a sentence of which none is known: fewer may be a name or an exclamation."""
LEAST_WORDS = 5
"""Shorter texts are taken for the right language."""


def expected(said: str, language: str) -> str:
    """The language an answer should be in, given the one that was read; empty where any will do.

    Any will do where a language is asked for, and where none of the words belong to the one that was read.
    """
    if _LANGUAGE_NAMED.search(said):
        return ""
    spoken = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", said.casefold())
    known = any(word in _WORDS.get(language, ()) for word in spoken)
    return language if known or len(spoken) < LEAST_SAID else ""


def is_in(text: str, language: str) -> bool:
    """Whether the text can be in this language. True where it can't be told, and for any language (empty)."""
    if not language:
        return True
    if _foreign_script(text):
        return False
    said = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text.casefold())
    if len(said) < LEAST_WORDS or language not in _WORDS:
        return True
    counts = {name: sum(word in common for word in said) for name, common in _WORDS.items()}
    return counts[language] >= max(counts.values()) - 1


def _foreign_script(text: str) -> bool:
    """Whether most letters are of another script than these four languages have."""
    letters = [letter for letter in text if letter.isalpha()]
    other = sum(not unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    return len(letters) >= 2 and other * 2 > len(letters)
