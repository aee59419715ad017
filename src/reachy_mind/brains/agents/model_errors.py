"""Errors of a model and its server, mapped to errors with a sentence that the robot can say."""

from __future__ import annotations

import json

import httpx2
import openai
from agents import AgentsException, MaxTurnsExceeded, ModelBehaviorError

from reachy_mind import log
from reachy_mind.brains.brain import BrainUnavailable, Unanswered
from reachy_mind.errors import MindError
from reachy_mind.models import plain_text

LONGEST_DETAIL = 200

_log = log.get(__name__)


def as_brain_error(error: Exception, host: str) -> MindError:  # noqa: PLR0911 -- one way out for each way to fail
    """The error to raise in place of `error`. `host`: the server, for the hint."""
    while isinstance(error, AgentsException) and isinstance(error.__cause__, Exception):
        error = error.__cause__
    match error:
        case MindError():
            return error
        case MaxTurnsExceeded():
            return Unanswered(
                "I thought about it for too long without coming to an end.",
                hint="ask for less at once, or raise openai.calls_per_turn",
            )
        case openai.APITimeoutError() | httpx2.TimeoutException() | TimeoutError():
            return BrainUnavailable(
                "My thoughts took too long, so I stopped.", hint=f"{host} did not answer; a smaller model is faster"
            )
        case openai.APIStatusError():
            return _status_error(error, host)
        case openai.APIConnectionError() | httpx2.HTTPError() | OSError():
            return BrainUnavailable(
                "I can't reach the model I think with.",
                hint=f"is it running at {host} (for Ollama: ollama serve)? Its address is openai.url",
            )
        case openai.APIError() | ModelBehaviorError() | json.JSONDecodeError() | openai.OpenAIError():
            said = plain_text.words(str(error), LONGEST_DETAIL)
            return BrainUnavailable(
                "The model I think with made no sense.", hint=f"{host}: {said}; ask again, or another model"
            )
        case _:
            _log.error("thinking failed", error=f"{type(error).__name__}: {error}"[:500], exc_info=error)
            return BrainUnavailable(
                "Something went wrong while I thought about it.", hint="the log says what; ask again"
            )


def _status_error(error: openai.APIStatusError, host: str) -> BrainUnavailable:
    why = _detail(error)
    match error.status_code:
        case 401 | 403:
            return BrainUnavailable("The model I think with refused my key.", hint=f"{host}{why}: set openai.api_key")
        case 404:
            return BrainUnavailable(
                "The model I was told to think with is not there.",
                hint=f"{host}{why}: set openai.model (for Ollama: ollama pull it first), or check openai.url",
            )
        case 429:
            return BrainUnavailable(
                "The model I think with is too busy, or my quota there is used up.", hint=f"{host}{why}: wait a bit"
            )
        case status if 300 <= status < 400:
            return BrainUnavailable(
                "The model I think with has moved.", hint=f"{host} redirects, which is not followed: set openai.url"
            )
        case status if status >= 500:
            return BrainUnavailable(
                "The model I think with has failed.", hint=f"{host}, status {status}{why}: its log says more"
            )
        case status:
            return BrainUnavailable("The model I think with refused my request.", hint=f"{host}, status {status}{why}")


def _detail(error: openai.APIStatusError) -> str:
    body = error.body
    said = body.get("message") if isinstance(body, dict) else ""
    found = plain_text.words(said, LONGEST_DETAIL) if isinstance(said, str) else ""
    return f" ({found})" if found else ""
