"""Which way Claude is asked: by the Agent SDK where its program runs, else by the Messages API."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from reachy_mind.brains.spending import Spending
from reachy_mind.errors import MissingExtra, NotReady

if TYPE_CHECKING:
    from reachy_mind.brains.thought import Brain
    from reachy_mind.config import Configuration

MODEL = "claude-sonnet-5-5"
PROGRAM = "_bundled/claude"
TRIED_S = 10.0


def make(configuration: Configuration) -> Brain:
    """Imports what it needs, which takes seconds. Raises MissingExtra; NotReady without a key."""
    settings = configuration.settings.anthropic
    if settings.api_key is None and settings.url is None:
        raise NotReady("claude needs a key", hint="set ANTHROPIC_API_KEY (or anthropic.url for a server of your own)")
    model = settings.model or MODEL
    folder = configuration.home.folder / "claude"
    spending = Spending(folder / "spent.json", settings.usd_per_day)
    try:
        if settings.api == "sdk" or (settings.api == "auto" and program_runs()):
            from reachy_mind.brains.claude.agent import Agent  # noqa: PLC0415

            return Agent(settings, model, spending, folder)
        from reachy_mind.brains.claude.messages import Messages  # noqa: PLC0415

        return Messages(settings, model, spending)
    except ImportError as error:
        raise MissingExtra("the brain 'claude'", "claude") from error


def program_runs() -> bool:
    """Whether the program inside the Agent SDK can be started on this machine."""
    found = find_spec("claude_agent_sdk")
    if found is None or found.origin is None:
        return False
    try:
        done = subprocess.run(
            [str(Path(found.origin).parent / PROGRAM), "--version"],
            capture_output=True,
            timeout=TRIED_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
