"""`Developer`: what the tools work with: the workspace, git, the author, and what each conversation is about."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from reachy_mind.config.configuration import Configuration
from reachy_mind.developer import file_analysis, message_model
from reachy_mind.developer.code_folder import CodeFolder
from reachy_mind.developer.conversation_calls import ConversationCalls
from reachy_mind.developer.errors import GitFailed
from reachy_mind.developer.file_edits import FileEdit, FileEditor
from reachy_mind.developer.git_branches import GitBranches
from reachy_mind.developer.git_remote import GitRemote
from reachy_mind.developer.git_runner import CommitAuthor, GitRunner
from reachy_mind.developer.git_staging import GitStaging
from reachy_mind.developer.git_state import DiffText, GitState
from reachy_mind.developer.program_writer import ProgramWriter
from reachy_mind.developer.remotes import RemoteAddress, parse
from reachy_mind.developer.workspace import OWNER, Repository, Workspace
from reachy_mind.developer.worktree_files import WorktreeFiles
from reachy_mind.errors import InvalidParameter, NotReady

if TYPE_CHECKING:
    from reachy_mind.developer.message_model import OpenModel
    from reachy_mind.developer.program_sandbox import ProgramSandbox
    from reachy_mind.tools.context import Context, Parts

KEY = "developer"
MAX_REMEMBERED = 200
MAX_KEPT_EDITS = 20


@dataclass(frozen=True)
class CheckReport:
    """What the checks before a commit found: `blocked` says why it may not be made."""

    results: Sequence[Mapping[str, Any]] = ()
    blocked: str = ""


class CommitChecks(Protocol):
    """Checks that a repository wants before each commit."""

    async def plan(self, repository: Repository) -> str: ...
    async def __call__(self, ctx: Context, repository: Repository) -> CheckReport: ...


class Developer:
    """The developer's tools of one mind. `open_model`: the language model that writes commit messages, if there is one.

    `checks` runs before each commit, and `sandbox` programs, once something is set there.
    """

    def __init__(self, configuration: Configuration, open_model: OpenModel) -> None:
        self.settings = configuration.settings.developer
        self.workspace = Workspace(self.settings)
        self.git = GitRunner(configuration.home.folder / "developer" / "git", self.settings)
        self.state = GitState(self.git)
        self.staging = GitStaging(self.git, self.state)
        self.branches = GitBranches(self.git, self.state)
        self.remote = GitRemote(self.git, self.state, self.branches, self.settings.clone_hosts)
        self.code = CodeFolder(self.workspace.code_folder)
        self.programs = ProgramWriter(open_model)
        self.editor = FileEditor(open_model)
        self.last_program = ""
        """The name of the file that was written last in the code folder."""
        self.checks: CommitChecks | None = None
        self.sandbox: ProgramSandbox | None = None
        self.messages: dict[str, str] = {}
        """Commit messages that a person was shown, by what would be committed."""
        self.calls = ConversationCalls()
        self._open_model = open_model
        self._last: OrderedDict[str, str] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}
        self._shown: OrderedDict[str, str] = OrderedDict()
        self._edits: OrderedDict[str, FileEdit] = OrderedDict()

    # Repositories

    async def repository(self, name: str, conversation: str = "") -> Repository:
        """The repository of this name; without one, the last of the conversation, or the only one there is.

        Raises UnknownRepository, UnsafeRepository, InvalidParameter.
        """
        wanted = name.strip() or self._last.get(conversation) or self._last.get("", "")
        if not wanted:
            there = await asyncio.to_thread(self.workspace.repositories)
            if len(there) > 1:
                named = ", ".join(each.name for each in there[:5])
                raise InvalidParameter("which repository?", hint=f"one of {named}")
            wanted = there[0].name if there else "any"
        found = await asyncio.to_thread(self.workspace.repository, wanted)
        self.remember(found, conversation)
        return found

    def last_repository(self, conversation: str) -> str:
        """The name of the repository that a conversation was about last, else of the last of all; empty for none."""
        return self._last.get(conversation) or self._last.get("", "")

    def used_in(self, conversation: str) -> str:
        """The name of the repository that this conversation was about last; empty for none."""
        return self._last.get(conversation, "")

    def remember(self, repository: Repository, conversation: str) -> None:
        """The conversation is about this repository now."""
        for known in (conversation, ""):  # without a conversation: the last one of all
            self._last[known] = repository.name
            self._last.move_to_end(known)
        while len(self._last) > MAX_REMEMBERED:
            self._last.popitem(last=False)

    @contextlib.asynccontextmanager
    async def changing(self, repository: Repository) -> AsyncIterator[None]:
        """Whoever changes a repository has it alone meanwhile."""
        async with self._locks.setdefault(repository.name, asyncio.Lock()):
            yield

    def files(self, repository: Repository) -> WorktreeFiles:
        return WorktreeFiles(repository.path)

    def address(self, repo: str) -> RemoteAddress:
        """What to clone: an address, OWNER/NAME, or a name with the owner of the settings. Raises InvalidParameter."""
        text = repo.strip()
        if "://" in text or text.startswith("/") or ":" in text:
            return parse(text)
        owner, _, name = text.rpartition("/")
        owner = owner or self.settings.github_owner or ""
        name = name.strip().replace(" ", "_")
        if not owner:
            raise InvalidParameter(
                f"whose repository is {name[:60]!r}?", hint="say OWNER/NAME, or set developer.github_owner"
            )
        if not OWNER.fullmatch(owner):
            raise InvalidParameter(
                f"{owner[:60]!r} is no owner of repositories", hint="such as pollen-robotics/reachy_mini"
            )
        scheme = "http" if self.settings.github_url.startswith("http://") else "https"
        return parse(f"{scheme}://{self.git.token_host}/{owner}/{name}")

    def require_sandbox(self) -> ProgramSandbox:
        """Raises NotReady."""
        if self.sandbox is None:
            raise NotReady("there is no sandbox for programs", hint="reachy-mind run")
        return self.sandbox

    # Commits

    async def author(self, repository: Repository) -> CommitAuthor:
        """Whose commits they are: the owner of the settings, else of the repository. Raises NotReady."""
        owner, email = self.settings.github_owner or "", self.settings.github_email or ""
        config = await self.git.configuration(repository)
        name = owner or (config.get("user.name") or ("",))[-1] or email.partition("@")[0]
        if not email and owner:
            email = f"{owner}@users.noreply.github.com"
        email = email or (config.get("user.email") or ("",))[-1]
        if not name or not email or not f"{name}{email}".isprintable():
            raise NotReady(
                "nobody is named as the author of commits",
                hint="set developer.github_owner, and github_email if you like",
            )
        return CommitAuthor(name, email)

    async def message(self, diff: DiffText, branch: str) -> str:
        """A commit message for a difference."""
        return await message_model.written(self._open_model, diff, branch)

    async def analysis(self, path: str, content: str, question: str) -> str:
        """The answer to a question about a file."""
        return await file_analysis.analysed(self._open_model, path, content, question)

    # What a person was shown

    def show(self, tool: str, arguments: Mapping[str, Any], content: str) -> None:
        """A person is asked about this content; a call with the same arguments may then do that and nothing else."""
        self._shown[_key(tool, arguments)] = content
        while len(self.messages) > MAX_REMEMBERED:
            del self.messages[next(iter(self.messages))]
        while len(self._shown) > MAX_REMEMBERED:
            self._shown.popitem(last=False)

    def require_shown(self, tool: str, arguments: Mapping[str, Any], content: str) -> None:
        """Raises GitFailed when a person was asked about something else. Without a question, anything goes."""
        shown = self._shown.pop(_key(tool, arguments), None)
        if shown is not None and shown != content:
            raise GitFailed("what it would do has changed since you were asked", hint="ask for it again")

    def keep_edit(self, tool: str, arguments: Mapping[str, Any], edit: FileEdit) -> None:
        """A person is shown this edit; a call with the same arguments may then write it and nothing else."""
        self._edits[_key(tool, arguments)] = edit
        while len(self._edits) > MAX_KEPT_EDITS:
            self._edits.popitem(last=False)

    def take_edit(self, tool: str, arguments: Mapping[str, Any]) -> FileEdit | None:
        """The edit that a person was shown, once; None where nobody was asked."""
        return self._edits.pop(_key(tool, arguments), None)


def developer_of(ctx: Context) -> Developer:
    """Raises NotReady where the developer's tools are not open."""
    return of_parts(ctx.parts)


def of_parts(parts: Parts) -> Developer:
    """Raises NotReady."""
    found: Developer | None = parts.extra.get(KEY)
    if found is None:
        raise NotReady("the developer's tools are not open here", hint="reachy-mind run")
    return found


def _key(tool: str, arguments: Mapping[str, Any]) -> str:
    return f"{tool} {json.dumps(arguments, sort_keys=True, default=str)}"
