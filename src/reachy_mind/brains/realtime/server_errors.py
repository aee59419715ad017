"""Errors of a Realtime server, as sentences the robot can say, each with a hint."""

from __future__ import annotations

from urllib.parse import urlsplit

from openai import OpenAIError
from websockets.exceptions import InvalidHandshake, InvalidStatus, InvalidURI

from reachy_mind.brains.brain import BrainUnavailable, Unanswered
from reachy_mind.models import plain_text

LONGEST = 120
_AT_ONCE = "I can't reach the service that I think with"


def unreachable(url: str, error: Exception) -> BrainUnavailable:
    """A connection that could not be opened."""
    host = urlsplit(url).hostname or url
    if isinstance(error, InvalidStatus):
        return _status(host, error.response.status_code)
    if isinstance(error, TimeoutError):
        return BrainUnavailable(
            f"{_AT_ONCE}: {host} does not answer.", hint="is it running? Its address is realtime.url"
        )
    if isinstance(error, InvalidURI | InvalidHandshake | OpenAIError):
        reason = plain_text.words(str(error), LONGEST)
        return BrainUnavailable(f"{_AT_ONCE}: {host} is no Realtime server.", hint=f"{reason}; set realtime.url")
    return BrainUnavailable(
        f"{_AT_ONCE}: there is no connection to {host}.", hint="is it running? Its address is realtime.url"
    )


def _status(host: str, status: int) -> BrainUnavailable:
    match status:
        case 401 | 403:
            return BrainUnavailable(
                f"{host} does not accept my key, so I can't think with it.",
                hint="set realtime.api_key; for OpenAI openai.api_key does, too",
            )
        case 404:
            return BrainUnavailable(f"{host} has no such model for me.", hint="set realtime.model and realtime.url")
        case 429:
            return BrainUnavailable(f"{host} has too much to do, or my budget there is used up.", hint="wait a bit")
        case _:
            return BrainUnavailable(
                f"{_AT_ONCE}: {host} failed.", hint=f"it answered with status {status}; its log says more"
            )


def server_error(code: str, message: str) -> BrainUnavailable:
    """An `error` event, or a response that failed."""
    said = plain_text.words(message, LONGEST)
    match code:
        case "rate_limit_exceeded" | "insufficient_quota" | "rate_limit_error":
            return BrainUnavailable(
                "The service that I think with has too much to do just now.", hint=said or "wait a bit"
            )
        case "invalid_api_key" | "authentication_error":
            return BrainUnavailable(
                "The service that I think with does not accept my key.",
                hint="set realtime.api_key; for OpenAI openai.api_key does, too",
            )
        case "session_expired":
            return BrainUnavailable("My line to the service that I think with has run out.", hint="say it again")
        case _:
            return BrainUnavailable(
                "The service that I think with could not answer.", hint=said or code or "see its log"
            )


def disconnected(reason: str) -> BrainUnavailable:
    """A connection lost in the middle of an answer."""
    return BrainUnavailable(
        "I lost the connection to the service that I think with.", hint=reason or "it is opened again with the next"
    )


def protocol_error(reason: str) -> BrainUnavailable:
    return BrainUnavailable(
        "The service that I think with makes no sense just now.",
        hint=f"{plain_text.words(reason, LONGEST)}; does realtime.url speak the Realtime protocol?",
    )


def timed_out(seconds: float) -> BrainUnavailable:
    return BrainUnavailable(
        "The service that I think with takes too long.", hint=f"realtime.timeout_s is how long: {seconds:g} s"
    )


def empty_reply() -> BrainUnavailable:
    return Unanswered("I have no answer to that.", hint="the model said nothing and did nothing")


def too_many_rounds(rounds: int) -> BrainUnavailable:
    return Unanswered(
        "I am going round in circles, so I leave it at that.", hint=f"{rounds} rounds of calls in one turn"
    )
