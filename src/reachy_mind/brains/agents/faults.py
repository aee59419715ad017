"""What goes wrong with a model and its server, as a sentence that can be said."""

from __future__ import annotations

import json

import httpx2
import openai
from agents import AgentsException, MaxTurnsExceeded, ModelBehaviorError

from reachy_mind import log
from reachy_mind.brains.thought import NoThought, Unanswered
from reachy_mind.errors import MindError
from reachy_mind.models import plaintext

LONGEST_COMPLAINT = 200

_log = log.get(__name__)


def no_thought(error: Exception, where: str) -> MindError:  # noqa: PLR0911 -- one way out for each way to fail
    """The error to raise in place of another. `where`: the host that was asked."""
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
            return NoThought(
                "My thoughts took too long, so I stopped.", hint=f"{where} did not answer; a smaller model is faster"
            )
        case openai.APIStatusError():
            return _refused(error, where)
        case openai.APIConnectionError() | httpx2.HTTPError() | OSError():
            return NoThought(
                "I can't reach the model I think with.",
                hint=f"is it running at {where} (for Ollama: ollama serve)? Its address is openai.url",
            )
        case openai.APIError() | ModelBehaviorError() | json.JSONDecodeError() | openai.OpenAIError():
            said = plaintext.words(str(error), LONGEST_COMPLAINT)
            return NoThought(
                "The model I think with made no sense.", hint=f"{where}: {said}; ask again, or another model"
            )
        case _:
            _log.error("thinking failed", error=f"{type(error).__name__}: {error}"[:500], exc_info=error)
            return NoThought("Something went wrong while I thought about it.", hint="the log says what; ask again")


def _refused(error: openai.APIStatusError, where: str) -> NoThought:
    why = _complaint(error)
    match error.status_code:
        case 401 | 403:
            return NoThought("The model I think with refused my key.", hint=f"{where}{why}: set openai.api_key")
        case 404:
            return NoThought(
                "The model I was told to think with is not there.",
                hint=f"{where}{why}: set openai.model (for Ollama: ollama pull it first), or check openai.url",
            )
        case 429:
            return NoThought(
                "The model I think with is too busy, or my quota there is used up.", hint=f"{where}{why}: wait a bit"
            )
        case status if 300 <= status < 400:
            return NoThought(
                "The model I think with has moved.", hint=f"{where} redirects, which is not followed: set openai.url"
            )
        case status if status >= 500:
            return NoThought(
                "The model I think with has failed.", hint=f"{where}, status {status}{why}: its log says more"
            )
        case status:
            return NoThought("The model I think with refused my request.", hint=f"{where}, status {status}{why}")


def _complaint(error: openai.APIStatusError) -> str:
    body = error.body
    said = body.get("message") if isinstance(body, dict) else ""
    found = plaintext.words(said, LONGEST_COMPLAINT) if isinstance(said, str) else ""
    return f" ({found})" if found else ""
