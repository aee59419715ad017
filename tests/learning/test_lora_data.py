"""Exported lines as tokens, and the evaluation of a model that answers what a test wants."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.learning.gguf import GgufFile, write_gguf
from reachy_mind.learning.lora_data import evaluate, read_lines, tokenised
from tests.fakes.llamas import scripted

pytestmark = pytest.mark.process

__all__ = ["scripted"]


def called(name: str, **args: object) -> dict[str, object]:
    call = {"id": "1", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def asked(text: str) -> list[dict[str, object]]:
    return [{"role": "system", "content": "Robot."}, {"role": "user", "content": text}]


NOD = {"messages": [*asked("nod twice"), called("nod", times=2)]}
JOKE = {"messages": [*asked("a joke"), {"role": "assistant", "content": "Ha."}]}
DANCE = {"prompt": asked("move"), "chosen": [called("dance")], "rejected": [called("wave")]}


async def test_every_answer_that_counts_is_an_example(scripted, tmp_path: Path) -> None:
    write_gguf(tmp_path / "base.gguf", {"tokenizer.ggml.eos_token_id": 300}, {"x": np.ones(1, np.float32)})
    earlier = {
        "messages": [*asked("hi"), {"role": "assistant", "content": "Hello.", "weight": 0}, *NOD["messages"][1:]]
    }
    told = {
        "messages": [*NOD["messages"], {"role": "tool", "content": "ok"}, {"role": "assistant", "content": "Done."}]
    }
    long = {"messages": [*asked("x" * 500), called("nod")]}
    async with scripted("") as llama:
        data = await tokenised(llama, GgufFile(tmp_path / "base.gguf"), [earlier, told, DANCE, long], 300)
    texts = [(bytes(each.prompt).decode(), bytes(each.answer[:-1]).decode()) for each in data.examples]
    nod = '{"name": "nod", "arguments": {"times": 2}}'
    assert texts == [
        ("<system>Robot.<user>hi<assistant>Hello.<user>nod twice<assistant>", nod),
        ("<system>Robot.<user>nod twice<assistant>", nod),
        (f"<system>Robot.<user>nod twice<assistant>{nod}<user>Result: ok<assistant>", "Done."),
    ]
    assert all(each.answer[-1] == 300 for each in data.examples) and data.too_long == 1
    (pair,) = data.pairs
    assert b"dance" in bytes(pair.chosen[:-1]) and b"wave" in bytes(pair.rejected[:-1])


async def test_a_model_is_right_when_it_calls_what_was_wanted(scripted) -> None:
    answers = ('{"name": "nod", "arguments": {"times": 3}}', '{"name": "dance", "arguments": {}}', "Ha ha.")
    async with scripted(*answers, '{"name": "wave"}') as llama:
        right, wrong = await evaluate(llama, [NOD, DANCE, JOKE]), await evaluate(llama, [NOD, JOKE])
    assert right.as_dict() == {"requests": 3, "tools": 1.0, "calls": 0.6667} and right.answers == answers
    assert wrong.as_dict() == {"requests": 2, "tools": 0.0, "calls": 0.0}


def test_what_is_no_export_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "F.jsonl"
    for wrong in ("{", "[]", '{"prompt": []}', '{"messages": [{"content": "x"}]}'):
        file.write_text(f"{json.dumps(NOD)}\n{wrong}\n")
        with pytest.raises(InvalidParameter, match=r"F\.jsonl:2"):
            read_lines(file)
    with pytest.raises(InvalidParameter, match="can't be read"):
        read_lines(tmp_path / "none.jsonl")
