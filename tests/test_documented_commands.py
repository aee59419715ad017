"""Every command in a fenced block of the documentation exists: in the command line, in `make`, or in the API.

tests/cli/test_documented_runs.py runs those that need no hardware, no network and no minutes.
"""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from typer.main import get_command

from reachy_mind.access.authorization import ROUTE_SCOPES
from reachy_mind.cli import USAGE_ERROR, app
from reachy_mind.config.configuration import PLAIN_VARIABLES, variable
from reachy_mind.config.keys import FIELDS
from tests.shell_blocks import ShellCommand, commands

ROOT = Path(__file__).parents[1]
PAGES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md")), *sorted((ROOT / "docs").rglob("*.md"))]
COMMANDS = [command for page in PAGES for command in commands(page, str(page.relative_to(ROOT)))]
INLINE = re.compile(r"(?<!`)`(?:\.venv/bin/)?(reachy-mind [^`\n]+)`(?!`)")
VARIABLE = re.compile(r"\bREACHY_MIND_[A-Z_]+[A-Z]\b(?!\*)")
WRONG_ON_PURPOSE = {"REACHY_MIND_ROBOT__SCEN", "REACHY_MIND_"}
OTHER_PROGRAMS = {
    "cd": "changes the folder",
    "claude": "Anthropic's program, which is not here",
    "curl": "checked below, and run against a mind",
    "docker": "containers, tried by `make test-container`",
    "done": "a loop of the shell",
    "export": "sets variables",
    "for": "a loop of the shell",
    "git": "clones the repository",
    "journalctl": "systemd's, on a server",
    "kubectl": "a cluster, whose manifests `make test-packaging` checks",
    "make": "checked below",
    "make-secrets": "of packaging/, tried by `make test-packaging`",
    "mkdir": "makes a folder",
    "ollama": "a server of its own",
    "pg_dump": "PostgreSQL's",
    "pg_restore": "PostgreSQL's",
    "pip": "installs",
    "pipx": "installs",
    "post": "a function that the block defines",
    "post()": "defines a function",
    "pre-commit": "of the development tools",
    "python": "runs a file or a module",
    "reachy-mini-conversation-app": "the vendor's program",
    "release": "script/release, tried by tests/test_release.py",
    "rm": "removes",
    "scp": "copies to another machine",
    "source": "enters the environment",
    "ssh": "another machine",
    "sudo": "installs on a server",
    "systemctl": "systemd's, on a server",
    "tail": "cuts an output",
    "tar": "unpacks a backup",
    "uv": "installs",
}
"""Programs that are not ours, and what they are there for. What they need is not on every machine that runs tests."""


def name_of(command: ShellCommand) -> str:
    return command.argv[0].rpartition("/")[2] if command.argv else ""


def of(program: str) -> list[ShellCommand]:
    return [command for command in COMMANDS if name_of(command) == program]


@cache
def root() -> Any:
    return get_command(app)


def family(words: list[str]) -> tuple[Any, list[str], list[str]]:
    """The command that the words name, its name, and its arguments."""
    at = root()
    names: list[str] = []
    while words and words[0] in getattr(at, "commands", {}):
        names.append(words[0])
        at, words = at.commands[words[0]], words[1:]
    return at, names, words


def test_the_pages_have_commands() -> None:
    assert len(COMMANDS) > 300 and {name_of(command) for command in COMMANDS} >= {"reachy-mind", "make", "curl"}


def test_every_other_program_is_known() -> None:
    unknown = [str(each) for each in COMMANDS if name_of(each) not in {*OTHER_PROGRAMS, "reachy-mind", ""}]
    assert not unknown, "say in OTHER_PROGRAMS what it is there for, or mark the block as no shell (```text)"


