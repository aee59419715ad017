"""Sentences that mean a repository only while a conversation is about one: a name for each, and the whole of its words.

They are said without naming anything: "undo that", "switch to main", "show me the log". `RepositoryTalk` reads them.
"""

from __future__ import annotations

import re

from reachy_mind.developer.sentence_patterns import FILE, SHOW

_THE = "(?:the |my |our |these |those |all the |all my |all of my |that |this )?"
_IT = (
    "(?:it|this|that|these|those|them|everything|all|all of it|(?:the|my|our|these|those|all|all my) (?:changes|work))"
)
_ALL = (
    "(?P<all>everything|all|it|this|that|them|these|those|(?:all )?(?:of )?(?:the |my |these )?(?:files|changes|edits))"
)
_NAME = r"(?:the )?(?:branch )?[\"'`]?(?P<branch>[\w][\w./-]*)[\"'`]?(?: branch)?"
_AGAIN = "(?: again| once more| another time)?"
_NUMBER = r"(?P<count>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten)"
_MESSAGE = (
    r"(?:,? (?:with|using) (?:the |a )?(?:commit )?message|,? (?:saying|titled|called|named|as)|,? -m|:)"
    r"[: ]+[\"'“]?(?P<message>[^\"”]+?)[\"'”]?"
)
_CHANGES = (
    r"(?:all )?(?:of )?(?:the |my |our |these |those |local |last |recent |unstaged |uncommitted |current )*"
    r"(?:changes|edits|modifications|work|local stuff)"
)
_STAGE_AREA = r"(?:the )?(?:staging area|stage|index|(?:next )?commit)"
_REMOTE = r"(?: (?:to|from|on|up to) (?:the )?(?:remote|origin|github|server|upstream))?"
_TESTS = "(?:(?:unit |integration )?tests?|test ?suite|pytest|specs)"
_CI = "(?:ci|c\\.i\\.|build|pipeline|ci checks?|checks?|github actions?|actions|workflows?)"
_GOOD = "(?:pass(?:ed|es|ing)?|green|ok(?:ay)?|succeed(?:ed)?|go through|work(?:ed)?|clean|red|broken|fail(?:ed|ing)?)"
_RUN = "(?:run|re-?run|execute|start|do|try|launch|kick off)"

