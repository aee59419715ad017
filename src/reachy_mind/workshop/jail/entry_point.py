"""Which function of a file is called, and whether the file is a script."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the public functions that the top level of a file defines, also within `if`, `try` and `with`."""
    for statement in body:
        if isinstance(statement, FUNCTIONS) and not statement.name.startswith("_"):
            yield statement
        elif isinstance(statement, (ast.If, ast.Try, ast.With)):
            for part in ("body", "orelse", "finalbody"):
                yield from functions(getattr(statement, part, []))


def entry_function(tree: ast.Module, stem: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the function named like the file, else the first `async def`, else the first `def`. None for a script."""
    found = list(functions(tree.body))
    named = [function for function in found if function.name == stem]
    coroutines = [function for function in found if isinstance(function, ast.AsyncFunctionDef)]
    return next(iter(named or coroutines or found), None)


def choose(tree: ast.Module, stem: str, wanted: str | None) -> str | None:
    """Return the name of the function to call: the one asked for, else the `entry_function`. None for a script."""
    if wanted:
        return wanted
    found = entry_function(tree, stem)
    return None if found is None else found.name


def lookup(namespace: dict[str, Any], name: str) -> Any:
    """Return the function. Raises `LookupError` with a sentence where there is none."""
    if callable(namespace.get(name)):
        return namespace[name]
    raise LookupError(f"the file has no function {name!r}")
