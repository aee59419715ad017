"""From what the reader found in a text to the parts of a plan: in order, corrected, each thing once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from reachy_mind.brains.reflex import feelings, quantities
from reachy_mind.brains.reflex.intents import meaning
from reachy_mind.brains.reflex.labels import FOLLOWUPS
from reachy_mind.brains.reflex.numbers import plain
from reachy_mind.brains.reflex.plan import Ask, Before, Part, Pause, Step, Talk, Unknown
from reachy_mind.brains.reflex.reader import Found, Reading, in_order
from reachy_mind.brains.reflex.small_talk import is_social
from reachy_mind.brains.word_lists import spaced

MOST_STEPS = 12
"""Things done for one sentence."""

_CORRECTIONS = re.compile(
    r"\b(?:no|nope|wait|sorry|i mean|i meant|actually|scratch that|rather|make that|non|attends|pardon|plut[oô]t|enfin"
    r"|espera|perd[oó]n|digo|mejor|nein|nee|ne|quatsch|moment|lieber|ich meine|halt|warte)\b",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"\b(?:but (?:first|before that)|only after|but only once|after you|mais (?:d.?abord|avant)|pero (?:antes|primero)"
    r"|aber (?:zuerst|vorher|erst|davor)|nachdem du|apr[eè]s avoir|despu[eé]s de)\W*\w*\W*$",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"\b(?:before|avant|antes|bevor|ehe)\b\W*(?:you|de|que|du|d.)?\W*(?:\w+\W*)?$", re.IGNORECASE)
_NEVER_MIND = re.compile(
    r"\b(?:never ?mind|forget it|laisse tomber|d[eé]jalo|olv[ií]dalo|vergiss es)\b\W*$", re.IGNORECASE
)
_UNWRITTEN = re.compile(
    r"\W*(?:please |can you |could you |will you )*(?:say|tell|dis|dites|di|dile|sag|sage)\b"
    r"(?: (?:me|us|him|her|them|nous|uns|mir))? (?:something|anything|a few (?:\w+ )?words|some (?:\w+ )?words"
    r"|quelque chose|quelques mots|algo|unas palabras|etwas|ein paar \w*\s?worte)\b",
    re.IGNORECASE,
)
"""A description of words to be said, not the words: "say something nice"."""
_MURMURS = frozenset(
    spaced(
        """
        @report @unclear @praise @thanks @yes @no @apology @compliment @complaint @bye @can_you @tell @feel_bored
        @feel_happy @feel_tired @feel_proud
        """
    )
)
"""Talk that wants no answer beside something that is done."""
_EACH_COUNTS = frozenset(spaced("nod shake wave rotate dance play_move take_photo speak set_timer express_emotion"))
"""Tools that do something more when they are called twice in a row."""


def planned(reading: Reading, text: str, before: Sequence[Before]) -> list[Part]:
    """The parts of a plan, from what was found."""
    if _NEVER_MIND.search(text):
        return [Talk("@forbid", text)]
    found = _without_programs(_corrected(_joined(reading.found, text), text), text)
    found = in_order(_marked(found, text))
    done = list(before)
    parts: list[Part] = []
    for place, one in enumerate(found):
        if _UNWRITTEN.match(one.said):
            parts.append(Talk("@knowledge", one.said))  # the words have to be found first
            continue
        if one.label == "get_robot_state" and is_social(one.said):
            parts.append(Talk("@how_are_you", one.said))
            continue
        if done and _means_the_last(one, parts):
            continue
        if (took := _taking(one, reading.language, parts)) is not None:
            parts[-1] = took
            continue
        if one.label.startswith("@") and one.label not in (*FOLLOWUPS, "@program"):
            parts.append(Talk(one.label, one.said))
            continue
        if one.label in ("@again", "@both_do") and any(_elliptical(other, done) for other in found[place + 1 :]):
            continue
        new = meaning(one, reading.language, done, text, before)
        if new and parts and isinstance(new[0], Step) and _settles(parts[-1], new[0]):
            parts.pop()
        parts = _together(parts, _fresh(new, parts))
        if steps := [Before(part.tool, part.args) for part in new if isinstance(part, Step)]:
            done = steps
    acts = any(isinstance(part, Step | Pause | Ask) for part in parts)
    kept = [part for part in parts if not (acts and isinstance(part, Talk) and part.kind in _MURMURS)]
    if any(isinstance(part, Talk) and part.kind in _QUESTIONS for part in kept):
        kept = _with_one_answer(kept)
    if all(isinstance(part, Talk) and part.kind in _TELLING for part in kept):
        kept = kept[-1:]  # one answer to all that was told
    kept = _with_one_feeling(kept)
    return _bounded(
        [Unknown(part.said) if isinstance(part, Talk) and part.kind == "@unclear" else part for part in kept]
    )


def _with_one_feeling(parts: list[Part]) -> list[Part]:
    """Who tells what happened and how it feels is answered once, and to the feeling."""
    felt = [part for part in parts if isinstance(part, Talk) and part.kind in feelings.KINDS]
    if not felt:
        return parts
    return [
        part
        for part in parts
        if part is felt[0] or not (isinstance(part, Talk) and part.kind in (*_TELLING, *feelings.KINDS))
    ]


_QUESTIONS = frozenset(
    spaced("@knowledge @arithmetic @convert @calendar @are_you @abilities @maker @name @age @joke @story @can_you")
)
"""Talk that asks for something, beside which a remark wants no answer."""


def _with_one_answer(parts: list[Part]) -> list[Part]:
    """A remark beside a question is not answered, and two questions that it can't answer get one apology."""
    kept: list[Part] = []
    for part in parts:
        remark = isinstance(part, Talk) and part.kind in (*_TELLING, "@yes", "@no")
        again = isinstance(part, Talk) and part.kind == "@knowledge" and any(_asks(one) for one in kept)
        if not remark and not again:
            kept.append(part)
    return kept


