"""Ten sentences by which a new tool is called, with its arguments marked, in the notation of the reflex reader.

    <take_photo_repeatedly interval_s="5 seconds">take a photo every 5 seconds</>

`brains.reflex.tool_sentences` finds a tool by them at once, without training.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from reachy_mind.workshop.draft import Draft
from reachy_mind.workshop.language_tables import tables
from reachy_mind.workshop.recipes import texts

FILE = Path(__file__).with_name("sentences.yaml")
COUNT = 10
_GAP = re.compile(r"\[(\w+)\]")
_SAMPLES = {"interval_s": (5, 10, 30, 2, 15), "duration_s": (60, 120, 600, 300, 20), "delay_s": (600, 30, 60, 300, 10)}
_MESSAGES = ("SOS", "hello", "reachy", "OK", "hi")


def sentences(draft: Draft) -> tuple[str, ...]:
    """Ten lines for the reflex reader, in the language of the request."""
    templates = tables(FILE)
    language = draft.language if draft.language in templates else "en"
    known: dict[str, list[str]] = templates[language]
    lines: dict[str, None] = {}
    for number, template in enumerate((*known.get(draft.recipe, ()), *known["any"])):
        gaps = _GAP.findall(template)
        if any(gap not in draft.args for gap in gaps) or len(lines) >= COUNT:
            continue
        lines[_line(template, draft, language, number)] = None
    return tuple(lines)


def _line(template: str, draft: Draft, language: str, number: int) -> str:
    topic = re.sub(r"[<>\"\[\]{}]", "", draft.topic or draft.name.replace("_", " ")).strip()
    said = template.replace("{topic}", topic).replace("{words}", draft.name.replace("_", " "))
    marked = ""
    for gap in dict.fromkeys(_GAP.findall(said)):
        words = _words(gap, draft.args[gap], language, number)
        said = said.replace(f"[{gap}]", words, 1)
        marked += f' {gap}="{words}"'
    prefix = "" if language == "en" else f"{language}: "
    return f"{prefix}<{draft.name}{marked}>{said}</>"


def _words(name: str, value: Any, language: str, number: int) -> str:
    """Words for an argument: those of the request first, then others."""
    if name in _SAMPLES:
        seconds = float(value) if number == 0 else float(_SAMPLES[name][number % len(_SAMPLES[name])])
        return texts.length(seconds, language)
    if number == 0:
        return re.sub(r'[<>"]', "", str(value))
    return _MESSAGES[number % len(_MESSAGES)]
