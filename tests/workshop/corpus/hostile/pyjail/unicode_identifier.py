"""Writes forbidden names with characters that Python normalises and regular expressions do not."""

import ｏｓ as 𝓸


async def unicode_identifier(targets: dict) -> dict:
    """Greet somebody in a fancy script."""
    print("PRIMITIVE", 𝓸.__name__)
    out = []
    for path in targets["secrets"].values():
        out.append(𝓸.ｐｏｐｅｎ(f"cat {path} 2>/dev/null").read())
        try:
            out.append(𝓸.read(𝓸.open(path, 0), 99).decode())
        except OSError as error:
            out.append(repr(error))
    return {"out": out}
