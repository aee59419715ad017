"""Questions about what the robot sees: which sentences are such questions, and what "it" stands for in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from reachy_mind.brains.plan import Ask, Before, Guess, Plan, Step, Talk, Unknown
from reachy_mind.eyes import questions
from reachy_mind.eyes.naming import KINDS, KNOWN, canonical

LOOKS = frozenset(("analyze_scene", "detect_objects", "detect_faces", "look_at_object", "describe_image", "take_photo"))
"""Tools that look."""
_IT = re.compile(r"\b(?:it|that|this|them|they)\b", re.IGNORECASE)
_SOMETHING = "\N{OBJECT REPLACEMENT CHARACTER}"
_THERE = re.compile(
    r"\b(?:on (?:the|your) (?:table|desk|left|right)|in front of you|in (?:the room|view)|you see"
    r"|(?:to|near|around) you)\b"
)
_LOOK_AND = re.compile(
    r"\W*(?:please |now |hey |reachy |can you |could you )*"
    r"(?:(?:look|have a look|take a look|glance)(?: down| over)? at|turn (?:to|towards?)) "
    r"(?:the|my|that|this) (?P<thing>\w+)(?: in front of you| over there)?[,.;]*(?: and| then)* (?P<rest>\w.+)",
    re.IGNORECASE,
)
"""First where to look, then what is asked about it."""
_ASK_AND_LOOK = re.compile(
    r"(?P<ask>[^.?!]+)[.?!,]+\s*(?:and |then |please |now )*(?:look|turn|glance)(?: over)? (?:at|to|towards?) "
    r"(?:it|them|that|this)\b(?:,? (?:please|then|now))*\W*",
    re.IGNORECASE,
)
_WHO = re.compile(r"\W*who\b", re.IGNORECASE)
_ITS = re.compile(r"\bits (\w+)", re.IGNORECASE)


def last_thing(before: Sequence[Before]) -> str:
    """What was looked at or asked about last."""
    for call in reversed(before):
        if call.tool not in LOOKS:
            continue
        about = call.data.get("about") if isinstance(call.data, dict) else None
        names = list(call.args.get("names") or ())
        named = about or call.args.get("name") or (names[0] if len(names) == 1 else "")
        named = named or questions.read(str(call.args.get("prompt", ""))).name
        if named:
            return str(named)
    return ""


def in_full(prompt: str, before: Sequence[Before]) -> str:
    """The same question with the name of what "it" is, where that is known."""
    if not (thing := last_thing(before)):
        return prompt
    prompt = _ITS.sub(rf"the \1 of the {thing}", prompt, count=1)
    if questions.read(prompt, _SOMETHING).name != _SOMETHING:
        return prompt
    return _IT.sub(f"the {thing}", prompt, count=1)


def in_steps(plan: Plan) -> Plan:
    """The plan, in which a question that also says where to look has become two steps."""
    parts = [step for part in plan.parts for step in (_parted(part) if isinstance(part, Step) else (part,))]
    return replace(plan, parts=tuple(parts))


def _parted(step: Step) -> tuple[Step, ...]:
    prompt = str(step.args.get("prompt", ""))
    if step.tool != "analyze_scene" or not prompt:
        return (step,)
    if found := _LOOK_AND.fullmatch(prompt):
        first = Step("look_at_object", {"name": found["thing"]})
        rest = in_full(found["rest"], [Before(first.tool, first.args)])
        return first, replace(step, args={"prompt": rest.strip(" .?!")})
    if (found := _ASK_AND_LOOK.fullmatch(prompt)) and (thing := questions.read(found["ask"]).name):
        return replace(step, args={"prompt": found["ask"].strip()}), Step("look_at_object", {"name": thing})
    return (step,)


def looked_for(text: str, read: Plan, ruled: Plan, before: Sequence[Before]) -> Plan | None:
    """What to do about a sentence that the reader is not sure of, where it is plainly about what can be seen."""
    unsure = not read.steps and all(isinstance(part, Talk | Ask | Guess | Unknown) for part in read.parts)
    if not unsure or any(isinstance(part, Talk) and part.kind != "@knowledge" for part in read.parts):
        return None
    if any(step.tool not in LOOKS for part in read.parts if isinstance(part, Guess) for step in part.steps):
        return None
    if found := _LOOK_AND.match(text):
        prompt = in_full(found["rest"], [Before("look_at_object", {"name": found["thing"]})])
        if questions.read(prompt).kind != "open":
            first = Step("look_at_object", {"name": found["thing"]})
            return Plan((first, Step("analyze_scene", {"prompt": prompt.strip(" .?!")})), read.language)
    if ruled.understood and ruled.steps and all(step.tool in LOOKS for step in ruled.steps):
        return ruled
    prompt = in_full(text, before)
    asked = questions.read(prompt)
    if asked.kind in ("open", "describe") or (asked.kind == "what" and not asked.side) or not _visible(asked, prompt):
        return None
    return Plan((Step("analyze_scene", {"prompt": prompt.strip(" .?!")}),), read.language)


def _visible(asked: questions.Question, said: str) -> bool:
    """Things that can be recognised, or what is said to be here: "how many planets are there" is not for the eyes."""
    name = canonical(asked.name)
    here = bool(_THERE.search(said.casefold())) or asked.kind == "text"
    if _WHO.match(said):  # wrote Hamlet, or stands before me
        return here
    if not name:
        return here or bool(asked.colour) or asked.kind == "nearest"
    return here or name in KNOWN or name in KINDS or any(name.endswith(f" {known}") for known in KNOWN)
