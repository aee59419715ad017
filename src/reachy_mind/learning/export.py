"""Export of rated and corrected turns as data for fine-tuning, in the chat format of OpenAI and Hugging Face TRL.

    {"messages": [...], "tools": [...]}                                     sft: what was rated well or corrected
    {"prompt": [...], "chosen": [...], "rejected": [...], "tools": [...]}   preference: what people wanted, and what not

A request that was corrected is answered with what was done after the correction. The order is that of the store, and
each conversation is either in the training file or in the held-out one. A manifest has the counts and the hashes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from reachy_mind.learning.rated_turns import RatedTurn, RatedTurns, StoredCall
from reachy_mind.memory.normalization import plain
from reachy_mind.storage.files import write_text_atomically
from reachy_mind.tools import schemas
from reachy_mind.tools.definition import Tool

Format = Literal["sft", "preference"]
Message = dict[str, Any]
LONGEST_RESULT = 600
"""Characters of what a tool returned."""
HELD_OUT = 0.1


@dataclass(frozen=True)
class ExportOptions:
    """What is exported, and how."""

    format: Format
    person: str | None = None
    """The id of a person, for theirs only."""
    min_reward: float = 0.5
    """Of a turn that counts as good; one at the negative of this, or below, counts as bad."""
    held_out: float = HELD_OUT
    """Share of the conversations that are kept for evaluation."""
    objects: bool = False
    """Whether the arguments of calls are JSON objects, as chat templates want them, or text, as OpenAI wants it."""


@dataclass(frozen=True)
class ExportSource:
    """Where texts come from that the store does not have."""

    tools: Sequence[Tool]
    instructions: Callable[[str], str]
    """The system prompt of a personality, by its name."""
    rewrite: Callable[[Any], Any] = lambda value: value
    """Applied to everything people and tools said: takes names out."""


@dataclass(frozen=True)
class ExportedAnswer:
    """What the robot did about a request: calls, or words."""

    calls: tuple[StoredCall, ...]
    reply: str = ""

    @property
    def key(self) -> str:
        return "\n".join(call.key for call in self.calls) or plain(self.reply)


@dataclass
class Exported:
    """The lines, those for training and those that are held out, and what they come from."""

    train: list[dict[str, Any]] = field(default_factory=list)
    held_out: list[dict[str, Any]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


def export(read: RatedTurns, options: ExportOptions, source: ExportSource) -> Exported:
    """The lines of an export."""
    turns = [turn for turn in read.turns.values() if options.person in (None, turn.person) and turn.said]
    chains = {turn.id: _chain(turn, read.turns) for turn in turns if turn.complained}
    exported = Exported()
    make = _sft if options.format == "sft" else _preferences
    made = list(make(turns, chains, options, source))
    definitions = _definitions(made, source.tools)
    seen: set[str] = set()
    kinds: dict[str, int] = {}
    for kind, turn, line in made:
        held = _is_held_out(turn.conversation, options.held_out)
        kinds[kind] = kinds.get(kind, 0) + 1
        whole = line | ({"tools": definitions} if definitions else {})
        (exported.held_out if held else exported.train).append(whole)
        if not held:
            seen.add(plain(turn.said))
    repeated = sum(
        _is_held_out(turn.conversation, options.held_out) and plain(turn.said) in seen for _, turn, _ in made
    )
    exported.counts = {
        "turns": len(turns),
        "feedback": read.feedback,
        "damaged": read.damaged,
        **kinds,
        "train": len(exported.train),
        "held_out": len(exported.held_out),
        "held_out_seen_in_training": repeated,
    }
    return exported


def write(exported: Exported, options: ExportOptions, out: Path) -> dict[str, Any]:
    """Write the files and their manifest, which is returned. Raises ConfigError when they can't be written."""
    files = {out: exported.train, out.with_suffix(f".held-out{out.suffix}"): exported.held_out}
    written = []
    for file, lines in files.items():
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        write_text_atomically(file, text)
        written.append({"file": file.name, "lines": len(lines), "sha256": hashlib.sha256(text.encode()).hexdigest()})
    manifest = {
        "format": options.format,
        "min_reward": options.min_reward,
        "counts": exported.counts,
        "files": written,
    }
    write_text_atomically(out.with_suffix(".manifest.json"), json.dumps(manifest, indent=2) + "\n")
    return manifest


