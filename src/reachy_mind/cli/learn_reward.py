"""`reachy-mind learn reward`: teach it what feedback is worth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reachy_mind.cli import learn
from reachy_mind.cli.learn import Json, Out, Reset, forget, save, tell

if TYPE_CHECKING:
    from reachy_mind.learning.feedback_examples import FeedbackLine

app = learn.app
FEWEST = 10


@app.command()
def reward(
    data: Annotated[
        Path | None, typer.Option("--data", help='JSON lines {"text", "reward", "family"?}: feedback with its reward.')
    ] = None,
    epochs: Annotated[int | None, typer.Option("--epochs", help="How long to train.", min=1, max=100)] = None,
    from_scratch: Annotated[
        bool, typer.Option("--from-scratch", help="Train all of it anew, on the shipped lines (wants an accelerator).")
    ] = False,
    reset: Reset = False,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Train the reward model on the shipped feedback and on yours."""
    from reachy_mind import log
    from reachy_mind.config.configuration import load

    configuration = load()
    log.configure("warning", configuration.settings.log.format)
    target = out or configuration.home.reward_weights_file
    if reset:
        forget(target, as_json=as_json)
        return
    if data is None and not from_scratch:
        raise typer.BadParameter("name a file with --data F.jsonl, or train all of it with --from-scratch")
    result = _train(data, target, epochs, from_scratch=from_scratch)
    print(json.dumps(result) if as_json else _told(result))


def _train(data: Path | None, target: Path, epochs: int | None, *, from_scratch: bool) -> dict[str, Any]:
    import time
    from dataclasses import replace

    import numpy as np

    from reachy_mind.brains.reflex import reader
    from reachy_mind.errors import MissingExtra
    from reachy_mind.feedback.reward import WEIGHTS
    from reachy_mind.learning.feedback_examples import without_reward, written

    own = _own(data)
    corpus = written()
    try:
        from reachy_mind.learning import reward_training as training
    except ImportError as error:
        raise MissingExtra("training the reward model", "learning") from error
    began = time.monotonic()
    beginning = reader.WEIGHTS if from_scratch else target if target.exists() else WEIGHTS
    with np.load(beginning, allow_pickle=False) as file:
        start = training.saved(file)
    recipe = training.FROM_SCRATCH if from_scratch else training.ON_TOP
    recipe = replace(recipe, epochs=epochs) if epochs else recipe
    done: dict[str, Any] = {"own": len(own), "weights": str(target)}
    if from_scratch:
        lines = [*own, *corpus]
        arrays = training.from_scratch([*lines, *without_reward(lines)], start, recipe, tell)
        done |= {"shipped": {"after": json.loads(bytes(arrays["meta"]).decode())["held_out"]}}
    else:
        result = training.retrained(own, corpus, start, recipe, tell)
        arrays = result.arrays
        done["held_out"] = {"before": result.own_before, "after": result.own_after}
        done["shipped"] = {"before": result.shipped_before, "after": result.shipped_after}
    save(arrays, target)
    return done | {"seconds": round(time.monotonic() - began, 1)}


def _own(data: Path | None) -> list[FeedbackLine]:
    from reachy_mind.errors import InvalidParameter
    from reachy_mind.learning.feedback_examples import own

    if data is None:
        return []
    try:
        lines = own(data)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidParameter(f"{data} can't be read: {error}") from error
    if len(lines) < FEWEST:
        raise InvalidParameter(f"{len(lines)} lines are too few to learn from", hint=f"write at least {FEWEST}")
    return lines


def _told(result: dict[str, Any]) -> str:
    told = [f"Learned {result['own']} lines of yours in {result['seconds']:.0f} s."]
    names = {"held_out": "Of yours that were kept back", "shipped": "Of the shipped ones"}
    for key, name in names.items():
        for when, figures in result.get(key, {}).items():
            told.append(
                f"{name}, {when}: {figures['lines']} lines, the right sign in {figures['sign']:.1%},"
                f" within 0.25 in {figures['near']:.1%}."
            )
    return "\n".join([*told, f"{result['weights']} is used from the next start on."])
