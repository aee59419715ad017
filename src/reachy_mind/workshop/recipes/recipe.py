"""`ToolRecipe`: one family of requests, and the tool that serves them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from string import Template
from typing import Any

from reachy_mind.workshop.draft import RECIPE, Case, Draft
from reachy_mind.workshop.recipes import texts
from reachy_mind.workshop.recipes.actions import Actions
from reachy_mind.workshop.recipes.request import ToolRequest

HOUR_S, DAY_S = 3600.0, 86_400.0
_NOT_IN_DOCSTRINGS = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff\"\\]")
"""What would end a docstring, or change it: a summary may have words of the request."""


@dataclass(frozen=True)
class Parameters:
    """What a request gives a recipe. `args`: the arguments of the first run, which are also the tool's defaults."""

    tool: str
    args: Mapping[str, Any]
    run_s: float
    actions: Actions | None = None
    kind: str = ""
    """Which variant of the recipe, where it has several."""
    topic: str = ""
    language: str = "en"

    @property
    def wanted(self) -> Actions:
        """The actions, in a recipe whose requests always have some."""
        assert self.actions is not None, f"{self.tool} has no actions"
        return self.actions


def _of_actions(parameters: Parameters) -> set[str]:
    return parameters.wanted.capabilities


@dataclass(frozen=True)
class ToolRecipe:
    """A recipe. `matches` returns None for a request of another kind, or one that is not understood in full.

    `capabilities` are those of its actions and `explanation` is the text of its name, unless the recipe has its own.
    """

    name: str
    matches: Callable[[ToolRequest], Parameters | None]
    code: Callable[[Parameters], str]
    cases: Callable[[Parameters], tuple[Case, ...]]
    summary: Callable[[Parameters], str]
    capabilities: Callable[[Parameters], set[str]] = _of_actions
    explanation: Callable[[Parameters], str] | None = None

    def draft(self, request: ToolRequest) -> Draft | None:
        """The tool for a request; None when this recipe does not serve it."""
        found = self.matches(request)
        if found is None:
            return None
        return Draft(
            name=found.tool,
            code=self.code(found),
            description=self.summary(found),
            explanation=self.explanation(found) if self.explanation is not None else explained(self.name, found),
            capabilities=tuple(sorted(self.capabilities(found))),
            cases=self.cases(found),
            args=dict(found.args),
            author=f"{RECIPE}{self.name}",
            request=request.said,
            language=request.language,
            run_s=found.run_s,
            topic=found.topic,
        )


def filled(template: str, parameters: Parameters, summary: str, *sentences: str, **more: str) -> str:
    """A template of code with its summary, the defaults of its parameters, the sentences that it says, and lines of
    code. `sentences`: keys of `texts.yaml`, which are also the names of their places."""
    defaults = {name: repr(value) for name, value in parameters.args.items()}
    spoken = {key: _spoken(key, parameters) for key in sentences}
    fixed = {"tool": parameters.tool, "summary": _NOT_IN_DOCSTRINGS.sub("", summary)}
    return Template(template).substitute(defaults | spoken | more | fixed)


def filled_with_actions(
    template: str, parameters: Parameters, summary: str, *sentences: str, indent: int, **more: str
) -> str:
    """`filled` with the calls of the actions, indented by so many spaces, and a list of photos if they take some."""
    photos = parameters.wanted.takes_photos
    return filled(
        template,
        parameters,
        summary,
        *sentences,
        actions=parameters.wanted.lines(indent),
        photo_doc=", and the names of the photos" if photos else "",
        photo_list="\n    photos = []" if photos else "",
        photo_result='\n        "photos": photos,' if photos else "",
        **more,
    )


def explained(key: str, parameters: Parameters, **more: str) -> str:
    """The explanation in the language of the request."""
    language = parameters.language
    times = {
        name.removesuffix("_s"): texts.length(float(value), language)
        for name, value in parameters.args.items()
        if name.endswith("_s")
    }
    others = {name: str(value) for name, value in parameters.args.items()}
    return texts.text("explain", key, language).format(**others | times | {"topic": parameters.topic} | more)


def _spoken(key: str, parameters: Parameters) -> str:
    """A sentence that the tool says, as a string of its code."""
    sentence = texts.text("run", key, parameters.language)
    return f'{"f" if "{" in sentence else ""}"{sentence}"'


def tool_name(request: ToolRequest, words: str) -> str:
    """A name for a function: the one that was asked for, else these words."""
    name = "".join(
        letter if letter.isascii() and letter.isalnum() else "_" for letter in (request.name or words).casefold()
    )
    name = "_".join(part for part in name.split("_") if part)[:60].strip("_")
    return name if name and not name[0].isdigit() else f"tool_{name}".strip("_")


SUCCESS: Mapping[str, str] = {"status": "success"}
ERROR: Mapping[str, str] = {"status": "error"}


def case(given: Mapping[str, Any], expected: Mapping[str, Any], **seen: Any) -> Case:
    """A case; `robot` and `scene` as in `workshop.trial.cases`."""
    return {"input": dict(given), "expected": dict(expected)} | {key: value for key, value in seen.items() if value}
