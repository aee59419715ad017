"""Confirmations in the terminal: show what is asked, and ask the person for a yes or a no."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reachy_mind.conversation.wire import ConfirmFrame

YES = ("y", "yes", "ja", "oui", "si", "sí")
NO = ("n", "no", "nein", "non")


def show_question(question: ConfirmFrame) -> None:
    """Print what is asked."""
    arguments = ", ".join(f"{key}={value!r}" for key, value in question["arguments"].items())
    print(f"\nMay I do this? {question['tool']}({arguments})", flush=True)
    print(f"  {question['consequence']}  [{question['reason']}]", flush=True)


async def yes_or_no(question: ConfirmFrame) -> bool:
    """Ask the person at the terminal."""
    show_question(question)
    try:
        answer = await asyncio.to_thread(input, "  yes or no: ")
    except EOFError:
        return False
    return answer.strip().casefold() in YES
