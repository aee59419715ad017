"""Builds the brain `claude`: on the Agent SDK where its program runs, else on the Messages API."""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from reachy_mind.brains.daily_cost import DailyCost
from reachy_mind.errors import MissingExtra, NotReady

if TYPE_CHECKING:
    from reachy_mind.brains.brain import Brain
    from reachy_mind.config.configuration import Configuration

MODEL = "claude-sonnet-5-5"
CLI_PROGRAM = "_bundled/claude"
PROBE_TIMEOUT_S = 10.0


def make(configuration: Configuration) -> Brain:
    """Build the brain. The imports take seconds. Raises MissingExtra; NotReady without a key."""
    settings = configuration.settings.anthropic
    if settings.api_key is None and settings.url is None:
        raise NotReady("claude needs a key", hint="set ANTHROPIC_API_KEY (or anthropic.url for a server of your own)")
    model = settings.model or MODEL
    folder = configuration.home.folder / "claude"
    daily_cost = DailyCost(folder / "spent.json", settings.usd_per_day)
    try:
        if settings.api == "sdk" or (settings.api == "auto" and cli_runs()):
            from reachy_mind.brains.claude.agent_sdk import AgentSdkBrain  # noqa: PLC0415

            return AgentSdkBrain(settings, model, daily_cost, folder)
        from reachy_mind.brains.claude.messages_api import MessagesApiBrain  # noqa: PLC0415

        return MessagesApiBrain(settings, model, daily_cost)
    except ImportError as error:
        raise MissingExtra("the brain 'claude'", "claude") from error


def cli_runs() -> bool:
    """Whether the program bundled with the Agent SDK starts on this machine."""
    found = find_spec("claude_agent_sdk")
    if found is None or found.origin is None:
        return False
    try:
        done = subprocess.run(
            [str(Path(found.origin).parent / CLI_PROGRAM), "--version"],
            capture_output=True,
            timeout=PROBE_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
