"""The tools that ask GitHub, behind a gate, with a fake GitHub and a person who answers questions."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import load
from reachy_mind.developer.github.access import GitHubAccess, register
from reachy_mind.developer.github_tools import github_tools
from reachy_mind.developer.workspace import Workspace
from reachy_mind.events import ConfirmationAsked
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome
from reachy_mind.tools.toolbox import Toolbox
from tests.fakes.github import TOKEN, GitHub
from tests.tools.bench import toolbox


@dataclass
class HubDesk:
    """The tools, and what a person was asked."""

    hub: GitHub
    box: Toolbox
    access: GitHubAccess
    folder: Path
    asked: list[str] = field(default_factory=list)
    meanwhile: Callable[[], object] | None = None
    """Happens while the person reads the question."""

    async def call(self, name: str, /, *, yes: bool | None = None, by: str = "", **args: Any) -> Outcome:
        """Call a tool as a brain does; `yes`: what the person answers, None for nobody there."""
        caller = Caller("brain", conversation=by)
        if yes is None:
            return await self.box.call(name, args, caller=caller)
        with self.box.confirmations.channel("page"), self.box.parts.bus.subscribe(ConfirmationAsked) as questions:

            async def answer() -> None:
                async for question in questions:
                    assert isinstance(question, ConfirmationAsked)
                    self.asked.append(question.consequence)
                    if self.meanwhile is not None:
                        self.meanwhile()
                    self.box.confirmations.answer(question.confirmation_id, approved=yes, by="Ada")

            answering = asyncio.create_task(answer())
            try:
                return await self.box.call(name, args, caller=caller)
            finally:
                await cancel_and_wait(answering)

    async def done(self, name: str, /, *, yes: bool | None = None, by: str = "", **args: Any) -> dict[str, Any]:
        """The result of a call that succeeds."""
        outcome = await self.call(name, yes=yes, by=by, **args)
        assert outcome.status == "ok", outcome
        assert outcome.data["message"] and TOKEN not in str(outcome.data)
        return dict(outcome.data)

    async def refused(self, name: str, /, *, yes: bool | None = None, by: str = "", **args: Any) -> dict[str, str]:
        """The error of a call that does not: a sentence and what to do, without the token."""
        outcome = await self.call(name, yes=yes, by=by, **args)
        assert outcome.status in ("error", "denied") and outcome.error is not None, outcome
        assert outcome.error["message"] and outcome.error["hint"] and TOKEN not in str(outcome.error)
        return outcome.error

    def clone(self, name: str, url: str, branch: str = "main") -> Path:
        """What a clone leaves in the workspace, as far as it is looked at here."""
        folder = self.folder / "repos" / name / ".git"
        folder.mkdir(parents=True)
        (folder / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
        (folder / "config").write_text(f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {url}\n')
        for part in ("objects", "refs"):
            (folder / part).mkdir()
        return folder.parent


@contextlib.asynccontextmanager
async def hub_desk(folder: Path, hub: GitHub, rules: str = "", **settings: Any) -> AsyncIterator[HubDesk]:
    """`rules`: permissions.yaml; `settings`: of the section developer."""
    flags = hub.settings(repository_folder=str(folder / "repos"), code_folder=str(folder / "code"), **settings)
    configuration = load(flags=flags)
    developer = configuration.settings.developer
    access = GitHubAccess(developer, Workspace(developer))
    async with access, toolbox(folder, rules, tools=github_tools(access)) as box:
        box.parts.configuration = configuration
        register(box.parts, access)
        yield HubDesk(hub, box, access, folder)
