"""The sentences of `DeveloperSentences`: what each asks for, as a pattern over the whole of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

REPO = r"(?:the |my )?(?:repo(?:sitory)? )?(?P<repo>[\w./ -]+?)(?: repo(?:sitory)?| project)?"
IN = rf"(?: (?:of|in|for|from|on|to) {REPO})?"
SHOW = r"(?:show(?: me)?|give me|tell me|what(?:'s| is| are)|get|check|list|display|print)"
BRANCH = r"[\"'`]?(?P<branch>[\w][\w./-]*)[\"'`]?"

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


MINE = "(?:all )?(?:of )?(?:my |the |these |our )?"
_COMMIT = rf"(?:git )?commit {MINE}(?:changes|work|everything){IN}"
_WRITTEN = "(?:auto(?:matic(?:ally)?)?[- ]?generated|automatic|good|generated|suitable)"
_LIST = rf"(?:{SHOW}|which|what) (?:all )?(?:the |my |of my )?"
_TO = r"(?:switch|change|go|check ?out)(?: back)?(?: to)?"
_FROM = r"(?: from (?P<base>[\w][\w./-]*))?"
_ONTO = "(?:onto|on|on top of|to)"
_ANALYSE = "(?: and (?P<analyse>analy[sz]e|explain|summari[sz]e))"
FILE = r"(?P<path>[\w][\w./-]*\.\w{1,10})"

_OF = rf"(?:,? (?:of|in) {REPO})?"
_MODEL = r"(?: like (?:the )?(?:file )?(?P<model_file>[\w][\w./-]*\.\w{1,10})(?: file)?)?"
_A_NEW = "(?: me| us)?(?: an?| the| some| another)?(?: (?:small|short|simple|little|tiny|new|quick|complete))*"
RUN = "(?:run|execute|start)"
_SCRIPT = r"(?P<path>[\w][\w./-]*\.(?:py|sh|bash))(?: (?:script|program|file))?"
_WRITTEN_LAST = "(?:it|that|(?:the|this) (?:new )?(?:script|program))"
_NOW = "(?: now)?"
_QUOTE = "[\"'`\u201c]"

SENTENCES: tuple[tuple[str, str, Arguments], ...] = (
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
            rf"(?:edit|change|modify|update) (?:the )?(?:file )?{FILE}(?: file)?{_OF}{_MODEL}"
            r"(?:[:,] ?| (?=so that |to ))(?P<instruction>.+)"
        ),
        _edit,
    ),
    (
        "github_edit_file",
        (
            rf"in (?:the )?(?:file )?{FILE}(?: file)?{_OF},? "
            r"(?P<instruction>(?:replace|change|add|remove|rename|fix|delete|set|make|let) .+)"
        ),
        _edit,
    ),
    (
        "github_edit_file",
        (
            rf"(?P<instruction>(?:replace|change) {_QUOTE}.+ (?:with|by|to|into) {_QUOTE}.*) in (?:the )?(?:file )?"
            rf"{FILE}(?: file)?{_OF}"
        ),
        _edit,
    ),
    ("execute_code", rf"{RUN} (?:the )?(?:script |program |file )?(?:python3? )?{_SCRIPT}{_NOW}", _file),
    ("execute_code", rf"{RUN} {_WRITTEN_LAST}{_NOW}", _file),
    (
        "code_move_to_repo",
        rf"(?:move|put|bring) (?:(?:the )?(?:script |program |file )?{_SCRIPT}|{_WRITTEN_LAST}) (?:to|into|in) {REPO}",
        _file,
    ),
    ("github_exec", rf"{RUN} (?:all )?(?:of )?(?:the |my |its )?(?:unit )?tests{IN}", _only_repo),
    ("github_exec", rf"{RUN} (?P<command>(?:pytest|ruff|mypy|npm|make|cargo|go)(?: .+?)??)(?: in {REPO})?", _command),
    ("github_clone", rf"(?:git )?clone {REPO}", _only_repo),
    ("github_status", rf"(?:{SHOW} )?(?:me )?(?:the )?git status{IN}", _only_repo),
    ("github_status", rf"(?:{SHOW} )(?:the )?status of {REPO}", _only_repo),
    ("github_status", rf"(?:what has changed|what did i change|what changed) in {REPO}", _only_repo),
    (
        "github_status",
        rf"(?:use|take|open|work (?:on|in|with)|(?:switch|change|go)(?: over)? to) {REPO}",
        _only_repo,
    ),
    ("github_diff", rf"{SHOW} (?:the )?(?:git )?(?:diff|differences)(?: of my changes)?{IN}", _only_repo),
    ("github_log", rf"{SHOW} (?:the )?(?:git log|(?:git |commit )history){IN}", _only_repo),
    ("github_log", rf"{SHOW} (?:the )?(?:last |latest |recent )commits{IN}", _only_repo),
    ("github_pull", rf"(?:git )?pull (?:the )?(?:latest |newest )?(?:changes|commits|version){IN}", _only_repo),
    ("github_pull", rf"(?:git )?pull {REPO}", _only_repo),
    (
        "github_push",
        rf"(?:git )?push {MINE}(?:changes|commits|branch|work)(?: to (?:the )?(?:remote|github|origin))?{IN}",
        _only_repo,
    ),
    (
        "github_list_repos",
        rf"{_LIST}(?:cloned |local |git )?(?:repositories|repos)(?: (?:do you|do i|are|that are|you) .*)?",
        lambda _: {},
    ),
    ("github_list_files", rf"{SHOW} (?:all )?(?:the )?files (?:of|in) {REPO}", _only_repo),
    (
        "github_read_file",
        rf"read{_ANALYSE}? (?:me )?(?:the )?(?:file )?{FILE}(?: file)?{IN}",
        _lines,
    ),
    (
        "github_branch",
        rf"(?:create|make|start|add) (?:a |the )?(?:new )?(?:git )?branch (?:called |named )?{BRANCH}{_FROM}{IN}",
        _branch("create"),
    ),
    ("github_branch", rf"{_TO} (?:the )?branch {BRANCH}{IN}", _branch("switch")),
    ("github_branch", rf"{_TO} (?:the )?{BRANCH} branch{IN}", _branch("switch")),
    ("github_branch", rf"(?:delete|remove) (?:the )?(?:git )?branch {BRANCH}{IN}", _branch("delete")),
    ("github_branch", rf"{_LIST}(?:git )?branches(?: are there| do i have)?{IN}", _branch("list")),
    ("github_commit", rf"{_COMMIT}(?:,? (?:with|using) (?:an? |the )?{_WRITTEN} (?:commit )?message)?", _commit),
    (
        "github_commit",
        rf"{_COMMIT},? with (?:the )?(?:commit )?message[: ]+[\"'“]?(?P<message>[^\"”]+?)[\"'”]?",
        _commit,
    ),
    ("github_add", rf"(?:git add|stage) {MINE}(?:changes|files|everything){IN}", _only_repo),
    (
        "github_rebase",
        rf"(?:git )?rebase {MINE}(?:current )?(?:branch )?{_ONTO} (?:the )?{BRANCH}(?: branch)?{IN}",
        _rebase,
    ),
)
