"""The time, timers, reminders, and what runs in the background."""

from __future__ import annotations

import re
from typing import Any

from reachy_mind.brains.numbers import plain
from reachy_mind.brains.plan import Setting, Step, Words
from reachy_mind.brains.rules.rule import Answer, Match, Rulebook

BOOK = Rulebook()

UNIT_SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}
_PLACE = r"(?: (?:in|at|over in|for|there in) (?P<place>\S.*))?"
_LABEL = r"(?P<label>(?!(?:a|an|the|my|your|new|another|quick|short|cancel|stop|it|count) )[^\W\d]+(?: [^\W\d]+)?)"
_SET = (
    r"(?:(?:set|start|make|create|put|give me|give us|begin|run|add|have|do|i need|i want|i would like|let us have"
    r"|get me|set up|put on|set me|set us|can i have|can i get)(?: up)? )?(?:me |us )?"
    r"(?:a |an |another |the |my |1 )?(?:new |quick |short |kitchen |countdown )?"
)
_DAYS = r"(?:tomorrow|today|tonight|monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_CLOCK = (
    r"(?:(?:(?P<past>half past|quarter past|quarter to|half) )?(?P<hour>\d{1,2}(?::\d{2})?)(?: oclock)?(?: "
    r"(?P<half>am|pm))?|(?P<noon>noon|midnight|midday))"
    r"(?: (?:in the |this )?(?P<part>morning|afternoon|evening|at night|tonight))?"
)
_MOMENT = (
    rf"(?:(?:on |this |next )?(?P<day>{_DAYS})(?: (?P<daypart>morning|afternoon|evening|night))?"
    rf"(?: (?:at|around|by) )?)?(?:at |around |by )?(?:{_CLOCK})?(?: (?:on |this )?(?P<day2>{_DAYS}))?"
)


@BOOK.pattern(
    rf"(?:what|tell (?:me|us)(?: what)?|do you know(?: what)?|do you have|have you got|give (?:me|us)|check|say"
    rf"|whats|can i have|could i have|may i have|show me|announce|read out)"
    rf" (?:is )?(?:the )?(?:current |local |exact )?(?:time|hour)(?: (?:is it|it is|do you have|do we have|do you "
    rf"make it))?(?: (?:right now|now|please|exactly))?{_PLACE}",
    rf"(?:what|which|tell (?:me|us)(?: what| which)?|do you know(?: what| which)?|give (?:me|us)|say) (?:is "
    rf")?(?:the |today's )?(?:current |todays )?(?:date|day(?: of the week)?|weekday|year|month)"
    rf"(?: (?:is it|it is|is today|today is|are we|do we have|of the week is it|of the week))?(?: (?:right now"
    rf"|now|today))?{_PLACE}",
    rf"how late is it(?: now)?{_PLACE}|(?:current )?(?:time|date)(?: please)?|is it late(?: already)?|what is today",
    r"(?:what|tell me what) (?:is )?(?:the )?(?P<place>[^\W\d]+(?: [^\W\d]+)?) time(?: is it)?",
    r"time (?:in|at) (?P<place>\S.*)",
)
def get_time(match: Match) -> Answer:
    place = match.as_said("place") if "place" in match.groups else ""
    if (
        match["place"]
        in (
            "the",
            "it",
            "is",
            "this",
            "your",
            "your favorite",
            "a",
            "the best",
            "a good",
            "is it",
            "the right",
            "the perfect",
        )
        if place
        else False
    ):
        return None
    if match[0] in ("time", "date") or re.fullmatch(
        r"(?:right )?now|here|the moment|(?:this|the) moment", place.casefold()
    ):
        place = ""
    return Step("get_time", {"place": place} if place else {}, match.said.as_said())


