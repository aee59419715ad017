"""`Section`: a group of settings, and the form of lists in environment variables."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def split(value: Any) -> Any:
    """The parts of a text that are separated by commas; any other value as it is."""
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value
