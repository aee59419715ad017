"""The page of all tools."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from reachy_mind.brains import reflex
from reachy_mind.tools.definition import Tool
from reachy_mind.tools.schemas import parameters
from website.markup import code, plain_text, table
from website.reference.schemas import field_table
from website.reference.sources import Sources

SENTENCES = Path(reflex.__file__).with_name("sentences")
SHOWN_SENTENCES = 4
LONGEST_SENTENCE = 7
ONE_STEP = re.compile(r"^<(\w+)[^<>]*>([^<>]+)</>([.?!]?)$")
"""A sentence of the reflex reader that is one request and nothing else, in English."""
INTRODUCTION = """\
# Tools

Every tool of the mind: its tier, its parameters and what people say to get it. How a call passes the gate, and how you
add a tool: [the guide](../tools.md). Who decides about a call: [permissions](../permissions.md)."""
GROUPS = {
    "robot": "The body: where it looks, how it moves.",
    "perception": "Camera and microphone.",
    "voice": "The loudspeaker.",
    "time": "Clock, timers and reminders.",
    "web": "What needs the internet.",
    "memory": "What it knows about people.",
    "tasks": "What goes on in the background.",
    "mind": "Its personality and settings.",
    "learning": "What it learned from feedback, and how to undo it.",
    "workshop": "Tools that it writes by itself.",
    "developer": "Programs. Only in profiles that name this group or its tools, such as `linus`.",
    "github": "Repositories and GitHub. Only in profiles that name this group or its tools, such as `linus`.",
}


def page(known: Sources) -> str:
    """Every tool, with its parameters and the sentences that reflex understands as a request for it."""
    said = sentences()
    found = [tool for tool in known.tools if tool.source == "built-in"]
    parts = [
        INTRODUCTION,
        table(("group", "tools"), ((f"[{group}](#{group})", str(len(list(tools)))) for group, tools in _groups(found))),
    ]
    for group, tools in _groups(found):
        parts.append(f"## {group}\n\n{GROUPS.get(group, '')}")
        parts += [_tool(tool, known.aliases.get(tool.name, ()), said.get(tool.name, [])) for tool in tools]
    return "\n\n".join(parts) + "\n"


def _groups(tools: list[Tool]) -> Iterator[tuple[str, list[Tool]]]:
    order = {group: place for place, group in enumerate(GROUPS)}
    tools = sorted(tools, key=lambda tool: (order.get(tool.group, len(order)), tool.group, tool.hidden, tool.name))
    return ((group, list(found)) for group, found in groupby(tools, key=lambda tool: tool.group))


def _tool(tool: Tool, aliases: tuple[str, ...], said: list[str]) -> str:
    tier = tool.tier.label if tool.tier is not None else "confirm"
    facts = [f"tier **{tier}**", f"at most {tool.timeout_s:g} s"]
    facts += ["moves the robot"] if tool.moves else []
    facts += ["changes nothing"] if tool.read_only else []
    facts += ["can run in the background"] if tool.supports_background else []
    facts += ["for people and programs, not offered to brains"] if tool.hidden else []
    parts = [f"### {tool.qualified}", plain_text(tool.description), "; ".join(facts).capitalize() + "."]
    parts.append(field_table(parameters(tool)) or "No parameters.")
    if said:
        parts.append("Say: " + ", ".join(f"“{sentence}”" for sentence in said) + ".")
    if aliases:
        parts.append("Other names: " + ", ".join(code(alias) for alias in aliases) + ".")
    return "\n\n".join(parts)


def sentences() -> dict[str, list[str]]:
    """For each tool some English requests, the first that the reflex reader was taught, no two alike."""
    found: dict[str, list[str]] = {}
    for file in sorted(SENTENCES.glob("*.txt")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if step := ONE_STEP.match(line):
                told = found.setdefault(step[1], [])
                words = step[2] + ("?" if step[3] == "?" else "")
                plain = len(words.split()) <= LONGEST_SENTENCE and not re.search(r"[,.!;]", words)
                if plain and len(told) < SHOWN_SENTENCES and not any(_alike(words, other) for other in told):
                    told.append(words)
    return found


def _alike(one: str, other: str) -> bool:
    first, second = (set(re.findall(r"\w+", text.lower())) for text in (one, other))
    return len(first & second) > len(first | second) / 2
