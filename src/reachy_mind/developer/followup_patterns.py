"""Sentences that mean a repository only while a conversation is about one: by what they ask for, the whole of them.

They are said without naming anything: "undo that", "switch to main", "show me the log". `RepositoryTalk` reads them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from reachy_mind.developer.sentence_patterns import FILE, SHOW

_THE = "(?:the |my |our |these |those |all the |all my |all of my |that |this )?"
_WORK = "(?:changes|edits|modifications|work|files|stuff)"
_IT = (
    "(?:it|this|that|these|those|them|everything|all|all of (?:it|that|this|them)"
    rf"|(?:the|my|our|these|those|all|all my) {_WORK})"
)
_MINE = rf"(?:all )?(?:of )?(?:(?:the|my|our|these|those|local|last|recent|unstaged|uncommitted|current) )*{_WORK}"
_NAME = r"(?:the )?(?:branch )?[\"'`]?(?P<branch>\w[\w./-]*)[\"'`]?(?: branch)?"
_AGAIN = "(?: again| once more| another time)?"
_COUNT = r"(?P<count>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten)"
_LAST = "(?:last|latest|newest|most recent|recent|previous)"
_COMMIT = "(?:git )?(?:commit|save|check in|make a commit)"
_MESSAGE = r"[: ]+[\"'“]?(?P<message>[^\"”]+?)[\"'”]?"
_STAGED = r"(?:the )?(?:staging area|stage|index|(?:next )?commit)"
_REMOTE = r"(?: (?:to|from|on|up to) (?:the )?(?:remote|origin|github|server|upstream))?"
_TESTS = "(?:(?:unit |integration )?tests?|test ?suite|pytest|specs)"
_CI = r"(?:ci|c\.i\.|build|pipeline|ci checks?|checks?|github actions?|actions|workflows?)"
_GOOD = (
    "(?:pass(?:ed|es|ing)?|green|ok(?:ay)?|succeed(?:ed)?|go through|work(?:ed)?|clean|red|broken|fail(?:ed|ing|s)?)"
)
_RUN = "(?:run|re-?run|execute|start|do|try|launch|kick off)"
_LOSE = "(?:discard|drop|throw (?:away|out)|scrap|revert|undo|get rid of|reset|lose|remove)"
_BACK = "(?:undo|take back|revert|roll back|reverse|remove)"
_DELETE = "(?:delete|remove|drop|kill|get rid of)"
_NEW = r"(?:create|open|file|make|add|raise|report|submit|write|start)(?: me)?(?: an?| the)?(?: new)?(?: github)?"
_ANY = rf"(?:{SHOW} |any |are there(?: any)? |do (?:i|we) have(?: any)? |which |what )"
_PULLS = "(?:prs|pull[ -]?requests|merge requests)"
_LEFT = "(?: (?:left|open|here|now|are open|are there|pending|waiting.*|are waiting.*))?"

_FOLLOWUPS: Mapping[str, tuple[str, ...]] = {
    "status": (
        rf"(?:{SHOW} )?{_THE}(?:current )?(?:git )?(?:status|state)(?: of (?:it|things|my work|the repo\w*))?",
        (
            r"(?:what|which files?)(?: has| have|'s|s| is| did| was| were)?(?: i| we| you)? ?(?:been |got )?"
            r"(?:changed?|modified|edited|touched|staged|unstaged|untracked|uncommitted|different)"
            r"(?: so far| here| locally| right now| since .+)?"
        ),
        r"(?:is|are) (?:there )?(?:anything|something|any changes) (?:left )?(?:to commit|uncommitted|(?:un)?staged)",
        (
            r"(?:any|anything|do i have(?: any)?|are there(?: any)?)"
            r" (?:uncommitted|unsaved|local|pending|unstaged|staged)"
            r"(?: (?:changes|files|edits|work))?(?: left)?"
        ),
        r"(?:am i|are we|is it|is (?:my|this|the) branch) (?:up to date|ahead|behind|in sync)(?: .{1,40})?",
        (
            r"(?:what|which) branch(?: (?:am i|are we|is it|is this|are you|do i have|is (?:the )?(?:current|active)"
            r"|is (?:currently )?checked out).*)?"
        ),
        rf"{SHOW} {_THE}(?:current|active|checked[- ]out) branch(?: called| name)?",
        r"how(?: does|'s| is) (?:the |my |this )?(?:repo(?:sitory)?|project|branch|tree)(?: look(?:ing)?| doing)?",
        r"(?:where am i|(?:current )?branch(?: name)?)",
    ),
    "diff_of": (
        (
            rf"(?:{SHOW}|what changed|what did i change) ?(?:the |my )?(?:diff|differences?|changes)?"
            rf" ?(?:of|in|to|for) (?:the )?(?:file )?{FILE}"
        ),
    ),
    "staged_diff": (rf"{SHOW} (?:me )?(?:the |my )?(?:staged (?:diff|changes)|diff of (?:the |what is )?staged.*)",),
    "diff": (rf"(?:(?:{SHOW}|see|let me see) )?{_THE}(?:git )?(?:diffs?|differences?|changes|edits|modifications)",),
    "log_of": (
        rf"(?:{SHOW} )?(?:the )?(?:log|history) (?:of|for) (?:the )?(?:file )?{FILE}",
        rf"who (?:last )?changed {FILE}(?: last)?",
    ),
    "log_count": (rf"(?:{SHOW} )?(?:the |my )?(?:{_LAST} )?{_COUNT} (?:{_LAST} )?commits",),
    "log_one": (
        rf"(?:show me |tell me |what (?:was|is|'s) |what's )?(?:the |my )?{_LAST} commit",
        r"what (?:did|have) (?:i|we|you) commit(?:ted)? (?:last|most recently|recently|so far)|what did i last commit",
    ),
    "log": (rf"(?:{SHOW} |see )?{_THE}(?:git |commit )?(?:logs?|history|(?:{_LAST} )?commits)",),
    "stage_file": (rf"(?:git )?(?:stage|add) (?:the )?(?:file )?{FILE}(?: file)?(?: to {_STAGED})?",),
    "stage_all": (
        rf"(?:git add|stage) (?:{_IT}|{_MINE})",
        rf"(?:git )?add (?:everything|all(?: (?:the |my )?{_WORK})?|(?:my |the )changes)(?: to {_STAGED})?",
    ),
    "unstage_file": (
        rf"un-?stage (?:the )?(?:file )?{FILE}",
        rf"(?:take|remove|get|pull|leave) (?:the )?(?:file )?{FILE} (?:out of|from|off) {_STAGED}",
    ),
    "unstage_all": (
        rf"un-?stage(?: (?:{_IT}|{_MINE}))?",
        r"(?:empty|clear|reset) (?:the )?(?:staging area|index)",
    ),
    "discard_file": (
        rf"{_LOSE} {_MINE} (?:in|to|of|from) (?:the )?(?:file )?{FILE}",
        rf"(?:restore|revert|reset|discard) (?:the )?(?:file )?{FILE}",
    ),
    "discard": (
        rf"{_LOSE} {_MINE}",
        r"(?:discard|revert|scrap) (?:it|this|that|everything|them|all)",
        rf"throw (?:{_IT}) (?:all )?(?:away|out)",
    ),
    "undo_commits": (rf"{_BACK} (?:the |my )?{_LAST} {_COUNT} commits",),
    "undo_commit": (rf"{_BACK} (?:the |my |that |this )?(?:{_LAST} )?commit", "uncommit(?: it| that)?"),
    "undo": (
        r"(?:undo|revert)(?: (?:it|that|this|(?:the|my) last (?:step|thing|action|one)))?",
        r"take (?:it|that) back|take back (?:that|it)",
    ),
    "amend": (rf"(?:git )?(?:commit --?)?(?:amend|fix ?up)(?: (?:it|that|this|{_THE}(?:{_LAST} )?commit\b.*)|:? .+)?",),
    "commit_message": (
        rf"{_COMMIT}(?: {_IT})?(?:,? (?:with|using) (?:the |a )?(?:commit )?message|,? -m|:){_MESSAGE}",
        rf"{_COMMIT}(?: {_IT})?,? (?:saying|titled|called|named|as){_MESSAGE}",
        rf"{_COMMIT}(?: {_IT})?(?: please)?,? (?:the |and the )?message (?:is|should be|says){_MESSAGE}",
    ),
    "commit": (
        rf"(?:git )?commit(?: {_IT})?",
        r"(?:git )?commit (?:what|whatever|all|everything)(?: that)? (?:i|we|you)(?:'ve| have)?(?: .{1,20})?",
        rf"(?:make|create|do) a commit(?: (?:of|with|from) {_IT})?|check {_IT} in",
    ),
    "push": (
        rf"(?:git )?push(?: {_IT})?(?: up)?{_REMOTE}",
        rf"push (?:up )?(?:the |my |this |that )(?:current )?(?:branch|commits?|{_WORK})(?: up)?{_REMOTE}",
        rf"(?:upload|publish|send) (?:it|that|this|(?:my|the) (?:branch|commits?|{_WORK}))(?: up)?{_REMOTE}",
    ),
    "pull": (
        rf"(?:git )?pull(?: again| it| down)?{_REMOTE}",
        rf"(?:get|pull|fetch|grab) (?:me )?(?:the )?(?:latest|newest)(?: (?:version|code|commits|{_WORK}))?{_REMOTE}",
        r"update (?:the |my |this )?(?:repo(?:sitory)?|branch|clone|checkout)",
    ),
    "merge": (rf"(?:git )?merge {_NAME}(?: (?:into|in|to|with) (?:the )?(?P<other>\w[\w./-]*)(?: branch)?)?",),
    "new_branch": (
        (
            r"(?:create|make|start|add|open|cut|begin|set up)(?: me)?(?: a| the)?(?: new| fresh| separate)* branch "
            r"(?:called |named )?"
            r"[\"'`]?(?P<branch>\w[\w./-]*)[\"'`]?"
            r"(?:,? and (?:switch|go|change|check|move|jump|hop)(?: (?:over|out))?(?: (?:to )?it)?)?"
        ),
        (
            r"(?:create|make|start|add|begin) (?:a |the )(?:new )?branch (?:called |named )?"
            r"(?P<words>(?!for |to )\w+(?: (?!and )\w+){1,4})"
        ),
        r"new branch (?:called |named )?(?P<branch>\w[\w./-]*)",
    ),
    "branch_for": (
        (
            r"(?:create|make|start|add|open|cut|begin|set up)(?: me)?(?: a| the)?(?: new| fresh| separate)* branch "
            r"(?:for|to work on) (?P<topic>.*\w.*)"
        ),
    ),
    "delete_that": (rf"{_DELETE} (?:that|this|the(?: (?:old|new|last))?) branch(?: again)?",),
    "delete": (rf"{_DELETE} {_NAME}",),
    "branches": (rf"(?:{SHOW} |which |what ){_THE}(?:local )?branches(?: .+)?",),
    "switch": (
        rf"(?:switch|check ?out|checkout|swap)(?: (?:back|over))?(?: (?:on ?to|to|on))? {_NAME}",
        rf"(?:change|go|hop|jump|move|get|take me|return)(?: (?:back|over|me|us))* (?:on ?to|to|on) {_NAME}",
        rf"back (?:to|on|onto) {_NAME}",
    ),
    "lint": (
        rf"{_RUN} (?:the |a )?(?:linter|lint|linting|lint check|ruff|style check)s?{_AGAIN}(?: on .+)?",
        r"lint(?: (?:it|this|that|everything|(?:the |my |all the )?(?:code|files?|project|repo)))?",
        r"check (?:the |my )?(?:code|style|code style)(?: (?:with|using) (?:the )?linter)?",
        r"is (?:the |my |this )?code (?:clean|tidy|ok(?:ay)?)",
        r"(?:any|are there(?: any)?) (?:lint(?:er)?|style) (?:errors|warnings|problems|issues)",
    ),
    "format": (
        r"(?:re)?format(?: (?:it|this|that|everything|(?:the |my |all the )?(?:code|files?|project)))?",
        rf"{_RUN} (?:the )?(?:auto)?-?formatter{_AGAIN}",
    ),
    "types": (
        rf"type[- ]?check(?: (?:it|this|everything|(?:the |my )?(?:code|project)))?{_AGAIN}",
        rf"check (?:the )?types|{_RUN} (?:the )?(?:type[- ]?check(?:er|s|ing)?|mypy){_AGAIN}",
    ),
    "tests": (
        rf"{_RUN} (?:all )?(?:of )?(?:the |my |our |its |those |these )?{_TESTS}{_AGAIN}",
        rf"re-?test(?: it)?|test (?:it|this|that|everything|(?:the |my )?(?:code|changes|project)){_AGAIN}",
    ),
    "run_again": (r"(?:run|try|do|execute) (?:it|that|this|them) (?:again|once more|another time)",),
    "tests_result": (
        rf"(?:did|do|are|have|is) (?:all )?(?:the |my |our )?{_TESTS} (?:all )?(?:still )?{_GOOD}",
        rf"how did (?:the |my )?{_TESTS} go",
        rf"(?:any|which) (?:of the )?{_TESTS} {_GOOD}|(?:any|which) (?:failing|broken|red) {_TESTS}",
    ),
    "why": (
        (
            r"(?:why|how come) (?:did|does|do|is|has|have|was) "
            rf"(?:it|that|this|they|(?:the |my )?(?:{_TESTS}|commit|push|pull|rebase|run))"
            r" (?:fail(?:ed|ing)?|break|broken|not work|go wrong|red)"
        ),
        r"what (?:went wrong|was the (?:error|problem)|failed|is the error|'s the error|s the error)",
    ),
    "ci": (
        rf"why (?:did|does|do|is|are|has|have) (?:the |my |our )?{_CI} {_GOOD}|{SHOW} (?:the )?{_CI} logs?",
        rf"(?:did|do|does|has|have|is|are) (?:the |my |our |all )?{_CI} (?:all )?(?:still )?{_GOOD}",
        rf"(?:{SHOW}|how is|how's|how are) (?:the |my )?{_CI}(?: status| state| results?| doing| looking)?",
        rf"(?:any|which|are there(?: any)?) (?:{_CI} {_GOOD}|(?:failing|failed|red|broken) {_CI})",
    ),
    "issues": (
        rf"{_ANY}?(?:all )?(?:the |my |our )?(?P<state>open|closed) (?:issues|tickets|bugs){_LEFT}",
        rf"{_ANY}(?:all )?(?:the |my |our )?(?:issues|tickets|bugs){_LEFT}",
    ),
    "pulls": (
        rf"{_ANY}(?:all )?(?:of )?(?:the |my |our )?(?:open )?{_PULLS}{_LEFT}",
        rf"(?:who|what) (?:needs|has|is going) to (?:be )?review(?:ed)?(?: my {_PULLS})?",
    ),
    "issue_about": (
        rf"{_NEW} (?:issue|ticket|bug report|bug) (?:that|for|because|about|saying|titled) ?(?P<title>.+)",
    ),
    "pull_request": (
        (
            rf"{_NEW} (?:pr|pull[ -]?request|merge request) (?:for|from|with|of|out of) "
            r"(?:it|this|that|(?:this|my|the|the current) (?:branch|work|changes?))"
        ),
    ),
}
FOLLOWUPS = tuple(
    (kind, re.compile(pattern, re.IGNORECASE)) for kind, patterns in _FOLLOWUPS.items() for pattern in patterns
)

_CAN_NOT: Mapping[str, tuple[str, ...]] = {
    "I can't stash changes. I can commit them on a branch of their own, and undo that commit later.": (
        rf"(?:git )?(?:un)?stash(?: (?:pop|list|apply|{_IT}|{_MINE}))?",
        r"(?:pop|apply|drop|list|show|get|put|bring)(?: me)? (?:the |my |a )?stash(?:es)?(?: back| again)?",
        rf"(?:put|set) {_MINE} (?:aside|away)",
    ),
    "I can't make tags. That is git tag in a terminal.": (
        r"git tag\b.*|tag(?: (?:it|this|that|the (?:commit|release|version)))?(?: (?:as|with|called))? v?\d[\w.-]*",
        r"(?:create|make|add|list|show|delete|push)(?: me)?(?: a| the| all)?(?: new)? (?:git |release )tags?\b.*",
    ),
    "I have no tool for that command of git. The log and the differences I can show.": (
        r"(?:git )?cherry[- ]?pick .+|git (?:bisect|blame|worktree|submodule|reflog)\b.*",
        r"(?:git )?revert (?:commit )?[0-9a-f]{7,40}",
    ),
    "I don't fetch alone; I can pull, which fetches and brings the branch forward.": (
        r"(?:git )?fetch(?: (?:from )?(?:the )?(?:origin|remote|upstream|github|everything|all))?",
    ),
    "I never push with force, because it overwrites the commits of others.": (
        r"force[- ]?push\b.*|(?:git )?push (?:it |that )?(?:with |by |--)?force\b.*",
    ),
    "I can't approve a pull request; a person does that on GitHub. I can comment on it, and read its checks.": (
        r"(?:approve|review|reject|request changes on) (?:the )?(?:pr|pull[ -]?request) .+",
    ),
    "I can't read a single issue yet. I can list the issues, comment on one and close one.": (
        (
            r"(?:show|read|open|tell|what is|what's)(?: me)?(?: about)? (?:the )?(?:issue|ticket) (?:number |# ?)?\d+"
            r"(?: about)?"
        ),
    ),
}
CAN_NOT = tuple(
    (re.compile(pattern, re.IGNORECASE), answer) for answer, patterns in _CAN_NOT.items() for pattern in patterns
)
"""What people ask for that no tool does, and what to say."""
