"""What GitHub answers, as far as it is used here. Other fields are ignored; what may be missing has a default."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class GitHubModel(BaseModel):
    """A part of an answer."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class GitHubUser(GitHubModel):
    login: str = ""


class IssueLabel(GitHubModel):
    name: str = ""


class GitHubIssue(GitHubModel):
    """An issue; also a pull request, where `pull_request` is there."""

    number: int
    title: str = ""
    state: str = ""
    html_url: str = ""
    body: str | None = None
    user: GitHubUser | None = None
    labels: list[IssueLabel | str] = []
    comments: int = 0
    updated_at: str = ""
    pull_request: dict[str, object] | None = None

    @property
    def label_names(self) -> list[str]:
        return [label if isinstance(label, str) else label.name for label in self.labels]


class GitHubComment(GitHubModel):
    id: int
    html_url: str = ""


class HostedRepository(GitHubModel):
    full_name: str
    default_branch: str = "main"
    html_url: str = ""
    private: bool = False
    has_issues: bool = True
    archived: bool = False


class PullBranch(GitHubModel):
    """A side of a pull request. `label` is `owner:branch`."""

    ref: str
    sha: str
    label: str = ""
    repo: HostedRepository | None = None


class PullRequest(GitHubModel):
    number: int
    title: str = ""
    state: str = ""
    html_url: str = ""
    body: str | None = None
    user: GitHubUser | None = None
    draft: bool | None = False
    merged: bool = False
    mergeable: bool | None = None
    """None: GitHub has not found out yet."""
    mergeable_state: str = ""
    head: PullBranch
    base: PullBranch
    updated_at: str = ""
    merged_at: str | None = None


class MergeResult(GitHubModel):
    sha: str
    merged: bool
    message: str = ""


class CheckOutput(GitHubModel):
    title: str | None = None
    summary: str | None = None


class CheckRun(GitHubModel):
    """A check of a commit, by an app such as GitHub Actions."""

    id: int
    name: str
    status: str
    conclusion: str | None = None
    html_url: str | None = None
    output: CheckOutput = CheckOutput()


class CommitStatus(GitHubModel):
    """A check of a commit, in the older form."""

    context: str
    state: str
    description: str | None = None
    target_url: str | None = None


class CombinedStatus(GitHubModel):
    state: str = ""
    total_count: int = 0
    statuses: list[CommitStatus] = []


class WorkflowRun(GitHubModel):
    """A run of a workflow of GitHub Actions."""

    id: int
    name: str | None = None
    status: str | None = None
    conclusion: str | None = None
    html_url: str = ""
    head_sha: str = ""
    run_number: int = 0


class WorkflowStep(GitHubModel):
    number: int = 0
    name: str = ""
    status: str = ""
    conclusion: str | None = None
    started_at: str | None = None
    completed_at: str | None = None


class WorkflowJob(GitHubModel):
    id: int
    run_id: int = 0
    name: str
    status: str = ""
    conclusion: str | None = None
    html_url: str | None = None
    steps: list[WorkflowStep] = []


class RequiredStatusChecks(GitHubModel):
    contexts: list[str] = []


class BranchProtection(GitHubModel):
    enabled: bool = False
    required_status_checks: RequiredStatusChecks | None = None


class GitHubCommit(GitHubModel):
    sha: str


class GitHubBranch(GitHubModel):
    name: str
    commit: GitHubCommit
    protected: bool = False
    protection: BranchProtection | None = None


class RequiredCheck(GitHubModel):
    context: str


class RuleParameters(GitHubModel):
    required_status_checks: list[RequiredCheck] = []


class BranchRule(GitHubModel):
    """A rule of a ruleset that holds for a branch."""

    type: str
    parameters: RuleParameters = Field(default_factory=RuleParameters)
