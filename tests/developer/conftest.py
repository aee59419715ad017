"""A toolbox with the developer's tools, on real repositories, with a person who answers questions."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import load
from reachy_mind.developer.factory import open_developer
from reachy_mind.developer.service import Developer
from reachy_mind.developer.workspace import Repository
from reachy_mind.events import Bus, ConfirmationAsked
from reachy_mind.storage.database import Database
from reachy_mind.tools.audit import Audit
from reachy_mind.tools.confirmations import Confirmations
from reachy_mind.tools.context import Caller, Parts
from reachy_mind.tools.definition import Outcome
from reachy_mind.tools.permissions import Permissions
from reachy_mind.tools.registry import Registry
from reachy_mind.tools.tasks import Tasks
from reachy_mind.tools.toolbox import Toolbox
from tests.developer import repositories


@dataclass
class Desk:
    """The tools, the folders, and what a person was asked."""

    box: Toolbox
    developer: Developer
    folder: Path
    asked: list[str] = field(default_factory=list)
    before_yes: Callable[[], None] | None = None
    """Happens while the person reads the question."""

    async def call(self, name: str, /, *, yes: bool | None = None, by: str = "", **args: Any) -> Outcome:
        """Call a tool; `yes`: what the person answers, None for nobody there."""
        caller = Caller("brain", conversation=by)
        if yes is None:
            return await self.box.call(name, args, caller=caller)
        with self.box.confirmations.channel("page"), self.box.parts.bus.subscribe(ConfirmationAsked) as questions:

            async def answer() -> None:
                async for question in questions:
                    assert isinstance(question, ConfirmationAsked)
                    self.asked.append(question.consequence)
                    if self.before_yes is not None:
                        await asyncio.to_thread(self.before_yes)
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
        return dict(outcome.data)

    async def refused(self, name: str, /, *, yes: bool | None = None, by: str = "", **args: Any) -> dict[str, str]:
        """The error of a call that does not, which says what to do."""
        outcome = await self.call(name, yes=yes, by=by, **args)
        assert outcome.error is not None, outcome
        assert outcome.error["message"], outcome.error
        return outcome.error

    @property
    def repos(self) -> Path:
        return self.developer.workspace.repository_folder

    def repository(self, name: str = "demo", files: dict[str, str] | None = None) -> Repository:
        """A repository in the workspace, with a bare remote that has the same commit."""
        source = repositories.made(self.folder / "sources" / name, files)
        remote = repositories.bare(self.folder / "remotes" / f"{name}.git", source)
        self.repos.mkdir(exist_ok=True)
        repositories.git(self.repos, "clone", "--quiet", str(remote), name)
        return Repository(name, self.repos / name)


@contextlib.asynccontextmanager
async def desk_in(folder: Path, rules: str = "", model: str = "", **settings: Any) -> AsyncIterator[Desk]:
    """A desk whose folders lie in `folder`; `rules`: permissions.yaml; `model`: the address of a language model."""
    flags = {
        "developer.repository_folder": str(folder / "repos"),
        "developer.code_folder": str(folder / "code"),
        "developer.github_owner": "ada",
        "developer.local_remotes": True,
        "mind.brain": "agents" if model else "reflex",
        "openai.url": model or None,
    }
    given = flags | {f"developer.{name}": value for name, value in settings.items()}
    configuration = load(flags={key: value for key, value in given.items() if value is not None})
    file = folder / "permissions.yaml"
    file.write_text(rules or "rules: []\n", encoding="utf-8")
    bus = Bus()
    async with contextlib.AsyncExitStack() as stack:
        database = await stack.enter_async_context(Database(folder / "mind.db"))
        tasks = await stack.enter_async_context(Tasks(database, bus))
        parts = Parts(configuration, bus, database, tasks=tasks)
        audit = Audit(database)
        stack.push_async_callback(audit.aclose)
        box = Toolbox(Registry(()), Permissions(file), Confirmations(bus, timeout_s=20), audit, parts)
        yield Desk(box, await open_developer(configuration, box, stack), folder)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with desk_in(tmp_path) as made:
        yield made
