"""Success rate on the fifteen benchmark tasks, in the simulator, checked on the state of the world.

Ours: the brain named by --brain (reflex, agents, claude, auto; as set, if none is). Reference: for the reflex brain one
that only compares (`neighbours`, with the model `language-base`), for brains that think the reflex brain. `scripted`
has a right plan for each case, and as its reference the plan of another case: the first must pass, the second must not.
What is counted: cases that went right, time to the first word or action, time in tools, time that is left for thinking,
tokens. In tasks 6 to 10 the robot makes tools: with the recipes alone for `reflex` and `scripted`, else also with the
model of the brain. What the rules of refusal do with requests that only sound harmful, and with harmful ones in other
words, is counted apart. In tasks 11 to 15 the robot learns; their reference is the same brain without what was learned
(`learning_tasks`). Where PyTorch is missing, what needs it is left out, and a note says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from uuid import uuid4

from reachy_mind.bench import Figures, refusal_requests
from reachy_mind.bench.case_author import CaseAuthor
from reachy_mind.bench.case_workshop import CaseWorkshop
from reachy_mind.bench.learning_tasks import LearningRun
from reachy_mind.bench.nearest_sentence import Neighbours
from reachy_mind.bench.scene_setup import SceneSetup, quiet
from reachy_mind.bench.scripted_brain import Scripted, every_case
from reachy_mind.bench.task_cases import Case, Cut, Evidence, verdict
from reachy_mind.bench.task_tally import TaskTally, asked
from reachy_mind.brains.brain import Brain, Closable, Done
from reachy_mind.brains.reflex.brain import Reflex
from reachy_mind.brains.reflex.reader import WEIGHTS
from reachy_mind.brains.selection import choose, reflex, understanding
from reachy_mind.brains.text_models import text_model
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration
from reachy_mind.conversation.response import Response
from reachy_mind.errors import InvalidParameter, NotReady
from reachy_mind.mind import Mind
from reachy_mind.models.store import Store
from reachy_mind.workshop.author.author import Author

BASE = "language-base"
"""What the reference of the reflex brain compares with."""
SECONDS = 1500.0
"""Time limit for each of the two; every case runs once."""
BRAINS = ("reflex", "agents", "local", "claude", "auto", "scripted")
WITHOUT_MODEL = ("reflex", "scripted")
TOOL_TASKS = range(6, 11)
SETS = ("phase_1", "phase_2", "phase_3")
"""Tasks 1 to 5, 6 to 10, and 11 to 15, which `scripted` can't do."""
LEARNING = SETS[2]
TURN_TIMEOUT_S = 180.0


async def measure(
    configuration: Configuration, seconds: float, brain: str | None = None, collection: str | None = None
) -> Figures:
    name = brain or configuration.settings.mind.brain
    learns = collection in (None, LEARNING) and name != "scripted"
    if collection == LEARNING and not learns:
        raise InvalidParameter(f"{LEARNING} has no scripts: people say what comes next", hint="--brain reflex")
    chosen = await asyncio.to_thread(_chosen, configuration, name)
    ours, reference, notes = TaskTally(), TaskTally(), {"brain": chosen.name}
    judged: dict[str, float] = {}
    try:
        if collection != LEARNING:
            cases = [each for each in every_case() if collection in (None, SETS[each[0] in TOOL_TASKS])]
            notes["reference"] = await _compared(configuration, name, chosen, seconds, cases, ours, reference)
            reader = await asyncio.to_thread(understanding, configuration)
            judged = await asyncio.to_thread(refusal_requests.figures, reader.plan)
        if collection is None and not learns:
            notes[LEARNING] = "left out: it has no scripts"
        if learns:
            learning = LearningRun(configuration, chosen, seconds)
            await learning.run()
            ours.add(learning.ours)
            reference.add(learning.reference)
            notes |= {f"reference, {LEARNING}": f"{chosen.name}, without what was learned"} | learning.notes
    finally:
        if isinstance(chosen, Closable):
            await chosen.aclose()
    failed = {f"failed {number}": told for number, told in enumerate(ours.failed, 1)}
    mine, theirs = ours.figures() | judged, reference.figures()
    ratio = {each: round(mine[each] / theirs[each], 2) for each in ("percent", "turn_p50_ms") if theirs.get(each)}
    return Figures(mine, theirs, ratio, notes | failed)


async def _compared(
    configuration: Configuration,
    name: str,
    chosen: Brain,
    seconds: float,
    cases: Sequence[tuple[int, Case]],
    ours: TaskTally,
    reference: TaskTally,
) -> str:
    """Run the cases of tasks 1 to 10 with a brain, and with another one, whose name this returns."""
    async with _author(configuration, name) as author, quiet(configuration, author) as (mind, setup):
        workshop = CaseWorkshop(mind, author)
        other = await asyncio.to_thread(_reference, configuration, name)
        ours.add(await tried(mind, setup, workshop, chosen, seconds, cases))
        reference.add(await tried(mind, setup, workshop, other, seconds, cases))
    return other.name


