"""Cuts what a person says into statements: no questions, conditions, quotations or secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reachy_mind.memory.normalization import plain

LONGEST_TEXT = 2000

TRAILING = re.compile(
    r"(?:[,\s]+(?:now|these days|nowadays|by the way|please|actually|you know|too|as well|by now|though|right"
    r"|a lot|very much|so much|maintenant|beaucoup|ahora|mucho|jetzt|sehr|\u00fcbrigens))+$",
    re.I,
)
_SENTENCES = re.compile(r"(?<=[.!?;\u2026])(?<!\b[DM]r\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bProf\.)\s+|\n+")
_CLAUSES = re.compile(
    r",? (?:and|but|et|mais|y|pero|und|aber) (?=(?:i|i'm|i've|i'd|my|our|this is|she|he|they|her|his|j'|je|ma|mon"
    r"|elle|il|yo"
    r"|mi|me|ella|él|vivo|tengo|trabajo|soy|ich|mein|meine|unsere?|sie|er)\b)"
    r"|, (?=(?:she|he|they|il|elle|ella|él|sie|er) \w+ \w)"
    r"|,? (?:(?:and|but|et|mais|y|pero|und|aber) )?(?=(?:now|nowadays|these days|maintenant|ahora|jetzt|nun) "
    r"(?:i|i'm|we|my|j'|je|vivo|trabajo|soy|wohne|arbeite)\b)"
    r"|,? (?:and|but|et|mais|y|pero|und|aber) (?=(?:since|depuis|desde|seit) (?:[\w']+ ){1,3}(?:i|j'|je|vivo|wohne)\b)",
    re.I,
)
_OPENINGS = re.compile(
    r"^(?:\W|(?:well|so|oh|ah|hey|hi|hello|good (?:morning|evening|afternoon)|actually|by the way|you know|listen"
    r"|reachy|robot|wait|thank you|thanks|merci|gracias|danke|ok|okay|yes|no(?! me)|sorry|also|and|but|please"
    r"|just so you know|for your information"
    r"|did you know that|guess what"
    r"|(?:please )?(?:remember|note|keep in mind|do not forget|don't forget)(?: that|:)?"
    r"|bonjour|salut|alors|euh|oui|non|retiens que|rappelle-toi que|n'oublie pas que|hola|pues|bueno|recuerda que"
    r"|hallo|also|ja|nein|merk dir,? dass)\b[,:]?)+",
    re.I,
)
_CORRECTIONS = re.compile(
    r"^\W*(?:(?:no|nope|sorry|wait|oh|well|but|hey|reachy|actually|non|nein|perd[oó]n)\b[\s,.!]*)*"
    r"(?:(?:that|this|it)(?:'s| is| was) (?:wrong|not (?:right|true|correct)|incorrect|a mistake)"
    r"|(?:that|this|it) (?:isn't|wasn't) (?:right|true|correct)|you(?:'re| are) (?:wrong|mistaken)"
    r"|you (?:got|have|had) (?:that|it) wrong|wrong|not (?:true|right)|c'est faux|ce n'est pas (?:vrai|[çc]a)"
    r"|eso (?:no es (?:verdad|cierto|as[ií])|est[aá] mal)|das (?:stimmt nicht|ist falsch))\b[\s,.:;!\u2014-]*",
    re.I,
)
_DENIAL = re.compile(
    r"^\W*(?:(?:(?:wait|sorry|oops|ah|um|well|hm+)\b[\s,.!]*)+|oh[\s,]+(?=no[\s,]+(?:sorry|wait|i mean|actually|that"
    r"|it|she|he)\b))?"
    r"(?:no|nope|non|nein|actually|i meant?|en fait|en realidad|eigentlich)\b(?! me\b)"
    r"|^\W*(?:oops|sorry|wait)[\s,.!]+(?=(?:my|our|her|his|its|she|he|it)\b.*\b(?:called|named|name)\b)",
    re.I,
)
_UNSURE = re.compile(
    r"\b(?:if|whether|would|could|might|maybe|perhaps|imagine|suppose|supposing|pretend|wish|hypothetically|unless"
    r"|what if|lets say|if only|i used to|used to|no longer|not anymore|si|peut etre|imagine|quizas|tal vez|imagina"
    r"|wenn|falls|vielleicht|angenommen|wurde|wurden)\b"
)
_QUESTION = re.compile(
    r"^(?:what|who|whom|whose|which|when|where|why|how|do|does|did|is|are|am|was|were|can|could|will|would|should|may"
    r"|have|has|had|shall|guess|est-ce|qu|que|qui|quel|quelle|quand|ou|comment|pourquoi|combien|cual|quien|cuando"
    r"|donde|como|por que|was|wer|wie|wo|wann|warum|welche|welcher|habe|kannst|weisst|bin|ist)\b"
)
_SECRET = re.compile(r"\b(?:password|passcode|passwort|mot de passe|contrasena|pin(?: code)?|cvv|credit card)\b")


_LISTED = re.compile(
    r", (?=(?:i|i'm|i've|my|je|j'ai|j'habite|ma|mon|tengo|vivo|soy|trabajo|mi|ich|mein|meine)\b"
    r"(?! (?:said|mean|think|guess)))",
    re.I,
)
"""Where the next thing begins that somebody tells about themselves: "I'm Kim, I'm 34"."""
_ABOUT_ONESELF = re.compile(
    r"^\W*(?:(?:hi|hello|hey|bonjour|salut|hola|hallo)\b[\s,!]*)?(?:i'm|i am|my name"
    r"|i (?:changed|quit|left|live|work|got|have)|je m'appelle|je suis|me llamo|soy"
    r"|ich hei(?:\u00df|ss)e|ich bin|mein name)\b",
    re.I,
)


def _cut(sentence: str) -> Iterator[str]:
    for clause in _CLAUSES.split(sentence):
        yield from _LISTED.split(clause) if _ABOUT_ONESELF.match(clause.replace("\u2019", "'")) else (clause,)


def statements(said: str) -> Iterator[str]:
    """The statements in what was said, each without what it opens with and trails off in."""
    for sentence in _SENTENCES.split(without_objection(said)[:LONGEST_TEXT]):
        if sentence.rstrip(" \"'\u00bb)").endswith("?") or '"' in sentence or "\u201c" in sentence:
            continue
        for clause in _cut(sentence):
            bare = TRAILING.sub("", _OPENINGS.sub("", clause.strip()).strip(" .!;,\u2026"))
            words = folded(bare)
            if not words or _QUESTION.match(words) or _UNSURE.search(words) or is_secret(bare):
                continue
            yield bare.replace("\u2019", "'")


def without_objection(said: str) -> str:
    """What is said after "that's wrong"; all of it without such an opening."""
    found = _CORRECTIONS.match(said.replace("\u2019", "'"))
    return said[found.end() :] if found else said


def objects(said: str) -> bool:
    """Whether it opens as a correction of what the robot said or believes."""
    bare = said.replace("\u2019", "'")
    return bool(_CORRECTIONS.match(bare) or _DENIAL.match(bare))


def is_secret(said: str) -> bool:
    """Whether the text is about a password or another secret."""
    return _SECRET.search(folded(said)) is not None


def folded(text: str) -> str:
    """Normalized text in which "don't" is one word."""
    return plain(text.replace("'", "").replace("\u2019", ""))
