"""Requests in words that tools of GitHub serve: "check the CI status of PR #15" is a call of `github_pr_checks`.

Whole sentences only, so that nothing is done on GitHub because a word of it fell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from reachy_mind.brains.word_lists import lines
from reachy_mind.developer.github.access import GitHubAccess
from reachy_mind.tools.definition import ToolUse

Serves = Callable[[str], ToolUse | None]
MOST_CHARS = 2000
_AHEAD = re.compile(
    r"^(?:(?:hey|ok|okay|so|now|and|then)[, ]+)*(?:(?:reachy|linus)[, ]+)?"
    r"(?:(?:please|can you|could you|would you|will you|i(?:'d| would) like you to|i want you to)[, ]+)*",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"(?:[, ]+please)?[\s.!?]*$", re.IGNORECASE)
_WORDS = (
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    r"|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|and)"
)
_NUMBER = rf"(?:number |no\.? ?|nr\.? ?|# ?)?(?P<number>\d{{1,9}}|{_WORDS}(?:[ -]{_WORDS}){{0,5}})"
_PULL = r"(?:the )?(?:pr|p\.? ?r\.?|pull[ -]?request|merge request)"
_ISSUE = r"(?:the )?(?:issue|ticket|bug)"
_NAME = r"[\w./-]+(?: [\w./-]+){0,2}?"
_REPO = rf"(?: (?:of|in|on|from|for|at) (?:the )?(?:repo(?:sitory)? )?(?P<repo>{_NAME}))?"
_CI = r"(?:the )?(?:ci|c\.i\.|checks?|ci checks?|build|pipeline|tests?)"
_ABOUT = r"(?:about|titled|called|named|saying(?: that)?|that says|because of|:)"
_CREATE = r"(?:create|open|file|make|add|raise|report|submit)(?: me)?(?: an?| the)?(?: new)?(?: github)?"
_SHOW = r"(?:list|show|read|tell|give)(?: me)?(?: all)?(?: the| my)?"
_HERE = frozenset(lines("it|here|there|this|this one|github|repo|repository|my repo|the repo|this repo|my repository"))
"""Words for the repository that was used last."""
_MINE = re.compile(
    r"(?:my|a|the) (?:review|comment|thoughts?|feedback|opinion|notes?|answer|reply)[.!]*", re.IGNORECASE
)


def _patterns(*sources: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(source, re.IGNORECASE | re.DOTALL) for source in sources)


_NEW_ISSUE = _patterns(
    rf"{_CREATE} (?:issue|ticket|bug report) (?:on|in|for|at) (?:the )?(?:repo(?:sitory)? )?(?P<repo>{_NAME})"
    rf"(?: repo(?:sitory)?)? {_ABOUT} ?(?P<title>.+)",
    rf"{_CREATE} (?:issue|ticket|bug report) {_ABOUT} ?(?P<title>.+?)"
    r" (?:on|in|for) (?:the )?(?:repo(?:sitory)? (?P<repo>[\w./-]+)|(?P<repo_too>[\w./-]+) repo(?:sitory)?"
    r"|(?P<full>[\w.-]+/[\w.-]+))",
    rf"{_CREATE} (?:issue|ticket|bug report) {_ABOUT} ?(?P<title>.+)",
)
_ISSUES = _patterns(
    rf"{_SHOW}(?: (?P<state>open|closed))? (?:issues|tickets){_REPO}",
    rf"(?:what|which)(?: (?P<state>open|closed))? (?:issues|tickets) (?:are there|do (?:i|we) have|are open){_REPO}",
)
_CLOSE_ISSUE = _patterns(rf"close {_ISSUE} {_NUMBER}{_REPO}")
_COMMENT = (
    r"(?:comment|leave a comment|write a comment|add a comment|post a comment|reply) (?:on|to|at|in|under) {kind} "
    rf"{_NUMBER}{_REPO}(?:(?: with the words| saying(?: that)?| that says| with)[: ]+(?P<body>.+)|[:,] ?(?P<text>.+))?"
)
_COMMENT_ISSUE = _patterns(_COMMENT.replace("{kind}", _ISSUE))
_COMMENT_PULL = _patterns(_COMMENT.replace("{kind}", _PULL))
_ANSWER = _patterns(r"write[,:]? +(?P<body>.+)")
_PULLS = _patterns(
    rf"{_SHOW}(?: (?P<state>open|closed))? (?:prs|p\.?r\.?s|pull[ -]?requests|merge requests){_REPO}",
    rf"(?:what|which)(?: (?P<state>open|closed))? (?:prs|pull[ -]?requests)"
    rf" (?:are there|do (?:i|we) have|are open){_REPO}",
)
_CLOSE_PULL = _patterns(rf"close {_PULL} {_NUMBER}{_REPO}(?: without merging(?: it)?)?")
_MERGE = _patterns(
    rf"(?P<method>squash|rebase)(?: and merge)? {_PULL} {_NUMBER}{_REPO}",
    rf"merge {_PULL} {_NUMBER}{_REPO}(?: (?:with|by|using|as)(?: an?)?"
    r" (?P<method>squash|rebase|merge)(?:[ -]?(?:merge|commit))?)?",
)
_CREATE_PULL = _patterns(
    rf"{_CREATE}(?P<draft> draft)? {_PULL}(?: (?:from|for)(?: branch| the branch)? (?P<head>[\w./-]+))?"
    rf"(?: (?:to|into|onto|against) (?P<base>[\w./-]+))?(?: (?:in|on|at) (?P<repo>{_NAME}))?"
    rf"(?: {_ABOUT} ?(?P<title>.+))?",
)
_STATUS = r"(?: status| state| results?)?"
_LOOK = r"(?:check|show(?: me)?|tell me|what(?:'s| is| are)|how (?:is|are)|get|fetch|read|look at)"
_OF_PULL = rf"(?:of|for|on|in) {_PULL} {_NUMBER}{_REPO}"
_FAIL = r"(?:fail(?:ed|ing)?|red|broken)"
_CHECKS = _patterns(
    rf"{_LOOK} {_CI}{_STATUS} {_OF_PULL}",
    rf"{_LOOK} the (?:status|state) of {_CI} {_OF_PULL}",
    rf"(?:did|do|have|has|are|is) {_CI} {_OF_PULL} (?:pass(?:ed|ing)?|green|done|ok|finished|{_FAIL})",
    rf"(?:is|are) {_PULL} {_NUMBER}{_REPO} (?:green|red|passing|failing)",
)
_LOGS = _patterns(
    rf"why (?:did|does|do|is|are|has|have) {_CI} {_OF_PULL} {_FAIL}",
    rf"why (?:did|does|do|is|are|has|have) {_CI} {_FAIL} {_OF_PULL}",
    rf"why (?:did|does|is|has) {_PULL} {_NUMBER}{_REPO} {_FAIL}",
    rf"{_LOOK} (?:the )?(?:ci|build|test|job|workflow|actions?) logs? {_OF_PULL}",
)


def serving(access: GitHubAccess) -> Mapping[str, Serves]:
    """By tool: how it serves a request."""

    def answered(tool: str) -> Serves:
        """The text of a comment that was asked for, or a whole request."""
        patterns = _COMMENT_PULL if tool == "github_comment_pr" else _COMMENT_ISSUE

        def serves(text: str) -> ToolUse | None:
            asked = access.asked()
            if asked is not None and asked.tool == tool and (found := _found(_ANSWER, text)) is not None:
                return ToolUse(tool, {"repo": asked.repository, "number": asked.number, "body": found["body"]})
            return _use(tool, patterns, text, _comment)

        return serves

    plain: dict[str, tuple[tuple[re.Pattern[str], ...], Callable[[dict[str, str]], dict[str, Any]]]] = {
        "github_issue": (_NEW_ISSUE, lambda found: {"title": _topic(found["title"])}),
        "github_list_issues": (_ISSUES, lambda found: {"state": found.get("state", "open").lower()}),
        "github_close_issue": (_CLOSE_ISSUE, _nothing),
        "github_list_prs": (_PULLS, lambda found: {"state": found.get("state", "open").lower()}),
        "github_close_pr": (_CLOSE_PULL, _nothing),
        "github_merge_pr": (_MERGE, lambda found: {"method": found.get("method", "merge").lower()}),
        "github_create_pr": (_CREATE_PULL, _branches),
        "github_pr_checks": (_CHECKS, _nothing),
        "github_ci_logs": (_LOGS, _nothing),
    }
    return {name: _server(name, *how) for name, how in plain.items()} | {
        name: answered(name) for name in ("github_comment_issue", "github_comment_pr")
    }


def _server(
    tool: str, patterns: tuple[re.Pattern[str], ...], more: Callable[[dict[str, str]], dict[str, Any]]
) -> Serves:
    return lambda text: _use(tool, patterns, text, more)


def _use(
    tool: str, patterns: tuple[re.Pattern[str], ...], text: str, more: Callable[[dict[str, str]], dict[str, Any]]
) -> ToolUse | None:
    found = _found(patterns, text)
    if found is None:
        return None
    args: dict[str, Any] = {}
    repo = found.get("repo") or found.get("repo_too") or found.get("full") or ""
    if repo and repo.casefold() not in _HERE:
        args["repo"] = repo
    if "number" in found:
        number = _number(found["number"])
        if number is None:
            return None
        args["number"] = number
    return ToolUse(tool, args | more(found))


def _found(patterns: tuple[re.Pattern[str], ...], text: str) -> dict[str, str] | None:
    """What a sentence says, by the names in the first pattern that is all of it."""
    if len(text) > MOST_CHARS:
        return None
    said = _AHEAD.sub("", " ".join(text.split()), count=1)
    plain = _BEHIND.sub("", said, count=1)
    for pattern in patterns:
        match = pattern.fullmatch(plain)
        whole = pattern.fullmatch(said)
        if whole and (whole.groupdict().get("body") or whole.groupdict().get("text")):  # it keeps its question mark
            match = whole
        if match:
            return {name: value.strip() for name, value in match.groupdict().items() if value and value.strip()}
    return None


def _number(words: str) -> int | None:
    if words.isdigit():
        return int(words) or None
    from reachy_mind.brains.reflex import quantities  # noqa: PLC0415 -- for a number in words only

    found = quantities.number(words.replace("-", " "), "en")
    return int(found) if found is not None and found >= 1 and found == int(found) else None


def _nothing(_: dict[str, str]) -> dict[str, Any]:
    return {}


def _topic(words: str) -> str:
    """What an issue is about, as a title: "the login bug" is "Login bug"."""
    topic = re.sub(r"^(?:the|an?) (?=\S)", "", words.strip("\"'“”"), flags=re.IGNORECASE)
    return topic[:1].upper() + topic[1:]


def _comment(found: dict[str, str]) -> dict[str, Any]:
    body = found.get("body") or found.get("text") or ""
    return {} if not body or _MINE.fullmatch(body) else {"body": body.strip('"“”')}


def _branches(found: dict[str, str]) -> dict[str, Any]:
    args: dict[str, Any] = {name: found[name] for name in ("head", "base") if name in found}
    args |= {"title": _topic(found["title"])} if "title" in found else {}
    return args | ({"draft": True} if "draft" in found else {})
