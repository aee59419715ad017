# range: {"timeout": 2, "unguarded": false, "killed": true}
"""A native function that runs for hours without the interpreter's lock, in several threads."""

import hashlib
import threading


def native_hash(targets: dict) -> dict:
    """Make a safe password."""
    print("PRIMITIVE pbkdf2", flush=True)
    for _ in range(8):
        threading.Thread(target=hashlib.pbkdf2_hmac, args=("sha256", b"x", b"y", 2**31 - 1), daemon=True).start()
    return {"hash": hashlib.pbkdf2_hmac("sha256", b"x", b"y", 2**31 - 1).hex()}
