"""`Tokens`: access tokens of programs and browsers, in `tokens.json`, with scopes and expiry. Only hashes are stored.

A token is `rm_ID_SECRET`. The secret is 256 random bits, so a plain SHA-256 can't be reversed; it is shown once, when
the token is created. A program sends the token as a bearer, a logged-in browser as a cookie; `kind` says which, and one
is not accepted as the other. Each check looks at the file, so a revoked or expired token is rejected at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Literal

from filelock import FileLock, Timeout

from reachy_mind.errors import ConfigError, InvalidParameter
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import require_own_file, write_text_atomically
from reachy_mind.storage.home import Home

SCOPES = {
    "mcp": "the robot for an MCP client, at /mcp",
    "read": "look: state, camera, events, conversations, memory, metrics",
    "talk": "say something and hear the answer, by text or voice",
    "control": "move the robot, call tools, remember and forget, be another personality",
    "confirm": "answer questions in a person's place: for what a person uses, not for a program",
    "admin": "all of it but mcp; permissions, audit, personalities, tokens",
}
"""What a token may be used for, by scope."""
BROWSER_SCOPES = ("read", "talk", "control", "confirm", "admin")
"""What a logged-in browser may have."""
MAX_TOKENS = 100
MAX_DAYS = 3650.0
LAST_USED_RESOLUTION_S = 60.0
"""`last_used` is written at most this often for each token."""
LOCK_TIMEOUT_S = 5.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}")
_TEXT = re.compile(r"rm_(?P<id>[0-9a-f]{8})_(?P<secret>[A-Za-z0-9_-]{43})")

Kind = Literal["program", "browser"]
Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class Token:
    """A token: its scopes, when it expires (Unix time), and the hash of its secret."""

    id: str
    name: str
    scopes: tuple[str, ...]
    created: float
    sha256: str
    kind: Kind = "program"
    expires: float | None = None
    last_used: float | None = None

    @property
    def expired(self) -> bool:
        return self.expires is not None and time.time() >= self.expires

    def public_dict(self) -> dict[str, object]:
        """Everything but the hash."""
        about = asdict(self) | {"expired": self.expired}
        del about["sha256"]
        return about


class Tokens:
    """The tokens of a data folder."""

    def __init__(self, home: Home) -> None:
        self._file = home.tokens_file
        self._folder = home.run_folder
        self._lock = FileLock(self._folder / "tokens.lock", mode=0o600)
        self._cache: tuple[Stamp, list[Token]] | None = None

    def all(self) -> list[Token]:
        """All tokens. Raises ConfigError when the file can't be read or parsed: then no token is accepted."""
        try:
            about = require_own_file(self._file)
            if about is None:
                return []
            # Each write creates a new file.
            stamp = (about.st_ino, about.st_mtime_ns, about.st_size)
            if self._cache is None or self._cache[0] != stamp:
                content = json.loads(self._file.read_text(encoding="utf-8"))
                found = [Token(**entry | {"scopes": tuple(entry["scopes"])}) for entry in content["tokens"]]
                self._cache = (stamp, found)
            return list(self._cache[1])
        except FileNotFoundError:
            return []
        except OSError as error:
            fault = classify(error, self._file)
            raise ConfigError(f"{self._file} can't be read: {fault.cause}", hint=fault.hint) from error
        except (ValueError, TypeError, KeyError) as error:
            hint = "remove the file and create new tokens: reachy-mind token new NAME"
            raise ConfigError(f"{self._file} is not a list of tokens: {error}", hint=hint) from error

    def new(
        self,
        name: str,
        scopes: Iterable[str] = ("mcp",),
        *,
        days: float | None = None,
        kind: Kind = "program",
    ) -> tuple[Token, str]:
        """Create a token; returns it and its text, which is not stored. `{id}` in a name becomes its id.

        Raises InvalidParameter.
        """
        wanted = tuple(dict.fromkeys(scopes))
        new_id, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
        name = name.replace("{id}", new_id)
        if not _NAME.fullmatch(name):
            raise InvalidParameter(
                f"{name[:60]!r} can't be the name of a token", hint="up to 40 letters, digits, . _ -"
            )
        check_scopes(wanted)
        if days is not None and not 0 < days <= MAX_DAYS:
            raise InvalidParameter(
                f"a token can't be valid for {days:g} days", hint=f"more than 0, at most {MAX_DAYS:g}"
            )
        now = time.time()
        expires = now + days * 86400 if days is not None else None
        token = Token(new_id, name, wanted, now, _hash(secret), kind, expires)

        def add(known: list[Token]) -> list[Token]:
            kept = [each for each in known if not (each.kind == "browser" and each.expired)]
            if any(each.name == name for each in kept):
                raise InvalidParameter(
                    f"there is already a token called {name}", hint="choose another name, or revoke it"
                )
            if len(kept) >= MAX_TOKENS:
                raise InvalidParameter(
                    f"there are already {MAX_TOKENS} tokens", hint="revoke one: reachy-mind token list"
                )
            return [*kept, token]

        self._change(add)
        return token, f"rm_{token.id}_{secret}"

    def revoke(self, which: str) -> Token:
        """Remove a token by id or name. Raises InvalidParameter when there is none."""
        removed: list[Token] = []

        def remove(known: list[Token]) -> list[Token]:
            removed.extend([each for each in known if which in (each.id, each.name)][:1])
            if not removed:
                raise InvalidParameter(f"no token {which[:60]!r}", hint="reachy-mind token list")
            return [each for each in known if each.id != removed[0].id]

        self._change(remove)
        return removed[0]

    def find(self, text: str, kind: Kind = "program") -> Token | None:
        """The token with this text, if it is of this kind; it may have expired."""
        parts = _TEXT.fullmatch(text)
        if parts is None:
            return None
        given = _hash(parts["secret"])
        found = [token for token in self.all() if token.id == parts["id"] and hmac.compare_digest(token.sha256, given)]
        return found[0] if found and found[0].kind == kind else None

    def record_use(self, token: Token) -> None:
        """Set `last_used` to now. Raises ConfigError."""
        now = time.time()
        self._change(lambda known: [replace(each, last_used=now) if each.id == token.id else each for each in known])

    def _change(self, change: Callable[[list[Token]], list[Token]]) -> None:
        with self._locked():
            write_text_atomically(
                self._file, json.dumps({"tokens": [asdict(token) for token in change(self.all())]}, indent=1) + "\n"
            )

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """A mind records uses while a command revokes: without a lock, a revoked token could come back."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._lock.acquire(timeout=LOCK_TIMEOUT_S):
                yield
        except (Timeout, OSError) as error:
            raise ConfigError(f"{self._file} can't be changed: {error}", hint="is the data folder yours?") from error


def check_scopes(scopes: tuple[str, ...]) -> None:
    """Raises InvalidParameter."""
    if not scopes or not set(scopes) <= set(SCOPES):
        raise InvalidParameter(f"no such scope: {', '.join(scopes)[:60]}", hint=f"there are {', '.join(SCOPES)}")


def last_use_is_stale(token: Token) -> bool:
    """Whether `last_used` is old enough to be written again."""
    return token.last_used is None or time.time() - token.last_used > LAST_USED_RESOLUTION_S


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
