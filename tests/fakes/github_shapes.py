"""The answers of the fake GitHub, with every field that the real ones always have.

Compared in November 2026 with GitHub's own OpenAPI description, version 2022-11-28 of its API: each answer below is
accepted by the models that githubkit-schemas 26.10 generates from it, which refuse a missing field or a wrong type
(`script/test-github-fake`: users, repositories, issues, comments, pull requests, merges, check runs, statuses, runs and
jobs of workflows, branches, rules, errors). Headers, limits and redirects are as the pages "Rate limits for the REST
API", "Using pagination in the REST API", "Best practices for using the REST API" and "REST API endpoints for workflow
jobs" describe them. Nothing was compared with the real service.
"""

from __future__ import annotations

from typing import Any

MOMENT = "2026-03-03T10:00:00Z"
DOCUMENTATION = "https://docs.github.com/rest"
_REPOSITORY_LINKS = [
    "archive",
    "assignees",
    "blobs",
    "branches",
    "collaborators",
    "comments",
    "commits",
    "compare",
    "contents",
    "contributors",
    "deployments",
    "downloads",
    "events",
    "forks",
    "git_commits",
    "git_refs",
    "git_tags",
    "issue_comment",
    "issue_events",
    "issues",
    "keys",
    "labels",
    "languages",
    "merges",
    "milestones",
    "notifications",
    "pulls",
    "releases",
    "stargazers",
    "statuses",
    "subscribers",
    "subscription",
    "tags",
    "teams",
    "trees",
    "hooks",
]


def user(url: str, login: str, number: int = 1) -> dict[str, Any]:
    links = ("followers", "following", "gists", "starred", "subscriptions", "organizations", "repos", "events")
    return {
        "login": login,
        "id": number,
        "node_id": f"U_{number}",
        "avatar_url": f"https://avatars.example/{number}",
        "gravatar_id": "",
        "url": f"{url}/users/{login}",
        "html_url": f"https://github.example/{login}",
        "received_events_url": f"{url}/users/{login}/received_events",
        "type": "User",
        "site_admin": False,
    } | {f"{link}_url": f"{url}/users/{login}/{link}" for link in links}


def private_user(url: str, login: str) -> dict[str, Any]:
    empty = dict.fromkeys(("name", "company", "location", "email", "hireable", "bio"))
    counts = [
        "public_repos",
        "public_gists",
        "followers",
        "following",
        "private_gists",
        "total_private_repos",
        "owned_private_repos",
        "disk_usage",
        "collaborators",
    ]
    more = {"blog": "", "created_at": MOMENT, "updated_at": MOMENT, "two_factor_authentication": True}
    return user(url, login) | empty | dict.fromkeys(counts, 0) | more


def repository(url: str, owner: str, name: str, default_branch: str, *, archived: bool = False) -> dict[str, Any]:
    mine = f"{url}/repos/{owner}/{name}"
    counts = [
        "forks_count",
        "stargazers_count",
        "watchers_count",
        "size",
        "open_issues_count",
        "forks",
        "open_issues",
        "watchers",
    ]
    has = ["has_issues", "has_projects", "has_wiki", "has_pages", "has_discussions"]
    return {
        "id": 7,
        "node_id": "R_7",
        "name": name,
        "full_name": f"{owner}/{name}",
        "owner": user(url, owner),
        "private": False,
        "html_url": f"https://github.example/{owner}/{name}",
        "description": None,
        "fork": False,
        "url": mine,
        "git_url": f"git:github.example/{owner}/{name}.git",
        "ssh_url": f"git@github.example:{owner}/{name}.git",
        "clone_url": f"https://github.example/{owner}/{name}.git",
        "svn_url": f"https://svn.github.example/{owner}/{name}",
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        "default_branch": default_branch,
        "archived": archived,
        "disabled": False,
        "pushed_at": MOMENT,
        "created_at": MOMENT,
        "updated_at": MOMENT,
        "subscribers_count": 0,
        "network_count": 0,
        **dict.fromkeys(counts, 0),
        **dict.fromkeys(has, True),
        **{f"{link}_url": f"{mine}/{link}" for link in _REPOSITORY_LINKS},
    }


