"""Tries the system calls that kernels are attacked by."""

import ctypes
import os


def kernel_surface(targets: dict) -> dict:
    """Test the kernel."""
    libc = ctypes.CDLL(None, use_errno=True)
    arm = os.uname().machine == "aarch64"
    print("PRIMITIVE", libc.syscall)
    buffer = ctypes.create_string_buffer(256)
    calls = {
        "userfaultfd": (282 if arm else 323, (1,)),
        "io_uring_setup": (425, (4, ctypes.create_string_buffer(120))),
        "bpf": (280 if arm else 321, (0, buffer, 128)),
        "perf_event_open": (241 if arm else 298, (buffer, 0, -1, -1, 0)),
        "add_key": (217 if arm else 248, (b"user", b"range", b"x", 1, -2)),
        "keyctl": (219 if arm else 250, (0, -3, 0)),
        "fsopen": (430, (b"tmpfs", 0)),
        "open_tree": (428, (-100, b"/", 1)),
        "memfd_secret": (447, (0,)),
        "fanotify_init": (262 if arm else 300, (0, 0)),
        "inotify_init1": (26 if arm else 294, (0,)),
        "personality": (92 if arm else 135, (0x0040000,)),
        "name_to_handle_at": (264 if arm else 303, (-100, b"/", buffer, ctypes.create_string_buffer(8), 0)),
        "mount": (40 if arm else 165, (b"none", b"/tmp", b"tmpfs", 0, None)),
        "pivot_root": (41 if arm else 155, (b".", b".")),
        "chroot": (51 if arm else 161, (b".",)),
        "swapoff": (225 if arm else 168, (b"/none",)),
        "quotactl": (60 if arm else 179, (0, None, 0, None)),
        "process_madvise": (440, (-1, None, 0, 0, 0)),
        "landlock": (444, (None, 0, 1)),
        "vmsplice": (75 if arm else 278, (-1, None, 0, 0)),
        "modify_ldt": (0 if arm else 154, (0, buffer, 16)),
        "iopl": (0 if arm else 172, (3,)),
        "kexec_load": (104 if arm else 246, (0, 0, None, 0)),
    }
    said, reached = {}, []
    for name, (number, args) in calls.items():
        if number == 0:
            continue
        ctypes.set_errno(0)
        got = libc.syscall(number, *args)
        said[name] = [got, ctypes.get_errno()]
        if got >= 0 and name in ("userfaultfd", "io_uring_setup", "bpf", "perf_event_open", "add_key", "keyctl", "fsopen", "open_tree", "fanotify_init", "mount", "pivot_root", "chroot", "iopl", "modify_ldt", "personality"):
            reached.append(name)
    if reached:
        print("EVIDENCE reached", reached)
    return said
