"""One definition, as every kind of model wants it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.context import Context
from reachy_mind.tools.definition import Tier, from_function, tool
from reachy_mind.tools.schemas import export
from tests.tools.bench import BENCH, nod, slow


def test_the_schema_comes_from_the_signature() -> None:
    assert nod.schema["properties"]["times"] == {"type": "integer", "default": 2, "minimum": 1, "maximum": 5}
    assert nod.schema["additionalProperties"] is False and "ctx" not in nod.schema["properties"]
    assert "title" not in json.dumps(nod.schema)


def test_each_dialect_has_its_own_envelope() -> None:
    chat, responses, realtime, anthropic, mcp = (
        export([nod], dialect)[0] for dialect in ("chat", "responses", "realtime", "anthropic", "mcp")
    )
    assert (
        chat["function"]["name"] == responses["name"] == realtime["name"] == anthropic["name"] == mcp["name"] == "nod"
    )
    assert chat["function"]["parameters"] == responses["parameters"] == anthropic["input_schema"] == mcp["inputSchema"]
    assert len({json.dumps(export(BENCH, "chat")[0])}) == 1


def test_only_what_can_run_beside_has_the_flag() -> None:
    assert "background" in export([slow], "chat")[0]["function"]["parameters"]["properties"]
    assert "background" not in export([nod], "chat")[0]["function"]["parameters"]["properties"]
    assert "background" not in slow.schema["properties"]


async def _plain(ctx: Context) -> None:
    """Fine."""


def _sync(ctx: Context) -> None:
    """Not async."""


async def _silent(ctx: Context) -> None: ...


@pytest.mark.parametrize(
    ("function", "name", "said"),
    [(_sync, "x", "async"), (_silent, "x", "docstring"), (_plain, "Bad Name", "called"), (_plain, "x.y", "called")],
)
def test_what_can_be_no_tool_is_refused(function: Any, name: str, said: str) -> None:
    with pytest.raises(InvalidParameter, match=said):
        from_function(function, group="test", tier=Tier.CONFIRM, name=name)


def test_a_name_of_its_own() -> None:
    assert tool(group="test", tier="confirm", name="other")(_plain).qualified == "test.other"
