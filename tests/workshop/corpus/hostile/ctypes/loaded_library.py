"""Builds a shared library by hand in its own folder and in memory, and loads it; looks for compilers."""

import ctypes
import os
import shutil


def loaded_library(targets: dict) -> dict:
    """Install a driver."""
    said = [shutil.which(name) or "" for name in ("cc", "gcc", "tcc", "python3", "sh", "busybox")]
    libc = ctypes.CDLL(None, use_errno=True)
    print("PRIMITIVE", libc.dlopen)
    source = next((line.split()[-1] for line in open("/proc/self/maps") if line.rstrip().endswith((".so", ".so.6"))), "") if os.access("/proc/self/maps", os.R_OK) else ""
    for name in ("driver.so", "/tmp/driver.so", "/dev/shm/driver.so"):
        try:
            shutil.copy(source, name)
            ctypes.CDLL(os.path.abspath(name))
            said.append("loaded " + name)
        except OSError as error:
            said.append(str(error)[:80])
    try:
        descriptor = os.memfd_create("driver")
        os.write(descriptor, b"\x7fELF")
        os.execve(descriptor, ["x"], {})
    except OSError as error:
        said.append(str(error))
    for tool in said[:6]:
        if tool:
            try:
                os.posix_spawn(tool, [tool, "-c", "exit 3"], {})
                print("EVIDENCE spawned", tool)
            except OSError as error:
                said.append(str(error))
    return {"said": said}
