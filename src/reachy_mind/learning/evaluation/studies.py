"""Studies: the questions that are asked of learning, each with everything that its answer depends on but the seed.

A study is measured for several seeds (`study_runner`), and its results are kept with it (`study_results`), so that a
report can be made again, and a study that was measured already is not measured twice.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from reachy_mind.learning.environments.environment import Randomisation
from reachy_mind.learning.environments.scenes import Scenes
from reachy_mind.learning.training.plan import Algorithm

ENOUGH = 0.95
"""Success at which a task counts as learned."""

Task = Annotated[str, Field(pattern="^[a-z_]{1,40}$")]


class _Study(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    held_out: Annotated[int, Field(ge=10, le=10_000)] = 500
    """Scenes of each evaluation at the end."""


class PracticeStudy(_Study):
    """How fast an algorithm learns, how safely, and what it can do elsewhere afterwards."""

    kind: Literal["practice"] = "practice"
    task: Task = "look_at"
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
    task: Task = "look_at"
    counts: tuple[int, ...] = (1, 3, 10, 30)
    trained_in: Scenes = "usual"

    @property
    def name(self) -> str:
        return f"demonstrations-{self.task}" + ("" if self.trained_in == "usual" else f"-{self.trained_in}")


class ForgettingStudy(_Study):
    """What learning a second task costs the first one, with rehearsal of the first and without."""

    kind: Literal["forgetting"] = "forgetting"
    first: Task = "look_at"
    second: Task = "beat"
    algorithm: Literal["ppo", "sac"] = "ppo"
    episodes: int = 300
    rehearsed: float = 0.5
    """Share of the episodes that practise the first task again, while the second one is learned."""

    @property
    def name(self) -> str:
        return f"forgetting-{self.first}-{self.second}-{self.algorithm}"


class AdaptationStudy(_Study):
    """What a policy can do on a robot that answers differently, before and after it adapted."""

    kind: Literal["adaptation"] = "adaptation"
    task: Task = "look_at"
    demonstrations: int = 10
    gain: float = 0.4
    delay: int = 2
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
    """What the feedback of a simulated person brings. `task_reward`: whether the task's own reward counts too."""

    kind: Literal["feedback"] = "feedback"
    task: Task = "look_at"
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
