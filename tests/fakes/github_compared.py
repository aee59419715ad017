"""Compares every answer of the fake GitHub with GitHub's own description of its API (`script/test-github-fake`).

The models of githubkit-schemas are generated from that description; they refuse a missing field or a wrong type.
"""

from __future__ import annotations

import sys
from typing import Any

import httpx
from githubkit_schemas.v2022_11_28 import models  # type: ignore[import-not-found]
from pydantic import TypeAdapter, ValidationError

from tests.fakes.github import TOKEN, GitHub, Job, MemoryBranches
from tests.fakes.github_shapes import MOMENT

JOBS = [Job("tests", "failure", "a log", (("Run", "failure", MOMENT, MOMENT),)), Job("lint", None)]


def answers(hub: GitHub) -> dict[str, tuple[Any, Any]]:
    """By what was asked: the model, and the answer."""
    house = hub.add("me/house", required=["tests"], ruled=["lint"], ci=lambda _: JOBS)
    assert isinstance(house.branches, MemoryBranches)
    sha = house.branches.commit("work", "doors")
    house.statuses[sha] = [("ci/old", "success", "fine")]
    issue = house.issue("An issue", "with a text", ["bug"])
    http = httpx.Client(base_url=hub.api, headers={"Authorization": f"Bearer {TOKEN}", "User-Agent": "compared"})

    def get(path: str, **params: str) -> Any:
        return http.get(path, params=params).json()

    here = "/repos/me/house"
    comment = http.post(f"{here}/issues/{issue}/comments", json={"body": "Seen."}).json()
    wanted = {"title": "Doors", "head": "work", "base": "main", "body": "They open."}
    pull = http.post(f"{here}/pulls", json=wanted).json()
    number = pull["number"]
    runs = get(f"{here}/actions/runs", head_sha=sha)["workflow_runs"]
    jobs = get(f"{here}/actions/runs/{runs[0]['id']}/jobs")["jobs"]
    found = {
        "user": (models.PrivateUser, get("/user")),
        "repositories": (list[models.MinimalRepository], get("/user/repos")),
        "repository": (models.FullRepository, get(here)),
        "issue": (models.Issue, get(f"{here}/issues/{issue}")),
        "issues": (list[models.Issue], get(f"{here}/issues")),
        "comment": (models.IssueComment, comment),
        "new pull request": (models.PullRequest, pull),
        "pull requests": (list[models.PullRequestSimple], get(f"{here}/pulls")),
        "branch": (models.BranchWithProtection, get(f"{here}/branches/main")),
        "rules": (list[models.RepositoryRuleRequiredStatusChecks], get(f"{here}/rules/branches/main")),
        "check runs": (list[models.CheckRun], get(f"{here}/commits/{sha}/check-runs")["check_runs"]),
        "status": (models.CombinedCommitStatus, get(f"{here}/commits/{sha}/status")),
        "runs": (list[models.WorkflowRun], runs),
        "jobs": (list[models.Job], jobs),
        "job": (models.Job, get(f"{here}/actions/jobs/{jobs[0]['id']}")),
        "404": (models.BasicError, get("/repos/me/shed")),
        "422": (models.ValidationError, http.post(f"{here}/pulls", json=wanted | {"head": "nowhere"}).json()),
    }
    house.required, house.ruled = [], []
    merged = http.put(f"{here}/pulls/{number}/merge", json={"sha": sha}).json()
    return found | {
        "merge": (models.PullRequestMergeResult, merged),
        "merged pull request": (models.PullRequest, get(f"{here}/pulls/{number}")),
        "405": (models.BasicError, http.put(f"{here}/pulls/{number}/merge", json={"sha": sha}).json()),
    }


def main() -> int:
    wrong = 0
    with GitHub() as hub:
        for what, (model, answer) in answers(hub).items():
            try:
                TypeAdapter(model).validate_python(answer)
            except ValidationError as error:
                wrong += 1
                sys.stdout.write(f"{what}: {error}\n")
            else:
                sys.stdout.write(f"{what}: as described\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
