"""`Author`: writes, repairs and explains tools. Recipes serve what they can; a language model writes the rest.

What it returns is a draft. Checking it, trying it and deciding about it are the work of others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from reachy_mind import log
from reachy_mind.errors import BadAnswer, MindError, NotReady
from reachy_mind.models import plain_text
from reachy_mind.models.text_model import TextModel
from reachy_mind.workshop.author import answers, prompt, refusals
from reachy_mind.workshop.draft import Case, Draft
from reachy_mind.workshop.recipes import book
from reachy_mind.workshop.recipes.request import LONGEST_REQUEST, Understand

MAX_TOKENS = 2000
MAX_WORDS = 400
MAX_EXPLANATION_TOKENS = 150
MAX_EXPLANATION = 1000
MOST_IMPROVEMENTS = 5
TRIES = 2
"""How often a model is asked when its answer can't be read."""

_log = log.get(__name__)


class ToolAuthor(Protocol):
    """Somebody who writes tools."""

    async def write(self, request: str, *, name: str = "", cases: Sequence[Case | str] = ()) -> Draft:
        """A tool for a request in words. Raises RequestRefused, NotReady and the errors of the model."""

    async def repair(
        self, draft: Draft, findings: Iterable[Mapping[str, Any]], verdict: Mapping[str, Any] | None = None
    ) -> Draft | None:
        """The tool without these findings and failures; None when its author can't mend it."""

    async def improve(self, draft: Draft, wish: str, *, cases: Sequence[Case | str] = ()) -> Draft:
        """The tool as somebody wishes it now. Raises as `write` does."""

    async def explain(self, draft: Draft) -> str:
        """For a person who decides about it."""


