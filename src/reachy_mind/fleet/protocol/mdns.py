"""How a control plane says by mDNS where it is: the type of the service, and its properties.

`authority` is the SHA-256 of its own certificate authority: a device goes where one with its own authority is, and its
TLS proves it. `path` is where the protocol begins; `tls` is 1 or 0.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

SERVICE_TYPE: Final = "_reachy-fleet._tcp.local."
AUTHORITY, PATH, TLS = "authority", "path", "tls"


def authority_digest(file: Path) -> str:
    """The SHA-256 of a certificate in PEM text. Raises OSError, ValueError for a file that has none."""
    import ssl  # noqa: PLC0415 -- only where somebody looks

    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(file.read_text(encoding="ascii").strip())).hexdigest()
