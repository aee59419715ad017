"""The commands of the documentation, run as a reader runs them: in the order of the page, beside one running mind.

What is not run has a reason here; tests/test_documented_commands.py checks that it exists. A command whose output in
the page begins with `error:` has to fail, any other one has to succeed.
"""

from __future__ import annotations

import fnmatch
import json
import re
import shlex
from pathlib import Path

import httpx
import pytest

from tests.fakes.minds import Run
from tests.fakes.processes import here
from tests.shell_blocks import ShellCommand
from tests.test_documented_commands import COMMANDS, ROOT, name_of, requested

pytestmark = [pytest.mark.process, pytest.mark.timeout(400)]

NOT_RUN = {  # a pattern of the command's words: why
    "ask 'dance twice, then nod'": "dances until the command of the second terminal stops it",
    "ask --file *": "needs a file of the reader's; tests/cli/test_commands.py",
    "bench ?*": "minutes",
    "chat": "a person types; tests/cli/test_chat.py",
    "demo ?*": "minutes; make demos, tests/demo",
    "demo --list": "",
    "demonstrations *": "needs demonstrations; tests/cli/test_demonstrations.py",
    "device *": "needs a control plane; tests/cli/test_fleet.py",
    "doctor*": "computes for ten seconds; tests/cli/test_commands.py",
    "fleet *": "needs a control plane; tests/cli/test_fleet.py",
    "learn *": "minutes, or torch; tests/learning",
    "learn status": "",
    "memory erase Ada": "asks a person at a terminal; tests/cli/test_memory.py",
    "mcp --http": "needs the mind's own port 8642; tests/mcp",
    "mcp allow *": "starts a server of somebody else's",
    "media setup": "the network, and 400 MB",
    "models pull *": "the network",
    "models verify": "reads every model on this machine",
    "moves import *": "needs a file of the reader's, or the network; tests/cli/test_moves.py",
    "moves import slow_wave.json": "",
    "moves play simple_nod": "needs moves of the vendor's hub",
    "moves play slow_wave*": "needs a recorded move",
    "moves play sneeze": "needs what a program of the page wrote",
    "moves record turn *": "a person leads the head by hand",
    "permissions reload": "needs a mistake in the page's file; tests/tools/test_permissions_file.py",
    "permissions check greet": "a tool of the page; tests/test_extending.py",
    "photos erase 2026*": "a photo of the reader's",
    "profile new sea_captain": "the name is taken: docs/start/teacher.md makes one",
    "profile check sea_captain": "needs the mistakes of the page; tests/cli/test_profile.py",
    "profile trust sea_captain": "needs a tool in the folder; tests/cli/test_profile.py",
    "repair": "no mind may run; tests/cli/test_storage.py",
    "restore *": "no mind may run; tests/storage/test_restore.py",
    "robot discover*": "the network",
    "robot state --robot *": "a robot on the network",
    "run*": "ends with Ctrl-C; tests/cli/test_run.py",
    "sim*": "runs until Ctrl-C, or needs one at port 8000; tests/cli/test_sim.py",
    "talk*": "a microphone; tests/cli/test_talk.py",
    "tools call count_slowly *": "a tool of the page; tests/tools/test_conversation_app.py",
    "token new kitchen": "the name is taken: docs/command-line.md makes one",
    "tools call detect_faces": "follows nobody here, which spares computing; tests/eyes",
    "tools call greet *": "a tool of the page; tests/test_extending.py",
    "tools call peek *": "a tool of the page; tests/tools/test_conversation_app.py",
    "tools call play_move *": "needs the rule of the page; tests/cli/test_permissions.py",
    "voices try *": "sound, and a voice that is pulled; tests/cli/test_voices.py",
    "voices use *": "a voice that is pulled; tests/cli/test_voices.py",
    "workshop *": "needs files of the reader's, or writes a tool for minutes; tests/cli/test_workshop.py",
    "workshop list": "",
}
"""The longest pattern that fits counts; an empty reason: it is run."""
LASTING = {"moves play salsa*": "twenty seconds", "moves play nod+happy+wave": "nine seconds, as others of the page"}
OWN_TESTS = {"docs/privacy.md": "tests/test_privacy.py"}
"""Pages whose commands are run elsewhere, in a data folder that is in use."""
CURL_NOT_RUN = {
    "/api/v1/confirmations": "",
    "/api/v1/vision/analyze": "needs a picture of the reader's; tests/server",
    "/api/v1/chat": "the same sentence as ask",
}


