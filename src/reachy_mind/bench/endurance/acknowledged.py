"""`AcknowledgedState`: what the mind has acknowledged and may therefore not lose."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class AcknowledgedState:
    """Filled by the users, compared at the end (`losses`)."""

    memories: dict[str, str] = field(default_factory=dict)
    """Content by id."""
    timers: dict[str, str] = field(default_factory=dict)
    """Labels of those that wait, by id."""
    unclear_timers: set[str] = field(default_factory=set)
    """Those whose cancellation was not answered."""
    rung: list[str] = field(default_factory=list)
    """Labels of short timers: each has to be announced once."""
    permissions: dict[str, str] = field(default_factory=dict)
    """Tier by tool."""
    unclear_permissions: set[str] = field(default_factory=set)
    feedback: set[int] = field(default_factory=set)
    rated: set[str] = field(default_factory=set)
    """Turns that were rated: a second rating would replace the first."""
    photos: set[str] = field(default_factory=set)
    turns: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    """Ids of tool calls whose outcome was told."""
    effects: set[int] = field(default_factory=set)
    """Numbers that the tool `note_effect` has noted, as it said."""
    commands: set[str] = field(default_factory=set)
    """Of the fleet."""
    emergencies: set[str] = field(default_factory=set)
