"""`mcp install`: our entry in a client's file, and nothing else in there touched."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.mcp.client_installation import BACKUP_SUFFIX, clients
from tests.fakes.processes import here, here_json

FILES = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "claude-code": ".claude.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
}


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user of their own."""
    folder = tmp_path / "user"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    return folder


def written(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize("client", FILES)
@pytest.mark.process
def test_a_client_is_told_and_the_rest_of_its_file_stays(user: Path, client: str, home: Path) -> None:
    key = "servers" if client == "vscode" else "mcpServers"
    other = {"command": "npx", "args": ["-y", "ünïcode"]}
    before = {"theme": "dark", key: {"other": other}, "projects": {"/x": {"history": [1, 2]}}}
    file = written(user / FILES[client], before)
    file.chmod(0o640)
    (told,) = here_json("mcp", "install", "--client", client)["clients"]
    assert told["written"] and Path(told["file"]) == file
    after = json.loads(file.read_text())
    entry = after[key].pop("reachy")
    assert after == before, "everything else is as it was"
    assert file.stat().st_mode & 0o777 == 0o640
    assert entry.get("type") == ("stdio" if client in ("claude-code", "vscode") else None)
    assert Path(entry["command"]).is_absolute() and entry["args"][-3:] == ["mcp", "--server", "all"]
    assert entry["env"] == {"REACHY_MIND_HOME": str(home)}
    assert json.loads(file.with_name(file.name + BACKUP_SUFFIX).read_text()) == before
    # The command in there is one that works.
    argv = [entry["command"], *entry["args"][:-2], "--help"]
    assert "assistant" in subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    # Again changes nothing, and it can be taken out again.
    content = file.read_text()
    (again,) = here_json("mcp", "install", "--client", client)["clients"]
    assert not again["changed"] and file.read_text() == content
    here_json("mcp", "uninstall", "--client", client)
    assert json.loads(file.read_text()) == before


def test_a_dry_run_writes_nothing(user: Path) -> None:
    done = here("mcp", "install", "--client", "cursor", "--server", "robot", "--dry-run")
    assert done.returncode == 0 and "would write" in done.stdout and '"reachy-robot"' in done.stdout
    assert list(user.iterdir()) == []


def test_without_a_name_all_that_are_there(user: Path) -> None:
    nobody = here("mcp", "install")
    assert nobody.returncode == 1 and "--client" in nobody.stderr
    (user / ".cursor").mkdir()
    written(user / ".claude.json", {})
    found = here_json("mcp", "install")["clients"]
    assert [each["client"] for each in found] == ["claude-code", "cursor"]
    assert "reachy" in json.loads((user / ".cursor" / "mcp.json").read_text())["mcpServers"]


@pytest.mark.parametrize(
    "text", ['{"mcpServers": {', '// mine\n{"mcpServers": {}}', "[]", '{"mcpServers": []}', "\x00", "7"]
)
def test_a_file_that_is_not_plain_json_is_left_alone(user: Path, text: str) -> None:
    file = written(user / FILES["cursor"], text)
    done = here("mcp", "install", "--client", "cursor")
    assert done.returncode == 1 and "mcp.json" in done.stderr and "not changed" in done.stderr
    assert file.read_text() == text and list(file.parent.iterdir()) == [file]


def test_a_link_stays_one(user: Path) -> None:
    file = written(user / "dotfiles" / "mcp.json", {})
    (user / ".cursor").mkdir()
    (user / ".cursor" / "mcp.json").symlink_to(file)
    here_json("mcp", "install", "--client", "cursor")
    assert (user / ".cursor" / "mcp.json").is_symlink() and "reachy" in file.read_text()


def test_wrong_names(user: Path) -> None:
    assert "no client 'emacs'" in here("mcp", "install", "--client", "emacs").stderr
    assert "no server 'x'" in here("mcp", "install", "--client", "cursor", "--server", "x").stderr


def test_each_system_has_its_places() -> None:
    user = Path("/u")
    mac = clients({}, "darwin", user)
    assert mac["claude-desktop"].file == user / "Library/Application Support/Claude/claude_desktop_config.json"
    assert mac["vscode"].file == user / "Library/Application Support/Code/User/mcp.json"
    windows = clients({"APPDATA": "/u/roaming"}, "win32", user)
    assert windows["claude-desktop"].file == Path("/u/roaming/Claude/claude_desktop_config.json")
    assert windows["claude-code"].file == user / ".claude.json"
    linux = clients({"XDG_CONFIG_HOME": "/u/xdg", "CLAUDE_CONFIG_DIR": "/u/claude"}, "linux", user)
    assert linux["vscode"].file == Path("/u/xdg/Code/User/mcp.json")
    assert linux["claude-code"].file == Path("/u/claude/.claude.json")
