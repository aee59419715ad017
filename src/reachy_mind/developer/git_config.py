"""What a repository's own configuration says, and what must not count of it.

A repository's `.git/config` can make git run programs, send a token elsewhere or read other folders. Keys that are
known to be harmless count. Keys that run something and have a value that does nothing are overridden. With any other
key of git's the repository is refused, with the name of the key; keys that git does not know do nothing.
"""

from __future__ import annotations

import asyncio
import fnmatch
import os
import shutil
import stat
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from reachy_mind.brains.word_lists import spaced
from reachy_mind.developer.errors import UnsafeRepository
from reachy_mind.developer.workspace import MAX_CONFIG_BYTES, Repository, require_plain
from reachy_mind.errors import NotReady
from reachy_mind.system.private_files import user_id

Config = Mapping[str, Sequence[str]]
"""Every key with its values, in order. Section and key are in small letters, the part between as it is."""

ALLOWED = spaced(
    """
    core.repositoryformatversion core.filemode core.ignorecase core.precomposeunicode core.symlinks core.autocrlf
    core.eol core.safecrlf core.logallrefupdates core.quotepath core.abbrev core.compression core.loosecompression
    core.untrackedcache core.preloadindex core.checkstat core.trustctime core.bigfilethreshold core.commitgraph
    core.multipackindex core.sparsecheckout core.sparsecheckoutcone core.protecthfs core.protectntfs core.whitespace
    core.sharedrepository core.fscache core.longpaths core.hidedotfiles core.deltabasecachelimit core.packedgit*
    remote.*.url remote.*.fetch remote.*.tagopt remote.*.prune remote.*.push remote.pushdefault
    branch.*.remote branch.*.pushremote branch.*.merge branch.*.rebase branch.*.description branch.*.vscode-merge-base
    branch.autosetupmerge branch.autosetuprebase branch.sort user.* author.* committer.*
    pull.rebase pull.ff merge.ff merge.conflictstyle merge.renames merge.renamelimit merge.stat merge.log
    merge.directoryrenames rebase.* stash.* tag.sort checkout.* apply.* transfer.fsckobjects fetch.fsckobjects
    diff.algorithm diff.renames diff.renamelimit diff.context diff.interhunkcontext diff.colormoved
    diff.mnemonicprefix diff.noprefix diff.wserrorhighlight diff.*.binary diff.*.funcname diff.*.xfuncname
    diff.*.wordregex diff.*.cachetextconv push.default push.autosetupremote push.followtags
    fetch.prune fetch.prunetags fetch.parallel fetch.writecommitgraph fetch.showforcedupdates fetch.unpacklimit
    init.defaultbranch gc.* pack.* index.* feature.* maintenance.* rerere.* i18n.* color.* column.* status.* advice.*
    log.date log.decorate log.follow log.abbrevcommit commit.cleanup commit.status commit.verbose grep.* help.* gui.*
    format.pretty pretty.* blame.coloring blame.date versionsort.* splitindex.* sparse.* windows.* worktree.*
    extensions.objectformat extensions.worktreeconfig extensions.noop
    """
)
"""Keys that may count."""
OVERRIDDEN: Mapping[str, str] = {
    "core.fsmonitor": "false",
    "core.hookspath": "",  # filled in by the runner: an empty folder of ours
    "core.sshcommand": "false",
    "core.gitproxy": "false",
    "core.editor": "false",
    "core.pager": "cat",
    "core.askpass": "",
    "core.attributesfile": os.devnull,
    "core.excludesfile": os.devnull,
    "core.alternaterefscommand": "false",
    "sequence.editor": "false",
    "diff.external": "",
    "diff.ignoresubmodules": "all",
    "diff.submodule": "short",
    "gpg.program": "false",
    "gpg.openpgp.program": "false",
    "gpg.x509.program": "false",
    "gpg.ssh.program": "false",
    "gpg.ssh.defaultkeycommand": "false",
    "commit.gpgsign": "false",
    "tag.gpgsign": "false",
    "push.gpgsign": "false",
    "log.showsignature": "false",
    "commit.template": "",
    "submodule.recurse": "false",
    "fetch.recursesubmodules": "false",
    "push.recursesubmodules": "no",
    "status.submodulesummary": "false",
    "gc.auto": "0",
    "gc.recentobjectshook": "false",
    "maintenance.auto": "false",
    "rebase.autostash": "false",
    "rebase.updaterefs": "false",
    "rebase.forkpoint": "false",
    "rebase.backend": "merge",
    "rerere.enabled": "false",
    "merge.verifysignatures": "false",
    "color.ui": "false",
    "i18n.logoutputencoding": "UTF-8",
    "i18n.commitencoding": "UTF-8",
    "blame.ignorerevsfile": "",
    "protocol.allow": "never",
    "safe.barerepository": "explicit",
    "http.followredirects": "false",
}
"""What git is told, whatever the repository says; also where a later version of git changes a default."""
SILENCED: Mapping[str, str] = {
    "filter.*.clean": "",
    "filter.*.smudge": "",
    "filter.*.process": "",
    "filter.*.required": "false",
    "diff.*.command": "",
    "diff.*.textconv": "",
    "merge.*.driver": "false",
    "pager.*": "false",
}
"""Keys of any name that run something, and the value with which they run nothing; a merge driver then reports a
conflict."""
HARMLESS = spaced(
    """
    alias.* credential.* protocol.* submodule.* merge.tool mergetool.* difftool.* diff.tool diff.guitool guitool.*
    browser.* man.* web.* instaweb.* sendemail.* imap.* interactive.* uploadpack.* receive.* uploadarchive.*
    remote.*.uploadpack remote.*.receivepack trailer.* gitcvs.* notes.* merge.*.name merge.*.recursive core.notesref
    core.commentchar ssh.* format.* credentialcache.* fsmonitor.* gitweb.* showbranch.* tar.* mailinfo.* am.*
    """
)
"""Keys that nothing looks at here. A built-in command can't be renamed by an alias, the list of credential helpers is
emptied with each call, `GIT_ALLOW_PROTOCOL` comes before `protocol`, no submodule is ever initialised, addresses are
given and not looked up by the name of a remote; the rest counts for commands that we do not call."""
GIT_SECTIONS = frozenset(
    spaced(
        """
        advice alias add am apply attr author blame branch browser bundle checkout clean clone color column commit
        commitgraph committer completion core credential credentialcache diff difftool extensions fastimport feature
        fetch filter format fsck fsmonitor gc gitcvs gitweb gpg grep gui guitool help hook http i18n imap include
        includeif index init instaweb interactive log lsrefs mailinfo mailmap maintenance man merge mergetool notes
        pack pager pretty promisor protocol pull push rebase receive refs reftable remote remotes repack rerere
        revert safe sendemail sequence showbranch sparse splitindex ssh stash status submodule tag tar trace2 trailer
        transfer uploadarchive uploadpack url user versionsort web windows worktree
        """
    )
)
"""Sections that git knows; a key of any other one does nothing."""
SINGLE_FILES = ("config", "HEAD", "index", "packed-refs", "ORIG_HEAD", "FETCH_HEAD", "config.worktree", "shallow")
FOLDERS = ("objects", "refs", "logs", "info", "hooks", "rebase-merge", "rebase-apply")


