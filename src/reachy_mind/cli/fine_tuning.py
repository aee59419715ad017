"""`reachy-mind learn export` and `learn lora`: data for fine-tuning a language model, and a fine-tuned local model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.learning.export import ExportSource
    from reachy_mind.learning.rated_turns import RatedTurns


def register(app: typer.Typer) -> None:
    """Add the commands to `learn`."""
    app.command()(export)
    app.command()(lora)


def export(
    out: Annotated[Path, typer.Option("--out", help="The file for training; others are written beside it.")],
    format: Annotated[  # noqa: A002 -- the name of the option
        Literal["sft", "preference"],
        typer.Option("--format", help="sft: good answers; preference: a wanted and an unwanted answer each."),
    ] = "sft",
    person: Annotated[str, typer.Option("--person", "-p", help="Of this person only.")] = "",
    min_reward: Annotated[
        float, typer.Option("--min-reward", help="Of a good answer; the negative of it is a bad one.", min=0.0, max=1.0)
    ] = 0.5,
    held_out: Annotated[
        float, typer.Option("--held-out", help="Share of the conversations kept for evaluation.", min=0.0, max=0.9)
    ] = 0.1,
    arguments: Annotated[
        Literal["text", "object"],
        typer.Option("--arguments", help="Of tool calls: text as OpenAI wants it, or objects as chat templates do."),
    ] = "text",
    with_names: Annotated[bool, typer.Option("--with-names", help="Keep the names of people.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Export turns that people rated or corrected, as data for fine-tuning a language model."""
    from reachy_mind import log
    from reachy_mind.config.configuration import load
    from reachy_mind.learning.export import ExportOptions, write
    from reachy_mind.learning.export import export as make
    from reachy_mind.learning.rated_turns import read_rated_turns
    from reachy_mind.memory.people import person_id

    configuration = load()
    log.configure("warning", configuration.settings.log.format, configuration.secrets())
    read = read_rated_turns(configuration.home.database_file)
    options = ExportOptions(format, person_id(person) if person else None, min_reward, held_out, arguments == "object")
    exported = make(read, options, _source(configuration, read, with_names=with_names))
    manifest = write(exported, options, out)
    if as_json:
        print(json.dumps(manifest | {"out": str(out)}))
        return
    counts = exported.counts
    print(f"{counts['train']} lines for training, {counts['held_out']} held out, from {counts['feedback']} feedbacks.")
    if counts["damaged"]:
        print(f"{counts['damaged']} turns could not be read and are left out.")
    for file in manifest["files"]:
        print(f"{out.with_name(file['file'])}  {file['lines']} lines  sha256 {file['sha256'][:16]}...")


def _source(configuration: Configuration, read: RatedTurns, *, with_names: bool) -> ExportSource:
    from functools import cache

    from reachy_mind.brains.reflex.vocabulary import vocabulary
    from reachy_mind.learning.export import ExportSource
    from reachy_mind.learning.pseudonyms import Pseudonyms
    from reachy_mind.profiles.catalogue import Profiles
    from reachy_mind.profiles.profile import UnknownProfile
    from reachy_mind.tools.builtin import TOOLS

    profiles = Profiles(configuration.home)
    names = () if with_names else read.names
    pseudonyms = Pseudonyms(names, vocabulary() if names else (), str(configuration.home.folder))

    @cache
    def instructions(name: str) -> str:
        try:
            return profiles.load(name).prompt if name else profiles.fallback().prompt
        except UnknownProfile:  # it was deleted
            return profiles.fallback().prompt

    return ExportSource(TOOLS, instructions, pseudonyms.replace)


def lora(
    data: Annotated[
        list[Path], typer.Option("--data", help="A file of learn export, sft or preference; can be given twice.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder for the adapter and its report.")],
    held_out: Annotated[
        Path | None, typer.Option("--held-out", help="Requests to evaluate on; else those exported with the data.")
    ] = None,
    base: Annotated[
        Path | None, typer.Option("--base", help="GGUF file, or a folder with one; else the pulled chat model.")
    ] = None,
    epochs: Annotated[int, typer.Option("--epochs", help="How often each line is trained on.", min=1, max=100)] = 3,
    rank: Annotated[int, typer.Option("--rank", help="Of the adapter.", min=1, max=256)] = 8,
    rate: Annotated[float, typer.Option("--rate", help="Learning rate.", min=1e-7, max=0.1)] = 2e-4,
    batch: Annotated[int, typer.Option("--batch", help="Lines in one step.", min=1, max=256)] = 8,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Fine-tune the local language model on exported turns: a LoRA adapter, evaluated before and after."""
    import asyncio

    from reachy_mind import log
    from reachy_mind.cli.learn import tell
    from reachy_mind.config.configuration import load
    from reachy_mind.errors import MissingExtra

    try:
        from reachy_mind.learning.fine_tuning import fine_tune
        from reachy_mind.learning.lora import LoraRecipe
    except ImportError as error:
        raise MissingExtra("training an adapter", "learning") from error
    configuration = load()
    log.configure("warning", configuration.settings.log.format, configuration.secrets())
    recipe = LoraRecipe(rank=rank, alpha=2.0 * rank, epochs=epochs, rate=rate, batch=batch)
    file = _base_file(configuration, base)
    report = asyncio.run(fine_tune(file, data, held_out, out, recipe, tell))
    if as_json:
        print(json.dumps(report))
        return
    trained = report["trained"]
    print(f"Trained on {trained['examples']} answers and {trained['pairs']} preferences in {report['seconds']:.0f} s.")
    if report["after"]["requests"]:
        print(f"Of {report['after']['requests']} requests that were held out:")
        for name in ("before", "after"):
            figures = report[name]
            print(
                f"  {name:7} the right tools in {figures['tools']:.1%}, with the right arguments {figures['calls']:.1%}"
            )
    else:
        print("Nothing was held out: whether it answers better is not known.")
    print(f"To use it: set models.lora to {report['adapter']}")


def _base_file(configuration: Configuration, base: Path | None) -> Path:
    from reachy_mind.errors import InvalidParameter
    from reachy_mind.models.chat_choice import chosen_chat_model, missing_chat_model
    from reachy_mind.models.store import Store

    if base is None:
        chosen = chosen_chat_model(configuration)
        base = Store(configuration.models_folder).path(chosen.name if chosen else missing_chat_model(configuration))
    files = sorted(base.glob("*.gguf")) if base.is_dir() else [base]
    if len(files) != 1:
        raise InvalidParameter(f"{base} has {len(files)} GGUF files", hint="name one: --base FILE.gguf")
    return files[0]