_Line = tuple[str, RatedTurn, dict[str, Any]]
"""Its kind, the turn whose request it answers, and the line."""


def _sft(
    turns: Sequence[RatedTurn], chains: Mapping[str, list[ExportedAnswer]], options: ExportOptions, source: ExportSource
) -> Iterator[_Line]:
    for turn in turns:
        if len(chain := chains.get(turn.id, [])) > 1:
            answer: ExportedAnswer | None = chain[-1]
            kind = "corrected"
        else:
            good = turn.went_well and turn.reward is not None and turn.reward >= options.min_reward
            answer = ExportedAnswer(turn.calls, turn.reply) if good and not turn.complained else None
            kind = "rated_good"
        if answer is not None and answer.key:
            writer = _Writer(options, source)
            prompt, answered = writer.prompt(turn), writer.answered(answer)
            if not answer.reply:
                answered = answered[:1]  # an example ends with what the model has to say
            yield kind, turn, {"messages": [*prompt, *answered]}


def _preferences(
    turns: Sequence[RatedTurn], chains: Mapping[str, list[ExportedAnswer]], options: ExportOptions, source: ExportSource
) -> Iterator[_Line]:
    rated: dict[tuple[str, str], list[RatedTurn]] = {}
    for turn in turns:
        if turn.reward is not None and not turn.complained and turn.went_well:
            rated.setdefault((turn.person, plain(turn.said)), []).append(turn)
    for turn in turns:
        *rejected, chosen = chains.get(turn.id) or [ExportedAnswer(())]
        for each in _distinct(rejected, chosen):
            yield "corrected", turn, _Writer(options, source).preference(turn, chosen, each)
        if turn.reward is None or turn.reward < options.min_reward or turn.complained or not turn.went_well:
            continue
        answer = ExportedAnswer(turn.calls, turn.reply)
        bad = [each for each in rated[turn.person, plain(turn.said)] if (each.reward or 0) <= -options.min_reward]
        for each in _distinct([ExportedAnswer(each.calls, each.reply) for each in bad], answer):
            yield "rated_both_ways", turn, _Writer(options, source).preference(turn, answer, each)


def _distinct(answers: Iterable[ExportedAnswer], other: ExportedAnswer) -> list[ExportedAnswer]:
    """Each once, without those that are the same as the other, or empty."""
    return [each for key, each in {answer.key: answer for answer in answers}.items() if key not in ("", other.key)]


def _chain(turn: RatedTurn, turns: Mapping[str, RatedTurn]) -> list[ExportedAnswer]:
    """What was done about a request, from the first try to the one that nobody corrected.

    Only the first try when no correction was carried out, or when what came of it was not wanted either.
    """
    answers, current, visited = [ExportedAnswer(turn.calls, turn.reply)], turn, {turn.id}
    while current.replacement is not None:
        replaced, following = current.replacement, turns.get(current.replacement.turn)
        if following is None or following.id in visited or following.conversation != turn.conversation:
            break
        new = tuple(call for call in following.calls if call.succeeded)
        if not new or not following.done:
            return answers[:1]
        answers.append(ExportedAnswer(_substituted(answers[-1].calls, replaced.tool, replaced.args, new)))
        current = following
        visited.add(following.id)
    unwanted = current.complained or (current.reward is not None and current.reward < 0)
    return answers[:1] if unwanted and len(answers) > 1 else answers


def _substituted(
    calls: tuple[StoredCall, ...], tool: str, args: Mapping[str, Any], new: tuple[StoredCall, ...]
) -> tuple[StoredCall, ...]:
    """The calls with one of them replaced: the same call, else the last one of the same tool, else all of them."""
    wanted = StoredCall(tool, args).key
    places = [place for place, call in enumerate(calls) if call.key == wanted] or [
        place for place, call in enumerate(calls) if call.name == tool
    ]
    if not places:
        return new
    return (*calls[: places[-1]], *new, *calls[places[-1] + 1 :])


