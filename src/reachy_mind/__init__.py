"""Reachy Mind: the mind of a Reachy Mini, real or simulated."""

import os

__version__ = "0.1.0"

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
"""onnxruntime would report its use to its maker, and keep an identifier outside of our data folder. It reads this when
it is imported, by us or by a library, in this process or a child."""
