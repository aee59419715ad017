"""`open_developer`: registers the tools of the groups `developer` and `github`, wired for one mind."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from reachy_mind.brains.text_models import text_model
from reachy_mind.config.configuration import Configuration
from reachy_mind.developer.github.access import KEY as GITHUB
from reachy_mind.developer.github.access import GitHubAccess, register
from reachy_mind.developer.github_tools import github_tools
from reachy_mind.developer.sentences import Sentences
from reachy_mind.developer.service import KEY, Developer
from reachy_mind.developer.tools import branches, code, edits, files, history, repositories, staging
from reachy_mind.tools.definition import AmountsTo, Question, Tool
from reachy_mind.tools.toolbox import Toolbox

MODULES = (code, repositories, files, edits, history, staging, branches)
AMOUNTS: dict[str, AmountsTo] = {**staging.AMOUNTS, **branches.AMOUNTS}


async def open_developer(configuration: Configuration, toolbox: Toolbox, stack: contextlib.AsyncExitStack) -> Developer:
    """Register the developer's tools. They are opt-in: only a profile that names them offers them."""
    developer = Developer(configuration, partial(text_model, configuration))
    toolbox.parts.extra[KEY] = developer
    stack.callback(toolbox.parts.extra.pop, KEY, None)
    for tool in tools(developer):
        toolbox.registry.add(tool)
    access = await stack.enter_async_context(
        GitHubAccess(developer.settings, developer.workspace, developer.last_repository)
    )
    register(toolbox.parts, access)
    stack.callback(toolbox.parts.extra.pop, GITHUB, None)
    for tool in github_tools(access):
        toolbox.registry.add(tool)
    return developer


def tools(developer: Developer) -> Iterable[Tool]:
    """Every tool, with its question and its sentences."""
    asked: dict[str, Question] = {}
    for questions in _questions():
        asked |= questions(developer)
    said = Sentences(developer)
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
    return repositories.questions, files.questions, edits.questions, staging.questions, branches.questions
