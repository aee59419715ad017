"""LoRA on a local language model, in one file: the model in torch, its adapter, and training by SFT and DPO.

    model = LoraModel(GgufFile(base), rank=8)           the weights of llama.cpp's file, frozen, and an adapter
    train_sft(model, examples, recipe)                  the likelihood of wanted answers grows
    train_dpo(model, pairs, recipe)                     ... and that of wanted over unwanted ones
    model.save(file)                                    the adapter alone, as llama.cpp loads it beside the base

Models of the architectures `llama` and `qwen2` are known: RMS norm, rotary positions, grouped attention, SwiGLU.
Weights keep the order that they have in the file, so that the adapter fits it. Exported prompts begin alike, with the
instructions and the tools: the states of that prefix are computed once in some steps, without a gradient, which makes
training ten times quicker and possible without an accelerator. LoRA: Hu et al. 2021; DPO: Rafailov et al. 2023.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 -- as torch's documents call it
from torch import Tensor, nn

from reachy_mind.learning.gguf import GgufError, GgufFile, write_gguf
from reachy_mind.learning.lora_data import TokenExample, TokenPair

ADAPTED = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
"""The matrices of a layer that get an adapter."""
NEIGHBOURS, HALVES = "llama", "qwen2"
"""Architectures, by which values of a head turn together: neighbours, or those half a head apart."""


@dataclass(frozen=True)
class LoraRecipe:
    """How an adapter is trained. `beta`: how far DPO may move from where it begins (smaller: farther)."""

    rank: int = 8
    alpha: float = 16.0
    epochs: int = 3
    batch: int = 8
    rate: float = 2e-4
    dpo_rate: float = 5e-5
    beta: float = 0.1
    longest: int = 1536
    """Tokens of a prompt and its answer; longer ones are left out."""
    refresh: int = 4
    """Steps after which the states of the shared prefix are computed anew."""
    seed: int = 0


@dataclass(frozen=True)
class Prefix:
    """The beginning of prompts, and the keys and values of each layer for it."""

    tokens: tuple[int, ...]
    states: tuple[tuple[Tensor, Tensor], ...]


class AdaptedLinear(nn.Module):
    """A frozen matrix plus a trained one of low rank. It begins as the frozen one alone."""

    def __init__(self, weight: Tensor, bias: Tensor | None, rank: int, scale: float) -> None:
        super().__init__()
        self.register_buffer("weight", weight)
        self.register_buffer("bias", bias)
        self.scale = scale
        rows, columns = weight.shape
        self.a = nn.Parameter(torch.randn(rank, columns, device=weight.device) / math.sqrt(columns))
        self.b = nn.Parameter(torch.zeros(rows, rank, device=weight.device))

    def forward(self, x: Tensor) -> Tensor:
        added = (x.to(self.a.dtype) @ self.a.T) @ self.b.T * self.scale
        return F.linear(x, self.weight, self.bias) + added.to(x.dtype)


class LoraLayer(nn.Module):
    """Attention and feed-forward, each with a norm before and what came in added after."""

    def __init__(self, read: Callable[[str], Tensor | None], rank: int, scale: float) -> None:
        super().__init__()
        for name in ("attn_norm", "ffn_norm"):
            self.register_buffer(name, read(f"{name}.weight"))
        for name in ADAPTED:
            weight = read(f"{name}.weight")
            assert weight is not None
            self.add_module(name, AdaptedLinear(weight, read(f"{name}.bias"), rank, scale))


class LoraModel(nn.Module):
    """A language model from a GGUF file with an adapter. Raises GgufError for what is not known.

    `dtype` is that of the frozen weights; the adapter is trained in float32.
    """

    def __init__(
        self,
        base: GgufFile,
        recipe: LoraRecipe | None = None,
        device: str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        recipe = recipe or LoraRecipe()
        self.architecture = str(base.metadata.get("general.architecture"))
        if self.architecture not in (NEIGHBOURS, HALVES):
            raise GgufError(
                f"models of the architecture {self.architecture} can't be trained",
                hint=f"{NEIGHBOURS} and {HALVES} can: SmolLM2, Llama 3, Qwen2.5",
            )

        def about(name: str) -> Any:
            return base.metadata[f"{self.architecture}.{name}"]

        def read(name: str, layer: str = "") -> Tensor | None:
            if layer + name not in base.tensors:
                return None
            return torch.from_numpy(np.array(base.tensor(layer + name))).to(device, dtype)

        torch.manual_seed(recipe.seed)
        self.alpha, scale = recipe.alpha, recipe.alpha / recipe.rank
        self.heads, self.shared = int(about("attention.head_count")), int(about("attention.head_count_kv"))
        self.epsilon = float(about("attention.layer_norm_rms_epsilon"))
        self.theta = float(about("rope.freq_base"))
        self.register_buffer("slowdown", read("rope_freqs.weight"))  # of rotations, for long contexts: Llama 3
        self.register_buffer("embedding", read("token_embd.weight"))
        self.register_buffer("norm", read("output_norm.weight"))
        output = read("output.weight")
        self.register_buffer("output", self.embedding if output is None else output)  # tied where it is missing
        self.layers = nn.ModuleList(
            LoraLayer(functools.partial(read, layer=f"blk.{number}."), recipe.rank, scale)
            for number in range(int(about("block_count")))
        )

    def forward(self, tokens: Tensor, prefix: Prefix | None = None) -> Tensor:
        """The last hidden states of a batch, after a prefix; `logits` makes of them what comes next."""
        return self._states(tokens, prefix)[0]

    def prefix(self, tokens: Sequence[int]) -> Prefix:
        """The beginning of prompts with its states as they are now, for later calls."""
        with torch.no_grad():
            _, states = self._states(torch.tensor([list(tokens)], device=self.embedding.device), None)
        return Prefix(tuple(tokens), tuple(states))

    def _states(self, tokens: Tensor, prefix: Prefix | None) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
        x, states = self.embedding[tokens], list[tuple[Tensor, Tensor]]()
        turns = self._rotation(len(prefix.tokens) if prefix else 0, tokens.shape[1], x)
        for number, layer in enumerate(self.layers):
            before = prefix.states[number] if prefix else None
            seen, state = self._attention(layer, self._normed(x, layer.attn_norm), turns, before)
            x = x + seen
            h = self._normed(x, layer.ffn_norm)
            x = x + layer.ffn_down(F.silu(layer.ffn_gate(h)) * layer.ffn_up(h))
            states.append(state)
        return self._normed(x, self.norm), states

    def logits(self, hidden: Tensor) -> Tensor:
        return (hidden @ self.output.T).float()

    def log_likelihoods(
        self, prompts: Sequence[Sequence[int]], answers: Sequence[Sequence[int]], prefix: Prefix | None = None
    ) -> Tensor:
        """Of each answer after its prompt, the sum over its tokens. All prompts begin with the prefix."""
        prompts = [prompt[len(prefix.tokens) if prefix else 0 :] for prompt in prompts]
        whole = [[*prompt, *answer] for prompt, answer in zip(prompts, answers, strict=True)]
        longest = max(map(len, whole))
        device = self.embedding.device
        tokens = torch.tensor([row + [0] * (longest - len(row)) for row in whole], device=device)
        hidden = self.forward(tokens, prefix)  # filled up at the end, where nothing before can see it
        sums = []
        for row, (prompt, answer) in enumerate(zip(prompts, answers, strict=True)):
            states = hidden[row, len(prompt) - 1 : len(prompt) - 1 + len(answer)]
            scores = torch.log_softmax(self.logits(states), dim=-1)
            sums.append(scores.gather(1, torch.tensor(answer, device=device)[:, None]).sum())
        return torch.stack(sums)

    def adapter(self) -> dict[str, np.ndarray]:
        """Its matrices, by the names that llama.cpp has for them."""
        return {
            f"blk.{number}.{name}.weight.lora_{part}": getattr(getattr(layer, name), part)
            .detach()
            .float()
            .cpu()
            .numpy()
            for number, layer in enumerate(self.layers)
            for name in ADAPTED
            for part in ("a", "b")
        }

    def save(self, file: Path) -> None:
        """Write the adapter as a GGUF file. Raises GgufError."""
        about = {
            "general.architecture": self.architecture,
            "general.type": "adapter",
            "adapter.type": "lora",
            "adapter.lora.alpha": self.alpha,
        }
        write_gguf(file, about, self.adapter())

    def load(self, file: Path) -> None:
        """Take up an adapter that was saved. Raises GgufError when it is of another model."""
        saved = GgufFile(file)
        for name, tensor in self.adapter().items():
            found = saved.tensor(name)
            if found.shape != tensor.shape:
                raise GgufError(f"{file} is an adapter of another model or rank", hint="train it again")
            _, number, of, _, part = name.split(".")
            own = getattr(getattr(self.layers[int(number)], of), part.removeprefix("lora_"))
            own.data.copy_(torch.from_numpy(np.array(found)))

    def _normed(self, x: Tensor, weight: Tensor) -> Tensor:
        wide = x.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.epsilon)).to(x.dtype) * weight

    def _attention(
        self, layer: nn.Module, x: Tensor, turns: tuple[Tensor, Tensor], before: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """What is seen, and the keys and values. Each token sees those before it and itself."""
        batch, length, _ = x.shape

        def split(y: Tensor, heads: int) -> Tensor:
            return y.view(batch, length, heads, -1).transpose(1, 2)

        query = self._rotated(split(layer.attn_q(x), self.heads), turns)
        key = self._rotated(split(layer.attn_k(x), self.shared), turns)
        value = split(layer.attn_v(x), self.shared)
        state, visible = (key, value), None
        if before is not None:
            key = torch.cat([before[0].expand(batch, -1, -1, -1), key], 2)
            value = torch.cat([before[1].expand(batch, -1, -1, -1), value], 2)
            earlier = key.shape[2] - length
            visible = torch.ones(length, key.shape[2], dtype=torch.bool, device=x.device).tril(earlier)
        times = self.heads // self.shared
        key, value = key.repeat_interleave(times, 1), value.repeat_interleave(times, 1)
        seen = F.scaled_dot_product_attention(query, key, value, attn_mask=visible, is_causal=visible is None)
        return layer.attn_output(seen.transpose(1, 2).reshape(batch, length, -1)), state

    def _rotation(self, first: int, length: int, x: Tensor) -> tuple[Tensor, Tensor]:
        """Cosines and sines by position and pair of values."""
        size = self.layers[0].attn_q.weight.shape[0] // self.heads
        rates = self.theta ** (-torch.arange(0, size, 2, device=x.device).float() / size)
        if self.slowdown is not None:
            rates = rates / self.slowdown.float()
        angles = torch.arange(first, first + length, device=x.device).float()[:, None] * rates
        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)

    def _rotated(self, x: Tensor, turns: tuple[Tensor, Tensor]) -> Tensor:
        cosine, sine = turns
        if self.architecture == NEIGHBOURS:
            one, other = x[..., 0::2], x[..., 1::2]
        else:
            one, other = x.chunk(2, dim=-1)
        turned = one * cosine - other * sine, one * sine + other * cosine
        if self.architecture == NEIGHBOURS:
            return torch.stack(turned, dim=-1).flatten(-2)
        return torch.cat(turned, dim=-1)


Told = Callable[[str], None]


def train_sft(model: LoraModel, examples: Sequence[TokenExample], recipe: LoraRecipe, told: Told) -> list[float]:
    """Raise the likelihood of the answers. Returns the mean loss of each epoch."""
    shared = common_prefix([each.prompt for each in examples])

    def loss(batch: Sequence[TokenExample], prefix: Prefix | None) -> Tensor:
        prompts, answers = [each.prompt for each in batch], [each.answer for each in batch]
        return -model.log_likelihoods(prompts, answers, prefix).sum() / sum(map(len, answers))

    return _train(model, examples, shared, loss, recipe, recipe.rate, lambda line: told(f"SFT, {line}"))


def train_dpo(model: LoraModel, pairs: Sequence[TokenPair], recipe: LoraRecipe, told: Told) -> list[float]:
    """Raise the likelihood of wanted answers over unwanted ones, as compared with the model at the beginning.

    Returns the mean loss of each epoch.
    """
    shared = common_prefix([each.prompt for each in pairs])

    def margin(pair: TokenPair, prefix: Prefix | None) -> Tensor:
        chosen, rejected = model.log_likelihoods([pair.prompt] * 2, [pair.chosen, pair.rejected], prefix)
        return chosen - rejected

    with torch.no_grad():
        first = model.prefix(shared) if shared else None
        before = {pair: float(margin(pair, first)) for pair in pairs}

    def loss(batch: Sequence[TokenPair], prefix: Prefix | None) -> Tensor:
        margins = torch.stack([margin(pair, prefix) - before[pair] for pair in batch])
        return -F.logsigmoid(recipe.beta * margins).mean()

    return _train(model, pairs, shared, loss, recipe, recipe.dpo_rate, lambda line: told(f"DPO, {line}"))


def common_prefix(prompts: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The tokens that all prompts begin with; at least one token of each is left."""
    first, last = min(prompts), max(prompts)
    same = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[: min(same, *(len(prompt) - 1 for prompt in prompts))]


def _train(
    model: LoraModel,
    items: Sequence[Any],
    shared: tuple[int, ...],
    loss_of: Callable[[Sequence[Any], Prefix | None], Tensor],
    recipe: LoraRecipe,
    rate: float,
    told: Told,
) -> list[float]:
    """Adam with a rate that rises over the first steps and falls to zero; the order of items is always the same."""
    steps = recipe.epochs * math.ceil(len(items) / recipe.batch)
    warm = max(1, steps // 20)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.0)
    order, losses, step, prefix = list(items), list[float](), 0, None
    for epoch in range(recipe.epochs):
        random.Random(recipe.seed + epoch).shuffle(order)  # noqa: S311
        total = 0.0
        for start in range(0, len(order), recipe.batch):
            if shared and step % recipe.refresh == 0:
                prefix = model.prefix(shared)
            for group in optimizer.param_groups:
                group["lr"] = rate * min((step + 1) / warm, (steps - step) / max(1, steps - warm + 1))
            batch = order[start : start + recipe.batch]
            loss = loss_of(batch, prefix)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += float(loss.detach()) * len(batch)
            step += 1
        losses.append(total / len(items))
        told(f"epoch {epoch + 1} of {recipe.epochs}: loss {losses[-1]:.3f}")
    return losses
