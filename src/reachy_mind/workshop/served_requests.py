"""`ServedRequests`: whether a recipe serves a request, and whether a tool in use does so already.

A tool in use serves a request when its recipe would write the same code for it, apart from the defaults of its
parameters. It is then called with the arguments of the request; nothing is written and nobody is asked again.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from reachy_mind.brains.reflex import spelling
from reachy_mind.tools.definition import ToolUse
from reachy_mind.workshop.author import refusals
from reachy_mind.workshop.draft import Draft
from reachy_mind.workshop.recipes import book, request, timing
from reachy_mind.workshop.recipes.request import Understand
from reachy_mind.workshop.shelf.versions import ToolVersion

CREATE = "create_tool"


class ActiveVersions(Protocol):
    """The versions in use; `ShelfTools` has them."""

    def active(self) -> Sequence[ToolVersion]: ...


class ServedRequests:
    """For the tools of one mind. `reader`: loads how the reflex brain reads a sentence, at the first request."""

    def __init__(self, reader: Callable[[], Understand], generated: ActiveVersions) -> None:
        self._reader, self._generated = reader, generated
        self._understand: Understand | None = None

    def __call__(self, text: str) -> ToolUse | None:
        """The tool in use that serves a request, or `create_tool`; None for what no recipe serves. Blocking."""
        if self._understand is None:
            self._understand = self._reader()
        for said in self._readings(text, self._understand):
            draft = book.draft(said, self._understand)
            if draft is not None:
                if refusals.reason(said) or self._is_done_at_once(said, draft, self._understand):
                    return None
                return self.in_use(draft) or ToolUse(CREATE, {"description": said.strip()})
        return None

    @staticmethod
    def _readings(text: str, understand: Understand) -> Iterator[str]:
        """The request, and without typing errors where it takes a tool that no recipe would make of it as it is."""
        yield text
        if any(step.tool == CREATE for step in understand(text).steps):
            yield from spelling.corrected(text)

    def in_use(self, draft: Draft) -> ToolUse | None:
        """The tool in use that does what a draft would."""
        for version in self._generated.active():
            alike = version.author == draft.author and version.capabilities == draft.capabilities
            if alike and same_program(version.code, draft.renamed(version.name).code):
                return ToolUse(version.name, dict(draft.args))
        return None

    @staticmethod
    def _is_done_at_once(text: str, draft: Draft, understand: Understand) -> bool:
        """Whether the robot does it without a tool of its own: steps in a row, or words that name a time to come."""
        if draft.recipe == "sequence":
            return not request.read(text, understand, draft.language).wants_tool
        if draft.recipe != "later":
            return False
        steps = understand(text).steps
        if any(step.tool == "set_reminder" for step in steps):
            return True
        spoken = [value for step in steps for value in step.args.values() if isinstance(value, str)]
        return any(timing.read(value, draft.language).delay_s is not None for value in spoken)


def same_program(first: str, second: str) -> bool:
    """Whether two files are the same code, apart from docstrings and the defaults of parameters."""
    try:
        return _without_defaults(first) == _without_defaults(second)
    except SyntaxError:
        return False


def _without_defaults(code: str) -> str:
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef)
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:]
        if isinstance(node, ast.arguments):
            node.defaults = [ast.Constant(None) for _ in node.defaults]
            node.kw_defaults = [each and ast.Constant(None) for each in node.kw_defaults]
    return ast.dump(tree)
