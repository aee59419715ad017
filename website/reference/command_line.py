"""The page of the command line: every command, with what its `--help` says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from typer.main import get_command

from reachy_mind.cli import app
from website.markup import code, plain_text, table

INTRODUCTION = """\
# Command line

Every command with its arguments and options, as `--help` prints them. Examples and output:
[the guide](../command-line.md). Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted."""
NAME = "reachy-mind"
PLACEHOLDERS = {
    "<int>": "N",
    "<float>": "NUMBER",
    "<str>": "TEXT",
    "<path>": "PATH",
    " <list[str]>": "",
    "<list[str]>": "TEXT",
}
"""What Typer prints for a type, and what a reader expects."""


def page() -> str:
    """Families of commands are sections."""
    parts = [INTRODUCTION]
    root = get_command(app)
    single = {name: each for name, each in commands_of(root).items() if not commands_of(each)}
    for name, command in single.items():
        parts += _command(command, (NAME, name), 2)
    for name, family in commands_of(root).items():
        if name not in single:
            parts.append(f"## {NAME} {name}\n\n{plain_text(family.help or '')}")
            for inside, command in _leaves(family, (NAME, name)):
                parts += _command(command, inside, 3)
    return "\n\n".join(parts) + "\n"


def commands_of(command: Any) -> dict[str, Any]:
    """The commands of a family that are shown, by name; none for a command."""
    return {name: each for name, each in getattr(command, "commands", {}).items() if not each.hidden}


def _leaves(family: Any, names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in commands_of(family).items():
        if commands_of(command):
            yield from _leaves(command, (*names, name))
        else:
            yield (*names, name), command


def _command(command: Any, names: tuple[str, ...], level: int) -> Iterator[str]:
    context = typer.Context(command, info_name=" ".join(names))
    yield f"{'#' * level} {' '.join(names)}"
    yield plain_text(command.help or "")
    yield f"```text\n{' '.join((*names, *command.collect_usage_pieces(context)))}\n```"
    records = [each.get_help_record(context) for each in command.params if not getattr(each, "hidden", False)]
    rows = [(code(_readable(record[0])), plain_text(record[1])) for record in records if record]
    if rows:
        yield table(("argument or option", "what it is"), rows)


def _readable(option: str) -> str:
    """With what a value is called in the place of its type."""
    for sign, words in PLACEHOLDERS.items():
        option = option.replace(sign, words)
    return option.strip()
