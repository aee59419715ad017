"""Why a Realtime server can't be had, each a sentence that can be said aloud, and what to do about it."""

from __future__ import annotations

from urllib.parse import urlsplit

from openai import OpenAIError
from websockets.exceptions import InvalidHandshake, InvalidStatus, InvalidURI

from reachy_mind.brains.thought import NoThought, Unanswered
from reachy_mind.models import plaintext

LONGEST = 120
_AT_ONCE = "I can't reach the service that I think with"


def unreachable(url: str, error: Exception) -> NoThought:
    """A connection that could not be opened."""
    host = urlsplit(url).hostname or url
    if isinstance(error, InvalidStatus):
        return _status(host, error.response.status_code)
    if isinstance(error, TimeoutError):
        return NoThought(f"{_AT_ONCE}: {host} does not answer.", hint="is it running? Its address is realtime.url")
    if isinstance(error, InvalidURI | InvalidHandshake | OpenAIError):
        reason = plaintext.words(str(error), LONGEST)
        return NoThought(f"{_AT_ONCE}: {host} is no Realtime server.", hint=f"{reason}; set realtime.url")
    return NoThought(
        f"{_AT_ONCE}: there is no connection to {host}.", hint="is it running? Its address is realtime.url"
    )


def _status(host: str, status: int) -> NoThought:
    match status:
        case 401 | 403:
            return NoThought(
                f"{host} does not accept my key, so I can't think with it.",
                hint="set realtime.api_key; for OpenAI openai.api_key does, too",
            )
        case 404:
            return NoThought(f"{host} has no such model for me.", hint="set realtime.model and realtime.url")
        case 429:
            return NoThought(f"{host} has too much to do, or my budget there is used up.", hint="wait a bit")
        case _:
            return NoThought(f"{_AT_ONCE}: {host} failed.", hint=f"it answered with status {status}; its log says more")


def complaint(code: str, message: str) -> NoThought:
    """An error that the server told, or a response that failed."""
    said = plaintext.words(message, LONGEST)
    match code:
        case "rate_limit_exceeded" | "insufficient_quota" | "rate_limit_error":
            return NoThought("The service that I think with has too much to do just now.", hint=said or "wait a bit")
        case "invalid_api_key" | "authentication_error":
            return NoThought(
                "The service that I think with does not accept my key.",
                hint="set realtime.api_key; for OpenAI openai.api_key does, too",
            )
        case "session_expired":
            return NoThought("My line to the service that I think with has run out.", hint="say it again")
        case _:
            return NoThought("The service that I think with could not answer.", hint=said or code or "see its log")


def cut(reason: str) -> NoThought:
    """A connection that ended in the middle of an answer."""
    return NoThought(
        "I lost the connection to the service that I think with.", hint=reason or "it is opened again with the next"
    )


def nonsense(reason: str) -> NoThought:
    return NoThought(
        "The service that I think with makes no sense just now.",
        hint=f"{plaintext.words(reason, LONGEST)}; does realtime.url speak the Realtime protocol?",
    )


def slow(seconds: float) -> NoThought:
    return NoThought(
        "The service that I think with takes too long.", hint=f"realtime.timeout_s is how long: {seconds:g} s"
    )


def silent() -> NoThought:
    return Unanswered("I have no answer to that.", hint="the model said nothing and did nothing")


def circling(rounds: int) -> NoThought:
    return Unanswered(
        "I am going round in circles, so I leave it at that.", hint=f"{rounds} rounds of calls in one turn"
    )