def _asks(part: Part) -> bool:
    return isinstance(part, Talk) and part.kind == "@knowledge"


_TELLING = ("@unclear", "@report", "@tell")


def _bounded(parts: list[Part]) -> list[Part]:
    """With no more steps than a turn should have."""
    done = 0
    for place, part in enumerate(parts):
        done += isinstance(part, Step | Pause)
        if done > MOST_STEPS:
            return [*parts[:place], Unknown("", "too_much")]
    return parts


_LAST_SEEN = re.compile(
    r"\b(?:to|at|towards) (?:it|that|them)\b|\bregarde-l[ea]\b|\bm[ií]ral[oa]s?\b|\bes an\b", re.IGNORECASE
)
_THERE = re.compile(
    r"\b(?:up|down|over|out) there\b|\bl[a\u00e0]-?(?:haut|bas)\b|\bah[i\u00ed]\b|\bdort\b", re.IGNORECASE
)
"""Where the words before said: "the cobweb up on your left, have a look up there"."""
_HEARD = re.compile(
    r"\b(?:hear|heard|entend\w*|o[i\u00ed]do|o[i\u00ed]ste|escuchad\w+|geh[o\u00f6]rt)\b", re.IGNORECASE
)


def _means_the_last(one: Found, parts: Sequence[Part]) -> bool:
    """ "find the mug and turn to it", "listen and tell me what you heard": the first part does both."""
    last = parts[-1] if parts else None
    if not isinstance(last, Step):
        return False
    if last.tool == "look_at_object":
        return one.label in ("look_at_sound", "look_at_object", "move_head") and bool(_LAST_SEEN.search(one.said))
    if last.tool == "move_head" and one.label == "move_head":
        return bool(_THERE.search(one.said))
    return last.tool == "listen" and bool(_HEARD.search(one.said))


def _taking(one: Found, language: str, parts: Sequence[Part]) -> Step | None:
    """ "... and take three seconds over it": how long the last movement lasts."""
    last = parts[-1] if parts else None
    if not isinstance(last, Step) or last.tool not in ("move_head", "look_at", "look_at_object"):
        return None
    if one.label not in ("move_head", "pause") or not _TAKING.match(one.said):
        return None
    seconds = quantities.seconds(one.said, language)
    return replace(last, args={**last.args, "duration": plain(min(max(seconds, 0.1), 30.0))}) if seconds else None


_TAKING = re.compile(r"(?:and )?(?:take|taking|over|within|prends|tarda|nimm dir|lass dir)\b", re.IGNORECASE)


def _elliptical(other: Found, done: Sequence[Before]) -> bool:
    """ "again, but five times": the second part says it all."""
    return bool(done) and other.label == done[-1].tool


def _settles(last: Part, new: Step) -> bool:
    """ "too loud, go to 35", "relax, nice and slowly": the second says what is wanted."""
    if not isinstance(last, Step) or last.tool != new.tool:
        return False
    if new.tool in ("dance", "express_emotion"):
        named = next(iter(new.args.values()), "random")
        return named != "random" and next(iter(last.args.values()), "") == named
    if new.tool == "update_user_profile":
        return last.args.get("key") == new.args.get("key")
    if new.tool in ("set_volume", "set_motor_mode"):
        return True
    return new.tool not in _EACH_COUNTS and last.args.items() <= new.args.items()


