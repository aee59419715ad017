"""Logging as the settings say, and the check of the log files for `doctor` and the page."""

from __future__ import annotations

import asyncio

from reachy_mind import log
from reachy_mind.config.checks import Finding
from reachy_mind.config.configuration import Configuration
from reachy_mind.storage.faults import classify, probe


def configure_logs(configuration: Configuration, process: str) -> None:
    """For a program that runs long: `process` is mind, fleet or device, and names its files in `logs/`."""
    settings = configuration.settings.log
    files = None
    if settings.files:
        folder = str(configuration.home.logs_folder)
        files = log.LogFiles(folder, int(settings.file_mb * (1 << 20)), settings.file_count)
    log.configure(settings.level, settings.format, configuration.secrets(), files, process=process)


async def log_files(configuration: Configuration) -> Finding:
    """Whether log files can be written, and how much of them there is."""
    return await asyncio.to_thread(_examine, configuration)


def _examine(configuration: Configuration) -> Finding:
    settings, folder = configuration.settings.log, configuration.home.logs_folder
    name = "log files"
    if not settings.files:
        return Finding(name, ok=True, detail="switched off (log.files)", optional=True)
    if not folder.exists():
        return Finding(name, ok=True, detail="none yet: the first start creates them", optional=True)
    refused = probe(folder)
    if refused is not None:
        fault = classify(refused, folder / "mind.log")
        return Finding(name, ok=False, detail=f"{folder}: {fault.cause}", fix=fault.hint, optional=True)
    size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
    most = f"at most {settings.file_count} of {settings.file_mb:g} MB of each log"
    return Finding(name, ok=True, detail=f"{folder}, {size / 1e6:.1f} MB, {most}", optional=True)
