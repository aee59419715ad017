"""Encodes and checks words."""

import base64
import binascii
import hashlib
import hmac
import uuid


async def secret_word(word: str = "robot") -> dict:
    """Encode a word and make a check sum of it."""
    data = word.encode()
    return {
        "base64": base64.urlsafe_b64encode(data).decode(),
        "sha256": hashlib.sha256(data).hexdigest(),
        "hmac": hmac.new(b"key", data, "sha1").hexdigest(),
        "crc": binascii.crc32(data),
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_DNS, word)),
    }
