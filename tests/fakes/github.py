"""A small GitHub for tests: its REST API on loopback, with branches in memory or in a real bare repository on disk.

    with GitHub() as hub:
        house = hub.add("me/house")                                # or branches=BareRepository.create(folder)
        house.ci = lambda at: [Job("tests", "failure", log=...)]   # asked once for every commit
        pull = house.pull("work", title="Doors")

Issues, comments, pull requests, merges that wait for required checks, check runs, statuses, jobs and their logs (behind
a redirect to another origin, which refuses a token), pages with `Link`, ETags, limits with their headers, and bad
manners on demand. `github_shapes` says what the answers were compared with.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Literal, Self
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from tests.fakes import github_git
from tests.fakes import github_shapes as shapes
from tests.fakes.github_branches import BareRepository, Branches, MemoryBranches
from tests.fakes.served import Served

TOKEN = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"  # noqa: S105 -- of the fake
LOGIN = "me"

Answer = Callable[["Request"], None]


@dataclass(frozen=True)
class Asked:
    """A request that came in."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True)
class Refusal(Exception):
    """An answer that is no success."""

    status: int
    message: str
    errors: list[dict[str, str]] | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Job:
    """A job of GitHub Actions. Without a conclusion it still runs. `steps`: names and conclusions."""

    name: str
    conclusion: Literal["success", "failure", "cancelled", "skipped"] | None = "success"
    log: str | bytes = ""
    steps: tuple[tuple[str, str | None, str, str], ...] = ()
    """Name, conclusion, begin and end."""
    title: str | None = None


@dataclass(frozen=True)
class AtCommit:
    """A commit that a script of checks looks at."""

    sha: str
    branches: Branches

    def file(self, path: str) -> str | None:
        return self.branches.file(self.sha, path)


@dataclass
class FakeRepository:
    """A repository on the fake GitHub."""

    owner: str
    name: str
    branches: Branches = field(default_factory=MemoryBranches)
    default_branch: str = "main"
    private: bool = False
    archived: bool = False
    required: list[str] = field(default_factory=list)
    """Checks that the default branch requires, by its protection."""
    ruled: list[str] = field(default_factory=list)
    """The same, by a ruleset."""
    methods: tuple[str, ...] = ("merge", "squash", "rebase")
    undecided: int = 0
    """How many more times nobody knows whether a pull request can be merged."""
    ci: Callable[[AtCommit], list[Job]] = lambda _: []
    statuses: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict)
    """By commit: context, state, description."""
    entries: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Issues and pull requests by number."""
    _jobs: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"

    def issue(self, title: str, body: str = "", labels: Iterable[str] = (), **more: Any) -> int:
        number = len(self.entries) + 1
        about = {"number": number, "title": title, "body": body, "labels": list(labels), "state": "open"}
        self.entries[number] = about | {"login": LOGIN, "comments": []} | more
        return number

    def pull(self, head: str, base: str = "main", title: str = "A change", body: str = "", **more: Any) -> int:
        about = {"pull": True, "head": head, "base": base, "draft": False, "merge_sha": None}
        return self.issue(title, body, **about | more)

    def jobs(self, sha: str) -> list[dict[str, Any]]:
        """The jobs of a commit: begun when somebody asks for the first time."""
        if sha not in self._jobs:
            run = 900 + 10 * len(self._jobs)
            self._jobs[sha] = [
                self._job(1000 * (len(self._jobs) + 1) + index, run, job)
                for index, job in enumerate(self.ci(AtCommit(sha, self.branches)))
            ]
        return self._jobs[sha]

    def rerun(self, sha: str) -> None:
        self._jobs.pop(sha, None)

    def found_job(self, number: int) -> tuple[str, dict[str, Any]]:
        for sha, jobs in self._jobs.items():
            for job in jobs:
                if job["id"] == number:
                    return sha, job
        raise Refusal(404, "Not Found")

    @staticmethod
    def _job(number: int, run: int, job: Job) -> dict[str, Any]:
        steps = [
            {
                "name": name,
                "number": index,
                "status": "completed" if conclusion else "in_progress",
                "conclusion": conclusion,
                "started_at": begin,
                "completed_at": end,
            }
            for index, (name, conclusion, begin, end) in enumerate(job.steps, 1)
        ]
        state = "completed" if job.conclusion else "in_progress"
        about = {"id": number, "run": run, "name": job.name, "status": state, "conclusion": job.conclusion}
        return about | {"steps": steps, "log": job.log, "title": job.title}

    def state_of(self, sha: str, check: str) -> str:
        """What a required check says: success, failure, pending or expected."""
        for job in self.jobs(sha):
            if job["name"] == check:
                done = {"success": "success", "skipped": "success", None: "pending"}
                return done.get(job["conclusion"], "failure")
        return next((state for context, state, _ in self.statuses.get(sha, ()) if context == check), "expected")


class LogStore(Served):
    """Where logs lie: another origin, which refuses requests that carry a token, as the real one does."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[Asked] = []
        store = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                store.asked.append(Asked("GET", self.path, {}, headers, None))
                content = store.files.get(urlsplit(self.path).path)
                refused = "authorization" in headers
                body = b"<Error>AuthenticationFailed</Error>" if refused else content or b"<Error>gone</Error>"
                with contextlib.suppress(ConnectionError):
                    self.send_response(400 if refused else 200 if content is not None else 404)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the parent's name
                pass

        super().__init__(Handler)


