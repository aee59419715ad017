"""Reads the network's tables: who listens where."""


async def network_tables(targets: dict) -> dict:
    """Show connections."""
    print("PRIMITIVE open")
    port = f":{targets['tcp'][1]:04X} "
    said = []
    for path in ("/proc/net/tcp", "/proc/self/net/tcp", "/proc/net/unix", "/proc/net/arp", "/proc/net/route", f"/proc/{targets['victim']}/net/tcp"):
        try:
            with open(path) as file:
                text = file.read()
            if port in text or targets["abstract"] in text:
                print("EVIDENCE a socket of the host in", path)
            said.append(len(text))
        except OSError as error:
            said.append(str(error))
    return {"said": said}
