"""What the robot sees and hears."""

from __future__ import annotations

from reachy_mind.brains.numbers import plain
from reachy_mind.brains.phrases import spaced
from reachy_mind.brains.plan import Step
from reachy_mind.brains.rules.clocks import UNIT_SECONDS, spans
from reachy_mind.brains.rules.rule import Answer, Match, Rulebook
from reachy_mind.brains.sights import in_full

BOOK = Rulebook()


@BOOK.pattern(
    r"(?:take|snap|shoot|capture|make|get|grab|click|do)(?: me| us)? (?:a |an |another |one |1 |some |my |our "
    r"|the |a quick |a nice |a new )?"
    r"(?:photos?|pictures?|selfie|snapshot|shot|image|portrait)(?: of .{1,60}| with your camera| for (?:me|us)| here)?",
    r"photo|picture|selfie|say cheese|photo time|take my (?:picture|photo)",
)
def take_photo(match: Match) -> Answer:
    return Step("take_photo", {}, match.said.as_said())


@BOOK.pattern(
    r"(?:what|which|how many|tell me (?:what|which|how many)|list|show me|detect|count|identify|name|find)(?: all"
    r"| the| any| of| kind of| kinds of)* "
    r"(?:objects?|things|items)(?: .{0,60})?",
    r"(?:(?:do|can|could) you )?see (?:a|an|any|my|the) (?!.*\b(?:face|person|people|anyone|man|woman|child"
    r"|human)\b)(?P<name>[^\W\d]+(?: [^\W\d]+){0,2})"
    r"|is there (?:a|an) (?P<thing>[^\W\d]+) (?:on the (?:table|desk|floor)|in front of you|in the room|near you)",
)
def detect_objects(match: Match) -> Answer:
    groups = match.groups
    name = "name" if "name" in groups else "thing" if "thing" in groups else ""
    return Step("detect_objects", {"names": [match.as_said(name)]} if name else {}, match.said.as_said())


@BOOK.pattern(
    r"(?:(?:do|can|could) you )?see (?:me|us|a face|any faces?|faces|my face|anyone|anybody|someone|somebody|a "
    r"person|people|any people)(?: .{0,40})?",
    r"(?:who|is anyone|is anybody|is someone|is somebody|how many people|how many faces|how many persons|how many "
    r"humans)(?: is| are| do you| can you)?"
    r"(?: (?:there|here|in front of you|in the room|around|with you|see|in view|looking at you|you see|do you see"
    r"|can you see|standing there|near you))+",
    r"(?:is )?(?:anyone|anybody|someone|somebody) (?:there|here|home|around)|is (?:anyone|anybody|someone|somebody)|"
    r"(?:detect|find|count|look for|search for) (?:all |any |the |some )?(?:faces?|people|persons)(?: .{0,30})?"
    r"|am i (?:visible|in view|in frame|in the picture)",
)
def detect_faces(match: Match) -> Answer:
    return Step("detect_faces", {}, match.said.as_said())


@BOOK.pattern(
    r"(?:what|tell (?:me|us) what|describe what|say what|explain what)(?: all| else)? (?:do you see|can you see"
    r"|you see|you can see|are you seeing|are you looking at|you are looking at"
    r"|is in front of you|is there|is going on in (?:here|the room|front of you)|is in the room|is around you|am "
    r"i holding|i am holding|am i wearing|i am wearing|am i doing|is in my hand"
    r"|is this|is that|is on the (?:table|desk|wall|floor|screen)|does the room look like|does it look like (?:in "
    r")?here|does (?:this|it|the sign|that) say|does (?:this|it) look like)(?: .{0,40})?",
    r"(?:describe|analyze|analyse|inspect|examine|look at and describe) (?:the |this |your |what is in the "
    r")?(?:scene|room|view|surroundings|picture|image|camera (?:image|picture|view)|environment|table|desk)"
    r"(?: .{0,40})?",
    r"(?:what|which) colou?r (?:is|are|does|do) .{1,60}|read (?:this|that|the (?:text|sign|label|page|note|screen"
    r"|board))(?: (?:to|for) me)?(?: aloud)?|use your (?:camera|eyes)(?: .{1,60})?"
    r"|how (?:do|does) (?:i|my .{1,30}|this|it) look(?: today| on me)?|what does my .{1,30} look like",
)
def analyze_scene(match: Match) -> Answer:
    return Step("analyze_scene", {"prompt": in_full(match.said.as_said(), match.setting.before)}, match.said.as_said())


@BOOK.pattern(
    r"(?:describe|tell me about|what is (?:in|on)|what was (?:in|on)|look at|explain) (?:the|that|my|your) "
    r"(?:last |latest |newest |previous |first )?(?:photo|picture you took|photo you took|picture|snapshot)",
)
def describe_image(match: Match) -> Answer:
    return Step("describe_image", {}, match.said.as_said())


@BOOK.pattern(
    r"listen(?: up| to me| to us| closely| carefully| in| for a (?:while|moment|bit))?|(?:what|who) (?:do|can"
    r"|did) you hear(?: .{0,30})?|listen to (?:this|that|the room|what i say)"
    r"|tell me what you hear|can you hear (?:that|this|anything|something)",
    r"listen(?: to (?:me|us|this))? for (?:about )?<span>",
)
def listen(match: Match) -> Answer:
    span = spans(match[0])
    seconds = sum(value * UNIT_SECONDS[unit] for unit, value in span.items())
    return Step("listen", {"duration_seconds": plain(seconds)} if span else {}, match.said.as_said())


@BOOK.pattern(
    r"(?:look|stare|glance|peek|gaze|point your head|turn your head|turn)(?: over)? (?:at|for|towards|toward|to) <the>"
    r"(?P<what>(?!left|right|me$|us$|it$|you|up|down)[^\d\W]+(?: [^\d\W]+){0,3})",
    r"(?:find|locate|search for|spot) <the>(?P<what>(?!out |some |time|way|it$)[^\d\W]+(?: [^\d\W]+){0,2}) (?:and "
    r"look at it|with your (?:eyes|camera))",
    r"(?:find|locate|spot) (?:the|my) (?P<what>[^\d\W]+(?: [^\d\W]+)?)",
)
def look_at_object(match: Match) -> Answer:
    if match["what"].split()[0] in _NO_THINGS or set(match["what"].split()) & _NO_WORDS:
        return None
    return Step("look_at_object", {"name": match.as_said("what")}, match.said.as_said())


_NO_THINGS = frozenset(
    ("yourself", "him", "her", "them", "that", "this", "how", "what", "who", "where", "when", "page", "dark")
)
_NO_WORDS = frozenset(spaced("is are was were if when while until because and or what how that who into"))
