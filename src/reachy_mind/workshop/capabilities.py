"""`Capabilities`: what a run of sandboxed code may use, as a person allowed it.

    Capabilities.parse("motion,camera,http:api.example.org,tools:task_cancel")

They bound the run besides the gate: a call needs both. Reading the robot's state and telling the time need none; a
tool of an administrator, or one of the workshop itself, can't be allowed.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Self

from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.act_table import acts_of
from reachy_mind.tools.definition import Tool
from reachy_mind.tools.permissions import STOP

NAMES = ("motion", "camera", "microphone", "speak", "light", "http", "memory")
HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::\d{1,5})?|\[[0-9A-Fa-f:.]+\](?::\d{1,5})?")
TOOL_NAME = re.compile(r"[a-z][a-z0-9_.]{0,127}")
MAX_CHARS = 4000

FREE = frozenset(
    {
        "robot.do_nothing",
        "robot.get_robot_state",
        "robot.get_pose",
        "robot.get_sensor_data",
        "tasks.task_status",
    }
)
"""Tools that need no capability, besides those that tell the time."""
GROUPS = {"voice": "speak", "web": "http", "memory": "memory", "perception": "camera", "robot": "motion"}
"""The capability of the tools of a group."""
EXCEPTIONS: dict[str, tuple[str, ...]] = {
    "robot.set_light": ("light",),
    "robot.head_tracking": ("motion", "camera"),
    "robot.look_at_pixel": ("motion", "camera"),
    "robot.look_at_object": ("motion", "camera"),
    "perception.listen": ("microphone",),
}
SWITCHES = frozenset({"perception.set_camera", "perception.set_microphone"})
"""Who may use a device may not switch it on where a person has switched it off: these need their name."""


@dataclass(frozen=True)
class Capabilities:
    """`granted` are names; `hosts` and `tools` are what `http:HOST` and `tools:NAME` name."""

    granted: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, text: str | Collection[str]) -> Self:
        """Raises InvalidParameter for a capability that there is not."""
        words = text.split(",") if isinstance(text, str) else list(text)
        if sum(map(len, words)) > MAX_CHARS:
            raise InvalidParameter(f"more than {MAX_CHARS} characters of capabilities")
        granted, hosts, tools = set(), set(), set()
        for word in filter(None, (word.strip() for word in words)):
            kind, colon, what = word.partition(":")
            if kind == "http" and colon and HOST.fullmatch(what):
                hosts.add(what.lower())
            elif kind == "tools" and colon and TOOL_NAME.fullmatch(what):
                tools.add(what)
            elif word in NAMES:
                granted.add(word)
            else:
                known = f"{', '.join(NAMES)}, http:HOST[:PORT], tools:NAME"
                raise InvalidParameter(f"there is no capability {word[:60]!r}", hint=f"one of {known}")
        return cls(frozenset(granted), frozenset(hosts), frozenset(tools))

    @property
    def words(self) -> list[str]:
        """As `parse` takes them."""
        return [
            *sorted(self.granted),
            *(f"http:{host}" for host in sorted(self.hosts)),
            *(f"tools:{name}" for name in sorted(self.tools)),
        ]

    def missing(self, needed: Collection[str]) -> str:
        """Why what needs these capabilities may not be done; empty when it may."""
        lacking = [name for name in needed if name not in self.granted]
        return f"it needs the capability {' and '.join(lacking)}" if lacking else ""

    def covers(self, tool: Tool) -> str:  # noqa: PLR0911 -- one per rule
        """Why a tool may not be called; empty when it may."""
        if tool.qualified == STOP and tool.source == "built-in":
            return ""
        if acts_of(tool).scope == "admin" or tool.group == "workshop":
            return "sandboxed code never may"
        if tool.name in self.tools or tool.qualified in self.tools:
            return ""
        if tool.source != "built-in" or tool.hidden or tool.qualified in SWITCHES:
            return f"it needs the capability tools:{tool.name}"
        if tool.qualified in FREE or tool.group == "time":
            return ""
        if tool.qualified in EXCEPTIONS:
            return self.missing(EXCEPTIONS[tool.qualified])
        if tool.group in GROUPS:
            return self.missing((GROUPS[tool.group],))
        return f"it needs the capability tools:{tool.name}"


def needed_by(tool: Tool) -> tuple[str, ...]:
    """The capabilities that a call of the tool takes; of one that code may never call, none helps."""
    if not Capabilities().covers(tool):
        return ()
    if tool.source != "built-in" or tool.hidden or tool.qualified in SWITCHES:
        return (f"tools:{tool.name}",)
    if tool.qualified in EXCEPTIONS:
        return EXCEPTIONS[tool.qualified]
    return (GROUPS[tool.group],) if tool.group in GROUPS else (f"tools:{tool.name}",)
