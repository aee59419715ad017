"""Which commands test, lint, format and check a repository, by the files that it has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_COMMANDS: Mapping[str, Mapping[str, str]] = {
    "tests": {"package.json": "npm test", "Cargo.toml": "cargo test", "go.mod": "go test ./...", "": "pytest -q"},
    "lint": {
        "package.json": "npx eslint .",
        "Cargo.toml": "cargo clippy",
        "go.mod": "go vet ./...",
        "": "ruff check .",
    },
    "format": {
        "package.json": "npx prettier --write .",
        "Cargo.toml": "cargo fmt",
        "go.mod": "gofmt -w .",
        "": "ruff format .",
    },
    "types": {
        "package.json": "npx tsc --noEmit",
        "Cargo.toml": "cargo check",
        "go.mod": "go build ./...",
        "": "mypy .",
    },
}


def repository_command(kind: str, folder: Path | None) -> str:
    """The command of a kind for the repository in this folder; the usual one without a folder. Blocks."""
    commands = _COMMANDS[kind]
    return next(command for file, command in commands.items() if not file or (folder and (folder / file).exists()))
