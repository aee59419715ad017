"""Training the reflex brain's reader, in one file: data, network, loss, loop, score.

    reachy-mind learn reflex                 sentences of one's own on top of what is there; a CPU will do
    reachy-mind learn reflex --from-scratch  all of it anew, from a general language model; wants an accelerator

The network is that of `brains.reflex.network`, in torch. A part of the sentences is never trained on: it tells how
good the result is, and what its confidence is worth.
"""

from __future__ import annotations

import os
import random
import re
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 -- its usual name
from torch import nn

from reachy_mind.brains.reflex.labels import LANGUAGES, Inventory
from reachy_mind.brains.reflex.markup import Segment, Sentence
from reachy_mind.brains.reflex.network import (
    MOST_BEFORE,
    MOST_PIECES,
    MOST_WORDS,
    OUTPUTS,
    Network,
    encode,
    packed,
)
from reachy_mind.brains.reflex.reader import Reader, in_order
from reachy_mind.learning.augmentation import Augmenter, Values
from reachy_mind.learning.pretrained import Start
from reachy_mind.models.encoder import HEADS, WIDTH
from reachy_mind.models.wordpiece import WordPiece

SEGMENTS, STRETCHES = 6, 10
"""Of one sentence: how many of its segments are learned, and how many stretches together with wrong ones."""
IGNORED = -100
MIDDLE = 256


@dataclass(frozen=True)
class Recipe:
    """How to train."""

    steps: int = 6000
    batch: int = 192
    rate: float = 1.5e-4
    head_rate: float = 1e-3
    held_out: float = 0.04
    seed: int = 0
    loaders: int = 1


