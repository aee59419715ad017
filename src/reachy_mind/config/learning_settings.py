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
    questions: Annotated[
        bool, Field(description="Ask now and then whether something was good, where words don't tell")
    ] = True