def why_not(command: ShellCommand) -> str:
    text = shlex.join(command.argv[1:])
    rules = NOT_RUN | LASTING
    fitting = [pattern for pattern in rules if fnmatch.fnmatchcase(text, pattern)]
    return rules[max(fitting, key=len)] if fitting else ""


def by_page() -> dict[str, list[ShellCommand]]:
    """What is run, with the first page that has it."""
    found: dict[str, list[ShellCommand]] = {}
    seen = set[tuple[str, bool]]()
    for command in COMMANDS:
        shown = shlex.join(command.argv[1:]), command.fails
        if command.page in OWN_TESTS or name_of(command) != "reachy-mind":
            continue
        if not why_not(command) and shown not in seen:
            found.setdefault(command.page, []).append(command)
            seen.add(shown)
    return found


RUN = by_page()


@pytest.mark.parametrize("page", RUN)
def test_the_commands_of_a_page_do_what_it_says(
    page: str, running: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    wrong = []
    for command in RUN[page]:
        argv = [word.replace("/mnt/usb", str(tmp_path)) for word in command.argv[1:]]
        done = here(*argv)
        if (done.returncode != 0) != command.fails:
            told = done.stderr.strip() or done.stdout.strip()[-300:]
            wrong.append(f"{command}\n  ended with {done.returncode}: {told}")
    assert not wrong, "\n".join(wrong)


def test_the_requests_of_the_pages_are_answered(running: Run) -> None:
    wrong, asked = [], 0
    for command in COMMANDS:
        if not (request := requested(command)) or CURL_NOT_RUN.get(request.split()[1]):
            continue
        address = next(word for word in command.argv if word.startswith("http"))
        given = dict(zip(command.argv, command.argv[1:], strict=False))
        body = json.loads(given["-d"]) if "-d" in given else None
        url = address.replace("http://127.0.0.1:8642", running.url)
        response = httpx.request(request.split()[0], url, json=body, timeout=60)
        asked += 1
        if response.is_error:
            wrong.append(f"{command}\n  {response.status_code}: {response.text[:300]}")
    assert asked > 4 and not wrong, "\n".join(wrong)


def test_wrong_settings_end_a_run_as_the_page_shows(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = [each for each in COMMANDS if each.variables and each.fails and name_of(each) == "reachy-mind"]
    assert len(failing) >= 2
    for command in failing:
        page = (ROOT / command.page).read_text(encoding="utf-8").splitlines()
        with monkeypatch.context() as environment:
            for name, value in command.variables.items():
                environment.setenv(name, value)
            done = here(*command.argv[1:])
        assert done.returncode == 1
        assert done.stderr.splitlines()[:2] == [line.strip() for line in page[command.line : command.line + 2]]


def test_every_reason_is_for_a_command() -> None:
    ours = [shlex.join(each.argv[1:]) for each in COMMANDS if name_of(each) == "reachy-mind"]
    assert [rule for rule in NOT_RUN | LASTING if not any(fnmatch.fnmatchcase(text, rule) for text in ours)] == []
    asked = {requested(each).partition(" ")[2] for each in COMMANDS}
    assert set(CURL_NOT_RUN) <= asked
    files = {file for why in NOT_RUN.values() for file in re.findall(r"tests/[\w/]+(?:\.py)?", why)}
    assert [file for file in files if not (ROOT / file).exists()] == []
