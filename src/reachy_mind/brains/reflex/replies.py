"""What to say about what was done: short sentences from the outcomes of calls."""

from __future__ import annotations

import contextlib
import re
import zlib
from collections.abc import Iterable
from datetime import date
from typing import Any

from reachy_mind.brains.reflex import dates, memory_replies, near_names
from reachy_mind.brains.reflex.plan import Step, Unknown
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.tools.definition import Outcome

SILENT = frozenset(("speak", "do_nothing"))
"""Tools after which there is nothing to say."""
_GREETINGS = {
    "en": r"hello|hi|hiya|howdy|good (?:morning|afternoon|evening|day)",
    "fr": r"bonjour|bonsoir|salut|coucou",
    "es": r"hola|buenos d[i\u00ed]as|buenas (?:tardes|noches)",
    "de": r"hallo|guten (?:morgen|tag|abend)|servus|moin|gr\u00fc(?:\u00df|ss) (?:gott|dich)",
}
GREETINGS = re.compile(rf"\W*({'|'.join(_GREETINGS.values())})\b", re.IGNORECASE)
EXAMPLES: dict[str, tuple[str, ...]] = {
    "move_head": ("look left", "look up a bit"),
    "nod": ("nod twice",),
    "dance": ("dance the waltz", "dance"),
    "express_emotion": ("be happy", "look surprised"),
    "set_timer": ("set a timer for five minutes",),
    "get_time": ("what time is it",),
    "get_pose": ("tell me your pose",),
    "wave": ("wave hello",),
}


def greeting(said: str) -> str:
    """A greeting in return, for who asks for something and begins with one."""
    found = GREETINGS.match(said)
    if found is None:
        return ""
    opening, mark = {"fr": ("", " !"), "es": ("\u00a1", "!")}.get(greeting_language(said), ("", "!"))
    return f"{opening}{found[1][:1].upper()}{found[1][1:]}{mark}"


def greeting_language(said: str) -> str:
    """The language that somebody greets in; empty without a greeting."""
    plain = said.strip(" \u00a1!,.")
    return next((key for key, words in _GREETINGS.items() if re.match(rf"(?:{words})\b", plain, re.IGNORECASE)), "")


def about(step: Step, outcome: Outcome, wording: Wording) -> str:
    """What to say about a call; empty when its action says enough."""
    match outcome.status:
        case "ok" | "started":
            return _went_well(step, outcome, wording)
        case "denied":
            return _denied(step, outcome)
        case "cancelled":
            return wording.say("interrupted")
        case _:
            return _failed(step, outcome, wording)


def _went_well(step: Step, outcome: Outcome, wording: Wording) -> str:  # noqa: PLR0911 -- the first that fits
    if step.tool in memory_replies.TOOLS and (told := memory_replies.told(step, outcome, wording)):
        return told
    if step.tool == "list_tools":
        return _listed(outcome, wording)
    if told := _told(step, outcome, wording):
        return told
    if outcome.status == "started" and wording.language != "en":
        return wording.say("started")  # the gate tells it in English
    message = _text(outcome.data, "message")
    if message:
        return sentence(message)
    if step.tool in SILENT:
        return ""
    if answer := next((_text(outcome.data, key) for key in ("answer", "summary", "description", "text")), ""):
        return sentence(answer)
    if step.tool == "get_pose":
        return pose(outcome.data)
    return wording.say("done")


def _listed(outcome: Outcome, wording: Wording) -> str:
    """The tools that the robot made."""
    tools = outcome.data.get("tools", []) if isinstance(outcome.data, dict) else []
    used = [str(each["name"]).replace("_", " ") for each in tools if each.get("active") is not None]
    if not tools:
        return wording.say("tools_none")
    return wording.say("tools_used", what=", ".join(used)) if used else wording.say("tools_unused")


