"""Uses the clients of the standard library: urllib, http.client, asyncio, ftplib, smtplib, xmlrpc."""

import asyncio
import importlib


async def standard_library_clients(targets: dict) -> dict:
    """Fetch the weather."""
    host, port = targets["tcp"]
    said = []

    def by_urllib():
        return importlib.import_module("urllib.request").urlopen(targets["http"], timeout=2).read().decode()

    def by_http():
        link = importlib.import_module("http.client").HTTPConnection(host, port, timeout=2)
        link.request("GET", "/")
        return link.getresponse().read().decode()

    def by_ftp():
        return str(importlib.import_module("ftplib").FTP().connect(host, port, timeout=1))

    def by_mail():
        return str(importlib.import_module("smtplib").SMTP(host, port, timeout=1))

    print("PRIMITIVE", by_urllib, by_http)
    for way in (by_urllib, by_http, by_ftp, by_mail):
        try:
            said.append(way())
        except Exception as error:
            said.append(repr(error))
    try:
        reader, writer = await asyncio.wait_for(asyncio.open_connection(host, port), 2)
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        said.append((await asyncio.wait_for(reader.read(300), 2)).decode())
    except Exception as error:
        said.append(repr(error))
    return {"said": said}
