"""`Tokens`: what programs and browsers show to be let in, in `tokens.json`. Only a hash of each is kept.

A token is `rm_ID_SECRET`: the id says which one it is, the secret is 256 random bits, so a plain SHA-256 of it can't be
guessed back. It is shown once, when it is made. A program shows it as a bearer; a browser that logged in keeps one in a
cookie (`kind` says which: neither counts as the other). The file is looked at for each check: one that was revoked, or
whose time is over, is refused from then on.
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

from reachy_mind.config import Home
from reachy_mind.errors import ConfigError, InvalidParameter
from reachy_mind.files import replaced

SCOPES = {
    "mcp": "the robot for an MCP client, at /mcp",
    "read": "look: state, camera, events, conversations, memory, metrics",
    "talk": "say something and hear the answer, by text or voice",
    "control": "move the robot, call tools, remember and forget, be another personality",
    "confirm": "answer questions in a person's place: for what a person uses, not for a program",
    "admin": "all of it but mcp; permissions, audit, personalities, tokens",
}
"""What a token may be used for."""
PERSON = ("read", "talk", "control", "confirm", "admin")
"""What a browser of the owner's may do."""
MOST = 100
LONGEST_DAYS = 3650.0
TOLD_EVERY_S = 60.0
"""How exactly `last_used` is kept."""
LOCK_S = 5.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}")
_TEXT = re.compile(r"rm_(?P<id>[0-9a-f]{8})_(?P<secret>[A-Za-z0-9_-]{43})")

Kind = Literal["program", "browser"]
Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class Token:
    """One that is known: what it may be used for and until when (Unix time), and the hash of its secret."""

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

    def described(self) -> dict[str, object]:
        """For people: everything but the hash."""
        about = asdict(self) | {"expired": self.expired}
        del about["sha256"]
        return about


class Tokens:
    """The tokens of a data folder."""

    def __init__(self, home: Home) -> None:
        self._file = home.tokens_file
        self._folder = home.run_folder
        self._lock = FileLock(self._folder / "tokens.lock", mode=0o600)
        self._read: tuple[Stamp, list[Token]] | None = None

    def all(self) -> list[Token]:
        """Raises ConfigError when the file can't be read: nobody is let in by a file that nobody understands."""
        try:
            about = self._file.stat()  # each writing makes another file
            stamp = (about.st_ino, about.st_mtime_ns, about.st_size)
            if self._read is None or self._read[0] != stamp:
                content = json.loads(self._file.read_text(encoding="utf-8"))
                found = [Token(**entry | {"scopes": tuple(entry["scopes"])}) for entry in content["tokens"]]
                self._read = (stamp, found)
            return list(self._read[1])
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError, KeyError) as error:
            hint = "remove the file and make new tokens: reachy-mind token new NAME"
            raise ConfigError(f"{self._file} is no list of tokens: {error}", hint=hint) from error

    def new(
        self,
        name: str,
        scopes: Iterable[str] = ("mcp",),
        *,
        days: float | None = None,
        kind: Kind = "program",
    ) -> tuple[Token, str]:
        """One more, and its text, which is shown this once. `{id}` in a name is its id. Raises InvalidParameter."""
        wanted = tuple(dict.fromkeys(scopes))
        new_id, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
        name = name.replace("{id}", new_id)
        if not _NAME.fullmatch(name):
            raise InvalidParameter(f"{name[:60]!r} is no name for a token", hint="up to 40 letters, digits, . _ -")
        check_scopes(wanted)
        if days is not None and not 0 < days <= LONGEST_DAYS:
            raise InvalidParameter(
                f"{days:g} days are no time for a token", hint=f"more than 0, at most {LONGEST_DAYS:g}"
            )
        now = time.time()
        expires = now + days * 86400 if days is not None else None
        token = Token(new_id, name, wanted, now, _hash(secret), kind, expires)

        def added(known: list[Token]) -> list[Token]:
            kept = [each for each in known if not (each.kind == "browser" and each.expired)]
            if any(each.name == name for each in kept):
                raise InvalidParameter(f"there is a token called {name}", hint="another name, or revoke that one first")
            if len(kept) >= MOST:
                raise InvalidParameter(f"there are {MOST} tokens already", hint="revoke some: reachy-mind token list")
            return [*kept, token]

        self._change(added)
        return token, f"rm_{token.id}_{secret}"

    def revoke(self, which: str) -> Token:
        """By id or name. Raises InvalidParameter when there is none."""
        gone: list[Token] = []

        def without(known: list[Token]) -> list[Token]:
            gone.extend([each for each in known if which in (each.id, each.name)][:1])
            if not gone:
                raise InvalidParameter(f"no token {which[:60]!r}", hint="reachy-mind token list")
            return [each for each in known if each.id != gone[0].id]

        self._change(without)
        return gone[0]

    def known(self, text: str, kind: Kind = "program") -> Token | None:
        """The token of this kind that this is the text of, its time over or not."""
        parts = _TEXT.fullmatch(text)
        if parts is None:
            return None
        given = _hash(parts["secret"])
        found = [token for token in self.all() if token.id == parts["id"] and hmac.compare_digest(token.sha256, given)]
        return found[0] if found and found[0].kind == kind else None

    def used(self, token: Token) -> None:
        """Keep when it was last used, to the minute. Raises ConfigError."""
        now = time.time()
        self._change(lambda known: [replace(each, last_used=now) if each.id == token.id else each for each in known])

    def _change(self, change: Callable[[list[Token]], list[Token]]) -> None:
        with self._alone():
            replaced(
                self._file, json.dumps({"tokens": [asdict(token) for token in change(self.all())]}, indent=1) + "\n"
            )

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """A mind notes what was used while a person revokes: one after the other, or a revoked one would come back."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._lock.acquire(timeout=LOCK_S):
                yield
        except (Timeout, OSError) as error:
            raise ConfigError(f"{self._file} can't be changed: {error}", hint="is the data folder yours?") from error


def check_scopes(scopes: tuple[str, ...]) -> None:
    """Raises InvalidParameter."""
    if not scopes or not set(scopes) <= set(SCOPES):
        raise InvalidParameter(f"no such scope: {', '.join(scopes)[:60]}", hint=f"there are {', '.join(SCOPES)}")


def stale(token: Token) -> bool:
    """Whether it is time to keep that it was used."""
    return token.last_used is None or time.time() - token.last_used > TOLD_EVERY_S


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
