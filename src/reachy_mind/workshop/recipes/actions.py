"""What a recipe's tool does, from words to calls: read by the reflex brain, written as lines of Python."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reachy_mind.brains.reflex.plan import Aside, Ask, Pause, Plan, Step, Talk
from reachy_mind.brains.word_lists import spaced
from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.library.emotion_names import resolve_name
from reachy_mind.motion.library.emotions import EMOTIONS
from reachy_mind.workshop.recipes import spoken_words
from reachy_mind.workshop.recipes.request import Understand

_MOVING = spaced(
    "move_head look_at look_at_sound rotate set_antennas nod shake wave express_emotion dance rest wake_up sleep"
)
CAPABILITIES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_MOVING, ("motion",)),
    **dict.fromkeys(spaced("take_photo analyze_scene detect_objects detect_faces describe_image"), ("camera",)),
    **dict.fromkeys(spaced("speak set_volume"), ("speak",)),
    "look_at_object": ("motion", "camera"),
    "listen": ("microphone",),
    "get_weather": ("http",),
    "get_time": (),
    "get_robot_state": (),
}
"""The tools that a recipe uses, with the capabilities that each needs."""
TOLD = frozenset(
    spaced("analyze_scene detect_objects detect_faces describe_image get_time get_weather get_robot_state listen")
)
"""Tools whose answer is said aloud: otherwise nobody would notice that they were used."""
SHORT = {
    "take_photo": "take_photo",
    "speak": "say",
    "express_emotion": "show",
    "analyze_scene": "describe_scene",
    "get_time": "tell_time",
    "move_head": "look",
    "set_antennas": "move_antennas",
    "look_at_object": "look_at",
    "detect_faces": "count_faces",
    "detect_objects": "list_things",
}
"""Words of a tool's name, where they differ from those of the tool that it calls."""
MOST_STEPS = 12
_REMINDER = re.compile(
    (
        r"^(?:remind|rappelle|recu[eé]rda|erinnere?)(?:[- ]?(?:me|moi|mich|us|nous|uns))?\s+(?:to |de |d'|que "
        r"|a "
        r"|daran,? )?(?P<text>.+)$"
    ),
    re.IGNORECASE,
)
_OTHER_CRAFTS = re.compile(
    (
        r"\b(?:draw|paint|sketch|print|cook|bake|order|buy|e-?mail|text|post|upload|download|dessine|peins"
        r"|imprime"
        r"|commande|ach[eè]te|dibuja|pinta|compra|pide|zeichne|male|drucke|kaufe?|bestelle?)\b"
        r"(?! (?:left|right|up|down))"
    ),
    re.IGNORECASE,
)
"""What the robot can't do, though a sentence about it may read like something that it can."""
_PHOTO_OF = re.compile(
    r"\b(?P<photo>photos?|pictures?|snapshots?|images?|shots?|fotos?|bild(?:er)?)\s+(?:of|de|du|des|von|vom)\b.*$",
    re.IGNORECASE,
)
_JOINTS = re.compile(
    r"(\s*[,;](?!\s*(?:dass|que|that|daran|zu)\b)\s*(?:(?:and|et|y|und)\s+)?(?:(?:then|puis|ensuite|luego|despu[eé]s|dann)\s+)?"
    r"|\s+(?:and then|then|after that|et puis|puis|et ensuite|y luego|luego|y despu[eé]s|und dann|and|et|y|und)\s+)",
    re.IGNORECASE,
)
_THAT = re.compile(r"\w+,? (?:that|que|qu'|dass)\b", re.IGNORECASE)
_WAKES_PEOPLE = re.compile(
    r"\b(?:me|us|him|her|them|mich|uns|moi|nous|despi[eé]rta(?:me|nos)|r[eé]veille-(?:moi|nous))\b", re.IGNORECASE
)
_SAY_THAT = re.compile(
    r"^(?:tell (?:me|us)|remind (?:me|us)) (?:that )?(?:it(?:'s| is) time to )(?P<text>.+)$", re.IGNORECASE
)


GESTURES = frozenset(("nod", "shake", "wave", "dance", "express_emotion"))
"""Tools that surely move the robot, whatever its posture."""


@dataclass(frozen=True)
class Actions:
    """Calls in order. `words`: as they were asked for."""

    steps: tuple[Step | Pause, ...]
    words: str

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(step.tool for step in self.steps if isinstance(step, Step))

    @property
    def capabilities(self) -> set[str]:
        needed = {capability for tool in self.tools for capability in CAPABILITIES[tool]}
        if any(tool in TOLD for tool in self.tools):
            needed.add("speak")
        return needed

    @property
    def seconds(self) -> float:
        """About how long they take."""
        return sum(step.seconds if isinstance(step, Pause) else 4.0 for step in self.steps)

    @property
    def name(self) -> str:
        """Some words for a name: "nod_and_wave"."""
        kinds = list(dict.fromkeys(SHORT.get(tool, tool) for tool in self.tools))
        return "_and_".join(kinds[:3]) if kinds else "wait"

    def lines(self, indent: int) -> str:
        """The calls as Python, each on a line of its own."""
        return "\n".join(" " * indent + line for step in self.steps for line in _lines(step))

    @property
    def takes_photos(self) -> bool:
        return "take_photo" in self.tools

    def seen(self, times: int) -> dict[str, Any]:
        """What the host of a trial sees when they are done so often."""
        said = sum(tool == "speak" or tool in TOLD for tool in self.tools)
        return {
            **({"photos": times * self.tools.count("take_photo")} if self.takes_photos else {}),
            **({"sentences": {">=": times * said}} if said else {}),
            **({"moved": True} if GESTURES & set(self.tools) else {}),
        }


