"""`reachy-mind learn`: teach it new sentences and tools of one's own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration

app = typer.Typer(name="learn", help="Teach it: sentences of your own, for tools of your own.", no_args_is_help=True)

STEPS, STEPS_FROM_SCRATCH = 300, 9000
FEWEST = 10


Reset = Annotated[bool, typer.Option("--reset", help="Forget what was learned here; use what was shipped.")]
Out = Annotated[Path | None, typer.Option("--out", help="Where to write the weights.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.callback()
def learn() -> None:
    """Teach it: sentences of your own, for tools of your own."""


@app.command()
def reflex(
    sentences: Annotated[
        Path | None, typer.Option("--sentences", help="Folder of .txt files; else reflex/sentences in the data folder.")
    ] = None,
    steps: Annotated[int | None, typer.Option("--steps", help="How long to train.", min=1, max=100_000)] = None,
    from_scratch: Annotated[
        bool, typer.Option("--from-scratch", help="Train all of it anew (wants an accelerator; pulls 84 MB).")
    ] = False,
    reset: Reset = False,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Train the reflex brain on the shipped sentences and on yours."""
    from reachy_mind import log
    from reachy_mind.brains.reflex.reader import WEIGHTS
    from reachy_mind.config.configuration import load

    configuration = load()
    log.configure("warning", configuration.settings.log.format)
    target = out or configuration.home.reflex_folder / WEIGHTS.name
    if reset:
        forget(target, as_json=as_json)
        return
    result = _train(
        configuration,
        sentences or configuration.home.reflex_folder / "sentences",
        target,
        steps,
        from_scratch=from_scratch,
    )
    if as_json:
        print(json.dumps(result))
        return
    print(
        f"Learned {result['own']} sentences of yours in {result['seconds']:.0f} s,"
        f" for {', '.join(result['tools']) or 'no new tool'}."
    )
    held = result["held_out"]
    print(f"Of {held['sentences']} sentences that were kept back: the right steps in {held['tools']:.1%}.")
    print(f"{target} is used from the next start on.")


