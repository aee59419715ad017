"""`LocalModel`: the language model on this machine, as the Agents SDK asks models.

A small model is slow to read and slow to write, and can't be trusted with free form. So it is asked once a request: for
words, for all the steps to do, or for who should do it. The steps are then handed to the SDK one after the other
without asking again, until one fails; what the tools report is what is said. Only what has to be read, such as results
of a search, goes back to the model.
"""

from __future__ import annotations

import contextlib
import json
from collections import OrderedDict
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agents import FunctionTool, Handoff, Model, ModelResponse, ModelTracing, Usage, generation_span
from openai.types.responses import ResponseCompletedEvent

from reachy_mind.brains.agents import brief
from reachy_mind.brains.agents.brief import Ability, Brief, Colleague
from reachy_mind.brains.agents.exchange import Exchange, Made, exchanges
from reachy_mind.brains.agents.intent import Intent, Step, intent, saying
from reachy_mind.brains.agents.outgoing import Outgoing
from reachy_mind.brains.thought import NoThought, Unanswered
from reachy_mind.errors import MindError
from reachy_mind.models import llama, plaintext
from reachy_mind.models.llama import Llama

if TYPE_CHECKING:
    from agents import Agent, Tool
    from agents.items import TResponseInputItem, TResponseStreamEvent

    from reachy_mind.config import Configuration

MOST_TOKENS = 220
"""In an answer: some 800 letters of words, or six steps."""
MOST_OPEN = 64
LONGEST_REPLY = 800
SILENT = ("speak",)
"""Tools whose report is not worth saying beside others': it was heard."""


@dataclass(frozen=True)
class _Open:
    """A plan under way: the calls that were made of it, and what is left to do."""

    made: tuple[str, ...]
    left: tuple[Step, ...]


class LocalModel(Model):
    """One for all agents; each has its own prompt, which is kept. Raises NoThought when the model fails."""

    def __init__(self, model: Llama) -> None:
        self.llama = model
        self._open: OrderedDict[str, _Open] = OrderedDict()

    @classmethod
    def of(cls, configuration: Configuration) -> LocalModel:
        """Raises AssetError when `chat` was not pulled, MissingExtra without xllamacpp."""
        return cls(Llama.of(configuration))

    async def read(self, agent: Agent[Any]) -> None:
        """Load it, and have it read what comes before every request to this agent. Raises NoThought."""
        about = _brief(str(agent.instructions or ""), agent.tools, ())
        with _failing():
            await self.llama.read(about.messages())

    async def aclose(self) -> None:
        """End its process."""
        await self.llama.aclose()

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],  # noqa: A002 -- the SDK's name
        *about: Any,
        **more: Any,
    ) -> ModelResponse:
        events = self.stream_response(system_instructions, input, *about, **more)
        async with contextlib.aclosing(events):
            async for event in events:
                if isinstance(event, ResponseCompletedEvent):
                    used = event.response.usage
                    usage = Usage(
                        requests=1,
                        input_tokens=used.input_tokens if used else 0,
                        output_tokens=used.output_tokens if used else 0,
                        total_tokens=used.total_tokens if used else 0,
                    )
                    return ModelResponse(list(event.response.output), usage, event.response.id)
        raise Unanswered("I lost my thread.", hint="ask again")

    async def stream_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],  # noqa: A002 -- the SDK's name
        model_settings: Any,  # noqa: ARG002 -- a small model has settings of its own
        tools: list[Tool],
        output_schema: Any,  # noqa: ARG002 -- it answers as its own schema wants
        handoffs: list[Handoff[Any, Any]],
        tracing: ModelTracing,
        **_: Any,
    ) -> AsyncGenerator[TResponseStreamEvent, None]:
        talk = exchanges(input)
        outgoing = Outgoing(self.llama.name)
        with generation_span(model=self.llama.name, disabled=tracing.is_disabled()) as span:
            made = [call for call in talk[-1].calls if call.output]
            if made and talk[-1].calls[-1].output:
                thoughts = self._went_on(talk, made, outgoing)
            else:
                about = _brief(system_instructions, tools, handoffs)
                thoughts = self._thought(about, talk, outgoing, handoffs)
            async with contextlib.aclosing(thoughts):
                async for event in thoughts:
                    yield event
            done = outgoing.completed()
            used = outgoing.used
            span.span_data.usage = {"input_tokens": used.tokens_in, "output_tokens": used.tokens_out}
            yield done

    async def _thought(
        self, about: Brief, talk: Sequence[Exchange], outgoing: Outgoing, handoffs: Sequence[Handoff[Any, Any]]
    ) -> AsyncGenerator[TResponseStreamEvent, None]:
        """A fresh request: ask the model what to do."""
        said = talk[-1].said
        with _failing():
            await self.llama.read(about.messages())
        messages = [*about.messages(), *_past(talk[:-1]), _user(brief.asked(said, about.called_for(said)))]
        written = ""
        answer = self._asked(messages, about.schema(said), outgoing)
        async with contextlib.aclosing(answer):
            async for written in answer:
                for event in outgoing.grown(saying(written)):
                    yield event
        meant = intent(written)
        if meant.steps:
            first, *rest = map(about.trimmed, meant.steps)
            yield self._call(first.with_result(""), _Open((), tuple(rest)), outgoing)
        elif handed := next((each for each in handoffs if each.agent_name == meant.hand_to), None):
            yield outgoing.called(handed.tool_name, _reason(handed, said))
        else:
            for event in self._said_whole(meant, outgoing):
                yield event

    async def _went_on(
        self, talk: Sequence[Exchange], made: Sequence[Made], outgoing: Outgoing
    ) -> AsyncGenerator[TResponseStreamEvent, None]:
        """A call has ended: the next step of the plan, or what to say about them all."""
        last = made[-1]
        plan = self._open.pop(last.id, _Open(tuple(call.id for call in made), ()))
        if plan.left and not last.failed:
            yield self._call(plan.left[0].with_result(last.message), _Open(plan.made, plan.left[1:]), outgoing)
            return
        mine = [call for call in made if call.id in plan.made]
        if not any(call.needs_reading for call in mine):
            for event in self._said_whole(Intent(say=_report(mine)), outgoing):
                yield event
            return
        messages = [{"role": "system", "content": READING}, _user(brief.asked(talk[-1].said))]
        messages.append(_user(brief.results([_readable(call) for call in mine])))
        written = ""
        answer = self._asked(messages, brief.SAY, outgoing)
        async with contextlib.aclosing(answer):
            async for written in answer:
                for event in outgoing.grown(saying(written)):
                    yield event
        for event in self._said_whole(Intent(say=saying(written)), outgoing):
            yield event

    async def _asked(
        self, messages: Sequence[dict[str, str]], schema: dict[str, Any], outgoing: Outgoing
    ) -> AsyncGenerator[str, None]:
        """What the model has written so far, again and again. Raises NoThought when it can't be had."""
        written = ""
        with _failing():
            pieces = self.llama.stream(messages, schema=schema, most_tokens=MOST_TOKENS)
            async with contextlib.aclosing(pieces):
                async for piece in pieces:
                    if isinstance(piece, llama.Usage):
                        outgoing.used = piece
                    else:
                        written += piece
                        yield written

    def _call(self, step: Step, plan: _Open, outgoing: Outgoing) -> TResponseStreamEvent:
        event, made = outgoing.asked_for(step.tool, json.dumps(step.args, ensure_ascii=False))
        self._open[made] = _Open((*plan.made, made), plan.left)
        while len(self._open) > MOST_OPEN:  # turns that were cut short
            self._open.popitem(last=False)
        return event

    def _said_whole(self, meant: Intent, outgoing: Outgoing) -> list[TResponseStreamEvent]:
        said = plaintext.words(meant.say, LONGEST_REPLY)
        if not said:
            raise Unanswered("I have no good answer to that.", hint="say it in other words")
        return [*outgoing.grown(meant.say if meant.say.startswith(outgoing.text) else said), outgoing.said()]


