"""The tools of repositories on real git, as people use them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.developer.conftest import Desk, desk_in
from tests.developer.repositories import commit, git, write

pytestmark = pytest.mark.process


async def test_a_change_goes_from_a_clone_to_the_remote(desk: Desk) -> None:
    origin = desk.repository("origin")
    remote = git(origin.path, "remote", "get-url", "origin")
    cloned = await desk.done("github_clone", repo=remote, folder="work", by="talk")
    assert cloned["repo"] == "work" and cloned["branch"] == "main"
    assert (await desk.done("github_branch", action="create", name="feature/api", by="talk"))["repo"] == "work"
    written = await desk.done(
        "github_write_file", path="src/app/api.py", content="def api():\n    return 2\n", by="talk"
    )
    assert written["new"] and "+def api():" in written["diff"]
    status = await desk.done("github_status", by="talk")
    assert status["untracked"] == ["src/app/api.py"] and status["branch"] == "feature/api"
    assert (await desk.done("github_add", by="talk"))["staged"] == [{"path": "src/app/api.py", "change": "added"}]
    diff = await desk.done("github_diff", which="staged", by="talk")
    assert diff["files"] == [{"path": "src/app/api.py", "added": 2, "removed": 0}]
    made = await desk.done("github_commit", yes=True, by="talk")
    assert made["commit_message"] == "feat(api): add api" and made["author"] == "ada <ada@users.noreply.github.com>"
    assert "feat(api): add api" in desk.asked[-1] and "src/app/api.py" in desk.asked[-1]
    log = await desk.done("github_log", by="talk")
    assert [each["subject"] for each in log["commits"]] == ["feat(api): add api", "feat: begin"]
    pushed = await desk.done("github_push", yes=True, by="talk")
    assert pushed["new_branch"] and "feat(api): add api" in desk.asked[-1]
    assert git(Path(remote), "log", "-1", "--format=%s %an", "feature/api") == "feat(api): add api ada"
    assert (await desk.done("github_status", by="talk"))["upstream"] == "origin/feature/api"
    assert (await desk.refused("github_push", yes=True, by="talk"))["code"] == "NOTHING_TO_DO"


async def test_pull_brings_what_others_pushed(desk: Desk) -> None:
    mine = desk.repository()
    other = desk.folder / "other"
    git(desk.folder, "clone", "--quiet", git(mine.path, "remote", "get-url", "origin"), str(other))
    commit(other, "fix: theirs", {"theirs.txt": "1\n"})
    git(other, "push", "--quiet")
    pulled = await desk.done("github_pull", repo="demo")
    assert pulled["new_commits"] == 1 and (mine.path / "theirs.txt").is_file()
    assert (await desk.done("github_pull", repo="demo"))["new_commits"] == 0
    commit(other, "fix: again", {"theirs.txt": "2\n"})
    git(other, "push", "--quiet")
    commit(mine.path, "fix: ours", {"ours.txt": "1\n"})
    error = await desk.refused("github_pull", repo="demo")
    assert error["code"] == "GIT_CONFLICT" and "rebase" in error["hint"]
    error = await desk.refused("github_push", repo="demo", yes=True)
    assert error["code"] == "REMOTE_REFUSED" and "pull" in error["hint"]
    assert (await desk.done("github_pull", repo="demo", rebase=True))["rebased"] == 1
    assert git(mine.path, "log", "--format=%s", "-3").split("\n") == ["fix: ours", "fix: again", "fix: theirs"]


async def test_a_conflict_of_a_rebase_leaves_everything_as_it_was(desk: Desk) -> None:
    path = desk.repository().path
    git(path, "switch", "--quiet", "--create", "work")
    commit(path, "feat: ours", {"README.md": "# Ours\n"})
    git(path, "switch", "--quiet", "main")
    commit(path, "feat: theirs", {"README.md": "# Theirs\n"})
    git(path, "switch", "--quiet", "work")
    before = git(path, "rev-parse", "HEAD")
    error = await desk.refused("github_rebase", yes=True, repo="demo", onto="main")
    assert error["code"] == "GIT_CONFLICT" and "README.md" in error["message"] and "as it was" in error["message"]
    assert git(path, "rev-parse", "HEAD") == before and git(path, "status", "--porcelain") == ""
    error = await desk.refused("github_rebase", yes=True, repo="demo", onto="main", on_conflict="leave")
    assert "waits there" in error["message"] and "git rebase --continue" in error["hint"]
    assert (await desk.done("github_status", repo="demo"))["conflicts"] == ["README.md"]
    git(path, "rebase", "--abort")
    git(path, "reset", "--quiet", "--hard", "HEAD~1")
    commit(path, "feat: besides", {"other.txt": "1\n"})
    rebased = await desk.done("github_rebase", yes=True, repo="demo", onto="main")
    assert (
        rebased["commits"] == 1 and git(path, "log", "-2", "--format=%s %an") == "feat: besides Ada\nfeat: theirs Ada"
    )


async def test_branches(desk: Desk) -> None:
    path = desk.repository().path
    listed = await desk.done("github_branch", repo="demo")
    assert listed["current"] == "main" and listed["total"] == 2
    await desk.done("github_branch", repo="demo", action="create", name="done")
    assert "checked out" in (await desk.refused("github_branch", repo="demo", action="delete", name="done"))["message"]
    await desk.done("github_branch", repo="demo", action="switch", name="main")
    await desk.done("github_branch", repo="demo", action="delete", name="done")
    await desk.done("github_branch", repo="demo", action="create", name="open")
    commit(path, "feat: open", {"open.txt": "1\n"})
    await desk.done("github_branch", repo="demo", action="switch", name="main")
    assert (
        "no other branch" in (await desk.refused("github_branch", repo="demo", action="delete", name="open"))["message"]
    )
    forced = {"repo": "demo", "action": "delete", "name": "open", "force": True}
    assert (await desk.refused("github_branch", **forced))["code"] == "NOT_CONFIRMED"
    await desk.done("github_branch", yes=True, **forced)
    assert "open" not in git(path, "branch")
    for name in ("-d", "--delete", "a..b", "a b", "HEAD", "x.lock", ".x", "a\nb", "a~1"):
        error = await desk.refused("github_branch", repo="demo", action="create", name=name)
        assert error["code"] == "INVALID_PARAMETER", name


async def test_taking_back(desk: Desk) -> None:
    path = desk.repository().path
    readme = path / "README.md"
    write(path, {"README.md": "# Changed\n", "new.txt": "1\n"})
    await desk.done("github_add", repo="demo", paths=["README.md"])
    await desk.done("github_restore", repo="demo", paths=["README.md"])
    assert git(path, "diff", "--cached", "--name-only") == "" and readme.read_text() == "# Changed\n"
    lost = {"repo": "demo", "paths": ["README.md"], "target": "worktree"}
    assert (await desk.refused("github_restore", **lost))["code"] == "NOT_CONFIRMED"
    assert (await desk.refused("github_restore", yes=False, **lost))["code"] == "NOT_CONFIRMED"
    assert readme.read_text() == "# Changed\n"
    await desk.done("github_restore", yes=True, **lost)
    assert readme.read_text() == "# Hello\n" and "README.md" in desk.asked[-1]
    readme.write_text("# Again\n")
    assert (await desk.done("github_discard", yes=True, repo="demo"))["discarded"] == 1
    assert readme.read_text() == "# Hello\n" and (path / "new.txt").exists()
    await desk.done("github_discard", yes=True, repo="demo", untracked=True)
    assert not (path / "new.txt").exists()
    assert (await desk.refused("github_discard", yes=True, repo="demo"))["code"] == "NOTHING_TO_DO"
    await desk.done("github_rm", yes=True, repo="demo", paths=["README.md"])
    assert not readme.exists()


async def test_a_hard_reset_asks_and_the_others_do_not(desk: Desk) -> None:
    path = desk.repository().path
    first = git(path, "rev-parse", "HEAD")
    commit(path, "feat: second", {"second.txt": "1\n"})
    await desk.done("github_reset", repo="demo", mode="soft")
    assert git(path, "diff", "--cached", "--name-only") == "second.txt"
    git(path, "commit", "--quiet", "-m", "feat: second")
    await desk.done("github_reset", repo="demo")
    assert git(path, "status", "--porcelain") == "?? second.txt"
    write(path, {"README.md": "# Changed\n"})
    assert (await desk.refused("github_reset", repo="demo", mode="hard", target="HEAD"))["code"] == "NOT_CONFIRMED"
    await desk.done("github_reset", yes=True, repo="demo", mode="hard", target="HEAD")
    assert "README.md" in desk.asked[-1]
    assert (path / "README.md").read_text() == "# Hello\n" and git(path, "rev-parse", "HEAD") == first


async def test_what_a_person_was_asked_is_what_is_committed(desk: Desk) -> None:
    path = desk.repository().path
    write(path, {"a.txt": "1\n"})
    await desk.done("github_add", repo="demo")
    desk.before_yes = lambda: (write(path, {"b.txt": "2\n"}), git(path, "add", "b.txt"), None)[-1]
    error = await desk.refused("github_commit", yes=True, repo="demo", message="feat: add a")
    assert "changed since" in error["message"] and git(path, "log", "--format=%s") == "feat: begin"
    desk.before_yes = None
    await desk.done("github_commit", yes=True, repo="demo", message="feat: add a and b")


async def test_a_commit_of_everything_and_the_first_one_of_all(desk: Desk) -> None:
    desk.repos.mkdir()
    path = desk.repos / "fresh"
    path.mkdir()
    git(path, "init", "--quiet", "--initial-branch=main")
    assert (await desk.refused("github_commit", yes=True, repo="fresh"))["code"] == "NOTHING_TO_DO"
    write(path, {"docs/start.md": "# Start\n"})
    assert "stage_all" in (await desk.refused("github_commit", yes=True, repo="fresh"))["hint"]
    made = await desk.done("github_commit", yes=True, repo="fresh", stage_all=True)
    assert made["commit_message"] == "docs: add start.md"
    assert git(path, "log", "--format=%s") == "docs: add start.md"
    assert (await desk.done("github_log", repo="fresh", author="ada"))["commits"][0]["author"] == "ada"
    assert (await desk.done("github_log", repo="fresh", author="bob"))["commits"] == []
    assert (await desk.done("github_log", repo="fresh", since="2 weeks ago"))["commits"]
    assert (await desk.done("github_log", repo="fresh", until="2001-01-01"))["commits"] == []


async def test_files(desk: Desk) -> None:
    desk.repository(files={"a.py": "one\ntwo\n", "src/deep/main.py": "def hello():\n    pass\n", "b.bin": "x\0y"})
    listed = await desk.done("github_list_files", repo="demo")
    assert [each["name"] for each in listed["entries"]] == ["src", "a.py", "b.bin"]
    assert (await desk.done("github_list_files", repo="demo", pattern="*.py"))["files"] == ["a.py", "src/deep/main.py"]
    found = await desk.done("github_list_files", repo="demo", containing="DEF HELLO")
    assert found["lines"] == [{"path": "src/deep/main.py", "line": 1, "text": "def hello():"}]
    read = await desk.done("github_read_file", repo="demo", path="main.py")
    assert read["path"] == "src/deep/main.py" and read["content"] == "def hello():\n    pass"
    analysed = await desk.done("github_read_file", repo="demo", path="main.py", question="What does it do?")
    assert analysed["message"] == analysed["analysis"] == "main.py has 2 lines. It defines hello."
    part = await desk.done("github_read_file", repo="demo", path="a.py", first_line=2, lines=1)
    assert part["content"] == "two" and part["lines"] == 2
    assert (await desk.done("github_read_file", repo="demo", path="b.bin"))["binary"]
    old = await desk.done("github_read_file", repo="demo", path="a.py", commit="main")
    assert old["content"] == "one\ntwo"
    assert (await desk.refused("github_read_file", repo="demo", path="nothing.py"))["code"] == "INVALID_PARAMETER"


async def test_which_repository(desk: Desk) -> None:
    error = await desk.refused("github_status")
    assert error["code"] == "UNKNOWN_REPOSITORY" and "github_clone" in error["hint"]
    desk.repository("reachy_mini")
    desk.repository("other")
    assert (await desk.done("github_status", repo="Reachy Mini", by="one"))["repo"] == "reachy_mini"
    assert (await desk.done("github_status", repo="other", by="two"))["repo"] == "other"
    assert (await desk.done("github_status", by="one"))["repo"] == "reachy_mini"
    error = await desk.refused("github_status", repo="reachi_mini")
    assert "did you mean reachy_mini?" in error["hint"]
    listed = await desk.done("github_list_repos")
    assert [each["repo"] for each in listed["repositories"]] == ["other", "reachy_mini"]


CONFIRMED = {"github_push", "github_rm", "github_discard", "github_commit", "github_rebase"}


async def test_a_person_confirms_exactly_what_the_table_says(desk: Desk) -> None:
    tiers = {tool.name: tool.tier.label for tool in desk.box.registry if tool.tier is not None}
    others = {"github_create_pr", "github_merge_pr", "execute_code"}
    assert {name for name, tier in tiers.items() if tier == "confirm"} == CONFIRMED | others
    desk.repository()
    write(desk.repos / "demo", {"README.md": "# Changed\n"})
    given: dict[str, dict[str, object]] = {
        "github_rm": {"paths": ["README.md"]},
        "github_rebase": {"onto": "main"},
        "github_commit": {"stage_all": True},
    }
    for name in CONFIRMED - {"github_push"}:
        for yes in (None, False):
            error = await desk.refused(name, yes=yes, repo="demo", **given.get(name, {}))
            assert error["code"] == "NOT_CONFIRMED", name
        error = await desk.refused(name, repo="demo", confirmed=True, **given.get(name, {}))
        assert error["code"] == "INVALID_PARAMETER", name
    assert (desk.repos / "demo" / "README.md").read_text() == "# Changed\n"


async def test_a_rule_shows_the_change_of_a_file_before_it_is_written(tmp_path: Path) -> None:
    async with desk_in(tmp_path, "rules:\n- {pattern: github.*, tier: confirm}\n") as desk:
        path = desk.repository().path
        changed = {"repo": "demo", "path": "README.md", "content": "# New\n"}
        assert (await desk.refused("github_write_file", yes=False, **changed))["code"] == "NOT_CONFIRMED"
        assert "-# Hello" in desk.asked[-1] and "+# New" in desk.asked[-1]
        assert (path / "README.md").read_text() == "# Hello\n"
        await desk.done("github_write_file", yes=True, **changed)
        assert (path / "README.md").read_text() == "# New\n"


async def test_offline_and_without_names(tmp_path: Path) -> None:
    async with desk_in(tmp_path, github_owner=None, github_url="http://127.0.0.1:9/api/v3") as desk:
        path = desk.repository().path
        error = await desk.refused("github_clone", repo="owner/name")
        assert error["code"] == "OFFLINE" and not list(desk.repos.glob(".cloning*"))
        assert "whose repository" in (await desk.refused("github_clone", repo="name"))["message"]
        assert (await desk.refused("github_clone", repo="https://evil.example/a/b"))["code"] == "NO_REMOTE"
        git(path, "remote", "set-url", "origin", "http://127.0.0.1:9/ada/demo.git")
        assert (await desk.refused("github_pull", repo="demo"))["code"] == "OFFLINE"
        commit(path, "feat: more", {"more.txt": "1\n"})
        error = await desk.refused("github_push", yes=True, repo="demo")
        assert error["code"] == "NOT_READY" and "github_token" in error["hint"]
        write(path, {"more.txt": "2\n"})
        error = await desk.refused("github_commit", yes=True, repo="demo", stage_all=True)
        assert error["code"] == "NOT_READY" and "github_owner" in error["hint"]
        assert (await desk.done("github_status", repo="demo"))["modified"]


async def test_a_clone_in_the_background_can_be_cancelled_and_leaves_nothing(desk: Desk) -> None:
    origin = desk.repository("origin")
    remote = git(origin.path, "remote", "get-url", "origin")
    outcome = await desk.call("github_clone", repo=remote, folder="work", background=True)
    assert outcome.status == "started"
    tasks = desk.box.parts.tasks
    assert tasks is not None
    await tasks.cancel(outcome.data["task_id"])
    left = [each.name for each in desk.repos.iterdir() if each.name != "origin"]
    assert left in ([], ["work"])  # it may have been done already


async def test_a_change_of_the_same_size_and_second_is_seen(desk: Desk) -> None:
    """git believes the times in its index, unless the index is as old as the file."""
    path = desk.repository(files={"a.txt": "one\n"}).path
    git(path, "update-index", "--refresh")
    write(path, {"a.txt": "two\n"})  # most often in the same second
    desk.before_yes = lambda: time.sleep(1.1)  # what a person takes
    await desk.done("github_commit", yes=True, repo="demo", message="fix: a", stage_all=True)
    assert git(path, "show", "HEAD:a.txt") == "two"
