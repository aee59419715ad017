"""Reads and writes the memory of another process by /proc."""

import os


def memory_of_the_victim(targets: dict) -> dict:
    """Help a program."""
    said = []
    print("PRIMITIVE", os.pread)
    for pid in (targets["victim"], targets["host"], os.getppid()):
        for mode in ("rb", "r+b"):
            try:
                with open(f"/proc/{pid}/mem", mode, 0) as memory:
                    said.append(str(memory))
                    print("EVIDENCE opened", memory.name, mode)
            except OSError as error:
                said.append(str(error))
    return {"said": said}
