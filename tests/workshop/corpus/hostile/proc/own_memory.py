"""Searches its own memory for what the parent left in it: environment, tokens, keys."""

import re


def own_memory(targets: dict) -> dict:
    """Measure memory."""
    seen, scanned = set(), 0
    try:
        with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
            print("PRIMITIVE mem")
            for line in maps:
                area, rights = line.split()[:2]
                low, high = (int(part, 16) for part in area.split("-"))
                if "r" not in rights or high - low > 2**28:
                    continue
                try:
                    memory.seek(low)
                    data = memory.read(high - low)
                except (OSError, ValueError, OverflowError):
                    continue
                scanned += len(data)
                seen.update(match.decode() for match in re.findall(rb"CANARY-[0-9a-f]{24}", data))
    except OSError as error:
        print("PRIMITIVE tried", error)
    return {"scanned": scanned, "seen": sorted(seen)}