class Author:
    """Recipes first, then `model`, where there is one. `understand`: how the reflex brain reads a sentence."""

    def __init__(self, understand: Understand, model: TextModel | None = None) -> None:
        self._understand, self._model = understand, model

    @property
    def model(self) -> TextModel | None:
        return self._model

    async def write(self, request: str, *, name: str = "", cases: Sequence[Case | str] = ()) -> Draft:
        """A tool for a request in words.

        Raises RequestRefused for a request that is refused, NotReady without a recipe and a model for it, and the
        errors of the model.
        """
        refusals.require_allowed(request)
        made = await asyncio.to_thread(book.draft, request, self._understand)
        if made is not None:
            return _named(made, name)
        model = self._required()
        language = (await asyncio.to_thread(self._understand, request[:LONGEST_REQUEST])).language
        written = await self._draft(prompt.write(request, language, name, cases), model, request, language)
        return replace(_named(written, name), proposed=() if cases else await self._proposed(written.code, model))

    async def repair(
        self, draft: Draft, findings: Iterable[Mapping[str, Any]], verdict: Mapping[str, Any] | None = None
    ) -> Draft | None:
        """The tool without these findings and failures; None without a model, or when it changed nothing.

        The cases stay as they were: who mends a tool does not choose what it is tried with.
        """
        if self._model is None:
            return None
        refusals.require_allowed(draft.request)
        messages = prompt.repair(draft, findings, verdict)
        for _ in range(TRIES):
            mended = await self._draft(messages, self._model, draft.request, draft.language)
            if mended.code != draft.code:
                break
            messages = [*messages, *prompt.unchanged(draft)]
        else:
            return None
        return replace(mended.renamed(draft.name), cases=draft.cases, proposed=draft.proposed, args=draft.args)

    async def improve(self, draft: Draft, wish: str, *, cases: Sequence[Case | str] = ()) -> Draft:
        """The tool as somebody wishes it now: by a recipe for the wish, else by the model. Raises as `write` does."""
        refusals.require_allowed(wish)
        made = await asyncio.to_thread(book.draft, wish, self._understand)
        if made is not None:
            return made.renamed(draft.name)
        model = self._required()
        language = (await asyncio.to_thread(self._understand, wish[:LONGEST_REQUEST])).language
        improved = await self._draft(prompt.improve(draft, wish, language, cases), model, wish, language)
        return improved.renamed(draft.name)

    async def explain(self, draft: Draft) -> str:
        """What a tool does, in plain words; what its recipe or its docstring says, where no model can tell."""
        if self._model is None or draft.recipe:
            return draft.explanation
        messages = prompt.about(prompt.EXPLAIN, draft.code, draft.language)
        try:
            said = await self._model.complete(messages, None, MAX_EXPLANATION_TOKENS)
        except MindError as error:
            _log.warning("a tool could not be explained", tool=draft.name, reason=error.message)
            return draft.explanation
        return plain_text.words(said, MAX_EXPLANATION) or draft.explanation

    async def suggest_improvements(self, code: str, language: str = "en") -> list[str]:
        """What could be better about a tool. Raises NotReady without a model."""
        model = self._required()
        said = await model.complete(prompt.about(prompt.IMPROVE, code, language), prompt.LIST_SCHEMA, MAX_WORDS)
        listed = answers.json_object(said, model.name).get("improvements")
        words = [plain_text.words(str(each), 300) for each in (listed if isinstance(listed, list) else ())]
        return [each for each in words if each][:MOST_IMPROVEMENTS]

    async def propose_cases(self, code: str) -> tuple[Case, ...]:
        """Test cases for a tool. Raises NotReady without a model, and the errors of the model."""
        model = self._required()
        said = await model.complete(prompt.about(prompt.CASES, code), prompt.CASES_SCHEMA, MAX_WORDS)
        return answers.cases(answers.json_object(said, model.name))

    async def aclose(self) -> None:
        if self._model is not None:
            await self._model.aclose()

    async def _draft(self, messages: prompt.Messages, model: TextModel, request: str, language: str) -> Draft:
        """The model's draft. An answer that can't be read is asked for once more."""
        for attempt in range(TRIES):
            said = await model.complete(messages, None, MAX_TOKENS)
            try:
                return answers.draft(said, model.name, request, language)
            except BadAnswer as error:
                if attempt + 1 == TRIES:
                    raise
                _log.info("a model is asked for a tool again", reason=error.message)
                again = f"That could not be used: {error.message}. Answer with one Python code block alone."
                messages = [
                    *messages,
                    {"role": "assistant", "content": said[:2000] or "..."},
                    {"role": "user", "content": again},
                ]
        raise AssertionError("unreachable: the last try returns or raises")

    async def _proposed(self, code: str, model: TextModel) -> tuple[Case, ...]:
        try:
            return await self.propose_cases(code)
        except MindError as error:
            _log.info("a model proposed no cases", model=model.name, reason=error.message)
            return ()

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

    async def write(self, request: str, *, name: str = "", cases: Sequence[Case | str] = ()) -> Draft:  # noqa: ARG002
        refusals.require_allowed(request)
        drafts = self._script.get(request)
        if not drafts:
            raise NotReady("the script has no tool for that", hint="add a draft")
        return _named(replace(drafts[0], request=request), name)

    async def repair(
        self, draft: Draft, findings: Iterable[Mapping[str, Any]], verdict: Mapping[str, Any] | None = None
    ) -> Draft | None:
        self.repaired.append((draft, list(findings), verdict))
        drafts = self._script.get(draft.request, [])
        place = next((place for place, each in enumerate(drafts) if each.code == draft.code), len(drafts))
        return replace(drafts[place + 1], request=draft.request) if place + 1 < len(drafts) else None

    async def improve(self, draft: Draft, wish: str, *, cases: Sequence[Case | str] = ()) -> Draft:
        return (await self.write(wish, cases=cases)).renamed(draft.name)

    async def explain(self, draft: Draft) -> str:
        return draft.explanation


def _named(made: Draft, name: str) -> Draft:
    """With the name that a person chose, where it can be one."""
    return made.renamed(name) if name.isidentifier() else made
