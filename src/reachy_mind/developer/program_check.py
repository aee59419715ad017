"""`problem_of`: why an interpreter can't read a program. Nothing of it runs."""

from __future__ import annotations

import asyncio
import shutil
from typing import Literal

Language = Literal["python", "shell"]

SHELL_TIMEOUT_S = 10.0
MAX_PROBLEM_CHARS = 300


async def problem_of(code: str, language: Language) -> str:
    """What is wrong, with its line; empty for a program that can be read."""
    return await (asyncio.to_thread(python_problem, code) if language == "python" else shell_problem(code))


def python_problem(code: str) -> str:
    """What Python's compiler says against it."""
    try:
        compile(code, "program", "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"line {error.lineno or 1}: {error.msg}"
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return f"{type(error).__name__}: {error}"[:MAX_PROBLEM_CHARS]
    return ""


async def shell_problem(code: str) -> str:
    """What the shell says against it, told to read commands and run none; empty on a machine without a shell."""
    shell = shutil.which("bash") or shutil.which("sh")
    if shell is None:
        return ""
    process = await asyncio.create_subprocess_exec(
        *(shell, "-n"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env={"LC_ALL": "C"},
        cwd="/",
    )
    try:
        async with asyncio.timeout(SHELL_TIMEOUT_S):
            _, errors = await process.communicate(code.encode("utf-8", "replace"))
    except TimeoutError:
        return f"the shell took longer than {SHELL_TIMEOUT_S:g} s to read it"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if not process.returncode:
        return ""
    first = (errors.decode("utf-8", "replace").splitlines() or ["it can't be read"])[0]
    return first.partition(": ")[2][:MAX_PROBLEM_CHARS] or first[:MAX_PROBLEM_CHARS]
