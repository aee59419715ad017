"""Recipe `later`: a timer with an action: "in ten minutes dance"."""

from __future__ import annotations

from reachy_mind.workshop.draft import Case
from reachy_mind.workshop.recipes import actions
from reachy_mind.workshop.recipes.recipe import (
    ERROR,
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

import asyncio

from reachy_mind import tools


async def $tool(delay_s: float = $delay_s) -> dict:
    """$summary

    Args:
        delay_s: Seconds to wait first, at most a day.

    Returns:
        dict: status and message${photo_doc}.
    """
    if not 0 <= delay_s <= 86400:
        return {"status": "error", "message": "The delay is between 0 and 86400 seconds."}
    problems = []${photo_list}
    await asyncio.sleep(delay_s)
    try:
$actions
    except tools.ToolError as error:
        problems.append(error.message)
    return {
        "status": "error" if problems else "success",
        "message": $not_done if problems else $done_later,${photo_result}
        "delay_s": delay_s,
    }
'''


def matches(request: ToolRequest) -> Parameters | None:
    when = request.timing
    if when.delay_s is None or when.interval_s is not None or when.duration_s is not None or when.open_end:
        return None
    if request.is_statement or not when.delay_leads:
        return None
    wanted = actions.read(when.rest, request.understand, request.language)
    if wanted is None or (
        when.rest.casefold().startswith(("remind", "rappelle", "recu", "erinner")) and not request.wants_tool
    ):
        return None  # a reminder is a tool that exists
    return Parameters(
        tool_name(request, f"{wanted.name}_later"),
        {"delay_s": when.delay_s},
        when.delay_s + wanted.seconds,
        actions=wanted,
        topic=wanted.words,
        language=request.language,
    )


def code(parameters: Parameters) -> str:
    return filled_with_actions(TEMPLATE, parameters, summary(parameters), "done_later", "not_done", indent=8)


def summary(parameters: Parameters) -> str:
    return f"Wait for a while, then do this once: {parameters.wanted.name.replace('_', ' ')}."


def cases(parameters: Parameters) -> tuple[Case, ...]:
    return (
        case({"delay_s": min(float(parameters.args["delay_s"]), 5.0)}, SUCCESS, robot=parameters.wanted.seen(1)),
        case({"delay_s": -1.0}, ERROR),
    )


RECIPE = ToolRecipe("later", matches, code, cases, summary)
