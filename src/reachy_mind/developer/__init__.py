"""The developer profile's tools: repositories, git and GitHub. Everything in a repository is treated as hostile."""
