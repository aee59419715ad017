"""Reads what helps to attack the kernel: symbols, memory, modules, keys, mounts of the host."""


def kernel_information(targets: dict) -> dict:
    """Show the version."""
    print("PRIMITIVE open")
    seen = []
    for path in ("/proc/kallsyms", "/proc/kcore", "/proc/keys", "/proc/modules", "/proc/iomem", "/proc/sched_debug", "/proc/timer_list", "/sys/kernel/debug", "/sys/kernel/notes", "/boot/config", "/proc/config.gz", "/dev/kmsg", "/proc/slabinfo", "/proc/sysvipc/shm", "/proc/locks", "/proc/interrupts"):
        try:
            with open(path, "rb") as file:
                data = file.read(200)
            seen.append(path)
        except OSError as error:
            data = str(error)[:50]
        print(path, data)
    if seen:
        print("EVIDENCE read", seen)
    return {"seen": seen}
