"""Reads a model's answer as a draft: untrusted text, checked field by field."""

from __future__ import annotations

import ast
import json
import keyword
import re
from collections.abc import Mapping
from typing import Any

from reachy_mind.errors import BadAnswer
from reachy_mind.models import plain_text
from reachy_mind.workshop.draft import Case, Draft
from reachy_mind.workshop.run_report import MAX_CODE_BYTES

MAX_CASES = 5
_NAME = re.compile(r"^[a-z][a-z0-9_]{0,59}$")
_FENCE = re.compile(r"```(?:\w+)?[ \t]*\n(.*?)```", re.DOTALL)
_OPEN_FENCE = re.compile(r"```(?:\w+)?[ \t]*\n(.*)", re.DOTALL)


def json_object(said: str, model: str) -> dict[str, Any]:
    """The JSON object in an answer. Raises BadAnswer."""
    text = said.rpartition("</think>")[2].strip()
    for candidate in (text, *(_FENCE.findall(text)), text[text.find("{") : text.rfind("}") + 1]):
        try:
            found = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    raise BadAnswer(f"{model} did not answer with JSON", hint="ask again, or another model")


def draft(said: str, model: str, request: str, language: str) -> Draft:
    """The draft in an answer: a code block, else the whole answer if it is code. Raises BadAnswer."""
    code = _code(said.rpartition("</think>")[2])
    if len(code.encode("utf-8", "replace")) > MAX_CODE_BYTES:
        raise BadAnswer(f"{model} wrote too much code", hint="ask for something smaller")
    name = _function_name(code)
    if not _NAME.match(name) or keyword.iskeyword(name):
        raise BadAnswer(f"{model} wrote no function with a usable name", hint="ask again, or another model")
    description = _description(code)
    return Draft(
        name=name,
        code=code,
        description=description,
        explanation=description,
        capabilities=None,
        author=f"model:{model}",
        request=request,
        language=language,
    )


def _code(text: str) -> str:
    """The longest code block; an open one, of an answer that was cut, counts."""
    blocks: list[str] = _FENCE.findall(text) or _OPEN_FENCE.findall(text) or [text]
    return max(blocks, key=len).strip("\n") + "\n"


def cases(found: Mapping[str, Any]) -> tuple[Case, ...]:
    """The test cases in an answer that have the right form."""
    listed = found.get("cases")
    return tuple(
        {"input": each["input"], "expected": each["expected"]}
        for each in (listed if isinstance(listed, list) else ())[:MAX_CASES]
        if isinstance(each, dict) and isinstance(each.get("input"), dict) and isinstance(each.get("expected"), dict)
    )


def _function_name(code: str) -> str:
    """The name of the first public function, coroutines first; read from the text, where the code can't be parsed."""
    functions = _functions(code)
    if functions is None:
        found = re.findall(r"^(?:async )?def ([a-z]\w*)", code, re.MULTILINE)
        return found[0] if found else ""
    public = [node for node in functions if not node.name.startswith("_")]
    chosen = next((node for node in public if isinstance(node, ast.AsyncFunctionDef)), next(iter(public), None))
    return chosen.name if chosen is not None else ""


def _description(code: str) -> str:
    """The first line of the function's docstring."""
    documented = (ast.get_docstring(node) for node in _functions(code) or ())
    return next((plain_text.words(doc.splitlines()[0], 200) for doc in documented if doc), "")


def _functions(code: str) -> list[ast.AsyncFunctionDef | ast.FunctionDef] | None:
    """The functions of a file; None when it can't be parsed, which the check reports."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return [node for node in body if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)]
