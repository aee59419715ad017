"""Recipe `sequence`: several actions under one name: "make a tool that looks left, then right, then nods"."""

from __future__ import annotations

import re

from reachy_mind.workshop.draft import Case
from reachy_mind.workshop.recipes import actions
from reachy_mind.workshop.recipes.actions import Actions
from reachy_mind.workshop.recipes.recipe import SUCCESS, Parameters, Recipe, case, explained, filled, said, tool_name
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
    if request.is_statement or request.timing.is_timed or _CONDITION.search(request.text):
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
    if whole := actions.read(request.text, request.understand):
        return whole
    parts = [actions.read(part, request.understand) for part in _JOINTS.split(request.text) if part.strip()]
    read = [part for part in parts if part is not None]
    if len(read) != len(parts) or not read:
        return None
    steps = tuple(step for part in read for step in part.steps)
    return Actions(steps, request.text) if len(steps) <= actions.MOST_STEPS else None


def code(parameters: Parameters) -> str:
    wanted = parameters.actions
    assert wanted is not None
    photos, lines = wanted.takes_photos, wanted.lines(8)
    return filled(
        TEMPLATE,
        parameters,
        summary=summary(parameters),
        imports="import asyncio\n\n" if "asyncio." in lines else "",
        actions=lines,
        sequence=said("sequence", parameters),
        not_done=said("not_done", parameters),
        photo_doc=", and the names of the photos" if photos else "",
        photo_list="\n    photos = []" if photos else "",
        photo_result='\n        "photos": photos,' if photos else "",
    )


def summary(parameters: Parameters) -> str:
    assert parameters.actions is not None
    return f"Do this, one after the other: {', '.join(tool.replace('_', ' ') for tool in parameters.actions.tools)}."


def cases(parameters: Parameters) -> tuple[Case, ...]:
    assert parameters.actions is not None
    return (case({}, SUCCESS, robot=parameters.actions.seen(1)),)


def _capabilities(parameters: Parameters) -> set[str]:
    return parameters.actions.capabilities if parameters.actions is not None else set()


RECIPE = Recipe(
    "sequence", matches, code, cases, summary, _capabilities, lambda parameters: explained("sequence", parameters)
)
