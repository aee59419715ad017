"""`PractisedSkills`: a trained skill that is asked for in free words: "glance at the duck, the way you learned it".

Without the last words such a sentence means some act, and so does a sentence that the skill brings along ("look at the
duck as you practised"). Where both mean the same act, the skill is called, with what this sentence is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from reachy_mind.brains.reflex.plan import Plan, Step
from reachy_mind.brains.reflex.practice_clause import split
from reachy_mind.brains.reflex.tool_sentences import ToolSentences
from reachy_mind.models.wordpiece import without_accents
from reachy_mind.tools.definition import ToolUse

Understand = Callable[[str], Plan]
_WORD = re.compile(r"[\w'-]+")


class PractisedSkills:
    """Those of the tools with these sentences that were trained."""

    def __init__(self, sentences: ToolSentences) -> None:
        self._sentences = sentences
        self._acts: dict[str, tuple[Step, ToolUse] | None] | None = None
        """By the tool: the act of its first sentence about practice, and the call that this sentence is."""

    def asked(self, text: str, understand: Understand) -> ToolUse | None:
        """The call of the skill that a sentence asks for; None for a sentence that asks for none."""
        if not self._sentences or (clause := split(text)) is None:
            return None
        if use := self._sentences.call(f"{clause.rest.rstrip(' .!?')} {clause.usual}"):
            return use
        if self._acts is None:
            self._acts = self._read(understand)
        wanted = _act(understand(clause.rest))
        found = [
            ToolUse(tool, args)
            for tool, known in self._acts.items()
            if known is not None and wanted is not None and (args := _arguments(*known, wanted)) is not None
        ]
        return max(found, key=lambda use: self._shared(use.tool, clause.rest)) if found else None

    def _read(self, understand: Understand) -> dict[str, tuple[Step, ToolUse] | None]:
        acts: dict[str, tuple[Step, ToolUse] | None] = {}
        for said, use in self._sentences.examples:
            if use.tool not in acts and (clause := split(said)) is not None:
                act = _act(understand(clause.rest))
                acts[use.tool] = (act, use) if act is not None else None
        return acts

    def _shared(self, tool: str, text: str) -> int:
        """The most words that a sentence of the tool has in common with a text."""
        words = _words(text)
        return max(len(words & _words(said)) for said in self._sentences.by_tool[tool])


def _act(plan: Plan) -> Step | None:
    """The only thing that a plan does."""
    return plan.steps[0] if len(plan.steps) == 1 and len(plan.parts) == 1 else None


def _arguments(known: Step, use: ToolUse, wanted: Step) -> Mapping[str, Any] | None:
    """The arguments of a skill for what is wanted: `use` is the call for `known`. None for another act."""
    if wanted.tool != known.tool:
        return None
    args = {}
    for name, value in use.args.items():
        given = next((key for key, same in known.args.items() if same == value), None)
        if given is None or given not in wanted.args:
            return None
        args[name] = wanted.args[given]
    return args


def _words(text: str) -> frozenset[str]:
    return frozenset(without_accents(word.casefold()) for word in _WORD.findall(text))
