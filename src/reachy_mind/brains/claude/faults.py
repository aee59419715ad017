"""What can go wrong with Claude, as sentences that can be said to a person, each with what to do."""

from __future__ import annotations

from typing import Literal

from reachy_mind.brains.spending import SPENT
from reachy_mind.brains.thought import NoThought, Unanswered

LIMIT = "anthropic.usd_per_day"

Fault = Literal["unreachable", "slow", "cut", "nonsense", "circles", "refused", "budget", "program"]
SENTENCES: dict[Fault, tuple[str, str]] = {
    "unreachable": ("I can't reach Claude just now.", "is there a network? The address is anthropic.url"),
    "slow": ("Claude took too long to answer.", "anthropic.timeout_s is how long it may take"),
    "cut": ("I lost the connection to Claude in the middle of its answer.", "ask again"),
    "nonsense": ("I could not make sense of what Claude answered.", "ask again; is anthropic.url a Messages API?"),
    "circles": ("I went round in circles with that, and stopped.", "ask for less at once, or raise anthropic.steps"),
    "refused": ("Claude did not want to answer that.", "ask for something else"),
    "budget": (SPENT, "anthropic.usd_per_day is how much that may be"),
    "program": ("The program that talks to Claude has ended.", "ask again; or set anthropic.api to messages"),
}


def failed(fault: Fault, detail: str = "") -> NoThought:
    """The error for it; `detail` is for the log and the hint, not to be said."""
    sentence, hint = SENTENCES[fault]
    kind = Unanswered if fault in ("refused", "circles") else NoThought
    return kind(sentence, hint=f"{hint} ({detail[:200]})" if detail else hint)


def by_status(status: int, model: str, detail: str = "") -> NoThought:
    """The error for what the service answered with."""
    why = f" ({detail[:200]})" if detail else ""
    match status:
        case 401 | 403:
            return NoThought("Claude does not accept my key.", hint=f"set ANTHROPIC_API_KEY{why}")
        case 404:
            return NoThought(f"There is no Claude model called {model}.", hint=f"set anthropic.model{why}")
        case 429:
            return NoThought(
                "Claude has too much to do, or my quota there is used up.", hint=f"wait a bit, or see your plan{why}"
            )
        case 413:
            return NoThought("That was more than Claude can take in at once.", hint=f"begin a new conversation{why}")
        case _ if status >= 500:
            return NoThought("Claude is in trouble just now.", hint=f"status {status}; it mostly passes{why}")
        case _:
            return NoThought("Claude did not take my question.", hint=f"status {status}{why}")
