"""A whole mind with the profile linus, a fake GitHub, and a person at the keyboard who answers its questions."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import load
from reachy_mind.conversation.response import Response
from reachy_mind.events import ConfirmationAsked
from reachy_mind.mind import Mind
from tests.fakes.github import GitHub


@dataclass
class LinusMind:
    """One conversation with it. `asked`: the questions that the person was asked."""

    mind: Mind
    folder: Path
    asked: list[str] = field(default_factory=list)

    async def ask(self, text: str, *, yes: bool = True) -> Response:
        """Say something; questions are answered with yes, or no."""
        mind = self.mind
        with mind.confirmations.channel("page"), mind.bus.subscribe(ConfirmationAsked) as questions:

            async def answer() -> None:
                async for question in questions:
                    assert isinstance(question, ConfirmationAsked)
                    self.asked.append(question.consequence)
                    mind.confirmations.answer(question.confirmation_id, approved=yes, by="Ada")

            answering = asyncio.create_task(answer())
            try:
                return await mind.ask(text, conversation="desk")
            finally:
                await cancel_and_wait(answering)

    async def done(self, text: str, *tools: str) -> str:
        """What it answers to something that succeeds with calls of these tools."""
        response = await self.ask(text)
        calls = [(call.name, call.outcome.status) for call in response.tool_calls]
        assert calls == [(tool, "ok") for tool in tools], response
        return response.text

    async def failed(self, text: str, tool: str) -> str:
        """What it answers to something that fails."""
        response = await self.ask(text)
        assert [call.name for call in response.tool_calls] == [tool], response
        assert response.tool_calls[0].outcome.status in ("error", "denied"), response
        return response.text

    def path(self, repository: str) -> Path:
        return self.folder / "repos" / repository


@contextlib.asynccontextmanager
async def linus(folder: Path, hub: GitHub, model: str = "", **settings: Any) -> AsyncIterator[LinusMind]:
    """`model`: the address of a language model; without one, the reflex brain is alone."""
    flags = {
        "robot.address": "none",
        "mind.profile": "linus",
        "mind.brain": "auto" if model else "reflex",
        "openai.url": model or None,
        "models.folder": str(folder / "models"),
    }
    folders = {"repository_folder": str(folder / "repos"), "code_folder": str(folder / "code")}
    flags |= hub.settings(**folders | settings)
    async with Mind(load(flags={key: value for key, value in flags.items() if value is not None})).session() as mind:
        yield LinusMind(mind, folder)
