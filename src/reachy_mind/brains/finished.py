"""Whether somebody who said this, and then fell silent, has finished: by what a plan still lacks.

Asked at every pause of somebody who speaks. "Turn your head" may go on; "turn your head to the left" seldom does.
"""

from __future__ import annotations

from reachy_mind.brains.plan import Ask, Guess, Plan, Step, Talk, Unknown

WHOLE, OPEN, BROKEN = 0.9, 0.5, 0.2
GOES_ON = frozenset({"move_head", "look_at", "rotate", "set_timer", "set_reminder", "search_web", "get_weather"})
"""What is seldom asked for without saying more."""


def finished(plan: Plan) -> float:
    """0 to 1."""
    if not plan.parts or any(isinstance(part, Ask | Guess) for part in plan.parts):
        return BROKEN
    if any(isinstance(part, Unknown) and part.why == "unsure" for part in plan.parts):
        return BROKEN
    last = plan.parts[-1]
    if isinstance(last, Step) and last.tool in GOES_ON and not last.args:
        return BROKEN
    if isinstance(last, Talk) and last.kind == "@knowledge":
        return OPEN
    return WHOLE
