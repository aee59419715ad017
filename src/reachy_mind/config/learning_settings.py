"""Settings of what the robot learns from people."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from reachy_mind.config.section import Section


class LearningSettings(Section):
    judge: Annotated[
        Literal["off", "unsure", "always"],
        Field(
            description="When the thinking brain's model reads feedback: never, where the robot is unsure, always;"
            " a pulled one only with always"
        ),
    ] = "unsure"
    task_weight: Annotated[float, Field(ge=0, le=100, description="In practice: weight of how well it was done")] = 1.0
    human_weight: Annotated[float, Field(ge=0, le=100, description="In practice: weight of what people say")] = 1.0
    safety_weight: Annotated[float, Field(ge=0, le=100, description="In practice: weight of unsafe actions")] = 0.1
    efficiency_weight: Annotated[float, Field(ge=0, le=100, description="In practice: weight of each decision")] = 0.05
    questions: Annotated[
        bool, Field(description="Ask now and then whether something was good, where words don't tell")
    ] = True