def _together(parts: list[Part], new: Sequence[Part]) -> list[Part]:
    """All parts; two antennas that are set one after the other are set together."""
    last = parts[-1] if parts else None
    match (last, list(new)):
        case Step("set_antennas"), [Step("set_antennas") as second] if isinstance(last, Step):
            if set(last.args) | set(second.args) == {"left", "right"} and len(last.args) == len(second.args) == 1:
                return [*parts[:-1], replace(last, args={**last.args, **second.args})]
    return [*parts, *new]


def _fresh(new: Sequence[Part], parts: Sequence[Part]) -> list[Part]:
    """Without what was just done already: people say things twice in other words."""
    last = next((part for part in reversed(parts) if isinstance(part, Step)), None)
    return [
        part
        for part in new
        if not (
            isinstance(part, Step)
            and last is not None
            and part.tool == last.tool
            and part.tool not in _EACH_COUNTS
            and (not part.args or part.args == last.args)
        )
    ]


_WHOLE = frozenset(("look_at_world", "look_at_pixel", "look_at", "@program", "@report", "@danger"))
"""What is one thing however it was cut."""


_JOINT = re.compile(
    r"\b(?:and|then|again|after|next|plus|et|puis|encore|ensuite|y|luego|otra|despu[eé]s|und|dann|danach"
    r"|nochmal|wieder)\b",
    re.IGNORECASE,
)


def _joined(found: Sequence[Found], text: str) -> list[Found]:
    """Two stretches of one kind are one where the second only adds to the first, and nothing says "and then"."""
    out: list[Found] = []
    for one in found:
        last = out[-1] if out else None
        if last is None or last.label != one.label:
            out.append(one)
            continue
        bare = not one.spans and not one.closed
        adds = not (last.spans.keys() & one.spans.keys() or last.closed.keys() & one.closed.keys())
        parted = _JOINT.search(text[last.end : one.start])
        if one.label in _WHOLE or (not parted and (bare or adds)) or (bare and one.label not in _EACH_COUNTS):
            out[-1] = replace(
                last, said=text[last.start : one.end], end=one.end, closed={**one.closed, **last.closed},
                spans={**one.spans, **last.spans}, sure=min(last.sure, one.sure),
            )  # fmt: skip
        else:
            out.append(one)
    return out


def _corrected(found: Sequence[Found], text: str) -> list[Found]:
    """ "look left, no, right": the last word counts."""
    out: list[Found] = []
    for one in found:
        gap = text[out[-1].end : one.start] if out else ""
        if one.label in ("@no", "@apology") and out and len(out) < len(found) - 1 and not out[-1].label.startswith("@"):
            gap_word = replace(one, label="@no")
            out.append(gap_word)
            continue
        if out and out[-1].label == "@no" and len(out) > 1 and out[-2].label == one.label:
            del out[-2:]
        elif out and len(gap.split()) <= 4 and _CORRECTIONS.search(gap) and out[-1].label == one.label:
            out.pop()
        out.append(one)
    return out


def _without_programs(found: Sequence[Found], text: str) -> list[Found]:
    """A condition and what is to be done then are one: what stands in the same sentence belongs to it."""
    programs = [one for one in found if one.label == "@program"]
    if not programs:
        return list(found)
    ends = [match.end() for match in re.finditer(r"[.!?]+(?=\s|$)", text)]

    def sentence(place: int) -> int:
        return sum(place >= end for end in ends)

    held = {sentence(one.start) for one in programs}
    return [one for one in found if one is programs[0] or sentence(one.start) not in held]


def _marked(found: Sequence[Found], text: str) -> list[Found]:
    """With those marked that are said first and done later, where the words between say so."""
    steps = [one for one in found if not one.label.startswith("@")]
    out: list[Found] = []
    for one in found:
        nearest = next((other for other in steps if other.start > one.start), None)
        later = one.later
        if nearest is not None and one in steps:
            gap = text[one.end : nearest.start]
            later = bool(_FIRST.search(gap)) or (later and not _BEFORE.search(gap))
        out.append(replace(one, later=later))
    if len(steps) > 1 and _BEFORE.search(text[: steps[0].start]):
        out = _last_in_its_sentence(out, steps[0], text)
    return out


def _last_in_its_sentence(found: Sequence[Found], first: Found, text: str) -> list[Found]:
    """ "before you sleep, wave and look down": the first comes at the end of it all."""
    stop = re.compile(r"[.!?](?:\s|$)").search(text, first.end)
    end = stop.start() if stop else len(text)
    kept = [one for one in found if one.start != first.start]
    place = sum(one.start < end for one in kept)
    return [*kept[:place], replace(first, later=False), *kept[place:]]
