"""What is refused before a model is asked: requests that would hurt somebody, or break the robot.

They add to the gate and to the limits of the motors, which hold whatever a model says.
"""

from __future__ import annotations

import re
from typing import Any

from agents import Agent, GuardrailFunctionOutput, InputGuardrail, RunContextWrapper

REFUSED = "I won't do that: I stay within my limits, and I do nothing that could hurt somebody or break me."

_WHO = r"(?:me|us|him|her|them|someone|somebody|anyone|people|person|child|children|kid|baby|dog|cat|face|eyes?|finger)"
_UNSAFE = re.compile(
    r"\b(?:ignore|override|bypass|disable|remove|exceed|break|switch off|turn off|(?:go|move) (?:past|beyond))\b"
    r".{0,40}\b(?:limits?|safety|emergency stop|collision (?:check|protection))\b"
    rf"|\b(?:hit|punch|poke|stab|slap|hurt|injure|attack|headbutt|burn)\b(?: \w+){{0,3}} {_WHO}\b"
    r"|\b(?:break|destroy|damage|overheat|smash)\b.{0,30}\b(?:yourself|your (?:head|neck|motors?|antennas?))\b",
    re.IGNORECASE,
)


def is_unsafe(text: str) -> bool:
    """Whether somebody asks for harm."""
    return _UNSAFE.search(text) is not None


def _safe(context: RunContextWrapper[Any], _agent: Agent[Any], _items: Any) -> GuardrailFunctionOutput:
    unsafe = is_unsafe(context.context.turn.text)
    return GuardrailFunctionOutput(output_info=None, tripwire_triggered=unsafe)


ROBOT_SAFETY: InputGuardrail[Any] = InputGuardrail(_safe, name="robot safety", run_in_parallel=False)
