"""The everyday words that the reflex brain was trained on, in four languages."""

from __future__ import annotations

from importlib import resources

from reachy_mind.memory.personal_words import everyday_words


def vocabulary() -> frozenset[str]:
    """The words of the shipped sentences. Reads some megabytes: call it in a thread, and seldom."""
    folder = resources.files("reachy_mind.brains.reflex") / "sentences"
    texts = (file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name.endswith(".txt"))
    return everyday_words(" ".join(texts))
