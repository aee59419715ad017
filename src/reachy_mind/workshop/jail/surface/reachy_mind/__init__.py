"""Reachy Mind as sandboxed code sees it: `from reachy_mind import sight, tools`."""

from __future__ import annotations

from . import sight, tools

__all__ = ["sight", "tools"]
