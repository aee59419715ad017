"""Requests in people's own words: the right recipe with the right arguments, or none."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from reachy_mind.brains.reflex.at_once import at_once
from reachy_mind.brains.reflex.plan import Condition, Step
from reachy_mind.tools import builtin
from reachy_mind.workshop.capabilities import needed_by
from reachy_mind.workshop.code_analysis import Analysis
from reachy_mind.workshop.draft import Draft
from reachy_mind.workshop.recipes.actions import CAPABILITIES
from reachy_mind.workshop.recipes.request import Understand
from tests.workshop.recipes.conftest import Drafted

REQUESTS: dict[str, list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("requests.yaml").read_text())
SERVED = [(recipe, row) for recipe, rows in REQUESTS.items() if recipe not in ("none", "at_once") for row in rows]


@pytest.mark.parametrize(("recipe", "row"), SERVED, ids=[row["say"][:60] for _, row in SERVED])
def test_a_request_gets_its_recipe_with_its_arguments(drafted: Drafted, recipe: str, row: dict[str, Any]) -> None:
    made = drafted(row["say"])
    assert made is not None
    assert made.author == f"recipe:{recipe}"
    wanted = {name: value for name, value in row.items() if name not in ("say", "name")}
    assert {name: made.args.get(name) for name in wanted} == wanted
    assert made.name == row.get("name", made.name)


@pytest.mark.parametrize("row", [*REQUESTS["none"], *REQUESTS["at_once"]], ids=lambda row: row["say"][:60])
def test_what_no_recipe_serves_is_not_guessed_at(drafted: Drafted, row: dict[str, Any]) -> None:
    assert drafted(row["say"]) is None


@pytest.mark.parametrize("row", REQUESTS["at_once"], ids=lambda row: row["say"][:60])
def test_a_condition_on_now_is_a_plan_that_looks_first(understand: Understand, row: dict[str, Any]) -> None:
    made = at_once(row["say"], understand)
    assert made is not None
    look, condition = made.parts
    assert isinstance(look, Step)
    assert look.tool in ("detect_faces", "detect_objects")
    assert isinstance(condition, Condition)
    assert condition.then


@pytest.mark.parametrize(
    "said", ["whenever you see a person, wave", "nod every five seconds for a minute", "wave", "if it rains, dance"]
)
def test_other_requests_are_no_condition_on_now(understand: Understand, said: str) -> None:
    assert at_once(said, understand) is None


def test_every_draft_passes_the_check_with_the_capabilities_it_names(drafted: Drafted) -> None:
    known = {tool: ",".join(needed) for tool, needed in CAPABILITIES.items()}
    for _, row in SERVED:
        made = drafted(row["say"])
        assert made is not None
        report = Analysis(made.code, f"{made.name}.py", known).report()
        assert report["findings"] == [], (row["say"], made.code)
        assert report["name"] == made.name
        assert report["is_async"]
        assert set(report["capabilities"]) == set(made.capabilities), row["say"]
        assert set(made.args) <= {parameter["name"] for parameter in report["parameters"]}


def test_the_capabilities_of_recipes_are_those_of_the_tools() -> None:
    modules = [
        importlib.import_module(each.name)
        for each in pkgutil.iter_modules(builtin.__path__, "reachy_mind.tools.builtin.")
    ]
    tools = {tool.name: tool for module in modules for tool in getattr(module, "TOOLS", ())}
    assert {name: needed_by(tools[name]) for name in CAPABILITIES} == CAPABILITIES


def test_every_draft_says_what_it_does_and_how_to_try_it(drafted: Drafted) -> None:
    for _, row in SERVED:
        made = drafted(row["say"])
        assert made is not None
        assert made.explanation and "{" not in made.explanation, row["say"]
        assert made.cases
        assert made.run_s > 0
        assert ast.get_docstring(ast.parse(made.code))
        for case in made.cases:
            assert {"input", "expected"} <= set(case) <= {"input", "expected", "robot", "scene"}


def test_the_same_request_with_other_numbers_is_the_same_tool(drafted: Drafted) -> None:
    once, again = drafted("take a photo every 5 seconds for a minute"), drafted("take a photo every hour for a day")
    assert isinstance(once, Draft) and isinstance(again, Draft)
    assert once.name == again.name
    assert once.args != again.args


def test_the_explanation_is_in_the_language_of_the_request(drafted: Drafted) -> None:
    made = drafted("Prends une photo toutes les 5 secondes pendant une minute")
    assert made is not None
    assert "Toutes les 5 secondes, pendant 1 minute" in made.explanation


def test_a_quote_in_the_words_to_say_does_not_break_the_code(drafted: Drafted) -> None:
    made = drafted('say "it\'s \\ {x} " every 5 seconds for a minute')
    assert made is None or ast.parse(made.code)