class _Writer:
    """Writes messages; the calls of one line are numbered."""

    def __init__(self, options: ExportOptions, source: ExportSource) -> None:
        self._options, self._source = options, source
        self._calls = 0

    def prompt(self, turn: RatedTurn) -> list[Message]:
        """System prompt, earlier turns, and the request. The answers of earlier turns are not trained on."""
        messages: list[Message] = [{"role": "system", "content": self._text(self._source.instructions(turn.profile))}]
        for past in turn.history:
            if not past.done or (self._options.person is not None and past.person != turn.person):
                continue
            if past.said:
                messages.append({"role": "user", "content": self._text(past.said)})
            messages += [
                message | ({"weight": 0} if message["role"] == "assistant" else {})
                for message in self.answered(ExportedAnswer(past.calls, past.reply))
            ]
        return [*messages, {"role": "user", "content": self._text(turn.said)}]

    def answered(self, answer: ExportedAnswer) -> list[Message]:
        """Calls, their results, and the words."""
        messages = list[Message]()
        if answer.calls:
            message, ids = self._called(answer.calls)
            messages.append(message)
            messages += [
                {"role": "tool", "tool_call_id": one, "content": self._result(call)}
                for one, call in zip(ids, answer.calls, strict=True)
            ]
        if answer.reply:
            messages.append({"role": "assistant", "content": self._text(answer.reply)})
        return messages

    def preference(self, turn: RatedTurn, chosen: ExportedAnswer, rejected: ExportedAnswer) -> dict[str, Any]:
        prompt = [{key: message[key] for key in message if key != "weight"} for message in self.prompt(turn)]
        return {"prompt": prompt, "chosen": [self._first(chosen)], "rejected": [self._first(rejected)]}

    def _first(self, answer: ExportedAnswer) -> Message:
        """The first message of an answer, the one that decides."""
        if answer.calls:
            return self._called(answer.calls)[0]
        return {"role": "assistant", "content": self._text(answer.reply)}

    def _called(self, calls: Sequence[StoredCall]) -> tuple[Message, list[str]]:
        written, ids = list[dict[str, Any]](), list[str]()
        for call in calls:
            self._calls += 1
            ids.append(f"call_{self._calls}")
            args = self._source.rewrite(dict(call.args))
            arguments = args if self._options.objects else json.dumps(args, ensure_ascii=False)
            function = {"name": call.name, "arguments": arguments}
            written.append({"id": ids[-1], "type": "function", "function": function})
        return {"role": "assistant", "content": "", "tool_calls": written}, ids

    def _result(self, call: StoredCall) -> str:
        ended = {"status": call.status, "data": self._source.rewrite(call.data)}
        return json.dumps(ended, ensure_ascii=False, default=str)[:LONGEST_RESULT]

    def _text(self, text: str) -> str:
        return str(self._source.rewrite(text))


def _definitions(made: Sequence[_Line], tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """Every tool that is called in the export, by name. One that is not known any more takes any arguments."""
    used = {call["function"]["name"] for _, _, line in made for message in _messages(line) for call in _calls(message)}
    known = {each["function"]["name"]: each for each in schemas.export(tools, "chat")}
    unknown = {"type": "object", "additionalProperties": True}
    return [
        known.get(name) or {"type": "function", "function": {"name": name, "description": "", "parameters": unknown}}
        for name in sorted(used)
    ]


def _messages(line: Mapping[str, Any]) -> list[Message]:
    return [message for key in ("messages", "prompt", "chosen", "rejected") for message in line.get(key, ())]


def _calls(message: Message) -> list[dict[str, Any]]:
    return list(message.get("tool_calls", ()))


def _is_held_out(conversation: str, share: float) -> bool:
    """The same for a conversation every time, whatever else is exported."""
    return int(hashlib.sha256(conversation.encode()).hexdigest()[:8], 16) / 0x1_0000_0000 < share
