"""`RepositoryTalk`: what is said about the repository that a conversation uses, without naming it: "undo that".

None of it means a repository in a conversation that has used none, unless there is only one: "discard that" may be
about anything there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from reachy_mind.brains.word_lists import spaced
from reachy_mind.developer.commit_messages import conventional
from reachy_mind.developer.followup_patterns import CAN_NOT, FOLLOWUPS
from reachy_mind.developer.github.access import GitHubAccess
from reachy_mind.developer.repository_commands import repository_command
from reachy_mind.developer.sentences import bare
from reachy_mind.developer.service import Developer
from reachy_mind.developer.shown_text import shown
from reachy_mind.developer.work_words import asked_for
from reachy_mind.developer.workspace import Repository
from reachy_mind.errors import MindError
from reachy_mind.tools.definition import ToolAnswer, ToolUse

Found = dict[str, str]
Meaning = ToolUse | ToolAnswer | None
MAX_PACKED_BYTES = 1 << 20
_COUNTS = {word: number for number, word in enumerate(spaced("two three four five six seven eight nine ten"), 2)}
_CHANGING = tuple(
    spaced(
        "github_add github_restore github_commit github_branch github_reset github_rebase github_discard github_push"
        " github_pull github_rm github_write_file github_edit_file"
    )
)
_THEN_PUSH = re.compile(r"(?:,? and(?: then)?|,? then|,) push\b.*", re.IGNORECASE)
_ALIKE: dict[str, tuple[str, dict[str, Any]]] = {
    "status": ("github_status", {}),
    "diff": ("github_diff", {}),
    "staged_diff": ("github_diff", {"which": "staged"}),
    "log": ("github_log", {}),
    "log_one": ("github_log", {"limit": 1}),
    "stage_all": ("github_add", {}),
    "unstage_all": ("github_restore", {"paths": ["."]}),
    "discard": ("github_discard", {}),
    "undo_commit": ("github_reset", {"mode": "soft"}),
    "commit": ("github_commit", {"stage_all": True}),
    "push": ("github_push", {}),
    "pull": ("github_pull", {}),
    "branches": ("github_branch", {"action": "list"}),
    "pulls": ("github_list_prs", {"state": "open"}),
    "pull_request": ("github_create_pr", {}),
}
"""Meanings that are one call with the same arguments always."""


class RepositoryTalk:
    """For one mind."""

    def __init__(self, developer: Developer, access: GitHubAccess) -> None:
        self._developer, self._access = developer, access
        self._further: dict[str, Callable[[Found, str], Meaning]] = {
            "diff_of": lambda found, _: ToolUse("github_diff", {"paths": [found["path"]]}),
            "log_of": lambda found, _: ToolUse("github_log", {"path": found["path"]}),
            "log_count": lambda found, _: ToolUse("github_log", {"limit": min(_count(found), 200) or 1}),
            "stage_file": lambda found, _: ToolUse("github_add", {"paths": [found["path"]]}),
            "unstage_file": lambda found, _: ToolUse("github_restore", {"paths": [found["path"]]}),
            "discard_file": lambda found, _: ToolUse("github_discard", {"paths": [found["path"]]}),
            "undo_commits": lambda found, _: ToolUse(
                "github_reset", {"mode": "soft", "target": f"HEAD~{_count(found)}"}
            ),
            "commit_message": _commit,
            "amend": lambda *_: ToolAnswer("I can't amend a commit. Say: undo the last commit, and then commit again."),
            "branch_for": lambda found, _: ToolUse(
                "github_branch", {"action": "create", "name": _slug(found["topic"])}
            ),
            "new_branch": lambda found, _: ToolUse(
                "github_branch", {"action": "create", "name": found.get("branch") or _slug(found["words"])}
            ),
            "undo": self._undo,
            "merge": self._merge,
            "switch": self._switch,
            "delete": self._delete,
            "delete_that": self._delete_that,
            "run_again": self._run_again,
            "tests_result": self._tests_result,
            "why": self._why,
            "ci": self._ci,
            "issues": lambda found, _: ToolUse("github_list_issues", {"state": found.get("state", "open").lower()}),
            "issue_about": lambda found, _: ToolUse("github_issue", {"title": _title(found["title"])}),
            **{kind: self._command(kind) for kind in ("tests", "lint", "format", "types")},
        }

    def read(self, conversation: str, text: str) -> Meaning:
        """What a sentence means; None where no repository is used in the conversation, or it means none. Blocks."""
        said = bare(text) if self._in_use(conversation) else ""
        if not said:
            return None
        for pattern, answer in CAN_NOT:
            if pattern.fullmatch(said):
                return ToolAnswer(answer)
        for name, pattern in FOLLOWUPS:
            if match := pattern.fullmatch(said):
                found = {key: value.strip() for key, value in match.groupdict().items() if value}
                if meaning := self._meaning(name, found, conversation):
                    return meaning
        repository = self._repository(conversation)
        asked = asked_for(said, _branches(repository)) if repository is not None else None
        return self._meaning(*asked, conversation) if asked is not None else None

    def _meaning(self, name: str, found: Found, conversation: str) -> Meaning:
        if name in _ALIKE:
            tool, args = _ALIKE[name]
            return ToolUse(tool, dict(args))
        return self._further[name](found, conversation)

    def _undo(self, _: Found, conversation: str) -> Meaning:
        """Take the last change back, where that loses nothing."""
        last = self._developer.calls.last(conversation, _CHANGING, succeeded=True)
        if last is None:
            return ToolAnswer("I have changed nothing in this repository yet, so there is nothing to undo.")
        match last.tool:
            case "github_commit":
                return ToolUse("github_reset", {"mode": "soft"})
            case "github_add":
                return ToolUse("github_restore", {"paths": list(last.args.get("paths") or ["."])})
            case "github_restore" if last.args.get("target") == "staged":
                return ToolUse("github_add", {"paths": list(last.args["paths"])})
        return ToolAnswer(f"I can't undo that by myself. The last thing I did was: {shown(last.message, 200)}")

    def _merge(self, found: Found, conversation: str) -> Meaning:
        if not self._branch(found, conversation) and not self._branch({"branch": found.get("other", "")}, conversation):
            return None
        return ToolAnswer(
            "I don't merge branches here. I can rebase one onto another, or open a pull request and merge that."
        )

    def _switch(self, found: Found, conversation: str) -> Meaning:
        name = self._branch(found, conversation)
        return ToolUse("github_branch", {"action": "switch", "name": name}) if name else None

    def _delete(self, found: Found, conversation: str) -> Meaning:
        name = self._branch(found, conversation)
        return ToolUse("github_branch", {"action": "delete", "name": name}) if name else None

    def _delete_that(self, _: Found, conversation: str) -> Meaning:
        """The one that was named last, and that is not the one that is checked out."""
        repository = self._repository(conversation)
        here = _branches(repository) - {self._access.current_branch(repository.name)} if repository else set()
        named = (str(call.args.get("name")) for call in self._developer.calls.of(conversation, ("github_branch",)))
        name = next((each for each in named if each in here), "")
        if not name:
            return ToolAnswer("Which branch? Say its name; the one that is checked out can't be deleted.")
        return ToolUse("github_branch", {"action": "delete", "name": name})

    def _run_again(self, _: Found, conversation: str) -> Meaning:
        last = self._developer.calls.last(conversation, ("github_exec", "execute_code"))
        return ToolUse(last.tool, {key: value for key, value in last.args.items() if value}) if last else None

    def _tests_result(self, _: Found, conversation: str) -> Meaning:
        """How they went; where they have not run yet, they run now."""
        last = self._developer.calls.last(conversation, ("github_exec",))
        if last is not None and "test" in str(last.args.get("command", "")):
            return ToolAnswer(last.message)
        return self._command("tests")({}, conversation)

    def _why(self, _: Found, conversation: str) -> Meaning:
        """What the last call said that did not succeed."""
        calls = self._developer.calls
        last = calls.last(conversation, ("github_exec", "execute_code", *_CHANGING))
        if last is None:
            return None
        if last.succeeded:
            return ToolAnswer(f"The last thing did not fail: {shown(last.message, 300)}")
        return ToolAnswer(shown(last.message, 600))

    def _ci(self, _: Found, conversation: str) -> Meaning:
        branch = self._access.current_branch(self._in_use(conversation))
        return ToolUse("github_ci_logs", {"branch": branch} if branch else {})

    def _command(self, kind: str) -> Callable[[Found, str], Meaning]:
        def meaning(_: Found, conversation: str) -> Meaning:
            repository = self._repository(conversation)
            if repository is None:
                return None
            command = repository_command(kind, repository.path)
            return ToolUse("github_exec", {"command": command} | ({"keep_changes": True} if kind == "format" else {}))

        return meaning

    def _repository(self, conversation: str) -> Repository | None:
        try:
            return self._developer.workspace.exactly(self._in_use(conversation))
        except MindError:
            return None

    def _in_use(self, conversation: str) -> str:
        """The name of the repository that the conversation is about; the only one there is, where it used none."""
        if used := self._developer.used_in(conversation):
            return used
        here = self._developer.workspace.repositories()
        return here[0].name if len(here) == 1 else ""

    def _branch(self, found: Found, conversation: str) -> str:
        """The branch that is named, if the repository has it here or at a remote."""
        said, repository = found["branch"], self._repository(conversation)
        if repository is None or not said:
            return ""
        names = _branches(repository)
        return said if said in names else next((each for each in names if each.casefold() == said.casefold()), "")


def _branches(repository: Repository) -> set[str]:
    """The names of its branches, from its files. Blocks."""
    refs = repository.git_folder / "refs"
    found = {str(each.relative_to(refs)) for each in refs.glob("heads/**/*")}
    found |= {str(each.relative_to(refs)) for each in refs.glob("remotes/*/**/*")}
    try:
        with (repository.git_folder / "packed-refs").open("rb") as file:
            packed = file.read(MAX_PACKED_BYTES).decode("utf-8", "replace")
    except OSError:
        packed = ""
    found |= {line.partition(" refs/")[2] for line in packed.splitlines()}
    names = {name.removeprefix("heads/") for name in found if name.startswith("heads/")}
    names |= {name.split("/", 2)[2] for name in found if name.startswith("remotes/") and name.count("/") > 1}
    return names - {"HEAD"}


def _count(found: Found) -> int:
    count = found["count"].casefold()
    return _COUNTS.get(count) or int(count)


def _commit(found: Found, _: str) -> Meaning:
    """None for one that is to be pushed too: its parts are read one by one."""
    if _THEN_PUSH.search(found["message"]):
        return None
    return ToolUse("github_commit", {"stage_all": True, "message": conventional(found["message"])})


def _slug(topic: str) -> str:
    """The name of a branch for what it is about: "the login page" is `login-page`."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"^(?:the|an?|my) ", "", topic.casefold()))
    return "-".join(words[:6])


def _title(words: str) -> str:
    return words[:1].upper() + words[1:]
