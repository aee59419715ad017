"""Tools that people call by sentences of their own."""

from __future__ import annotations

from typing import Any

from reachy_mind.tools.definition import GENERATED, Tier, Tool


def tool_with(name: str, *sentences: str, **parameters: Any) -> Tool:
    """A generated tool with these sentences; `parameters` with their defaults."""

    async def run(_ctx: Any, _given: dict[str, Any]) -> None: ...

    schema = {"type": "object", "properties": {key: {"default": value} for key, value in parameters.items()}}
    return Tool(
        name,
        "generated",
        "A tool.",
        schema,
        dict,
        run,
        Tier.AUTONOMOUS,
        supports_background=True,
        source=GENERATED,
        sentences=sentences,
    )
