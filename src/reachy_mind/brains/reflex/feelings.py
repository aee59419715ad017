"""Feelings that somebody tells of: a sentence in return, and a gesture that goes with it; none in an emergency."""

from __future__ import annotations

from reachy_mind.brains.reflex import emergencies
from reachy_mind.brains.reflex.plan import Step, Talk
from reachy_mind.brains.reflex.wording import Wording

GESTURES = {
    "@feel_sad": "attentive",
    "@feel_grief": "attentive",
    "@feel_happy": "happy",
    "@feel_angry": "calm",
    "@feel_afraid": "calm",
    "@feel_tired": "calm",
    "@feel_lonely": "loving",
    "@feel_bored": "playful",
    "@feel_ill": "attentive",
    "@feel_ill_other": "attentive",
    "@feel_stressed": "calm",
    "@feel_proud": "proud",
}
"""How it moves to each: glad with who is glad, attentive and calm with who is not. Nobody's grief is imitated."""
KINDS = emergencies.KINDS | GESTURES.keys()
INTENSITY = 0.6


def answered(talk: Talk, wording: Wording) -> str:
    """What to say to it."""
    return wording.say(talk.kind.removeprefix("@"))


def gesture(talk: Talk) -> Step | None:
    """The movement that goes with it; None for talk that is of no feeling."""
    emotion = GESTURES.get(talk.kind)
    if emotion is None:
        return None
    return Step("express_emotion", {"emotion": emotion, "intensity": INTENSITY}, talk.said, quiet=True)
