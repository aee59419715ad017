"""Recipe `sequence`: several actions under one name: "make a tool that looks left, then right, then nods"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reachy_mind.brains.reflex.plan import Pause, Step
from reachy_mind.workshop.draft import Case
from reachy_mind.workshop.recipes import actions, timing
from reachy_mind.workshop.recipes.actions import Actions
from reachy_mind.workshop.recipes.recipe import (
    SUCCESS,
    Parameters,
    ToolRecipe,
    case,
    filled_with_actions,
    tool_name,
)
from reachy_mind.workshop.recipes.request import ToolRequest

TEMPLATE = '''\
"""$summary"""

${imports}from reachy_mind import tools


async def $tool() -> dict:
    """$summary

    Returns:
        dict: status and message${photo_doc}.
    """
    problems = []${photo_list}
    try:
$actions
    except tools.ToolError as error:
        problems.append(error.message)
    return {
        "status": "error" if problems else "success",
        "message": $not_done if problems else $sequence,${photo_result}
    }
'''
_CONDITION = re.compile(
    (
        r"\b(?:if|when|whenever|every|each|unless|until|while|as soon as|si|quand|chaque|d[eè]s que|jusqu"
        r"|cuando|cada"
        r"|hasta|mientras|wenn|falls|sobald|jede[sn]?|bis|solange)\b"
    ),
    re.IGNORECASE,
)
_JOINTS = re.compile(
    (
        r"\s*(?:[,;:]\s*(?:and |et |y |und )?(?:then |puis |ensuite |luego |despu[eé]s |dann )?|\band then\b"
        r"|\bthen\b"
        r"|\bafter that\b|\bfollowed by\b|\bet puis\b|\bpuis\b|\bet ensuite\b|\by luego\b|\bluego\b"
        r"|\bund dann\b|\bdann\b|\band\b|\bet\b|\by\b|\bund\b)\s*"
    ),
    re.IGNORECASE,
)


def matches(request: ToolRequest) -> Parameters | None:
    """What has a condition or a repetition is no sequence. One action alone is one only when a tool is asked for."""
    when = request.timing
    if (
        request.is_statement
        or when.interval_s
        or when.duration_s
        or when.delay_leads
        or _CONDITION.search(request.text)
    ):
        return None
    wanted = _read(request)
    if wanted is None or (len(wanted.steps) < 2 and not request.wants_tool):
        return None
    return Parameters(
        tool_name(request, wanted.name if request.name else f"{wanted.name}_routine"),
        {},
        wanted.seconds,
        actions=wanted,
        topic=wanted.words,
        language=request.language,
    )


def _read(request: ToolRequest) -> Actions | None:
    """The actions of the whole; else of its parts, if each is understood."""
    whole = actions.read(request.text, request.understand, request.language)
    waits = request.timing.delay_s is not None
    if whole is not None and (not waits or any(isinstance(step, Pause) for step in whole.steps)):
        return whole
    steps: list[Step | Pause] = []
    for part in _parts(request.text, request.language):
        if isinstance(part, Pause):
            steps.append(part)
        elif read := actions.read(part, request.understand, request.language):
            steps.extend(read.steps)
        else:
            return None
    return Actions(tuple(steps), request.text) if 0 < len(steps) <= actions.MOST_STEPS else None


def _parts(text: str, language: str) -> Iterator[str | Pause]:
    """What is asked for, one after the other, with the waits in between."""
    for part in _JOINTS.split(text):
        wait = timing.read(part, language)
        if wait.delay_s is not None:
            yield Pause(wait.delay_s)
        if wait.rest if wait.delay_s is not None else part.strip():
            yield wait.rest if wait.delay_s is not None else part


def code(parameters: Parameters) -> str:
    waits = any(isinstance(step, Pause) for step in parameters.wanted.steps)
    imports = "import asyncio\n\n" if waits else ""
    return filled_with_actions(
        TEMPLATE, parameters, summary(parameters), "sequence", "not_done", indent=8, imports=imports
    )


def summary(parameters: Parameters) -> str:
    return f"Do this, one after the other: {', '.join(tool.replace('_', ' ') for tool in parameters.wanted.tools)}."


def cases(parameters: Parameters) -> tuple[Case, ...]:
    return (case({}, SUCCESS, robot=parameters.wanted.seen(1)),)


RECIPE = ToolRecipe("sequence", matches, code, cases, summary)