@BOOK.pattern(
    rf"{_SET}(?:timer|countdown|alarm|egg timer) (?:for |of |to |in |that (?:rings|goes off|ends) in |going for "
    rf"|lasting )?<span>(?: from now)?"
    rf"(?: (?:for|called|named|labelled|labeled|to|with the (?:label|name)) <the>(?P<label>\S.*))?",
    rf"{_SET}<span>(?: long)? (?:timer|countdown|alarm)(?: (?:for|called|named|labelled|labeled|to|with the "
    rf"(?:label|name)) <the>(?P<label>\S.*))?",
    rf"{_SET}{_LABEL} (?:timer|alarm|countdown)(?: (?:for|of|to|in))? <span>",
    rf"{_SET}<span> {_LABEL} (?:timer|alarm|countdown)",
    rf"{_SET}(?:timer|countdown|alarm) (?:for|called|named|to) <the>(?P<label>[^\W\d]+(?: [^\W\d]+){{0,3}}) "
    rf"(?:for|of|in|at|lasting) <span>",
    r"(?:time|count down(?: from)?|count down for|count|timer|measure) (?:me )?(?:for )?<span>",
    r"(?:wake|ring|call|alert|notify|ping|beep|warn|tell|let) (?:me|us)(?: up| know)? (?:in|after) <span>(?: from "
    r"now)?",
    r"(?:let|tell) (?:me|us) (?:know )?when <span> (?:is|are|has|have) (?:up|over|passed|gone)",
)
def set_timer(match: Match) -> Answer:
    label = match.as_said("label") if "label" in match.groups else ""
    args: dict[str, Any] = spans(match[1] if re.match(r"\d", match[1] or "") else _first_span(match[0]))
    if match[0].startswith("wake"):
        label = "wake up"
    if label:
        args["label"] = re.sub(r"^(?:the|my|a|an) ", "", label)
    return Step("set_timer", args, match.said.as_said())


@BOOK.pattern(r"(?:another|1 more|1|another 1|and 1|a second 1)(?: timer)? (?:for|of|in) <span>")
def another_timer(match: Match) -> Answer:
    if match.setting.verb != "timer":
        return None
    return Step("set_timer", spans(match[0]), match.said.as_said())


@BOOK.pattern(rf"{_SET}(?:timer|countdown)|(?:set|start) (?:a |an |the )?alarm")
def timer_without_time(match: Match) -> Answer:  # noqa: ARG001
    return Words('For how long? Say, for example: "set a timer for five minutes".')


@BOOK.pattern(rf"{_SET}alarm (?:for|at|to) (?P<moment>{_MOMENT})", rf"wake (?:me|us)(?: up)? (?P<moment>{_MOMENT})")
def set_alarm(match: Match) -> Answer:
    at = moment(match)
    return Step("set_reminder", {"text": "wake up", "at": at}, match.said.as_said()) if at else None


_REMIND = (
    r"(?:remind (?:me|us)|(?:set|give|add|make|create|i need)(?: me)? (?:a |another )?reminder(?: for me)?"
    r"|do not let me forget)"
)
_THAT = r"(?:to|that|about|of|for|saying)"


@BOOK.pattern(
    rf"{_REMIND},? (?:in|after) <span>(?: from now)?,? {_THAT} (?P<what>\S.*)",
    rf"{_REMIND} {_THAT} (?P<what>\S.*?),? (?:in|after) <span>(?: from now)?(?: please)?",
    rf"(?:in|after) <span>,? {_REMIND} {_THAT} (?P<what>\S.*)",
    r"(?:tell|ping|call) (?:me|us) (?:in|after) <span> to (?P<what>\S.*)",
    r"(?:tell|ping|call) (?:me|us) to (?P<what>\S.*?) in <span>(?: please)?",
    full=True,
)
def remind_in(match: Match) -> Answer:
    minutes = sum(value * UNIT_SECONDS[unit] for unit, value in spans(_first_span(match[0])).items()) / 60
    return Step("set_reminder", {"text": _what(match), "in_minutes": plain(minutes)}, match.said.as_said())


@BOOK.pattern(
    rf"{_REMIND} (?P<moment>{_MOMENT}),? {_THAT} (?P<what>\S.*)",
    rf"{_REMIND} for (?P<moment>(?=\d|noon|tomorrow|midnight|{_DAYS}){_MOMENT}),? {_THAT} (?P<what>\S.*)",
    rf"{_REMIND} {_THAT} (?P<what>\S.*?) (?P<moment>(?=(?:at|on|by|tomorrow|tonight|this|around|next|monday"
    rf"|friday|saturday|sunday) ?){_MOMENT})(?: please)?",
    full=True,
)
def remind_at(match: Match) -> Answer:
    at = moment(match)
    return Step("set_reminder", {"text": _what(match), "at": at}, match.said.as_said()) if at else None


@BOOK.pattern(rf"{_REMIND} {_THAT} (?P<what>\S.*)", full=True)
def remind_when(match: Match) -> Answer:
    return Words(f'When shall I remind you? Say, for example: "remind me to {_what(match)} in ten minutes".')


