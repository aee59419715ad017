"""The file of a published skill: what it is, the code it was trained with, its function, and the policy as text.

    SKILL = {"task": "look_at", "run": "look-at", "policy": "<sha256>", "figures": {"success": 0.99}}

`skill_of` reads that line back from the code of a version, without running it.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Mapping
from string import Template
from typing import Any

from reachy_mind.learning.policies.guarded import GuardedPolicy
from reachy_mind.learning.policies.policy import Policy
from reachy_mind.learning.policies.programs.packed_policy import PackedPolicy, packed
from reachy_mind.learning.policies.skill_templates import SkillTemplate
from reachy_mind.learning.policies.source_bundle import bundled

FILE = Template('''\
"""$summary

$about
"""

from __future__ import annotations

$bundle


SKILL = $skill


$entry

# The policy: an npz file as base64, sha256 $digest.
POLICY = """
$policy
"""
''')
ENTRY = Template('''\
async def $name($parameters) -> dict:
    """$summary

    Args:
        $arguments

    Returns:
        dict: $returns.
    """
    policy = GuardedPolicy(PackedPolicy(POLICY), control)
    try:
        done = await $call
    except (tools.ToolError, RobotCallError) as error:
        return {"status": "error", "message": f"I could not do it: {error.message}."}
    return done | {"skill": SKILL}
''')
ROBOT = Template("""\
from reachy_mind import $surface
from reachy_mini import ReachyMini
from reachy_mini.transport import RobotCallError
""")
COMMON = (PackedPolicy, GuardedPolicy)
_ARGUMENT = re.compile(r"\[(\w+)=([^\]]+)\]")
_SKILL = re.compile(r"^SKILL = (\{.*\})$", re.MULTILINE)
SPELLINGS = ("practised", "practiced", "trained")


def digest_of(policy: Policy) -> str:
    """The hash that names a policy."""
    return hashlib.sha256(policy.to_bytes()).hexdigest()


def skill_file(template: SkillTemplate, name: str, policy: Policy, skill: Mapping[str, Any], about: str) -> str:
    """The text of the tool `name`. `skill`: what `skill_of` gives back; `about`: for whoever reads the file."""
    entry = ENTRY.substitute(
        name=name,
        parameters=template.parameters,
        summary=template.summary,
        arguments="\n        ".join(template.arguments),
        returns=template.returns,
        call=template.call,
    )
    robot = ROBOT.substitute(surface="sight, tools" if "sight." in template.call else "tools")
    return FILE.substitute(
        summary=template.summary,
        about=about,
        bundle=robot + bundled((*COMMON, *template.definitions)),
        skill=repr(dict(skill)),
        entry=entry,
        digest=digest_of(policy),
        policy=packed(policy),
    )


def skill_of(code: str) -> dict[str, Any] | None:
    """What a tool says about the skill that it is; None for any other tool. It is a claim of the file."""
    found = _SKILL.search(code)
    try:
        said = ast.literal_eval(found[1]) if found else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return said if isinstance(said, dict) and isinstance(said.get("task"), str) else None


def sentences_for(template: SkillTemplate, name: str) -> tuple[str, ...]:
    """How people ask for the skill, for the reflex reader (`Tool.sentences`)."""
    words = name.replace("_", " ")
    lines: dict[str, None] = {}
    for language, asked in template.asked.items():
        for sentence in asked:
            for past in SPELLINGS if language == "en" else SPELLINGS[:1]:
                spelled = words.replace(SPELLINGS[0], past)
                lines[_line(name, language, sentence.format(words=spelled, past=past))] = None
    return tuple(lines)


def _line(name: str, language: str, sentence: str) -> str:
    marked = "".join(f' {argument}="{words}"' for argument, words in _ARGUMENT.findall(sentence))
    prefix = "" if language == "en" else f"{language}: "
    said = _ARGUMENT.sub(r"\2", sentence)
    return f"{prefix}<{name}{marked}>{said}</>"
