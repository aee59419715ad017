"""`Outgoing`: an answer of the model on this machine, as the events of the Responses API that the SDK reads."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseContentPartAddedEvent,
    ResponseFunctionToolCall,
    ResponseOutputItemAddedEvent,
    ResponseOutputItemDoneEvent,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
    ResponseUsage,
)
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails

from reachy_mind.models.llama import Usage

if TYPE_CHECKING:
    from agents.items import TResponseStreamEvent

NOTHING = Usage(cut=False, tokens_in=0, tokens_out=0, cached=0)


class Outgoing:
    """Words or one call; `used` is what it took."""

    def __init__(self, model: str) -> None:
        self.text = ""
        self.used = NOTHING
        self._model, self._id = model, f"resp_{uuid4().hex}"
        self._message = f"msg_{uuid4().hex}"
        self._items: list[Any] = []
        self._number = 0

    def grown(self, text: str) -> list[TResponseStreamEvent]:
        """Events for the words that have come since."""
        new = text[len(self.text) :]
        if not new:
            return []
        events: list[TResponseStreamEvent] = []
        if not self.text:
            events += [
                ResponseOutputItemAddedEvent(
                    item=self._spoken("in_progress", []),
                    output_index=0,
                    sequence_number=self._next(),
                    type="response.output_item.added",
                ),
                ResponseContentPartAddedEvent(
                    content_index=0,
                    item_id=self._message,
                    output_index=0,
                    part=ResponseOutputText(annotations=[], text="", type="output_text"),
                    sequence_number=self._next(),
                    type="response.content_part.added",
                ),
            ]
        self.text = text
        events.append(
            ResponseTextDeltaEvent(
                content_index=0,
                delta=new,
                item_id=self._message,
                logprobs=[],
                output_index=0,
                sequence_number=self._next(),
                type="response.output_text.delta",
            )
        )
        return events

    def said(self) -> TResponseStreamEvent:
        """The end of the words."""
        text = ResponseOutputText(annotations=[], text=self.text, type="output_text")
        return self._ended(self._spoken("completed", [text]))

    def called(self, name: str, arguments: str) -> TResponseStreamEvent:
        return self.asked_for(name, arguments)[0]

    def asked_for(self, name: str, arguments: str) -> tuple[TResponseStreamEvent, str]:
        """A call that the SDK is to make, and its id."""
        made = f"call_{uuid4().hex}"
        call = ResponseFunctionToolCall(
            arguments=arguments,
            call_id=made,
            name=name,
            type="function_call",
            id=f"fc_{uuid4().hex}",
            status="completed",
        )
        return self._ended(call), made

    def completed(self) -> ResponseCompletedEvent:
        used = self.used
        usage = ResponseUsage(
            input_tokens=used.tokens_in,
            input_tokens_details=InputTokensDetails(cached_tokens=used.cached, cache_write_tokens=0),
            output_tokens=used.tokens_out,
            output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
            total_tokens=used.tokens_in + used.tokens_out,
        )
        response = Response(
            id=self._id,
            created_at=time.time(),
            model=self._model,
            object="response",
            output=self._items,
            parallel_tool_calls=False,
            tool_choice="auto",
            tools=[],
            usage=usage,
        )
        return ResponseCompletedEvent(response=response, sequence_number=self._next(), type="response.completed")

    def _spoken(self, status: Any, content: list[Any]) -> ResponseOutputMessage:
        return ResponseOutputMessage(id=self._message, content=content, role="assistant", status=status, type="message")

    def _ended(self, item: Any) -> TResponseStreamEvent:
        self._items.append(item)
        return ResponseOutputItemDoneEvent(
            item=item,
            output_index=len(self._items) - 1,
            sequence_number=self._next(),
            type="response.output_item.done",
        )

    def _next(self) -> int:
        self._number += 1
        return self._number
