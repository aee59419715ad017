"""From a folder to a `Profile`. It never raises for what is in the folder, and runs nothing of it.

`instructions.txt`, `tools.txt`, `voice.txt`, `greeting.txt`, `about.txt`, `moves.txt` and `manner.yaml` are read, and
the conversation app's `profile.md`; where there are both, the files win over what `profile.md` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reachy_mind.models import voice_names
from reachy_mind.profiles.front_matter import FILE as FRONT_MATTER
from reachy_mind.profiles.front_matter import FrontMatter, front_matter
from reachy_mind.profiles.phrasebook import Manner, phrasing
from reachy_mind.profiles.placeholders import Expansion
from reachy_mind.profiles.profile import Profile, Source
from reachy_mind.profiles.texts import Texts, listed
from reachy_mind.profiles.tool_lists import ToolList, shipped_tools, tool_list
from reachy_mind.profiles.trust import CodeTrust
from reachy_mind.speech.moods import MOODS
from reachy_mind.tools.registry import Registry

SHIPPED = Path(__file__).with_name("shipped")
LONGEST_GREETING, LONGEST_ABOUT, MOST_MOVES = 500, 200, 40
SLOWEST, FASTEST = 0.5, 2.0


@dataclass(frozen=True)
class VoiceManner:
    """How a personality speaks: the name of its voice, how fast compared with what is usual, and in which mood."""

    name: str
    speed: float | None
    mood: str


class ProfileLoader:
    """Reads profiles. `prompts`: where placeholders come from; `registry`: which tools there are."""

    def __init__(self, registry: Registry, trust: CodeTrust, prompts: Sequence[Path]) -> None:
        self._registry, self._trust, self._prompts = registry, trust, prompts
        self._shipped_tools = shipped_tools(SHIPPED)

    def load(self, name: str, folder: Path, source: Source, usual: Profile | None) -> Profile:
        """The profile in a folder, as far as it can be used. `usual`: whose tools and instructions it has without its
        own."""
        texts = Texts(folder)
        if folder.is_symlink():
            return _broken(name, folder, source, texts, "its folder is a link: copy it to where it belongs")
        front = front_matter(texts)
        instructions = self._instructions(texts, front)
        manner = self._manner(texts)
        made = front or FrontMatter()
        if not instructions and not manner:
            return _broken(
                name, folder, source, texts, "it has no instructions.txt that can be read, and no profile.md"
            )
        tools = self._tools(texts, made)
        if not instructions and usual is not None:
            texts.note("instructions.txt", f"missing: those of {usual.name} are used")
            instructions = usual.instructions
        if tools is None:
            texts.note("tools.txt", f"missing: {f'the tools of {usual.name}' if usual else 'all tools'} are used")
            tools = ToolList(usual.tools, usual.patterns) if usual else ToolList(patterns=("*",))
        greeting = _one_line(texts, "greeting.txt", LONGEST_GREETING)
        manner_of_voice = self._voice(texts, made.voice)
        self._own_code(name, folder, source, texts)
        return Profile(
            name=name,
            instructions=instructions,
            tools=tools.names,
            patterns=tools.patterns,
            voice=manner_of_voice.name,
            speed=manner_of_voice.speed,
            mood=manner_of_voice.mood,
            greeting=greeting or made.greeting,
            cue=not greeting and bool(made.greeting),
            manner=manner,
            moves=_moves(texts),
            about=_one_line(texts, "about.txt", LONGEST_ABOUT) or _first_sentence(instructions),
            hidden=made.hidden,
            folder=folder,
            source=source,
            own=tools.own,
            problems=tuple(dict.fromkeys(texts.problems)),
        )

    def _instructions(self, texts: Texts, front: FrontMatter | None) -> str:
        text = texts.read("instructions.txt")
        if text is not None and text.strip():
            return Expansion(self._prompts, texts).expanded(text, "instructions.txt")
        if text is not None:
            texts.note("instructions.txt", "it is empty")
        return front.instructions if front else ""  # which has no placeholders

    @staticmethod
    def _manner(texts: Texts) -> dict[str, Manner]:
        text = texts.read("manner.yaml")
        if text is None:
            return {}
        manner, slips = phrasing(text)
        for line, what in slips:
            texts.note("manner.yaml", what, line)
        return manner

    def _tools(self, texts: Texts, front: FrontMatter) -> ToolList | None:
        text = texts.read("tools.txt")
        if text is not None:
            return tool_list(listed(text), "tools.txt", texts, self._registry, self._shipped_tools)
        if front.tools is None:
            return None
        lines = [(0, tool) for tool in front.tools]
        return tool_list(lines, FRONT_MATTER, texts, self._registry, self._shipped_tools)

    @staticmethod
    def _voice(texts: Texts, named: str) -> VoiceManner:
        voice, speed, mood = named, None, ""
        for number, said in listed(texts.read("voice.txt") or ""):
            key, colon, value = said.partition(":")
            match key.strip().casefold() if colon else "":
                case "speed":
                    speed = _speed(value)
                    if speed is None:
                        texts.note("voice.txt", f"speed is a number from {SLOWEST} to {FASTEST}", number)
                case "mood":
                    mood = value.strip().casefold()
                    if mood not in MOODS:
                        texts.note("voice.txt", f"mood is one of {', '.join(MOODS)}", number)
                        mood = ""
                case _:
                    voice = said
        if voice and not voice_names.is_known(voice):
            file = FRONT_MATTER if voice == named else "voice.txt"
            texts.note(file, f"no voice of ours is called {voice[:60]!r}: it speaks with the usual one")
        return VoiceManner(voice[:100], speed, mood)

    def _own_code(self, name: str, folder: Path, source: Source, texts: Texts) -> None:
        files = sorted(file.name for file in folder.glob("*.py"))
        if source == "user" and files and (reason := self._trust.refusal(name, folder)):
            for file in files:
                texts.note(file, f"refused: {reason}")


def _broken(name: str, folder: Path, source: Source, texts: Texts, why: str) -> Profile:
    return replace(
        Profile(name=name, folder=folder, source=source, patterns=()), broken=why, problems=tuple(texts.problems)
    )


def _one_line(texts: Texts, file: str, longest: int) -> str:
    text = " ".join((texts.read(file) or "").split())
    if len(text) > longest:
        texts.note(file, f"longer than {longest} characters: the end was left out")
    return text[:longest]


def _moves(texts: Texts) -> tuple[str, ...]:
    lines = listed(texts.read("moves.txt") or "")
    if len(lines) > MOST_MOVES:
        texts.note("moves.txt", f"more than {MOST_MOVES} moves: the rest was left out")
    return tuple(move for _, move in lines[:MOST_MOVES])


def _first_sentence(text: str) -> str:
    for line in text.splitlines():
        words = line.strip()
        if words and not words.startswith(("#", "[")):
            return words.split(". ")[0][:LONGEST_ABOUT]
    return ""


def _speed(value: str) -> float | None:
    try:
        speed = float(value)
    except ValueError:
        return None
    return speed if SLOWEST <= speed <= FASTEST else None