def neutralising(config: Config) -> dict[str, str]:
    """The keys, with values, that make git do nothing of what this configuration asks for."""
    found = dict(OVERRIDDEN)
    for key in config:
        plain = _plain(key)
        for pattern, value in SILENCED.items():
            if fnmatch.fnmatchcase(plain, pattern) and plain.count(".") >= pattern.count("."):
                found[key] = value
    # A filter or driver is looked up by all its keys, so that none of them may be left from another file.
    for key in list(found):
        if key.startswith("filter.") and plain_name(key):
            found |= {f"filter.{plain_name(key)}.{each}": "" for each in ("clean", "smudge", "process")}
            found[f"filter.{plain_name(key)}.required"] = "false"
    return found


def plain_name(key: str) -> str:
    """The part between section and key: `lfs` of `filter.lfs.clean`."""
    return key.partition(".")[2].rpartition(".")[0]


def refused(config: Config) -> list[str]:
    """The keys with which a repository can't be used."""
    found = []
    for key, values in config.items():
        plain = _plain(key)
        section = plain.partition(".")[0]
        if section not in GIT_SECTIONS or plain in OVERRIDDEN:
            continue
        if plain == "core.bare" and all(value.casefold() in ("false", "no", "off", "0") for value in values):
            continue
        if not any(fnmatch.fnmatchcase(plain, pattern) for pattern in (*ALLOWED, *SILENCED, *HARMLESS)):
            found.append(key)
    return found


