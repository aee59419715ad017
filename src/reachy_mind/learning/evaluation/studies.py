"""Studies: the questions that are asked of learning, each with everything that its answer depends on but the seed.

A study is measured for several seeds (`study_runner`), and its results are kept with it (`study_results`), so that a
report can be made again, and a study that was measured already is not measured twice. `STUDIES` are the usual ones.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.learning.environments.environment import Randomisation
from reachy_mind.learning.environments.scenes import Scenes
from reachy_mind.learning.training.plan import Algorithm, TaskName

ENOUGH = 0.95
"""Success at which a task counts as learned."""


class _Study(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    held_out: Annotated[int, Field(ge=10, le=10_000)] = 500
    """Scenes of each evaluation at the end."""


class PracticeStudy(_Study):
    """How fast an algorithm learns, how safely, and what it can do elsewhere afterwards."""

    kind: Literal["practice"] = "practice"
    task: TaskName = "look_at"
    algorithm: Algorithm = "ppo"
    episodes: int = 300
    evaluate_every: int = 10
    trained_in: Scenes = "usual"

    @property
    def name(self) -> str:
        return f"practice-{self.task}-{self.algorithm}" + ("" if self.trained_in == "usual" else f"-{self.trained_in}")


class DemonstrationStudy(_Study):
    """What is learned from so many demonstrations of the expert."""

    kind: Literal["demonstrations"] = "demonstrations"
    task: TaskName = "look_at"
    counts: tuple[int, ...] = (1, 3, 10, 30)
    trained_in: Scenes = "usual"

    @property
    def name(self) -> str:
        return f"demonstrations-{self.task}" + ("" if self.trained_in == "usual" else f"-{self.trained_in}")


class ForgettingStudy(_Study):
    """What learning a second task costs the first one: with one policy for both that learns the second alone, and with
    one that practises the first again in every second episode."""

    kind: Literal["forgetting"] = "forgetting"
    first: TaskName = "look_at"
    second: TaskName = "track_face"
    algorithm: Literal["ppo", "sac"] = "sac"
    episodes: int = 100
    """Of each task; a policy that also rehearses practises twice as many."""
    evaluate_every: int = 20

    @property
    def name(self) -> str:
        return f"forgetting-{self.first}-{self.second}-{self.algorithm}"


class AdaptationStudy(_Study):
    """What a policy can do on a robot that answers differently, before and after it adapted."""

    kind: Literal["adaptation"] = "adaptation"
    task: TaskName = "look_at"
    demonstrations: int = 10
    gain: float = 0.5
    delay: int = 3
    noise_degrees: float = 0.5
    episodes: tuple[int, ...] = (1, 3, 10)

    @property
    def robot(self) -> Randomisation:
        gain, delay = (self.gain, self.gain), (self.delay, self.delay)
        return Randomisation(gain=gain, delay=delay, noise_degrees=self.noise_degrees)

    @property
    def name(self) -> str:
        return f"adaptation-{self.task}-gain-{self.gain:g}-delay-{self.delay}"


class FeedbackStudy(_Study):
    """What the feedback of a simulated person brings, who is wrong in one of ten judgements. `feedback`: False for the
    same without feedback; `task_reward`: whether the task's own reward counts too."""

    kind: Literal["feedback"] = "feedback"
    task: TaskName = "look_at"
    algorithm: Literal["tamer", "ppo"] = "tamer"
    episodes: int = 300
    evaluate_every: int = 20
    task_reward: bool = False
    feedback: bool = True

    @property
    def name(self) -> str:
        reward = "-with-task-reward" if self.task_reward else ""
        return f"feedback-{self.task}-{self.algorithm}{reward}" + ("" if self.feedback else "-without-feedback")


Study = Annotated[
    PracticeStudy | DemonstrationStudy | ForgettingStudy | AdaptationStudy | FeedbackStudy,
    Field(discriminator="kind"),
]

STUDIES: tuple[Study, ...] = (
    DemonstrationStudy(),
    DemonstrationStudy(trained_in="narrow"),
    DemonstrationStudy(task="track_face"),
    DemonstrationStudy(task="find_object"),
    DemonstrationStudy(task="beat"),
    PracticeStudy(algorithm="ppo"),
    PracticeStudy(algorithm="sac"),
    PracticeStudy(task="track_face", algorithm="sac", episodes=60),
    PracticeStudy(task="find_object", algorithm="sac", episodes=150),
    PracticeStudy(task="beat", algorithm="sac", episodes=60),
    FeedbackStudy(),
    FeedbackStudy(feedback=False),
    FeedbackStudy(algorithm="ppo"),
    AdaptationStudy(),
    AdaptationStudy(gain=1.8, delay=1),
    ForgettingStudy(),
    ForgettingStudy(second="beat"),
)