def label(url: str, name: str) -> dict[str, Any]:
    about = {"id": 1, "node_id": "L_1", "url": f"{url}/labels/{name}", "color": "ededed", "default": False}
    return about | {"name": name, "description": None}


def issue(url: str, repository: str, entry: dict[str, Any]) -> dict[str, Any]:
    """`entry`: number, title, body, state, labels, login, comments, perhaps pull."""
    mine = f"{url}/repos/{repository}/issues/{entry['number']}"
    kind = "pull" if entry.get("pull") else "issues"
    shape = {
        "id": 1000 + entry["number"],
        "node_id": f"I_{entry['number']}",
        "url": mine,
        "repository_url": f"{url}/repos/{repository}",
        "labels_url": f"{mine}/labels{{/name}}",
        "comments_url": f"{mine}/comments",
        "events_url": f"{mine}/events",
        "html_url": f"https://github.example/{repository}/{kind}/{entry['number']}",
        "number": entry["number"],
        "state": entry["state"],
        "state_reason": entry.get("state_reason"),
        "title": entry["title"],
        "body": entry["body"],
        "user": user(url, entry["login"]),
        "labels": [label(url, name) for name in entry["labels"]],
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "locked": False,
        "comments": len(entry["comments"]),
        "closed_at": MOMENT if entry["state"] == "closed" else None,
        "created_at": MOMENT,
        "updated_at": MOMENT,
        "author_association": "OWNER",
    }
    if entry.get("pull"):
        shape["pull_request"] = {
            "url": f"{url}/repos/{repository}/pulls/{entry['number']}",
            "html_url": shape["html_url"],
            "diff_url": f"{shape['html_url']}.diff",
            "patch_url": f"{shape['html_url']}.patch",
        }
    return shape


def comment(url: str, repository: str, number: int, index: int, login: str, body: str) -> dict[str, Any]:
    return {
        "id": index,
        "node_id": f"IC_{index}",
        "url": f"{url}/repos/{repository}/issues/comments/{index}",
        "html_url": f"https://github.example/{repository}/issues/{number}#issuecomment-{index}",
        "issue_url": f"{url}/repos/{repository}/issues/{number}",
        "body": body,
        "user": user(url, login),
        "created_at": MOMENT,
        "updated_at": MOMENT,
        "author_association": "OWNER",
    }


