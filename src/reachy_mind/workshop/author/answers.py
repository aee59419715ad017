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
from reachy_mind.workshop.author.prompt import CAPABILITIES
from reachy_mind.workshop.draft import Case, Draft
from reachy_mind.workshop.run_report import MAX_CODE_BYTES

MAX_EXPLANATION = 1000
MAX_CASES = 5
_NAME = re.compile(r"^[a-z][a-z0-9_]{0,59}$")
_FENCE = re.compile(r"```(?:python|json)?\s*\n(.*?)```", re.DOTALL)


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
    """The draft in an answer. Raises BadAnswer."""
    found = json_object(said, model)
    code = found.get("code")
    if not isinstance(code, str) or not code.strip():
        raise BadAnswer(f"{model} wrote no code", hint="ask again, or another model")
    fenced = _FENCE.search(code)
    code = (fenced[1] if fenced else code).strip("\n") + "\n"
    if len(code.encode("utf-8", "replace")) > MAX_CODE_BYTES:
        raise BadAnswer(f"{model} wrote too much code", hint="ask for something smaller")
    name = _function_name(code) or str(found.get("name", ""))
    if not _NAME.match(name) or keyword.iskeyword(name):
        raise BadAnswer(f"{model} wrote no function with a usable name", hint="ask again, or another model")
    named = found.get("capabilities")
    capabilities = [each for each in named if each in CAPABILITIES] if isinstance(named, list) else []
    args = found.get("args")
    return Draft(
        name=name,
        code=code,
        description=_description(code),
        explanation=plain_text.words(str(found.get("explanation", "")), MAX_EXPLANATION),
        capabilities=tuple(dict.fromkeys(capabilities)),
        cases=cases(found),
        args=args if isinstance(args, dict) else {},
        author=f"model:{model}",
        request=request,
        language=language,
    )


def cases(found: Mapping[str, Any]) -> tuple[Case, ...]:
    """The test cases in an answer that have the right form."""
    listed = found.get("cases")
    return tuple(
        {"input": each["input"], "expected": each["expected"]}
        for each in (listed if isinstance(listed, list) else ())[:MAX_CASES]
        if isinstance(each, dict) and isinstance(each.get("input"), dict) and isinstance(each.get("expected"), dict)
    )


def _function_name(code: str) -> str:
    """The name of the first public function; empty when the code can't be parsed, which the check reports."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    functions = [node for node in body if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)]
    public = [node for node in functions if not node.name.startswith("_")]
    chosen = next((node for node in public if isinstance(node, ast.AsyncFunctionDef)), next(iter(public), None))
    return chosen.name if chosen is not None else ""


def _description(code: str) -> str:
    """The first line of the function's docstring."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    for node in body:
        if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef) and (doc := ast.get_docstring(node)):
            return plain_text.words(doc.splitlines()[0], 200)
    return ""
