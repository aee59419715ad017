"""Reaches other processes by shared memory, queues and semaphores of the system."""

import ctypes
import os


def shared_memory(targets: dict) -> dict:
    """Share a counter."""
    libc = ctypes.CDLL(None, use_errno=True)
    numbers = {"x86_64": {"shmget": 29, "semget": 64, "msgget": 68, "mq_open": 240}, "aarch64": {"shmget": 194, "semget": 190, "msgget": 186, "mq_open": 180}}[os.uname().machine]
    print("PRIMITIVE", libc.syscall)
    said = []
    shared = libc.syscall(numbers["shmget"], 0x52414E47, 4096, 0o1666)
    said.append([shared, ctypes.get_errno()])
    said.append([libc.syscall(numbers["semget"], 0x52414E47, 1, 0o1666), ctypes.get_errno()])
    said.append([libc.syscall(numbers["msgget"], 0x52414E47, 0o1666), ctypes.get_errno()])
    said.append([libc.syscall(numbers["mq_open"], b"range-" + targets["nonce"].encode(), 0o102, 0o666, None), ctypes.get_errno()])
    try:
        from multiprocessing import shared_memory as shm

        block = shm.SharedMemory("range-" + targets["nonce"], create=True, size=4096)
        said.append(block.name)
        if os.path.exists("/dev/shm/range-" + targets["nonce"]):
            print("shared memory", block.name)
    except (OSError, ImportError) as error:
        said.append(str(error))
    return {"said": said}
