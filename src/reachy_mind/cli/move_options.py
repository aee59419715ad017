"""Shared options of the commands that take a move: its name, its parameters, and edits."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

if TYPE_CHECKING:
    from reachy_mind.motion.clips import Clip
    from reachy_mind.motion.editing import Edit


def _option(name: str, text: str) -> Any:
    return typer.Option(f"--{name}", help=text, show_default=False)


@dataclass(frozen=True)
class Performance:
    """A move with its options, as given on the command line."""

    name: Annotated[str, typer.Argument(help="A move, or several: nod+happy.")]
    intensity: Annotated[float | None, _option("intensity", "Of an emotion or gesture, 0.1 to 1.")] = None
    times: Annotated[int | None, _option("times", "How often a gesture is done.")] = None
    speed: Annotated[Literal["slow", "normal", "fast"] | None, _option("speed", "Of a gesture.")] = None
    side: Annotated[Literal["left", "right"] | None, _option("side", "Of a gesture.")] = None
    degrees: Annotated[float | None, _option("degrees", "How far a tilt goes.")] = None
    hold: Annotated[float | None, _option("hold", "Seconds a tilt stays.")] = None
    repeat: Annotated[int | None, _option("repeat", "How often a dance is done.")] = None
    bpm: Annotated[float | None, _option("bpm", "Beats a minute of a dance; of any move with --beats.")] = None
    beats: Annotated[float | None, _option("beats", "Stretch the move to this many beats; with --bpm.")] = None
    seed: Annotated[int | None, _option("seed", "The same performance again; else it is never the same twice.")] = None
    scale: Annotated[float, _option("scale", "How large: 0.5 is half as large.")] = 1.0
    mirror: Annotated[bool, _option("mirror", "Left becomes right.")] = False
    slow: Annotated[float, _option("slow", "How many times as long: 2 is half as fast.")] = 1.0
    start: Annotated[float, _option("from", "Seconds to leave out at the beginning.")] = 0.0
    end: Annotated[float | None, _option("to", "Second at which to end.")] = None
    loop: Annotated[int, _option("loop", "How often to play the whole.")] = 1

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the move."""
        names = ["intensity", "times", "speed", "side", "degrees", "hold", "repeat", "seed"]
        if self.beats is None:
            names.append("bpm")  # alone it is the tempo of a dance; with beats it stretches any move
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    @property
    def edit(self) -> Edit:
        """The edits of the move. Raises InvalidParameter."""
        from reachy_mind.cli.attach import checked
        from reachy_mind.motion.editing import Edit

        changes = {name: getattr(self, name) for name in ("scale", "mirror", "slow", "start", "end", "beats")}
        changes |= {"times": self.loop, "bpm": self.bpm if self.beats is not None else None}
        return checked(Edit, changes, "reachy-mind moves play")

    def clip(self, folder: Path) -> Clip:
        """The edited move, from the repertoire in `folder`."""
        from reachy_mind.motion.repertoire import Repertoire

        clip = Repertoire(folder).clip(self.name, **self.parameters)
        return replace(clip, frames=self.edit.applied(clip.frames))


def with_move_options(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator: replaces the first parameter of a command, a `Performance`, by its options."""
    hints = get_type_hints(Performance, include_extras=True)
    kind = inspect.Parameter.KEYWORD_ONLY
    options = [
        inspect.Parameter(
            field.name,
            kind,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(Performance)
    ]
    own = [parameter.replace(kind=kind) for parameter in inspect.signature(command, eval_str=True).parameters.values()]
    parameters = sorted(
        [options[0], *own[1:], *options[1:]], key=lambda one: one.default is not inspect.Parameter.empty
    )

    def wrapper(**values: Any) -> None:
        performance = Performance(**{field.name: values.pop(field.name) for field in fields(Performance)})
        command(performance, **values)

    wrapper.__name__, wrapper.__doc__ = command.__name__, command.__doc__
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return wrapper
