"""Whether somebody who said this, and then fell silent, has finished: by what a plan still lacks.

Asked at every pause of somebody who speaks. "Turn your head" may go on; "turn your head to the left" seldom does. What
can't be taken back, or would be done twice if they went on, is begun a little later.
"""

from __future__ import annotations

from reachy_mind.brains.reflex.plan import Ask, Guess, Pause, Plan, Step, Talk, Unknown

WHOLE, OPEN, BROKEN = 0.9, 0.5, 0.2
GOES_ON = frozenset({"move_head", "look_at", "rotate", "set_timer", "set_reminder", "search_web", "get_weather"})
"""What is seldom asked for without saying more."""
LASTING = frozenset(
    {"set_timer", "set_reminder", "cancel_timer", "store_memory", "forget_memory", "update_user_profile", "sleep"}
)
"""What stays done."""


def finished(plan: Plan) -> float:
    """0 to 1."""
    last = plan.parts[-1] if plan.parts else None
    bare = isinstance(last, Step) and last.tool in GOES_ON and not last.args
    if bare or any(isinstance(part, Ask) for part in plan.parts):
        return BROKEN
    misheard = all(isinstance(part, Guess | Pause) for part in plan.parts) or any(
        isinstance(part, Unknown) and part.why == "unsure" for part in plan.parts
    )
    lasting = any(step.tool in LASTING for step in plan.steps)
    asked = isinstance(last, Talk) and last.kind == "@knowledge"
    return OPEN if misheard or lasting or asked else WHOLE
