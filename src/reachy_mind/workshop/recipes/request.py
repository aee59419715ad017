"""`ToolRequest`: a request for a tool in words, without what is said around it.

"Could you please write a tool that waves every 8 seconds?" is "wave every 8 seconds", and that a tool is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from reachy_mind.brains.reflex.plan import Plan
from reachy_mind.brains.word_lists import spaced
from reachy_mind.workshop.recipes import timing
from reachy_mind.workshop.recipes.imperatives import imperative
from reachy_mind.workshop.recipes.timing import Timing

LONGEST_REQUEST = 1000

Understand = Callable[[str], Plan]

_POLITE = re.compile(
    (
        r"^(?:(?:hey|hi|hello|ok|okay|so|well|now|please|reachy|robot|listen|look|and|just|then)\b[\s,!:]+"
        r"|(?:can|could|would|will) you (?:please |maybe |kindly )?|(?:would|do) you mind |i(?:'d"
        r"| would) (?:like"
        r"|love) (?:you )?(?:to )?(?:have )?(?!me\b)"
        r"|i (?:want|need) (?:you to |(?=an?\b|some|to have))|(?:we|you) (?:need|want|should) (?:you )?to "
        r"|you (?:should"
        r"|could|can|must|have to) |it would be (?:nice|great) if you (?:could )?"
        r"|let'?s |go ahead and |try to |start to |start |begin to |begin |keep on |keep (?=\w+ing (?:left"
        r"|right|up|down"
        r"|around))|be able to |help me (?:to )?|your (?:task|job) is to |i'd like you to "
        r"|from now on,? (?:please )?"
        r"|s'il te pla[iî]t,? |stp,? |(?:peux|pourrais)-tu |est-ce que tu (?:peux|pourrais) |tu (?:peux"
        r"|pourrais|dois) "
        r"|j'ai besoin (?:que tu |d')|je (?:veux|voudrais|souhaite|souhaiterais) que tu |j'aimerais que tu "
        r"|je (?:veux"
        r"|voudrais) (?=un)"
        r"|por favor,? |(?:puedes|podr[ií]as|puede) |necesito que |necesito (?=un)|quiero que |quisiera que "
        r"|me gustar[ií]a que |quiero (?=un)"
        r"|bitte,? |(?:kannst|k[oö]nntest|w[uü]rdest) du (?:bitte )?|ich (?:m[oö]chte|will"
        r"|h[aä]tte gern),? (?:dass du )?"
        r"|ich brauche (?:dich, um )?|du (?:sollst|kannst) )"
    ),
    re.IGNORECASE,
)
_POLITE_END = re.compile(
    r"(?:[\s,]+(?:please|pls|thanks|thank you|ok(?:ay)?|would you|will you|for me|s'il te pla[iî]t|stp|svp|merci"
    r"|por favor|porfa|gracias|vale|bitte|danke|ja)[\s.!?]*)+$",
    re.IGNORECASE,
)
_MAKE = (
    r"(?:write|create|make|build|code|program|develop|generate|design|implement|give|invent|learn|teach"
    r"|add|have|need"
    r"|want|get|[eé]cris|cr[eé]e|fais|construis|programme|d[eé]veloppe"
    r"|apprends|g[eé]n[eè]re|[eé]crire|cr[eé]er|escribe|crea|haz|construye|programa|desarrolla|genera"
    r"|aprende"
    r"|escribas|crees|hagas|schreibe?|erstelle?|mache?|baue?|programmiere?|entwickle"
    r"|lerne?|generiere)"
)
_TOOL_NOUN = (
    r"(?:tool|function|program|programme|script|skill|routine|trick|move|ability|capability|behaviou?r"
    r"|command|app"
    r"|mode|sequence|outil|fonction|routine|comp[eé]tence"
    r"|herramienta|funci[oó]n|programa|rutina|truco|habilidad|werkzeug|funktion|programm|skript|routine"
    r"|f[aä]higkeit"
    r"|trick)"
)
_TOOL = re.compile(
    (
        rf"^(?:{_MAKE}\s+(?:(?:me|us|yourself|for me|te|toi|-moi|mir|dir|dich|moi)\s+)?)?(?:an?|the|some|one"
        rf"|una?|une|el"
        rf"|la|ein(?:e[nsr]?)?)?\s*(?:(?:new|little|small|simple|custom|nouvel|nouvelle"
        rf"|nouveau|petit|petite|neue[sn]?|kleine[sn]?|nueva|nuevo|peque[nñ]a"
        rf"|python)\s+)*{_TOOL_NOUN}(?:\s+(?:nuev[oa]))?"
        r"(?:,?\s+(?:called|named|with the name|appel[eé]e?|nomm[eé]e?|llamad[oa]|namens"
        r"|mit dem namen)\s+[\"']?(?P<name>[\w-]+)[\"']?)?"
        r"\s*(?:(?=[:,.-])|\b)(?:[:,.-]\s*)?(?:(?:that|which|who|to|for|where(?: you)?|so that you"
        r"|in which you"
        r"|with which you|and|qui|pour|o[uù] tu|que|para|donde|das|die|der|um|mit dem du|bei dem du"
        r"|in dem du)\b\s*)?"
    ),
    re.IGNORECASE,
)
_TITLE = re.compile(
    rf"^{_MAKE}\s+(?:[\w-]+\s+){{1,5}}?(?:routine|trick|skill|show|script|program|sequence)\s*:\s*", re.IGNORECASE
)
_REASON = re.compile(
    r"^(?:i'm|i am|we're|we are|i have to|i must|i'll be|i will be)\b[^,.;]*(?:[,.;]|\bso\b)\s*", re.IGNORECASE
)
"""Why somebody asks: "I'm leaving, ..."."""
_PURPOSE = {
    "en": (
        r"because|since|cause|so that (?:i|we|it)|so (?:i|we) (?:can|could)"
        r"|while (?:i|we)(?:'m| am| are|'re|m)?\b(?! (?:move|carry|hold|walk))|i (?:want|need|would like|wanna) to"
        r"|i'd like to|it's for"
    ),
    "fr": r"parce qu|pour que|pendant que (?:je|nous)|car (?:je|nous|il|elle)|comme [cç]a|je (?:veux|voudrais)",
    "es": (
        r"porque|para que (?:yo|pueda|podamos)|mientras (?:yo )?(?:estoy|no est[eé]|salgo|trabajo)"
        r"|as[ií] (?:puedo|podr[eé])|(?:yo )?quiero"
    ),
    "de": r"weil|damit (?:ich|wir|es)|w[aä]hrend ich|solange ich|ich (?:will|m[oö]chte)",
}
"""What it is wanted for: "..., I want to see the dough rise"."""
_SAYS = re.compile(r"\b(?:say|shout|announce|tell|dis|di|dime|sag|sage)\b|['\"\u201c\u201e\u00ab]", re.IGNORECASE)
_NAMED = re.compile(r",?\s*(?:and )?(?:call|name) it [\"']?(?P<name>[\w-]+)[\"']?\s*$", re.IGNORECASE)
_CAN = re.compile(r"^(?:can|will|should|lets? you|makes? you|allows? you to|(?:that|which|who) )\s*", re.IGNORECASE)
_STATEMENT = re.compile(
    (
        r"^(?:i|we|he|she|it|they|my|our|his|her|the|this|that|there|somebody|someone|nobody|everybody|people"
        r"|what|who"
        r"|whose|why|where|how|which|when|is|are|am|was|were|(?:do|have|can) (?:you|i|we|they)|does|did|has"
        r"|had"
        r"|je|j'|nous|il|elle|on|ils|elles|mon|ma|mes|le|la|les|quel\w*|qui|pourquoi|comment|combien|o[uù]|yo"
        r"|nosotros"
        r"|ella|ellos|mi|mis|el|los|las|qu[eé]|qui[eé]n|cu[aá]nt\w*|por qu[eé]|c[oó]mo|d[oó]nde|cu[aá]ndo"
        r"|ich|wir|er|sie|es|mein\w*|unser\w*|der|die|das|was|wer|wie|warum|wo|wann|ist|sind|hat)\b"
    ),
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ToolRequest:
    """A request that a recipe may serve."""

    said: str
    """All that was said."""
    plain: str
    """Without politeness and without the wish for a tool."""
    text: str
    """The same, as a request to do something: "waves" is "wave"."""
    language: str
    understand: Understand
    wants_tool: bool = False
    name: str = ""
    """The name that the tool shall have; empty when none was given."""

    @property
    def timing(self) -> Timing:
        return _timing(self.text, self.language)

    @property
    def plain_timing(self) -> Timing:
        """Of what was said, with its verbs as they stand: "when somebody says hello"."""
        return _timing(self.plain, self.language)

    @property
    def is_statement(self) -> bool:
        """Whether it tells or asks something, and wants nothing done."""
        return bool(_STATEMENT.match(self.timing.rest))


def read(said: str, understand: Understand, language: str = "") -> ToolRequest:
    """The request in what was said. `language`: found by the reader, unless given."""
    language = language or _language(said, understand(said[:LONGEST_REQUEST]).language)
    text = " ".join(said.replace("\u2019", "'").split()).strip(" .!")
    text = _REASON.sub("", text)
    name, wants = "", False
    if found := _NAMED.search(text):
        name, text = found["name"], text[: found.start()]
    while True:
        shorter = without_politeness(text)
        if (found := _TITLE.match(shorter) or _TOOL.match(shorter)) is not None:
            wants, name = True, found.groupdict().get("name") or name
            shorter = _CAN.sub("", shorter[found.end() :]).lstrip(" ,:")
        if shorter == text:
            break
        text = shorter
    text = _POLITE_END.sub("", text)
    return ToolRequest(said, text, imperative(text, language), language, understand, wants, name.replace("-", "_"))


def _timing(text: str, language: str) -> Timing:
    read = timing.read(text, language)
    return replace(read, rest=without_purpose(without_politeness(read.rest), language))


def without_purpose(text: str, language: str) -> str:
    """Without why it is wanted. Words that shall be said are left as they are."""
    clause = _PURPOSE.get(language, _PURPOSE["en"])
    found = re.search(rf"[\s,;]+(?:{clause})\b[^,;.]*(?=[,;.]|$)", text, re.IGNORECASE)
    if found is None or _SAYS.search(text[: found.start()]):
        return text
    return f"{text[: found.start()]}{text[found.end() :]}".strip(" ,;")


def without_politeness(text: str) -> str:
    """Without "could you" and the like in front."""
    while (shorter := _POLITE.sub("", text, count=1).lstrip(" ,:")) != text:
        text = shorter
    return text


def _language(text: str, read: str) -> str:
    """The reader's language; a short sentence that it takes for English may have the words of another."""
    if read != "en":
        return read
    words = set(re.findall(r"[^\W\d_]+", text.casefold()))
    hits = {language: len(words & known) for language, known in _FUNCTION_WORDS.items()}
    best = max(hits, key=lambda language: hits[language])
    return best if hits[best] > hits["en"] else "en"


_FUNCTION_WORDS = {
    "en": frozenset(
        spaced("the a an and you your me to of is every for with when if then minutes seconds minute second it that")
    ),
    "fr": frozenset(
        spaced(
            "le la les une un des et tu toi moi dans pendant toutes secondes seconde heures avec quand si puis"
            " que qui"
            " sur"
        )
    ),
    "es": frozenset(
        spaced(
            "el la los las una un y tu me cada durante segundos minutos minuto horas con cuando si luego que en"
            " dentro"
            " de"
        )
    ),
    "de": frozenset(
        spaced(
            "der die das den ein eine einen und du mir mich alle sekunden minuten stunden lang mit wenn dann jede"
            " jedes"
            " f\u00fcr"
        )
    ),
}