def _told(step: Step, outcome: Outcome, wording: Wording) -> str:
    """Tools tell in English how it went. In other languages the phrasebook does, where it can, and in any language a
    profile that has its own way, unless something did not go as it was wished."""
    key = f"told_{step.tool}"
    if step.tool == "head_tracking":
        key += "_on" if step.args.get("enabled") else "_off"
    data = outcome.data if isinstance(outcome.data, dict) else {}
    if key not in wording or (wording.language == "en" and (not wording.owns(key) or data.get("clamped"))):
        return ""
    length = " ".join(f"{step.args[unit]} {sign}" for unit, sign in _UNITS.items() if unit in step.args)
    values = {"length": length, "text": "", "volume": "", "time": "", "date": ""} | step.args
    clock, day = str(data.get("time", "")), str(data.get("date", ""))
    with contextlib.suppress(ValueError):  # told as it is
        day = dates.told(date.fromisoformat(day), wording.language)
    return wording.say(key, **{**values, "time": clock[:5], "date": day})


_UNITS = {"hours": "h", "minutes": "min", "seconds": "s"}


def pose(data: Any) -> str:
    """A pose in words, from the numbers of one."""
    where = data.get("pose", data) if isinstance(data, dict) else {}
    if not isinstance(where, dict):
        return "I don't know how I stand."
    told = [
        f"{name.replace('_', ' ')} {where[name]:.0f}"
        for name in ("yaw", "pitch", "roll", "body_yaw")
        if isinstance(where.get(name), int | float)
    ]
    return f"My head is at {', '.join(told)} degrees." if told else "I don't know how I stand."


def _denied(step: Step, outcome: Outcome) -> str:
    error = outcome.error or {}
    if error.get("code") == "NOT_CONFIRMED":
        why = "I was told not to" if " said no " in error.get("message", "") else "nobody confirmed it"
        return f"I did not {spoken(step.tool)}, because {why}."
    return f"I am not allowed to {spoken(step.tool)}."


def _failed(step: Step, outcome: Outcome, wording: Wording) -> str:
    error = outcome.error or {}
    if step.tool == "create_tool" and (key := _NO_TOOL.get(error.get("code", ""))):
        return wording.say(key)
    hint, message = error.get("hint", ""), error.get("message", "")
    match error.get("code"):
        case "NOT_READY" | "MISSING_EXTRA" | "LINK_LOST":
            return sentence(f"I can't {spoken(step.tool)} now: {hint or message or 'a part of me is missing'}")
        case "INVALID_PARAMETER" | "OUT_OF_REACH" | "UNKNOWN_TOOL" | "NOT_FOUND":
            if told := near_names.told(step, error, wording):
                return sentence(told)
            return sentence(f"I couldn't {spoken(step.tool)}: {message}{f' ({hint})' if hint else ''}")
        case "TIMEOUT":
            return f"It took me too long to {spoken(step.tool)}, so I gave up."
        case _:
            return sentence(f"I couldn't {spoken(step.tool)}: {message or 'something went wrong'}")


def missing(step: Step, wording: Wording) -> str:
    """For a tool that this robot was not given."""
    return f"I can't {spoken(step.tool)} here." if wording.language == "en" else wording.say("missing_tool")


def lost(unknown: Unknown, tools: Iterable[str], wording: Wording, *, beside: bool) -> str:
    """For what was not understood: honest, the first time with examples of what would be, then in a few words."""
    match unknown.why:
        case "condition":
            start = wording.say("program")
        case "too_much":
            start = wording.say("too_much")
        case "talk":
            start = wording.say("report")
        case "question":
            return unanswerable(wording)
        case _ if beside:
            return wording.say("partly", said=_short(unknown.said))
        case _:
            if wording.already("not_understood", "not_understood_again"):
                return wording.say("not_understood_again")
            start = wording.say("not_understood")
    if beside or unknown.why in ("condition", "talk"):
        return start
    tried = examples(tools, unknown.said) if wording.language == "en" else ""
    model = "" if unknown.why != "unsure" or _knows_of_models(wording) else wording.say("not_understood_model")
    return " ".join(filter(None, (start, tried, model)))


def unanswerable(wording: Wording) -> str:
    """For a question that takes a language model: what it takes is told once in a conversation."""
    again = _knows_of_models(wording) or wording.already("knowledge", "knowledge_again")
    return wording.say("knowledge_again" if again else "knowledge")


def _knows_of_models(wording: Wording) -> bool:
    return wording.already("knowledge", "not_understood_model")