def read(words: str, understand: Understand, language: str = "") -> Actions | None:
    """The calls that some words ask for; None when any of it is not understood, or is nothing to do."""
    words = words.strip(" ,;:.!?")
    if not words or _OTHER_CRAFTS.search(words):
        return None
    made = understand(words)
    language = language or made.language
    if spoken := _with_words_said(words, understand, language):
        return spoken
    if not made.steps and (shorter := _PHOTO_OF.sub(r"\g<photo>", words)) != words:
        made = understand(shorter)  # of whatever is in view
    if said := _reminder(words, made):
        return Actions((Step("speak", {"text": said}),), words)
    steps = _steps(made)
    if (
        steps is None
        or not any(isinstance(step, Step) for step in steps)
        or (_WAKES_PEOPLE.search(words) and _uses(steps, {"wake_up"}))
    ):
        return None  # an alarm clock is a tool that exists
    return Actions(steps, words)


def _steps(made: Plan) -> tuple[Step | Pause, ...] | None:
    """The steps of a plan; None when there is anything else in it."""
    parts = [part for part in made.parts if not isinstance(part, Aside) and not _is_polite(part)]
    if not parts or len(parts) > MOST_STEPS:
        return None
    steps = tuple(known for part in parts if isinstance(part, Step | Pause) and (known := _known(part)) is not None)
    return steps if len(steps) == len(parts) else None


def _uses(steps: Iterable[Step | Pause], tools: Collection[str]) -> bool:
    return any(isinstance(step, Step) and step.tool in tools for step in steps)


def _with_words_said(words: str, understand: Understand, language: str) -> Actions | None:
    """Calls of which some say words: these are taken as they stand. None when no words are to be said."""
    steps: list[Step | Pause] = []
    joint = ""
    for part in _JOINTS.split(words):
        if _JOINTS.fullmatch(part):
            joint = part
            continue
        said, done = _said(part, understand, language), _steps(understand(part)) if part.strip() else ()
        last = steps[-1] if steps else None
        if said:
            steps.append(Step("speak", {"text": said}))
        elif done:
            steps.extend(done)
        elif part.strip() and isinstance(last, Step) and last.tool == "speak":  # "say ready, steady, go"
            steps[-1] = Step("speak", {"text": f"{last.args['text']}{joint}{part}".strip()})
        elif part.strip():
            return None
    return Actions(tuple(steps), words) if _uses(steps, {"speak"}) and len(steps) <= MOST_STEPS else None


def _said(part: str, understand: Understand, language: str) -> str:
    """The words to be said; empty when the reader knows the answer that is asked for: "say the time"."""
    said = spoken_words.read(part, language)
    steps = _steps(understand(part)) if said else None
    return "" if steps and _uses(steps, TOLD) and not _THAT.match(part) else said


def _known(step: Step | Pause) -> Step | Pause | None:
    """The step, with tools that recipes use; None for any other."""
    if isinstance(step, Pause) or step.tool in CAPABILITIES:
        return step
    if step.tool == "play_move" and "dance" in str(step.args.get("name", "")):
        return Step("dance", {"name": "random"})
    if step.tool == "play_move":  # a move's name is not read from a list: only feelings are sure to exist
        with contextlib.suppress(InvalidParameter):
            return Step("express_emotion", {"emotion": resolve_name(str(step.args.get("name", "")), EMOTIONS)})
    return None


def _is_polite(part: object) -> bool:
    return isinstance(part, Talk) and part.kind in ("@thanks", "@praise", "@yes")


def _reminder(words: str, made: Plan) -> str:
    """What to say when somebody wants to be reminded: the tool itself does so."""
    steps = [part.step if isinstance(part, Ask) else part for part in made.parts]
    asked = [step for step in steps if isinstance(step, Step) and step.tool == "set_reminder"]
    found = _REMINDER.match(words) or _SAY_THAT.match(words)
    if found is None or (steps and not asked):
        return ""
    text = str(asked[0].args.get("text") or "") if asked else ""
    return text or found["text"].strip()


def _lines(step: Step | Pause) -> Sequence[str]:
    if isinstance(step, Pause):
        return (f"await asyncio.sleep({step.seconds:g})",)
    given = "".join(f", {name}={value!r}" for name, value in step.args.items())
    call = f'await tools.call("{step.tool}"{given})'
    if step.tool == "take_photo":
        return (f'photos.append(({call}).get("photo"))',)
    if step.tool in TOLD:
        return (f"told = {call}", 'await tools.call("speak", text=str(told["message"]))')
    return (call,)
