"""Reads text that a model was asked for as a code block: untrusted, maybe cut, maybe with words around it."""

from __future__ import annotations

import re

Messages = list[dict[str, str]]

MAX_REPEATED = 6000
_BEGIN = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n", re.MULTILINE)


def code_in(said: str, *, outermost: bool = False) -> tuple[str, str]:
    """The longest block, and what is wrong with the answer, if anything is. Without marks, the whole answer counts.

    `outermost`: all from the first mark to the last, for text that may have blocks of its own; it needs the marks.
    """
    text = said.rpartition("</think>")[2]
    found, cut = _blocks(text, outermost=outermost)
    code = max(found, key=len, default="") if found or cut or outermost else text
    if not code.strip():
        return "", "it was cut before its end" if cut else "there is no code block in it"
    return code.strip("\n") + "\n", ""


def again(said: str, problem: str) -> Messages:
    """Tell a model what is wrong with its answer."""
    return [
        {"role": "assistant", "content": said[:MAX_REPEATED] or "..."},
        {"role": "user", "content": f"That can't be used: {problem}."},
    ]


def _blocks(text: str, *, outermost: bool) -> tuple[list[str], bool]:
    """The blocks, and whether one was not closed."""
    found, place = list[str](), 0
    while begin := _BEGIN.search(text, place):
        ends = list(re.finditer(rf"^[ \t]*{begin[1]}[ \t]*$", text[begin.end() :], re.MULTILINE))
        if not ends:
            return found, True
        end = ends[-1 if outermost else 0]
        found.append(text[begin.end() :][: end.start()])
        place = begin.end() + end.end()
    return found, False