@BOOK.pattern(
    r"(?:what|which|what are|when are|show(?: me)?|list|tell me(?: about)?|are there|are|do i have|do we have|have i "
    r"got|how many"
    r"|read(?: me)?|check|give me|is there|have i set|did i set)"
    r" ?(?:all |any |a |an |my |the |your |of |about )*(?:active |running |current |pending |open |set |upcoming "
    r")?(?:timers?|reminders?|alarms?)"
    r"(?: (?:and|or) (?:timers?|reminders?|alarms?))?(?: .{0,40})?",
    r"how (?:long|much time) (?:is |do i have |do we have |does (?:the|my) timer have )?(?:left|remaining|remains"
    r"|is left|until|till|to go)?(?: .{0,40})?(?:timer|reminder|alarm|left|remaining|to go)",
    r"how (?:long|much longer|much time)(?: is it| is there| is left)? (?:until|till|before|for|on) (?:the|my) .{0,30}"
    r"(?:timer|alarm|reminder).{0,20}",
    r"(?:when|how soon) (?:does|will|is) (?:the|my) (?:[^\W\d]+ )?(?:timer|reminder|alarm) (?:end|ring|go off"
    r"|done|up|finish|over|due)|timers|my timers|my reminders|list reminders|timer status"
    r"|how is (?:the|my) (?:[^\W\d]+ )?timer(?: doing)?|is (?:the|my) (?:[^\W\d]+ )?timer (?:done|over|up"
    r"|finished|running|still running)(?: yet)?",
)
def list_timers(match: Match) -> Answer:
    return Step("list_timers", {}, match.said.as_said())


@BOOK.pattern(
    r"(?:cancel|stop|delete|remove|clear|end|kill|turn off|switch off|dismiss|drop|abort|forget|scrap|get rid of|halt)"
    r" (?P<every>all|all of|every|both)?(?: of)? ?(?:the |my |your |that |this |these |those |a |our "
    r")*(?P<label>(?:[^\W\d]+ ){0,2}?)(?:timers?|reminders?|alarms?|countdowns?)"
    r"(?: (?:number |no )?(?P<id>\d+))?(?: (?:for|called|named|about|to|labelled) <the>(?P<about>\S.*))?",
    r"(?:turn|switch) (?:the |my )?(?P<label>(?:[^\W\d]+ )?)(?:timer|alarm|reminder) off|i do not need (?:the |my "
    r")?(?P<about>(?:[^\W\d]+ )?)(?:timer|alarm|reminder) any ?more",
)
def cancel_timer(match: Match) -> Answer:
    groups = match.groups
    every = "every" in groups or bool(
        re.search(r"(?:timers|reminders|alarms)\b", match[0]) and "label" not in groups and "about" not in groups
    )
    label = (
        match.as_said("about") if "about" in groups else match.as_said("label") if "label" in groups else ""
    ).strip()
    label = "" if label.casefold() in ("current", "running", "last", "existing", "active", "all", "every") else label
    args: dict[str, Any] = (
        {"every": True} if every else {"timer_id": match["id"]} if "id" in groups else {"label": label} if label else {}
    )
    return Step("cancel_timer", args, match.said.as_said())


@BOOK.pattern(
    r"(?:how (?:is|are|far is|far are|far along is)|what is the (?:status|progress|state) of|check(?: on)?|tell "
    r"me about|show(?: me)?|list|what about|status of|progress of|is|are)"
    r" (?:the |your |my |any |that |this |all )*(?:background |running |current )*(?:tasks?|jobs?|demo|background "
    r"work|work in the background|processes)"
    r"(?: (?:doing|going|coming along|status|progress|done|finished|ready|still running|running|complete|over|in "
    r"the background|yet|along))*",
    r"(?:what is|anything|is anything|is there anything|what are you|what tasks are|which tasks are|are there(?: "
    r"any)? tasks|what do you have|do you have(?: any)? tasks|what runs)"
    r" ?(?:still |currently )?(?:running|doing|going on|working on)?(?: in the background)(?: right now)?",
    r"(?:any|what|which|are there any|do you have any|how many|are there) (?:background |running )*(?:tasks?"
    r"|jobs?)(?: (?:are )?(?:running|active|going on|in progress|pending|open))?(?: in the background)?",
    r"(?:background )?tasks?(?: status| progress)?|(?:is it|are you) (?:done|finished|ready)(?: yet| with it| "
    r"with that)?|how far (?:along )?are you(?: with (?:it|that))?|what are you working on",
)
def task_status(match: Match) -> Answer:
    return Step("task_status", {}, match.said.as_said())


