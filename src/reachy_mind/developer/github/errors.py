"""What can go wrong with GitHub, each with a sentence and a hint; `error_of` reads them from an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reachy_mind.developer.github.printable_text import one_line
from reachy_mind.errors import MindError

TOKEN_HINT = "a token in developer.github_token (GITHUB_TOKEN); make one at Settings > Developer settings on GitHub"  # noqa: S105 -- a sentence
MOST_OF_A_REASON = 300
MOST_FIELDS = 5


class GitHubError(MindError):
    """GitHub did not do what was asked."""

    code = "GITHUB_ERROR"


class TokenMissing(GitHubError):
    """There is no token for GitHub."""

    code = "GITHUB_TOKEN_MISSING"


class TokenRefused(GitHubError):
    """The token is wrong, or has expired."""

    code = "GITHUB_TOKEN_REFUSED"


class AccessRefused(GitHubError):
    """The token may not do this."""

    code = "GITHUB_FORBIDDEN"


class NotOnGitHub(GitHubError):
    """There is no such repository, issue or pull request, or the token can't see it."""

    code = "GITHUB_NOT_FOUND"


class NotMergeable(GitHubError):
    """A pull request can't be merged as it is."""

    code = "GITHUB_NOT_MERGEABLE"


class ChecksNotPassed(NotMergeable):
    """Checks that the branch requires have failed, or have not ended."""

    code = "GITHUB_CHECKS_NOT_PASSED"


class RequestRejected(GitHubError):
    """GitHub refuses the values of a request."""

    code = "GITHUB_REJECTED"


class RateLimited(GitHubError):
    """Too many requests; `retry_at` is when the next is allowed, in seconds since 1970."""

    code = "GITHUB_RATE_LIMITED"

    def __init__(self, message: str, *, hint: str = "", retry_at: float = 0.0) -> None:
        super().__init__(message, hint=hint)
        self.retry_at = retry_at


class GitHubUnavailable(GitHubError):
    """GitHub has trouble of its own."""

    code = "GITHUB_UNAVAILABLE"


class GitHubOffline(GitHubError):
    """GitHub can't be reached."""

    code = "GITHUB_OFFLINE"


def error_of(status: int, headers: Mapping[str, str], body: Any, what: str, *, with_token: bool) -> GitHubError:  # noqa: PLR0911 -- one case per status
    """The error of an answer that is not a success. `what` was asked for, as in "issue 4 of me/house"."""
    reason = one_line(body.get("message"), MOST_OF_A_REASON) if isinstance(body, dict) else ""
    said = f": {reason}" if reason else ""
    match status:
        case 401:
            return _refused_token(said, with_token=with_token)
        case 403:
            return AccessRefused(f"GitHub does not allow that for {what}{said}", hint=_missing_right(headers))
        case 404 | 410:
            hint = "is the name right, and may the token see it?" if with_token else f"private ones need {TOKEN_HINT}"
            return NotOnGitHub(f"GitHub has no {what} that I can see", hint=hint)
        case 405:
            return NotMergeable(f"{what} can't be merged{said}", hint=_merge_hint(reason))
        case 409:
            hint = "look at what changed, then ask again"
            return NotMergeable(f"{what} can't be changed as it is now{said}", hint=hint)
        case 422 | 400:
            return RequestRejected(
                f"GitHub refuses this for {what}{said}{_fields(body)}", hint="change the values and ask again"
            )
        case _ if status >= 500:
            return GitHubUnavailable(
                f"GitHub has trouble of its own (status {status})", hint="try again in some minutes: githubstatus.com"
            )
        case _:
            return GitHubError(f"GitHub answered with status {status}{said}", hint="is developer.github_url right?")


def _refused_token(said: str, *, with_token: bool) -> GitHubError:
    if not with_token:
        return TokenMissing(f"GitHub wants to know who asks{said}", hint=TOKEN_HINT)
    return TokenRefused(f"GitHub does not accept the token: it is wrong or has expired{said}", hint=TOKEN_HINT)


def _missing_right(headers: Mapping[str, str]) -> str:
    """Which right the token lacks, as the headers of the answer tell."""
    if "required" in headers.get("x-github-sso", ""):
        return "the organisation wants the token to be authorised for single sign-on: on GitHub, at the token"
    if needed := one_line(headers.get("x-accepted-github-permissions"), 200):
        return f"the token needs the permission {needed.replace('=', ': ')}"
    accepted = {scope.strip() for scope in one_line(headers.get("x-accepted-oauth-scopes"), 200).split(",")} - {""}
    has = {scope.strip() for scope in one_line(headers.get("x-oauth-scopes"), 200).split(",")} - {""}
    if accepted and not accepted & has:
        return f"the token needs the scope {' or '.join(sorted(accepted))}; it has {', '.join(sorted(has)) or 'none'}"
    return "does the owner of the token have the right to do that there?"


def _merge_hint(reason: str) -> str:
    words = reason.casefold()
    if "draft" in words:
        return "mark it as ready for review first"
    if "not allowed on this repository" in words or "method" in words:
        return "another method: merge, squash or rebase"
    if "review" in words:
        return "somebody has to approve it first"
    if "check" in words or "status" in words:
        return "ask for its checks"
    return "are there conflicts with the branch it goes into?"


def _fields(body: Any) -> str:
    """What is wrong with which field."""
    errors = body.get("errors") if isinstance(body, dict) else None
    told = []
    for error in errors[:MOST_FIELDS] if isinstance(errors, list) else []:
        if isinstance(error, str):
            told.append(one_line(error, 150))
        elif isinstance(error, dict):
            field = one_line(error.get("field"), 50)
            why = one_line(error.get("message"), 150) or one_line(error.get("code"), 50).replace("_", " ")
            told.append(f"{field}: {why}" if field else why)
    return f" ({'; '.join(each for each in told if each)})" if any(told) else ""
