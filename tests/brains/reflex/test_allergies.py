"""A question about eating after an allergy was told."""

from __future__ import annotations

from typing import Any

import pytest

from reachy_mind.brains.brain import Past, Turn
from reachy_mind.brains.reflex.allergies import plan
from reachy_mind.brains.reflex.plan import Words
from reachy_mind.tools.definition import Outcome


async def _call(_name: str, _args: dict[str, Any]) -> Outcome:
    return Outcome("ok", {})


@pytest.mark.parametrize(
    ("language", "told", "asked", "what"),
    [
        ("en", "i'm allergic to hazelnuts, keep that in mind", "could i eat a nutella toast?", "hazelnuts"),
        ("fr", "je suis allergique aux noix", "je peux manger ce gâteau ?", "noix"),
        ("es", "soy alérgica a la leche", "¿puedo tomar un helado?", "leche"),
        ("de", "ich bin allergisch gegen Erdnüsse", "kann ich das Eis essen?", "Erdnüsse"),
    ],
)
def test_who_told_of_an_allergy_is_reminded_of_it(language: str, told: str, asked: str, what: str) -> None:
    made = plan(Turn(asked, _call, history=(Past(told, "I'll remember that.", (), "reflex"),)), language)
    assert made is not None and isinstance(made.parts[0], Words) and what in made.parts[0].text
    assert plan(Turn(asked, _call), language) is None, "nothing was told"
    remembered = {"remembered": {"person": {"allergies": [what]}, "facts": []}}
    assert plan(Turn(asked, _call, context=remembered), language) is not None, "on another day"


@pytest.mark.parametrize("asked", ["can you have a look at the table?", "what do pandas eat?", "could you nod?"])
def test_other_questions_are_none_about_eating(asked: str) -> None:
    told = (Past("I am allergic to penicillin", "I'll remember that.", (), "reflex"),)
    assert plan(Turn(asked, _call, history=told), "en") is None
