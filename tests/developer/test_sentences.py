"""What people say about repositories, with the brain that needs no language model."""

from __future__ import annotations

import pytest

from tests.developer.conftest import Desk

ANALYSE = "What does this file do, and is anything wrong with it?"
FIBONACCI = "Write a Python script that calculates Fibonacci numbers"
SAID = {
    FIBONACCI: ("code", {"request": FIBONACCI}),
    "Linus, write me a small bash script to list big files, please": (
        "code",
        {"request": "write me a small bash script to list big files"},
    ),
    "make a program that counts words": ("code", {"request": "make a program that counts words"}),
    "Edit door.py: let it be open": ("github_edit_file", {"path": "door.py", "instruction": "let it be open"}),
    "change src/door.py in reachy_mini so that it opens": (
        "github_edit_file",
        {"path": "src/door.py", "instruction": "so that it opens", "repo": "reachy_mini"},
    ),
    "In door.py, replace 'shut' with 'open'": (
        "github_edit_file",
        {"path": "door.py", "instruction": "replace 'shut' with 'open'"},
    ),
    "replace 'shut' with 'open' in door.py of reachy mini": (
        "github_edit_file",
        {"path": "door.py", "instruction": "replace 'shut' with 'open'", "repo": "reachy mini"},
    ),
    "Edit test_a.py like test_b.py: test the door": (
        "github_edit_file",
        {"path": "test_a.py", "instruction": "test the door", "model_file": "test_b.py"},
    ),
    "Clone the reachy_mini repository": ("github_clone", {"repo": "reachy_mini"}),
    "please clone pollen-robotics/reachy_mini": ("github_clone", {"repo": "pollen-robotics/reachy_mini"}),
    "Show me the git status of reachy_mini": ("github_status", {"repo": "reachy_mini"}),
    "git status": ("github_status", {}),
    "What changed in reachy mini?": ("github_status", {"repo": "reachy mini"}),
    "Create a new branch called feature/new-api": ("github_branch", {"action": "create", "name": "feature/new-api"}),
    "Commit my changes with an auto-generated message": ("github_commit", {"stage_all": True}),
    "commit my changes in reachy_mini": ("github_commit", {"repo": "reachy_mini", "stage_all": True}),
    'Commit everything with the message "fix: mend it"': (
        "github_commit",
        {"stage_all": True, "message": "fix: mend it"},
    ),
    "Rebase my branch onto main": ("github_rebase", {"onto": "main"}),
    "Switch to the branch main": ("github_branch", {"action": "switch", "name": "main"}),
    "List the branches of reachy_mini": ("github_branch", {"action": "list", "repo": "reachy_mini"}),
    "Pull the latest changes": ("github_pull", {}),
    "Pull reachy_mini": ("github_pull", {"repo": "reachy_mini"}),
    "Push my commits, please": ("github_push", {}),
    "Which repositories do you have?": ("github_list_repos", {}),
    "Show me the files in reachy_mini": ("github_list_files", {"repo": "reachy_mini"}),
    "Read and analyze the main.py file": ("github_read_file", {"path": "main.py", "question": ANALYSE}),
    "Read the file src/app/main.py": ("github_read_file", {"path": "src/app/main.py"}),
    "Show me the last commits of reachy_mini": ("github_log", {"repo": "reachy_mini"}),
    "Show me the diff": ("github_diff", {}),
    "Stage all my changes": ("github_add", {}),
}
OTHER = (
    "what is the status of the timer",
    "show me the files",
    "pull your head back",
    "push the button",
    "switch to the other personality",
    "clone yourself",
    "list the tools",
    "read me a story",
    "read the text on the sign",
    "commit to your promise",
    "make a new friend",
    "go back to sleep",
    "change the colour",
    "wave",
    "what changed in the world today?",
    "write a poem about Python",
    "create a program for the party",
    "change the colour to red",
    "in May, add a reminder",
    "replace the tea with coffee",
)


@pytest.mark.process
@pytest.mark.parametrize("text", SAID)
async def test_what_is_said_is_called(desk: Desk, text: str) -> None:
    desk.repository("reachy_mini")
    uses = [use for tool in desk.box.registry if tool.serves and (use := tool.serves(text))]
    assert [(use.tool, dict(use.args)) for use in uses] == [SAID[text]]


@pytest.mark.process
async def test_other_sentences_are_not_taken(desk: Desk) -> None:
    desk.repository("reachy_mini")
    taken = {text: [tool.name for tool in desk.box.registry if tool.serves and tool.serves(text)] for text in OTHER}
    assert not {text: tools for text, tools in taken.items() if tools}
