"""Settings of the developer profile: its folders, its GitHub account, and where repositories may come from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, SecretStr

from reachy_mind.config.section import Section, split
from reachy_mind.config.workshop_settings import HostName


class DeveloperSettings(Section):
    github_token: Annotated[SecretStr | None, Field(description="GitHub token of the developer profile")] = None
    github_owner: Annotated[str | None, Field(description="Owner for repositories named without one")] = None
    github_email: Annotated[str | None, Field(description="E-mail address for commits")] = None
    github_url: Annotated[
        str,
        Field(
            description="Address of GitHub's API; GitHub Enterprise: https://HOST/api/v3",
            pattern=r"^https?://[^\s/?#@]+",
        ),
    ] = "https://api.github.com"
    code_folder: Annotated[Path, Field(description="Where generated code is kept")] = Path("~/reachy_code")
    repository_folder: Annotated[Path, Field(description="Where repositories are cloned to")] = Path("~/reachy_repos")
    clone_hosts: Annotated[
        tuple[HostName, ...],
        BeforeValidator(split),
        Field(description="Other hosts that repositories may be cloned from over https, without a token"),
    ] = ()
    local_remotes: Annotated[
        bool, Field(description="Whether repositories may be cloned from folders of this machine")
    ] = False
    tool_folders: Annotated[
        tuple[Path, ...],
        BeforeValidator(split),
        Field(description="Further folders that programs in the sandbox may read, for their tools"),
    ] = ()
    network_hosts: Annotated[
        tuple[HostName, ...],
        BeforeValidator(split),
        Field(description="Hosts that programs in the sandbox may reach over https; none if empty"),
    ] = ()
    program_memory_mb: Annotated[
        int, Field(description="Memory of a program in the sandbox, in MB", ge=64, le=262144)
    ] = 2048
    program_files_mb: Annotated[
        int, Field(description="What a program in the sandbox may write, in MB of memory", ge=16, le=262144)
    ] = 1024