@BOOK.pattern(
    r"(?:cancel|stop|abort|kill|end|terminate|interrupt|drop|halt|quit) (?:the |your |that |this |my |running "
    r")*(?:background |running |current |last )*(?:task|job|demo|background work|process|work)"
    r"(?: (?:number |id )?(?P<id>\w*\d\w*))?(?: in the background)?",
    r"(?:cancel|stop|abort|kill|end) (?:what is running|whatever is running|what you are doing|everything) in the "
    r"background",
)
def task_cancel(match: Match) -> Answer:
    named = match["id"] if "id" in match.groups else ""
    task = named or _last_task(match.setting)
    return Step("task_cancel", {"task_id": task} if task else {}, match.said.as_said())


@BOOK.pattern(
    r"(?:run|start|do|launch|begin|show me|try|give me|kick off|fire up|demonstrate)(?: <the>)? ?(?:background "
    r"demo|demo in the background|background (?:task|job|test|work)|demo (?:task|job)|demo|task in the background"
    r"|background task demo|demonstration)(?: (?:for|of|that takes|taking|lasting|that lasts) (?:about "
    r")?<span>)?(?: in the background)?",
    r"(?:run|start|do|launch|begin)(?: <the>)? ?(?:<span> )?(?:background demo|background task|demo task|demo)(?: "
    r"in the background)?",
)
def background_demo(match: Match) -> Answer:
    span = spans(_first_span(match[0]))
    seconds = sum(value * UNIT_SECONDS[unit] for unit, value in span.items())
    return Step(
        "background_demo", ({"seconds": plain(seconds)} if span else {}) | {"background": True}, match.said.as_said()
    )


def spans(text: str) -> dict[str, Any]:
    """ "1 hours and 30 minutes" as arguments; halves of an hour and of a minute as whole numbers of the next unit."""
    found: dict[str, float] = {}
    for value, said in re.findall(r"(\d+(?:\.\d+)?) (seconds|minutes|hours|days)", text):
        unit, amount = ("hours", float(value) * 24) if said == "days" else (said, float(value))
        whole, part = divmod(amount, 1)
        smaller = {"hours": "minutes", "minutes": "seconds"}.get(unit)
        if part and smaller:
            found[unit] = found.get(unit, 0) + whole
            found[smaller] = found.get(smaller, 0) + round(part * 60)
        else:
            found[unit] = found.get(unit, 0) + amount
    return {unit: plain(value) for unit, value in found.items() if value}


def _first_span(text: str) -> str:
    found = re.search(r"(?:\d+(?:\.\d+)? (?:seconds|minutes|hours|days)(?: and | , | )?){1,4}", text)
    return found[0] if found else ""


def moment(match: Match) -> str:
    """A time of day as the tools take it: "18:30", "tomorrow 09:00"; empty when it is none."""
    said = match.groups
    day = said.get("day") or said.get("day2") or ""
    part = said.get("part") or said.get("daypart") or ("evening" if day == "tonight" else "")
    hour = minute = -1
    if "noon" in said:
        hour, minute = (0, 0) if said["noon"] == "midnight" else (12, 0)
    elif "hour" in said:
        first, _, rest = said["hour"].partition(":")
        hour, minute = int(first), int(rest or 0)
        shift = {"half past": 30, "quarter past": 15, "quarter to": -15, "half": 30}.get(said.get("past", ""), 0)
        if said.get("half") == "pm" or (
            part in ("afternoon", "evening", "at night", "tonight", "night") and "half" not in said
        ):
            hour += 12 if hour < 12 else 0
        elif said.get("half") == "am" and hour == 12:
            hour = 0
        minutes = hour * 60 + minute + shift
        hour, minute = minutes // 60 % 24, minutes % 60
    elif day:
        hour, minute = {"morning": 9, "afternoon": 15, "evening": 19, "night": 21}.get(part, 9), 0
    if not (0 <= hour < 24 and 0 <= minute < 60):
        return ""
    day = "" if day in ("today", "tonight") else day
    return f"{day} {hour:02d}:{minute:02d}".strip()


def _what(match: Match) -> str:
    return re.sub(r"^(?:to|that|about) |,? please$", "", match.as_said("what")).strip(" .,")


def _last_task(setting: Setting) -> str:
    for call in reversed(setting.before):
        if isinstance(call.data, dict) and isinstance(call.data.get("task_id"), str):
            return str(call.data["task_id"])
    return ""