@app.command()
def stop(
    out: Annotated[Path | None, typer.Option("--out", help="Where to write the weights; else those in use.")] = None,
    epochs: Annotated[int | None, typer.Option("--epochs", help="How long to train.", min=1, max=1000)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Train the recognition of a stop anew, on the sentences in brains/stop_sentences. For people who change those."""
    from dataclasses import replace

    from reachy_mind.bench.stop import held_out
    from reachy_mind.brains.stop_classifier import WEIGHTS
    from reachy_mind.learning.stop import StopRecipe, train

    recipe, target = StopRecipe(), out or WEIGHTS
    trained = train(replace(recipe, epochs=epochs) if epochs else recipe, [said.text for said in held_out()], tell)
    unfinished = target.with_suffix(".part")
    unfinished.write_bytes(trained.content)
    unfinished.replace(target)
    if as_json:
        figures = {"found": trained.found, "false": trained.false, "hard_false": trained.hard_false}
        print(json.dumps({**figures, "weights": str(target)}))
        return
    print(f"Of stops that were kept back: {trained.found:.1%} recognised, in words that no list has.")
    print(f"Of other sentences: {trained.false:.2%} taken for a stop, of the hard ones {trained.hard_false:.2%}.")
    print(f"{target} is used from the next start on.")


@app.command()
def keywords(
    kokoro: Annotated[
        Path | None, typer.Option("--kokoro", help="A folder with Kokoro's model, vocabulary and voices.")
    ] = None,
    folder: Annotated[
        Path, typer.Option("--speech", help="Where the speech is kept; used again if it is there.")
    ] = Path("keyword-speech"),
    lines: Annotated[int, typer.Option("--lines", help="Lines for each engine to say.", min=50)] = 3000,
    scenes: Annotated[int, typer.Option("--scenes", help="Half minutes in rooms.", min=10)] = 1500,
    out: Annotated[Path | None, typer.Option("--out", help="Where to write the weights; else those in use.")] = None,
) -> None:
    """Train the network of the stop words and "hey Reachy" anew. For people who change learning/keywords/phrases.py."""
    import asyncio
    import importlib.util

    from reachy_mind.config.configuration import load
    from reachy_mind.errors import MissingExtra
    from reachy_mind.learning.keywords.preparation import prepare
    from reachy_mind.learning.keywords.windows import windows
    from reachy_mind.models.store import Store
    from reachy_mind.speech.keyword_network import WEIGHTS
    from reachy_mind.speech.moonshine import library_folder

    if importlib.util.find_spec("torch") is None:
        raise MissingExtra("training keywords", "learning")
    from reachy_mind.learning.keywords.training import KeywordRecipe, device, examined, export, train

    encoder = library_folder() / "assets" / "tiny-en"
    if not (folder / "held-out").is_dir():
        asyncio.run(prepare(folder, Store(load().models_folder), lines, kokoro, tell))
    own = windows(folder / "train", encoder, scenes, seed=1)
    held_out = windows(folder / "held-out", encoder, max(1, scenes // 12), seed=2)
    tell(f"{len(own.labels)} windows to train on, {len(held_out.labels)} held out")
    trained = train(own, KeywordRecipe(), device())
    examined(trained, held_out, device(), tell)
    export(trained, out or WEIGHTS)
    print(f"{out or WEIGHTS} is used from the next start on.")


def _train(
    configuration: Configuration, folder: Path, target: Path, steps: int | None, *, from_scratch: bool
) -> dict[str, Any]:
    import time

    from reachy_mind.brains.reflex.labels import BUILT_IN
    from reachy_mind.brains.reflex.markup import read, tools_in
    from reachy_mind.brains.reflex.reader import WEIGHTS
    from reachy_mind.errors import InvalidParameter, MissingExtra

    lines = _lines(folder)
    if not lines and not from_scratch:
        raise InvalidParameter(
            f"there are no sentences in {folder}",
            hint='write a .txt file there, a line for each: <my_tool city="Rome">how are the bees in Rome</>',
        )
    tools = {name: arguments for name, arguments in tools_in(lines).items() if name not in BUILT_IN.steps}
    for name in tools:
        if (count := sum(f"<{name}" in line for line in lines)) < FEWEST:
            raise InvalidParameter(f"{count} sentences are too few to learn {name}", hint=f"write at least {FEWEST}")
    inventory = BUILT_IN.with_tools(tools)
    own = list(read(folder, inventory)) if lines else []
    shipped = list(read(WEIGHTS.parent / "sentences"))
    try:
        import torch

        from reachy_mind.learning import augmentation
        from reachy_mind.learning import reflex as training
        from reachy_mind.learning.pretrained import Start
    except ImportError as error:
        raise MissingExtra("training the reflex brain", "learning") from error
    began = time.monotonic()
    start = _pulled(configuration) if from_scratch else Start.saved(target if target.exists() else WEIGHTS)
    fast = torch.cuda.is_available()
    recipe = training.Recipe(
        steps=steps or (STEPS_FROM_SCRATCH if from_scratch else STEPS),
        batch=256 if fast else 32,
        rate=1.5e-4 if from_scratch else 3e-5,
        loaders=max(1, (os.cpu_count() or 2) - 1),
    )
    values = augmentation.read_values(Path(augmentation.__file__).with_name("values.txt"))
    arrays = training.train(shipped, inventory, start, recipe, own=own, values=values, told=tell)
    save(arrays, target)
    held = json.loads(bytes(arrays["meta"]).decode())["held_out"]
    return {
        "own": len(own),
        "tools": sorted(tools),
        "held_out": held,
        "weights": str(target),
        "seconds": time.monotonic() - began,
    }


def _lines(folder: Path) -> list[str]:
    return [
        line
        for file in sorted(folder.glob("*.txt"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    ]


def _pulled(configuration: Configuration) -> Any:
    import asyncio

    from reachy_mind.learning.pretrained import start_from
    from reachy_mind.models.store import Store

    store = Store(configuration.models_folder)
    return start_from(asyncio.run(store.pull("language-base")))


def forget(weights: Path, *, as_json: bool) -> None:
    """Remove weights that were trained here, and say so."""
    existed = weights.exists()
    weights.unlink(missing_ok=True)
    sentence = "Back to what was shipped." if existed else "Nothing to forget."
    print(json.dumps({"reset": existed}) if as_json else sentence)


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def save(arrays: dict[str, Any], target: Path) -> None:
    """All or nothing: a mind may be reading the old one."""
    import numpy as np

    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(".part.npz")
    np.savez_compressed(unfinished, **arrays)
    unfinished.replace(target)
