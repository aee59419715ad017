"""Limits that a POSIX system sets on a process (`ulimit`); systems without them have none."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Final

UNLIMITED: Final = -1
"""What `limit` gives for a limit that is not set."""


def limit(name: str) -> int | None:
    """The limit `RLIMIT_...` that holds now; None where the system has no such limit."""
    module = _resource()
    if module is None or not hasattr(module, name):
        return None
    soft = int(module.getrlimit(getattr(module, name))[0])
    return UNLIMITED if soft == module.RLIM_INFINITY else soft


def set_limit(name: str, value: int) -> bool:
    """Lower a limit of this process for good. Returns whether it holds."""
    module = _resource()
    if module is None or not hasattr(module, name):
        return False
    try:
        module.setrlimit(getattr(module, name), (value, value))
    except (OSError, ValueError):
        return False
    return True


def raise_to_most(name: str) -> int | None:
    """Raise a limit as far as this process may. The limit that holds then; None where there is no such limit."""
    module = _resource()
    if module is None or not hasattr(module, name):
        return None
    number = getattr(module, name)
    soft, hard = module.getrlimit(number)
    if soft != hard:
        try:
            module.setrlimit(number, (hard, hard))
        except (OSError, ValueError):  # an unlimited one may not be taken as a number
            return limit(name)
    return limit(name)


def _resource() -> ModuleType | None:
    try:
        return importlib.import_module("resource")
    except ImportError:
        return None
