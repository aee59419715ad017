"""`code`: what a language model writes is checked and saved, and nothing else happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.developer.answer_blocks import code_in
from reachy_mind.developer.code_folder import CodeFolder, stem_for, stem_of
from reachy_mind.developer.program_check import problem_of
from tests.developer.conftest import desk_in
from tests.fakes.openai_chat import Fault, ModelServer, say

pytestmark = pytest.mark.usefixtures("no_proxy")

FIBONACCI = (
    '"""Print the first Fibonacci numbers."""\n\na, b = 0, 1\nfor _ in range(10):\n    print(a)\n    a, b = b, a + b\n'
)
ASKED = "Write a Python script that calculates Fibonacci numbers"


def block(code: str, language: str = "python") -> str:
    return f"Here it is:\n```{language}\n{code}```\nHave fun."


async def test_a_program_is_written_and_saved_and_does_not_run(tmp_path: Path) -> None:
    written = f"{FIBONACCI}open({str(tmp_path / 'ran')!r}, 'w')\n"
    with ModelServer([say(block(written))]) as server:
        async with desk_in(tmp_path, model=server.base) as desk:
            made = await desk.done("code", request=ASKED)
    place = tmp_path / "code" / "calculates_fibonacci_numbers.py"
    assert made["path"] == str(place) and place.read_text() == written and not place.stat().st_mode & 0o111
    assert made["message"] == (
        "I wrote calculates_fibonacci_numbers.py, 7 lines of Python: Print the first Fibonacci numbers."
        " It has not run yet."
    )
    assert made["excerpt"].startswith('"""Print') and made["language"] == "python" and not made["mended"]
    assert ASKED in server.asked[0].said and not (tmp_path / "ran").exists() and server.wrong == []


async def test_what_does_not_compile_is_mended_once(tmp_path: Path) -> None:
    with ModelServer([say(block("def broken(:\n")), say(block(FIBONACCI))]) as server:
        async with desk_in(tmp_path, model=server.base) as desk:
            made = await desk.done("code", request=ASKED, name="fib.py")
    assert made["mended"] and made["file"] == "fib.py" and "line 1: invalid syntax" in server.asked[1].said
    with ModelServer([say(block("def broken(:\n"))] * 2) as server:
        async with desk_in(tmp_path, model=server.base) as desk:
            error = await desk.refused("code", request=ASKED, name="other")
    assert error["code"] == "PROGRAM_INVALID" and "line 1" in error["message"]
    assert [file.name for file in (tmp_path / "code").iterdir()] == ["fib.py"]


async def test_no_program_takes_the_place_of_another(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("mine")
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "fib.py").symlink_to(outside)
    with ModelServer([say(block(FIBONACCI))] * 3) as server:
        async with desk_in(tmp_path, model=server.base) as desk:
            made = [(await desk.done("code", request=ASKED, name="../../etc/fib.py"))["path"] for _ in range(2)]
            made.append((await desk.done("code", request=ASKED, name=".."))["path"])
    assert made == [str(folder / name) for name in ("fib_2.py", "fib_3.py", "calculates_fibonacci_numbers.py")]
    assert outside.read_text() == "mine"


@pytest.mark.process
async def test_a_shell_program_is_checked_by_the_shell(tmp_path: Path) -> None:
    good = "#!/usr/bin/env bash\n# Count the files here.\nif true; then\n  ls | wc -l\nfi\n"
    with ModelServer([say(block(good.replace("fi\n", ""), "bash")), say(block(good, "bash"))]) as server:
        async with desk_in(tmp_path, model=server.base) as desk:
            made = await desk.done("code", request="a bash script that counts the files in a folder")
    assert made["file"].endswith(".sh") and made["mended"] and made["summary"] == "Count the files here."
    assert "syntax error" in server.asked[1].said
    assert await problem_of(f"touch {tmp_path / 'ran'}\n", "shell") == "" and not (tmp_path / "ran").exists()


async def test_without_a_model_nothing_is_pretended(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        error = await desk.refused("code", request=ASKED)
    assert error["code"] == "NOT_READY" and "without a language model" in error["message"] and "models" in error["hint"]
    with ModelServer([Fault("refused")]) as server:
        async with desk_in(tmp_path, model=server.base) as desk:
            assert (await desk.refused("code", request=ASKED))["code"] == "BAD_ANSWER"
    assert not (tmp_path / "code").exists()


@pytest.mark.parametrize(
    ("said", "code", "problem"),
    [
        ("```python\nx\n```", "x\n", ""),
        ("<think>```\nno\n```</think>x = 1", "x = 1\n", ""),
        ("```sh\na\n```\nthen\n```python\nlonger\n```", "longer\n", ""),
        ("```python\nx = 1", "", "it was cut before its end"),
        ("", "", "there is no code block in it"),
        ("```\n```", "", "there is no code block in it"),
        ("````md\n# A\n```\ncode\n```\n````", "# A\n```\ncode\n```\n", ""),
    ],
)
def test_the_code_of_an_answer(said: str, code: str, problem: str) -> None:
    assert code_in(said) == (code, problem)


def test_a_text_with_blocks_of_its_own_is_taken_whole() -> None:
    assert code_in("```md\n# A\n```sh\nls\n```\nend\n```", outermost=True) == ("# A\n```sh\nls\n```\nend\n", "")
    assert code_in("I would rather not.", outermost=True) == ("", "there is no code block in it")


@pytest.mark.parametrize("hostile", ["a\0b", "(" * 5000, "x = " + "-" * 20_000 + "1", "\udc80"])
async def test_hostile_code_is_a_problem_and_no_crash(hostile: str) -> None:
    assert await problem_of(hostile, "python")


def test_names_of_files(tmp_path: Path) -> None:
    assert stem_for("please write me a program") == "please_write_me_a" and stem_for("写一个程序") == "program"
    assert stem_of("Überblick Ü.py") == "uberblick_u" and stem_of("../x/.bashrc") == "bashrc" and stem_of("...") == ""
    folder = CodeFolder(tmp_path / "deep" / "code")
    assert folder.save("a", ".py", "ä\n").read_text(encoding="utf-8") == "ä\n"
