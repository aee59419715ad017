"""What a tool shall say is what the person wanted to be said."""

from __future__ import annotations

import pytest

from reachy_mind.workshop.recipes import actions, spoken_words
from reachy_mind.workshop.recipes.request import Understand


@pytest.mark.parametrize(
    ("language", "asked", "said"),
    [
        ("en", "say cheers", "cheers"),
        ("en", "shout hands off", "hands off"),
        ("en", "tell me to take my pills", "take your pills"),
        ("en", "tell everybody that dinner is ready", "dinner is ready"),
        ("fr", "dis miam", "miam"),
        ("fr", "dis-moi de me tenir droit", "N'oublie pas de te tenir droit."),
        ("fr", "dis aux enfants d'aller se coucher", "Il est temps d'aller se coucher."),
        ("es", "contesta de nada", "de nada"),
        ("es", "dime que me levante de la silla", "Que te levantes de la silla"),
        ("de", "sag dann alles klar", "alles klar"),
        ("de", "erinnere mich daran zu trinken", "Denk daran, zu trinken."),
        ("en", "say what you see", ""),
        ("en", "tell me a joke", ""),
        ("de", "sag mir Bescheid", ""),
    ],
)
def test_the_words_to_say(language: str, asked: str, said: str) -> None:
    assert spoken_words.read(asked, language) == said


@pytest.mark.parametrize(
    ("asked", "calls"),
    [
        ("say ready, steady, go and then nod", [("speak", "ready, steady, go"), ("nod", None)]),
        ("nod and say hello", [("nod", None), ("speak", "hello")]),
        ("tell me the time", [("get_time", None)]),
    ],
)
def test_words_to_say_among_other_actions(understand: Understand, asked: str, calls: list[tuple[str, str]]) -> None:
    made = actions.read(asked, understand, "en")
    assert made is not None
    assert [(step.tool, step.args.get("text")) for step in made.steps] == calls  # type: ignore[union-attr]
