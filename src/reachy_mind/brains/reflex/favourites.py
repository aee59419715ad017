"""What a profile likes best, where a person left it open."""

from __future__ import annotations

import zlib
from dataclasses import replace

from reachy_mind.brains.brain import Turn
from reachy_mind.brains.reflex.labels import DANCES
from reachy_mind.brains.reflex.plan import Step


def favoured(step: Step, turn: Turn) -> Step:
    """A dance of which nobody said which: one that the profile favours, another one each time."""
    liked = [move for move in turn.moves if move in DANCES]
    if step.tool != "dance" or not liked or step.args.get("name", "random") != "random":
        return step
    last = next(
        (call.args.get("name") for past in turn.history[::-1] for call in past.calls if call.name == "dance"), ""
    )
    others = [move for move in liked if move != last] or liked
    pick = others[zlib.crc32(turn.text.encode("utf-8", "replace")) % len(others)]
    return replace(step, args={**step.args, "name": pick})
