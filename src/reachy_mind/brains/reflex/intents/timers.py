"""The time, timers and reminders."""

from __future__ import annotations

import re
from typing import Any

from reachy_mind.brains.reflex import quantities
from reachy_mind.brains.reflex.intents.clause import Clause, Parts, Rules, step
from reachy_mind.brains.reflex.plan import Ask, Step
from reachy_mind.models.wordpiece import without_accents

RULES = Rules()

_WAKE = re.compile(r"\b(?:wake|alarm|reveil\w*|despiert\w*|despert\w*|weck\w*|wach)\b")


@RULES.of("get_time")
def _get_time(clause: Clause) -> Parts:
    return step("get_time", {"place": place} if (place := clause.words("place")) else {})


@RULES.of("set_timer")
def _set_timer(clause: Clause) -> Parts:
    last = clause.last("set_timer")
    label = re.sub(r"^(?:the|my|a|an) ", "", clause.words("label"))
    unit = next((unit for unit in ("hours", "minutes", "seconds") if last and unit in last.args), "minutes")
    args = _length(clause, unit)
    if not args:
        return (Ask("duration", Step("set_timer", {"label": label} if label else {})),)
    if label or (last and (label := str(last.args.get("label", "")))):
        args["label"] = label
    return step("set_timer", args)


def _length(clause: Clause, unit: str) -> dict[str, Any]:
    """How long, also where the unit stands behind what was marked, or a correction does."""
    text = clause.words("duration")
    if meant := quantities.length(clause.corrected, clause.language, unit):
        return dict(meant)
    plainly = quantities.length(text, clause.language)
    if not plainly and text and (place := clause.found.said.find(text)) >= 0:
        plainly = quantities.length(" ".join(clause.found.said[place:].split()[:6]), clause.language)
    return dict(plainly or quantities.length(text, clause.language, unit))


@RULES.of("set_reminder")
def _set_reminder(clause: Clause) -> Parts:
    text, when = clause.words("text"), clause.words("when")
    last = clause.last("set_reminder")
    if last and when and not text:
        text = str(last.args.get("text", ""))
    moment = quantities.moment(when, clause.language) if when else {}
    around = quantities.moment(clause.found.said.replace(clause.found.spans.get("text", "\0"), ""), clause.language)
    if (around and (not text or not moment) and clause.last("set_reminder", "set_timer")) or (around and not moment):
        moment = around
    if not moment:
        return (Ask("when", Step("set_reminder", {"text": text} if text else {})),)
    said = without_accents(clause.found.said.lower())
    if _WAKE.search(said) and "at" in moment and not re.search(r"\b(?:evening|pm|tonight|afternoon)\b",
                                                              quantities.english(when, clause.language)):  # fmt: skip
        moment["at"] = _mornings(str(moment["at"]))
    return step("set_reminder", {"text": text or ("wake up" if _WAKE.search(said) else "time is up"), **moment})


def _mornings(at: str) -> str:
    """People are woken in the morning: "wake me at six" is not six in the evening."""
    day, _, clock = at.rpartition(" ")
    hour, minute = clock.split(":")
    early = int(hour) - 12 if 16 <= int(hour) <= 18 else int(hour)
    return f"{day} {early:02d}:{minute}".strip()


@RULES.of("cancel_timer")
def _cancel_timer(clause: Clause) -> Parts:
    if clause.picked("every"):
        return step("cancel_timer", {"every": True})
    label = re.sub(r"^(?:the|my|a|an) | (?:timer|alarm|reminder)$", "", clause.words("label"))
    last = clause.last("set_timer", "set_reminder")
    if not label and last:
        label = str(last.args.get("label") or last.args.get("text") or "")
    number = re.search(r"\b(?:number|no\.?|nr\.?|numero|nummer|timer|alarm) (\d+)$", without_accents(clause.found.said))
    if label.isdigit() or number:
        return step("cancel_timer", {"timer_id": number[1] if number else label})
    return step("cancel_timer", {"label": label} if label else {})
