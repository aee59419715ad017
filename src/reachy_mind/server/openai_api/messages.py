"""What a client of the OpenAI API sends to be answered: messages and functions, as the parts of a turn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.brains.brain import Past, ToolCall
from reachy_mind.conversation.turns import LONGEST_TEXT
from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.client_tools import DeclaredTool, declare
from reachy_mind.tools.definition import Outcome

MOST_MESSAGES = 1000
MOST_PAST = 12
"""Earlier turns that a brain is given, as of our own conversations."""
HINT = "messages end with what the user says, or with the results of tool calls"


class ChatRequest(BaseModel):
    """The body of `/v1/chat/completions`; fields that only a language model knows are ignored."""

    model_config = ConfigDict(extra="ignore")

    model: str = Field("", max_length=200)
    messages: list[dict[str, Any]] = Field(min_length=1, max_length=MOST_MESSAGES)
    stream: bool = False
    stream_options: dict[str, Any] | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: str | dict[str, Any] | None = None
    n: int | None = Field(None, ge=1, le=1)
    response_format: dict[str, Any] | None = None
    user: str | None = Field(None, max_length=200)

    @property
    def includes_usage(self) -> bool:
        return bool((self.stream_options or {}).get("include_usage"))


@dataclass
class ClientConversation:
    """The messages of a request: the role of the robot, what was said before, and what is said now."""

    instructions: str = ""
    past: list[Past] = field(default_factory=list)
    said: str = ""
    results: dict[str, Any] = field(default_factory=dict)
    """What the client's tools returned since, by the id of the call."""
    opening: str = ""
    """The first thing that was said: with the instructions, it tells one talk from another."""


def talk_of(messages: Sequence[Mapping[str, Any]]) -> ClientConversation:
    """Raises InvalidParameter for messages that end with no user's, and for content that is no text."""
    talk, reply, calls, names = ClientConversation(), "", list[ToolCall](), dict[str, str]()
    for message in messages:
        content = text_of(message.get("content"))
        match message.get("role"):
            case "system" | "developer":
                talk.instructions = f"{talk.instructions}\n{content}".strip()
            case "user":
                if talk.said and (reply or calls):
                    talk.past.append(Past(talk.said, reply, tuple(calls)))
                    talk.said = ""
                talk.said = f"{talk.said}\n{content}".strip()
                talk.opening = talk.opening or talk.said
                reply, calls, talk.results = "", [], {}
            case "assistant":
                reply = f"{reply} {content}".strip()
                names |= _calls(message.get("tool_calls"))
            case "tool":
                call_id = str(message.get("tool_call_id", ""))
                talk.results[call_id] = content
                calls.append(ToolCall(names.get(call_id, "tool"), {}, Outcome("ok", {"message": content[:1000]})))
            case other:
                raise InvalidParameter(f"a message of {str(other)[:40]!r}", hint="system, user, assistant or tool")
    last = messages[-1].get("role")
    if not talk.said or last not in ("user", "tool") or len(talk.said) > LONGEST_TEXT:
        raise InvalidParameter("there is nothing to answer", hint=f"{HINT}, at most {LONGEST_TEXT} characters")
    talk.past = talk.past[-MOST_PAST:]
    return talk


def text_of(content: Any) -> str:
    """The text of a message's content. Raises InvalidParameter for pictures and sound."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise InvalidParameter("a message whose content is no text", hint="a text, or a list of text parts")
    texts = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in ("text", "input_text", "output_text", "refusal"):
            raise InvalidParameter(
                f"a message with a part of type {str(kind)[:40]!r}",
                hint="text alone; sound: /v1/audio/transcriptions, pictures: /api/v1/vision/analyze",
            )
        texts.append(str(part.get("text") or part.get("refusal") or ""))
    return "\n".join(texts)


def declared_tools(tools: Sequence[Mapping[str, Any]] | None, chosen: Any = None) -> tuple[DeclaredTool, ...]:
    """The functions of a client: nested, as in a chat, or flat, as in a Realtime session. `chosen`: its `tool_choice`;
    a function that it names is the only one. Raises InvalidParameter."""
    found = []
    for tool in tools or ():
        if not isinstance(tool, dict) or tool.get("type", "function") != "function":
            kind = tool.get("type") if isinstance(tool, dict) else tool
            raise InvalidParameter(f"a tool of type {str(kind)[:40]!r}", hint="functions alone")
        about = tool.get("function", tool)
        found.append(declare(about.get("name"), about.get("description"), about.get("parameters")))
    if isinstance(chosen, dict) and (named := chosen.get("name") or chosen.get("function", {}).get("name")):
        found = [tool for tool in found if tool.name == named]
        if not found:
            raise InvalidParameter(f"tool_choice names {str(named)[:64]!r}, which is not declared", hint="see tools")
    return tuple(found)


ToolChoice = Literal["none", "auto", "required"]


def choice_of(chosen: Any) -> ToolChoice:
    """Raises InvalidParameter."""
    if chosen is None or chosen == "auto":
        return "auto"
    if isinstance(chosen, dict):
        return "required"
    if chosen in ("none", "required"):
        return "none" if chosen == "none" else "required"
    raise InvalidParameter(f"tool_choice {str(chosen)[:40]!r}", hint="none, auto, required or a function")


def _calls(calls: Any) -> dict[str, str]:
    """The names of an assistant's calls, by id."""
    found = {}
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict) and isinstance(call.get("function"), dict):
            found[str(call.get("id", ""))] = str(call["function"].get("name", "tool"))
    return found


def as_json(arguments: Mapping[str, Any]) -> str:
    """Arguments of a call, as clients get them."""
    return json.dumps(arguments, ensure_ascii=False, default=str)
