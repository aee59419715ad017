"""LoRA on a tiny model of random weights: needs torch (`make test-extras`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reachy_mind.learning.gguf import GgufError, GgufFile, write_gguf
from reachy_mind.learning.lora_data import TokenExample, TokenPair
from tests.fakes.processes import here, here_json

pytestmark = pytest.mark.process

torch = pytest.importorskip("torch")
torch.set_num_threads(1)  # other tests fork this process, which threads of torch would not survive

SIZE, INNER, HEADS, SHARED, TOKENS, LAYERS = 32, 48, 4, 2, 301, 2
PREFIX = tuple(range(10, 30))
EXAMPLES = [TokenExample((*PREFIX, 40 + n), (60 + n, 2)) for n in range(8)]
PAIRS = [TokenPair((*PREFIX, 40 + n), (60 + n, 2), (61 + n, 2)) for n in range(8)]


def silent(_line: str) -> None:
    pass


def base(file: Path, architecture: str = "llama", size: int = SIZE, slowdown: float | None = None) -> GgufFile:
    rng = np.random.default_rng(0)

    def matrix(rows: int, columns: int) -> Any:
        return rng.normal(size=(rows, columns), scale=columns**-0.5).astype(np.float32)

    shared = size // HEADS * SHARED
    tensors = {"token_embd.weight": matrix(TOKENS, size), "output_norm.weight": np.ones(size, np.float32)}
    if slowdown is not None:
        tensors["rope_freqs.weight"] = np.full(size // HEADS // 2, slowdown, np.float32)
    for number in range(LAYERS):
        layer = {
            "attn_norm": np.ones(size, np.float32),
            "ffn_norm": np.ones(size, np.float32),
            "attn_q": matrix(size, size),
            "attn_k": matrix(shared, size),
            "attn_v": matrix(shared, size),
            "attn_output": matrix(size, size),
            "ffn_gate": matrix(INNER, size),
            "ffn_up": matrix(INNER, size),
            "ffn_down": matrix(size, INNER),
        }
        tensors |= {f"blk.{number}.{name}.weight": tensor for name, tensor in layer.items()}
        if architecture == "qwen2":
            tensors[f"blk.{number}.attn_q.bias"] = rng.normal(size=size).astype(np.float32)
    about = {
        "block_count": LAYERS,
        "attention.head_count": HEADS,
        "attention.head_count_kv": SHARED,
        "attention.layer_norm_rms_epsilon": 1e-5,
        "rope.freq_base": 10000.0,
    }
    metadata = {"general.architecture": architecture, "tokenizer.ggml.eos_token_id": 300}
    write_gguf(file, metadata | {f"{architecture}.{name}": value for name, value in about.items()}, tensors)
    return GgufFile(file)


def likelihoods(model: Any, prefix: Any = None) -> Any:
    with torch.no_grad():
        return model.log_likelihoods([each.prompt for each in EXAMPLES], [each.answer for each in EXAMPLES], prefix)


@pytest.mark.parametrize("architecture", ["llama", "qwen2"])
def test_training_raises_the_likelihood_of_answers_and_the_adapter_has_all_of_it(
    tmp_path: Path, architecture: str
) -> None:
    from reachy_mind.learning.lora import LoraModel, LoraRecipe, train_sft

    recipe = LoraRecipe(rank=4, epochs=8, batch=4, rate=1e-2)
    model = LoraModel(base(tmp_path / "base.gguf", architecture), recipe)
    before = likelihoods(model)
    losses = train_sft(model, EXAMPLES, recipe, silent)
    after = likelihoods(model)
    assert losses[1] < losses[0] and losses[-1] < losses[0] / 2 and (after > before).all()
    model.save(tmp_path / "adapter.gguf")
    again = LoraModel(GgufFile(tmp_path / "base.gguf"), recipe)
    assert torch.equal(likelihoods(again), before)
    again.load(tmp_path / "adapter.gguf")
    assert torch.allclose(likelihoods(again), after, atol=1e-5)


@pytest.mark.parametrize("architecture", ["llama", "qwen2"])
def test_a_prefix_that_was_read_before_changes_nothing(tmp_path: Path, architecture: str) -> None:
    from reachy_mind.learning.lora import LoraModel, common_prefix

    model = LoraModel(base(tmp_path / "base.gguf", architecture))
    shared = common_prefix([each.prompt for each in EXAMPLES])
    assert shared == PREFIX
    assert torch.allclose(likelihoods(model, model.prefix(shared)), likelihoods(model), atol=1e-5)
    assert common_prefix([(1, 2), (1, 2, 3)]) == (1,) and common_prefix([(4,)]) == ()


def test_rotations_are_slowed_down_where_the_model_says_so(tmp_path: Path) -> None:
    from reachy_mind.learning.lora import LoraModel

    plain, same, slower = (
        likelihoods(LoraModel(base(tmp_path / f"{factor}.gguf", slowdown=factor))) for factor in (None, 1.0, 8.0)
    )
    assert torch.equal(plain, same) and not torch.allclose(plain, slower, atol=1e-3)


def test_preferences_raise_the_wanted_over_the_unwanted(tmp_path: Path) -> None:
    from reachy_mind.learning.lora import LoraModel, LoraRecipe, train_dpo

    def margins() -> Any:
        with torch.no_grad():
            prompts = [each.prompt for each in PAIRS]
            wanted = model.log_likelihoods(prompts, [each.chosen for each in PAIRS])
            return wanted - model.log_likelihoods(prompts, [each.rejected for each in PAIRS])

    recipe = LoraRecipe(rank=4, epochs=5, batch=4, dpo_rate=1e-2)
    model = LoraModel(base(tmp_path / "base.gguf"), recipe)
    before = margins()
    losses = train_dpo(model, PAIRS, recipe, silent)
    assert losses[-1] < losses[0] < 0.75 and (margins() > before).all()


def test_an_adapter_of_another_model_and_an_unknown_model_are_refused(tmp_path: Path) -> None:
    from reachy_mind.learning.lora import LoraModel

    LoraModel(base(tmp_path / "one.gguf")).save(tmp_path / "adapter.gguf")
    with pytest.raises(GgufError, match="another model"):
        LoraModel(base(tmp_path / "other.gguf", size=64)).load(tmp_path / "adapter.gguf")
    with pytest.raises(GgufError, match="mamba"):
        LoraModel(base(tmp_path / "third.gguf", "mamba"))


def test_learn_lora_trains_saves_and_tells_both_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runtime is a stand-in whose tokens are bytes; it answers rightly, with an adapter and without."""
    folder = Path(__file__).parents[1] / "fakes/llama"
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.syspath_prepend(str(folder))
    base(tmp_path / "base.gguf")
    (tmp_path / "base.json").write_text(json.dumps(['{"name": "nod", "arguments": {}}']))
    call = {"id": "1", "type": "function", "function": {"name": "nod", "arguments": "{}"}}
    line = {
        "messages": [{"role": "user", "content": "nod"}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    }
    for name in ("F.jsonl", "F.held-out.jsonl"):
        (tmp_path / name).write_text(json.dumps(line) + "\n")
    (tmp_path / "empty.jsonl").write_text("")
    options = ("learn", "lora", "--base", str(tmp_path), "--out", str(tmp_path / "out"), "--epochs", "2", "--data")
    report = here_json(*options, str(tmp_path / "F.jsonl"))
    assert report["trained"] == {"examples": 1, "pairs": 0, "too_long": 0} and len(report["losses"]["sft"]) == 2
    assert report["before"] == report["after"] == {"requests": 1, "tools": 1.0, "calls": 1.0}
    adapter = GgufFile(tmp_path / "out/adapter.gguf")
    assert adapter.metadata["adapter.type"] == "lora" and len(adapter.tensors) == LAYERS * 7 * 2
    assert json.loads((tmp_path / "out/report.json").read_text()) == report
    assert str(tmp_path / "out/adapter.gguf") in (tmp_path / "base.log").read_text()
    nothing = here(*options, str(tmp_path / "empty.jsonl"))
    assert nothing.returncode == 1 and "nothing to train on" in nothing.stderr
