"""Lines of an export as tokens for `lora`, and the evaluation of a model on lines that were held out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reachy_mind.errors import InvalidParameter
from reachy_mind.learning.gguf import GgufFile
from reachy_mind.learning.tool_text import Call, calls_of, plain_messages, read_calls
from reachy_mind.models.completion import Message
from reachy_mind.models.llama import Llama

HINT = "files of reachy-mind learn export, in either format"
MOST_ANSWER_TOKENS = 160

Line = Mapping[str, Any]


@dataclass(frozen=True)
class TokenExample:
    """A prompt and its answer as tokens."""

    prompt: tuple[int, ...]
    answer: tuple[int, ...]


@dataclass(frozen=True)
class TokenPair:
    """A prompt with a wanted and an unwanted answer."""

    prompt: tuple[int, ...]
    chosen: tuple[int, ...]
    rejected: tuple[int, ...]


@dataclass
class TokenData:
    """What a model is trained on."""

    examples: list[TokenExample] = field(default_factory=list)
    pairs: list[TokenPair] = field(default_factory=list)
    too_long: int = 0


@dataclass(frozen=True)
class ToolChoice:
    """How a model answered requests: shares with the right tools in the right order, and with the right arguments too.

    A request that wants no tool is right when none was called.
    """

    requests: int
    tools: float
    calls: float
    answers: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {"requests": self.requests, "tools": round(self.tools, 4), "calls": round(self.calls, 4)}


def read_lines(file: Path) -> list[Line]:
    """Raises InvalidParameter, naming the line that is in no format that is known."""
    try:
        texts = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidParameter(f"{file} can't be read: {error}", hint=HINT) from None
    lines = list[Line]()
    for number, text in enumerate(texts, 1):
        try:
            line = json.loads(text)
            _check(line)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidParameter(f"{file}:{number}: not a line of an export ({error!r})", hint=HINT) from None
        lines.append(line)
    return lines


def _check(line: Line) -> None:
    lists = ("messages",) if "messages" in line else ("prompt", "chosen", "rejected")
    plain_messages([message for name in lists for message in line[name]], line.get("tools") or ())


async def tokenised(llama: Llama, base: GgufFile, lines: Iterable[Line], longest: int) -> TokenData:
    """The lines as tokens of the model; every answer that is to be trained on is an example. Raises as `Llama` does."""
    end = int(base.metadata.get("tokenizer.ggml.eot_token_id", base.metadata["tokenizer.ggml.eos_token_id"]))
    data = TokenData()

    async def answer(message: Mapping[str, Any]) -> tuple[int, ...]:
        return (*await llama.tokens(plain_messages([message])[0]["content"]), end)

    for line in lines:
        tools = line.get("tools") or ()
        if "messages" in line:
            for place in _trained(line["messages"]):
                prompt = tuple(await llama.prompt_tokens(plain_messages(line["messages"][:place], tools)))
                example = TokenExample(prompt, await answer(line["messages"][place]))
                if len(example.prompt) + len(example.answer) > longest:
                    data.too_long += 1
                else:
                    data.examples.append(example)
            continue
        prompt = tuple(await llama.prompt_tokens(plain_messages(line["prompt"], tools)))
        pair = TokenPair(prompt, await answer(line["chosen"][0]), await answer(line["rejected"][0]))
        if len(prompt) + max(len(pair.chosen), len(pair.rejected)) > longest:
            data.too_long += 1
        else:
            data.pairs.append(pair)
    return data


def _trained(messages: Sequence[Mapping[str, Any]]) -> list[int]:
    """The places of the answers that are trained on."""
    return [
        place for place, each in enumerate(messages) if each["role"] == "assistant" and each.get("weight", 1) and place
    ]


def request_of(line: Line) -> tuple[list[Message], list[Call]] | None:
    """The prompt of a line and the calls that are right for it; None for a line without an answer."""
    if "messages" in line:
        places = _trained(line["messages"])
        if not places:
            return None
        before, right = line["messages"][: places[0]], line["messages"][places[0]]
    else:
        before, right = line["prompt"], line["chosen"][0]
    return plain_messages(before, line.get("tools") or ()), calls_of(right)


async def evaluate(llama: Llama, lines: Iterable[Line]) -> ToolChoice:
    """Ask the model for an answer to each line. Raises as `Llama` does."""
    tools, calls, answers = list[bool](), list[bool](), list[str]()
    for line in lines:
        if (asked := request_of(line)) is None:
            continue
        prompt, right = asked
        text = (await llama.complete(prompt, max_tokens=MOST_ANSWER_TOKENS)).text
        made = read_calls(text)
        answers.append(text)
        tools.append([name for name, _ in made] == [name for name, _ in right])
        calls.append(made == right)
    count = max(1, len(tools))
    return ToolChoice(len(tools), sum(tools) / count, sum(calls) / count, tuple(answers))
