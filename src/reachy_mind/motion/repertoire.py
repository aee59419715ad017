"""`Repertoire`: registry of moves by name: built-in emotions, dances and gestures, and recorded moves.

Recorded moves are files in the data folder's `moves/`: the user's own in the root, datasets (the vendor's dances,
downloads from the Hub) in subfolders. A move of a dataset is called `DATASET/NAME`, or `NAME` where that is unique.
`NAME+NAME` plays one after the other.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.motion import clips
from reachy_mind.motion.clips import Clip
from reachy_mind.motion.editing import sequence
from reachy_mind.motion.library import dances, emotions, gestures
from reachy_mind.motion.library.emotion_names import SYNONYMS, normalized, resolve_name
from reachy_mind.motion.moves import MAX_DURATION_S, Frames

Kind = Literal["emotion", "dance", "gesture", "recorded"]
SCORE_PARAMETERS = ("intensity", "seed")
"""Parameters of every score."""
NUMERIC_EXAMPLES = {"intensity": 0.7, "seed": 1, "repeat": 2, "bpm": 100, "degrees": 20, "hold": 1}
MAX_IN_SEQUENCE = 20


@dataclass(frozen=True)
class RepertoireEntry:
    """A move in the repertoire, with its description and parameters."""

    name: str
    kind: Kind
    description: str = ""
    parameters: tuple[str, ...] = ()


def _built_in() -> Iterator[RepertoireEntry]:
    for name, score in emotions.EMOTIONS.items():
        yield RepertoireEntry(name, "emotion", score.looks, SCORE_PARAMETERS)
    for name, one in dances.DANCES.items():
        yield RepertoireEntry(name, "dance", one.looks, ("repeat", "bpm", "seed"))
    for name, gesture in gestures.GESTURES.items():
        yield RepertoireEntry(
            name, "gesture", inspect.getdoc(gesture) or "", (*inspect.signature(gesture).parameters, *SCORE_PARAMETERS)
        )


BUILT_IN = {entry.name: entry for entry in sorted(_built_in(), key=lambda entry: entry.name)}
BUILDERS: dict[Kind, Callable[..., Frames]] = {
    "emotion": emotions.emotion,
    "dance": dances.dance,
    "gesture": gestures.gesture,
}


class Repertoire:
    """Moves by name; `folder` need not exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def entries(self) -> list[RepertoireEntry]:
        """All moves, recorded ones last; files are listed, not read."""
        return [*BUILT_IN.values(), *(RepertoireEntry(name, "recorded") for name in self._files())]

    def clip(self, name: str, /, **parameters: Any) -> Clip:
        """Build the move of this name, or of several names joined by `+`, with these parameters.

        Raises InvalidParameter for an unknown name or parameter, MoveInvalid for a broken file.
        """
        names = [part.strip() for part in name.split("+")]
        if len(names) > MAX_IN_SEQUENCE:
            raise InvalidParameter(f"{len(names)} moves in one sequence", hint=f"at most {MAX_IN_SEQUENCE}")
        entries = [self.entry(one, parameters.get("seed")) for one in names]
        takes = {parameter for entry in entries for parameter in entry.parameters}
        if spare := sorted(parameters.keys() - takes):
            hint = f"it takes {', '.join(sorted(takes)) or 'no parameters'}"
            raise InvalidParameter(f"{name} has no {', '.join(spare)}", hint=hint)
        made: list[Clip] = []
        for entry in entries:
            made.append(self._build(entry, parameters))
            if sum(one.duration for one in made) > MAX_DURATION_S:
                raise InvalidParameter(f"{name} would last more than {MAX_DURATION_S:g} s", hint="repeat it less")
        if len(made) == 1:
            return made[0]
        return Clip("+".join(one.name for one in made), sequence(*(one.frames for one in made)))

    def entry(self, name: str, seed: Any = None) -> RepertoireEntry:
        """Resolve a name, a synonym, or `random`. Raises InvalidParameter with the nearest names."""
        word = normalized(name)
        if word == "random":
            return BUILT_IN[dances.resolve_dance(word, seed if isinstance(seed, int) else None)]
        if word in BUILT_IN:
            return BUILT_IN[word]
        files = self._files()
        same = [name] if name in files else [known for known in files if known.rpartition("/")[2] == name]
        if len(same) > 1:
            raise InvalidParameter(f"there are several moves called {name}", hint=f"one of {', '.join(same)}")
        if same:
            return RepertoireEntry(same[0], "recorded")
        return BUILT_IN[resolve_name(name, BUILT_IN, SYNONYMS | gestures.OTHER_WORDS, what="move")]

    def path_for(self, name: str, *, overwrite: bool = False) -> Path:
        """The file for a move of this name. Raises InvalidParameter when the name is taken or built in."""
        clips.checked_name(name)
        if normalized(name) in {*BUILT_IN, "random"}:
            raise InvalidParameter(f"{name} is the name of a move of the robot's own", hint="choose another name")
        file = self.folder / f"{name}.json"
        if file.exists() and not overwrite:
            raise InvalidParameter(f"there is a move called {name} already", hint="another name, or overwrite it")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            writable = os.access(self.folder, os.W_OK)
        except OSError:
            writable = False
        if not writable:
            raise InvalidParameter(f"nothing can be written to {self.folder}", hint="see its permissions")
        return file

    def save(self, clip: Clip, *, overwrite: bool = False) -> Path:
        """Save a move under its name. Raises InvalidParameter as `path_for` does."""
        file = self.path_for(clip.name, overwrite=overwrite)
        clips.write(clip, file, overwrite=overwrite)
        return file

    def remove(self, name: str) -> None:
        """Delete one of the user's own recordings, and its sound. Raises InvalidParameter for any other."""
        file = self.folder / f"{clips.checked_name(name)}.json"
        if not file.is_file():
            raise InvalidParameter(
                f"there is no recorded move of your own called {name}", hint="reachy-mind moves list"
            )
        try:
            for one in (file, *(file.with_suffix(suffix) for suffix in clips.SOUND_SUFFIXES)):
                one.unlink(missing_ok=True)
        except OSError as error:
            raise MindError(f"{name} can't be deleted: {error.strerror or error}") from error

    def _build(self, entry: RepertoireEntry, parameters: dict[str, Any]) -> Clip:
        if entry.kind == "recorded":
            return clips.read(self._files()[entry.name])
        own = {key: value for key, value in parameters.items() if key in entry.parameters}
        for key, value in own.items():
            if key in NUMERIC_EXAMPLES and (isinstance(value, bool) or not isinstance(value, int | float)):
                raise InvalidParameter(f"{key} is a number, not {value!r}", hint=f"such as {NUMERIC_EXAMPLES[key]}")
            if key in ("repeat", "seed") and value != int(value):
                raise InvalidParameter(
                    f"{key} is a whole number, not {value!r}", hint=f"such as {NUMERIC_EXAMPLES[key]}"
                )
        return Clip(entry.name, BUILDERS[entry.kind](entry.name, **own), entry.description)

    def _files(self) -> dict[str, Path]:
        """Recorded moves by name: the user's own, then those of datasets."""
        try:
            own = {file.stem: file for file in sorted(self.folder.glob("[!.]*.json"))}
            sets = {f"{file.parent.name}/{file.stem}": file for file in sorted(self.folder.glob("[!.]*/[!.]*.json"))}
        except OSError as error:
            raise MindError(f"the moves in {self.folder} can't be listed: {error.strerror or error}") from error
        return own | sets
