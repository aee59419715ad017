"""Whom and what to look at: faces, voices, sounds."""

from __future__ import annotations

from reachy_mind.brains.plan import Step
from reachy_mind.brains.rules.rule import Answer, Match, Rulebook

BOOK = Rulebook()


@BOOK.pattern(
    r"(?:look|turn|glance|face|stare|gaze)(?: (?:back|over|up))? (?:at|to|towards|toward) (?:me|us|my face|the "
    r"person|the speaker)",
    r"(?:look|stare)(?: me)? (?:straight )?(?:in|into) (?:the|my) eyes?|look me in the eyes?|make eye contact(?: "
    r"with me)?",
    r"(?:follow|track|watch)(?: (?:me|us|my face|faces|people|my head|my movements?|my eyes|the person|whoever .+))"
    r"(?: around| with your (?:head|eyes)| while i .+| as i .+| when i .+)?",
    r"(?:turn on|switch on|enable|activate|start|use)(?: the| your)? (?:head|face|face and head|person) "
    r"(?:tracking|tracker|following)",
    r"turn (?:the |your )?(?:head|face) (?:tracking|tracker) on|keep (?:looking at|following|watching|an eye on"
    r"|your eyes on) me",
    r"(?:head|face) tracking on|look (?:at|towards) (?:my|our) faces?|face me|eyes on me|keep look at me|keep "
    r"your gaze on me",
)
def follow_faces(match: Match) -> Answer:
    return Step("head_tracking", {"enabled": True}, match.said.as_said())


@BOOK.pattern(
    r"(?:stop|quit|cease|no more) (?:following|tracking|watching|looking at|staring at)(?: (?:me|us|my face|faces"
    r"|people|anyone|my head))?"
    r"(?: around)?",
    r"(?:turn off|switch off|disable|deactivate|stop|end)(?: the| your)? (?:head|face|person) (?:tracking|tracker"
    r"|following)",
    r"turn (?:the |your )?(?:head|face) (?:tracking|tracker) off|look away(?: from me)?|(?:head|face) tracking off",
)
def follow_no_more(match: Match) -> Answer:
    if match[0].startswith("look away"):
        return Step("move_head", {"direction": "right"}, match.said.as_said())
    return Step("head_tracking", {"enabled": False}, match.said.as_said())


@BOOK.pattern(
    r"(?:look|turn|face|listen|glance)(?: your head)? (?:at|to|towards|toward|in the direction of|where) <the>"
    r"(?:sound|noise|voice|voices|music|loudest sound|sounds?|speech)(?: is| are)?(?: (?:source|coming from|comes "
    r"from))?",
    r"(?:look|turn|face)(?: your head)? (?:at|to|towards|toward) (?:whoever|who|the person who|the one who|the "
    r"person) (?:is )?"
    r"(?:talking|speaking|talks|speaks|making noise|making that noise|clapping|calling you|called you)",
    r"where (?:does|did|is) <the>(?:sound|noise|voice|music)(?: (?:come|coming|came))? ?(?:from)?|find "
    r"<the>(?:source of <the>)?(?:sound|noise)",
    r"(?:where is|who is) (?:the person )?(?:who is )?(?:talking|speaking)|locate <the>(?:sound|noise|voice)(?: "
    r"source)?",
    r"(?:look|turn) (?:to )?where (?:the|that) (?:sound|noise|voice) (?:is coming|comes|came) from",
)
def look_at_sound(match: Match) -> Answer:
    return Step("look_at_sound", {}, match.said.as_said())
