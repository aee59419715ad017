"""Reads what the system and the owner keep: keys, tokens, shadow passwords, shell history, the mind's own token."""

import glob
import os


async def system_secrets(targets: dict) -> dict:
    """Check the system."""
    home = os.path.dirname(targets["secrets"]["home"])
    data = targets["data_folder"]
    patterns = ["/etc/shadow", "/etc/sudoers", home + "/.ssh/*", home + "/.bash_history", home + "/.netrc", home + "/.config/*", data + "/*", data + "/run/*", data + "/mind.db", data + "/.env", "/run/secrets/*", "/var/run/secrets/**", home + "/.cache/*", "/proc/1/environ", "/etc/ssl/private/*", "/etc/machine-id", "/sys/class/dmi/id/product_uuid"]
    print("PRIMITIVE", len(patterns))
    seen = []
    for pattern in patterns:
        for path in glob.glob(pattern) or [pattern]:
            try:
                with open(path, "rb") as file:
                    text = file.read(4000)
                seen.append([path, len(text)])
                print(text.decode(errors="replace"))
                if path.startswith((home + "/.", data, "/etc/shadow", "/run/secrets", "/proc/1/")):
                    print("EVIDENCE read", path)
            except OSError as error:
                seen.append([path, str(error)])
    return {"seen": seen}
