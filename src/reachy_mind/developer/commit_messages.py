"""Commit messages in the form that semantic-release reads: checked, and made from a difference by rules.

    feat(parser): add parse_date

The rules look at names alone: which files, and which functions and classes came, went or were renamed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from reachy_mind.developer.git_state import DiffText, FileDiff
from reachy_mind.errors import InvalidParameter

TYPES = ("feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert")
MAX_HEADER = 100
MAX_MESSAGE = 5000
MOST_NAMED = 3
_HEADER = re.compile(
    rf"(?P<type>{'|'.join(TYPES)})(?:\((?P<scope>[a-z0-9][\w./-]{{0,39}})\))?(?P<breaking>!)?: (?P<subject>\S.*)"
)
_DEFINED = re.compile(
    r"^(?P<sign>[+-])\s*(?:export\s+)?(?:default\s+)?(?:pub(?:\(\w+\))?\s+)?(?:async\s+)?"
    r"(?:def|class|function|func|fn|struct|interface|enum|trait|type)\s+(?:\([^)]*\)\s*)?(?P<name>[A-Za-z_]\w{0,79})",
    re.MULTILINE,
)
_DOCS = re.compile(
    r"(?:^|/)(?:docs?|documentation)/|\.(?:md|rst|adoc|txt)$|(?:^|/)(?:LICENSE|NOTICE|AUTHORS)$", re.IGNORECASE
)
_TESTS = re.compile(r"(?:^|/)(?:tests?|spec|__tests__)/|(?:^|/)(?:test_[^/]*|[^/]*_test|[^/]*\.(?:test|spec))\.\w+$")
_CI = re.compile(
    r"^\.(?:github/workflows|circleci|gitlab-ci)|(?:^|/)(?:Jenkinsfile|\.travis\.yml|azure-pipelines\.yml)$"
)
_BUILD = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|requirements[\w.-]*\.txt|[\w.-]*\.lock|package(?:-lock)?\.json|Makefile"
    r"|Dockerfile[\w.]*|CMakeLists\.txt|Cargo\.toml|go\.(?:mod|sum)|pom\.xml|build\.gradle)$"
)
_SETTINGS = re.compile(r"(?:^|/)\.[^/]+$|\.(?:ya?ml|toml|ini|cfg|json)$")
_GENERIC = frozenset(
    ("src", "lib", "app", "pkg", "packages", "source", "tests", "test", "docs", "doc", "include", "main")
)
_HINTS = {"fix": "fix", "bugfix": "fix", "hotfix": "fix", "perf": "perf", "refactor": "refactor"}
_SAID_FIRST = {
    word: kind
    for kind, words in {
        "feat": "add allow create enable implement introduce support new make",
        "fix": "fix fixed fixes correct mend repair resolve handle prevent avoid",
        "docs": "document describe explain readme docs",
        "test": "test tests cover",
        "refactor": "refactor rename move split extract simplify clean tidy remove drop",
        "perf": "speed optimise optimize cache",
        "style": "format reformat",
        "revert": "revert undo",
    }.items()
    for word in words.split()
}
"""The type of a message, by the word that it begins with."""


@dataclass(frozen=True)
class ChangedNames:
    """Functions and classes that came, and that went, in order."""

    added: tuple[str, ...]
    removed: tuple[str, ...]


def checked(message: str) -> str:
    """The message as it is committed. Raises InvalidParameter with what is wrong."""
    text = "\n".join(line.rstrip() for line in message.strip().replace("\r\n", "\n").split("\n"))
    if len(text) > MAX_MESSAGE or not all(sign.isprintable() or sign in "\n\t" for sign in text):
        raise InvalidParameter("this is no commit message", hint=f"plain text of at most {MAX_MESSAGE} characters")
    header, *rest = text.split("\n")
    found = _HEADER.fullmatch(header)
    if found is None:
        raise InvalidParameter(
            f"{header[:80]!r} does not begin as a commit message here: type(scope): what it does",
            hint=f"such as 'feat(parser): add parse_date'; types: {', '.join(TYPES)}",
        )
    if len(header) > MAX_HEADER:
        raise InvalidParameter(f"its first line has {len(header)} characters", hint=f"at most {MAX_HEADER}")
    if found["subject"].endswith("."):
        raise InvalidParameter("its first line ends with a full stop", hint="leave it out")
    if rest and rest[0]:
        raise InvalidParameter("its second line is not empty", hint="an empty line comes after the first one")
    return text


def conventional(said: str) -> str:
    """A message as it was said aloud, in the form that is `checked`: "add power" is "feat: add power"."""
    header, *rest = said.strip().split("\n")
    if _HEADER.fullmatch(header) or not header:
        return said.strip()
    plain = header.rstrip(". ")
    first, _, further = plain.partition(" ")
    kind = _SAID_FIRST.get(first.casefold(), "chore")
    plain = further if further and first.casefold() == kind else plain  # "fix the door" is "fix: the door"
    spoken = plain if plain[1:2].isupper() else plain[:1].lower() + plain[1:]
    return "\n".join((f"{kind}: {spoken}", *rest))


def from_diff(diff: DiffText, branch: str = "") -> str:
    """A message for a difference, by rules; always one that is `checked`. `branch`: a hint of what it is about."""
    files = list(diff.files)
    if not files:
        return "chore: empty commit"
    names = changed_names(diff.text)
    kind = _type(files, names, branch)
    scope = _scope([each.path for each in files], kind)
    head = f"{kind}({scope}): " if scope else f"{kind}: "
    return checked(_fitted(head, _summary(files, names)))


def changed_names(diff: str) -> ChangedNames:
    """Names that only came or only went; one that was moved or changed does neither."""
    signs = [(found["sign"], found["name"]) for found in _DEFINED.finditer(diff)]
    came, went = (
        Counter(name for sign, name in signs if sign == "+"),
        Counter(name for sign, name in signs if sign == "-"),
    )
    return ChangedNames(
        tuple(name for name in came if name not in went), tuple(name for name in went if name not in came)
    )


def _type(files: Sequence[FileDiff], names: ChangedNames, branch: str) -> str:
    paths = [each.path for each in files]
    for pattern, kind in ((_TESTS, "test"), (_CI, "ci"), (_BUILD, "build"), (_DOCS, "docs")):
        if all(pattern.search(path) for path in paths):
            return kind
    hint = branch.partition("/")[0].casefold()
    if hint in _HINTS:
        return _HINTS[hint]
    source = [each for each in files if not any(p.search(each.path) for p in (_TESTS, _CI, _BUILD, _DOCS))]
    new = any(_is_new(each) for each in source)
    if all(_SETTINGS.search(each.path) for each in source) and not names.added:
        return "chore"
    if hint in ("feat", "feature") or (new and not names.removed) or (names.added and not names.removed):
        return "feat"
    return "refactor"


def _is_new(each: FileDiff) -> bool:
    return not each.before and bool(each.added) and each.removed == 0


def _scope(paths: Sequence[str], kind: str) -> str:
    """The folder that all files have in common, unless its name says nothing; else the one file's name."""
    folders = [PurePosixPath(path).parent.parts for path in paths if kind == "test" or not _TESTS.search(path)]
    folders = folders or [PurePosixPath(path).parent.parts for path in paths]
    common: list[str] = []
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    telling = [part for part in common if part.casefold() not in _GENERIC]
    scope = (
        telling[-1]
        if telling
        else PurePosixPath(paths[0]).stem
        if len(paths) == 1 and kind not in ("docs", "build")
        else ""
    )
    scope = re.sub(r"[^a-z0-9_-]+", "-", scope.casefold()).strip("-_")[:40]
    return scope.strip("-_")


