"""Reachy Mind: the mind of a Reachy Mini, real or simulated."""

__version__ = "0.1.0"