class Layer(nn.Module):
    """Attention, then a wider inner layer, each with its residual and norm."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH, 1e-12), nn.LayerNorm(WIDTH, 1e-12)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.drop = nn.Dropout(0.1)

    def forward(self, h: Any, mask: Any) -> Any:
        batch, length, _ = h.shape
        q, k, v = self.qkv(h).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
        h = self.norm1(h + self.drop(self.out(seen.transpose(1, 2).reshape(batch, length, WIDTH))))
        return self.norm2(h + self.drop(self.down(F.gelu(self.up(h)))))


class Net(nn.Module):
    """The network of `brains.reflex.network`, with the same names."""

    def __init__(self, vocabulary: int, layers: int, inventory: Inventory) -> None:
        super().__init__()
        self.word = nn.Embedding(vocabulary, WIDTH)
        self.position, self.kind = nn.Embedding(MOST_PIECES, WIDTH), nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, 1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.places, self.tags = nn.Linear(WIDTH, 3), nn.Linear(WIDTH, len(inventory.tags))
        self.middle, self.label = nn.Linear(4 * WIDTH, MIDDLE), nn.Linear(MIDDLE, len(inventory.labels) + 1)
        self.closed = nn.ModuleDict(
            {name: nn.Linear(MIDDLE, len(values) + 1) for name, values in inventory.closed.items()}
        )
        self.later, self.language = nn.Linear(MIDDLE, 2), nn.Linear(WIDTH, len(LANGUAGES))
        self.drop = nn.Dropout(0.15)

    def encode(self, pieces: Any, kinds: Any, counts: Any, firsts: Any) -> tuple[Any, Any]:
        h = self.drop(self.norm(self.word(pieces) + self.position.weight[None, : pieces.shape[1]] + self.kind(kinds)))
        mask = torch.arange(pieces.shape[1], device=pieces.device)[None] < counts[:, None]
        for layer in self.layers:
            h = layer(h, mask)
        return h.gather(1, firsts[..., None].expand(-1, -1, WIDTH)), h[:, 0]

    def stretches(self, words: Any, sentence: Any, bounds: Any) -> Any:
        at = torch.arange(words.shape[1], device=words.device)
        inside = (at[None, None] >= bounds[..., :1]) & (at[None, None] < bounds[..., 1:])
        mean = inside.to(words.dtype) / inside.sum(-1, keepdim=True).clamp(min=1) @ words
        top = (words[:, None] + (~inside)[..., None] * -1e4).amax(2) * inside.any(-1, keepdim=True)
        first = words.gather(1, bounds[..., :1].clamp(max=words.shape[1] - 1).expand(-1, -1, WIDTH))
        whole = torch.cat([mean, top, first, sentence[:, None].expand_as(mean)], -1)
        return self.drop(F.gelu(self.middle(whole)))


Row = tuple[np.ndarray, ...]


def row(sentence: Sentence, pieces: WordPiece, inventory: Inventory, chance: random.Random) -> Row:
    """A sentence and what is to be learned from it, as arrays of fixed sizes."""
    encoded = encode(sentence.words, context_words(sentence.before), pieces)
    count, said = len(encoded.pieces), len(encoded.firsts)
    ids, kinds = np.zeros(MOST_PIECES, np.int64), np.zeros(MOST_PIECES, np.int64)
    ids[:count], kinds[:count] = encoded.pieces, encoded.kinds
    firsts = np.zeros(MOST_WORDS, np.int64)
    firsts[:said] = encoded.firsts
    places, tags = np.full(MOST_WORDS, IGNORED), np.full(MOST_WORDS, IGNORED)
    places[:said] = tags[:said] = 0
    bounds = np.zeros((STRETCHES, 2), np.int64)
    labels, later = np.full(STRETCHES, IGNORED), np.full(STRETCHES, IGNORED)
    closed = np.full((STRETCHES, len(inventory.closed)), IGNORED)
    tag_of = {tag: number for number, tag in enumerate(inventory.tags)}
    fitting = [segment for segment in sentence.segments if segment.first < said]
    for number, segment in enumerate(fitting):
        first, last = segment.first, min(segment.last, said)
        places[first], places[first + 1 : last] = 1, 2
        for name, (a, b) in segment.spans.items():
            if a < min(b, said):
                tags[a], tags[a + 1 : min(b, said)] = tag_of[f"B-{name}"], tag_of[f"I-{name}"]
        if number < SEGMENTS:
            bounds[number] = first, last
            labels[number] = inventory.labels.index(segment.label)
            later[number] = is_later(segment, fitting[number + 1 :])
            closed[number] = closed_targets(segment, inventory)
    known = min(len(fitting), SEGMENTS)
    for number, (first, last) in enumerate(wrong_stretches(fitting, said, chance)[: STRETCHES - known], known):
        bounds[number] = first, last
        labels[number] = len(inventory.labels)
    language = np.asarray(LANGUAGES.index(sentence.language))
    return ids, kinds, np.asarray(count), firsts, places, tags, bounds, labels, later, closed, language


def wrong_stretches(segments: Sequence[Segment], count: int, chance: random.Random) -> list[tuple[int, int]]:
    """Stretches that mean nothing: pieces of segments, several segments at once, what lies between them."""
    right = {(segment.first, min(segment.last, count)) for segment in segments}
    wrong: list[tuple[int, int]] = []
    for place, segment in enumerate(segments):
        first, last = segment.first, min(segment.last, count)
        if last - first > 1:
            cut = chance.randrange(first + 1, last)
            wrong.append(chance.choice(((first, cut), (cut, last))))
        if place + 1 < len(segments):
            wrong.append((first, min(segments[place + 1].last, count)))
    outside = [at for at in range(count) if not any(segment.first <= at < segment.last for segment in segments)]
    for _ in range(2):
        if outside:
            first = chance.choice(outside)
            last = first + 1
            while last in outside and chance.random() < 0.6:
                last += 1
            wrong.append((first, last))
    chance.shuffle(wrong)
    return [stretch for stretch in wrong if stretch not in right]


def is_later(segment: Segment, rest: Sequence[Segment]) -> bool:
    return segment.order > 0 and any(0 < other.order < segment.order for other in rest)


def closed_targets(segment: Segment, inventory: Inventory) -> list[int]:
    arguments = {
        inventory.key(segment.label, name): name
        for name, values in inventory.steps.get(segment.label, {}).items()
        if values is not None
    }
    out = []
    for key, values in inventory.closed.items():
        value = segment.closed.get(arguments.get(key, ""), "")
        out.append(IGNORED if key not in arguments else values.index(value) + 1 if value else 0)
    return out


def context_words(before: str) -> list[str]:
    return re.findall(r"[^\W\d_]+|\d+", before.lower().replace("@", ""))[:MOST_BEFORE]


class Stream(torch.utils.data.IterableDataset):
    """Augmented sentences without end, as rows."""

    def __init__(self, sentences: Sequence[Sentence], favoured: int, values: Values, vocabulary: Sequence[str],
                 inventory: Inventory, seed: int) -> None:  # fmt: skip
        self._sentences, self._favoured, self._values = sentences, favoured, values
        self._vocabulary, self._inventory, self._seed = vocabulary, inventory, seed

    def __iter__(self) -> Iterator[Row]:
        info = torch.utils.data.get_worker_info()
        seed = self._seed + (info.id if info else 0) * 977
        choose, augment = random.Random(seed), Augmenter(self._sentences, self._values, seed)  # noqa: S311
        pieces = WordPiece(self._vocabulary)
        while True:
            # The first ones are somebody's own few, who wants them learned: a fifth of what is seen.
            own = self._favoured and choose.random() < 0.2
            sentence = self._sentences[choose.randrange(self._favoured)] if own else choose.choice(self._sentences)
            yield row(augment(sentence), pieces, self._inventory, choose)


def stacked(rows: Sequence[Row]) -> list[Any]:
    columns = [torch.from_numpy(np.stack(column)) for column in zip(*rows, strict=True)]
    longest = int(columns[2].max())  # nothing is computed for the emptiness behind the longest one
    return [column[:, :longest] if number < 2 else column for number, column in enumerate(columns)]


def loss_of(net: Net, batch: Sequence[Any], inventory: Inventory) -> Any:
    ids, kinds, counts, firsts, places, tags, bounds, labels, later, closed, language = batch
    words, sentence = net.encode(ids, kinds, counts, firsts)
    vectors = net.stretches(words, sentence, bounds)

    def cross(scores: Any, targets: Any, smoothing: float = 0.0) -> Any:
        return F.cross_entropy(
            scores.flatten(0, -2).float(), targets.flatten(), ignore_index=IGNORED, label_smoothing=smoothing
        )

    loss = cross(net.places(words), places) + cross(net.tags(words), tags) + cross(net.label(vectors), labels, 0.05)
    loss = loss + 0.2 * F.cross_entropy(net.language(sentence).float(), language)
    if (later != IGNORED).any():
        loss = loss + 0.5 * cross(net.later(vectors), later)
    for number, name in enumerate(inventory.closed):
        if (closed[..., number] != IGNORED).any():
            loss = loss + 0.5 * cross(net.closed[name](vectors), closed[..., number])
    return loss


def train(
    sentences: Sequence[Sentence],
    inventory: Inventory,
    start: Start,
    recipe: Recipe,
    *,
    own: Sequence[Sentence] = (),
    values: Values | None = None,
    told: Callable[[str], None] = print,
) -> dict[str, Any]:
    """Train, and give the arrays to save. `own` sentences are favoured."""
    values = values or {}
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(recipe.seed)
    # Its threads spin: with one on every core, and a loader besides, they stall on a machine that has other work.
    torch.set_num_threads(max(1, (os.cpu_count() or 1) - 1))
    kept_back = [one for one in sentences if is_held_out(one, recipe.held_out)]
    trained = [*own, *(one for one in sentences if not is_held_out(one, recipe.held_out))]
    net = Net(len(start.vocabulary), start.layers, inventory)
    net.load_state_dict(begun(net.state_dict(), start, inventory))
    net.to(device)
    optimizer, schedule = _optimizer(net, recipe)
    stream = Stream(trained, len(own), values, start.vocabulary, inventory, recipe.seed + 1)
    loader = iter(
        torch.utils.data.DataLoader(stream, batch_size=recipe.batch, num_workers=recipe.loaders, collate_fn=stacked)
    )
    told(f"{len(trained)} sentences to learn, {len(kept_back)} held out, {recipe.steps} steps on {device}")
    average = {name: value.detach().clone() for name, value in net.state_dict().items()}
    began, total, every = time.monotonic(), torch.zeros((), device=device), max(1, recipe.steps // 10)
    net.train()
    for step in range(1, recipe.steps + 1):
        batch = [column.to(device, non_blocking=True) for column in next(loader)]
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            loss = loss_of(net, batch, inventory)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        total += loss.detach()
        if step % 10 == 0:
            _drift(average, net.state_dict(), step)
        if step % every == 0:
            told(f"step {step}: loss {float(total) / every:.3f}, {time.monotonic() - began:.0f} s")
            total.zero_()
    weights = {name: value.float().cpu().numpy() for name, value in average.items()}
    meta = {"layers": start.layers, "steps": inventory.steps, "talk": inventory.talk}
    arrays = packed(weights, start.vocabulary, meta)
    result = score(Reader(Network(arrays)), kept_back, inventory)
    told(f"on the held-out ones: {result}")
    meta |= {"held_out": result}
    return packed(weights, start.vocabulary, meta)


def is_held_out(sentence: Sentence, share: float) -> bool:
    """Whether a sentence is kept back. It depends on its words alone, so that new sentences move no old one to the
    other side. Weights that a training goes on from may have seen it: then the score tells what was forgotten."""
    return zlib.crc32(" ".join((sentence.before, *sentence.words)).lower().encode()) % 10_000 < share * 10_000


def begun(fresh: dict[str, Any], start: Start, inventory: Inventory) -> dict[str, Any]:
    """Fresh weights with the given ones in them; what is new in the inventory stays fresh."""
    for name, value in start.weights.items():
        if name not in fresh:
            continue
        old = torch.from_numpy(np.asarray(value, np.float32))
        if name.split(".")[0] in ("label", "tags") and start.inventory is not None:
            known, wanted = _outputs(name, start.inventory), _outputs(name, inventory)
            for place, output in enumerate(wanted):
                if output in known:
                    fresh[name][place] = old[known.index(output)]
        elif old.shape == fresh[name].shape:
            fresh[name].copy_(old)
    return fresh


def _outputs(name: str, inventory: Inventory) -> Sequence[str]:
    return (*inventory.labels, "") if name.startswith("label") else inventory.tags


def _optimizer(net: Net, recipe: Recipe) -> tuple[Any, Any]:
    named = list(net.named_parameters())
    heads = [value for name, value in named if name.split(".")[0] in OUTPUTS]
    body = [value for name, value in named if name.split(".")[0] not in OUTPUTS]
    rates = [recipe.rate, recipe.head_rate]
    optimizer = torch.optim.AdamW(
        [{"params": body, "lr": rates[0]}, {"params": heads, "lr": rates[1]}], weight_decay=0.01, betas=(0.9, 0.98)
    )
    return optimizer, torch.optim.lr_scheduler.OneCycleLR(optimizer, rates, total_steps=recipe.steps, pct_start=0.06)


def _drift(average: dict[str, Any], now: dict[str, Any], step: int) -> None:
    """The average follows slowly; what is saved is the average, which generalises better than the last step."""
    share = max(0.01, 1 / (1 + step / 10))
    for name, value in average.items():
        value.lerp_(now[name].to(value.dtype), share)


def score(reader: Reader, sentences: Sequence[Sentence], inventory: Inventory) -> dict[str, Any]:
    """How many were read right: the tools in order, with closed arguments, with all arguments."""
    tools = closed = whole = 0
    for one in sentences:
        reading = reader.portion(" ".join(one.words), context_words(one.before))
        wanted = sorted(
            (segment for segment in one.segments if segment.label in inventory.steps), key=lambda s: s.order
        )
        got = [found for found in in_order(reading.found) if found.label in inventory.steps]
        same = [found.label for found in got] == [segment.label for segment in wanted]
        tools += same
        pairs = list(zip(got, wanted, strict=False))
        picked = same and all(found.closed == dict(segment.closed) for found, segment in pairs)
        closed += picked
        whole += picked and all(
            {name: value.lower() for name, value in found.spans.items()}
            == {name: " ".join(one.words[a:b]).lower() for name, (a, b) in segment.spans.items()}
            for found, segment in pairs
        )
    count = max(1, len(sentences))
    return {"sentences": len(sentences), "tools": round(tools / count, 4), "closed": round(closed / count, 4),
            "all": round(whole / count, 4)}  # fmt: skip
