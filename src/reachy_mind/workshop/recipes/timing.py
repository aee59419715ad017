"""Times in a request: how often, for how long, after how long; and the request without them.

"take a photo every 5 seconds for a minute" is "take a photo", 5 s and 60 s. Amounts are read by the reflex reader.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace

from reachy_mind.brains.reflex import quantities
from reachy_mind.workshop.recipes import deadlines, time_spelling

_UNITS = {
    "en": r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|s|h)",
    "fr": r"(?:secondes?|sec|minutes?|min|(?:demi-|demi )?heures?|quarts? d'heure|jours?|journ[eé]e|s|h)",
    "es": r"(?:segundos?|seg|minutos?|min|horas?|d[ií]as?|s|h)",
    "de": r"(?:sekunden?|sek|minuten?|min|(?:viertel|dreiviertel)?stunden?|std|tage?n?|s|h)",
}
_NUMBERS = {
    "en": (
        r"\d[\d.,]*|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six"
        r"|seven"
        r"|eigh|nine)teen"
        r"|(?:twen|thir|for|four|fif|six|seven|eigh|nine)ty(?:-\w+)?|hundred|half|quarters?|couple|few|dozen"
        r"|of|and"
        r"|point|other|entire|whole|full|single"
    ),
    "fr": (
        r"\d[\d.,]*|une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize"
        r"|vingts?|trente|quarante"
        r"|cinquante|soixante|cents?|demie?|quelques|et|prochaines?|prochains?|bonnes?|(?:dix|vingt|trente|quarante"
        r"|cinquante"
        r"|soixante)-[\w-]+"
    ),
    "es": (
        r"\d[\d.,]*|un[oa]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince"
        r"|dieci\w+"
        r"|veinte|veinti\w+"
        r"|treinta|cuarenta|cincuenta|sesenta|cien|medi[oa]|cuartos?|y|de|par|pr[oó]xim[oa]s?"
    ),
    "de": (
        r"\d[\d.,]*|eine[nmrs]?|ein|zwei|drei|vier|f[uü]nf|sechs|sieben|acht|neun|elf|zw[oö]lf|\w*zehn"
        r"|\w*(?:zig|ßig"
        r"|ssig)|hundert|halben?"
        r"|\w+halb|dreiviertel|viertel|paar|n[aä]chsten?|ganze[n]?|gute[n]?"
    ),
}
"""Words of an amount, so that no other word is taken for one."""
_AND = {"en": "and", "fr": "et", "es": "y", "de": "und"}
_HALF = {"en": "a half", "fr": "demie?", "es": "medi[oa]", "de": "(?:eine )?halbe"}


def _amount(language: str, name: str = "amount") -> str:
    """A pattern for an amount of time: at most four words and a unit, maybe with a smaller unit after it."""
    unit, joint, number = _UNITS[language], _AND[language], _NUMBERS[language]
    tail = rf"(?:\s+(?:{joint}\s+)?(?:{_HALF[language]}\b(?!\s+{unit})|(?:{number})\s+{unit}))?"
    return rf"(?P<{name}>(?:(?:{number})[\s-]+){{0,5}}(?:\d+\s?)?{unit}{tail})\b"


@functools.cache  # compiled when a language is first used: a fifth of a second for all of them
def _patterns(language: str, templates: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    amount, unit = _amount(language), _UNITS[language]
    return tuple(
        re.compile(
            rf"(?<!\w){template.replace('AMOUNT', amount).replace('UNIT', f'(?P<unit>{unit})')}(?!\w)", re.IGNORECASE
        )
        for template in templates
    )


_INTERVAL = {
    "en": (
        r"(?:once |one time )?(?:every|each) (?:about )?AMOUNT(?: or so)?",
        r"(?:once|one time|1 time|one|1) (?:a|an|per) UNIT",
        r"(?P<often>\w+(?: times)?) (?:a|an|per|every) UNIT",
        r"(?:at|in|with)(?: \w+)? intervals? of AMOUNT",
        r"(?:at|in|with) (?:an? )?AMOUNT[ -]intervals?",
        (
            r"(?:with )?AMOUNT(?: of)?(?: pause| gap| break| rest"
            r"| wait)? (?:in )?between(?: (?:them|each|shots|each one"
            r"|each of them))?"
        ),
        r"with (?:an? )?AMOUNT (?:pauses?|gaps?|breaks?)",
        r"AMOUNT apart",
        r"(?P<adverb>hourly)",
    ),
    "fr": (
        r"(?:une fois )?tou(?:te)?s? les AMOUNT",
        r"chaque AMOUNT",
        r"une fois par AMOUNT",
        r"(?P<often>\w+ fois) par UNIT",
        r"[aà] (?:des )?intervalles? de AMOUNT",
        r"[aà] AMOUNT d'intervalle",
        (
            r"avec AMOUNT (?:d'intervalle|de pause"
            r"|entre chaque(?: \w+)?)"
        ),
    ),
    "es": (
        r"(?:una vez )?cada AMOUNT",
        r"(?:una vez por|cada) UNIT",
        r"(?P<often>\w+ veces) (?:por|al?) UNIT",
        r"a intervalos de AMOUNT",
        r"con AMOUNT (?:de intervalo|de pausa|entre cada una)",
    ),
    "de": (
        r"(?:einmal )?alle AMOUNT",
        r"(?:einmal )?jede[nrs]? AMOUNT",
        r"einmal (?:pro|in der|die) UNIT",
        r"(?P<often>\w+ ?mal) (?:pro|in der|die) UNIT",
        r"(?P<adverb>st[uü]ndlich)",
        r"im Abstand von AMOUNT",
        r"(?:in|mit) Abst[aä]nden von AMOUNT",
        (
            r"mit AMOUNT (?:Pause|Abstand)(?:"
            r" dazwischen)?"
        ),
    ),
}
_DURATION = {
    "en": (
        r"(?:for|during|over|throughout|within|in) (?:the )?(?:next|coming|following) AMOUNT",
        (
            r"(?:that |which )?(?:runs? |lasts? |lasting |going on |going )?(?:for|during|over"
            r"|throughout) (?:(?:a total of|about|like|roughly|maybe|approximately|another|around|the course of"
            r"|up to|at most|exactly|the) )*AMOUNT"
        ),
        r"for an? entire UNIT",
        r"AMOUNT long",
        r"lasting AMOUNT",
    ),
    "fr": (
        r"(?:pendant|durant|sur|pour|dans) les (?:prochaines?|prochains?) AMOUNT",
        r"dans les (?=[\w ]*prochain)AMOUNT",
        r"(?:pendant|durant|sur une dur[eé]e de|pour|sur) (?:les |toute |tout |environ |[aà] peu pr[eè]s )?AMOUNT",
    ),
    "es": (
        r"(?:durante|en|por) (?:los|las|la|el) pr[oó]xim[oa]s? AMOUNT",
        r"durante (?:unos |unas |como |aproximadamente |m[aá]s o menos )*AMOUNT",
        r"por (?!minuto|hora|segundo)(?:unos |unas )?AMOUNT",
    ),
    "de": (
        r"(?:in|w[aä]hrend|f[uü]r|[uü]ber) (?:den|der|die) n[aä]chsten? AMOUNT",
        r"(?:f[uü]r |[uü]ber )?AMOUNT lang",
        r"(?:f[uü]r|[uü]ber|w[aä]hrend) (?:so |etwa |ungef[aä]hr |circa |ca\. )*AMOUNT",
    ),
}
_DELAY = {
    "en": (
        (
            r"(?:set (?:a |the )?(?:timer|alarm|countdown) (?:for|to|of) |start (?:a |the )?(?:timer"
            r"|countdown) (?:for"
            r"|of) )AMOUNT,?\s*(?:and )?(?:then )?(?:(?:when|once|as soon as|after) (?:it|that|this|the timer"
            r"|the alarm)(?: \w+){0,2}?"
            r" ?(?:rings?|is up|is over|is done|goes off|ends?|finishes|beeps?|has passed|expires?|runs out"
            r"|elapses?"
            r"|has run out))"
        ),
        (
            r"(?:wait(?:s|ing)?|hold on|hang on|pause|give (?:me|us))(?: for| another)? AMOUNT(?:,? and then"
            r"|,? and|,? then|,? before you|,)?"
        ),
        r"(?:do a )?count(?:s|ing)?[ -]?down(?: from| for)? AMOUNT(?:,? and then|,? and|,? then|,)?",
        (
            r"(?:when|once|as soon as|after) AMOUNT (?:have|has|is|are)(?: been)? (?:passed|gone by|gone|up|over"
            r"|elapsed)"
        ),
        r"AMOUNT (?:from now|later|hence)",
        r"(?:in|after) (?:about |like |roughly |maybe |exactly |another )?AMOUNT(?: time)?(?: from now)?(?:,? then)?",
    ),
    "fr": (
        r"attends? AMOUNT(?:,? et ensuite|,? et puis|,? puis|,? et|,)?",
        (
            r"(?:dans|apr[eè]s|d'ici"
            r"|au bout de?) (?:environ"
            r" )?AMOUNT"
        ),
    ),
    "es": (
        r"espera AMOUNT(?:,? y (?:luego|despu[eé]s)|,? y|,? luego|,)?",
        r"(?:de aqu[ií] a|dentro de|en|tras|despu[eé]s de|al cabo de|pasad[oa]s?) (?:unos |unas )?AMOUNT",
    ),
    "de": (
        r"warte AMOUNT(?:,? und dann|,? dann|,? und|,)?",
        (
            r"(?:in|nach) (?:etwa )?AMOUNT(?:,?"
            r" dann)?"
        ),
    ),
}
_WAITS = re.compile(r"(?:wait|hold|hang|pause|give|att|esp|wart|count|do a count)", re.IGNORECASE)
_SAYS_ORDER = re.compile(
    r"^(?:(?:first|please|just|now|you|to|d'abord|primero|zuerst|erst|erstmal|bitte|and)\W*)+$|^.*:$",
    re.IGNORECASE,
)
_JOINT_BEFORE = re.compile(r"(?:[,;.]|\b(?:and|then|et|puis|y|luego|und|dann))\s*$", re.IGNORECASE)
_TIMES = re.compile(
    (
        r"(?:,|;|\band\b|\bund\b|\bet\b|\by\b)?\s*(?:in total,? )?(?:do (?:it|this|that) )?\b(?P<times>(?:\w+"
        r"|\d+)(?:[- ]\w+)?\s+times|twice|once|(?:\w+|\d+)\s+fois"
        r"|(?:\w+|\d+)\s+veces|\w+mal|\d+\s?mal)(?: in total| altogether| en tout| en total| insgesamt)?\b"
    ),
    re.IGNORECASE,
)
_FOREVER = re.compile(
    (
        r",?\s*\b(?:until i (?:say|tell you to) (?:stop|enough)|until (?:i )?stop(?:ped)?(?: you)?|forever"
        r"|all the time"
        r"|non ?stop|endlessly|continuously|indefinitely"
        r"|jusqu'[aà] ce que je (?:dise|te dise d')\s*\w+|sans (?:arr[eê]t|fin)|hasta que (?:yo )?(?:diga"
        r"|te diga que) \w+|sin parar|bis ich (?:stopp|halt|stop) sage"
        r"|ununterbrochen|immer wieder|(?:for )?a (?:little )?while|pendant un moment|(?:durante )?un rato"
        r"|eine weile(?: lang)?|again and again|over and over(?: again)?|repeatedly)\b"
    ),
    re.IGNORECASE,
)
_OPEN_END = re.compile(r"\b(?:until|till|jusqu'|hasta que|bis)\b", re.IGNORECASE)
_OFTEN = {"once": 1, "twice": 2, "thrice": 3, "zweimal": 2, "dreimal": 3, "einmal": 1, "viermal": 4}


@dataclass(frozen=True)
class Timing:
    """Seconds; None where nothing was said. `rest`: the request without its times."""

    rest: str
    interval_s: float | None = None
    duration_s: float | None = None
    delay_s: float | None = None
    times: int | None = None
    open_end: bool = False
    """Whether it goes on until something that no clock tells."""
    delay_leads: bool = False
    """Whether all of the request waits, not only what comes after: "nod, wait a minute and dance"."""

    @property
    def is_timed(self) -> bool:
        return self.interval_s is not None or self.duration_s is not None or self.delay_s is not None


def read(text: str, language: str = "en") -> Timing:
    """The times of a request."""
    language = language if language in _UNITS else "en"
    timing = Timing(time_spelling.corrected(" ".join(text.replace("\u2019", "'").split()), language))
    timing = _without_interval(replace(timing, rest=_FOREVER.sub("", timing.rest)), language)
    rest, delay, leads = _waited(
        timing.rest, _patterns(language, _DELAY[language][:2]), language
    )  # "set a timer for ..." before "for ..."
    rest, duration = _taken(rest, _patterns(language, _DURATION[language]), language)
    if delay is None:
        rest, delay, leads = _waited(rest, _patterns(language, _DELAY[language]), language)
    rest, left = deadlines.read(rest, language) if delay is None else (rest, None)
    open_end = bool(_OPEN_END.search(rest))
    return replace(
        timing, rest=_tidy(rest), duration_s=duration or left, delay_s=delay, delay_leads=leads, open_end=open_end
    )


def without_times(timing: Timing, language: str) -> Timing:
    """With "five times" read as how often in all."""
    found = _TIMES.search(timing.rest)
    times = quantities.times(found["times"], language) if found else None
    if found is None or not times:
        return timing
    said = found["times"]
    while (shorter := said.partition(" ")[2].strip()) and quantities.times(shorter, language) == times:
        said = shorter  # "nod 6 times": the first word is no number
    start = found.start() if said == found["times"] else found.end("times") - len(said)
    return replace(timing, rest=_tidy(f"{timing.rest[:start]} {timing.rest[found.end() :]}"), times=times)


def _without_interval(timing: Timing, language: str) -> Timing:
    for pattern in _patterns(language, _INTERVAL[language]):
        for found in pattern.finditer(timing.rest):
            if seconds := _interval(found, language):
                rest = _cut(timing.rest, found)
                return replace(timing, rest=rest, interval_s=seconds)
    return timing


def _interval(found: re.Match[str], language: str) -> float | None:
    groups = found.groupdict()
    if groups.get("adverb"):
        return 3600.0
    if groups.get("unit"):
        whole = seconds(f"1 {groups['unit']}", language)
        often = 1.0
        if said := groups.get("often"):
            often = _OFTEN.get(said.casefold().split()[0]) or quantities.count(said, language) or 0
        return whole / often if whole and often else None
    return seconds(groups["amount"], language)


def _taken(text: str, patterns: tuple[re.Pattern[str], ...], language: str) -> tuple[str, float | None]:
    found, value = _first(text, patterns, language)
    return (_cut(text, found), value) if found is not None else (text, None)


def _waited(text: str, patterns: tuple[re.Pattern[str], ...], language: str) -> tuple[str, float | None, bool]:
    """The text without its first delay, the delay, and whether the whole text is about what comes after it."""
    found, value = _first(text, patterns, language)
    if found is None:
        return text, None, False
    before = text[: found.start()].strip(" ,;")
    waits = bool(_WAITS.match(found[0]))
    leads = not _SAYS_ORDER.sub("", before) or not (waits or _JOINT_BEFORE.search(text[: found.start()]))
    return _cut(text, found), value, leads


def _first(
    text: str, patterns: tuple[re.Pattern[str], ...], language: str
) -> tuple[re.Match[str] | None, float | None]:
    for pattern in patterns:
        for found in pattern.finditer(text):
            groups = found.groupdict()
            said = groups.get("amount") or f"1 {groups.get('unit')}"
            if value := seconds(said, language):
                return found, value
    return None, None


def _cut(text: str, found: re.Match[str]) -> str:
    """The text without the match."""
    return f"{text[: found.start()].rstrip()} {text[found.end() :].lstrip()}".strip()


def seconds(amount: str, language: str = "en") -> float | None:
    """An amount of time in seconds, within a day; also "minute" and "half hour", which are one and a half."""
    said = re.sub(
        r"\b(?:next|prochaines?|prochains?|pr[oó]xim[oa]s?|n[aä]chsten?|coming|entire|whole|full|single)\b",
        " ",
        amount.casefold(),
    )
    said = re.sub(r"\b(?:an?|one)(?= day)", "1", said)
    said = re.sub(r"\b(?:other|second) (?=second|minute|hour)", "2 ", said)
    said = re.sub(r"\bhalf[- ](?:an? )?(hour|minute)", r"half an \1", said).replace("half an minute", "half a minute")
    said = re.sub(r"\b(?:toute?s?|gute[nr]?|bonnes?)\b", " ", said)
    said = re.sub(r"\b(?:quelques|(?:ein )?paar|unos cuantos|unas cuantas)\b", "3", said)
    said = re.sub(r"\b(?:un )?par de\b", "2", said)
    said = re.sub(r"\b(?:une? )?demi[- ]?heures?\b", "30 minutes", said)
    said = re.sub(r"\b(?:un )?quarts? d'heure\b", "15 minutes", said)
    said = re.sub(r"(\d)([a-z])", r"\1 \2", said.replace("-", " "))
    said = re.sub(r"\b(?:tag|journ[eé]e)\b", lambda each: {"t": "tage"}.get(each[0][0], "jours"), said)
    said = re.sub(r"\b(?:eine )?halben? minute\b", "30 sekunden", said)
    said = re.sub(r"\b(minutes?) et demie?\b", r"\1 30 secondes", said)
    said = re.sub(r"\b(minutos?) y medio\b", r"\1 30 segundos", said)
    value = _read_seconds(said, language)
    if value is None:
        value = _read_seconds(f"1 {said.strip()}", language)
    return value if value and 0 < value <= deadlines.DAY_S else None


def _read_seconds(said: str, language: str) -> float | None:
    found = quantities.length(said, language)
    return float(sum(value * quantities.UNIT_SECONDS[unit] for unit, value in found.items())) if found else None


def _tidy(text: str) -> str:
    text = re.sub(r"\s+([,;:.!?])", r"\1", " ".join(text.split()))
    text = re.sub(r"[,;\s]+([,;.!?])", r"\1", text)
    text = re.sub(r"(?:[\s,;:]+(?:so|and|und(?: das)?|et(?: [cç]a)?|y(?: eso)?))+$", "", text, flags=re.IGNORECASE)
    return re.sub(r"^(?:[\s,;:.]|\b(?:and|then|et|puis|y|luego|und|dann)\b)+|[\s,;:]+$", "", text, flags=re.IGNORECASE)
