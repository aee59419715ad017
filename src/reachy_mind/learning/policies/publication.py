"""`publish`: a trained policy becomes a tool on the shelf of the workshop; a person approves it as any other tool.

    run folder -> policy, checked -> file of a tool -> check -> trial in simulation -> a version on the shelf

Versions, diff, approval, rollback, permissions, audit and the stop are those of every generated tool.
"""

from __future__ import annotations

import asyncio
import math
import re
from pathlib import Path
from typing import Any

from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import AssetError, InvalidParameter, MindError
from reachy_mind.learning.environments.catalogue import task_kind
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.policies.skill_file import digest_of, sentences_for, skill_file, skill_of
from reachy_mind.learning.policies.skill_templates import SKILLS
from reachy_mind.learning.training.plan import POLICY_FILE, RUN_NAME, read_plan
from reachy_mind.tools.builtin import ALIASES, TOOLS
from reachy_mind.tools.registry import Registry
from reachy_mind.workshop.draft import RECIPE, Draft
from reachy_mind.workshop.run_report import MAX_CODE_BYTES
from reachy_mind.workshop.shelf.shelf import Shelf
from reachy_mind.workshop.shelf.versions import ToolVersion
from reachy_mind.workshop.shelving import DraftShelving
from reachy_mind.workshop.workshop import Workshop

AUTHOR = f"{RECIPE}practice"


async def publish_run(configuration: Configuration, run: str, *, name: str = "") -> ToolVersion:
    """Publish a run by its name, in a workshop of this process; a running mind sees it on the shelf. See `publish`."""
    if not re.fullmatch(RUN_NAME, run):
        raise InvalidParameter(f"no training run called {run[:80]!r}", hint="reachy-mind learn status lists them")
    shelf = Shelf(configuration.home.shelf_folder)
    async with Workshop(configuration) as workshop:
        shelving = DraftShelving(configuration, workshop, shelf, Registry(TOOLS, ALIASES))
        return await publish(shelving, shelf, configuration.home.training_folder / run, name=name)


async def publish(shelving: DraftShelving, shelf: Shelf, run: Path, *, name: str = "") -> ToolVersion:
    """Put the policy of a training run on the shelf, as a new version of the tool of its task, or of `name`.

    Raises InvalidParameter and AssetError for a run or a policy that can't be used, CreationFailed when the tool does
    not pass its trial, WorkerError, ShelfError.
    """
    draft = await asyncio.to_thread(draft_of, run, name)
    await asyncio.to_thread(_require_skill, shelf, draft.name)
    return await shelving.add(draft)


def draft_of(run: Path, name: str = "") -> Draft:
    """The tool of a training run. Raises InvalidParameter, AssetError."""
    plan = read_plan(run)
    if plan is None:
        raise InvalidParameter(f"no training run called {run.name!r}", hint="reachy-mind learn status lists them")
    policy = Policy.load(run / POLICY_FILE)
    _require_usable(policy, plan.task)
    template = SKILLS[plan.task]
    skill = {
        "task": plan.task,
        "run": run.name,
        "algorithm": plan.algorithm,
        "episodes": plan.episodes,
        "seed": plan.seed,
        "policy": digest_of(policy),
        "figures": _figures(policy),
    }
    called = name or template.tool_name
    code = skill_file(template, called, policy, skill, _explained(skill))
    if len(code) > MAX_CODE_BYTES:
        raise AssetError(
            f"the policy of {run.name} is too large for a tool: {len(code)} bytes of code",
            hint=f"at most {MAX_CODE_BYTES}: train a smaller network",
        )
    return Draft(
        called,
        code,
        template.summary,
        _explained(skill),
        capabilities=template.capabilities,
        cases=template.cases,
        args=template.usual,
        author=AUTHOR,
        run_s=template.run_s,
        sentences=sentences_for(template, called),
    )


def published_skills(shelf: Shelf) -> list[dict[str, Any]]:
    """Every skill on the shelf with its versions: run, figures, state. Blocks. Raises ShelfError."""
    found = []
    for name in shelf.names():
        try:
            versions = [(each, skill) for each in shelf.versions(name) if (skill := _skill(each)) is not None]
        except MindError:
            continue  # `workshop list` tells what is wrong with it
        if versions:
            active = next((each.number for each, _ in versions if each.state == "active"), None)
            listed = [
                {"version": each.number, "state": each.state.value, "created_at": each.created_at} | skill
                for each, skill in versions
            ]
            found.append({"name": name, "task": versions[-1][1]["task"], "active": active, "versions": listed})
    return found


def skills_of(shelf: Shelf, run: str) -> list[dict[str, Any]]:
    """The versions of tools that were made of a training run. Blocks. A shelf that can't be read has none."""
    try:
        found = published_skills(shelf)
    except MindError:  # the workshop tells what is wrong with it
        return []
    return [
        {"name": skill["name"], "version": version["version"], "state": version["state"]}
        for skill in found
        for version in skill["versions"]
        if version["run"] == run
    ]


def _skill(version: ToolVersion) -> dict[str, Any] | None:
    """What a version says about the skill that it is; None for a tool that no training made."""
    return skill_of(version.code) if version.author == AUTHOR else None


def _require_skill(shelf: Shelf, name: str) -> None:
    """A skill never becomes a version of a tool that somebody asked for."""
    if name in shelf.names() and any(each.author != AUTHOR for each in shelf.versions(name)):
        raise InvalidParameter(f"there is another tool called {name}", hint="choose another name: --as NAME")


def _require_usable(policy: Policy, task: str) -> None:
    """Raises AssetError for a policy that is not one of this task, InvalidParameter for a task that has no tool."""
    kind = task_kind(task)
    if task not in SKILLS:
        raise InvalidParameter(f"a policy of the task {task} can't be a tool yet", hint=f"one of {', '.join(SKILLS)}")
    plan = policy.meta.get("plan")
    trained = plan.get("task") if isinstance(plan, dict) else task
    if trained != task:
        raise AssetError(f"the policy is of the task {trained!r}, not {task}", hint="train it again")
    sizes = (policy.observation_size, policy.action_size)
    if sizes != (kind.observation_size, kind.action_size):
        wanted = f"{kind.observation_size} observations and {kind.action_size} actions"
        raise AssetError(f"the policy has {sizes[0]} observations and {sizes[1]} actions: {task} has {wanted}")
    if policy.experience is None:
        raise AssetError("the policy does not know what it was trained on", hint="train it again: learn train")


def _figures(policy: Policy) -> dict[str, float]:
    """Of the evaluation that the policy was chosen by, as far as they are numbers."""
    given = policy.meta.get("figures")
    pairs = given.items() if isinstance(given, dict) else ()
    return {str(key)[:40]: round(value, 4) for key, value in pairs if isinstance(value, float) and math.isfinite(value)}


def _explained(skill: dict[str, Any]) -> str:
    success = skill["figures"].get("success")
    share = "was not evaluated" if success is None else f"succeeded in {success:.1%} of held-out scenes in simulation"
    return (
        f"A policy of the training run {skill['run']} ({skill['algorithm']}, {skill['episodes']} episodes) decides ten "
        f"times a second how to move; it {share}. Where it meets what it did not practise, it goes by geometry instead "
        "and says so."
    )