_FOLLOWUPS: tuple[tuple[str, str], ...] = (
    ("status", rf"(?:{SHOW} )?{_THE}(?:current )?(?:git )?(?:status|state)(?: of (?:it|things|my work|the repo\w*))?"),
    (
        "status",
        r"(?:what|which files?)(?: has| have|'s|s| is| did| was| were)?(?: i| we| you)? ?(?:been |got )?"
        r"(?:changed?|modified|edited|touched|staged|unstaged|untracked|uncommitted|different)"
        r"(?: so far| here| locally| right now| since .+)?",
    ),
    ("status", r"(?:is|are) (?:there )?(?:anything|something|any changes) (?:left )?(?:to commit|uncommitted|unstaged|staged)"),
    ("status", r"(?:any|do i have(?: any)?|are there(?: any)?) (?:uncommitted|unsaved|local|pending|unstaged|staged)"
               r" (?:changes|files|edits|work)(?: left)?"),
    ("status", r"(?:am i|are we|is it|is (?:my|this|the) branch) (?:up to date|ahead|behind|in sync)(?: .{1,40})?"),
    ("status", r"(?:what|which) branch(?: (?:am i|are we|is it|is this|are you|is (?:currently )?checked out|do i have"
               r"|is (?:the )?(?:current|active)).*)?"),
    ("status", rf"{SHOW} {_THE}(?:current|active|checked[- ]out) branch(?: called| name)?|(?:current )?branch(?: name)?"),
    ("diff_of", rf"(?:{SHOW}|what changed|what did i change) (?:the |my )?(?:diff|differences?|changes)?"
                rf" ?(?:of|in|to|for) (?:the )?(?:file )?{FILE}"),
    ("staged_diff", rf"{SHOW} (?:me )?(?:the |my )?(?:staged (?:diff|changes)|diff of (?:the |what is )?staged.*)"),
    ("diff", rf"(?:(?:{SHOW}|see|let me see) )?{_THE}(?:git )?(?:diffs?|differences?|changes|edits|modifications)"),
    ("log_of", rf"(?:{SHOW} )?(?:the )?(?:log|history) (?:of|for) (?:the )?(?:file )?{FILE}|who (?:last )?changed {FILE.replace('path', 'file')}(?: last)?"),
    ("log_count", rf"(?:{SHOW} )?(?:the |my )?(?:last |latest |recent |previous |most recent ){{1,2}}{_NUMBER} commits"),
    ("log_one", r"(?:show me |tell me |what (?:was|is|'s) |what's )?(?:the |my )?(?:last|latest|previous|newest) commit"
                r"|what (?:did|have) (?:i|we) commit(?:ted)? (?:last|most recently|recently)|what did i last commit"),
    ("log", rf"(?:{SHOW} |see )?{_THE}(?:git |commit )?(?:logs?|history|(?:recent|last|latest|previous) commits|commits)"),
    ("stage_file", rf"(?:git )?(?:stage|add) (?:the )?(?:file )?{FILE}(?: file)?(?: to {_STAGE_AREA})?"),
    ("stage_all", rf"(?:git add|stage) {_ALL}|(?:git )?add (?:everything|all(?: (?:the |my )?(?:files|changes))?|(?:my |the )changes)"
                  rf"(?: to {_STAGE_AREA})?"),
    ("unstage_file", rf"(?:unstage|un-stage) (?:the )?(?:file )?{FILE}|(?:take|remove|get|pull|leave) (?:the )?(?:file )?"
                     rf"{FILE.replace('path', 'file')} (?:out of|from|off) {_STAGE_AREA}"),
    ("unstage_all", rf"(?:unstage|un-stage)(?: {_ALL})?|(?:empty|clear|reset) (?:the )?(?:staging area|index)"),
    ("discard_file", rf"(?:discard|drop|throw (?:away|out)|scrap|revert|undo|get rid of|remove|reset|lose) {_CHANGES} (?:in|to|of|from)"
                     rf" (?:the )?(?:file )?{FILE}|(?:restore|revert|reset|discard) (?:the )?(?:file )?{FILE.replace('path', 'file')}"),
    ("discard", rf"(?:discard|drop|throw (?:away|out)|scrap|revert|undo|get rid of|reset|lose) {_CHANGES}"
                r"|(?:discard|revert|scrap) (?:it|this|that|everything|them|all)|throw (?:it|that|everything|this|them) (?:all )?away"),
    ("undo_commits", rf"(?:undo|take back|revert|roll back|uncommit|reverse|remove) (?:the |my )?(?:last|latest|previous) {_NUMBER} commits"),
    ("undo_commit", r"(?:undo|take back|revert|roll back|reverse|remove|drop) (?:the |my |that |this )?(?:last |latest |previous )?commit"
                    r"|uncommit(?: it| that)?"),
    ("undo", r"(?:undo|take (?:it|that) back|take back that|undo (?:it|that|this|the last (?:step|thing|action|one))"
             r"|revert (?:the last (?:step|thing|action)))"),
    ("amend", r"(?:git )?(?:commit --)?(?:amend|fix ?up)(?: (?:it|that|this|(?:the |my )?(?:last |latest |previous )?commit(?: message)?))?(?: .+)?"),
    ("commit_message", rf"(?:(?:git )?commit|save|check in|make a commit)(?: {_IT})?{_MESSAGE}"),
    ("commit", rf"(?:git )?commit(?: {_IT})?|(?:make|create|do) a commit(?: (?:of|with|from) {_IT})?|check {_IT} in"),
    ("push", rf"(?:git )?push(?: {_IT})?(?: up)?{_REMOTE}|push (?:up )?(?:the |my |this |that )(?:current )?(?:branch|commits?|changes|work)(?: up)?{_REMOTE}"
             rf"|(?:upload|publish|send) (?:it|that|this|my (?:branch|commits?|changes|work)|the (?:branch|commits?))(?: up)?{_REMOTE}"),
    ("pull", rf"(?:git )?pull(?: again| it| down)?{_REMOTE}|(?:get|pull|fetch|grab) (?:me )?(?:the )?(?:latest|newest)"
             rf"(?: (?:changes|version|code|commits|state))?{_REMOTE}|update (?:the |my |this )?(?:repo(?:sitory)?|branch|clone|checkout)"),
    ("merge", rf"(?:git )?merge {_NAME}(?: (?:into|in|to|with) .+)?"),
    ("new_branch", r"(?:create|make|start|add|open|cut)(?: me)?(?: a| the)?(?: new)? branch (?:called |named )?[\"'`]?(?P<branch>[\w][\w./-]*)"
                   r"[\"'`]?(?:,? and (?:switch|go|change|check|move|jump|hop)(?: (?:over|out))?(?: (?:to )?it)?)?"
                   r"|(?:new )branch (?:called |named )?(?P<new>[\w][\w./-]*)"),
    ("delete_that", r"(?:delete|remove|drop|kill|get rid of) (?:that|this|the(?: (?:old|new|last))?) branch(?: again)?"),
    ("delete", rf"(?:delete|remove|drop|kill|get rid of) {_NAME}"),
    ("branches", rf"(?:{SHOW} |which |what ){_THE}(?:local )?branches(?: .+)?"),
    ("switch", r"(?:switch|change|go|hop|jump|move|check ?out|get|take me|return|swap)(?: (?:back|over|me|us))?(?: (?:on ?to|to|on))?"
               rf" {_NAME}|back (?:to|on|onto) {_NAME.replace('branch>', 'other>')}"),
    ("lint", rf"{_RUN} (?:the |a )?(?:linter|lint|linting|lint check|ruff|style check)s?{_AGAIN}(?: on .+)?"
             r"|lint(?: (?:it|this|that|everything|(?:the |my |all the )?(?:code|files?|project|repo)))?"
             r"|check (?:the |my )?(?:code|style|code style)(?: (?:with|using) (?:the )?linter)?"
             r"|is (?:the |my |this )?code (?:clean|tidy|ok(?:ay)?)|(?:any|are there(?: any)?) (?:lint(?:er)?|style) (?:errors|warnings|problems|issues)"),
    ("format", rf"(?:re)?format(?: (?:it|this|that|everything|(?:the |my |all the )?(?:code|files?|project)))?|{_RUN} (?:the )?(?:auto)?-?formatter{_AGAIN}"),
    ("types", rf"(?:type[- ]?check|check (?:the )?types(?: of .+)?|{_RUN} (?:the )?(?:type[- ]?check(?:er|s|ing)?|mypy)){_AGAIN}"
              r"(?: (?:it|this|everything|(?:the |my )?(?:code|project)))?"),
    ("tests", rf"{_RUN} (?:all )?(?:of )?(?:the |my |our |its |those |these )?{_TESTS}{_AGAIN}|re-?test(?: it)?"
              r"|test (?:it|this|that|everything|(?:the |my )?(?:code|changes|project))" + _AGAIN),
    ("run_again", r"(?:run|try|do|execute) (?:it|that|this|them)" + "(?: again| once more| another time)"),
    ("tests_result", rf"(?:did|do|are|have|is) (?:all )?(?:the |my |our )?{_TESTS} (?:all )?(?:still )?{_GOOD}|how did (?:the |my )?{_TESTS} go"
                     rf"|(?:any|which) (?:of the )?{_TESTS} (?:fail(?:ed|ing|s)?|broken)|(?:any|which) failing {_TESTS}"),
    ("why", rf"(?:and )?(?:why|how come) (?:did|does|do|is|has|have) (?:it|that|this|they|(?:the |my )?{_TESTS}|(?:the |my )?(?:commit|push|pull|rebase|run))"
            r" (?:fail(?:ed|ing)?|break|broken|not work|go wrong|red)|what (?:went wrong|was the (?:error|problem)|failed|is the error|'s the error|s the error)"),
    ("ci_why", rf"why (?:did|does|do|is|are|has|have) (?:the |my |our )?{_CI} {_GOOD}|{SHOW} (?:the )?{_CI} logs?"),
    ("ci", rf"(?:did|do|does|has|have|is|are) (?:the |my |our |all )?{_CI} (?:all )?(?:still )?{_GOOD}|(?:{SHOW}|how is|how's|how are) (?:the |my )?{_CI}"
           rf"(?: status| state| results?| doing| looking)?|(?:any|which|are there(?: any)?) (?:{_CI} (?:{_GOOD})|failing {_CI}|failed {_CI}|red {_CI})"),
    ("issues", rf"(?:{SHOW} |any |are there(?: any)? |do (?:i|we) have(?: any)? |which |what )?(?:all )?(?:the |my |our )?(?P<state>open|closed) (?:issues|tickets|bugs)"
               r"(?: (?:left|open|here|now))?"),
    ("pulls", rf"(?:{SHOW} |any |are there(?: any)? |do (?:i|we) have(?: any)? |which |what )(?:all )?(?:of )?(?:the |my |our )?(?:open )?"
              r"(?:prs|pull[ -]?requests)(?: (?:left|open|here|now|are open|are waiting.*|are there|waiting.*|pending))?"
              r"|(?:who|what) (?:needs|has|is going) to (?:be )?review(?:ed)?(?: my (?:prs|pull[ -]?requests))?"),
    ("issue_about", r"(?:create|open|file|make|add|raise|report|submit|write)(?: me)?(?: an?| the)?(?: new)?(?: github)? (?:issue|ticket|bug report|bug)"
                    r" (?:that|for|because|on the fact that|about|saying|titled) ?(?P<title>.+)"),
    ("pull_request", r"(?:create|open|make|raise|submit|start)(?: me)?(?: an?| the)?(?: new)? (?:pr|pull[ -]?request|merge request)"
                     r" (?:for|from|with|of|out of) (?:it|this|that|(?:this|my|the|the current) (?:branch|work|changes?))"),
)  # fmt: skip
FOLLOWUPS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _FOLLOWUPS)

