"""Talk that goes on from the talk before: another joke, what was said just now, a bare "why?".

Whoever wants "another one" after a joke means a joke, and whoever asks what they just said is told it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from reachy_mind.brains.brain import Past, Turn
from reachy_mind.brains.reflex.games import remarks
from reachy_mind.brains.reflex.plan import Plan, Talk, Words
from reachy_mind.models.wordpiece import without_accents

MOST_BACK = 6
"""Turns back to what is wanted once more."""
LONGEST_QUOTED = 200
_LOOKUPS = frozenset(("search_memories", "get_user_profile"))
_REPEATED_KINDS = ("@joke", "@story", "@fun_fact")
_FUN_FACT = {
    "en": r"\b(?:fun|interesting|random|cool|amazing|weird|surprising) facts?\b|\btell me something (?:interesting"
    r"|new|fun|cool"
    r"|amazing|i don'?t know)\b|\bsurprise me with a fact\b|\bdo you know (?:any|some) (?:\w+ )?facts\b",
    "fr": r"\b(?:anecdotes?|fait (?:amusant|interessant|insolite|surprenant)|faits (?:amusants|interessants))\b"
    r"|\bapprends[- ]moi quelque chose\b|\bquelque chose d'interessant\b",
    "es": r"\b(?:dato|datos|hecho) (?:curiosos?|divertidos?|interesantes?)\b|\bcuentame algo (?:interesante|curioso"
    r"|nuevo)\b"
    r"|\bdime algo (?:interesante|curioso|nuevo)\b|\bcuriosidad\b",
    "de": r"\b(?:lustige|interessante|spannende|kuriose)[rns]? fakt(?:en|um)?\b|\bfun ?fact\b|\berzahl mir (?:et)?was "
    r"(?:interessantes|spannendes|neues)\b|\bwusstest du schon\W*$",
}
_SAID_LAST = {
    "en": r"\bwhat (?:did|have) i (?:just )?(?:say|said|tell you|ask(?:ed)? you|ask|asked)(?: just now| before"
    r"| a moment ago)?$"
    r"|\brepeat what i (?:just )?said$",
    "fr": r"^(?:et |mais )?(?:qu'est ce que |que )(?:je viens de dire|j'ai dit|viens je de dire)(?: avant)?$"
    r"|\bqu'ai je dit$"
    r"|\bj'ai dit quoi$",
    "es": r"^(?:y |pero )?que (?:acabo de decir|he dicho|dije|te he dicho)(?: antes| ahora)?$"
    r"|\brepite lo que (?:dije|he dicho)$",
    "de": r"\bwas habe ich (?:gerade |eben |vorhin )*gesagt$|\bwiederhole was ich gesagt habe$",
}
_SAID_FIRST = {
    "en": r"\bwhat was the first thing (?:that )?i (?:said|asked|told)\b|\bwhat did i say (?:first|at the beginning)\b",
    "fr": r"\b(?:la )?premiere chose que j'ai dite?\b",
    "es": r"\blo primero que (?:dije|he dicho)\b",
    "de": r"\bwas habe ich (?:als erstes|zuerst) gesagt\b",
}
_YOU_SAID = {
    "en": r"^(?:sorry |pardon |excuse me )?(?:what did you (?:just )?say|say (?:that|it) again|(?:can"
    r"|could) you (?:say|repeat) "
    r"(?:that|it)(?: again)?|repeat (?:that|it)|pardon|come again|what was that)(?: please)?$",
    "fr": r"^(?:pardon |desole )?(?:qu'est ce que tu (?:as dit|viens de dire)|tu (?:as dit|disais) quoi|(?:peux tu "
    r"|tu peux )?"
    r"repeter(?: ca)?|repete(?: ca)?|comment)(?: s'il te plait)?$",
    "es": r"^(?:perdon |perdona )?(?:que (?:has dicho|dijiste)|(?:puedes )?repet(?:ir|e|irlo)(?: eso)?|repitelo"
    r"|como dices)"
    r"(?: por favor)?$",
    "de": r"^(?:entschuldigung )?(?:was hast du (?:gerade |eben )?gesagt"
    r"|(?:kannst du das )?(?:noch ?mal )?wiederhol(?:en|e das)"
    r"|sag das noch ?mal|wie bitte)(?: bitte)?$",
}
_NOT_FUNNY = re.compile(
    r"(?:\bnot|n't)(?: very| really| that| so)? funny\b|\bunfunny\b|\b(?:bad|terrible|lame|awful) joke\b"
    r"|^(?:that's )?lame$"
    r"|\bpas (?:tres )?drole\b|\bno (?:tiene|tuvo) gracia\b|\bno (?:es|fue|era) gracios[oa]\b"
    r"|\bnicht (?:sehr )?(?:lustig|witzig)\b"
)
_BARE = {
    "en": r"^(?:and |but )?(?:why(?: not| is that)?|how(?: come)?|when|where|who|how so)$",
    "fr": r"^(?:et |mais )?(?:pourquoi(?: pas)?|comment ca|quand|ou ca|qui)$",
    "es": r"^(?:y |pero )?(?:por que(?: no)?|como|cuando|donde|quien)$",
    "de": r"^(?:und |aber )?(?:warum(?: nicht)?|wieso|weshalb|wann|wo|wer)$",
}
_WHEN = re.compile(r"^(?:and |et |y |und )?(?:when|quand|cuando|wann)$")
_TIMED = re.compile(
    r"\b(?:in (?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer"
    r"|autumn"
    r"|winter)|on \w+day|tomorrow|next \w+|at \d+|\d{1,2}:\d{2})\b",
    re.I,
)


_ADVICE = {
    "en": r"^(?:and |so |but |now )*what (?:should|shall|can|do) i (?:do|do now|say|tell (?:him|her|them))(?: now"
    r"| about (?:it|that))?$",
    "fr": r"^(?:et |mais |alors )*(?:qu'est ce que je (?:dois|peux) faire|que (?:dois|puis) je faire"
    r"|je fais quoi)(?: maintenant)?$",
    "es": r"^(?:y |pero |entonces )*(?:que (?:debo|puedo|deberia) hacer|que hago)(?: ahora)?$",
    "de": r"^(?:und |aber |also )*was (?:soll|kann|mache) ich(?: (?:jetzt|nun|denn|da))*(?: (?:tun|machen))?$",
}


def plan(turn: Turn, made: Plan, understand: Callable[[str], Plan]) -> Plan | None:
    """The plan for a turn that goes on from the talk before; None for any other."""
    said = remarks.heard(turn.text)
    if language := _which(_FUN_FACT, said):
        return Plan((Talk("@fun_fact", turn.text, "fun_fact"),), language)
    if (language := _which(_ADVICE, said)) and turn.history:
        return Plan((Talk("@knowledge", turn.text, "advice"),), language)
    if (quoted := _quoted(said, turn.history)) is not None:
        return quoted
    last = turn.history[-1] if turn.history else None
    if last is None or any(call.name not in _LOOKUPS for call in last.calls):
        return None
    return _once_more(turn, last, understand) or _bare_question(said, turn, last, made)


def _bare_question(said: str, turn: Turn, last: Past, made: Plan) -> Plan | None:
    """ "why?": a question about what was just said, which rules answer only where the reply had the time in it."""
    language = _which(_BARE, said)
    if not language or made.steps:
        return None
    timed = _WHEN.match(said) and _TIMED.search(last.reply)
    return Plan((Words(last.reply) if timed else Talk("@knowledge", turn.text),), language)


def _quoted(said: str, history: Sequence[Past]) -> Plan | None:
    """What was said just now or at first, or what the robot said."""
    own = [past.said for past in history if past.said.strip()]
    for patterns, what, key in (
        (_SAID_FIRST, own[0] if own else "", "you_said_first"),
        (_SAID_LAST, own[-1] if own else "", "you_said"),
    ):
        if language := _which(patterns, said):
            talk = Talk("@recall", said, key if what else "you_said_nothing", what[:LONGEST_QUOTED].strip(" .?!"))
            return Plan((talk,), language)
    if history and history[-1].reply and _which(_YOU_SAID, said):
        return Plan((Words(history[-1].reply),), _which(_YOU_SAID, said))
    return None


def _once_more(turn: Turn, last: Past, understand: Callable[[str], Plan]) -> Plan | None:
    """Another of what was told last: a joke, a story, a fact; and a word to who did not laugh."""
    flops = bool(_NOT_FUNNY.search(remarks.heard(turn.text)))
    if not (flops or remarks.skips(turn.text) or (remarks.again(turn.text) and _offers_another(last))):
        return None
    for past in list(reversed(turn.history))[:MOST_BACK]:
        if remarks.skips(past.said) or remarks.again(past.said) or _NOT_FUNNY.search(remarks.heard(past.said)):
            continue
        if language := _which(_FUN_FACT, remarks.heard(past.said)):
            return None if flops else Plan((Talk("@fun_fact", turn.text, "fun_fact"),), language)
        before = understand(past.said)
        told = [part for part in before.parts if isinstance(part, Talk) and part.kind in _REPEATED_KINDS]
        if not told or (flops and told[0].kind != "@joke"):
            return None
        return Plan((Talk(told[0].kind, turn.text, "joke_flop" if flops else ""),), before.language)
    return None


def _offers_another(last: Past) -> bool:
    """Whether the last reply offered another one."""
    return last.reply.rstrip().endswith("?") and bool(
        re.search(r"\banother\b|\bune? autre\b|\botr[oa]\b|\bnoch ein", without_accents(last.reply))
    )


def _which(patterns: dict[str, str], said: str) -> str:
    """The language of the pattern that fits; empty when none does."""
    return next((language for language, pattern in patterns.items() if re.search(pattern, said)), "")
