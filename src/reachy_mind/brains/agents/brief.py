"""What a small model is told, and what it may answer.

Its prompt is read once and kept, so it never changes for the same agent: the task, a line for each tool, examples. What
changes comes last: the conversation, as short as it can be. A JSON schema keeps the answer to tools there are, with
their own arguments: a small model that may write what it likes invents both.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reachy_mind.brains.agents.intent import RESULT, Step
from reachy_mind.models.plaintext import fenced, words

MOST_STEPS = 6
PAST_TURNS = 3
LONGEST_INSTRUCTIONS, LONGEST_SAID, LONGEST_RESULT = 1200, 600, 500

TASK = """You are the mind of a small desk robot with a head, two antennas, a camera and a voice.
Answer each request with JSON, one of:
{"say": "words"} for talk, knowledge and what no tool does. Short, kind, true.
{"do": [{"tool": {"argument": value}}, ...]} to act: the steps it takes, in order, each once.
Leave out every argument that was not asked for. What the robot sees, the time, the weather, news and memories are known
by tools alone: never make them up. "$result" in an argument is what the step before found."""
HAND_TASK = '{"hand_to": "name"} for what is the task of one of these:'
TOLD = 'Now tell the person in one or two sentences what came of it: {"say": "words"}'


EVERYDAY = frozenset((
    "move_head", "rotate", "set_antennas", "rest", "nod", "shake", "wave", "express_emotion", "dance", "wake_up",
    "sleep", "stop", "get_robot_state", "look_at_object", "look_at_sound", "head_tracking", "take_photo",
    "analyze_scene", "detect_objects", "detect_faces", "describe_image", "listen", "speak", "set_volume",
    "search_web", "get_weather", "get_time", "set_timer", "set_reminder", "list_timers", "cancel_timer",
    "store_memory", "search_memories", "forget_memory", "get_user_profile", "create_tool",
))  # fmt: skip
"""Tools that people ask for in words of all kinds. The others are offered when a request has a word of their name: a
small model that can choose among fifty takes the odd ones too often."""
STEM = 4
"""Letters by which words are compared."""


@dataclass(frozen=True)
class Ability:
    """A tool, as the SDK describes it."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True)
class Colleague:
    """An agent to hand over to."""

    name: str
    task: str


@dataclass(frozen=True)
class Brief:
    """What one agent is told: the same for every request."""

    abilities: tuple[Ability, ...]
    colleagues: tuple[Colleague, ...] = ()
    instructions: str = ""

    def messages(self) -> list[dict[str, str]]:
        """What stands before the conversation."""
        told = [TASK, *(_line(ability) for ability in self.abilities if ability.name in EVERYDAY)]
        if self.colleagues:
            told += [HAND_TASK, *(f"- {other.name}: {words(other.task, 200)}" for other in self.colleagues)]
        made = [{"role": "system", "content": "\n".join(told)}]
        for said, answer in self._examples():
            made += [{"role": "user", "content": said}, {"role": "assistant", "content": json.dumps(answer)}]
        if who := words(self.instructions, LONGEST_INSTRUCTIONS):
            made.append({"role": "system", "content": who})
        return made

    def called_for(self, said: str) -> tuple[Ability, ...]:
        """The tools that are not for every day, and that a request has a word for."""
        heard = {word[:STEM] for word in _words(said)}
        names = Counter(word for ability in self.abilities for word in _words(ability.name))
        return tuple(
            ability
            for ability in self.abilities
            if ability.name not in EVERYDAY
            and any(names[word] == 1 and word[:STEM] in heard for word in _words(ability.name))
        )

    def schema(self, said: str) -> dict[str, Any]:
        """What an answer to a request may be: with the tools for it, and no others."""
        choices = [SAY]
        offered = [ability for ability in self.abilities if ability.name in EVERYDAY]
        if offered := [*offered, *self.called_for(said)]:
            calls = [_only(ability.name, grammatical(ability.schema)) for ability in offered]
            steps = {"type": "array", "items": {"anyOf": calls}, "minItems": 1, "maxItems": MOST_STEPS}
            choices.append(_only("do", steps))
        if self.colleagues:
            choices.append(_only("hand_to", {"type": "string", "enum": [other.name for other in self.colleagues]}))
        return {"anyOf": choices}

    def trimmed(self, step: Step) -> Step:
        """A step without arguments that say nothing: defaults, and zeros and blanks that nobody asked for."""
        schema = next((ability.schema for ability in self.abilities if ability.name == step.tool), {})
        about, required = schema.get("properties", {}), schema.get("required", ())
        args = {
            name: value
            for name, value in step.args.items()
            if name in required
            or not (value == about.get(name, {}).get("default", None) or value in ("", []) or _is_zero(value))
        }
        return Step(step.tool, args)

    def _examples(self) -> list[tuple[str, dict[str, Any]]]:
        names = {ability.name for ability in self.abilities}
        others = {other.name for other in self.colleagues}
        fitting = []
        for said, agent, answer in EXAMPLES:
            steps = answer.get("do", ())
            if all(name in names for step in steps for name in step):
                fitting.append((said, answer))
            elif agent in others:
                fitting.append((said, {"hand_to": agent}))
        return fitting


def _is_zero(value: Any) -> bool:
    return not isinstance(value, bool) and value == 0


