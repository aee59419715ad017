"""Twenty described tools: how many an author writes validly, safely and well, and how many are used in the end.

Ours: the author named by --brain: `model` (the one that is set up, after the recipes), `recipes` alone, or `scripted`,
which writes the right solution of each tool and so measures all that comes after an author. Reference: `scripted` in
the same run; for `scripted` one that writes the solution of another tool. For a model also its bare answer: asked for a
Python tool without our prompt, how often is its code block valid?

The cases of a tool are held: the author learns of one when its tool fails it; with --set given it has them from the
start. The tools of the scripted author are in use at once at its end: how many can be called, how long the registry and
`GET /tools` take, and how long the list of tools is that a brain reads; `empty_` are the same figures without them.
--seconds is the time limit of each tool. Progress goes to stderr.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

from reachy_mind.bench import Figures
from reachy_mind.bench.described_tools import DescribedTool, MeasuredAuthor, PerfectAuthor, described_tools
from reachy_mind.bench.scene_setup import quiet
from reachy_mind.bench.shelf_load import shelf_figures
from reachy_mind.bench.tool_results import ToolResult, figures, is_safe
from reachy_mind.brains.selection import understanding
from reachy_mind.brains.text_models import text_model
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import MindError, NotReady
from reachy_mind.mind import Mind
from reachy_mind.models.text_model import TextModel
from reachy_mind.workshop.author import answers
from reachy_mind.workshop.author.author import MAX_TOKENS, Author, ToolAuthor
from reachy_mind.workshop.creation import Created, ToolCreation
from reachy_mind.workshop.generated_tools import GROUP

SECONDS = 600.0
"""Time limit for one tool, from the request to the end of its last trial."""
BRAINS = ("model", "recipes", "scripted")
SETS = ("held", "given")
USE_S = 30.0
"""A use that runs longer, as it should, is ended then and counts if nothing was wrong until then."""
AGAIN_S = 3.0
"""The same for the second use, when all tools are on the shelf."""
PERSON = "bench"
BARE = "Write a Python function for a small desk robot that does this: {}\nAnswer with one Python code block."


async def measure(
    configuration: Configuration, seconds: float, brain: str | None = None, collection: str | None = None
) -> Figures:
    tools, held = described_tools(), collection != "given"
    async with _author(configuration, brain) as (author, model, name):
        ours, load = await _measured(configuration, author, tools, seconds, held=held, name=name)
        bare = await _bare(configuration, model, tools, seconds) if model is not None else {}
    other = PerfectAuthor(tools, right=name != "scripted")
    reference, full = await _measured(configuration, other, tools, seconds, held=True, name=other.name)
    mine, theirs = figures(ours) | (load if name == "scripted" else full), figures(reference) | bare
    compared = ("valid_percent", "safe_percent", "passed_first_percent", "passed_percent", "incorporated_percent")
    ratio = {each: round(mine[each] / theirs[each], 2) for each in compared if theirs.get(each)}
    notes = {"author": name, "cases": "held" if held else "given", "reference": other.name}
    failed = [each.line for each in ours if not each.incorporated]
    return Figures(mine, theirs, ratio, notes, failed)


@contextlib.asynccontextmanager
async def _author(
    configuration: Configuration, wanted: str | None
) -> AsyncIterator[tuple[ToolAuthor, TextModel | None, str]]:
    """The author, its model and its name. Raises NotReady for a model that is not there."""
    if wanted == "scripted":
        yield PerfectAuthor(described_tools()), None, "scripted"
        return
    reader = await asyncio.to_thread(understanding, configuration)
    model = await text_model(configuration) if wanted != "recipes" else None
    if model is None and wanted == "model":
        raise NotReady("there is no model that could write tools", hint="reachy-mind models pull chat; docs/brains.md")
    author = Author(reader.plan, model)
    try:
        yield author, model, model.name if model is not None else "recipes"
    finally:
        await author.aclose()


async def _measured(
    configuration: Configuration,
    author: ToolAuthor,
    tools: Sequence[DescribedTool],
    seconds: float,
    *,
    held: bool,
    name: str,
) -> tuple[list[ToolResult], dict[str, float]]:
    """What became of every tool, and the figures of the shelf before and after."""
    results = []
    async with quiet(configuration) as (mind, _):
        load = {f"empty_{figure}": value for figure, value in (await shelf_figures(mind)).items()}
        for number, tool in enumerate(tools, 1):
            results.append(await one(mind, author, tool, seconds, held=held))
            print(f"{name} {number}/{len(tools)} {results[-1].line}", file=sys.stderr, flush=True)
        load |= {f"shelf_{figure}": value for figure, value in (await shelf_figures(mind)).items()}
        again = [await _called(mind, each.made, each.arguments, AGAIN_S) for each in results if each.incorporated]
        load["shelf_callable"] = again.count("")
    return results, load


async def one(mind: Mind, author: ToolAuthor, tool: DescribedTool, seconds: float, *, held: bool = True) -> ToolResult:
    """Let an author write a tool, and take it as far as it goes."""
    measured = MeasuredAuthor(author, held=held)
    shelf, registry = mind.generated.shelf, mind.toolbox.registry
    creation = ToolCreation(mind.configuration, mind.workshop, shelf, registry, measured)
    made, why, began = None, "", time.monotonic()
    try:
        async with asyncio.timeout(seconds):
            made = await creation.create(tool.description, test_cases=tool.cases)
    except TimeoutError:
        why = f"it took longer than {seconds:g} s"
    except MindError as error:
        why = error.message
    took = time.monotonic() - began
    verdicts = [verdict for _, verdict in measured.failures if verdict is not None]
    used = await _used(mind, made) if made is not None else why
    faults = mind.generated.shelf.get(made.version.name, made.version.number).faults if made is not None else ()
    first_failed = bool(measured.failures)
    return ToolResult(
        name=tool.name,
        made=made.version.name if made is not None else "",
        arguments=_arguments(made) if made is not None else {},
        wrote=measured.wrote,
        valid=measured.wrote and (measured.failures[0][0] if first_failed else made is not None),
        safe=all(map(is_safe, verdicts)) and not faults,
        passed_first=made is not None and not first_failed,
        passed=made is not None,
        incorporated=made is not None and not used,
        repairs=made.repairs if made is not None else len(measured.failures),
        seconds=took,
        why=" ".join(used.split())[:300],
    )


async def _used(mind: Mind, made: Created) -> str:
    """Approve a tool as a person does, and use it; returns what went wrong."""
    version, call_id = made.version, uuid4().hex
    about = {"name": version.name, "version": version.number, "sha256": version.sha256}
    shown = about | {"capabilities": list(version.capabilities)}
    with mind.confirmations.call_channel(call_id, answer=(True, PERSON)):
        approval = await mind.toolbox.call("workshop.approve_tool", shown, call_id=call_id)
    if approval.error is not None:
        return approval.error["message"]
    return await _called(mind, version.name, _arguments(made), USE_S)


async def _called(mind: Mind, name: str, arguments: Mapping[str, Any], seconds: float) -> str:
    """Call a tool through the registry; returns what went wrong. One that runs longer is ended, which is not wrong."""
    try:
        async with asyncio.timeout(seconds):
            outcome = await mind.toolbox.call(f"{GROUP}.{name}", dict(arguments))
    except TimeoutError:
        return ""
    return outcome.error["message"] if outcome.error is not None else ""


def _arguments(made: Created) -> dict[str, Any]:
    """The input of the case with the shortest run that its trial passed."""
    given = [each for each in made.verdict["results"] if each["origin"] == "given" and each["status"] == "pass"]
    shortest = min(given, key=lambda each: each["virtual_s"] or 0.0, default={"input": dict(made.draft.args)})
    return dict(shortest["input"])


async def _bare(
    configuration: Configuration, model: TextModel, tools: Sequence[DescribedTool], seconds: float
) -> dict[str, float]:
    """The share of code blocks that are valid, when the model is asked without our prompt."""
    valid = 0
    async with quiet(configuration) as (mind, _):
        for number, tool in enumerate(tools, 1):
            ok = False
            with contextlib.suppress(MindError, TimeoutError):
                async with asyncio.timeout(seconds):
                    asked = [{"role": "user", "content": BARE.format(tool.description)}]
                    said = await model.complete(asked, None, MAX_TOKENS)
                    draft = answers.draft(said, model.name, tool.description, "en")
                    ok = (await mind.workshop.check(draft.code, f"{draft.name}.py", mind.toolbox.registry))["ok"]
            valid += ok
            told = f"{tool.name}: {'valid' if ok else 'not valid'}"
            print(f"bare {number}/{len(tools)} {told}", file=sys.stderr, flush=True)
    return {"bare_valid_percent": round(100 * valid / len(tools), 1)}