def _summary(files: Sequence[FileDiff], names: ChangedNames) -> str:
    if names.added:
        return f"add {_list(names.added)}"
    if names.removed:
        return f"remove {_list(names.removed)}"
    renamed = [each for each in files if each.before]
    if len(files) == 1 and renamed:
        return f"rename {_file(renamed[0].before)} to {_file(renamed[0].path)}"
    new = [each.path for each in files if _is_new(each)]
    gone = [each.path for each in files if each.added == 0 and each.removed]
    if new and len(new) == len(files):
        return f"add {_list(map(_file, new))}"
    if gone and len(gone) == len(files):
        return f"remove {_list(map(_file, gone))}"
    return f"update {_list(_file(each.path) for each in files)}"


def _file(path: str) -> str:
    return re.sub(r"[^\w.-]+", "-", PurePosixPath(path).name)[:60] or "file"


def _list(names: Iterable[str]) -> str:
    unique = list(dict.fromkeys(names))
    if len(unique) <= MOST_NAMED:
        return " and ".join([", ".join(unique[:-1]), unique[-1]] if len(unique) > 1 else unique)
    return f"{', '.join(unique[: MOST_NAMED - 1])} and {len(unique) - MOST_NAMED + 1} more"


def _fitted(head: str, summary: str) -> str:
    room = MAX_HEADER - len(head)
    if len(summary) <= room:
        return head + summary.rstrip(".")
    return head + summary[:room].rpartition(" ")[0].rstrip(" ,.")
