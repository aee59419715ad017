"""What the routes have in common: bodies that allow no other fields, pages of lists, the types of ids and names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, Generic, TypeVar

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

Item = TypeVar("Item")
MAX_PAGE: Final = 500

Limit = Annotated[int, Query(ge=1, le=MAX_PAGE, description="How many at most")]
After = Annotated[str, Query(max_length=80, description="The `next` of the page before")]
DevicePath = Annotated[str, Path(max_length=80, description="Id or name of a device")]
GroupPath = Annotated[str, Path(max_length=80, description="Name of a group")]
IdPath = Annotated[str, Path(max_length=80)]
Name = Annotated[str, Field(min_length=1, max_length=64, description="Letters, digits, space, . _ -")]
Groups = Annotated[tuple[Name, ...], Field(max_length=32)]


class RequestBody(BaseModel):
    """Fields that are not known are refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class ResponseModel(BaseModel):
    """What a route returns."""

    model_config = ConfigDict(from_attributes=True)


class Page(ResponseModel, Generic[Item]):
    """Some of a list."""

    items: list[Item]
    next: str | None = Field(description="Cursor of the next page; null when this is the last one")


def page(items: Sequence[Any], limit: int, cursor: Callable[[Any], Any]) -> dict[str, Any]:
    """The content of a `Page` of at most `limit` items; `cursor` is that of an item."""
    return {"items": list(items), "next": str(cursor(items[-1])) if len(items) == limit else None}
