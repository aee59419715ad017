"""The environment of a program that is to know nothing of ours."""

from __future__ import annotations

import os

_NEEDED = ("SYSTEMROOT",)
"""Windows starts no Python without it."""


def bare_environment() -> dict[str, str]:
    """Nothing but what the system needs to start a program: on a POSIX system, nothing."""
    return {name: os.environ[name] for name in _NEEDED if name in os.environ}
