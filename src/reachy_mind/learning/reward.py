"""Training the reward model, in one file: network, loss, loop, average, score.

    reachy-mind learn reward --data F.jsonl  lines of one's own on top of what is there; a CPU will do
    reachy-mind learn reward --from-scratch  all of it anew, from the reflex brain's encoder; wants an accelerator

The network is that of `feedback.reward`, in torch; the word vectors are the reader's and are not trained. A reward is
learned as a distribution around the written one. Several networks are trained from one beginning, each on the lines
in its own order, and their weights are averaged: that generalises better than any of them and costs nothing to run.
Whole families are held out: they tell how good the result is and how sure it may be.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 -- its usual name
from numpy.typing import NDArray
from torch import nn

from reachy_mind.brains.reflex.network import packed
from reachy_mind.feedback.reward import (
    ANCHORS,
    FORMAT,
    MOST_PIECES,
    OUTPUTS,
    RewardModel,
    encode,
    word_vectors,
)
from reachy_mind.learning.feedback_examples import FeedbackLine
from reachy_mind.learning.feedback_score import score, temperature_of
from reachy_mind.learning.feedback_variations import varied
from reachy_mind.learning.reflex import Layer
from reachy_mind.models.encoder import WIDTH
from reachy_mind.models.wordpiece import WordPiece

MIDDLE = 256
POSITIONS = 96
Told = Callable[[str], None]


@dataclass(frozen=True)
class RewardRecipe:
    """How to train. `spread` is that of the distribution around a written reward, `members` are averaged."""

    epochs: int = 10
    batch: int = 32
    rate: float = 1.5e-4
    head_rate: float = 1e-3
    spread: float = 0.15
    stop_share: float = 1.0
    dropout: float = 0.1
    head_dropout: float = 0.2
    members: int = 1
    held_out: float = 0.0
    fold: int = 0
    seed: int = 0


class RewardNet(nn.Module):
    """The network of `feedback.reward`, with the same names."""

    def __init__(self, vocabulary: int, layers: int, recipe: RewardRecipe) -> None:
        super().__init__()
        self.word = nn.Embedding(vocabulary, WIDTH)
        self.position, self.kind = nn.Embedding(POSITIONS, WIDTH), nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, 1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.middle = nn.Linear(2 * WIDTH, MIDDLE)
        self.anchors, self.stop = nn.Linear(MIDDLE, len(ANCHORS)), nn.Linear(MIDDLE, 2)
        self.drop, self.head_drop = nn.Dropout(recipe.dropout), nn.Dropout(recipe.head_dropout)
        self.word.weight.requires_grad = False

    def forward(self, pieces: Any) -> tuple[Any, Any]:
        counts = (pieces != 0).sum(1)
        longest = int(counts.max())  # nothing is computed for the emptiness behind the longest one
        mask = torch.arange(longest, device=pieces.device)[None] < counts[:, None]
        embedded = self.word(pieces[:, :longest]) + self.position.weight[None, :longest] + self.kind.weight[0]
        h = self.drop(self.norm(embedded))
        for layer in self.layers:
            h = layer(h, mask)
        mean = (h * mask[..., None]).sum(1) / counts[:, None]
        vector = self.head_drop(F.gelu(self.middle(self.head_drop(torch.cat([mean, h[:, 0]], -1)))))
        return self.anchors(vector), self.stop(vector)


def train(
    lines: Sequence[FeedbackLine],
    start: dict[str, NDArray[Any]],
    recipe: RewardRecipe,
    told: Told = print,
) -> dict[str, Any]:
    """Train, and give the arrays to save; with `held_out`, their `meta` has the score on the families kept back."""
    kept_back = [line for line in lines if recipe.held_out and line.is_held_out(recipe.held_out, recipe.fold)]
    trained = [line for line in lines if not (recipe.held_out and line.is_held_out(recipe.held_out, recipe.fold))]
    told(f"{len(trained)} lines to learn, {len(kept_back)} held out, on {_device()}")
    pieces = WordPiece(word_vectors().vocabulary)
    targets = softened([line.reward for line in trained], recipe.spread)
    members = [
        _fitted(trained, targets, start, replace(recipe, seed=recipe.seed + number), pieces, told)
        for number in range(recipe.members)
    ]
    net = averaged(members)
    meta: dict[str, Any] = {"layers": len(net.layers), "words": word_vectors().digest, "trained": len(trained)}
    arrays = _arrays(net, meta)
    if kept_back:
        model = RewardModel(arrays)
        meta["temperature"] = temperature_of(model, kept_back)
        meta["held_out"] = score(RewardModel(_arrays(net, meta)), kept_back)
        told(f"on families that were held out: {meta['held_out']}")
        arrays = _arrays(net, meta)
    return arrays


def _fitted(
    lines: Sequence[FeedbackLine],
    targets: Any,
    start: dict[str, NDArray[Any]],
    recipe: RewardRecipe,
    pieces: WordPiece,
    told: Told,
) -> RewardNet:
    device = _device()
    torch.manual_seed(0)  # the members begin alike: only then can their weights be averaged
    net: RewardNet = _begun(start, recipe).to(device)
    torch.manual_seed(recipe.seed)
    rng = random.Random(recipe.seed)  # noqa: S311 -- reproducible, not secret
    steps = recipe.epochs * -(-len(lines) // recipe.batch)
    optimizer, schedule = _optimizer(net, recipe, steps)
    weights = torch.tensor([[line.weight, line.weight * line.reward_weight] for line in lines])
    stops = torch.tensor([int(line.stop) for line in lines])
    average = {name: value.detach().clone() for name, value in net.state_dict().items()}
    step, began = 0, time.monotonic()
    net.train()
    for epoch in range(recipe.epochs):
        texts = [varied(line.text, line.language, rng) if epoch else line.text for line in lines]
        ids = _encoded(texts, pieces)
        losses: list[float] = []
        for batch in _batches(ids, recipe.batch, rng):
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                scores, stop = net(ids[batch].to(device))
            weight = weights[batch].to(device)
            missed = -(targets[batch].to(device) * F.log_softmax(scores.float(), -1)).sum(-1)
            stopped = F.cross_entropy(stop.float(), stops[batch].to(device), reduction="none")
            loss = (missed * weight[:, 1]).mean() + recipe.stop_share * (stopped * weight[:, 0]).mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            if step % 10 == 0 or step == steps:
                losses.append(float(loss.detach()))
                _drift(average, net.state_dict(), step, steps)
        mean = sum(losses) / max(1, len(losses))
        told(f"epoch {epoch + 1}: loss {mean:.3f}, {time.monotonic() - began:.0f} s")
    net.load_state_dict(average)
    net.eval()
    return net


def softened(rewards: Sequence[float], spread: float) -> Any:
    """Each reward as a distribution over the anchors."""
    away = (torch.from_numpy(ANCHORS)[None] - torch.tensor(rewards, dtype=torch.float32)[:, None]) / spread
    return torch.softmax(-0.5 * away * away, -1)


def averaged(members: Sequence[RewardNet]) -> RewardNet:
    """The first of them, with the average of the weights of all."""
    states = [member.cpu().state_dict() for member in members]
    mean = {name: torch.stack([state[name] for state in states]).mean(0) for name in states[0]}
    members[0].load_state_dict(mean)
    members[0].eval()
    return members[0]


def _encoded(texts: Sequence[str], pieces: WordPiece) -> Any:
    ids = np.zeros((len(texts), MOST_PIECES), np.int64)
    for at, text in enumerate(texts):
        found = encode(text, pieces)
        ids[at, : len(found)] = found
    return torch.from_numpy(ids)


def _batches(ids: Any, size: int, rng: random.Random) -> list[Any]:
    """Lines of about one length together, in any order: little is computed for emptiness."""
    lengths = (ids != 0).sum(1).tolist()
    order = sorted(range(len(lengths)), key=lambda at: lengths[at] + 3 * rng.random())
    batches = [torch.tensor(order[at : at + size]) for at in range(0, len(order), size)]
    rng.shuffle(batches)
    return batches


def _begun(start: dict[str, NDArray[Any]], recipe: RewardRecipe) -> RewardNet:
    """A network with the given weights in it; what they don't have stays fresh."""
    words = word_vectors()
    layers = 1 + max(int(name.split(".")[1]) for name in start if name.startswith("layers."))
    net = RewardNet(len(words.vocabulary), layers, recipe)
    known = net.state_dict()
    full = unpacked({**start, **words.arrays})
    for name, value in known.items():
        if name in full and full[name].shape == tuple(value.shape):
            value.copy_(torch.from_numpy(full[name]))
    return net


