"""What the reward model is trained on: written feedback with its reward, and sentences that are none.

Files in `feedback_sentences/` hold families: lines that say one thing in one manner. A family is never split between
training and test, because its lines are too much alike. The reflex brain's requests and small talk serve as feedback
of reward 0, and the lines of `brains/stop_sentences` teach what a stop is.
"""

from __future__ import annotations

import json
import random
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reachy_mind.brains import stop_words
from reachy_mind.brains.reflex.markup import read
from reachy_mind.brains.word_lists import spaced
from reachy_mind.errors import InvalidParameter

SENTENCES = Path(__file__).with_name("feedback_sentences")
_BRAINS = Path(stop_words.__file__).parent
NEUTRAL_LABELS = frozenset(
    spaced(
        """
        @report @knowledge @program @can_you @tell @arithmetic @likes @game @joke @are_you @greet @bye @story @abilities
        @song @maker @name @age @calendar @convert @feel_happy @feel_sad @feel_tired @feel_afraid @feel_ill @feel_angry
        @feel_lonely @feel_bored @feel_stressed @feel_proud analyze_scene search_memories set_reminder set_timer
        update_user_profile get_weather get_time search_web store_memory cancel_timer take_photo detect_faces
        get_sensor_data list_timers set_camera get_robot_state get_user_profile listen describe_image detect_objects
        create_tool task_status list_tools
        """
    )
)
"""What is said to the robot without a word about what it did."""
NEUTRAL_PER_LABEL, NEUTRAL_WORDS, STOPS, NO_STOPS = 25, 16, 1200, 2000
MANNERED = "examples"
"""The file whose scale of rewards is the measure: its lines count more."""


@dataclass(frozen=True)
class FeedbackLine:
    """A line and its reward. `weight` is how much it counts, `reward_weight` how much of that its reward does."""

    text: str
    reward: float
    family: str
    language: str = "en"
    stop: bool = False
    weight: float = 1.0
    reward_weight: float = 1.0

    @property
    def group(self) -> str:
        """What must stay together: sarcastic and sincere families of one pattern are one group."""
        return re.sub(r"^neg_(sarc|sincere)_", "neg_pair_", self.family)

    def is_held_out(self, share: float, fold: int = 0) -> bool:
        """Whether its family is kept back. It depends on the name of the family alone."""
        place = zlib.crc32(self.group.encode()) / 2**32
        return fold * share <= place < (fold + 1) * share


def written(folder: Path = SENTENCES) -> list[FeedbackLine]:
    """The lines of the corpus."""
    return [line for file in sorted(folder.glob("*.txt")) for line in _lines_of(file)]


def _lines_of(file: Path) -> Iterator[FeedbackLine]:
    family, language = "", "en"
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            family, language = line[1:-1].split()
            continue
        columns = line.split("\t")
        if len(columns) != 3:
            raise InvalidParameter(f"{file.name}, line {number}: not reward, marks and text, with tabs between")
        reward, marks, text = columns
        weight = 2.0 if file.stem == MANNERED else 0.5 if family.startswith(("oth_stop", "oth_danger")) else 1.0
        yield FeedbackLine(text, float(reward), family, language, marks == "stop", weight)


def own(file: Path) -> list[FeedbackLine]:
    """Lines of somebody's own: JSON with `text` and `reward`, one a line; `family` and `stop` where they are known."""
    lines = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            text, reward = str(entry["text"]), float(entry["reward"])
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidParameter(
                f"{file.name}, line {number}: no text with a reward", hint='{"text": "well done", "reward": 0.6}'
            ) from error
        if not -1 <= reward <= 1 or not text.strip():
            raise InvalidParameter(
                f"{file.name}, line {number}: the reward is not between -1 and 1, or there is no text"
            )
        family = str(entry.get("family") or f"own_{zlib.crc32(text.encode()) % 1000}")
        lines.append(FeedbackLine(text, reward, family, str(entry.get("lang") or "en"), bool(entry.get("stop", False))))
    return lines


def without_reward(known: Sequence[FeedbackLine], seed: int = 1) -> list[FeedbackLine]:
    """Requests and small talk, stops, and sentences that only look like one; none that is in `known`."""
    rng = random.Random(seed)  # noqa: S311 -- the same ones every time
    seen = {key_of(line.text) for line in known}
    out: list[FeedbackLine] = []
    for line in (*_neutral(rng), *_stops(rng)):
        if (key := key_of(line.text)) not in seen:
            seen.add(key)
            out.append(line)
    return out


def key_of(text: str) -> str:
    """By what two spellings of one line are the same."""
    return text.lower().strip(" .!?\u00a1\u00bf")


def _neutral(rng: random.Random) -> Iterator[FeedbackLine]:
    said = defaultdict(list)
    for sentence in read(_BRAINS / "reflex" / "sentences"):
        labels = {segment.label for segment in sentence.segments}
        short = not sentence.before and len(sentence.words) <= NEUTRAL_WORDS
        if short and len(labels) == 1 and labels <= NEUTRAL_LABELS:
            said[labels.pop()].append((_joined(sentence.words), sentence.language))
    for label, texts in sorted(said.items()):
        for text, language in rng.sample(texts, min(len(texts), NEUTRAL_PER_LABEL)):
            yield FeedbackLine(text, 0.0, f"request_{label}", language, weight=0.5)


def _stops(rng: random.Random) -> Iterator[FeedbackLine]:
    for name, stop, count, reward_weight in (("stop", True, STOPS, 0.3), ("other", False, NO_STOPS, 0.0)):
        content = (_BRAINS / "stop_sentences" / f"{name}.txt").read_text(encoding="utf-8")
        rows = [line.split("\t") for line in content.splitlines() if "\t" in line and not line.startswith("#")]
        for language, text in rng.sample(rows, count):
            family = f"stop_sentences_{name}_{zlib.crc32(text.encode()) % 20}"
            yield FeedbackLine(text, -1.0 if stop else 0.0, family, language, stop, 0.4, reward_weight)


def _joined(words: Sequence[str]) -> str:
    return re.sub(r" ([,.?!])", r"\1", " ".join(words).replace(" ' ", "'"))
