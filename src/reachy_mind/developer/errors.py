"""Typed errors of work in repositories. Those of GitHub's API are in `github.errors`."""

from __future__ import annotations

from reachy_mind.errors import MindError


class UnknownRepository(MindError):
    """No repository of this name has been cloned."""

    code = "UNKNOWN_REPOSITORY"


class UnsafeRepository(MindError):
    """Something in the repository's own git folder could run programs or lead elsewhere."""

    code = "UNSAFE_REPOSITORY"


class PathRefused(MindError):
    """A path leads out of the repository, through a link, or into its git folder."""

    code = "PATH_REFUSED"


class NoRemote(MindError):
    """The repository has no remote, or one that may not be used."""

    code = "NO_REMOTE"


class GitFailed(MindError):
    """git ended with an error."""

    code = "GIT_FAILED"


class GitConflict(GitFailed):
    """Changes contradict one another."""

    code = "GIT_CONFLICT"


class UncommittedChanges(GitFailed):
    """The working tree has changes that this would mix up or lose."""

    code = "UNCOMMITTED_CHANGES"


class NothingToDo(GitFailed):
    """There is nothing to commit, push or discard."""

    code = "NOTHING_TO_DO"


class RemoteRefused(GitFailed):
    """The remote refused a request: a missing token, no access, or a push that is not a fast-forward."""

    code = "REMOTE_REFUSED"


class ProgramInvalid(MindError):
    """What a language model wrote can't be read by the program's interpreter."""

    code = "PROGRAM_INVALID"


class EditFailed(MindError):
    """A language model proposed no edit that fits the file."""

    code = "EDIT_FAILED"


class RemoteUnreachable(GitFailed):
    """The remote can't be reached."""

    code = "OFFLINE"
