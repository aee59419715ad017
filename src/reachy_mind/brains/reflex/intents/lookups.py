"""Words that are passed on: what to say, to look up, to remember."""

from __future__ import annotations

import re

from reachy_mind.brains.reflex.intents.clause import IT, Clause, Parts, Rules, step
from reachy_mind.brains.reflex.plan import Ask, Step, Talk
from reachy_mind.memory.forget_requests import is_everything
from reachy_mind.models.wordpiece import without_accents

RULES = Rules()

_TEMPO = {
    2.0: r"\b(?:double|twice|two times) (?:the )?(?:speed|as fast|tempo)",
    0.5: r"\bhalf (?:the )?(?:speed|tempo)",
}


@RULES.of("speak")
def _speak(clause: Clause) -> Parts:
    text = clause.words("text")
    if (not text or text.casefold() in IT) and (last := clause.last("speak")):
        text = str(last.args.get("text", ""))
    tempo = next((speed for speed, words in _TEMPO.items() if re.search(words, clause.plainly)), None)
    return step("speak", {"text": text} | ({"speed": tempo} if tempo else {})) if text else None


@RULES.of("get_weather")
def _get_weather(clause: Clause) -> Parts:
    place = clause.words("place")
    last = clause.last("get_weather", "get_time")
    if not place and last:
        place = str(last.args.get("place", ""))
    return step("get_weather", {"place": place}) if place else (Ask("place", Step("get_weather")),)


_OWN = re.compile(r"\b(?:i|my|our|je|mon|ma|mes|mi|mis|ich|meine?)\b", re.IGNORECASE)
"""Who asks about themselves does not ask again what was asked last."""


_MISSED = re.compile(
    r"(?:so )?(?:have|did|what did|what have) i miss(?:ed)?(?: (?:anything|something))?"
    r"(?: (?:while|when|since) i was (?:away|gone|out|not here))?"
)
"""A question for what was announced while nobody was there."""


@RULES.of("search_web", "search_memories", "forget_memory")
def _query(clause: Clause) -> Parts:
    if clause.found.label == "search_memories" and _MISSED.fullmatch(clause.found.said.strip(" ?!.").casefold()):
        return step("list_timers")
    query = clause.words("query")
    last = clause.last("store_memory", "search_memories", "search_web")
    meant = not query or query.casefold() in IT
    if meant and last and not is_everything(clause.found.said) and not _OWN.search(clause.found.said):
        query = str(last.args.get("content") or last.args.get("query") or "")
    return step(clause.found.label, {"query": query or clause.found.said})


@RULES.of("store_memory")
def _store_memory(clause: Clause) -> Parts:
    content = re.sub(r"^(?:that|que|dass|:) ", "", clause.words("content"))
    return step("store_memory", {"content": content or clause.found.said})


_NOTE = re.compile(
    r"\b(?:remember|note|save|store|record|write|put|add|set|update|change|profile|keep|know that|retiens|garde"
    r"|enregistre|profil|recuerda|apunta|anota|guarda|perfil|merk|notier|speicher|schreib|trag|from now on|actually)"
)
_NAMED = re.compile(
    r"(?:call me|my name is|my name's|i'm|i am|appelle-moi|je m'appelle|ll[a\u00e1]mame|me llamo|soy|nenn mich"
    r"|ich hei(?:\u00df|ss)e|ich bin|mein name ist) ([^\W\d_][\w-]*)",
    re.IGNORECASE,
)


@RULES.of("update_user_profile")
def _update_user_profile(clause: Clause) -> Parts:
    value = clause.words("value")
    if clause.picked("key") in ("likes", "dislikes", "home") and not _NOTE.search(without_accents(clause.whole)):
        return (Talk("@report", clause.found.said),)  # people say such things without wanting them on record
    if not value and (named := _NAMED.search(clause.found.said)):
        value = named[1]
    return step("update_user_profile", {"key": clause.picked("key") or "name", "value": value}) if value else None
