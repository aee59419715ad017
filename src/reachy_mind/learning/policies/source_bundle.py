"""`bundled`: functions and everything of ours that they use, as the text of one file that needs nothing of ours.

    bundled([look_at_thing])      # imports, constants, then functions and classes in the order of their use

A published skill runs in a sandbox without our package: it carries the very code that it was trained with.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
import textwrap
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np

OURS = "reachy_mind"
PLAIN = (bool, int, float, str)
_REMARK = re.compile(r"\s*# (?:noqa|type: ignore)\b.*$", re.MULTILINE)


class SourceBundle:
    """Collects definitions by name. Raises ValueError for two different things of one name."""

    def __init__(self) -> None:
        self._imports: dict[str, str] = {}
        self._constants: dict[str, Any] = {}
        self._definitions: dict[str, tuple[Any, str]] = {}
        self._types: set[str] = set()

    def add(self, definition: Any) -> None:
        """A function or a class of ours, with what it uses."""
        name = definition.__name__
        if name in self._definitions:
            if self._definitions[name][0] is not definition:
                raise ValueError(f"two definitions of {name}")
            return
        source = _REMARK.sub("", textwrap.dedent(inspect.getsource(definition))).rstrip()
        self._definitions[name] = definition, ""  # what it uses may use it
        scope = vars(sys.modules[definition.__module__])
        evaluated, annotated = _used_names(ast.parse(source))
        self._types |= annotated
        for used in evaluated:
            if used in scope:
                self._add_value(used, scope[used], definition.__module__)
            elif not hasattr(builtins, used):
                raise ValueError(f"{name} uses {used}, which {definition.__module__} does not have")
        del self._definitions[name]  # after what it uses
        self._definitions[name] = definition, source

    def text(self) -> str:
        """The file, without its `from __future__ import annotations`: names that only annotate stand for any type."""
        known = self._imports.keys() | self._constants.keys() | self._definitions.keys() | vars(builtins).keys()
        types = "\n".join(f"{name} = Any" for name in sorted(self._types - known - {"Any"}))
        parts = [
            "\n".join(sorted({*self._imports.values(), "from typing import Any"})),
            "\n".join(f"{name} = {_literal(value)}" for name, value in self._constants.items()),
            types,
            *(source for _, source in self._definitions.values()),
        ]
        return "\n\n\n".join(part for part in parts if part)

    def _add_value(self, name: str, value: Any, module: str) -> None:
        if isinstance(value, ModuleType):
            self._set_import(name, f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}"))
        elif isinstance(value, np.ndarray) or _is_plain(value):
            if _literal(self._constants.setdefault(name, value)) != _literal(value):
                raise ValueError(f"two values of {name}")
            if isinstance(value, np.ndarray):
                self._set_import("np", "import numpy as np")
        elif (inspect.isfunction(value) or inspect.isclass(value)) and value.__name__ == name:
            if value.__module__.partition(".")[0] == OURS:
                self.add(value)
            else:
                self._set_import(name, f"from {value.__module__} import {name}")
        else:
            raise ValueError(f"{name} of {module} is neither code nor a plain value")

    def _set_import(self, name: str, line: str) -> None:
        if self._imports.setdefault(name, line) != line:
            raise ValueError(f"two imports of {name}")


def bundled(definitions: Iterable[Any]) -> str:
    """The text of these functions and classes of ours, with what they use. Raises ValueError where that can't be."""
    bundle = SourceBundle()
    for definition in definitions:
        bundle.add(definition)
    return bundle.text()


def _literal(value: Any) -> str:
    return f"np.array({value.tolist()!r})" if isinstance(value, np.ndarray) else repr(value)


def _is_plain(value: Any) -> bool:
    return isinstance(value, PLAIN) or (isinstance(value, tuple) and all(map(_is_plain, value)))


def _used_names(tree: ast.AST) -> tuple[list[str], set[str]]:
    """Names that are read but not set inside, and those in annotations, which are not evaluated."""
    annotations: list[ast.expr | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            annotations.append(node.returns)
            node.returns = None
        elif isinstance(node, ast.arg):
            annotations.append(node.annotation)
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            annotations.append(node.annotation)
            node.annotation = ast.Constant(None)
    annotated = {name.id for each in annotations if each is not None for name in _names(each)}
    nodes, names = list(ast.walk(tree)), _names(tree)
    bound = {name.id for name in names if not isinstance(name.ctx, ast.Load)}
    bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    definitions = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler
    bound |= {node.name for node in nodes if isinstance(node, definitions) and node.name}
    return list(dict.fromkeys(name.id for name in names if name.id not in bound)), annotated


def _names(tree: ast.AST) -> list[ast.Name]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
