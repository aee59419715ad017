"""What a program sees of the machine: the system's programs, the interpreter with its tools, and little of /etc."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reachy_mind.config.developer_settings import DeveloperSettings
from reachy_mind.developer.workspace import Workspace
from reachy_mind.errors import NotReady

INSIDE_ID = 1000
HOME, TEMP, WORKSPACE = "/home/developer", "/tmp", "/workspace"  # noqa: S108
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
ETC = (
    "alternatives",
    "ca-certificates.conf",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "os-release",
    "pki/ca-trust/extracted",
    "pki/tls/certs",
    "protocols",
    "services",
    "ssl/certs",
    "ssl/openssl.cnf",
    "timezone",
)
"""No accounts, hosts, keys or settings of services: those that programs need are made up."""
OWN_TOOLS = (".venv/bin", "venv/bin", "node_modules/.bin")
"""Programs that a repository brought along, found first."""
CACHES = {
    "PYTHONPYCACHEPREFIX": f"{TEMP}/python",
    "PYTEST_ADDOPTS": f"-o cache_dir={TEMP}/pytest",
    "RUFF_CACHE_DIR": f"{TEMP}/ruff",
    "MYPY_CACHE_DIR": f"{TEMP}/mypy",
    "COVERAGE_FILE": f"{TEMP}/coverage",
    "HYPOTHESIS_STORAGE_DIRECTORY": f"{TEMP}/hypothesis",
    "XDG_CACHE_HOME": f"{TEMP}/cache",
    "GOCACHE": f"{TEMP}/go",
    "npm_config_cache": f"{TEMP}/npm",
}
"""Caches lie outside of the working copy: they are no changes."""


@dataclass(frozen=True)
class ProgramView:
    """Folders and links by where they are inside, files of /etc by name, and folders of programs."""

    read_only: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    path: tuple[str, ...]
    variables: dict[str, str] = field(default_factory=dict)

    def environment(self, inside: str, proxy_port: int = 0) -> dict[str, str]:
        """All variables of a program whose working copy is at `inside`. Nothing of ours is passed on."""
        own = tuple(f"{inside}/{folder}" for folder in OWN_TOOLS)
        proxy = f"http://127.0.0.1:{proxy_port}"
        proxies = {"HTTPS_PROXY": proxy, "https_proxy": proxy, "NO_PROXY": "localhost,127.0.0.1,::1"}
        return {
            "PATH": ":".join((*own, *self.path)),
            "HOME": HOME,
            "USER": "developer",
            "LOGNAME": "developer",
            "TMPDIR": TEMP,
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "NO_COLOR": "1",
            "PYTHONUNBUFFERED": "1",
            "CI": "true",
            **CACHES,
            **self.variables,
            **(proxies if proxy_port else {}),
        }


def etc() -> dict[str, str]:
    """Files that say who the user is, and that there is no network of names."""
    return {
        "passwd": f"developer:x:{INSIDE_ID}:{INSIDE_ID}::{HOME}:/bin/sh\n",
        "group": f"developer:x:{INSIDE_ID}:\n",
        "hosts": "127.0.0.1 localhost\n::1 localhost\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    }


def program_view(settings: DeveloperSettings, workspace: Workspace, data_folder: Path) -> ProgramView:
    """What programs of these settings see. Looks at the disk. Raises NotReady for a folder that may not be shown."""
    links, trees = [], []
    for name in SYSTEM:
        path = Path(name)
        if path.is_symlink():
            links.append((name, str(path.readlink())))
        elif path.is_dir():
            trees.append(name)
    trees += [f"/etc/{name}" for name in ETC if Path(f"/etc/{name}").exists()]
    tools = [folder.expanduser().absolute() for folder in settings.tool_folders]
    _require_harmless(tools, workspace, data_folder)
    interpreter = [str(Path(prefix).absolute()) for prefix in (sys.prefix, sys.base_prefix)]
    trees += _outermost([*interpreter, *map(str, tools)], trees)
    places = [f"{interpreter[0]}/bin", *(str(tool / "bin" if (tool / "bin").is_dir() else tool) for tool in tools)]
    places += [f"{interpreter[1]}/bin", "/usr/local/bin", "/usr/bin", "/bin"]
    rustup = next((str(tool) for tool in tools if tool.name == ".rustup"), "")
    variables = {"RUSTUP_HOME": rustup} if rustup else {}
    return ProgramView(tuple((tree, tree) for tree in trees), tuple(links), tuple(dict.fromkeys(places)), variables)


def _outermost(folders: Iterable[str], besides: Sequence[str]) -> list[str]:
    """Folders that are in none of the others; those that are not there are left out."""
    found: list[str] = []
    for folder in sorted(set(folders)):
        if Path(folder).is_dir() and not any(Path(folder).is_relative_to(each) for each in (*besides, *found)):
            found.append(folder)
    return found


def _require_harmless(folders: Iterable[Path], workspace: Workspace, data_folder: Path) -> None:
    """Raises NotReady where a folder of tools would show the home folder, repositories or the mind's data."""
    private = [data_folder, workspace.repository_folder, workspace.code_folder]
    with contextlib.suppress(RuntimeError):  # a user of a service may have no home
        private.append(Path.home())
    for folder in folders:
        if not folder.is_dir():
            raise NotReady(f"there is no folder {folder}", hint="developer.tool_folders names it")
        real = folder.resolve()
        if any(each.resolve().is_relative_to(real) for each in private) or real.is_relative_to(data_folder.resolve()):
            raise NotReady(
                f"programs may not see {folder}: it holds what is private",
                hint="name the folder of the tools alone in developer.tool_folders",
            )
