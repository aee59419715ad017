"""Catalogue: language models for chat, and what they take while they run.

`chat` comes from package registries with a hash of ours. The others come from the model hub, for owners with internet:
their sizes here are approximate, and their hashes are the hub's own, pinned at the first pull.
"""

from __future__ import annotations

from dataclasses import dataclass

from reachy_mind.models.assets import Asset, HubRepositoryFile, LocalFile, Part, Whole
from reachy_mind.models.catalogue.language import CHAT

APACHE = "https://www.apache.org/licenses/LICENSE-2.0"


@dataclass(frozen=True)
class CataloguedChatModel:
    """A chat model and its demands; `quality` orders the models, the best last."""

    asset: Asset
    title: str
    quality: int
    memory: int
    """Bytes while it is loaded: weights, context and prompt cache. Measured for `chat`, estimated for the others."""
    cores: int
    """With fewer, an answer takes too long for a conversation."""
    recommendable: bool
    """Whether we recommend it by ourselves: its licence is free and asks for nothing."""


def _from_hub(name: str, summary: str, repository: str, path: str, size: int, licence: tuple[str, str]) -> Asset:
    sources = (LocalFile(path), HubRepositoryFile(repository, path))
    return Asset(
        name=name,
        task="chat",
        summary=f"{summary}, from {repository} at the model hub",
        licence=licence[0],
        licence_url=licence[1],
        parts=(Part(path, "", size, sources),),
        layout=(Whole(path),),
        unpacked_size=size,
    )


QWEN25_1B5 = _from_hub(
    "chat-qwen2.5-1.5b",
    "Qwen2.5-1.5B-Instruct (Q4_K_M), small and quick",
    "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
    "qwen2.5-1.5b-instruct-q4_k_m.gguf",
    1_120_000_000,
    ("Apache-2.0", APACHE),
)
QWEN25_3B = _from_hub(
    "chat-qwen2.5-3b",
    "Qwen2.5-3B-Instruct (Q4_K_M)",
    "Qwen/Qwen2.5-3B-Instruct-GGUF",
    "qwen2.5-3b-instruct-q4_k_m.gguf",
    2_100_000_000,
    (
        "Qwen Research License (not for commercial use)",
        "https://huggingface.co/Qwen/Qwen2.5-3B-Instruct/blob/main/LICENSE",
    ),
)
QWEN3_4B = _from_hub(
    "chat-qwen3-4b",
    "Qwen3-4B-Instruct-2507 (Q4_K_M), converted by Unsloth",
    "unsloth/Qwen3-4B-Instruct-2507-GGUF",
    "Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
    2_500_000_000,
    ("Apache-2.0", APACHE),
)
LLAMA32_3B = _from_hub(
    "chat-llama3.2-3b",
    "Llama-3.2-3B-Instruct (Q4_K_M), converted by bartowski",
    "bartowski/Llama-3.2-3B-Instruct-GGUF",
    "Llama-3.2-3B-Instruct-Q4_K_M.gguf",
    2_020_000_000,
    (
        "Llama 3.2 Community License (with an acceptable use policy)",
        "https://www.llama.com/llama3_2/license/",
    ),
)
GEMMA3_4B = _from_hub(
    "chat-gemma3-4b",
    "Gemma 3 4B it (Q4_K_M), converted by the authors of llama.cpp",
    "ggml-org/gemma-3-4b-it-GGUF",
    "gemma-3-4b-it-Q4_K_M.gguf",
    2_490_000_000,
    ("Gemma Terms of Use (with a prohibited use policy)", "https://ai.google.dev/gemma/terms"),
)

GB = 1_000_000_000
CHAT_MODELS: dict[str, CataloguedChatModel] = {
    model.asset.name: model
    for model in (
        CataloguedChatModel(CHAT, "Qwen2.5-Coder 1.5B", 1, 2 * GB, 1, recommendable=True),
        CataloguedChatModel(QWEN25_1B5, "Qwen2.5 1.5B", 2, 2 * GB, 1, recommendable=False),
        CataloguedChatModel(LLAMA32_3B, "Llama 3.2 3B", 3, int(3.6 * GB), 4, recommendable=False),
        CataloguedChatModel(QWEN25_3B, "Qwen2.5 3B", 4, int(3.1 * GB), 4, recommendable=False),
        CataloguedChatModel(GEMMA3_4B, "Gemma 3 4B", 5, int(3.8 * GB), 6, recommendable=False),
        CataloguedChatModel(QWEN3_4B, "Qwen3 4B", 6, int(4.2 * GB), 6, recommendable=True),
    )
}
"""By name, the best last."""