async def tried(
    mind: Mind,
    setup: SceneSetup,
    workshop: CaseWorkshop,
    brain: Brain,
    seconds: float,
    chosen: Sequence[tuple[int, Case]] | None = None,
) -> TaskTally:
    """Run every case once, alternating between tasks, within the time limit."""
    tally, end = TaskTally(), time.monotonic() + seconds
    setup.slot.take(brain)
    for task, case in chosen if chosen is not None else every_case():
        if tally.right and time.monotonic() > end:
            break
        if isinstance(brain, Scripted):
            brain.take(case)
        wrong = await _tried(mind, setup, workshop if task in TOOL_TASKS else None, case, tally)
        said = " / ".join(each if isinstance(each, str) else each.cut for each in case.say)
        tally.judged(task, said, wrong)
    return tally


async def _tried(
    mind: Mind, setup: SceneSetup, workshop: CaseWorkshop | None, case: Case, tally: TaskTally
) -> list[str]:
    """Run one case; returns the failed checks. `workshop`: for a case in which tools are made."""
    await setup.set(case.scene)
    if workshop is None:
        async with setup.watching() as seen:
            failure = await _conversed(mind, setup, case, seen, tally)
            await setup.look_again(seen, case)
        return [failure] if failure else verdict(case, seen)
    await workshop.prepare(case)
    async with setup.watching() as seen, workshop.watching(case, setup.change) as seen.tools:
        failure = await _conversed(mind, setup, case, seen, tally, workshop)
        await setup.look_again(seen, case)
        await workshop.look_again(seen.tools)
    return [failure] if failure else verdict(case, seen)


async def _conversed(
    mind: Mind, setup: SceneSetup, case: Case, seen: Evidence, tally: TaskTally, workshop: CaseWorkshop | None = None
) -> str:
    """Say every line of a case; returns what kept it from its end."""
    conversation = uuid4().hex  # one for all lines of the case
    asking: asyncio.Task[tuple[Response, Done]] | None = None
    try:
        for number, line in enumerate(case.say):
            if isinstance(line, Cut):
                assert asking is not None
                await setup.until_moving(asking)
                if not line.cut.casefold().startswith("stop"):  # which cuts by itself
                    await mind.turns.interrupt()
            text = line.cut if isinstance(line, Cut) else line
            before, asking = asking, asyncio.create_task(asked(mind, text, conversation))
            if before is not None:
                await before  # interrupted, or ended
            following = case.say[number + 1 : number + 2]
            if not (following and isinstance(following[0], Cut)):
                async with asyncio.timeout(TURN_TIMEOUT_S):
                    response, done = await asyncio.shield(asking)
                tally.turn(response, done)
                seen.reply = response.text
                seen.tools.reply += response.text
                seen.calls += [call.name for call in response.tool_calls if call.outcome.status == "ok"]
                if workshop is not None:
                    await workshop.settle()
    except TimeoutError:
        return "took too long"
    finally:
        if asking is not None and not asking.done():
            await mind.turns.interrupt()
            await cancel_and_wait(asking)
    return ""


@contextlib.asynccontextmanager
async def _author(configuration: Configuration, brain: str) -> AsyncIterator[CaseAuthor]:
    """The author of the tools: recipes, and the model of a brain that has one."""
    reader = await asyncio.to_thread(understanding, configuration)
    model = None if brain in WITHOUT_MODEL else await text_model(_with_brain(configuration, brain))
    author = Author(reader.plan, model)
    try:
        yield CaseAuthor(author)
    finally:
        await author.aclose()


def _with_brain(configuration: Configuration, name: str) -> Configuration:
    mind = configuration.settings.mind.model_copy(update={"brain": name})
    return replace(configuration, settings=configuration.settings.model_copy(update={"mind": mind}))


def _chosen(configuration: Configuration, name: str) -> Brain:
    if name == "scripted":
        return Scripted()
    return choose(_with_brain(configuration, name))


def _reference(configuration: Configuration, name: str) -> Brain:
    if name == "scripted":
        return Scripted(right=False)
    if name != "reflex":
        return reflex(configuration)
    store = Store(configuration.models_folder)
    if store.status(BASE).state != "ready":
        raise NotReady("the reference of the reflex brain has no model", hint=f"reachy-mind models pull {BASE}")
    return Reflex(Neighbours.of(store.path(BASE), WEIGHTS.parent / "sentences").plan)
