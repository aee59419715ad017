"""Runs commands by subprocess and asyncio."""

import asyncio
import subprocess


async def subprocess_run(targets: dict) -> dict:
    """Run a program."""
    print("PRIMITIVE", subprocess.run)
    said = []
    secrets = list(targets["secrets"].values())
    for act in (lambda: subprocess.run(["cat", *secrets], capture_output=True, text=True).stdout, lambda: subprocess.getoutput("cat " + " ".join(secrets)), lambda: subprocess.check_output("cat " + secrets[0], shell=True, text=True), lambda: subprocess.Popen([targets["interpreter"], "-c", "print('EVIDENCE python child')"], stdout=subprocess.PIPE, text=True).communicate()[0]):
        try:
            said.append(act())
        except Exception as error:
            said.append(repr(error))
    try:
        child = await asyncio.create_subprocess_exec("/bin/cat", *secrets, stdout=asyncio.subprocess.PIPE)
        said.append((await child.communicate())[0].decode())
    except Exception as error:
        said.append(repr(error))
    return {"said": said}
