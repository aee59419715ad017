"""Repositories that try to run a program, each in its own way. Each says how plain git falls for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.developer.repositories import commit, git, write


@dataclass(frozen=True)
class Trap:
    """`lay` prepares a repository so that the program runs; `spring` is what plain git is told, for that to happen."""

    name: str
    lay: Callable[[Path, str], None]
    spring: tuple[tuple[str, ...], ...]
    refused: bool = False
    """Whether the repository is not used at all."""


def _config(*entries: tuple[str, str], attributes: str = "") -> Callable[[Path, str], None]:
    def lay(path: Path, program: str) -> None:
        if attributes:
            commit(path, "chore: attributes", {".gitattributes": attributes})
        for key, value in entries:
            git(path, "config", key, value.format(program=program))
        write(path, {"README.md": "# Changed by somebody\n"})

    return lay


def _hook(*names: str) -> Callable[[Path, str], None]:
    def lay(path: Path, program: str) -> None:
        hooks = path / ".git" / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in names:
            (hooks / name).write_text(f"#!/bin/sh\n{program}\n")
            (hooks / name).chmod(0o755)
        write(path, {"README.md": "# Changed\n"})

    return lay


def _included(path: Path, program: str) -> None:
    write(path, {".git/more": f"[core]\n\tfsmonitor = {program}\n"})
    git(path, "config", "include.path", "more")


def _included_if(path: Path, program: str) -> None:
    write(path, {"shared.config": f"[core]\n\tfsmonitor = {program}\n"})
    git(path, "config", "includeIf.gitdir:**.path", str(path / "shared.config"))


def _worktree_config(path: Path, program: str) -> None:
    git(path, "config", "extensions.worktreeConfig", "true")
    git(path, "config", "--worktree", "core.fsmonitor", program)


def _nested(path: Path, program: str) -> None:
    """A submodule whose own configuration runs the program when its state is asked for."""
    inner = path / "inner"
    inner.mkdir()
    git(inner, "init", "--quiet")
    commit(inner, "feat: inner", {"inner.txt": "1\n"})
    head = git(inner, "rev-parse", "HEAD")
    git(path, "update-index", "--add", "--cacheinfo", f"160000,{head},inner")
    git(path, "commit", "--quiet", "-m", "feat: inner")
    git(inner, "config", "core.fsmonitor", program)


def _linked(path: Path, program: str) -> None:
    """A git folder elsewhere, with a hostile configuration."""
    away = path.parent / "away"
    (path / ".git").replace(away)
    (path / ".git").write_text(f"gitdir: {away}\n")
    git(path, "config", "core.fsmonitor", program)


def _symlinked(path: Path, program: str) -> None:
    away = path.parent.parent / "away"
    (path / ".git").replace(away)
    (path / ".git").symlink_to(away)
    git(path, "config", "core.fsmonitor", program)


def _common(path: Path, program: str) -> None:
    """A git folder that takes its configuration from another one."""
    away = path.parent.parent / "away"
    git(path, "clone", "--quiet", "--bare", ".", str(away))
    git(away, "config", "core.fsmonitor", program)
    git(away, "config", "core.bare", "false")
    (path / ".git" / "commondir").write_text(str(away))


def _helper(path: Path, program: str) -> None:
    git(path, "remote", "set-url", "origin", f"ext::{program}")
    git(path, "config", "protocol.ext.allow", "always")


STATUS = (("status",),)
COMMIT = (("commit", "-qam", "x"),)
TRAPS = (
    Trap("fsmonitor", _config(("core.fsmonitor", "{program}")), STATUS),
    Trap("fsmonitor of a worktree", _worktree_config, STATUS),
    Trap("hooks", _hook("pre-commit", "post-commit", "commit-msg", "prepare-commit-msg"), COMMIT),
    Trap(
        "hooks of checkout",
        _hook("post-checkout", "post-merge", "post-rewrite", "pre-rebase"),
        (("switch", "-qc", "x"),),
    ),
    Trap("hooks of references", _hook("reference-transaction", "pre-push", "post-index-change"), (("branch", "x"),)),
    Trap("hooks elsewhere", _config(("core.hooksPath", "{program}.hooks")), COMMIT),
    Trap("clean filter", _config(("filter.evil.clean", "{program}"), attributes="* filter=evil\n"), (("add", "."),)),
    Trap(
        "smudge filter",
        _config(("filter.evil.smudge", "{program}"), ("filter.evil.required", "true"), attributes="* filter=evil\n"),
        (("checkout", "--", "README.md"),),
    ),
    Trap("filter process", _config(("filter.e.process", "{program}"), attributes="* filter=e\n"), (("add", "."),)),
    Trap("textconv", _config(("diff.evil.textconv", "{program}"), attributes="* diff=evil\n"), (("diff",),)),
    Trap("diff command", _config(("diff.evil.command", "{program}"), attributes="* diff=evil\n"), (("diff",),)),
    Trap("external diff", _config(("diff.external", "{program}")), (("diff",),)),
    Trap("included", _included, STATUS, refused=True),
    Trap("included under a condition", _included_if, STATUS, refused=True),
    Trap("submodule", _nested, STATUS, refused=True),
    Trap("linked worktree", _linked, STATUS, refused=True),
    Trap("linked git folder", _symlinked, STATUS, refused=True),
    Trap("common folder", _common, STATUS, refused=True),
    Trap("signing", _config(("commit.gpgSign", "true"), ("gpg.program", "{program}")), COMMIT),
    Trap(
        "shown signatures",
        _config(("log.showSignature", "true"), ("gpg.program", "{program}"), ("gpg.ssh.program", "{program}")),
        (),
    ),
    Trap("editor", _config(("core.editor", "{program}"), ("sequence.editor", "{program}")), (("commit", "-a"),)),
    Trap(
        "ssh", _config(("core.sshCommand", "{program}"), ("remote.origin.url", "git@127.0.0.1:a/b.git")), (("fetch",),)
    ),
    Trap("protocol of its own", _helper, (("fetch",),)),
    Trap("upload pack", _config(("remote.origin.uploadpack", "{program}")), (("fetch",),)),
    Trap("receive pack", _config(("remote.origin.receivepack", "{program}")), (("push",),)),
    Trap("credential helper", _config(("credential.helper", "!{program}")), ()),
    Trap("askpass", _config(("core.askPass", "{program}")), ()),
    Trap("alias", _config(("alias.status", "!{program}"), ("alias.st", "!{program}")), (("st",),)),
    Trap("pager", _config(("core.pager", "{program}"), ("pager.log", "{program}")), ()),
    Trap("alternate references", _config(("core.alternateRefsCommand", "{program}")), ()),
    Trap("other address", _config(("url.ext::{program} .insteadOf", "https://")), (), refused=True),
    Trap("proxy", _config(("http.proxy", "http://127.0.0.1:9")), (), refused=True),
    Trap("other working tree", _config(("core.worktree", "/usr")), (), refused=True),
    Trap("collected garbage", _config(("gc.recentObjectsHook", "{program}"), ("gc.auto", "1")), ()),
    Trap("trailers", _config(("trailer.sign.command", "{program}")), ()),
)


def _merge_driver(path: Path, program: str) -> None:
    commit(path, "chore: attributes", {".gitattributes": "* merge=evil\n"})
    git(path, "config", "merge.evil.driver", program)
    git(path, "switch", "--quiet", "--create", "side")
    commit(path, "feat: side", {"README.md": "# Side\n"})
    git(path, "switch", "--quiet", "main")
    commit(path, "feat: main", {"README.md": "# Main\n"})


TRAPS += (Trap("merge driver", _merge_driver, (("merge", "side"),)),)
