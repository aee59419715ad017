"""How people ask for work in repositories: the sentences that need no language model.

Each is read only where its words can mean nothing else: a repository that is cloned, or words of git.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from reachy_mind.brains.word_lists import spaced
from reachy_mind.developer.service import Developer
from reachy_mind.developer.workspace import NAME
from reachy_mind.errors import MindError
from reachy_mind.tools.definition import ToolUse

MAX_CHARS = 300
_POLITE = re.compile(
    r"^(?:(?:hey |ok(?:ay)? |now |then )?(?:linus|reachy)?[, ]*)?(?:please |(?:can|could|would|will) you (?:please )?"
    r"|i (?:want|need|would like|'d like) you to |let'?s )*",
    re.IGNORECASE,
)
_ENDING = re.compile(r"(?:[\s,]+(?:please|for me|now|thanks|thank you))*[\s.!?]*$", re.IGNORECASE)
_REPO = r"(?:the |my )?(?:repo(?:sitory)? )?(?P<repo>[\w./ -]+?)(?: repo(?:sitory)?| project)?"
_IN = rf"(?: (?:of|in|for|from|on|to) {_REPO})?"
_SHOW = r"(?:show(?: me)?|give me|tell me|what(?:'s| is| are)|get|check|list|display|print)"
_BRANCH = r"[\"'`]?(?P<branch>[\w][\w./-]*)[\"'`]?"

Arguments = Callable[[dict[str, str]], dict[str, Any]]


def _only_repo(found: dict[str, str]) -> dict[str, Any]:
    return {"repo": found.get("repo", "")}


def _branch(action: str) -> Arguments:
    def arguments(found: dict[str, str]) -> dict[str, Any]:
        given = {"action": action, "name": found.get("branch", ""), "base": found.get("base", "")}
        return {key: value for key, value in given.items() if value} | _only_repo(found)

    return arguments


def _commit(found: dict[str, str]) -> dict[str, Any]:
    return _only_repo(found) | {"stage_all": True} | ({"message": found["message"]} if found.get("message") else {})


def _lines(found: dict[str, str]) -> dict[str, Any]:
    asked = {"question": "What does this file do, and is anything wrong with it?"} if found.get("analyse") else {}
    return {"path": found["path"]} | asked | _only_repo(found)


def _rebase(found: dict[str, str]) -> dict[str, Any]:
    return {"onto": found["branch"]} | _only_repo(found)


def _code(found: dict[str, str]) -> dict[str, Any]:
    return {"request": found["request"]}


def _edit(found: dict[str, str]) -> dict[str, Any]:
    given = {name: found.get(name, "") for name in ("path", "instruction", "model_file")}
    return given | _only_repo(found)


def _command(found: dict[str, str]) -> dict[str, Any]:
    return {"command": found["command"]} | _only_repo(found)


def _file(found: dict[str, str]) -> dict[str, Any]:
    return {"path": found.get("path", "")} | _only_repo(found)


_MINE = "(?:all )?(?:of )?(?:my |the |these |our )?"
_COMMIT = rf"(?:git )?commit {_MINE}(?:changes|work|everything){_IN}"
_WRITTEN = "(?:auto(?:matic(?:ally)?)?[- ]?generated|automatic|good|generated|suitable)"
_LIST = rf"(?:{_SHOW}|which|what) (?:all )?(?:the |my |of my )?"
_TO = r"(?:switch|change|go|check ?out)(?: back)?(?: to)?"
_FROM = r"(?: from (?P<base>[\w][\w./-]*))?"
_ONTO = "(?:onto|on|on top of|to)"
_ANALYSE = "(?: and (?P<analyse>analy[sz]e|explain|summari[sz]e))"
_FILE = r"(?P<path>[\w][\w./-]*\.\w{1,10})"

_OF = rf"(?:,? (?:of|in) {_REPO})?"
_MODEL = r"(?: like (?:the )?(?:file )?(?P<model_file>[\w][\w./-]*\.\w{1,10})(?: file)?)?"
_A_NEW = "(?: me| us)?(?: an?| the| some| another)?(?: (?:small|short|simple|little|tiny|new|quick|complete))*"
_RUN = "(?:run|execute|start)"
_SCRIPT = r"(?P<path>[\w][\w./-]*\.(?:py|sh|bash))(?: (?:script|program|file))?"
_WRITTEN_LAST = "(?:it|that|(?:the|this) (?:new )?(?:script|program))"
_NOW = "(?: now)?"
_QUOTE = "[\"'`\u201c]"

_SENTENCES: tuple[tuple[str, str, Arguments], ...] = (
    (
        "code",
        (
            rf"(?P<request>(?:write|create|make|generate|develop|program|code){_A_NEW} (?:python|shell|bash)"
            r" (?:script|program|code|function|one-liner)\b.*)"
        ),
        _code,
    ),
    (
        "code",
        (
            rf"(?P<request>(?:write|create|make|generate|develop){_A_NEW} (?:script|program)"
            r"(?: in (?:python|bash|shell))? (?:that|which|to) .+)"
        ),
        _code,
    ),
    (
        "github_edit_file",
        (
            rf"(?:edit|change|modify|update) (?:the )?(?:file )?{_FILE}(?: file)?{_OF}{_MODEL}"
            r"(?:[:,] ?| (?=so that |to ))(?P<instruction>.+)"
        ),
        _edit,
    ),
    (
        "github_edit_file",
        (
            rf"in (?:the )?(?:file )?{_FILE}(?: file)?{_OF},? "
            r"(?P<instruction>(?:replace|change|add|remove|rename|fix|delete|set|make|let) .+)"
        ),
        _edit,
    ),
    (
        "github_edit_file",
        (
            rf"(?P<instruction>(?:replace|change) {_QUOTE}.+ (?:with|by|to|into) {_QUOTE}.*) in (?:the )?(?:file )?"
            rf"{_FILE}(?: file)?{_OF}"
        ),
        _edit,
    ),
    ("execute_code", rf"{_RUN} (?:the )?(?:script |program |file )?{_SCRIPT}{_NOW}", _file),
    ("execute_code", rf"{_RUN} {_WRITTEN_LAST}{_NOW}", _file),
    (
        "code_move_to_repo",
        rf"(?:move|put|bring) (?:(?:the )?(?:script |program |file )?{_SCRIPT}|{_WRITTEN_LAST}) (?:to|into|in) {_REPO}",
        _file,
    ),
    ("github_exec", rf"{_RUN} (?:all )?(?:of )?(?:the |my |its )?(?:unit )?tests{_IN}", _only_repo),
    ("github_exec", rf"{_RUN} (?P<command>(?:pytest|ruff|mypy|npm|make|cargo|go)(?: .+?)??)(?: in {_REPO})?", _command),
    ("github_clone", rf"(?:git )?clone {_REPO}", _only_repo),
    ("github_status", rf"(?:{_SHOW} )?(?:me )?(?:the )?git status{_IN}", _only_repo),
    ("github_status", rf"(?:{_SHOW} )(?:the )?status of {_REPO}", _only_repo),
    ("github_status", rf"(?:what has changed|what did i change|what changed) in {_REPO}", _only_repo),
    ("github_diff", rf"{_SHOW} (?:the )?(?:git )?(?:diff|differences)(?: of my changes)?{_IN}", _only_repo),
    ("github_log", rf"{_SHOW} (?:the )?(?:git log|(?:git |commit )history){_IN}", _only_repo),
    ("github_log", rf"{_SHOW} (?:the )?(?:last |latest |recent )commits{_IN}", _only_repo),
    ("github_pull", rf"(?:git )?pull (?:the )?(?:latest |newest )?(?:changes|commits|version){_IN}", _only_repo),
    ("github_pull", rf"(?:git )?pull {_REPO}", _only_repo),
    (
        "github_push",
        rf"(?:git )?push {_MINE}(?:changes|commits|branch|work)(?: to (?:the )?(?:remote|github|origin))?{_IN}",
        _only_repo,
    ),
    (
        "github_list_repos",
        rf"{_LIST}(?:cloned |local |git )?(?:repositories|repos)(?: (?:do you|do i|are|that are|you) .*)?",
        lambda _: {},
    ),
    ("github_list_files", rf"{_SHOW} (?:all )?(?:the )?files (?:of|in) {_REPO}", _only_repo),
    (
        "github_read_file",
        rf"read{_ANALYSE}? (?:me )?(?:the )?(?:file )?{_FILE}(?: file)?{_IN}",
        _lines,
    ),
    (
        "github_branch",
        rf"(?:create|make|start|add) (?:a |the )?(?:new )?(?:git )?branch (?:called |named )?{_BRANCH}{_FROM}{_IN}",
        _branch("create"),
    ),
    ("github_branch", rf"{_TO} (?:the )?branch {_BRANCH}{_IN}", _branch("switch")),
    ("github_branch", rf"{_TO} (?:the )?{_BRANCH} branch{_IN}", _branch("switch")),
    ("github_branch", rf"(?:delete|remove) (?:the )?(?:git )?branch {_BRANCH}{_IN}", _branch("delete")),
    ("github_branch", rf"{_LIST}(?:git )?branches(?: are there| do i have)?{_IN}", _branch("list")),
    ("github_commit", rf"{_COMMIT}(?:,? (?:with|using) (?:an? |the )?{_WRITTEN} (?:commit )?message)?", _commit),
    (
        "github_commit",
        rf"{_COMMIT},? with (?:the )?(?:commit )?message[: ]+[\"'“]?(?P<message>[^\"”]+?)[\"'”]?",
        _commit,
    ),
    ("github_add", rf"(?:git add|stage) {_MINE}(?:changes|files|everything){_IN}", _only_repo),
    (
        "github_rebase",
        rf"(?:git )?rebase {_MINE}(?:current )?(?:branch )?{_ONTO} (?:the )?{_BRANCH}(?: branch)?{_IN}",
        _rebase,
    ),
)
_NEEDS_REPOSITORY = frozenset(("github_list_files",))
_WITH_A_REPOSITORY = frozenset(
    spaced("github_commit github_add github_push github_pull github_read_file github_edit_file github_diff github_exec")
)
"""Tools whose sentences mean a repository as soon as there is one."""
_TESTS = {
    "package.json": "npm test",
    "Cargo.toml": "cargo test",
    "go.mod": "go test ./...",
    "": "pytest -q",
}
"""How tests are run, by a file that the repository has."""
_PLAIN_GIT = re.compile(r"\b(?:git|repo(?:sitory|sitories|s)?|branch(?:es)?|commits?|rebase|clone)\b", re.IGNORECASE)
"""Words that only speak of repositories."""


class DeveloperSentences:
    """Reads sentences for one mind."""

    def __init__(self, developer: Developer) -> None:
        self._developer = developer
        self._patterns = [
            (tool, re.compile(pattern, re.IGNORECASE), arguments) for tool, pattern, arguments in _SENTENCES
        ]

    def read(self, tool: str, text: str) -> ToolUse | None:
        """The call of a tool that a sentence asks for; None where it asks for none."""
        said = _bare(text)
        if not said:
            return None
        for name, pattern, arguments in self._patterns:
            if name == tool and (found := pattern.fullmatch(said)):
                groups = {key: value.strip() for key, value in found.groupdict().items() if value}
                if self._meant(tool, said, groups.get("repo", "")):
                    given = self._completed(tool, {key: value for key, value in arguments(groups).items() if value})
                    return ToolUse(tool, given) if given is not None else None
        return None

    def _completed(self, tool: str, given: dict[str, Any]) -> dict[str, Any] | None:
        """With what a sentence leaves open: the program that was written last, the tests of a repository."""
        if tool in ("execute_code", "code_move_to_repo") and "path" not in given:
            last = self._developer.last_program
            return given | {"path": last} if last else None
        if tool == "github_exec" and "command" not in given:
            return given | {"command": self._tests(given.get("repo", ""))}
        return given

    def _tests(self, repo: str) -> str:
        """How the tests of a repository are run, by the files that it has."""
        workspace = self._developer.workspace
        try:
            folder = workspace.repository(repo or self._developer.last_repository("")).path
        except MindError:  # the tool says what is wrong
            return _TESTS[""]
        return next(command for file, command in _TESTS.items() if (folder / file).exists())

    def _meant(self, tool: str, said: str, repo: str) -> bool:
        """Whether it is about repositories: it names one that is here, or has words that mean nothing else."""
        if tool in ("code", "execute_code"):
            return True
        if tool == "github_clone":
            named = "/" in repo or "repo" in said.casefold()
            return named or (bool(NAME.fullmatch(repo)) and "_" in repo)
        if repo and tool != "github_list_repos":
            try:
                self._developer.workspace.repository(repo)
            except MindError:
                return "git" in said.casefold().split() and NAME.fullmatch(repo.rpartition("/")[2]) is not None
            return True
        return tool not in _NEEDS_REPOSITORY and self._speaks_of_git(tool, said)

    def _speaks_of_git(self, tool: str, said: str) -> bool:
        if tool in _WITH_A_REPOSITORY:
            return bool(self._developer.workspace.repositories())
        return _PLAIN_GIT.search(said) is not None


def _bare(text: str) -> str:
    said = " ".join(text.split())
    if len(said) > MAX_CHARS:
        return ""
    said = _ENDING.sub("", said)
    return said[found.end() :] if (found := _POLITE.match(said)) else said