def _plain(key: str) -> str:
    return key.casefold()


async def local_config(repository: Repository) -> Config:
    """The configuration of a repository. Raises UnsafeRepository when git must not be run in it."""
    await asyncio.to_thread(require_whole, repository)
    config = dict(await read_file(repository.git_folder / "config"))
    if (repository.git_folder / "config.worktree").exists():
        for key, values in (await read_file(repository.git_folder / "config.worktree")).items():
            config[key] = (*config.get(key, ()), *values)
    if keys := refused(config):
        named = ", ".join(repr(key[:80]) for key in keys[:3])
        raise UnsafeRepository(
            f"{repository.name} is not used: its .git/config sets {named}, which can lead elsewhere or run programs",
            hint=f"look at it, then: git config --file {repository.git_folder / 'config'} --unset-all KEY",
        )
    return config


async def read_file(file: Path) -> Config:
    """Every key of a configuration file, without what it includes. Raises UnsafeRepository."""
    # In the root folder, with no configuration of anybody's, git only parses.
    argv = [git_program(), "config", "--file", str(file), "--no-includes", "--null", "--list"]
    process = await asyncio.create_subprocess_exec(
        *argv,
        cwd="/",
        env={"PATH": os.defpath, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "LC_ALL": "C"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        output, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        raise UnsafeRepository(f"{file} can't be read", hint="git config --file FILE --list says why")
    return parsed(output)


def parsed(output: bytes) -> Config:
    """Keys and values from `git config --null --list`."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in output.decode("utf-8", "surrogateescape").split("\0"):
        if entry:
            key, _, value = entry.partition("\n")
            found[key] = (*found.get(key, ()), value)
    return found


@cache
def git_program() -> str:
    """The path of git. Raises NotReady."""
    found = shutil.which("git", path=search_path())
    if found is None:
        raise NotReady("git is not installed", hint="install it: apt install git")
    return found


def search_path() -> str:
    """The folders of programs, without those that depend on where one stands."""
    return os.pathsep.join(
        part for part in os.environ.get("PATH", os.defpath).split(os.pathsep) if Path(part).is_absolute()
    )


def require_whole(repository: Repository) -> None:
    """Raises UnsafeRepository when the git folder is not one of ours alone, in one piece."""
    require_plain(repository.path)
    git = repository.git_folder
    try:
        owner = git.lstat().st_uid
        entries = list(os.scandir(git))
    except OSError as error:
        raise UnsafeRepository(f"{git} can't be read: {error.strerror}", hint="clone the repository again") from None
    if owner != user_id():
        raise UnsafeRepository(f"{git} belongs to another user", hint="clone the repository yourself")
    for entry in entries:
        mode = entry.stat(follow_symlinks=False).st_mode
        wanted = stat.S_ISREG if entry.name in SINGLE_FILES else stat.S_ISDIR if entry.name in FOLDERS else None
        if stat.S_ISLNK(mode) or (wanted is not None and not wanted(mode)):
            raise UnsafeRepository(f"{entry.path} leads to another place", hint="clone the repository again")
        if entry.name in ("commondir", "gitdir"):
            raise UnsafeRepository(f"{entry.path} names another git folder", hint="clone the repository again")
    _forbid_files(git, ("objects/info/alternates", "objects/info/http-alternates"))
    if (git / "config").lstat().st_size > MAX_CONFIG_BYTES:
        raise UnsafeRepository(f"{git / 'config'} is too large", hint="clone the repository again")


def _forbid_files(git: Path, names: Iterable[str]) -> None:
    for name in names:
        if (git / name).exists():
            raise UnsafeRepository(
                f"{git / name} names the objects of another repository", hint="git repack -a -d, then remove that file"
            )
