"""`Author`: writes, repairs and explains tools. Recipes serve what they can; a language model writes the rest.

What it returns is a draft. Checking it, trying it and deciding about it are the work of others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from reachy_mind import log
from reachy_mind.errors import BadAnswer, NotReady
from reachy_mind.models import plain_text
from reachy_mind.models.text_model import TextModel
from reachy_mind.workshop.author import answers, prompt, refusals
from reachy_mind.workshop.draft import Case, Draft
from reachy_mind.workshop.recipes import book
from reachy_mind.workshop.recipes.request import LONGEST_REQUEST, Understand

MAX_TOKENS = 2000
MAX_WORDS = 400
MAX_EXPLANATION = 1000
MOST_IMPROVEMENTS = 5
TRIES = 2
"""How often a model is asked when its answer can't be read."""

_log = log.get(__name__)


class ToolAuthor(Protocol):
    """Somebody who writes tools."""

    async def write(self, request: str, *, name: str = "", cases: Sequence[Case] = ()) -> Draft:
        """A tool for a request in words. Raises RequestRefused, NotReady and the errors of the model."""

    async def repair(
        self, draft: Draft, findings: Iterable[Mapping[str, Any]], verdict: Mapping[str, Any] | None = None
    ) -> Draft | None:
        """The tool without these findings and failures; None when its author can't mend it."""


class Author:
    """Recipes first, then `model`, where there is one. `understand`: how the reflex brain reads a sentence."""

    def __init__(self, understand: Understand, model: TextModel | None = None) -> None:
        self._understand, self._model = understand, model

    @property
    def model(self) -> TextModel | None:
        return self._model

    async def write(self, request: str, *, name: str = "", cases: Sequence[Case] = ()) -> Draft:
        """A tool for a request in words.

        Raises RequestRefused for a request that is refused, NotReady without a recipe and a model for it, and the
        errors of the model.
        """
        refusals.require_allowed(request)
        made = await asyncio.to_thread(book.draft, request, self._understand)
        if made is not None:
            return _with(made, name, cases)
        model = self._required()
        language = (await asyncio.to_thread(self._understand, request[:LONGEST_REQUEST])).language
        written = await self._draft(prompt.write(request, language, name, cases), model, request, language)
        return replace(written, cases=(*cases, *written.cases)[: answers.MAX_CASES + len(cases)])

    async def repair(
        self, draft: Draft, findings: Iterable[Mapping[str, Any]], verdict: Mapping[str, Any] | None = None
    ) -> Draft | None:
        """The tool without these findings and failures; None without a model, or when it changed nothing.

        The cases stay as they were: who mends a tool does not choose what it is tried with.
        """
        if self._model is None:
            return None
        refusals.require_allowed(draft.request)
        mended = await self._draft(prompt.repair(draft, findings, verdict), self._model, draft.request, draft.language)
        if mended.code == draft.code:
            return None
        return replace(mended, cases=draft.cases or mended.cases, args=draft.args or mended.args)

    async def explain(self, code: str, language: str = "en") -> str:
        """What a tool does, in plain words. Raises NotReady without a model."""
        model = self._required()
        said = await model.complete(prompt.about(prompt.EXPLAIN, code, language), None, MAX_WORDS)
        if not (words := plain_text.words(said, MAX_EXPLANATION)):
            raise BadAnswer(f"{model.name} said nothing about the tool", hint="ask again, or another model")
        return words

    async def suggest_improvements(self, code: str, language: str = "en") -> list[str]:
        """What could be better about a tool. Raises NotReady without a model."""
        model = self._required()
        said = await model.complete(prompt.about(prompt.IMPROVE, code, language), prompt.LIST_SCHEMA, MAX_WORDS)
        listed = answers.json_object(said, model.name).get("improvements")
        words = [plain_text.words(str(each), 300) for each in (listed if isinstance(listed, list) else ())]
        return [each for each in words if each][:MOST_IMPROVEMENTS]

    async def propose_cases(self, code: str) -> tuple[Case, ...]:
        """Test cases for a tool. Raises NotReady without a model."""
        model = self._required()
        said = await model.complete(prompt.about(prompt.CASES, code), prompt.CASES_SCHEMA, MAX_WORDS * 2)
        return answers.cases(answers.json_object(said, model.name))

    async def aclose(self) -> None:
        if self._model is not None:
            await self._model.aclose()

    async def _draft(self, messages: prompt.Messages, model: TextModel, request: str, language: str) -> Draft:
        """The model's draft. An answer that can't be read is asked for once more."""
        for attempt in range(TRIES):
            said = await model.complete(messages, prompt.DRAFT_SCHEMA, MAX_TOKENS)
            try:
                return answers.draft(said, model.name, request, language)
            except BadAnswer as error:
                if attempt + 1 == TRIES:
                    raise
                _log.info("a model is asked for a tool again", reason=error.message)
                again = f"That could not be used: {error.message}. Answer with the JSON object alone."
                messages = [
                    *messages,
                    {"role": "assistant", "content": said[:2000] or "..."},
                    {"role": "user", "content": again},
                ]
        raise AssertionError("unreachable: the last try returns or raises")

    def _required(self) -> TextModel:
        if self._model is None:
            raise NotReady(
                "I have no recipe for that, and no model that could write it",
                hint="reachy-mind models pull chat, or set openai.url; docs/brains.md",
            )
        return self._model


class ScriptedAuthor:
    """Gives drafts from a script, one a request: for tests and benchmarks of all that comes after the author.

    `script`: by request, the versions of the draft: the first is written, the next ones are repairs.
    """

    def __init__(self, script: Mapping[str, Sequence[Draft]]) -> None:
        self._script = {request: list(drafts) for request, drafts in script.items()}
        self.repaired: list[tuple[Draft, list[Mapping[str, Any]], Mapping[str, Any] | None]] = []
        """What was to be repaired, with findings and verdict."""

    async def write(self, request: str, *, name: str = "", cases: Sequence[Case] = ()) -> Draft:
        refusals.require_allowed(request)
        drafts = self._script.get(request)
        if not drafts:
            raise NotReady("the script has no tool for that", hint="add a draft")
        return _with(replace(drafts[0], request=request), name, cases)

    async def repair(
        self, draft: Draft, findings: Iterable[Mapping[str, Any]], verdict: Mapping[str, Any] | None = None
    ) -> Draft | None:
        self.repaired.append((draft, list(findings), verdict))
        drafts = self._script.get(draft.request, [])
        place = next((place for place, each in enumerate(drafts) if each.code == draft.code), len(drafts))
        return replace(drafts[place + 1], request=draft.request) if place + 1 < len(drafts) else None


def _with(made: Draft, name: str, cases: Sequence[Case]) -> Draft:
    """With a person's cases first. A name that a person chose replaces the function's own."""
    if name and name != made.name and name.isidentifier():
        made = replace(made, name=name, code=made.code.replace(f"async def {made.name}(", f"async def {name}(", 1))
    return replace(made, cases=(*cases, *made.cases)) if cases else made
