"""Errors of the Claude API and the SDK's program, as sentences the robot can say, each with a hint."""

from __future__ import annotations

from typing import Literal

from reachy_mind.brains.brain import BrainUnavailable, Unanswered
from reachy_mind.brains.daily_cost import BUDGET_SPENT

LIMIT_SETTING = "anthropic.usd_per_day"

Fault = Literal["unreachable", "slow", "cut", "nonsense", "too_many_steps", "refused", "budget", "program"]
MESSAGES: dict[Fault, tuple[str, str]] = {
    "unreachable": ("I can't reach Claude just now.", "is there a network? The address is anthropic.url"),
    "slow": ("Claude took too long to answer.", "anthropic.timeout_s is how long it may take"),
    "cut": ("I lost the connection to Claude in the middle of its answer.", "ask again"),
    "nonsense": ("I could not make sense of what Claude answered.", "ask again; is anthropic.url a Messages API?"),
    "too_many_steps": (
        "I went round in circles with that, and stopped.",
        "ask for less at once, or raise anthropic.steps",
    ),
    "refused": ("Claude did not want to answer that.", "ask for something else"),
    "budget": (BUDGET_SPENT, "anthropic.usd_per_day is how much that may be"),
    "program": ("The program that talks to Claude has ended.", "ask again; or set anthropic.api to messages"),
}


def brain_error(fault: Fault, detail: str = "") -> BrainUnavailable:
    """The error for a fault. `detail` goes into the hint, which is not spoken."""
    sentence, hint = MESSAGES[fault]
    kind = Unanswered if fault in ("refused", "too_many_steps") else BrainUnavailable
    return kind(sentence, hint=f"{hint} ({detail[:200]})" if detail else hint)


def status_error(status: int, model: str, detail: str = "") -> BrainUnavailable:
    """The error for an HTTP status of the API."""
    suffix = f" ({detail[:200]})" if detail else ""
    match status:
        case 401 | 403:
            return BrainUnavailable("Claude does not accept my key.", hint=f"set ANTHROPIC_API_KEY{suffix}")
        case 404:
            return BrainUnavailable(f"There is no Claude model called {model}.", hint=f"set anthropic.model{suffix}")
        case 429:
            return BrainUnavailable(
                "Claude has too much to do, or my quota there is used up.", hint=f"wait a bit, or see your plan{suffix}"
            )
        case 413:
            return BrainUnavailable(
                "That was more than Claude can take in at once.", hint=f"begin a new conversation{suffix}"
            )
        case _ if status >= 500:
            return BrainUnavailable("Claude is in trouble just now.", hint=f"status {status}; it mostly passes{suffix}")
        case _:
            return BrainUnavailable("Claude did not take my question.", hint=f"status {status}{suffix}")