def pull(url: str, repository: dict[str, Any], entry: dict[str, Any], *, whole: bool) -> dict[str, Any]:
    """`entry`: as for an issue, and head, base, head_sha, base_sha, draft, merge_sha, mergeable, mergeable_state,
    ahead. `whole`: as one alone is answered, not one of a list."""
    full_name, owner = repository["full_name"], repository["owner"]["login"]
    mine = f"{url}/repos/{full_name}/pulls/{entry['number']}"
    page = f"https://github.example/{full_name}/pull/{entry['number']}"
    as_issue = f"{url}/repos/{full_name}/issues/{entry['number']}"
    merged = entry["merge_sha"] is not None
    closed = MOMENT if entry["state"] == "closed" else None

    def side(which: str) -> dict[str, Any]:
        about = {"label": f"{owner}:{entry[which]}", "ref": entry[which], "sha": entry[f"{which}_sha"]}
        return about | {"user": user(url, owner), "repo": repository}

    links = {
        "self": mine,
        "html": page,
        "issue": as_issue,
        "comments": f"{as_issue}/comments",
        "review_comments": f"{mine}/comments",
        "review_comment": f"{mine}/comments{{/number}}",
        "commits": f"{mine}/commits",
        "statuses": f"{url}/repos/{full_name}/statuses/{entry['head_sha']}",
    }
    shape = {
        "url": mine,
        "id": 5000 + entry["number"],
        "node_id": f"PR_{entry['number']}",
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": as_issue,
        "commits_url": links["commits"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": links["statuses"],
        "number": entry["number"],
        "state": entry["state"],
        "locked": False,
        "title": entry["title"],
        "user": user(url, entry["login"]),
        "body": entry["body"],
        "labels": [label(url, name) for name in entry["labels"]],
        "milestone": None,
        "created_at": MOMENT,
        "updated_at": MOMENT,
        "closed_at": closed,
        "merged_at": MOMENT if merged else None,
        "merge_commit_sha": entry["merge_sha"],
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "head": side("head"),
        "base": side("base"),
        "_links": {name: {"href": link} for name, link in links.items()},
        "author_association": "OWNER",
        "auto_merge": None,
        "draft": entry["draft"],
    }
    if whole:
        counts = {"review_comments": 0, "commits": entry["ahead"], "additions": 1, "deletions": 0, "changed_files": 1}
        shape |= {
            "merged": merged,
            "mergeable": None if entry["state"] == "closed" else entry["mergeable"],
            "mergeable_state": "unknown" if entry["state"] == "closed" else entry["mergeable_state"],
            "rebaseable": None,
            "merged_by": user(url, entry["login"]) if merged else None,
            "comments": len(entry["comments"]),
            "maintainer_can_modify": False,
            **counts,
        }
    return shape


def branch(url: str, repository: str, name: str, sha: str, required: list[str]) -> dict[str, Any]:
    mine = f"{url}/repos/{repository}/branches/{name}"
    person = {"name": "GitHub", "email": "noreply@github.example", "date": MOMENT}
    tree = {"sha": sha, "url": f"{url}/repos/{repository}/git/trees/{sha}"}
    at = f"{url}/repos/{repository}/commits/{sha}"
    said = {"url": at, "author": person, "committer": person, "message": "a commit", "tree": tree, "comment_count": 0}
    commit = {
        "sha": sha,
        "node_id": "C_1",
        "url": at,
        "html_url": f"https://github.example/{repository}/commit/{sha}",
        "comments_url": f"{at}/comments",
        "commit": said,
        "author": None,
        "committer": None,
        "parents": [],
    }
    checks = {
        "enforcement_level": "everyone" if required else "off",
        "contexts": required,
        "checks": [{"context": name, "app_id": None} for name in required],
    }
    return {
        "name": name,
        "commit": commit,
        "_links": {"self": mine, "html": f"https://github.example/{repository}/tree/{name}"},
        "protected": bool(required),
        "protection": {"enabled": bool(required), "required_status_checks": checks},
        "protection_url": f"{mine}/protection",
    }


def required_rule(names: list[str]) -> dict[str, Any]:
    """The rule of a ruleset that a branch is under."""
    return {
        "type": "required_status_checks",
        "ruleset_source_type": "Repository",
        "ruleset_source": "me/house",
        "ruleset_id": 42,
        "parameters": {
            "required_status_checks": [{"context": name} for name in names],
            "strict_required_status_checks_policy": False,
        },
    }


def check_run(url: str, repository: str, sha: str, job: dict[str, Any]) -> dict[str, Any]:
    """`job`: id, run, name, status, conclusion, steps, perhaps title."""
    page = f"https://github.example/{repository}/actions/runs/{job['run']}/job/{job['id']}"
    ended = job["status"] == "completed"
    return {
        "id": job["id"],
        "head_sha": sha,
        "node_id": f"CR_{job['id']}",
        "external_id": str(job["id"]),
        "url": f"{url}/repos/{repository}/check-runs/{job['id']}",
        "html_url": page,
        "details_url": page,
        "status": job["status"],
        "conclusion": job["conclusion"],
        "started_at": MOMENT,
        "completed_at": MOMENT if ended else None,
        "output": {
            "title": job.get("title"),
            "summary": None,
            "text": None,
            "annotations_count": 0,
            "annotations_url": f"{url}/repos/{repository}/check-runs/{job['id']}/annotations",
        },
        "name": job["name"],
        "check_suite": {"id": job["run"]},
        "app": None,
        "pull_requests": [],
    }


def status(url: str, context: str, state: str, description: str) -> dict[str, Any]:
    about = {"context": context, "state": state, "description": description}
    more = {"id": 1, "node_id": "S_1", "avatar_url": None, "url": f"{url}/statuses/1", "target_url": None}
    return about | more | {"required": None, "created_at": MOMENT, "updated_at": MOMENT}


def combined_status(url: str, repository: dict[str, Any], sha: str, statuses: list[dict[str, Any]]) -> dict[str, Any]:
    states = {each["state"] for each in statuses}
    state = "failure" if states & {"failure", "error"} else "success" if states == {"success"} else "pending"
    mine = f"{repository['url']}/commits/{sha}"
    about = {"state": state, "statuses": statuses, "sha": sha, "total_count": len(statuses)}
    return about | {"repository": repository, "commit_url": mine, "url": f"{mine}/status"}


def workflow_run(
    url: str, repository: dict[str, Any], run: int, sha: str, jobs: list[dict[str, Any]]
) -> dict[str, Any]:
    full_name = repository["full_name"]
    mine = f"{url}/repos/{full_name}/actions/runs/{run}"
    ended = all(job["status"] == "completed" for job in jobs)
    bad = any(job["conclusion"] == "failure" for job in jobs)
    person = {"name": "GitHub", "email": "noreply@github.example"}
    links = ("jobs", "logs", "artifacts", "cancel", "rerun")
    return {
        "id": run,
        "name": "CI",
        "node_id": f"WFR_{run}",
        "head_branch": "work",
        "head_sha": sha,
        "path": ".github/workflows/ci.yml",
        "run_number": 1,
        "run_attempt": 1,
        "event": "pull_request",
        "display_title": "a commit",
        "status": "completed" if ended else "in_progress",
        "conclusion": None if not ended else "failure" if bad else "success",
        "workflow_id": 1,
        "url": mine,
        "html_url": f"https://github.example/{full_name}/actions/runs/{run}",
        "pull_requests": [],
        "created_at": MOMENT,
        "updated_at": MOMENT,
        "check_suite_url": f"{url}/repos/{full_name}/check-suites/{run}",
        "workflow_url": f"{url}/repos/{full_name}/actions/workflows/1",
        "head_commit": {
            "id": sha,
            "tree_id": sha,
            "message": "a commit",
            "timestamp": MOMENT,
            "author": person,
            "committer": person,
        },
        "repository": repository,
        "head_repository": repository,
        **{f"{link}_url": f"{mine}/{link}" for link in links},
    }


def workflow_job(url: str, repository: str, sha: str, job: dict[str, Any]) -> dict[str, Any]:
    mine = f"{url}/repos/{repository}/actions"
    ended = job["status"] == "completed"
    return {
        "id": job["id"],
        "run_id": job["run"],
        "run_url": f"{mine}/runs/{job['run']}",
        "run_attempt": 1,
        "node_id": f"J_{job['id']}",
        "head_sha": sha,
        "head_branch": "work",
        "url": f"{mine}/jobs/{job['id']}",
        "html_url": f"https://github.example/{repository}/actions/runs/{job['run']}/job/{job['id']}",
        "status": job["status"],
        "conclusion": job["conclusion"],
        "created_at": MOMENT,
        "started_at": MOMENT,
        "completed_at": MOMENT if ended else None,
        "name": job["name"],
        "steps": job["steps"],
        "check_run_url": f"{url}/repos/{repository}/check-runs/{job['id']}",
        "labels": ["ubuntu-latest"],
        "runner_id": 1,
        "runner_name": "runner",
        "runner_group_id": 1,
        "runner_group_name": "Default",
        "workflow_name": "CI",
    }


def error(status_code: int, message: str, errors: list[dict[str, str]] | None = None) -> dict[str, Any]:
    shape: dict[str, Any] = {"message": message, "documentation_url": DOCUMENTATION, "status": str(status_code)}
    return shape if errors is None else shape | {"errors": errors}