def test_the_command_line_takes_every_command() -> None:
    wrong = []
    for command in of("reachy-mind"):
        at, names, words = family(list(command.argv[1:]))
        try:
            at.make_context(" ".join(names), words)
        except USAGE_ERROR as error:
            wrong.append(f"{command}: {error}")
        if hasattr(at, "commands") and not words and not at.invoke_without_command:
            wrong.append(f"{command}: needs another word")
        elif hasattr(at, "commands") and words and not words[0].startswith("-"):
            wrong.append(f"{command}: no such command")
    assert not wrong


def test_commands_within_sentences_exist() -> None:
    """`reachy-mind robot look --yaw` may be a part of a command: its words and its options are there."""
    wrong = []
    for text in INLINE.findall("\n".join(page.read_text(encoding="utf-8") for page in PAGES)):
        words = [word for word in re.split(r"[\s\[\]]+", text) if word][1:]
        first = words[0].split("|")[0] if words else ""
        at, _, rest = family([first, *words[1:]])
        known = {option for each in (at, root()) for known in each.params for option in known.opts}
        known |= {option for each in at.params for option in each.secondary_opts} | {"--help", "-h", "--"}
        options = [word.split("=")[0].rstrip(",.;:") for word in rest if word.startswith("--")]
        if (missing := [option for option in options if option not in known]) or (
            at is root() and first.isalpha() and first.islower() and "." not in first
        ):
            wrong.append((text, missing))
    assert not wrong


def test_make_has_every_target() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    wrong = [str(each) for each in of("make") if not targets.issuperset(w for w in each.argv[1:] if "=" not in w)]
    assert not wrong
    named = {name for page in PAGES for name in re.findall(r"`make ([a-z0-9-]+)", page.read_text(encoding="utf-8"))}
    assert named - targets == set()


def test_files_that_python_is_given_are_there() -> None:
    named = {word for each in of("python") for word in each.argv[1:] if word.startswith(("script/", "tests/"))}
    assert [word for word in named if "$" not in word and not (ROOT / word).exists()] == []


def test_the_api_has_the_routes() -> None:
    """Of our own server: others are the simulator's, the vendor's daemon's, or in a network."""
    routes = [route for several in ROUTE_SCOPES.values() for route in several]
    patterns = re.compile("|".join(re.sub(r"\{[^}]+\}", "[^/]+", route) for route in routes))
    asked = [request for each in of("curl") if (request := requested(each))]
    assert len(asked) > 5
    assert [request for request in asked if not patterns.fullmatch(request)] == []


def requested(command: ShellCommand) -> str:
    """`GET /path` of a curl that asks a mind; empty for another one."""
    address = next((word for word in command.argv if word.startswith("http")), "")
    if "127.0.0.1:8642" not in address:
        return ""
    given = dict(zip(command.argv, command.argv[1:], strict=False))
    method = given.get("-X") or ("POST" if {"-F", "-d", "--data-binary"} & set(given) else "GET")
    return f"{method} {urlsplit(address).path}"


def test_variables_exist() -> None:
    known = {variable(key) for key in FIELDS} | set(PLAIN_VARIABLES) | WRONG_ON_PURPOSE
    named = {name for page in PAGES for name in VARIABLE.findall(page.read_text(encoding="utf-8"))}
    assert {name for name in named if name.removesuffix("_FILE") not in known} == set()


def test_blocks_are_read_as_a_reader_types_them(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```sh\nA=1 tool go 'a b' \\\n  --on   # why\nexport B=2\nlist|show x\n```\n"
        "```\n$ tool fly < in.txt | tail -1\nerror: it can't\nprose\n```\n```yaml\ntool: no\n```\n"
    )
    found = list(commands(page, "page"))
    assert [shlex.join(each.argv) for each in found] == [
        "tool go 'a b' --on", "export B=2", "list x", "show x", "tool fly", "tail -1",
    ]  # fmt: skip
    assert found[0].variables == {"A": "1"} and found[1].variables == {"B": "2"}
    assert found[4].fails and found[4].stdin == "in.txt" and not found[0].fails
