"""Which programs `github_exec` runs, and with which arguments.

The sandbox keeps what they do away from everything else; this list keeps them to building, testing and checking.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reachy_mind.brains.word_lists import spaced
from reachy_mind.developer.command_words import CommandRefused

_NODE_TOOLS = frozenset(spaced("biome eslint jest mocha playwright prettier stylelint tsc vitest"))
_NPM = frozenset(spaced("audit ci install ls outdated run run-script test"))
_SHARED_REFUSED = ("--global", "-g", "--prefix", "--location", "--script-shell", "--node-options", "--eval", "-e")
_TARGET = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./:@-]{0,99}")


@dataclass(frozen=True)
class ProgramRule:
    """`commands`: the first argument has to be one of these; `refused`: options that are not taken; `only`: all that
    are (with `words`, what else an argument may be); `before`: arguments that we add."""

    commands: frozenset[str] = frozenset()
    refused: tuple[str, ...] = ()
    only: frozenset[str] | None = None
    words: re.Pattern[str] | None = None
    before: tuple[str, ...] = ()
    bare: bool = False
    """Whether it may be called without any argument."""


PROGRAMS: Mapping[str, ProgramRule] = {
    "pytest": ProgramRule(refused=("--pdb", "--trace", "--pdbcls", "--rootdir", "--basetemp"), bare=True),
    "ruff": ProgramRule(frozenset(spaced("check format rule linter config version"))),
    "mypy": ProgramRule(refused=("--python-executable", "--install-types", "--non-interactive"), bare=True),
    **{
        name: ProgramRule(bare=True)
        for name in spaced("black isort flake8 pylint pyright bandit gofmt shellcheck prettier eslint jest vitest tsc")
    },
    "coverage": ProgramRule(frozenset(("report", "html", "xml", "json"))),
    "tox": ProgramRule(refused=("--workdir", "--installpkg"), bare=True),
    "make": ProgramRule(
        only=frozenset(
            spaced("-k -n -s -B -q -j --keep-going --dry-run --just-print --silent --quiet --always-make --question")
        ),
        words=_TARGET,
        bare=True,
    ),
    "ninja": ProgramRule(only=frozenset(spaced("-n -v -k0 -j1 -j2 -j4")), words=_TARGET, bare=True),
    "ctest": ProgramRule(refused=("-S", "-SP", "--script", "--build-and-test", "-D", "-M", "-T"), bare=True),
    "npm": ProgramRule(_NPM | {"t"}, _SHARED_REFUSED),
    "pnpm": ProgramRule(_NPM, _SHARED_REFUSED),
    "yarn": ProgramRule(frozenset(spaced("install run test why")), _SHARED_REFUSED),
    "npx": ProgramRule(_NODE_TOOLS, before=("--no-install",)),
    "cargo": ProgramRule(
        frozenset(spaced("bench build check clippy doc fmt metadata test tree")), ("--config", "-Z", "--target-dir")
    ),
    "go": ProgramRule(
        frozenset(spaced("build list mod test version vet")), ("-exec", "-toolexec", "-o", "-modfile", "-overlay")
    ),
}
MODULES = frozenset(spaced("pytest ruff mypy black isort flake8 pylint coverage unittest"))
"""What `python -m` runs."""
PYTHON = re.compile(r"python(?:3(?:\.\d+)?)?")
UNITTEST = ProgramRule(bare=True)


@dataclass(frozen=True)
class AllowedCommand:
    """A command that is run: what was asked for, and its arguments as they are passed on."""

    asked: tuple[str, ...]
    argv: tuple[str, ...] = field(default=())


def allowed_command(words: Sequence[str]) -> AllowedCommand:
    """The command, if it is on the list with these arguments. Raises CommandRefused."""
    name, *arguments = words
    if "/" in name:
        raise CommandRefused(f"{name[:60]!r} is not run by its path", hint=f"by name, one of {_names()}")
    if PYTHON.fullmatch(name):
        return _python(name, arguments, words)
    rule = PROGRAMS.get(name)
    if rule is None:
        raise CommandRefused(f"{name[:60]!r} is not on the list of programs", hint=f"one of {_names()}")
    _require(name, rule, arguments)
    return AllowedCommand(tuple(words), (name, *rule.before, *arguments))


def _python(name: str, arguments: Sequence[str], words: Sequence[str]) -> AllowedCommand:
    if len(arguments) < 2 or arguments[0] != "-m" or arguments[1] not in MODULES:
        raise CommandRefused(
            f"{name} runs only -m with one of {', '.join(sorted(MODULES))}",
            hint="a script of your own: execute_code, with a person's yes",
        )
    module = arguments[1]
    _require(module, PROGRAMS.get(module, UNITTEST), arguments[2:])
    return AllowedCommand(tuple(words), (name, *arguments))


def _require(name: str, rule: ProgramRule, arguments: Sequence[str]) -> None:
    """Raises CommandRefused for arguments that are not taken."""
    if not arguments and not rule.bare:
        raise CommandRefused(f"{name} needs to be told what to do", hint=f"one of {', '.join(sorted(rule.commands))}")
    if rule.commands and arguments[0] not in rule.commands:
        raise CommandRefused(
            f"{name} {arguments[0][:60]} is not on the list", hint=f"one of {', '.join(sorted(rule.commands))}"
        )
    for argument in arguments:
        option = argument.partition("=")[0]
        if rule.only is not None and not _taken(argument, rule):
            raise CommandRefused(f"{name} is not run with {argument[:60]!r}", hint="targets and plain options alone")
        if option in rule.refused or any(_joined(argument, each) for each in rule.refused):
            raise CommandRefused(f"{name} is not run with {option[:60]}", hint="leave it out")
        if _leads_out(argument):
            raise CommandRefused(f"{argument[:60]!r} leads out of the repository", hint="a path such as src/main.py")


def _taken(argument: str, rule: ProgramRule) -> bool:
    assert rule.only is not None
    if argument.startswith("-"):
        return argument in rule.only or re.fullmatch(r"-j\d{1,2}", argument) is not None
    return rule.words is None or rule.words.fullmatch(argument) is not None


def _joined(argument: str, option: str) -> bool:
    """Whether a short option of one letter has its value attached, as in `-Zbuild-std`."""
    return len(option) == 2 and option[1].isupper() and argument.startswith(option)


def _leads_out(argument: str) -> bool:
    value = argument.rpartition("=")[2] if argument.startswith("-") else argument
    return value.startswith(("/", "~")) or ".." in value.split("/")


def _names() -> str:
    return f"{', '.join(sorted(PROGRAMS))}, python -m"
