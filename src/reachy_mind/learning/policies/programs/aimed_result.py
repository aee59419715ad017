"""What a skill says that has aimed the camera at a thing."""

from __future__ import annotations

import math
from typing import Any

from reachy_mind.learning.environments.look_at import SUCCESS
from reachy_mind.learning.policies.guarded import GuardedPolicy
from reachy_mind.learning.policies.programs.gaze_episode import Sightings


def decision_figures(policy: GuardedPolicy, deciding_s: float) -> dict[str, Any]:
    """How many decisions there were, how many of them were the controller's, and how many there were in a second."""
    rate = round(policy.decisions / deciding_s, 1) if policy.decisions and deciding_s > 0 else None
    return {"decisions": policy.decisions, "fallbacks": policy.fallbacks, "decisions_per_s": rate}


def aimed_result(sightings: Sightings, policy: GuardedPolicy, deciding_s: float) -> dict[str, Any]:
    """By the last picture: whether the camera points at the thing."""
    degrees, name = round(math.degrees(sightings.off), 1), sightings.name
    arrived = sightings.visible and sightings.off < SUCCESS
    if arrived:
        told = f"I am looking at the {name}, as I practised."
    elif sightings.visible:
        told = f"I turned to the {name}, but I am still {degrees:.0f} degrees beside it."
    else:
        told = f"I turned to the {name}, but lost sight of it."
    return {
        "status": "success",
        "message": f"{told} {policy.told()}".strip(),
        "arrived": arrived,
        "found": True,
        "thing": name,
        "remaining_degrees": degrees if sightings.visible else None,
        **decision_figures(policy, deciding_s),
    }
