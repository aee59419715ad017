"""The keyword network in torch, for training, and its export for `speech.keyword_network`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from reachy_mind.learning.keywords.scenes import NAMES
from reachy_mind.speech.keyword_features import BANDS
from reachy_mind.speech.keyword_network import FIRST_KERNEL, KERNEL, STRIDE

CHANNELS = 112
DILATIONS = (1, 1, 2, 2, 4, 4, 2, 1, 1, 1)
DROPOUT = 0.05


class CausalBlock(nn.Module):
    """A depthwise and a pointwise convolution that look only back, with a bypass."""

    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.past = (KERNEL - 1) * dilation
        self.depthwise = nn.Conv1d(channels, channels, KERNEL, dilation=dilation, groups=channels)
        self.pointwise = nn.Conv1d(channels, channels, 1, bias=False)
        self.norm = nn.BatchNorm1d(channels)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, values: Tensor) -> Tensor:
        series = nn.functional.pad(values, (self.past, 0))
        found = torch.relu(self.norm(self.pointwise(self.depthwise(series))))
        return values + torch.as_tensor(self.dropout(found))


class KeywordNet(nn.Module):
    """From normalised features, batch by bands by frames, to logits, batch by keywords by steps of 20 ms."""

    def __init__(self, channels: int = CHANNELS, keywords: int = len(NAMES)) -> None:
        super().__init__()
        self.first = nn.Conv1d(BANDS, channels, FIRST_KERNEL, stride=STRIDE, bias=False)
        self.norm = nn.BatchNorm1d(channels)
        self.blocks = nn.ModuleList(CausalBlock(channels, dilation) for dilation in DILATIONS)
        self.last = nn.Conv1d(channels, keywords, 1)

    def forward(self, features: Tensor) -> Tensor:
        silence = features[:, :, :1].expand(-1, -1, FIRST_KERNEL - STRIDE) * 0
        values = torch.relu(self.norm(self.first(torch.cat([silence, features], dim=2))))
        for block in self.blocks:
            values = block(values)
        return torch.as_tensor(self.last(values))


def export(net: KeywordNet, path: Path) -> None:
    """Write the weights, with batch normalisation folded in, at half precision."""
    arrays: dict[str, np.ndarray] = {"names": np.array(NAMES), "dilations": np.array(DILATIONS)}
    scale, bias = _folded(net.norm)
    first = net.first.weight.detach() * scale[:, None, None]
    arrays["first"] = _array(first.permute(2, 1, 0).reshape(-1, first.shape[0]))
    arrays["first_bias"] = _array(bias)
    for number, block in enumerate(net.blocks):
        assert isinstance(block, CausalBlock)
        scale, bias = _folded(block.norm)
        depthwise_bias = block.depthwise.bias
        assert depthwise_bias is not None
        arrays[f"block{number}_depthwise"] = _array(block.depthwise.weight[:, 0].T)
        arrays[f"block{number}_depthwise_bias"] = _array(depthwise_bias)
        arrays[f"block{number}_pointwise"] = _array((block.pointwise.weight[:, :, 0] * scale[:, None]).T)
        arrays[f"block{number}_pointwise_bias"] = _array(bias)
    last_bias = net.last.bias
    assert last_bias is not None
    arrays["last"], arrays["last_bias"] = _array(net.last.weight[:, :, 0].T), _array(last_bias)
    np.savez_compressed(path, **arrays)


def _folded(norm: nn.BatchNorm1d) -> tuple[Tensor, Tensor]:
    mean, variance = norm.running_mean, norm.running_var
    assert mean is not None
    assert variance is not None
    scale = norm.weight / torch.sqrt(variance + norm.eps)
    return scale.detach(), (norm.bias - mean * scale).detach()


def _array(values: Tensor) -> np.ndarray:
    return np.asarray(values.detach().cpu().numpy(), np.float16)