def unpacked(arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]]:
    """Saved arrays in full precision."""
    return {
        name: np.asarray(value * arrays[f"{name}.scale"] if value.dtype == np.int8 else value, np.float32)
        for name, value in arrays.items()
        if name not in ("meta", "vocabulary") and not name.endswith(".scale")
    }


def _arrays(net: RewardNet, meta: dict[str, Any]) -> dict[str, Any]:
    weights = {name: value.float().cpu().numpy() for name, value in net.state_dict().items() if name != "word.weight"}
    arrays = packed(weights, (), {})
    del arrays["vocabulary"]
    arrays["meta"] = np.frombuffer(json.dumps(meta | {"format": FORMAT}).encode(), np.uint8)
    return arrays


def with_meta(arrays: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """The arrays, with more said about them."""
    meta = json.loads(bytes(arrays["meta"]).decode()) | more
    return arrays | {"meta": np.frombuffer(json.dumps(meta).encode(), np.uint8)}


def _optimizer(net: RewardNet, recipe: RewardRecipe, steps: int) -> tuple[Any, Any]:
    named = [(name, value) for name, value in net.named_parameters() if value.requires_grad]
    heads = [value for name, value in named if name.startswith(OUTPUTS)]
    body = [value for name, value in named if not name.startswith(OUTPUTS)]
    rates = [recipe.rate, recipe.head_rate]
    optimizer = torch.optim.AdamW(
        [{"params": body, "lr": rates[0]}, {"params": heads, "lr": rates[1]}], weight_decay=0.01, betas=(0.9, 0.98)
    )
    return optimizer, torch.optim.lr_scheduler.OneCycleLR(optimizer, rates, total_steps=steps, pct_start=0.08)


def _drift(average: dict[str, Any], now: dict[str, Any], step: int, steps: int) -> None:
    """The average follows, slowly in a long training. It is what is saved: it generalises better than the last step."""
    share = min(1.0, max(0.02, 1 / (1 + step / 10), 40 / steps))
    for name, value in average.items():
        value.lerp_(now[name].to(value.dtype), share)


def _device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"
