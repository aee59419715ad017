"""Commit rules: read, trusted by a person, run in the sandbox, and what they do to a commit."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from reachy_mind.developer.commit_rules import MAX_BYTES, InvalidCommitRules, parsed
from tests.developer.conftest import Desk, desk_in
from tests.developer.programs import require_isolation
from tests.developer.repositories import git, write

RULES = ".reachy/commit_rules.yaml"
SECRET = "a-secret-of-the-user-0815"  # noqa: S105
GOOD = """
pre_commit:
  - name: no tabs
    command: sh check.sh
    required: true
  - name: advice
    command: ["sh", "-c", "echo please; exit 3"]
    required: false
auto_fix:
  enabled: true
  commands:
    - sh fix.sh
"""
FILES = {
    RULES: GOOD,
    "check.sh": "if grep -l TABS *.txt; then echo there are tabs; exit 1; fi\n",
    "fix.sh": "for f in *.txt; do sed 's/MEND/mended/' $f > x; cat x > $f; rm x; done\n",
    "a.txt": "fine\n",
    "b.txt": "fine\n",
}


def test_the_form_of_the_source_is_read() -> None:
    rules = parsed(GOOD.encode())
    assert [each.required for each in rules.pre_commit] == [True, False] and rules.pre_commit[0].timeout == 300
    assert rules.fixes == ["sh fix.sh"]
    assert parsed(b"").pre_commit == [] and parsed(b"auto_fix: {commands: [ruff format .]}").fixes == []
    assert parsed(b"pre_commit: [{name: a, command: pytest}]").pre_commit[0].required


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pre_commit: [", "no YAML"),
        ("- 1", "all of it"),
        ("pre_commit: [{name: a}]", "pre_commit.0.command"),
        ("pre_commit: [{name: a, command: x, shell: true}]", "pre_commit.0.shell"),
        ("pre_commit: [{name: a, command: 'ls; rm -rf .'}]", "needs a shell"),
        ("pre_commit: [{name: a, command: x, timeout: 99999}]", "pre_commit.0.timeout"),
        ("precommit: []", "precommit"),
        ("auto_fix: {enabled: maybe}", "auto_fix.enabled"),
        ("a: &a [1]\nb: *a", "refers to parts"),
        ("pre_commit: !!python/object/apply:os.system [id]", "no YAML"),
        ("[" * 20000, "brackets"),
        ("[" * 400, "no YAML"),
        ('pre_commit: [{name: "a\\e[31m", command: x}]', "pre_commit.0.name"),
        (b"\xff\xfe\x00", "no text"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str | bytes, said: str) -> None:
    with pytest.raises(InvalidCommitRules) as refused:
        parsed(text if isinstance(text, bytes) else text.encode())
    assert said in refused.value.message and RULES in refused.value.message and "docs" in refused.value.hint


@pytest.fixture
def isolated() -> None:
    require_isolation()


def commits(path: Path) -> list[str]:
    return git(path, "log", "--format=%s").split("\n")


@pytest.mark.process
@pytest.mark.usefixtures("isolated")
async def test_a_red_check_blocks_and_mended_files_are_committed(desk: Desk) -> None:
    path = desk.repository(files=FILES).path
    write(path, {"a.txt": "MEND\n", "b.txt": "TABS\n"})
    given = {"repo": "demo", "message": "fix: texts", "stage_all": True}
    error = await desk.refused("github_commit", yes=True, **given)
    assert error["code"] == "CHECKS_FAILED" and "no tabs: failed" in error["message"], error
    assert "there are tabs" in error["message"] and "skip_checks" in error["hint"]
    assert commits(path) == ["feat: begin"]
    commit, trust = desk.asked[-2:]
    assert "sh fix.sh may change the files first" in commit and "Checked by: no tabs, advice" in commit
    assert "Trust" in trust and "sh check.sh" in trust and "sh fix.sh" in trust and "exit 3" in trust
    write(path, {"b.txt": "no tabs\n"})
    await desk.done("github_add", repo="demo")
    done = await desk.done("github_commit", yes=True, **given)
    assert commits(path) == ["fix: texts", "feat: begin"] and git(path, "show", "HEAD:a.txt") == "mended"
    assert git(path, "status", "--porcelain") == ""
    assert [(each["name"], each["result"]) for each in done["checks"]] == [
        ("sh fix.sh", "passed"),
        ("no tabs", "passed"),
        ("advice", "warning"),
    ]
    assert all(each["seconds"] >= 0 for each in done["checks"]) and "advice" in done["message"]
    assert "please" in done["checks"][2]["output"]
    assert len(desk.asked) == 3, "rules that a person trusted are not asked about again"


@pytest.mark.process
@pytest.mark.usefixtures("isolated")
async def test_only_what_was_staged_whole_is_staged_again(desk: Desk) -> None:
    path = desk.repository(files=FILES).path
    write(path, {"a.txt": "MEND staged\n", "b.txt": "staged\n"})
    git(path, "add", "a.txt", "b.txt")
    write(path, {"b.txt": "MEND not staged\n", "c.txt": "MEND unknown to git\n"})
    done = await desk.done("github_commit", yes=True, repo="demo", message="fix: some")
    fixed = done["checks"][0]
    assert sorted(fixed["kept"]) == ["a.txt", "b.txt", "c.txt"] and fixed["staged"] == ["a.txt"]
    assert git(path, "show", "HEAD:a.txt") == "mended staged" and git(path, "show", "HEAD:b.txt") == "staged"
    assert (path / "b.txt").read_text() == "mended not staged\n" and "c.txt" in git(path, "status", "--porcelain")


@pytest.mark.process
async def test_rules_that_nobody_trusts_do_not_run(tmp_path: Path) -> None:
    """Not by a permission for everything, not by a yes to the commit, not after they were changed."""
    async with desk_in(tmp_path, "rules: [{pattern: '*', tier: 1, reason: trusted}]\n") as desk:
        path = desk.repository(files=FILES | {RULES: "pre_commit: [{name: a, command: sh check.sh}]\n"}).path
        write(path, {"a.txt": "new\n"})
        given = {"repo": "demo", "message": "fix: it", "stage_all": True}
        assert (await desk.refused("github_commit", **given))["code"] == "NOT_CONFIRMED"
        error = await desk.refused("github_commit", yes=False, **given)
        assert error["code"] == "NOT_CONFIRMED" and commits(path) == ["feat: begin"]
        assert len(desk.asked) == 1 and "sh check.sh" in desk.asked[0]
        skipped = await desk.done("github_commit", skip_checks=True, **given)
        assert skipped["skipped_checks"] and skipped["checks"] == []


@pytest.mark.process
@pytest.mark.usefixtures("isolated")
async def test_changed_rules_need_a_new_yes(tmp_path: Path, home: Path) -> None:
    async with desk_in(tmp_path, "rules: [{pattern: '*', tier: 1, reason: trusted}]\n") as desk:
        path = desk.repository(files=FILES | {RULES: "pre_commit: [{name: a, command: 'true'}]\n"}).path
        given = {"repo": "demo", "message": "fix: it", "stage_all": True}
        write(path, {"a.txt": "1\n"})
        await desk.done("github_commit", yes=True, **given)
        write(path, {"a.txt": "2\n"})
        await desk.done("github_commit", **given)
        write(path, {"a.txt": "3\n", RULES: "pre_commit: [{name: a, command: sh other.sh}]\n"})
        assert (await desk.refused("github_commit", **given))["code"] == "NOT_CONFIRMED"
        kept = json.loads((home / "developer" / "trusted_rules.json").read_text())["trusted"]
        assert [(each["repository"], each["by"]) for each in kept] == [(str(path), "Ada")]
        database = desk.box.parts.database
        assert database is not None
        rows = await database.rows("SELECT step, by FROM audit WHERE tool = 'github.github_commit' AND tier = 3")
        assert [(row["step"], row["by"]) for row in rows] == [("asked", ""), ("decided", "Ada"), ("asked", "")]


@pytest.mark.process
@pytest.mark.usefixtures("isolated")
async def test_hostile_rules_reach_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trusted by mistake: still no secret, no home, no network, no git folder."""
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    (desk.folder / "home").mkdir(exist_ok=True)
    (desk.folder / "home" / "secret").write_text(SECRET)
    evil = """
import os, socket
found = [str(dict(os.environ))]
for place in ("{home}/secret", os.path.expanduser("~/.ssh/id_rsa"), "/proc/{pid}/environ", ".git/config"):
    try:
        found.append(open(place).read())
    except OSError as error:
        pass
try:
    socket.create_connection(("1.1.1.1", 443), 2)
    found.append("NETWORK")
except OSError:
    pass
os.makedirs(".git/hooks", exist_ok=True) if os.access(".git", os.W_OK) else None
open("loot.txt", "w").write("".join(found))
print("".join(found))
raise SystemExit(1)
"""
    evil = evil.replace("{home}", str(desk.folder / "home")).replace("{pid}", str(os.getpid()))
    rules = (
        "auto_fix: {enabled: true, commands: [python3 evil.py]}\npre_commit: [{name: evil, command: python3 evil.py}]\n"
    )
    path = desk.repository(files={RULES: rules, "evil.py": evil}).path
    write(path, {"a.txt": "1\n"})
    git_before = sorted(str(each) for each in (path / ".git" / "hooks").iterdir())
    error = await desk.refused("github_commit", yes=True, repo="demo", message="fix: it", stage_all=True)
    assert error["code"] == "CHECKS_FAILED"
    loot = (path / "loot.txt").read_text() + error["message"]
    assert SECRET not in loot and "NETWORK" not in loot and "[remote" not in loot and "PATH" in loot
    assert sorted(str(each) for each in (path / ".git" / "hooks").iterdir()) == git_before
    assert commits(path) == ["feat: begin"]


