"""`Draft`: a tool as its author proposes it, before anything was checked or tried. All of it is a claim."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

RECIPE = "recipe:"
"""How the author of a tool begins that a recipe made; the recipe's name follows."""
Case = Mapping[str, Any]
"""A test case: {"input": arguments, "expected": what the result must contain}."""


@dataclass(frozen=True)
class Draft:
    """The code of one tool, and what is said about it."""

    name: str
    code: str
    description: str
    """One sentence: what it does."""
    explanation: str
    """For a person who decides about it, in the language of the request."""
    capabilities: tuple[str, ...] | None = ()
    """What it may use; None: what the check finds in the code."""
    cases: tuple[Case, ...] = ()
    proposed: tuple[Case, ...] = ()
    """Cases of a model: a result that differs from them is told, and decides nothing."""
    args: Mapping[str, Any] = field(default_factory=dict)
    """The arguments that serve the request now."""
    author: str = ""
    """`recipe:NAME`, `model:NAME` or `person`."""
    request: str = ""
    language: str = "en"
    run_s: float = 10.0
    """About how long a run with `args` takes, in seconds."""
    topic: str = ""
    """What the tool acts on or does, in the words of the request: "take a photo"."""
    sentences: tuple[str, ...] = ()
    """How people ask for it (`Tool.sentences`); empty: they are made of its recipe and its topic."""

    @property
    def recipe(self) -> str:
        """The recipe that made it; empty when another author did."""
        return self.author.removeprefix(RECIPE) if self.author.startswith(RECIPE) else ""

    def renamed(self, name: str) -> Draft:
        """With another name, also of its function."""
        if name == self.name:
            return self
        return replace(self, name=name, code=re.sub(rf"\b(def\s+){self.name}\b", rf"\g<1>{name}", self.code, count=1))
