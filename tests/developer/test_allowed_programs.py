"""Which commands are run in repositories: the ways around a list of first words lead nowhere."""

from __future__ import annotations

import pytest

from reachy_mind.developer.allowed_programs import allowed_command
from reachy_mind.developer.command_words import CommandRefused, command_words
from reachy_mind.errors import InvalidParameter, MindError

TAKEN = {
    "pytest -q tests/test_a.py::test_b": ["pytest", "-q", "tests/test_a.py::test_b"],
    "pytest -k 'a and (b or c)'": ["pytest", "-k", "a and (b or c)"],
    "pytest 'tests/a.py::test[1]'": ["pytest", "tests/a.py::test[1]"],
    "ruff check --fix .": ["ruff", "check", "--fix", "."],
    "mypy src/": ["mypy", "src/"],
    "make -j4 lint": ["make", "-j4", "lint"],
    "npm run build": ["npm", "run", "build"],
    "npx eslint src": ["npx", "--no-install", "eslint", "src"],
    "cargo test --workspace": ["cargo", "test", "--workspace"],
    "go test ./...": ["go", "test", "./..."],
    "python3 -m pytest -q": ["python3", "-m", "pytest", "-q"],
}
REFUSED = (
    "ls",
    "ls; rm -rf x",
    "pytest; rm -rf .",
    "pytest && curl x",
    "pytest | sh",
    "pytest > x",
    "pytest `id`",
    "pytest $(id)",
    'pytest "$(id)"',
    "pytest $HOME",
    "pytest\nrm x",
    "pytest &",
    "pytest tests/*.py",
    "python -c 'import os'",
    "python3 evil.py",
    "python3",
    "python3 -m http.server",
    "python3 -m pip install x",
    "node -e 1",
    "docker run x",
    "bash -c x",
    "sh x.sh",
    "env pytest",
    "sudo pytest",
    "/usr/bin/pytest",
    "./pytest",
    "make SHELL=/tmp/x",
    "make --eval=x",
    "make -f /tmp/Makefile",
    "make -C /",
    "npm exec x",
    "npm config set script-shell=/tmp/x",
    "npm run build --script-shell=/tmp/x",
    "npm install -g x",
    "npx cowsay",
    "cargo run",
    "cargo test --config build.rustc=x",
    "cargo test -Zx",
    "go run x.go",
    "go test -exec=/tmp/x ./...",
    "go generate",
    "ruff",
    "ruff server",
    "pytest --rootdir=/",
    "pytest --pdb",
    "pytest ../other",
    "pytest /etc",
    "mypy --config-file=/etc/x",
    "mypy --install-types",
    "git push",
    "curl x",
    "",
    "   ",
    "'pytest",
)


@pytest.mark.parametrize("command", TAKEN)
def test_checks_and_builds_are_taken(command: str) -> None:
    assert list(allowed_command(command_words(command)).argv) == TAKEN[command]


@pytest.mark.parametrize("command", REFUSED)
def test_the_rest_is_refused_with_what_to_do(command: str) -> None:
    with pytest.raises(MindError) as refused:
        allowed_command(command_words(command))
    assert refused.value.code in ("COMMAND_REFUSED", "INVALID_PARAMETER")
    assert refused.value.message and refused.value.hint


def test_nothing_reaches_a_program_that_it_could_not_be_given() -> None:
    with pytest.raises(InvalidParameter):
        command_words("pytest \0")
    with pytest.raises(InvalidParameter):
        command_words("pytest " + "x" * 5000)
    with pytest.raises(InvalidParameter):
        command_words("pytest " + "x " * 300)
    with pytest.raises(CommandRefused, match="needs a shell"):
        command_words("pytest ;")
