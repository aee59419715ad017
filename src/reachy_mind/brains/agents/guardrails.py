"""Input guardrail: refuses requests to hurt people or to damage the robot, before a model is asked.

It adds to the tool gate and to the motor limits, which apply whatever a model says.
"""

from __future__ import annotations

import re
from typing import Any

from agents import Agent, GuardrailFunctionOutput, InputGuardrail, RunContextWrapper

REFUSAL = "I won't do that: I stay within my limits, and I do nothing that could hurt somebody or break me."

_VICTIM = (
    r"(?:me|us|him|her|them|someone|somebody|anyone|people|person|child|children|kid|baby|dog|cat|face|eyes?|finger)"
)
_UNSAFE = re.compile(
    r"\b(?:ignore|override|bypass|disable|remove|exceed|break|switch off|turn off|(?:go|move) (?:past|beyond))\b"
    r".{0,40}\b(?:limits?|safety|emergency stop|collision (?:check|protection))\b"
    rf"|\b(?:hit|punch|poke|stab|slap|hurt|injure|attack|headbutt|burn)\b(?: \w+){{0,3}} {_VICTIM}\b"
    r"|\b(?:break|destroy|damage|overheat|smash)\b.{0,30}\b(?:yourself|your (?:head|neck|motors?|antennas?))\b",
    re.IGNORECASE,
)


def is_unsafe(text: str) -> bool:
    """Whether the text asks for harm."""
    return _UNSAFE.search(text) is not None


def _check_safety(context: RunContextWrapper[Any], _agent: Agent[Any], _items: Any) -> GuardrailFunctionOutput:
    unsafe = is_unsafe(context.context.turn.text)
    return GuardrailFunctionOutput(output_info=None, tripwire_triggered=unsafe)


ROBOT_SAFETY: InputGuardrail[Any] = InputGuardrail(_check_safety, name="robot safety", run_in_parallel=False)
