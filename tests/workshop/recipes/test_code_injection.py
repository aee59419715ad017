"""Words of a request in the code of a recipe's tool: they stay words, whatever they are."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reachy_mind.brains.reflex.plan import Pause, Step
from reachy_mind.workshop.recipes import book, request
from reachy_mind.workshop.recipes.actions import Actions
from reachy_mind.workshop.recipes.recipe import Parameters, ToolRecipe
from reachy_mind.workshop.recipes.request import Understand

REQUESTS = {
    "morse": "blink your antennas in morse code: SOS",
    "rhythm": "beat a rhythm of 80 beats per minute with your antennas for 10 seconds",
    "count_words": "count how often I say um for 1 minute",
    "count": "count the cups on the table for 1 minute",
    "watch": "watch the table and tell me if something new appears",
    "rule": "whenever somebody says hello, say good morning",
    "follow": "follow the cup for 1 minute",
    "repeat": "say hello every 5 seconds for 1 minute",
    "delay": "in 10 minutes say hello",
    "sequence": "nod, then say hello, then wave",
}
IMPORT = '"""\nimport os\nos.system("x")\n"""'
CALL = "' + __import__('os').system('x') + '"


@pytest.fixture(scope="module")
def known(understand: Understand) -> list[tuple[ToolRecipe, Parameters]]:
    """Each recipe, with the parameters of a request for it."""
    found = []
    for recipe in book.RECIPES:
        asked = (request.read(said, understand) for said in REQUESTS.values())
        matched = next((parameters for each in asked if (parameters := recipe.matches(each)) is not None), None)
        assert matched is not None, f"no request for {recipe.name}"
        found.append((recipe, matched))
    return found


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=40))
@example(IMPORT)
@example(CALL)
@example('{tools.call("x")}')
@example("\\")
@example("$tool")
def test_any_words_leave_the_code_of_every_recipe_as_it_is(
    known: list[tuple[ToolRecipe, Parameters]], text: str
) -> None:
    for recipe, parameters in known:
        expected = _shape(recipe.code(parameters))
        assert _shape(recipe.code(_with(parameters, text))) == expected, recipe.name


def _with(parameters: Parameters, text: str) -> Parameters:
    """With these words wherever words of a person can be."""
    args = {name: text if isinstance(value, str) else value for name, value in parameters.args.items()}
    actions = parameters.actions
    if actions is not None:
        steps = tuple(step if isinstance(step, Pause) else _step(step, text) for step in actions.steps)
        actions = Actions(steps, text)
    return replace(parameters, args=args, actions=actions, topic=text)


def _step(step: Step, text: str) -> Step:
    return replace(step, args={key: text if isinstance(value, str) else value for key, value in step.args.items()})


def _shape(code: str) -> list[str]:
    """The kinds of all nodes and the names that are called, without any constant."""
    nodes = list(ast.walk(ast.parse(code)))
    return [type(node).__name__ for node in nodes] + [ast.unparse(n.func) for n in nodes if isinstance(n, ast.Call)]