_CAN_NOT: tuple[tuple[str, str], ...] = (
    (
        r"(?:git )?(?:un)?stash(?: (?:it|this|that|them|everything|pop|list|apply|(?:all )?(?:my |the |these )?(?:changes|work|edits|stuff)))?"
        r"|(?:pop|apply|drop|list|show|get|put|bring)(?: me)? (?:the |my |a )?stash(?:es)?(?: back| again)?"
        r"|(?:put|set) (?:my |the |these )?(?:changes|work|edits) (?:aside|away)(?: for .+)?",
        "I can't stash changes. I can commit them on a branch of their own, and undo that commit later.",
    ),
    (
        r"git tag\b.*|tag(?: (?:it|this|that|the (?:commit|release|version)))?(?: (?:as|with|called))? v?\d[\w.-]*"
        r"|(?:create|make|add|list|show|delete|push)(?: me)?(?: a| the| all)?(?: new)? (?:git |release )tags?\b.*",
        "I can't make tags. That is git tag in a terminal.",
    ),
    (
        r"(?:git )?cherry[- ]?pick .+|git (?:bisect|blame|stash|worktree|submodule|reflog)\b.*|(?:git )?revert (?:commit )?[0-9a-f]{7,40}",
        "I have no tool for that command of git. I can show the log and the difference to find the commit.",
    ),
    (
        r"(?:git )?fetch(?: (?:from )?(?:the )?(?:origin|remote|upstream|github|everything|all))?",
        "I don't fetch alone; I can pull, which fetches and brings the branch forward.",
    ),
    (
        r"force[- ]?push\b.*|push (?:it |that )?(?:with |by )?force\b.*|push --force\b.*",
        "I never push with force, because it overwrites the commits of others.",
    ),
    (
        r"(?:approve|review|reject|request changes on) (?:the )?(?:pr|pull[ -]?request) .+",
        "I can't approve a pull request; a person does that on GitHub. I can comment on it, and read its checks.",
    ),
    (
        r"(?:show|read|open|tell|what is|what's)(?: me)?(?: about)? (?:the )?(?:issue|ticket) (?:number |# ?)?\d+(?: about)?",
        "I can't read a single issue yet. I can list the issues, comment on one and close one.",
    ),
)
CAN_NOT = tuple((re.compile(pattern, re.IGNORECASE), answer) for pattern, answer in _CAN_NOT)
"""What people ask for that no tool does, and what to say."""