@contextlib.contextmanager
def _failing() -> Iterator[None]:
    """What goes wrong with the model, as a sentence."""
    try:
        yield
    except MindError as error:
        hint = f"{error.message}; {error.hint}" if error.hint else error.message
        raise NoThought("The model I think with on this machine failed me.", hint=hint) from error


READING = "You are a small desk robot. Answer what the person asked from what was found, in one or two short sentences."


def _brief(instructions: str | None, tools: Sequence[Tool], handoffs: Sequence[Handoff[Any, Any]]) -> Brief:
    abilities = [
        Ability(tool.name, tool.description, tool.params_json_schema)
        for tool in tools
        if isinstance(tool, FunctionTool)
    ]
    others = [Colleague(each.agent_name, each.tool_description) for each in handoffs]
    return Brief(tuple(abilities), tuple(others), instructions or "")


def _past(talk: Sequence[Exchange]) -> list[dict[str, str]]:
    """Earlier turns: what was asked and done, not what came of it."""
    messages = []
    for past in talk[-brief.PAST_TURNS :]:
        done: dict[str, Any] = {"do": [call.step for call in past.calls]} if past.calls else {"say": past.reply}
        answer = json.dumps(done, ensure_ascii=False)[: brief.LONGEST_SAID]
        messages += [_user(brief.asked(past.said)), {"role": "assistant", "content": answer}]
    return messages


def _user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def _reason(handed: Handoff[Any, Any], said: str) -> str:
    """The arguments of a handoff: where it wants a reason, that is what was asked for."""
    wanted = handed.input_json_schema.get("properties", {})
    reason = plaintext.words(said.partition("\n")[0], 100)
    return json.dumps({name: reason for name in wanted if name == "reason"}, ensure_ascii=False)


def _report(made: Sequence[Made]) -> str:
    """What the tools say of it, each once, in their order."""
    told = dict.fromkeys(call.message for call in made if call.failed or call.name not in SILENT)
    return " ".join(message for message in told if message) or " ".join(call.message for call in made)


def _readable(call: Made) -> str:
    data = call.found.get("data")
    rows = data.get("results") if isinstance(data, dict) else None
    if not isinstance(rows, list):
        return call.message
    texts = (" ".join(str(value) for value in row.values()) if isinstance(row, dict) else str(row) for row in rows)
    return " / ".join(texts)
