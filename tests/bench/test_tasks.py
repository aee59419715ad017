"""The benchmark tasks: what counts as done, what does not, and that a right plan passes where another does not."""

from __future__ import annotations

import math

import pytest

from reachy_mind.bench import run, tasks
from reachy_mind.bench.case_author import SAME, CaseAuthor, likeness
from reachy_mind.bench.case_workshop import CaseWorkshop
from reachy_mind.bench.scene_setup import quiet
from reachy_mind.bench.task_cases import Case, Evidence, Sample, reversals, verdict
from reachy_mind.bench.task_cases import tasks as written
from reachy_mind.body.pose import Pose
from reachy_mind.brains.reflex.plan import Plan
from reachy_mind.config.configuration import load
from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.builtin import TOOLS
from reachy_mind.workshop.author.author import Author


def seen(*degrees, **about):
    """Evidence of a head that was at each yaw and pitch for half a second."""
    poses = [Pose(yaw=math.radians(yaw), pitch=math.radians(pitch)) for yaw, pitch in degrees or [(0, 0)]]
    trace = [Sample(place / 2 + at / 20, pose) for place, pose in enumerate(poses) for at in range(10)]
    return Evidence(trace=trace, **about)


def flapped(*degrees):
    """Evidence of a left antenna that was at each angle for half a second."""
    poses = [Pose(antenna_left=math.radians(angle)) for angle in degrees]
    return Evidence(trace=[Sample(place / 2 + at / 20, pose) for place, pose in enumerate(poses) for at in range(10)])


def case(words=(), not_words=(), **world):
    return Case(say=("x",), world=world, words=words, not_words=not_words, script=())


LEFT, RIGHT, UP, AHEAD = (30, 0), (-30, 0), (0, -15), (0, 0)


@pytest.mark.parametrize(
    ("asked", "good", "bad"),
    [
        (case(looks_at="duck"), seen(off={"duck": [40.0, 3.0]}), seen(off={"duck": [3.0, 40.0]})),
        (case(looked_at="duck"), seen(off={"duck": [3.0, 40.0]}), seen(off={"duck": [40.0, 40.0]})),
        (case(faces="left"), seen(RIGHT, LEFT), seen(LEFT, RIGHT)),
        (case(faced=("up", "left", "front")), seen(UP, LEFT, AHEAD), seen(LEFT, UP, AHEAD)),
        (case(photo="left"), seen(LEFT, AHEAD, photos=[0.2]), seen(LEFT, AHEAD, photos=[0.9])),
        (case(photo="anywhere"), seen(photos=[0.2]), seen()),
        (case(photos=(2, 3)), seen(photos=[0.2, 0.3]), seen(photos=[0.2])),
        (case(swings=2), flapped(0, 60, 0, 60, 0), flapped(0, 60, 0)),
        (case(nodded=2), seen((0, 0), (0, 8), (0, 0), (0, 8), (0, 0)), seen((0, 0), (0, 8), (0, 0))),
        (case(spoke=True), seen(loudest=0.3), seen()),
        (case(still=90), seen(*[LEFT] * 3), seen(LEFT, AHEAD, LEFT)),
        (case(calls=("nod", "speak")), seen(calls=["nod", "wave", "speak"]), seen(calls=["speak", "nod"])),
        (case(words=[["duck"], ["red", "pink"]]), seen(reply="A duck; it's pink."), seen(reply="A duck, hundred.")),
        (case(not_words=["yes"]), seen(reply="Yesterday."), seen(reply="Well, yes!")),
        (case(words=[["don't see"]]), seen(reply="I don\u2019t see it."), seen(reply="I see it.")),
    ],
)  # fmt: skip
def test_what_is_right_passes_and_what_is_wrong_does_not(asked, good, bad):
    assert verdict(asked, good) == []
    assert len(verdict(asked, bad)) == 1


def test_swings_are_counted_and_trembling_is_not():
    assert reversals([0, 1, 0, 6, 1, 7, 0, 1], 4) == 2
    assert reversals([], 4) == 0


def test_ten_tasks_that_have_plans_of_real_tools():
    known = {tool.name: tool for tool in TOOLS}
    assert [each.task for each in written()] == list(range(1, 11))
    assert all(len(each.cases) >= 8 for each in written())
    for _, each in tasks.every_case():
        assert len(each.script) == len(each.say)
        own = {"$made", "create_tool", "rollback_tool", *(tool.name for tool in each.shelf)}
        for name, args in (call for turn in each.script for call in turn):
            assert name in own or known[name].check(dict(args)) is not None


def test_a_plan_of_another_case_does_not_ask_for_the_drafts_of_this_one():
    cases = [each for _, each in tasks.every_case()]
    for before, each in zip([cases[-1], *cases], cases, strict=False):
        if not each.drafts:
            continue
        asked, other = (_requests(one) for one in (each, before))
        assert all(likeness(request, each.say[0]) >= SAME for request in asked)
        assert all(likeness(request, said) < SAME for request in other for said in each.say)


def _requests(one):
    return [args["description"] for turn in one.script for name, args in turn if name == "create_tool"]


async def test_only_brains_that_are_measured_are_taken():
    with pytest.raises(InvalidParameter):
        await run("gate", load(), 1, brain="reflex")
    with pytest.raises(InvalidParameter, match="parrot"):
        await run("tasks", load(), 1, brain="parrot")
    with pytest.raises(InvalidParameter, match="no scripts"):
        await run("tasks", load(), 1, brain="scripted", collection="phase_3")


@pytest.mark.timeout(300)
@pytest.mark.process
async def test_in_the_simulator_a_right_plan_passes_and_the_plan_of_another_case_does_not(description):
    chosen = [next(one for one in tasks.every_case() if one[0] == task) for task in (5, 9)]
    author = CaseAuthor(Author(lambda _: Plan()))
    async with quiet(load(), author) as (mind, setup):
        workshop = CaseWorkshop(mind, author)
        right = await tasks.tried(mind, setup, workshop, tasks.Scripted(), 60, chosen)
        wrong = await tasks.tried(mind, setup, workshop, tasks.Scripted(right=False), 60, chosen)
    assert right.failed == [] and right.figures()["percent"] == 100
    assert wrong.figures()["percent"] == 0
