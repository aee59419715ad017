"""Trains the keyword network on scenes (`scenes`), on a graphics processor where there is one.

    python -m reachy_mind.learning.keywords.training --scenes FILE... --held-out FILE --out WEIGHTS --steps 6000

The sound is turned into band energies once; loudness, the colour of the room and microphone, and other people far away
are varied on those, anew at every step.
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from reachy_mind.learning.keywords.evaluation import Tally, tallies
from reachy_mind.learning.keywords.network import KeywordNet, export
from reachy_mind.learning.keywords.scenes import ANY, NAMES, YES, labels_of
from reachy_mind.speech.keyword_features import (
    BANDS,
    CENTRE,
    FFT_SIZE,
    FLOOR,
    HOP,
    SCALE,
    WINDOW,
    filterbank,
    window,
)

SMALLEST = 1e-6
EXAMINE_EVERY = 1000


@dataclass(frozen=True)
class KeywordRecipe:
    """How to train."""

    steps: int = 6000
    batch: int = 64
    """Scenes of a step."""
    rate: float = 2e-3
    decay: float = 0.02
    yes_weight: float = 2.0
    averaged: float = 0.999
    """Of the running average of the weights, which is what is kept."""
    gain_db: float = 12.0
    colour_db: float = 6.0
    seed: int = 0


@dataclass(frozen=True)
class SceneFeatures:
    """`energies`: logarithms of band energies, scenes by bands by frames; `labels`: scenes by keywords by steps."""

    energies: Tensor
    labels: Tensor


def features(files: Sequence[Path], device: torch.device) -> SceneFeatures:
    """Read scenes and compute what the network is given of them, as `KeywordFeatures` does."""
    bank = torch.from_numpy(filterbank()).to(device)
    shape = torch.from_numpy(window()).to(device)
    energies, labels = [], []
    for file in files:
        sounds = np.load(file, mmap_mode="r")
        for begin in range(0, len(sounds), 16):
            sound = torch.from_numpy(np.array(sounds[begin : begin + 16])).to(device).float() / 32768
            sound = nn.functional.pad(sound, (WINDOW - HOP, 0))
            spectrum = torch.fft.rfft(sound.unfold(1, WINDOW, HOP) * shape, FFT_SIZE)
            power = (spectrum.real**2 + spectrum.imag**2) @ bank
            energies.append(torch.log(power + SMALLEST).half().transpose(1, 2).contiguous())
        labels.append(torch.from_numpy(np.load(labels_of(file))).to(device).transpose(1, 2).contiguous())
    return SceneFeatures(torch.cat(energies), torch.cat(labels))


def normalised(power: Tensor) -> Tensor:
    return (torch.log(power + FLOOR) - CENTRE) / SCALE


def varied(energies: Tensor, recipe: KeywordRecipe) -> Tensor:
    """The energies of a batch of scenes, heard otherwise."""
    count, device = len(energies), energies.device
    power = energies.float().exp()
    others = power[torch.randperm(count, device=device)].roll(int(torch.randint(power.shape[2], (1,))), 2)
    loudness = 10 ** (-(16 + 24 * torch.rand(count, 1, 1, device=device)) / 10)
    power = power + others * loudness * (torch.rand(count, 1, 1, device=device) < 0.3)
    gain = (2 * torch.rand(count, 1, 1, device=device) - 1) * recipe.gain_db
    points = (2 * torch.rand(count, 1, 6, device=device) - 1) * recipe.colour_db
    colour = nn.functional.interpolate(points, size=BANDS, mode="linear", align_corners=True).transpose(1, 2)
    power = power * 10 ** ((gain + colour) / 10)
    floor = 10 ** (-(3.0 + 4 * torch.rand(count, BANDS, 1, device=device)))
    power = power + floor * torch.rand_like(power) * (torch.rand(count, 1, 1, device=device) < 0.3)
    heard = normalised(power)
    bands = torch.arange(BANDS, device=device)[None, :, None]
    begin = torch.randint(BANDS, (count, 1, 1), device=device)
    hidden = (bands >= begin) & (bands < begin + torch.randint(7, (count, 1, 1), device=device))
    return heard.masked_fill(hidden & (torch.rand(count, 1, 1, device=device) < 0.4), float(normalised(torch.zeros(1))))


def loss_of(logits: Tensor, labels: Tensor, yes_weight: float) -> Tensor:
    """Cross entropy where a label says something. Easy answers count less than doubtful ones."""
    yes = (labels == YES).float()
    entropy = nn.functional.binary_cross_entropy_with_logits(logits, yes, reduction="none")
    doubt = (torch.sigmoid(logits.detach()) - yes).abs() ** 0.5
    weight = (labels != ANY).float() * (1 + (yes_weight - 1) * yes) * doubt
    return (entropy * weight).sum() / weight.sum().clamp(min=1)


def train(
    scenes: SceneFeatures,
    held_out: SceneFeatures | None,
    recipe: KeywordRecipe,
    told: Callable[[str], None],
) -> KeywordNet:
    torch.manual_seed(recipe.seed)
    device = scenes.energies.device
    net = KeywordNet().to(device)
    best = copy.deepcopy(net)
    optimiser = torch.optim.AdamW(net.parameters(), recipe.rate, weight_decay=recipe.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.rate, recipe.steps, pct_start=0.1)
    began, total = time.monotonic(), 0.0
    for step in range(1, recipe.steps + 1):
        chosen = torch.randint(len(scenes.energies), (recipe.batch,), device=device)
        net.train()
        logits = net(varied(scenes.energies[chosen], recipe))
        loss = loss_of(logits, scenes.labels[chosen], recipe.yes_weight)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        schedule.step()
        total += float(loss.detach()) if step % 50 == 0 else 0.0
        _average(best, net, min(recipe.averaged, step / (step + 20)))
        if step % EXAMINE_EVERY == 0 or step == recipe.steps:
            told(f"step {step}: {time.monotonic() - began:.0f} s, loss {50 * total / EXAMINE_EVERY:.4f}")
            total = 0.0
            if held_out is not None:
                told(json.dumps([tally.row() for tally in examined(best, held_out)]))
    return best.eval()


def _average(best: KeywordNet, net: KeywordNet, share: float) -> None:
    with torch.no_grad():
        for kept, new in zip(best.state_dict().values(), net.state_dict().values(), strict=True):
            if kept.dtype.is_floating_point:
                kept.lerp_(new, 1 - share)
            else:
                kept.copy_(new)


def examined(net: KeywordNet, scenes: SceneFeatures) -> list[Tally]:
    """Misses and false alarms in scenes, by keyword and threshold."""
    net.eval()
    likely = []
    with torch.no_grad():
        for begin in range(0, len(scenes.energies), 32):
            power = scenes.energies[begin : begin + 32].float().exp()
            likely.append(torch.sigmoid(net(normalised(power))).cpu().numpy())
    return tallies(np.concatenate(likely), scenes.labels.cpu().numpy(), NAMES)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--scenes", type=Path, nargs="+", required=True)
    parser.add_argument("--held-out", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=KeywordRecipe.steps)
    parser.add_argument("--batch", type=int, default=KeywordRecipe.batch)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    where = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    own = features(options.scenes, where)
    kept_back = features([options.held_out], where) if options.held_out else None
    recipe = KeywordRecipe(steps=options.steps, batch=options.batch, seed=options.seed)
    export(train(own, kept_back, recipe, lambda text: print(text, flush=True)), options.out)
