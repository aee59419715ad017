"""Tasks in the background, and tools that have to be written."""

from __future__ import annotations

import re
from typing import Any

from reachy_mind.brains.reflex import quantities
from reachy_mind.brains.reflex.intents.clause import Clause, Parts, Rules, step
from reachy_mind.brains.reflex.numbers import plain
from reachy_mind.models.wordpiece import without_accents

RULES = Rules()


@RULES.of("task_cancel")
def _task_cancel(clause: Clause) -> Parts:
    task = clause.words("id")
    if not task:
        data = next((call.data for call in reversed(clause.before) if isinstance(call.data, dict)), {})
        task = str(data.get("task_id", ""))
    return step("task_cancel", {"task_id": task} if task else {})


@RULES.of("background_demo")
def _background_demo(clause: Clause) -> Parts:
    seconds = clause.number("duration", quantities.seconds)
    return step("background_demo", ({"seconds": plain(seconds)} if seconds else {}) | {"background": True})


@RULES.of("create_tool")
def _create_tool(clause: Clause) -> Parts:
    args = {"description": clause.whole.strip()}  # all of it: a word that is left out may be the one that matters
    if named := re.search(r"\b(?:called|named|appele|llamad[ao]|namens) (\w+)", without_accents(clause.found.said)):
        args["name"] = named[1]
    return step("create_tool", args)


@RULES.of("@program")
def _program(clause: Clause) -> Parts:
    """Conditions and repetition need a program: the workshop writes one."""
    return step("create_tool", {"description": clause.whole.strip()})


@RULES.of("rollback_tool")
def _rollback_tool(clause: Clause) -> Parts:
    name = re.sub(r"^(?:the|a|an|my|your) | tool$", "", clause.words("name")).replace(" ", "_")
    version = re.search(r"version (\d+)", clause.found.said.lower())
    args: dict[str, Any] = {"name": name} | ({"version": int(version[1])} if version else {})
    return step("rollback_tool", args) if name else None
