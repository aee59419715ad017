"""`Tokens`: what programs show to be let in, in `tokens.json`. Only a hash of each is kept.

A token is `rm_ID_SECRET`: the id says which one it is, the secret is 256 random bits, so a plain SHA-256 of it can't be
guessed back. It is shown once, when it is made. The file is read anew for each check: a token that was revoked is
refused from then on.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from reachy_mind.config import Home
from reachy_mind.errors import ConfigError, InvalidParameter
from reachy_mind.files import replaced

SCOPES = ("mcp",)
MOST = 100
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}")
_TEXT = re.compile(r"rm_(?P<id>[0-9a-f]{8})_(?P<secret>[A-Za-z0-9_-]{43})")


@dataclass(frozen=True)
class Token:
    """One that is known: what it may be used for, and the hash of its secret."""

    id: str
    name: str
    scopes: tuple[str, ...]
    created: float
    sha256: str

    def described(self) -> dict[str, object]:
        """For people: everything but the hash."""
        about = asdict(self)
        del about["sha256"]
        return about


class Tokens:
    """The tokens of a data folder."""

    def __init__(self, home: Home) -> None:
        self._file = home.tokens_file

    def all(self) -> list[Token]:
        """Raises ConfigError when the file can't be read: nobody is let in by a file that nobody understands."""
        try:
            content = json.loads(self._file.read_text(encoding="utf-8"))
            return [Token(**entry | {"scopes": tuple(entry["scopes"])}) for entry in content["tokens"]]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError, KeyError) as error:
            hint = "remove the file and make new tokens: reachy-mind token new NAME"
            raise ConfigError(f"{self._file} is no list of tokens: {error}", hint=hint) from error

    def new(self, name: str, scopes: Iterable[str] = SCOPES) -> tuple[Token, str]:
        """One more, and its text, which is shown this once. Raises InvalidParameter."""
        wanted, known = tuple(scopes), self.all()
        if not _NAME.fullmatch(name):
            raise InvalidParameter(f"{name[:60]!r} is no name for a token", hint="up to 40 letters, digits, . _ -")
        if not wanted or not set(wanted) <= set(SCOPES):
            raise InvalidParameter(f"no such scope: {', '.join(wanted)}", hint=f"there is {', '.join(SCOPES)}")
        if any(token.name == name for token in known):
            raise InvalidParameter(f"there is a token called {name}", hint="another name, or revoke that one first")
        if len(known) >= MOST:
            raise InvalidParameter(f"there are {MOST} tokens already", hint="revoke some: reachy-mind token list")
        secret = secrets.token_urlsafe(32)
        token = Token(secrets.token_hex(4), name, wanted, time.time(), _hash(secret))
        self._write([*known, token])
        return token, f"rm_{token.id}_{secret}"

    def revoke(self, which: str) -> Token:
        """By id or name. Raises InvalidParameter when there is none."""
        known = self.all()
        for token in known:
            if which in (token.id, token.name):
                self._write([other for other in known if other.id != token.id])
                return token
        raise InvalidParameter(f"no token {which[:60]!r}", hint="reachy-mind token list")

    def known(self, text: str) -> Token | None:
        """The token that this is the text of."""
        parts = _TEXT.fullmatch(text)
        if parts is None:
            return None
        given = _hash(parts["secret"])
        found = [token for token in self.all() if token.id == parts["id"] and hmac.compare_digest(token.sha256, given)]
        return found[0] if found else None

    def _write(self, tokens: list[Token]) -> None:
        replaced(self._file, json.dumps({"tokens": [asdict(token) for token in tokens]}, indent=1) + "\n")


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
