"""Trains the keyword network, on a graphics processor where there is one. The encoder stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from reachy_mind.learning.keywords.scenes import NAMES
from reachy_mind.learning.keywords.windows import KeywordWindows
from reachy_mind.speech.keyword_network import FEATURES, FRAMES, KERNEL, LAYERS, STRIDE

CHANNELS, WHOLE = 48, 48
THRESHOLDS = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98)


@dataclass(frozen=True)
class KeywordRecipe:
    """How to train."""

    steps: int = 4000
    batch: int = 512
    rate: float = 2e-3
    decay: float = 0.02
    noise: float = 0.3
    """Added to the features, in shares of their spread."""
    dropout: float = 0.4
    smoothing: float = 0.02
    """Of the labels."""
    seed: int = 0


class KeywordHead(nn.Module):
    """From the encoder's features, batch by frames by features, to logits; the first is for no keyword."""

    def __init__(self, recipe: KeywordRecipe) -> None:
        super().__init__()
        after = ((FRAMES - KERNEL) // STRIDE + 1 - KERNEL) // STRIDE + 1
        self.entry = nn.Linear(FEATURES, CHANNELS)
        self.first = nn.Conv1d(CHANNELS, CHANNELS, KERNEL, STRIDE)
        self.second = nn.Conv1d(CHANNELS, CHANNELS, KERNEL, STRIDE)
        self.whole = nn.Linear(after * CHANNELS, WHOLE)
        self.last = nn.Linear(WHOLE, 1 + len(NAMES))
        self.light, self.dropout = nn.Dropout(recipe.dropout / 3), nn.Dropout(recipe.dropout)

    def forward(self, features: Tensor) -> Tensor:
        values = self.light(torch.relu(self.entry(features))).transpose(1, 2)
        values = self.light(torch.relu(self.first(values)))
        values = self.light(torch.relu(self.second(values)))
        whole = torch.relu(self.whole(self.dropout(values.transpose(1, 2).flatten(1))))
        return torch.as_tensor(self.last(self.dropout(whole)))


def device() -> torch.device:
    """A graphics processor, where there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(given: KeywordWindows, recipe: KeywordRecipe, device: torch.device) -> KeywordHead:
    torch.manual_seed(recipe.seed)
    features, labels = torch.from_numpy(given.features).to(device), torch.from_numpy(given.labels).to(device).long()
    head: KeywordHead = KeywordHead(recipe).to(device)
    head.train()
    optimiser = torch.optim.AdamW(head.parameters(), recipe.rate, weight_decay=recipe.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, recipe.rate, recipe.steps, pct_start=0.1)
    spread = float(features[:1000].float().std())
    entropy = nn.CrossEntropyLoss(label_smoothing=recipe.smoothing)
    for _ in range(recipe.steps):
        chosen = torch.randint(len(labels), (recipe.batch,), device=device)
        batch = features[chosen].float()
        loss = entropy(head(batch + recipe.noise * spread * torch.randn_like(batch)), labels[chosen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    head.eval()
    return head


def examined(head: KeywordHead, given: KeywordWindows, device: torch.device, told: Callable[[str], None]) -> None:
    """Tell misses and false alarms, in windows, by keyword and threshold."""
    with torch.no_grad():
        parts = [
            torch.softmax(head(torch.from_numpy(given.features[begin : begin + 2048]).to(device).float()), 1).cpu()
            for begin in range(0, len(given.labels), 2048)
        ]
    likely = torch.cat(parts).numpy()
    for number, name in enumerate(NAMES, 1):
        own, other = likely[given.labels == number, number], likely[given.labels != number, number]
        missed = [round(100 * float((own <= threshold).mean()), 1) for threshold in THRESHOLDS]
        false = [round(100 * float((other > threshold).mean()), 2) for threshold in THRESHOLDS]
        told(f"{name}: {len(own)} windows, missed {missed} %, of {len(other)} others false {false} %")


def export(head: KeywordHead, path: Path) -> None:
    """Write the weights at half precision."""
    arrays: dict[str, np.ndarray] = {"names": np.array(NAMES)}
    for name in LAYERS:
        layer = getattr(head, name)
        weight = layer.weight.detach()
        flat = weight.T if weight.dim() == 2 else weight.permute(2, 1, 0).reshape(-1, weight.shape[0])
        arrays[name], arrays[f"{name}_bias"] = _array(flat), _array(layer.bias.detach())
    np.savez_compressed(path, **arrays)  # type: ignore[arg-type]


def _array(values: Tensor) -> np.ndarray:
    return np.asarray(values.cpu().numpy(), np.float16)
