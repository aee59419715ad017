"""Sums, as people say them: "what is twelve times seven", "combien font 3 plus 4", "fifteen percent of eighty"."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable

from reachy_mind.brains.reading.pieces import plain
from reachy_mind.brains.reading.quantities import english
from reachy_mind.brains.tokens import Spoken

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
_NUMBER = r"(\d+(?:\.\d+)?)"
_ROOT = r"(?:the )?(?:square root of|racine (?:carree )?de|raiz cuadrada de|(?:die )?(?:quadrat)?wurzel (?:aus|von))"
_WORDS = (
    (r"openbracket", "("),
    (r"closebracket", ")"),
    (rf"{_ROOT} {_NUMBER}", r"(\1**0.5)"),
    (rf"{_NUMBER} (?:percent|%) (?:of|de|von) {_NUMBER}", r"(\1/100*\2)"),
    (rf"(?:half of|la moitie de|la mitad de|die halfte von) {_NUMBER}", r"(\1/2)"),
    (rf"(?:double|twice) {_NUMBER}", r"(\1*2)"),
    (r"squared|au carre|al cuadrado|zum quadrat", "**2"),
    (r"cubed", "**3"),
    (r"(?:raised )?to the power of|puissance|elevado a|hoch", "**"),
    (r"multiplied by|multiplie par|multiplicado por|times|fois|por|mal", "*"),
    (r"divided by|divise par|dividido (?:por|entre)|geteilt durch|over|sur|entre|durch", "/"),
    (r"added to|plus|mas|und", "+"),
    (r"take away|minus|less|moins|menos|weniger", "-"),
)
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
    said = plain(english(text, language))
    for sign, word in _SIGNS:
        said = re.sub(sign, f" {word} ", said)
    words = Spoken.of(said).text
    for old, new in _WORDS:
        words = re.sub(rf"(?<!\w)(?:{old})(?!\w)", new, words)
    sums = re.findall(r"[(-]?\s*[\d.]+(?:[\s\d.+\-*/()]*[\d)])?", words)
    best = max(sums, key=len, default="").strip()
    if not re.search(r"[+\-*/]", best[1:]):
        return ""
    return _written(_value(best.replace(" ", "")))


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


def _written(value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return ""
    return str(int(value)) if value == int(value) else f"{value:.4g}" if abs(value) < 1 else f"{round(value, 3):g}"
