"""`ToolRequests`: requests that a tool of its own serves, and those that a tool has to be made for.

In this order: what is said about a tool that the robot made; a tool that says itself that it serves the request
(`Tool.serves`), or what it means in this conversation (`Tool.follows`); a condition that one look decides, which is
done at once; a sentence that a tool brings along (`Tool.sentences`); something like it, where the reader made nothing
of it. A sentence of a tool never takes the place of what the reader is sure of, unless it asks for the tool by its
name ("run take photo repeatedly").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from reachy_mind.brains.brain import Turn
from reachy_mind.brains.reflex import made_tools
from reachy_mind.brains.reflex.at_once import at_once
from reachy_mind.brains.reflex.followups import NOTHING_YET
from reachy_mind.brains.reflex.paraphrases import Embed, Paraphrases
from reachy_mind.brains.reflex.plan import Ask, Guess, Part, Plan, Step, Talk, Unknown, Words
from reachy_mind.brains.reflex.practised_skills import PractisedSkills
from reachy_mind.brains.reflex.tool_sentences import ToolSentences
from reachy_mind.brains.word_lists import spaced
from reachy_mind.tools.definition import Tool, ToolAnswer, ToolUse

CREATE = "create_tool"
LONG_RUN_S = 15.0
"""A call that is expected to last longer goes on in the background."""
_OPEN_TALK = frozenset(spaced("@knowledge @impossible @unclear @can_you @game"))
"""Kinds of talk as which a request for an unknown tool is read."""
_ANSWERS = frozenset(spaced("@yes @no @danger @forbid"))
_LASTING = ("duration_s", "delay_s")
"""Parameters that say how long a call lasts."""

_AND = re.compile(r"(?:,| and)? then |,? and |, ", re.IGNORECASE)
MOST_CLAUSES = 4

Understand = Callable[[str], Plan]


class ToolRequests:
    """For one brain. `embed`: see `Reader.embedding`; without it only words are compared."""

    def __init__(self, embed: Embed | None = None) -> None:
        self._paraphrases = Paraphrases(embed) if embed is not None else None
        self._sentences: tuple[tuple[tuple[str, ...], ...], ToolSentences, PractisedSkills] | None = None

    def plan(self, turn: Turn, made: Plan, understand: Understand) -> Plan:
        """The plan for a turn, given what the reader made of it."""
        if about := made_tools.plan(turn, made.language):
            return about
        served = _served(turn, turn.text)
        if served is None and (followed := _followed(turn)):
            return replace(followed, language=made.language)
        if served is None and (decided := at_once(turn.text, understand)) is not None:
            return decided
        if use := self._tool(turn, made, served, understand):
            step = Step(use.tool, _in_background(use, turn.tools))
            return Plan((replace(step, phrase="making_tool") if use.tool == CREATE else step,), made.language)
        return _noted(made)

    def _tool(self, turn: Turn, made: Plan, served: ToolUse | None, understand: Understand) -> ToolUse | None:
        if served is not None and served.tool != CREATE:
            return served
        known, skills = self._known(turn.tools)
        if known and not _is_answer(made):
            if called := known.call(turn.text, by_name=served is None and _is_sure(made)):
                return called
            if practised := skills.asked(turn.text, understand):
                return practised
            if served is None and _is_open(made) and (like := self._like(turn.text, known)):
                return like
        return served

    def _like(self, text: str, known: ToolSentences) -> ToolUse | None:
        """A tool whose sentences are like this one."""
        if near := known.near(text):
            return near
        found = self._paraphrases.tool(text, known.by_tool) if self._paraphrases is not None else ""
        return known.about(found, text) if found else None

    def _known(self, tools: Sequence[Tool]) -> tuple[ToolSentences, PractisedSkills]:
        key = tuple(tool.sentences for tool in tools if tool.sentences)
        if self._sentences is None or self._sentences[0] != key:
            sentences = ToolSentences(tools)
            self._sentences = key, sentences, PractisedSkills(sentences)
        return self._sentences[1:]


def _served(turn: Turn, text: str) -> ToolUse | None:
    """What a tool says about the request; only a tool of this turn counts."""
    names = {tool.name for tool in turn.tools}
    found = (tool.serves(text) for tool in turn.tools if tool.serves is not None and not tool.not_ready_reason)
    return next((use for use in found if use is not None and use.tool in names), None)


def _followed(turn: Turn) -> Plan | None:
    """What a request means because of what the conversation is about: all of it, or each of its parts in turn."""
    names = {tool.name for tool in turn.tools}
    follows = tuple(dict.fromkeys(tool.follows for tool in turn.tools if tool.follows and not tool.not_ready_reason))

    def read(text: str) -> ToolUse | ToolAnswer | None:
        found = (each(turn.conversation, text) for each in follows)
        return next((each for each in found if isinstance(each, ToolAnswer) or (each and each.tool in names)), None)

    if not follows:
        return None
    if whole := read(turn.text):
        return Plan((_part(whole, turn.tools),))
    clauses = _AND.split(turn.text)
    found = [_served(turn, clause) or read(clause) for clause in clauses] if 1 < len(clauses) <= MOST_CLAUSES else []
    if not found or any(each is None for each in found):
        return None
    parts = [_part(each, turn.tools, further=number > 0) for number, each in enumerate(found) if each is not None]
    return Plan(tuple(parts))


def _part(found: ToolUse | ToolAnswer, tools: Sequence[Tool], *, further: bool = False) -> Part:
    if isinstance(found, ToolAnswer):
        return Words(found.text)
    return Step(found.tool, _in_background(found, tools), then_only=further)


def _noted(made: Plan) -> Plan:
    """With a word ahead where a tool may have to be written, which takes a while."""
    return replace(made, parts=tuple(_with_note(part) for part in made.parts))


def _with_note(part: Part) -> Part:
    return replace(part, phrase="perhaps_making_tool") if isinstance(part, Step) and part.tool == CREATE else part


def _is_sure(made: Plan) -> bool:
    """Whether the reader knows what to do, with the tools that it knows."""
    return bool(made.steps) and made.understood and not any(step.tool == CREATE for step in made.steps)


def _is_answer(made: Plan) -> bool:
    return any(isinstance(part, Talk) and part.kind in _ANSWERS for part in made.parts)


def _is_open(made: Plan) -> bool:
    """Whether the reader made nothing of it."""
    return all(
        isinstance(part, Unknown | Guess | Ask)
        or part == NOTHING_YET
        or (isinstance(part, Talk) and part.kind in _OPEN_TALK)
        for part in made.parts
    )


def _in_background(use: ToolUse, tools: Sequence[Tool]) -> dict[str, Any]:
    """The arguments, with those that make a long run go on beside the conversation."""
    args = dict(use.args)
    tool = next((tool for tool in tools if tool.name == use.tool), None)
    if tool is None or not tool.supports_background or tool.moves:
        return args
    defaults = {name: about.get("default") for name, about in tool.schema.get("properties", {}).items()}
    lasts = [value for name in _LASTING if isinstance(value := args.get(name, defaults.get(name)), int | float)]
    return args | {"background": True} if sum(lasts) > LONG_RUN_S else args
