"""Sums that are told as little stories: "I bought 3 loaves at 2 euros 50 each, what did I pay?".

Only with two or three numbers, a clear verb and a clear question; the result is told with the currency that was named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reachy_mind.brains.reflex.arithmetic import written
from reachy_mind.brains.reflex.quantities import english
from reachy_mind.brains.reflex.tokens import Spoken
from reachy_mind.models.wordpiece import without_accents

LONGEST = 300
MOST_NUMBERS = 4
_NUMBER = r"\d+(?:\.\d+)?"
_LARGE = r"(?:euros?|pounds?|dollars?|francs?|libras?|dolares?|pfund|dollar|franken|\u20ac|\u00a3|\$)"
_SMALL = r"(?:cents?|pence|p|pennies|centimes?|centimos?|centavos?)"
_MONEY = re.compile(
    rf"(?P<sign>[\u20ac\u00a3$]) ?(?P<signed>{_NUMBER})"
    rf"|(?P<large>{_NUMBER}) ?(?P<currency>{_LARGE})(?: (?:and|et|y|con|und) (?=\d)"
    rf"| ?(?=\d))?(?P<rest>\d{{1,2}}\b(?! ?[a-z]*\.\d))?"
    rf"(?: ?{_SMALL}\b)?"
    rf"|(?P<small>{_NUMBER}) ?(?P<coin>{_SMALL})\b"
)
_SIGNS = {"\u20ac": "euro", "\u00a3": "pound", "$": "dollar"}
_NAMES = {
    "en": {"euro": "euros", "pound": "pounds", "dollar": "dollars", "franc": "francs"},
    "fr": {"euro": "euros", "pound": "livres", "dollar": "dollars", "franc": "francs"},
    "es": {"euro": "euros", "pound": "libras", "dollar": "d\u00f3lares", "franc": "francos"},
    "de": {"euro": "Euro", "pound": "Pfund", "dollar": "Dollar", "franc": "Franken"},
}
_COINS = {
    "en": {"euro": "cents", "pound": "pence", "dollar": "cents", "franc": "centimes"},
    "fr": {"euro": "centimes", "pound": "pence", "dollar": "cents", "franc": "centimes"},
    "es": {"euro": "c\u00e9ntimos", "pound": "peniques", "dollar": "centavos", "franc": "c\u00e9ntimos"},
    "de": {"euro": "Cent", "pound": "Pence", "dollar": "Cent", "franc": "Rappen"},
}
_ASKS = re.compile(
    r"\bhow (?:much|many)\b|\bwhat (?:did|do|does|will|would|must|should|is) (?:i|he|she|we|it|they|the|that|each"
    r"|everyone)\b"
    r"|\bwhat(?:'s| is) (?:left|the total|the change|the price)\b|\bdo i get back\b"
    r"|\bcombien\b|\bqu'est-ce (?:que|qui)\b|\bcuant[oa]s?\b|\bque (?:me queda|pago|cuesta)\b|\bwie ?viele?\b"
    r"|\bwas (?:kostet|zahle|bleibt|habe)\b"
)
_EACH = re.compile(
    r"\b(?:each|apiece|per (?:piece|item|person|kilo|box|bag|ticket)|a piece|each of (?:them|which)|every one"
    r"|chacune?|l'unite|la piece|piece|cada un[oa]"
    r"|la unidad|cada(?: (?:1|#))?|je|pro (?:stuck|person)|das stuck|jeweils)\b|\ba (?=kilo|bag|box|ticket|bottle|day"
    r"|week|hour)"
)
_BUYS = re.compile(
    r"\b(?:buy|buys|bought|cost|costs|pay|paid|order(?:ed)?|sell|sold|tickets?|achete\w*|coute\w*|compr\w+|cuesta\w*"
    r"|cost[oa]\w*"
    r"|kauf\w*|gekauft|kostet\w*|at|zu je|a)\b"
)
_SHARES = re.compile(
    r"\b(?:share[sd]?|sharing|split|divide[sd]?|divided|distribut\w+|each (?:child|person|kid|one|friend|of)"
    r"|partage\w*|repart\w*"
    r"|divise\w*|distribu\w*|verteil\w*|teile?n?|geteilt|aufgeteilt)\b"
)
_AMONG = re.compile(r"\b(?:among|amongst|between|by|with|into|for|entre|en|parmi|avec|con|unter|auf|durch|an|mit)\b")
_HALF = re.compile(
    r"\b(?:half|moitie|mitad|halfte|halbe)\b|\b(?P<third>a third|un tiers|un tercio|ein drittel)\b"
    r"|\b(?P<quarter>a quarter|un quart|un cuarto|una cuarta parte|ein viertel)\b"
)
_LOSES = re.compile(
    r"\b(?:give[sn]?|gave|giving|lose[sn]?|lost|eat[sn]?|ate|eaten|spen[dt]s?|pay|paid|break[s]?|broke|drop[s]?"
    r"|dropped|take[sn]? away|took away|take[sn]?|took"
    r"|use[sd]?|sell[s]?|sold|drink[s]?|drank|leave|left the|get off|got off|fly away|flew away|run away|ran away|die"
    r"|died|burst"
    r"|donne\w*|perd\w*|mange\w*|depense\w*|casse\w*|vend\w*|bois|bu|utilise\w*|s'envole\w*"
    r"|doy|da|di|dio|pierd\w+|perdi\w*|com[oie]\w*|gast\w+|rompe\w*|vend\w+|bebo|uso|regal\w+"
    r"|gebe|gibt|gab|gegeben|verlier\w*|verlor\w*|esse|isst|ass|gegessen|verschenk\w*|verbrauch\w*|verkauf\w*"
    r"|trink\w*|weg)\b"
)
_GAINS = re.compile(
    r"\b(?:get[s]?(?! (?:off|back))|got(?! off)|find[s]?|found|receive[sd]?|earn[s]?|earned|win[s]?|won|add[s]?"
    r"|buy[s]?|bought|pick[s]?|picked|more|another|gives? me|gave me"
    r"|arrive[sd]?|join[s]?|joined|come[s]?|came|collect\w*"
    r"|recois|recoi\w*|trouve\w*|gagne\w*|achete\w*|me donne|arrivent|ajoute\w*|recib\w+|encuentr\w+|gan[oae]\w*"
    r"|compr\w+|me da|me dan|llegan|bekomm\w*"
    r"|finde\w*|gefunden|gewinn\w*|kauf\w*|gekauft|kommen|dazu|kriege?)\b"
)
_GIVES_ME = re.compile(
    r"\b(?:gives?|gave|hand(?:s|ed)?) me\b|\bme (?:donne|da|dan|dio|regala)\b|\b(?:gibt|schenkt|gab) mir\b"
)
_CHANGE = re.compile(r"\b(?:change|get back|monnaie|rend\w*|cambio|vuelta|devuelv\w+|wechselgeld|zuruck)\b")
_EACH_PAYS = re.compile(
    r"\b(?:does|must|should|do|will|has) (?:each|everyone|everybody|every)\b|\bchacune? (?:paie|doit|paye)|\b(?:paie"
    r"|doit) chacune?\b"
    r"|\b(?:paga|toca a|cuesta a) cada\b|\b(?:zahlt|muss|kostet es) jede\w*\b"
)
_KEPT = re.compile(r"\b(?:left|remain\w*|keep|reste\w*|queda\w*|ubrig|bleib\w*|noch)\b")
_GETS = re.compile(
    r"\b(?:does|do|did|will) (?:tom|he|she|\w+|my \w+|each|they) (?:\w+ )?(?:get|have|receive)\b|\b(?:recoit|recibe"
    r"|bekommt|kriegt)\b"
)


@dataclass(frozen=True)
class _Amount:
    value: float
    currency: str = ""
    coins: bool = False
    """Whether only the small coin was named: "ninety pence"."""


_OFF = re.compile(
    rf"(?P<price>{_NUMBER})(?! ?(?:%|percent)).*?\b(?P<percent>\d+) ?(?:%|percent) (?:off|discount|cheaper"
    rf"|reduced)",
    re.IGNORECASE,
)
"""What is sold for less: "it costs 40 euros and is 25 percent off"."""
_SAVED = re.compile(r"\bsave\b|\bhow much (?:is|was) the discount\b")
"""Where what is taken off is asked for, and not what is left."""


def answer(text: str, language: str = "en") -> str:
    """The result as it is told; empty when it is no such problem."""
    if len(text) > LONGEST:
        return ""
    said = re.sub(r"\b(cada|chaque) 1\b", r"\1", _plain(text, language))
    if not _ASKS.search(said):
        return ""
    amounts, said = _read(said)
    if off := _OFF.search(text):
        price, part = float(off["price"].replace(",", ".")), float(off["percent"]) / 100
        wanted = price * part if _SAVED.search(said) else price * (1 - part)
        return _told(wanted, next((one for one in amounts if one.currency), None), amounts, language)
    if not 1 <= len(amounts) <= MOST_NUMBERS:
        return ""
    value = _reckoned(said, [one.value for one in amounts], [bool(one.currency) for one in amounts])
    if value is None or value < 0:
        return ""
    money = next((one for one in amounts if one.currency), None)
    counts_things = money is not None and not _asks_money(said, amounts)
    return _told(value, None if counts_things else money, amounts, language)


def _plain(text: str, language: str) -> str:
    """Small letters and digits, the words for units kept."""
    said = text.lower().replace("\u2019", "'").replace("#", " ")
    if language != "en":
        said = re.sub(r"(\d),(\d)", r"\1.\2", said)
    said = re.sub(r"([\u20ac\u00a3$])", r" \1 ", said)
    marked = re.sub(r"[\u20ac]", " eurosign ", re.sub(r"\u00a3", " poundsign ", said)).replace("$", " dollarsign ")
    plain = Spoken.of(without_accents(english(marked, language))).text
    for word, sign in (("eurosign", "\u20ac"), ("poundsign", "\u00a3"), ("dollarsign", "$")):
        plain = plain.replace(word, sign)
    return plain


def _read(said: str) -> tuple[list[_Amount], str]:
    """The amounts in order, and the text with a mark in place of each."""
    amounts: list[_Amount] = []

    def money(found: re.Match[str]) -> str:
        if found["sign"]:
            amounts.append(_Amount(float(found["signed"]), _SIGNS[found["sign"]]))
        elif found["large"]:
            rest = float(found["rest"] or 0) / 100
            amounts.append(_Amount(float(found["large"]) + rest, _currency(found["currency"])))
        else:
            pound = found["coin"] in ("p", "pence", "pennies")
            amounts.append(_Amount(float(found["small"]) / 100, "pound" if pound else "euro", coins=True))
        return f"#{len(amounts) - 1}#"

    def bare(found: re.Match[str]) -> str:
        amounts.append(_Amount(float(found[0])))
        return f"#{len(amounts) - 1}#"

    text = _MONEY.sub(money, said)
    text = re.sub(rf"(?<![\w#.]){_NUMBER}(?![\w#])", bare, text)
    order = [int(place) for place in re.findall(r"#(\d+)#", text)]
    return [amounts[place] for place in order], re.sub(r"#\d+#", "#", text)


def _currency(word: str) -> str:
    if word in _SIGNS:
        return _SIGNS[word]
    return {"e": "euro", "d": "dollar", "f": "franc"}.get(word[:1], "pound")


def _reckoned(said: str, values: list[float], money: list[bool]) -> float | None:  # noqa: PLR0911 -- the first that fits
    """The result; None where the story is not clear."""
    story = said.partition("?")[0]
    if len(values) == 1:
        return _part(story, values[0])
    first, second = values[0], values[1]
    if len(values) == 2 and sum(money) == 1 and _CHANGE.search(said):
        return None
    if len(values) == 2 and sum(money) == 1 and _EACH_PAYS.search(said):
        price, count = (first, second) if money[0] else (second, first)
        return price / count if count else None
    buys = _BUYS.search(story) and not money[0] and (sum(money) == 1 or _CHANGE.search(said))
    if sum(money) >= 1 and not all(money) and (_EACH.search(story) or buys):
        return _bought(said, values, money)
    if len(values) == 2 and all(money) and _CHANGE.search(said):
        return abs(first - second)
    if len(values) == 2 and _SHARES.search(said) and (_AMONG.search(said) or _EACH.search(said)):
        return first / second if second else None
    if (
        len(values) == 2
        and re.search(r"\beach\b|\bjede\w*\b|\bchaque\b|\bchacune?\b|\bcada\b", story)
        and not _LOSES.search(story)
    ):
        return first * second
    return _in_turn(story, values)


def _part(story: str, value: float) -> float | None:
    share = _HALF.search(story)
    if share is None or not (_LOSES.search(story) or _SHARES.search(story) or _GETS.search(story)):
        return None
    parts = 3 if share["third"] else 4 if share["quarter"] else 2
    keeps = _KEPT.search(story) or re.search(r"\b(?:do|does) (?:i|we) (?:still )?have\b", story)
    return value - value / parts if keeps else value / parts


def _bought(said: str, values: list[float], money: list[bool]) -> float | None:
    """So many at a price each; with what is paid with, the change."""
    priced = list(zip(values, money, strict=True))
    counts = [value for value, is_money in priced if not is_money]
    prices = [value for value, is_money in priced if is_money]
    if len(counts) == len(prices) and counts:
        return sum(count * price for count, price in zip(counts, prices, strict=True))
    if len(counts) == 1 and len(prices) == 2 and (_CHANGE.search(said) or _KEPT.search(said)):
        return max(prices) - counts[0] * min(prices)
    return None


def _in_turn(story: str, values: list[float]) -> float | None:
    """Who has so many and gets or loses some: the verb before each number, else the one after it, says which."""
    pieces = story.split("#")
    if len(pieces) != len(values) + 1:  # numbers after the question
        return None
    total, sign = values[0], 0
    for place, value in enumerate(values[1:], start=1):
        before, after = pieces[place], pieces[place + 1] if place + 1 < len(pieces) else ""
        carried = sign if re.search(r"(?:,|\band|\bet|\by|\bund)[^,]*$", before) else 0
        near = re.split(r"[,.]| (?:and|et|y|und|then) ", before)[-1]
        follows = re.split(r"[,.]| (?:and|et|y|und|then) | how | combien | cuant| wie", after)[0]
        sign = _sign(near) or _sign(follows) or carried or _sign(before)
        if not sign:
            return None
        total += sign * value
    return total


def _sign(words: str) -> int:
    if _GIVES_ME.search(words):
        return 1
    lost = [found.start() for found in _LOSES.finditer(words)]
    gained = [found.start() for found in _GAINS.finditer(words)]
    if not lost and not gained:
        return 0
    return -1 if max(lost, default=-1) > max(gained, default=-1) else 1


def _asks_money(said: str, amounts: list[_Amount]) -> bool:
    """Whether money is asked for: what was shared, spent or paid, and not how many things there are."""
    return not re.search(r"\bhow many (?!euros|pounds|dollars|cents|pence)", said) or all(
        one.currency for one in amounts
    )


def _told(value: float, money: _Amount | None, amounts: list[_Amount], language: str) -> str:
    if money is None:
        return written(value, language)
    currency = money.currency
    if all(one.coins for one in amounts if one.currency) and value < 1:
        return f"{written(round(value * 100, 2), language)} {_COINS[language][currency]}"
    whole = value == int(value)
    shown = str(int(value)) if whole else f"{value:.2f}"
    return f"{shown if language == 'en' else shown.replace('.', ',')} {_NAMES[language][currency]}"
