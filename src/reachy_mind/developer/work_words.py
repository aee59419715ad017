"""What a sentence about the repository in use asks for, by its words in any order: "get rid of everything I changed".

Each word is of a kind, or only joins others; a sentence with any other word is about something else. What is read is
one of the followups of `followup_patterns`.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from reachy_mind.brains.word_lists import spaced

_PHRASES = {
    "get rid of": "discard",
    "throw away": "discard",
    "throw out": "discard",
    "take back": "undo",
    "roll back": "undo",
    "check out": "switch",
    "go back": "switch",
    "up to date": "pull",
    "pull request": "pr",
    "pull requests": "pr",
    "commit message": "message",
    "never mind": "",
    "staging area": "index",
    "fire up": "run",
    "kick off": "run",
    "ship it": "push",
    "go red": "fail",
    "go green": "pass",
    "gone red": "fail",
    "turn red": "fail",
}
_KINDS = {
    "discard": "discard scrap drop wipe lose toss nuke kill",
    "undo": "undo revert reverse uncommit rollback",
    "switch": "switch checkout hop return",
    "change": "change changes changed changing modified modifying modification modifications edit edits edited editing"
    " touched touch difference differences diff diffs",
    "file": "file files",
    "commit": "commit committed commits",
    "message": "message",
    "stage": "stage staged add include put",
    "unstage": "unstage",
    "pending": "unstaged uncommitted unpushed unsaved untracked",
    "format": "format formatting reformat formatter tidy",
    "index": "index",
    "branch": "branch branches",
    "log": "log logs history",
    "repo": "repo repository project code codebase tree",
    "state": "status state",
    "push": "push publish upload ship",
    "pull": "pull update sync fetch download",
    "remote": "remote origin github upstream server",
    "test": "test tests testsuite suite pytest retest",
    "lint": "lint linter linting ruff",
    "ci": "ci workflow workflows",
    "build": "build pipeline checks",
    "good": "pass passed passing passes green ok okay happy clean succeed succeeded fine red broken fail failed failing"
    " fails failure failures wrong complain complains complaining",
    "run": "run rerun execute try",
    "issue": "issue ticket bug",
    "issues": "issues tickets bugs",
    "pr": "pr prs",
    "ask": "what what's which who where how overview summary is are was were did do does has have had any anything show"
    " see tell list read view display check why whats hows",
    "make": "make write create do generate made",
    "failed": "fail failed failing fails failure failures broken break breaks broke wrong",
    "save": "save store",
    "progress": "progress work",
    "types": "types typing mypy typechecker",
    "late": "last recent recently previous newest latest",
    "open": "open opened closed waiting pending",
}
_JOINING = frozenset(
    spaced(
        """
        a an the my our your me you i we us it its this that these those them be been being to of in on at for
        with from by next into onto since so far and or if there here all everything some again back up over
        out now still yet off currently just really ever actually right oops sorry hmm uh um oh ah let lets
        get got bring sure please can could would will should shall may want need like good well other one
        ones mine ours thing things stuff something anything went go going gone own whole current first two
        three four five six more then also too had having am s t d ve quick quickly new fresh local version
        through time once done entire full
        """
    )
)
_NOT = frozenset(spaced("not never no don't dont without nothing doesn't won't nobody instead unless"))
_KINDS_OF: dict[str, tuple[str, ...]] = {}
for _kind, _words in _KINDS.items():
    for _word in spaced(_words):
        _KINDS_OF[_word] = (*_KINDS_OF.get(_word, ()), _kind)
_WORD = re.compile(r"[\w./'-]+")
_FILE = re.compile(r"\w[\w./-]*\.[A-Za-z]\w{0,9}")

# What is asked for: kinds that have to be there, and kinds that may be; the first that fits.
_MEANINGS: tuple[tuple[str, str, str], ...] = (
    ("ci", "ci", "ask good state late branch build commit"),
    ("ci", "build good", "ask late commit branch"),
    ("discard_file", "discard path", "change file ask"),
    ("discard", "discard change", "file ask"),
    ("undo_commit", "undo commit", "late"),
    ("unstage_file", "unstage path", "file index commit"),
    ("stage_all", "stage index", "change file"),
    ("stage_file", "stage path", "file index commit"),
    ("types", "types", "run ask good repo make"),
    ("commit", "save commit", "change progress file message"),
    ("commit", "save progress", "change file"),
    ("format", "format", "make repo run file change"),
    ("unstage_all", "unstage", "change file"),
    ("log", "ask commit late", "branch repo log state"),
    ("status", "ask pending", "change file commit repo branch progress stage"),
    ("status", "ask stage", "change file commit repo branch"),
    ("status", "ask name branch", "repo state"),
    ("status", "ask change", "file late commit state repo branch"),
    ("status", "state repo", "ask"),
    ("tests_result", "test good", "ask late change"),
    ("tests_result", "ask test failed", "late change"),
    ("tests", "test run", "change repo ask make"),
    ("tests", "test", "change repo make"),
    ("why", "ask failed", "make run"),
    ("lint", "lint", "run repo ask good change file"),
    ("log", "log", "ask late commit repo branch"),
    ("switch", "switch name", "branch"),
    ("branches", "ask branch", "late open repo remote"),
    ("pulls", "ask pr", "open late state"),
    ("issues", "ask issues", "open late state"),
    ("issues", "ask issue late", "open"),
    ("pull", "pull remote", "late branch repo change commit"),
    ("push", "push", "remote commit branch change late"),
    ("pull", "pull", "late repo branch change commit"),
    ("commit", "commit", "change make message file stage"),
)


def asked_for(said: str, branches: Collection[str]) -> tuple[str, dict[str, str]] | None:
    """The followup that a sentence asks for, with what it names; None for what is about something else.

    `branches`: the names that count as names of branches, as far as they are no words of this kind themselves.
    """
    text = said.casefold()
    for phrase, kind in _PHRASES.items():
        text = re.sub(rf"\b{phrase}\b", f" {kind} ", text)
    words = [word.strip("'.-/") for word in _WORD.findall(text)]
    words = [word.removesuffix("'s") for word in words if word]
    if not words or _NOT & set(words):
        return None
    named: dict[str, str] = {}
    kinds: list[tuple[str, ...]] = []
    plain = {name.casefold(): name for name in branches}
    plain = {name: given for name, given in plain.items() if name not in _KINDS_OF and name not in _JOINING}
    found: tuple[str, ...]
    for word in words:
        if word in plain:
            named["branch"], found = plain[word], ("name",)
        elif _FILE.fullmatch(word):
            named["path"], found = _as_said(said, word), ("path",)
        elif word in _KINDS_OF or word in _KINDS:
            found = _KINDS_OF.get(word, (word,))
        elif word in _JOINING:
            continue
        else:
            return None
        kinds.append(found)
    for meaning, needed, besides in _MEANINGS:
        if _fits(kinds, frozenset(spaced(needed)), frozenset(spaced(besides))):
            return meaning, named
    return None


def _fits(kinds: list[tuple[str, ...]], needed: frozenset[str], besides: frozenset[str]) -> bool:
    """Whether each word is of a kind that is needed or may be, and each needed kind is there."""
    allowed = needed | besides
    there = {kind for of_word in kinds for kind in of_word}
    return all(set(of_word) & allowed for of_word in kinds) and needed <= there


def _as_said(said: str, word: str) -> str:
    """The word as it was said, whose letters may be large."""
    at = said.casefold().find(word)
    return said[at : at + len(word)] if at >= 0 else word
