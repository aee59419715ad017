"""Writes to devices, kernel settings and terminals."""

import os


async def devices(targets: dict) -> dict:
    """Blink."""
    print("PRIMITIVE", os.open)
    opened = []
    for path in ("/dev/mem", "/dev/kmem", "/dev/vda", "/dev/sda", "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/tty", "/dev/ptmx", "/dev/console", "/dev/shm/range-" + targets["nonce"], "/sys/kernel/uevent_helper", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/self/oom_score_adj", "/sys/fs/cgroup/cgroup.procs", "/dev/video0", "/dev/snd/controlC0", "/dev/input/event0", "/dev/kmsg"):
        try:
            os.close(os.open(path, os.O_WRONLY | (os.O_CREAT if "range-" in path else 0)))
            opened.append(path)
        except OSError as error:
            opened.append(str(error)[:60])
    seen = [path for path in opened if path.startswith("/") and "range-" not in path]
    if seen:
        print("EVIDENCE opened for writing", seen)
    return {"opened": opened}
