"""Reachy Mind as sandboxed code sees it: `from reachy_mind import tools`."""

from __future__ import annotations

from . import tools

__all__ = ["tools"]
