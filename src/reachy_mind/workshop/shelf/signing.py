"""`SigningKey`: the Ed25519 key of this shelf. It signs approvals and exported bundles.

The key is a file that only the user can read; code in the sandbox sees neither it nor the folder. Without the key, or
with another one, no approval counts: the tools must be approved again.
"""

from __future__ import annotations

import base64
import hashlib
import stat
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from reachy_mind.errors import ConfigError
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import require_own_file, write_atomically
from reachy_mind.workshop.shelf.versions import ShelfError

SHARED = stat.S_IRWXG | stat.S_IRWXO
_RAW = serialization.Encoding.Raw, serialization.PublicFormat.Raw


class SigningKey:
    """Blocking. The file is read once; `create` makes it when there is none."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._key: Ed25519PrivateKey | None = None

    def create(self) -> None:
        """Make the key if there is none. Raises ShelfError."""
        if self._load() is not None:
            return
        key = Ed25519PrivateKey.generate()
        data = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        try:
            write_atomically(self._file, data)
        except OSError as error:
            fault = classify(error, self._file)
            raise ShelfError(f"the signing key can't be written: {fault.cause}", hint=fault.hint) from error
        self._key = key

    def sign(self, data: bytes) -> str:
        """A signature in base64. Raises ShelfError without a key."""
        key = self._load()
        if key is None:
            raise ShelfError("the shelf has no signing key", hint=f"put {self._file} back from a backup")
        return base64.b64encode(key.sign(data)).decode()

    def signed(self, data: bytes, signature: object) -> bool:
        """Whether this key made the signature. Raises ShelfError when the key can't be read."""
        return (key := self._load()) is not None and verified(public_text(key), data, signature)

    @property
    def public(self) -> str:
        """The public key in base64; empty without a key. Raises ShelfError."""
        return "" if (key := self._load()) is None else public_text(key)

    def _load(self) -> Ed25519PrivateKey | None:
        if self._key is not None:
            return self._key
        try:
            if require_own_file(self._file, SHARED) is None:
                return None
            key = serialization.load_pem_private_key(self._file.read_bytes(), None)
        except ConfigError as error:
            raise ShelfError(error.message, hint=f"chmod 600 {self._file}, if nobody else can have read it") from error
        except OSError as error:
            fault = classify(error, self._file)
            raise ShelfError(f"{self._file} can't be read: {fault.cause}", hint=fault.hint) from error
        except (ValueError, TypeError) as error:
            hint = "put it back from a backup, or remove it: then every tool must be approved again"
            raise ShelfError(f"{self._file} is no signing key", hint=hint) from error
        if not isinstance(key, Ed25519PrivateKey):
            raise ShelfError(f"{self._file} is no Ed25519 key", hint="put it back from a backup")
        self._key = key
        return key


def public_text(key: Ed25519PrivateKey) -> str:
    return base64.b64encode(key.public_key().public_bytes(*_RAW)).decode()


def verified(public: object, data: bytes, signature: object) -> bool:
    """Whether the key (base64) made the signature (base64) over the data."""
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(str(public), validate=True))
        key.verify(base64.b64decode(str(signature), validate=True), data)
    except (InvalidSignature, ValueError):
        return False
    return True


def fingerprint(public: str) -> str:
    """A short name of a public key that can't be chosen freely."""
    return f"ed25519:{hashlib.sha256(public.encode()).hexdigest()[:16]}" if public else ""