class GitHub(Served):
    """Use as a context manager. `prefix`: `/api/v3` for an Enterprise server."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self.repositories: dict[str, FakeRepository] = {}
        self.moved: dict[str, str] = {}
        """Old full names of repositories, and their new ones."""
        self.scopes = {"repo", "workflow"}
        self.remaining = 5000
        self.reset = int(time.time()) + 1800
        self.manners: list[Answer] = []
        """How to answer the next requests instead, each once."""
        self.always: dict[str, Answer] = {}
        """How to answer on a path instead."""
        self.asked: list[Asked] = []
        self.store = LogStore()
        self.lock = threading.RLock()
        super().__init__(type("Handler", (Request,), {"hub": self}))

    def __enter__(self) -> Self:
        self.store.__enter__()
        return super().__enter__()

    def __exit__(self, *about: object) -> None:
        super().__exit__(*about)
        self.store.__exit__(*about)

    @property
    def api(self) -> str:
        """The base address of the API."""
        return f"{self.url}{self.prefix}"

    def add(self, full_name: str, branches: Branches | None = None, **about: Any) -> FakeRepository:
        owner, _, name = full_name.partition("/")
        made = FakeRepository(owner, name, branches or MemoryBranches(), **about)
        self.repositories[full_name.casefold()] = made
        return made

    def changes(self) -> list[Asked]:
        """The requests that changed something, or tried to."""
        return [asked for asked in self.asked if asked.method != "GET"]

    def settings(self, **more: Any) -> dict[str, Any]:
        """Flags for `config.load`."""
        about = {"github_url": self.api, "github_token": TOKEN, "github_owner": LOGIN} | more
        return {f"developer.{name}": value for name, value in about.items() if value is not None}


class Request(BaseHTTPRequestHandler):
    """One request; an `Answer` gets it."""

    hub: GitHub
    protocol_version = "HTTP/1.1"
    body: Any = None
    query: dict[str, str]

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # who asked has gone
            super().handle()

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def do_PATCH(self) -> None:
        self._handle()

    def do_PUT(self) -> None:
        self._handle()

    def send(self, content: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if status != 304:
            self.wfile.write(content)

    def send_json(self, content: Any, status: int = 200, **headers: str) -> None:
        raw = json.dumps(content).encode()
        hub = self.hub
        headers = {
            "X-RateLimit-Limit": "5000",
            "X-RateLimit-Remaining": str(hub.remaining),
            "X-RateLimit-Reset": str(hub.reset),
            "X-RateLimit-Used": str(5000 - hub.remaining),
            "X-RateLimit-Resource": "core",
            "X-OAuth-Scopes": ", ".join(sorted(hub.scopes)),
            "Content-Type": "application/json; charset=utf-8",
        } | headers
        if self.command == "GET" and status == 200:
            tag = f'W/"{hashlib.sha256(raw).hexdigest()}"'
            headers["ETag"] = tag
            if self.headers.get("If-None-Match") == tag:
                hub.remaining += 1  # it does not count
                self.send(b"", 304, **headers)
                return
        self.send(raw, status, **headers)

    def _handle(self) -> None:
        hub = self.hub
        parts = urlsplit(self.path)
        self.query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if wanted := github_git.ADDRESS.fullmatch(parts.path):
            self._serve_git(wanted["name"], wanted["service"], raw)
            return
        self.body = json.loads(raw) if raw else None
        headers = {name.lower(): value for name, value in self.headers.items()}
        with contextlib.suppress(ConnectionError):
            manner = hub.always.get(parts.path.removeprefix(hub.prefix))
            with hub.lock:
                hub.asked.append(
                    Asked(self.command, parts.path.removeprefix(hub.prefix), self.query, headers, self.body)
                )
                if manner is None and hub.manners:
                    manner = hub.manners.pop(0)
            if manner is not None:
                manner(self)
                return
            try:
                with hub.lock:
                    self._answer(parts.path)
            except Refusal as refusal:
                found = shapes.error(refusal.status, refusal.message, refusal.errors)
                self.send_json(found, refusal.status, **refusal.headers)

    def _serve_git(self, name: str, service: str, raw: bytes) -> None:
        """A clone, fetch or push: only of branches that lie in a bare repository."""
        found = self.hub.repositories.get(name.casefold())
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.hub.lock:
            self.hub.asked.append(Asked(self.command, urlsplit(self.path).path, self.query, headers, None))
        if manner := self.hub.always.get(urlsplit(self.path).path):
            with contextlib.suppress(ConnectionError):
                manner(self)
            return
        if found is None or not isinstance(found.branches, BareRepository):
            self.send(b"Repository not found.\n", 404)
            return
        status, told, content = github_git.answer(self, found.branches, service, raw, TOKEN, private=found.private)
        with contextlib.suppress(ConnectionError):
            self.send(content, status, **told)

    def _answer(self, path: str) -> None:
        hub = self.hub
        if not self.headers.get("User-Agent"):
            raise Refusal(403, "Request forbidden by administrative rules.")
        if not path.startswith(f"{hub.prefix}/"):
            raise Refusal(404, "Not Found")
        path = path.removeprefix(hub.prefix)
        self._authenticate()
        if hub.remaining <= 0:
            raise Refusal(403, "API rate limit exceeded for user ID 1.")
        hub.remaining -= 1
        if path == "/user":
            self._require_login()
            self.send_json(shapes.private_user(hub.api, LOGIN))
            return
        if path == "/user/repos":
            self._require_login()
            self._page([self._shape(each) for each in hub.repositories.values() if each.owner == LOGIN])
            return
        found = re.fullmatch(r"/repos/([^/]+)/([^/]+)(/.*)?", path)
        if found is None:
            raise Refusal(404, "Not Found")
        full_name, rest = f"{found[1]}/{found[2]}".casefold(), found[3] or ""
        if full_name in hub.moved:
            there = f"{hub.api}/repos/{hub.moved[full_name]}{rest}{f'?{urlencode(self.query)}' if self.query else ''}"
            status = 301 if self.command == "GET" else 307
            self.send_json(shapes.error(status, "Moved Permanently"), status, Location=there)
            return
        repository = hub.repositories.get(full_name)
        if repository is None or (repository.private and not self._known):
            raise Refusal(404, "Not Found")
        self._in_repository(repository, rest)

    @property
    def _known(self) -> bool:
        return bool(self.headers.get("Authorization"))

    def _authenticate(self) -> None:
        given = self.headers.get("Authorization")
        if given is not None and given not in (f"Bearer {TOKEN}", f"token {TOKEN}"):
            raise Refusal(401, "Bad credentials")

    def _require_login(self) -> None:
        if not self._known:
            raise Refusal(401, "Requires authentication")

    def _require_scope(self, needed: str = "repo") -> None:
        self._require_login()
        if needed not in self.hub.scopes:
            about = {"X-Accepted-OAuth-Scopes": needed}
            raise Refusal(403, "Resource not accessible by personal access token", headers=about)

    def _shape(self, repository: FakeRepository) -> dict[str, Any]:
        return shapes.repository(
            self.hub.api, repository.owner, repository.name, repository.default_branch, archived=repository.archived
        )

    def _page(self, entries: list[dict[str, Any]], *, key: str = "") -> None:
        size = min(int(self.query.get("per_page", "30")), 100)
        page = int(self.query.get("page", "1"))
        last = max((len(entries) + size - 1) // size, 1)
        shown = entries[(page - 1) * size : page * size]
        headers = {}
        if page < last:
            here = self.hub.url + urlsplit(self.path).path

            def link(number: int, name: str) -> str:
                return f'<{here}?{urlencode(self.query | {"page": str(number)})}>; rel="{name}"'

            headers["Link"] = ", ".join([link(page + 1, "next"), link(last, "last")])
        self.send_json({"total_count": len(entries), key: shown} if key else shown, **headers)

    def _in_repository(self, repository: FakeRepository, rest: str) -> None:
        routes: list[tuple[str, str, Callable[..., None]]] = [
            ("GET", "", lambda _: self.send_json(self._shape(repository))),
            ("GET", "/issues", self._issues),
            ("POST", "/issues", self._new_issue),
            ("GET", r"/issues/(\d+)", self._issue),
            ("PATCH", r"/issues/(\d+)", self._change_issue),
            ("POST", r"/issues/(\d+)/comments", self._comment),
            ("GET", "/pulls", self._pulls),
            ("POST", "/pulls", self._new_pull),
            ("GET", r"/pulls/(\d+)", self._pull),
            ("PATCH", r"/pulls/(\d+)", self._change_pull),
            ("PUT", r"/pulls/(\d+)/merge", self._merge),
            ("GET", r"/branches/([^/]+)", self._branch),
            ("GET", r"/rules/branches/([^/]+)", self._rules),
            ("GET", r"/commits/(\w+)/check-runs", self._check_runs),
            ("GET", r"/commits/(\w+)/status", self._status),
            ("GET", "/actions/runs", self._runs),
            ("GET", r"/actions/runs/(\d+)/jobs", self._jobs),
            ("GET", r"/actions/jobs/(\d+)", self._job),
            ("GET", r"/actions/jobs/(\d+)/logs", self._log),
        ]
        for method, pattern, answer in routes:
            found = re.fullmatch(pattern, rest)
            if found is not None and method == self.command:
                if method != "GET":
                    self._require_scope()
                    if repository.archived:
                        raise Refusal(403, "Repository was archived so is read-only.")
                answer(repository, *(int(each) if each.isdigit() else unquote(each) for each in found.groups()))
                return
        raise Refusal(404, "Not Found")

    def _entry(self, repository: FakeRepository, number: int, *, pull: bool = False) -> dict[str, Any]:
        entry = repository.entries.get(number)
        if entry is None or (pull and not entry.get("pull")):
            raise Refusal(404, "Not Found")
        return entry

    def _issues(self, repository: FakeRepository) -> None:
        state, wanted = self.query.get("state", "open"), set(self.query.get("labels", "").split(",")) - {""}
        found = [
            shapes.issue(self.hub.api, repository.full_name, entry)
            for _, entry in sorted(repository.entries.items(), reverse=True)
            if state in ("all", entry["state"]) and wanted <= set(entry["labels"])
        ]
        self._page(found)

    def _new_issue(self, repository: FakeRepository) -> None:
        if not str(self.body.get("title", "")).strip():
            raise _invalid("Issue", "title", "missing_field")
        number = repository.issue(self.body["title"], self.body.get("body") or "", self.body.get("labels", ()))
        self.send_json(shapes.issue(self.hub.api, repository.full_name, repository.entries[number]), 201)

    def _issue(self, repository: FakeRepository, number: int) -> None:
        self.send_json(shapes.issue(self.hub.api, repository.full_name, self._entry(repository, number)))

    def _change_issue(self, repository: FakeRepository, number: int) -> None:
        entry = self._entry(repository, number)
        _change(entry, self.body, ("title", "body", "labels", "state", "state_reason"))
        self.send_json(shapes.issue(self.hub.api, repository.full_name, entry))

    def _comment(self, repository: FakeRepository, number: int) -> None:
        entry = self._entry(repository, number)
        if not str(self.body.get("body", "")).strip():
            raise _invalid("IssueComment", "body", "missing_field")
        entry["comments"].append(self.body["body"])
        index = number * 100 + len(entry["comments"])
        shape = shapes.comment(self.hub.api, repository.full_name, number, index, LOGIN, self.body["body"])
        self.send_json(shape, 201)

    def _pull_shape(self, repository: FakeRepository, entry: dict[str, Any], *, whole: bool) -> dict[str, Any]:
        heads = repository.branches.heads()
        if entry["merge_sha"] is None:
            gone = "0" * 40
            entry["head_sha"], entry["base_sha"] = heads.get(entry["head"], gone), heads.get(entry["base"], gone)
        known = {"mergeable": True, "mergeable_state": "clean", "ahead": 1}
        if whole and entry["merge_sha"] is None and entry["head"] in heads:
            conflicts = repository.branches.conflicts(entry["base"], entry["head"])
            known = {"mergeable": not conflicts, "mergeable_state": "dirty" if conflicts else "clean"}
            if not conflicts and self._missing(repository, entry["head_sha"]):
                known["mergeable_state"] = "blocked"
            known["ahead"] = repository.branches.ahead(entry["base"], entry["head"])
            if repository.undecided > 0:
                repository.undecided -= 1
                known |= {"mergeable": None, "mergeable_state": "unknown"}
        return shapes.pull(self.hub.api, self._shape(repository), entry | known, whole=whole)

    @staticmethod
    def _missing(repository: FakeRepository, sha: str) -> list[tuple[str, str]]:
        """Required checks that do not allow a merge, with their states."""
        required = dict.fromkeys([*repository.required, *repository.ruled])
        states = [(name, repository.state_of(sha, name)) for name in required]
        return [(name, state) for name, state in states if state != "success"]

    def _pulls(self, repository: FakeRepository) -> None:
        state, base = self.query.get("state", "open"), self.query.get("base", "")
        head = self.query.get("head", "").rpartition(":")[2]
        found = [
            self._pull_shape(repository, entry, whole=False)
            for _, entry in sorted(repository.entries.items(), reverse=True)
            if entry.get("pull")
            and state in ("all", entry["state"])
            and base in ("", entry["base"])
            and head in ("", entry["head"])
        ]
        self._page(found)

    def _new_pull(self, repository: FakeRepository) -> None:
        title, base = self.body.get("title"), self.body.get("base")
        owner, _, head = str(self.body.get("head", "")).rpartition(":")
        heads = repository.branches.heads()
        for name, branch in (("base", base), ("head", head)):
            if branch not in heads or (name == "head" and owner not in ("", repository.owner)):
                raise _invalid("PullRequest", name, "invalid")
        if not repository.branches.ahead(str(base), head):
            raise _invalid("PullRequest", "", "custom", f"No commits between {base} and {head}")
        for entry in repository.entries.values():
            if entry.get("pull") and entry["state"] == "open" and (entry["head"], entry["base"]) == (head, base):
                told = f"A pull request already exists for {repository.owner}:{head}."
                raise _invalid("PullRequest", "", "custom", told)
        number = repository.pull(
            head, str(base), str(title), self.body.get("body") or "", draft=bool(self.body.get("draft"))
        )
        self.send_json(self._pull_shape(repository, repository.entries[number], whole=True), 201)

    def _pull(self, repository: FakeRepository, number: int) -> None:
        entry = self._entry(repository, number, pull=True)
        self.send_json(self._pull_shape(repository, entry, whole=True))

    def _change_pull(self, repository: FakeRepository, number: int) -> None:
        entry = self._entry(repository, number, pull=True)
        if "base" in self.body and self.body["base"] not in repository.branches.heads():
            raise _invalid("PullRequest", "base", "invalid")
        _change(entry, self.body, ("title", "body", "base", "state"))
        self.send_json(self._pull_shape(repository, entry, whole=True))

    def _merge(self, repository: FakeRepository, number: int) -> None:
        entry = self._entry(repository, number, pull=True)
        method, sha = self.body.get("merge_method", "merge"), self.body.get("sha")
        head = repository.branches.heads().get(entry["head"], "")
        if entry["state"] != "open" or repository.branches.conflicts(entry["base"], entry["head"]):
            raise Refusal(405, "Pull Request is not mergeable")
        if entry["draft"]:
            raise Refusal(405, "Pull Request is still a draft")
        if sha and sha != head:
            raise Refusal(409, "Head branch was modified. Review and try the merge again.")
        if method not in repository.methods:
            named = {"merge": "Merge commits", "squash": "Squash merges", "rebase": "Rebase merges"}[method]
            raise Refusal(405, f"{named} are not allowed on this repository.")
        for name, state in self._missing(repository, head):
            word = {"failure": "failing", "pending": "in progress"}.get(state, "expected")
            raise Refusal(405, f'Required status check "{name}" is {word}.')
        self._pull_shape(repository, entry, whole=False)  # keeps the heads of before
        title = self.body.get("commit_title") or f"Merge pull request #{number} from {repository.owner}/{entry['head']}"
        made = repository.branches.merge(entry["base"], entry["head"], method, title)
        entry |= {"state": "closed", "merge_sha": made}
        self.send_json({"sha": made, "merged": True, "message": "Pull Request successfully merged"})

    def _branch(self, repository: FakeRepository, name: object) -> None:
        sha = repository.branches.heads().get(str(name))
        if sha is None:
            raise Refusal(404, "Branch not found")
        required = repository.required if name == repository.default_branch else []
        self.send_json(shapes.branch(self.hub.api, repository.full_name, str(name), sha, required))

    def _rules(self, repository: FakeRepository, name: object) -> None:
        ruled = repository.ruled if name == repository.default_branch else []
        self._page([shapes.required_rule(ruled)] if ruled else [])

    def _check_runs(self, repository: FakeRepository, sha: object) -> None:
        jobs = repository.jobs(self._commit(repository, sha))
        found = [shapes.check_run(self.hub.api, repository.full_name, str(sha), job) for job in jobs]
        self._page(found, key="check_runs")

    def _status(self, repository: FakeRepository, sha: object) -> None:
        said = repository.statuses.get(self._commit(repository, sha), ())
        found = [shapes.status(self.hub.api, *each) for each in said]
        self.send_json(shapes.combined_status(self.hub.api, self._shape(repository), str(sha), found))

    @staticmethod
    def _commit(repository: FakeRepository, sha: object) -> str:
        if str(sha) not in repository.branches.heads().values():
            raise Refusal(422, f"No commit found for SHA: {sha}")
        return str(sha)

    def _runs(self, repository: FakeRepository) -> None:
        sha = self.query.get("head_sha", "")
        jobs = repository.jobs(sha) if sha in repository.branches.heads().values() else []
        shape = self._shape(repository)
        found = [shapes.workflow_run(self.hub.api, shape, jobs[0]["run"], sha, jobs)] if jobs else []
        self._page(found, key="workflow_runs")

    def _jobs(self, repository: FakeRepository, run: int) -> None:
        found = [
            shapes.workflow_job(self.hub.api, repository.full_name, sha, job)
            for sha, jobs in repository._jobs.items()
            for job in jobs
            if job["run"] == run
        ]
        self._page(found, key="jobs")

    def _job(self, repository: FakeRepository, number: int) -> None:
        sha, job = repository.found_job(number)
        self.send_json(shapes.workflow_job(self.hub.api, repository.full_name, sha, job))

    def _log(self, repository: FakeRepository, number: int) -> None:
        self._require_scope()
        _, job = repository.found_job(number)
        if not job["log"]:
            raise Refusal(410 if job["conclusion"] else 404, "Server Error")
        path = f"/{repository.full_name}/{number}.txt"
        log = job["log"]
        self.hub.store.files[path] = log if isinstance(log, bytes) else log.encode()
        self.send(b"", 302, Location=f"{self.hub.store.url}{path}?sig=signed-and-secret")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the parent's name
        pass


def _invalid(resource: str, name: str, code: str, message: str = "") -> Refusal:
    about = {"resource": resource, "code": code} | ({"field": name} if name else {})
    return Refusal(422, "Validation Failed", [about | ({"message": message} if message else {})])


def _change(entry: dict[str, Any], body: dict[str, Any], names: Iterable[str]) -> None:
    for name in names:
        if name in body:
            entry[name] = body[name]


def limited(seconds: int) -> Answer:
    """A secondary limit: a refusal that names the seconds to wait."""
    told = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    return lambda request: request.send_json(shapes.error(403, told), 403, **{"Retry-After": str(seconds)})


def failing(status: int = 502) -> Answer:
    """Trouble of GitHub's own."""
    return lambda request: request.send(b"<html>Unicorn!</html>", status)


def waiting(event: threading.Event) -> Answer:
    """No answer before the event."""

    def answer(request: Request) -> None:
        event.wait(30)
        request.send_json({})

    return answer


def log_text(lines: Iterable[str], moment: str = "2026-03-03T10:00:") -> str:
    """Lines as a log has them: each with its time, a second after the one before from 10:00:00 on."""
    return "\ufeff" + "".join(f"{moment}{index % 60:02d}.1234567Z {line}\n" for index, line in enumerate(lines))