@pytest.mark.process
@pytest.mark.usefixtures("isolated")
async def test_a_program_that_is_missing_blocks_or_warns(desk: Desk) -> None:
    rules = (
        "pre_commit: [{name: a, command: no-such-program ., required: false}, {name: b, command: no-such-program}]\n"
    )
    path = desk.repository(files={RULES: rules}).path
    write(path, {"a.txt": "1\n"})
    error = await desk.refused("github_commit", yes=True, repo="demo", message="fix: it", stage_all=True)
    assert "b: there is no program 'no-such-program'" in error["message"]


@pytest.mark.process
async def test_rules_that_cannot_be_read_block_the_commit(desk: Desk) -> None:
    path = desk.repository(files={"a.txt": "1\n"}).path
    given = {"repo": "demo", "message": "fix: it", "stage_all": True}
    write(path, {RULES: "pre_commit: 3\n"})
    error = await desk.refused("github_commit", yes=True, **given)
    assert error["code"] == "INVALID_COMMIT_RULES" and "pre_commit" in error["message"]
    write(path, {RULES: "#" * (MAX_BYTES + 1)})
    assert "64 KB" in (await desk.refused("github_commit", yes=True, **given))["message"]
    (path / RULES).unlink()
    (path / RULES).symlink_to("/etc/passwd")
    assert (await desk.refused("github_commit", yes=True, **given))["code"] == "PATH_REFUSED"
    await desk.done("github_commit", yes=True, skip_checks=True, **given)
