"""The settings of services with a language model: OpenAI-compatible ones, OpenAI's Realtime protocol, and Claude."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from reachy_mind.config.section import Section


class OpenAISettings(Section):
    url: Annotated[
        str | None,
        Field(
            description="OpenAI-compatible endpoint of the language model, such as http://localhost:11434/v1 (empty, "
            "with a key: OpenAI)",
            pattern=r"^https?://[^\s/]+\S*$",
        ),
    ] = None
    api_key: Annotated[SecretStr | None, Field(description="Key for an OpenAI-compatible service")] = None
    model: Annotated[str | None, Field(description="Model at that service (empty: its default, or its first one)")] = (
        None
    )
    small_model: Annotated[str | None, Field(description="A faster model there for simple requests")] = None
    api: Annotated[
        Literal["chat", "responses"],
        Field(description="API it is called with: chat completions, or OpenAI's Responses"),
    ] = "chat"
    first_token_s: Annotated[
        float, Field(description="Timeout for the first token and between tokens, in seconds", gt=0, le=600)
    ] = 30.0
    timeout_s: Annotated[float, Field(description="Timeout of one answer of the model, in seconds", gt=0, le=600)] = (
        90.0
    )
    retries: Annotated[int, Field(description="Retries when it is busy or fails", ge=0, le=10)] = 2
    reply_tokens: Annotated[int, Field(description="Maximum tokens of one answer of the model", ge=16, le=100000)] = (
        1500
    )
    calls_per_turn: Annotated[int, Field(description="Maximum model calls in one turn", ge=1, le=100)] = 12
    tokens_per_turn: Annotated[
        int, Field(description="Maximum tokens of one turn, input and output; 0: no limit", ge=0, le=100000000)
    ] = 100000
    usd_per_day: Annotated[
        float, Field(description="Maximum cost a day in US dollars, by the prices below; 0: no limit", ge=0, le=100000)
    ] = 0.0
    usd_per_million_in: Annotated[float, Field(description="Price of a million input tokens", ge=0, le=10000)] = 0.0
    usd_per_million_cached: Annotated[
        float, Field(description="Price of a million cached input tokens", ge=0, le=10000)
    ] = 0.0
    usd_per_million_out: Annotated[float, Field(description="Price of a million output tokens", ge=0, le=10000)] = 0.0
    traces: Annotated[
        bool, Field(description="Whether OpenAI gets traces of its agents' steps, without what was said")
    ] = False


class RealtimeSettings(Section):
    url: Annotated[
        str,
        Field(
            description="Address of a server that speaks OpenAI's Realtime protocol, such as "
            "ws://localhost:8765/v1/realtime",
            pattern=r"^wss?://[^\s/]+\S*$",
        ),
    ] = "wss://api.openai.com/v1/realtime"
    api_key: Annotated[SecretStr | None, Field(description="Key for that server (for OpenAI: openai.api_key)")] = None
    model: Annotated[str, Field(description="Model at that server", min_length=1)] = "gpt-realtime"
    voice: Annotated[str, Field(description="Its voice, when it does not know the personality's", min_length=1)] = (
        "cedar"
    )
    transcriber: Annotated[str, Field(description="Model there that transcribes what people say", min_length=1)] = (
        "gpt-4o-mini-transcribe"
    )
    pictures: Annotated[
        bool, Field(description="Whether pictures that the robot takes on request are sent to that server")
    ] = False
    timeout_s: Annotated[float, Field(description="Timeout of its answers, in seconds", gt=0, le=300)] = 20.0


class AnthropicSettings(Section):
    api_key: Annotated[SecretStr | None, Field(description="Key for Claude")] = None
    model: Annotated[str | None, Field(description="Claude model")] = None
    url: Annotated[
        str | None,
        Field(
            description="A server with the Messages API in place of Anthropic's own, http(s)://",
            pattern=r"^https?://[^\s/]+\S*$",
        ),
    ] = None
    api: Annotated[
        Literal["auto", "sdk", "messages"],
        Field(description="How Claude is called: the Agent SDK or the Messages API (auto: the SDK where it runs)"),
    ] = "auto"
    timeout_s: Annotated[float, Field(description="Timeout of Claude's answers, in seconds", gt=0, le=600)] = 30.0
    steps: Annotated[int, Field(description="Maximum answers of Claude in one turn", ge=1, le=100)] = 10
    most_tokens: Annotated[int, Field(description="Maximum tokens of one answer", ge=100, le=64000)] = 2000
    usd_per_day: Annotated[
        float, Field(description="Maximum cost a day in US dollars, by the prices below; 0: no limit", ge=0, le=100000)
    ] = 0.0
    usd_per_million_in: Annotated[float, Field(description="Price of a million input tokens", ge=0, le=10000)] = 2.0
    usd_per_million_out: Annotated[float, Field(description="Price of a million output tokens", ge=0, le=10000)] = 10.0
