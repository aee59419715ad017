"""`Method`: one method of the SDK surface, as the host answers it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reachy_mind.errors import InvalidParameter

Answer = Callable[[Mapping[str, Any]], Awaitable[Any]]


@dataclass(frozen=True)
class Method:
    """`needs`: the capabilities of sandboxed code that it takes; `cheap`: it only reads what is known already."""

    name: str
    parameters: tuple[str, ...]
    answer: Answer
    needs: tuple[str, ...] = ()
    cheap: bool = False

    async def run(self, args: Mapping[str, Any]) -> Any:
        """Answer a call. Raises InvalidParameter for parameters that it does not have, and what the answer raises."""
        if spare := [name for name in args if name not in self.parameters]:
            hint = f"its parameters: {', '.join(self.parameters) or 'none'}"
            raise InvalidParameter(f"{self.name} has no parameter {str(spare[0])[:40]!r}", hint=hint)
        return await self.answer(args)