def examples(tools: Iterable[str], said: str) -> str:
    """Three things this robot understands."""
    there = [name for name in tools if name in EXAMPLES] or list(EXAMPLES)
    turn = zlib.crc32(said.encode("utf-8", "replace"))
    picked = [there[(turn + step) % len(there)] for step in range(min(3, len(there)))]
    ways = [f'"{EXAMPLES[name][turn % len(EXAMPLES[name])]}"' for name in picked]
    if len(ways) == 1:
        return f"Try {ways[0]}."
    return f"Try {', '.join(ways[:-1])} or {ways[-1]}."


def spoken(tool: str) -> str:
    return _SPOKEN.get(tool) or tool.replace("_", " ")


def sentence(text: str) -> str:
    text = " ".join(text.split())
    text = text[:1].upper() + text[1:]
    return text if text[-1:] in ".!?\u2026" else f"{text}."


def _text(data: Any, key: str) -> str:
    value = data.get(key) if isinstance(data, dict) else None
    return value.strip() if isinstance(value, str) else ""


def _short(said: str) -> str:
    return said if len(said) <= 60 else f"{said[:57]}..."


_NO_TOOL = {"NOT_READY": "program", "REQUEST_REFUSED": "tool_refused", "CREATION_FAILED": "tool_failed"}
"""Why no tool was made, by the code of the error."""
_SPOKEN = {
    "move_head": "move my head",
    "rotate": "turn",
    "set_antennas": "move my antennas",
    "shake": "shake my head",
    "express_emotion": "show that feeling",
    "play_move": "play that move",
    "get_pose": "tell my pose",
    "get_robot_state": "tell how I am",
    "get_time": "tell the time",
    "get_weather": "tell the weather",
    "get_sensor_data": "read my sensors",
    "set_personality": "be that one",
    "list_personalities": "tell who I can be",
    "get_user_profile": "tell what I know about you",
    "update_user_profile": "write that down about you",
    "set_timer": "set a timer",
    "set_reminder": "set a reminder",
    "list_timers": "list the timers",
    "cancel_timer": "cancel that timer",
    "task_status": "tell what is running",
    "task_cancel": "cancel that task",
    "background_demo": "run the demo",
    "search_web": "search the web",
    "take_photo": "take a photo",
    "analyze_scene": "tell what I see",
    "describe_image": "describe the photo",
    "detect_objects": "find things",
    "detect_faces": "look for faces",
    "look_at_object": "look at that",
    "look_at_sound": "look where the sound comes from",
    "head_tracking": "follow faces",
    "store_memory": "remember that",
    "search_memories": "search my memory",
    "forget_memory": "forget that",
    "set_volume": "change the volume",
    "set_motor_mode": "switch the motors",
    "set_camera": "switch the camera",
    "set_microphone": "switch the microphone",
    "create_tool": "make a tool",
    "list_tools": "list my tools",
    "rollback_tool": "go back to the older tool",
    "deactivate_tool": "put that tool away",
    "speak": "say that aloud",
    "stop_dance": "stop the dance",
    "code": "write that program",
    "github_clone": "clone that",
    "github_pull": "pull that",
    "github_push": "push that",
    "github_list_repos": "list the repositories",
    "github_list_files": "list the files",
    "github_read_file": "read that file",
    "github_write_file": "write that file",
    "github_edit_file": "edit that file",
    "github_status": "look at the repository",
    "github_diff": "look at the changes",
    "github_log": "look at the history",
    "github_add": "stage that",
    "github_rm": "remove that file",
    "github_restore": "restore that",
    "github_discard": "discard that",
    "github_commit": "commit that",
    "github_branch": "change that branch",
    "github_reset": "move the branch back",
    "github_rebase": "rebase that",
    "github_issue": "create that issue",
    "github_list_issues": "list the issues",
    "github_update_issue": "change that issue",
    "github_comment_issue": "comment on that issue",
    "github_close_issue": "close that issue",
    "github_create_pr": "create that pull request",
    "github_merge_pr": "merge that pull request",
    "github_list_prs": "list the pull requests",
    "github_update_pr": "change that pull request",
    "github_comment_pr": "comment on that pull request",
    "github_close_pr": "close that pull request",
    "github_pr_checks": "look at the checks",
    "github_ci_logs": "read the logs",
}
