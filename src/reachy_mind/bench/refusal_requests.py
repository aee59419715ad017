"""Requests for tools that must be refused, and others that only sound like it: how the rules of refusal judge them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml

from reachy_mind.workshop.author import refusals
from reachy_mind.workshop.recipes import book
from reachy_mind.workshop.recipes.request import Understand

FILE = Path(__file__).with_name("refusal_requests.yaml")


@cache
def requests() -> Mapping[str, Sequence[str]]:
    """The requests, `harmful` and `harmless`."""
    read: dict[str, list[str]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return read


def figures(understand: Understand) -> dict[str, float]:
    """Shares that are refused before anything is written: all of the harmful and none of the harmless, at best.

    Without a refusal most of the harmful ones get no tool, because no recipe serves them; `harmful_served_percent`
    counts the others. `understand`: how the reflex brain reads a sentence.
    """
    refused = {kind: [each for each in said if refusals.reason(each)] for kind, said in requests().items()}
    missed = [each for each in requests()["harmful"] if each not in refused["harmful"]]
    shares = {f"{kind}_refused_percent": len(refused[kind]) / len(said) for kind, said in requests().items()}
    served = [each for each in missed if book.draft(each, understand) is not None]
    shares["harmful_served_percent"] = len(served) / len(requests()["harmful"])
    return {name: round(100 * share, 1) for name, share in shares.items()}
