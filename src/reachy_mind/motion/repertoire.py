"""`Repertoire`: every move the robot knows by name: emotions, dances and gestures of our own, and recorded ones.

Recorded moves are files in the data folder's `moves/`: the user's own at the top, datasets (the vendor's dances, ones
from the Hub) in folders of their own, where a move is called `DATASET/NAME`, or `NAME` alone where that is clear.
`NAME+NAME` is one after the other.
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
from reachy_mind.motion.library.words import SYNONYMS, meant, plain
from reachy_mind.motion.moves import LONGEST_S, Frames

Kind = Literal["emotion", "dance", "gesture", "recorded"]
TAKE = ("intensity", "seed")
"""What every performance of a score can be told."""
NUMBERS = {"intensity": 0.7, "seed": 1, "repeat": 2, "bpm": 100, "degrees": 20, "hold": 1}
MOST_IN_SEQUENCE = 20


@dataclass(frozen=True)
class Entry:
    """A move in the repertoire: what it is, what it looks like, and what can be said about how to do it."""

    name: str
    kind: Kind
    description: str = ""
    parameters: tuple[str, ...] = ()


def _our_own() -> Iterator[Entry]:
    for name, score in emotions.EMOTIONS.items():
        yield Entry(name, "emotion", score.looks, TAKE)
    for name, one in dances.DANCES.items():
        yield Entry(name, "dance", one.looks, ("repeat", "bpm", "seed"))
    for name, gesture in gestures.GESTURES.items():
        yield Entry(name, "gesture", inspect.getdoc(gesture) or "", (*inspect.signature(gesture).parameters, *TAKE))


OUR_OWN = {entry.name: entry for entry in sorted(_our_own(), key=lambda entry: entry.name)}
MAKERS: dict[Kind, Callable[..., Frames]] = {
    "emotion": emotions.emotion,
    "dance": dances.dance,
    "gesture": gestures.gesture,
}


class Repertoire:
    """The moves by name; `folder` need not exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def entries(self) -> list[Entry]:
        """All of them, recorded ones last; files are listed, not read."""
        return [*OUR_OWN.values(), *(Entry(name, "recorded") for name in self._files())]

    def clip(self, name: str, /, **parameters: Any) -> Clip:
        """The move of this name, or several of them joined by `+`, done as the parameters say.

        Raises InvalidParameter for a name or a parameter that is not there, MoveInvalid for a broken file.
        """
        names = [part.strip() for part in name.split("+")]
        if len(names) > MOST_IN_SEQUENCE:
            raise InvalidParameter(f"{len(names)} moves in one sequence", hint=f"at most {MOST_IN_SEQUENCE}")
        entries = [self.entry(one, parameters.get("seed")) for one in names]
        takes = {parameter for entry in entries for parameter in entry.parameters}
        if spare := sorted(parameters.keys() - takes):
            hint = f"it takes {', '.join(sorted(takes)) or 'no parameters'}"
            raise InvalidParameter(f"{name} has no {', '.join(spare)}", hint=hint)
        made: list[Clip] = []
        for entry in entries:
            made.append(self._made(entry, parameters))
            if sum(one.duration for one in made) > LONGEST_S:
                raise InvalidParameter(f"{name} would last more than {LONGEST_S:g} s", hint="repeat it less")
        if len(made) == 1:
            return made[0]
        return Clip("+".join(one.name for one in made), sequence(*(one.frames for one in made)))

    def entry(self, name: str, seed: Any = None) -> Entry:
        """What is meant by `name`, a synonym, or `random`. Raises InvalidParameter with the nearest names."""
        word = plain(name)
        if word == "random":
            return OUR_OWN[dances.chosen(word, seed if isinstance(seed, int) else None)]
        if word in OUR_OWN:
            return OUR_OWN[word]
        files = self._files()
        same = [name] if name in files else [known for known in files if known.rpartition("/")[2] == name]
        if len(same) > 1:
            raise InvalidParameter(f"there are several moves called {name}", hint=f"one of {', '.join(same)}")
        if same:
            return Entry(same[0], "recorded")
        return OUR_OWN[meant(name, OUR_OWN, SYNONYMS | gestures.OTHER_WORDS, what="move")]

    def place(self, name: str, *, overwrite: bool = False) -> Path:
        """Where a move of this name would be stored. Raises InvalidParameter when it is taken, or is one of ours."""
        clips.clean_name(name)
        if plain(name) in {*OUR_OWN, "random"}:
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

    def keep(self, clip: Clip, *, overwrite: bool = False) -> Path:
        """Store a move under its name. Raises InvalidParameter as `place` does."""
        file = self.place(clip.name, overwrite=overwrite)
        clips.write(clip, file, overwrite=overwrite)
        return file

    def remove(self, name: str) -> None:
        """Delete one of the user's own recordings, and its sound. Raises InvalidParameter for any other."""
        file = self.folder / f"{clips.clean_name(name)}.json"
        if not file.is_file():
            raise InvalidParameter(
                f"there is no recorded move of your own called {name}", hint="reachy-mind moves list"
            )
        try:
            for one in (file, *(file.with_suffix(suffix) for suffix in clips.SOUND_SUFFIXES)):
                one.unlink(missing_ok=True)
        except OSError as error:
            raise MindError(f"{name} can't be deleted: {error.strerror or error}") from error

    def _made(self, entry: Entry, parameters: dict[str, Any]) -> Clip:
        if entry.kind == "recorded":
            return clips.read(self._files()[entry.name])
        own = {key: value for key, value in parameters.items() if key in entry.parameters}
        for key, value in own.items():
            if key in NUMBERS and (isinstance(value, bool) or not isinstance(value, int | float)):
                raise InvalidParameter(f"{key} is a number, not {value!r}", hint=f"such as {NUMBERS[key]}")
            if key in ("repeat", "seed") and value != int(value):
                raise InvalidParameter(f"{key} is a whole number, not {value!r}", hint=f"such as {NUMBERS[key]}")
        return Clip(entry.name, MAKERS[entry.kind](entry.name, **own), entry.description)

    def _files(self) -> dict[str, Path]:
        """Recorded moves by name: the user's own, then those of datasets."""
        try:
            own = {file.stem: file for file in sorted(self.folder.glob("[!.]*.json"))}
            sets = {f"{file.parent.name}/{file.stem}": file for file in sorted(self.folder.glob("[!.]*/[!.]*.json"))}
        except OSError as error:
            raise MindError(f"the moves in {self.folder} can't be listed: {error.strerror or error}") from error
        return own | sets
