"""Reads command lines, environments and open files of other processes."""

import glob
import os
import re


def other_processes(targets: dict) -> dict:
    """Count programs."""
    print("PRIMITIVE", os.getpid())
    seen = set()
    for pid in [str(targets["victim"]), str(targets["host"]), str(os.getppid()), "1", *(p.split("/")[2] for p in glob.glob("/proc/[0-9]*"))]:
        for name in ("cmdline", "environ", "maps", "status", "stat", "comm", "cwd/", "root/", "fd/", "mountinfo", "task/" + pid + "/environ"):
            path = f"/proc/{pid}/{name}"
            try:
                if name.endswith("/"):
                    text = " ".join(os.listdir(path))
                else:
                    with open(path, "rb") as file:
                        text = file.read().decode(errors="replace")
                seen.update(re.findall(r"CANARY-[0-9a-f]{24}", text))
                if pid == str(targets["victim"]) and name in ("status", "maps", "fd/"):
                    print("EVIDENCE read", path)
            except OSError:
                pass
    return {"seen": sorted(seen)}