def _only(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """An object of one key."""
    return {"type": "object", "properties": {name: schema}, "required": [name], "additionalProperties": False}


SAY = _only("say", {"type": "string", "minLength": 1})

_VISION, _ROBOT, _WEB, _CODE = "VisionAgent", "RobotControlAgent", "WebSearchAgent", "CodeAgent"
EXAMPLES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("hi there, how is it going?", "", {"say": "Very well, thank you! What shall we do?"}),
    ("Look down, but take your time.", _ROBOT, {"do": [{"move_head": {"direction": "down", "speed": "slow"}}]}),
    ("three nods for me", _ROBOT, {"do": [{"nod": {"times": 3}}]}),
    ("What is on the desk in front of you?", _VISION, {"do": [{"analyze_scene": {"prompt": "What is on the desk?"}}]}),
    ("Which colour has the cup?", _VISION, {"do": [{"analyze_scene": {"prompt": "Which colour has the cup?"}}]}),
    ("Search for my keys", _VISION, {"do": [{"look_at_object": {"name": "keys"}}]}),
    ("Who invented the telephone?", "", {"say": "Alexander Graham Bell patented the telephone in 1876."}),
    ("Would I need an umbrella in Oslo tomorrow?", _WEB, {"do": [{"get_weather": {"place": "Oslo"}}]}),
    ("I had such a long day at the office.", "", {"say": "That sounds tiring. I hope your evening is calm."}),
    ("twelve minutes on the clock for the eggs", "", {"do": [{"set_timer": {"minutes": 12, "label": "eggs"}}]}),
    ("You just lost a game, show me.", _ROBOT, {"do": [{"express_emotion": {"emotion": "sad"}}]}),
    (
        "Look at the cup and tell me how it looks.",
        _VISION,
        {"do": [{"look_at_object": {"name": "cup"}}, {"analyze_scene": {"prompt": "How does the cup look?"}}]},
    ),
    (
        "Snap a picture and tell everybody what is on it.",
        _VISION,
        {"do": [{"take_photo": {}}, {"analyze_scene": {}}, {"speak": {"text": RESULT}}]},
    ),
    (
        "chin up, wave, then snap a picture",
        _ROBOT,
        {"do": [{"move_head": {"direction": "up"}}, {"wave": {}}, {"take_photo": {}}]},
    ),
    ("Make yourself a tool that rolls dice.", _CODE, {"do": [{"create_tool": {"description": "roll dice"}}]}),
    ("What is my sister called?", "", {"do": [{"search_memories": {"query": "sister's name"}}]}),
    ("Be surprised!", _ROBOT, {"do": [{"express_emotion": {"emotion": "surprised"}}]}),
    ("Any news about the elections this week?", _WEB, {"do": [{"search_web": {"query": "elections this week"}}]}),
    ("What can you see?", _VISION, {"do": [{"analyze_scene": {}}]}),
)
"""Requests, whose task they are, and the answer of who has the tools."""


def asked(text: str, abilities: Sequence[Ability] = ()) -> str:
    """A person's words as the model reads them, after the tools that only they call for."""
    return "\n".join([*map(_line, abilities), text.strip()[:LONGEST_SAID]])


def results(told: Sequence[str]) -> str:
    """What calls found, marked as data, and what to do with it."""
    found = "\n".join(fenced("result", text, LONGEST_RESULT) for text in told)
    return f"{found}\n{TOLD}"


def _line(ability: Ability) -> str:
    """Name, arguments with their choices, first sentence of the description."""
    arguments = []
    for name, about in ability.schema.get("properties", {}).items():
        choices: list[Any] = next((kind["enum"] for kind in (about, *about.get("anyOf", ())) if "enum" in kind), [])
        arguments.append(f"{name}={'|'.join(map(str, choices))}" if choices else name)
    first = re.split(r"(?<=[.;])\s|\n", ability.description.strip(), maxsplit=1)[0]
    return f"- {ability.name}({', '.join(arguments)}): {words(first, 120)}"


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[a-z]+", text.casefold()) if len(word) >= STEM]


def grammatical(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A tool's schema in the words that llama.cpp makes a grammar of; what else it may say is checked by the gate."""
    return _plain(schema, schema.get("$defs", {}), DEEPEST)


def _plain(schema: Any, definitions: Mapping[str, Any], depth: int) -> dict[str, Any]:
    if not isinstance(schema, Mapping) or depth == 0:
        return {}  # anything
    if isinstance(named := schema.get("$ref"), str):
        return _plain(definitions.get(named.rpartition("/")[2]), definitions, depth - 1)
    if kinds := [kind for kind in schema.get("anyOf", schema.get("oneOf", ())) if kind != {"type": "null"}]:
        made = [_plain(kind, definitions, depth - 1) for kind in kinds]
        return made[0] if len(made) == 1 else {"anyOf": made}
    kept = {key: schema[key] for key in _KEPT if key in schema}
    if isinstance(properties := schema.get("properties"), Mapping):
        kept["properties"] = {name: _plain(each, definitions, depth - 1) for name, each in properties.items()}
        kept["additionalProperties"] = False
    if "items" in schema:
        kept["items"] = _plain(schema["items"], definitions, depth - 1)
    return kept


_KEPT = ("type", "enum", "const", "required", "minItems", "maxItems", "minimum", "maximum")
DEEPEST = 8
