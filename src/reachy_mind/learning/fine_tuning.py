"""`fine_tune`: trains an adapter for a local language model on exported turns, and evaluates it before and after."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from reachy_mind.errors import InvalidParameter, MissingExtra
from reachy_mind.learning.gguf import GgufFile
from reachy_mind.learning.lora import LoraModel, LoraRecipe, train_dpo, train_sft
from reachy_mind.learning.lora_data import HINT, TokenData, evaluate, read_lines, tokenised
from reachy_mind.models.llama import Llama
from reachy_mind.storage.files import write_text_atomically

ADAPTER, REPORT = "adapter.gguf", "report.json"


async def fine_tune(
    base: Path,
    data: Sequence[Path],
    held_out: Path | None,
    out: Path,
    recipe: LoraRecipe,
    told: Callable[[str], None],
) -> dict[str, Any]:
    """Write the adapter and a report into the folder `out`; returns the report.

    Without `held_out`, the lines are those that were exported beside the data. Tokens and answers are those of the
    runtime that the robot talks with. Raises InvalidParameter, GgufError, MissingExtra, and as `Llama` does.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise MissingExtra("a language model on this machine", "agents")
    weights, lines = GgufFile(base), [line for file in data for line in read_lines(file)]
    beside = [held_out] if held_out else [file.with_suffix(f".held-out{file.suffix}") for file in data]
    kept = [line for file in beside if held_out or file.exists() for line in read_lines(file)]
    async with Llama(base) as llama:
        tokens = await tokenised(llama, weights, lines, recipe.longest)
        told(f"{len(tokens.examples)} answers, {len(tokens.pairs)} preferences, {tokens.too_long} too long")
        if not tokens.examples and not tokens.pairs:
            raise InvalidParameter("there is nothing to train on", hint=HINT)
        before = await evaluate(llama, kept)
    began, adapter = time.monotonic(), out / ADAPTER
    losses = await asyncio.to_thread(train_adapter, weights, tokens, recipe, adapter, told)
    seconds = time.monotonic() - began
    async with Llama(base, adapter=adapter) as llama:
        after = await evaluate(llama, kept)
    report = {
        "base": base.name,
        "adapter": str(adapter),
        "trained": {"examples": len(tokens.examples), "pairs": len(tokens.pairs), "too_long": tokens.too_long},
        "losses": losses,
        "seconds": round(seconds, 1),
        "before": before.as_dict(),
        "after": after.as_dict(),
    }
    write_text_atomically(out / REPORT, json.dumps(report, indent=2) + "\n")
    return report


def train_adapter(
    base: GgufFile, tokens: TokenData, recipe: LoraRecipe, file: Path, told: Callable[[str], None]
) -> dict[str, list[float]]:
    """Train on answers, then on preferences, and save the adapter. Returns the losses."""
    fast = torch.cuda.is_available()
    torch.set_num_threads(max(1, (os.cpu_count() or 1) - 1))  # its threads spin: with one on every core they stall
    model = LoraModel(base, recipe, "cuda" if fast else "cpu", torch.bfloat16 if fast else torch.float32)
    sft = train_sft(model, tokens.examples, recipe, told) if tokens.examples else []
    dpo = train_dpo(model, tokens.pairs, recipe, told) if tokens.pairs else []
    model.save(file)
    return {"sft": sft, "dpo": dpo}
