# range: {"timeout": 8, "unguarded": false}
"""Takes memory in blocks and touches it."""


async def memory_bytes(targets: dict) -> dict:
    """Remember everything."""
    print("PRIMITIVE allocation", flush=True)
    blocks = []
    try:
        for count in range(6 * 64):
            blocks.append(bytearray(b"x") * (16 * 2**20))
            if count * 16 > 4000:
                print("EVIDENCE took 4 GB")
                break
    except MemoryError:
        size = len(blocks)
        blocks.clear()
        return {"megabytes": size * 16}
    return {"megabytes": len(blocks) * 16}
