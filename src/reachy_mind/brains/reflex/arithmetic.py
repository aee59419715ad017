"""Sums, as people say them: "what is twelve times seven", "combien font 3 plus 4", "fifteen percent of eighty"."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable

from reachy_mind.brains.reflex.quantities import english
from reachy_mind.brains.reflex.tokens import Spoken
from reachy_mind.models.wordpiece import without_accents

LONGEST = 200
_MOST = 1e15
_SIGNS = (
    (r"\*\*|\^", "to the power of"),
    (r"\*|(?<=\d)\s*[x\u00d7]\s*(?=\d)|\u00d7", "times"),
    (r"/|\u00f7", "divided by"),
    (r"\+", "plus"),
    (r"(?<=[\d)])\s*[-\u2212]\s*(?=[\d(])", "minus"),
    (r"\(", "openbracket"),
    (r"\)", "closebracket"),
)
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_SHARES = {
    "halfof": (
        "/2",
        (
            r"(?:a |one )?half (?:of )?|(?:la )?moiti[e\u00e9] de |(?:la )?mitad de "
            r"|(?:die )?h[a\u00e4]e?lfte von "
        ),
    ),
    "twothirdsof": ("*2/3", r"two[- ]thirds of |(?:les )?deux tiers de |dos tercios de |zwei[- ]?drittel von "),
    "thirdof": ("/3", r"(?:a |one |1 )third of |(?:un |le )tiers de |(?:un )?tercio de |(?:ein )?drittel von "),
    "threequartersof": (
        "*3/4",
        (
            r"three[- ]quarters of |(?:les )?trois quarts de |tres cuartos de "
            r"|drei[- ]?viertel von "
        ),
    ),
    "quarterof": ("/4", r"(?:a |one |1 )?quarter of |(?:un |le )quart de |(?:un )?cuarto de |(?:ein )?viertel von "),
    "fifthof": (
        "/5",
        (
            r"(?:a |one )fifth of |(?:un |le )cinqui[e\u00e8]me de |(?:un )?quinto de "
            r"|(?:ein )?f[u\u00fc]e?nftel von "
        ),
    ),
    "tenthof": (
        "/10",
        (
            r"(?:a |one )tenth of |(?:un |le )dixi[e\u00e8]me de |(?:un )?d[e\u00e9]cimo de "
            r"|(?:ein )?zehntel von "
        ),
    ),
    "doubleof": ("*2", r"(?:the )?double(?: of)? |twice |le double de |(?:el )?doble de |(?:das )?doppelte von "),
    "tripleof": ("*3", r"(?:the )?triple(?: of)? |le triple de |(?:el )?triple de |(?:das )?dreifache von "),
}
"""What stands for a share or a multiple of the next number, and how it is said; before numbers are read."""
_ROOT = (
    r"(?:the )?(?:square root of|racine (?:carree )?de|raiz (?:cuadrada )?de|(?:die )?(?:quadrat)?wurzel (?:aus|von))"
)
_CUBE_ROOT = (
    r"(?:the )?(?:cube root of|racine cubique de|raiz cubica de|(?:die )?(?:kubikwurzel|dritte wurzel) (?:aus|von))"
)
_AND = r"(?:and|plus|with|to|et|y|mas|und|mit|a|zu)"
_ASKS = r"(?:how much (?:is|are|do|does)|what (?:is|are|do|does)|combien (?:font|fait)|cuanto (?:es|son))"
_WORDS = (
    (r"openbracket", "("),
    (r"closebracket", ")"),
    (rf"{_CUBE_ROOT} {_NUMBER}", r"(\1**(1/3))"),
    (rf"{_ROOT} {_NUMBER}", r"(\1**0.5)"),
    *((rf"{word} {_NUMBER}", rf"(\1{share})") for word, (share, _) in _SHARES.items()),
    (rf"{_NUMBER} (?:percent|%) (?:off|discount on|less than) {_NUMBER}", r"(\2*(1-\1/100))"),
    (rf"{_NUMBER} (?:percent|%) (?:of|de|von|del?) {_NUMBER}", r"(\1/100*\2)"),
    (
        (
            rf"(?:add|j?ajoute[rsz]?|suma(?:r|s)?|addiere?n?|sum of|somme de|suma de|summe (?:von"
            rf"|aus)) {_NUMBER} {_AND} (?:de )?{_NUMBER}"
        ),
        r"(\1+\2)",
    ),
    (
        (
            rf"(?:subtract|take(?: away)?|soustra\w+|enleve[rsz]?|resta[rs]?|subtrahiere?n?"
            rf"|ziehe?n?) {_NUMBER} (?:away )?(?:from|de|a|von) {_NUMBER}"
            r"(?: ab)?"
        ),
        r"(\2-\1)",
    ),
    (
        (
            r"(?:multiply|multiplie[rsz]?|multiplica[rs]?|multipliziere?n?|product of|produit de|producto de"
            rf"|produkt (?:von|aus)) {_NUMBER}"
            rf" (?:by|par|por|{_AND[3:-1]}) (?:de )?{_NUMBER}"
        ),
        r"(\1*\2)",
    ),
    (rf"(?:divide[sr]?|divise[rsz]?|teile?n?|dividiere?n?) {_NUMBER} (?:by|par|por|entre|durch) {_NUMBER}", r"(\1/\2)"),
    (
        (
            rf"(?:the )?(?:difference|diferencia|differenz) (?:between|of|entre|de|zwischen"
            rf"|von) {_NUMBER} {_AND} {_NUMBER}"
        ),
        r"(\1-\2)",
    ),
    (rf"{_NUMBER} less than {_NUMBER}", r"(\2-\1)"),
    (rf"{_NUMBER} more than {_NUMBER}", r"(\2+\1)"),
    (rf"{_ASKS} {_NUMBER} (?:and|et|y) {_NUMBER}", r"\1+\2"),
    (r"squared|au carre|al cuadrado|zum quadrat|im quadrat", "**2"),
    (r"cubed|au cube|al cubo|hoch 3", "**3"),
    (r"(?:raised )?to the power of|puissance|elevado a(?: la)?|hoch", "**"),
    (r"multipl(?:y|ied)(?: it| that)? by|multipliez? par|multiplicado por|times|fois|por|mal|x", "*"),
    (r"divided? (?:it |that )?by|divisee? par|dividido (?:por|entre)|geteilt durch|over|sur|entre|durch", "/"),
    (r"added to|plus|mas|und|add", "+"),
    (r"take away|minus|less|moins|menos|weniger|subtract", "-"),
)
_THEN = re.compile(r",? ?(?:and )?\b(?:then|puis|ensuite|luego|despues|dann|danach)\b")
_FURTHER = re.compile(r"(\*\*|[*/+-])\s*(\d+(?:\.\d+)?)")
_FACTORIAL = re.compile(
    r"(?<!\w)(?:(\d+) (?:factorial|factorielle|fakultat)|(?:factorial|factorielle|fakultat) (?:of|de|von) (\d+))(?!\w)"
)
_MOST_FACTORIAL = 17
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def answer(text: str, language: str = "en") -> str:
    """The result in digits; empty when it is no sum that can be done."""
    if len(text) > LONGEST:
        return ""
    said = re.sub(r"(?<!\w)(?:pour ?cents?|por ?ciento|per cent)(?!\w)", "percent", text.lower())
    if re.search(r"\bsave\b", said):  # what is taken off, and not what is left
        said = re.sub(r"(percent|%) off\b", r"\1 of", said)
    if language != "en":
        said = re.sub(r"(\d),(\d)", r"\1.\2", said)
    for share, (_, words) in _SHARES.items():
        said = re.sub(rf"(?<!\w)(?:{words})(?=[\w(])(?!an hour|a (?:minute|day|year))", f"{share} ", said)
    said = without_accents(english(said, language))
    for sign, word in _SIGNS:
        said = re.sub(sign, f" {word} ", said)
    first, *later = _THEN.split(_FACTORIAL.sub(_factorial, Spoken.of(said).text))
    expression = _sum(first)
    for piece in later:
        if (further := _FURTHER.search(_symbols(piece))) and expression:
            expression = f"({expression}){further[1]}{further[2]}"
    return written(_value(expression), language) if expression else ""


def _symbols(words: str) -> str:
    for old, new in _WORDS:
        words = re.sub(rf"(?<!\w)(?:{old})(?!\w)", new, words)
    return words


def _sum(words: str) -> str:
    """The longest sum in it, in symbols; empty when there is none."""
    sums = re.findall(r"[(-]?\s*[\d.]+(?:[\s\d.+\-*/()]*[\d)])?", _symbols(words))
    best: str = max(sums, key=len, default="").strip()
    return best.replace(" ", "") if re.search(r"[+\-*/]", best[1:]) else ""


def _factorial(found: re.Match[str]) -> str:
    number = int(found[1] or found[2])
    return f"0+{math.factorial(number)}" if number <= _MOST_FACTORIAL else found[0]


def _value(expression: str) -> float | None:
    try:
        return _of(ast.parse(expression, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError, MemoryError):
        return None


def _of(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_of(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            one, other = _of(left), _of(right)
            if isinstance(op, ast.Pow) and (abs(other) > 64 or abs(one) > 1e6):
                raise OverflowError
            value = _OPERATORS[type(op)](one, other)
            if isinstance(value, complex) or not abs(value) < _MOST:
                raise OverflowError
            return value
    raise ValueError("no sum")


def written(value: float | None, language: str = "en") -> str:
    """A number as it is told; empty for none."""
    if value is None or not math.isfinite(value):
        return ""
    near = round(value, 9)
    if near == int(near):
        return str(int(near))
    text = f"{value:.4g}" if abs(value) < 1 else f"{round(value, 3):.3f}".rstrip("0")
    return text if language == "en" else text.replace(".", ",")
