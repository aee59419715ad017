"""`open_developer`: registers the tools of the groups `developer` and `github`, wired for one mind."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

from reachy_mind.brains.text_models import text_model
from reachy_mind.config.configuration import Configuration
from reachy_mind.developer.commit_checks import RuleChecks
from reachy_mind.developer.github.access import KEY as GITHUB
from reachy_mind.developer.github.access import GitHubAccess, register
from reachy_mind.developer.github_tools import github_tools
from reachy_mind.developer.program_sandbox import ProgramSandbox
from reachy_mind.developer.repository_talk import RepositoryTalk
from reachy_mind.developer.rule_trust import AskPerson, RuleTrust
from reachy_mind.developer.sentences import DeveloperSentences
from reachy_mind.developer.service import KEY, Developer
from reachy_mind.developer.tools import (
    branches,
    code,
    code_files,
    edits,
    execution,
    files,
    history,
    repositories,
    staging,
)
from reachy_mind.tools.definition import AmountsTo, Question, Tier, Tool
from reachy_mind.tools.result_limits import text
from reachy_mind.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from reachy_mind.tools.context import Context

MODULES = (code, execution, code_files, repositories, files, edits, history, staging, branches)
AMOUNTS: dict[str, AmountsTo] = {
    **staging.AMOUNTS,
    **branches.AMOUNTS,
    **execution.AMOUNTS,
    **code_files.AMOUNTS,
}


async def open_developer(configuration: Configuration, toolbox: Toolbox, stack: contextlib.AsyncExitStack) -> Developer:
    """Register the developer's tools. They are opt-in: only a profile that names them offers them."""
    developer = Developer(configuration, partial(text_model, configuration))
    data = configuration.home.folder
    developer.sandbox = ProgramSandbox(developer.settings, developer.workspace, data)
    trust = RuleTrust(data / "developer" / "trusted_rules.json", _asking(toolbox))
    developer.checks = RuleChecks(developer, developer.sandbox, trust)
    toolbox.parts.extra[KEY] = developer
    stack.callback(toolbox.parts.extra.pop, KEY, None)
    access = await stack.enter_async_context(
        GitHubAccess(developer.settings, developer.workspace, developer.last_repository)
    )
    register(toolbox.parts, access)
    stack.callback(toolbox.parts.extra.pop, GITHUB, None)
    talk = RepositoryTalk(developer, access)
    for tool in (*tools(developer), *github_tools(access)):
        toolbox.registry.add(replace(developer.calls.recording(tool), follows=talk.read))
    return developer


def tools(developer: Developer) -> Iterable[Tool]:
    """Every tool, with its question and its sentences."""
    asked: dict[str, Question] = {}
    for questions in _questions():
        asked |= questions(developer)
    said = DeveloperSentences(developer)
    for module in MODULES:
        for tool in module.TOOLS:
            yield replace(
                tool,
                opt_in=True,
                question=asked.get(tool.name),
                amounts_to=AMOUNTS.get(tool.name),
                serves=partial(said.read, tool.name),
            )


def _questions() -> tuple[Callable[[Developer], dict[str, Question]], ...]:
    made = (repositories, files, edits, staging, branches, execution)
    return tuple(module.questions for module in made)


def _asking(toolbox: Toolbox) -> AskPerson:
    """A question of its own within a commit: no rule, and no answer given beforehand, stands for a person's yes."""

    async def ask(ctx: Context, consequence: str, arguments: dict[str, str]) -> str:
        call_id, tool = uuid4().hex, "github.github_commit"
        await toolbox.audit.record_question(call_id, tool, int(Tier.CONFIRM), ctx.caller, text(arguments))
        by = await toolbox.confirmations.ask(
            call_id=call_id,
            tool=tool,
            arguments=dict(arguments),
            consequence=consequence,
            reason="a repository's own commands run only once a person trusts them",
            conversation=ctx.caller.conversation,
        )
        await toolbox.audit.record_decision(call_id, tool, int(Tier.CONFIRM), ctx.caller, text(arguments), by)
        return by

    return ask
