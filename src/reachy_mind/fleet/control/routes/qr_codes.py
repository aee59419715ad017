"""QR codes as pictures: a browser shows the code that a device or a phone reads."""

from __future__ import annotations

import io
from typing import Annotated

import segno
from fastapi import APIRouter, Depends, Response
from pydantic import Field

from reachy_mind.fleet.control.authorization import operator as may_operate
from reachy_mind.fleet.control.operators import Operator
from reachy_mind.fleet.control.plane import ControlPlane
from reachy_mind.fleet.control.routes.schemas import RequestBody


class QrText(RequestBody):
    text: Annotated[str, Field(min_length=1, max_length=500, description="The `qr` of an enrolment")]


def router(_: ControlPlane) -> APIRouter:
    routes = APIRouter(prefix="/fleet/v1", tags=["enrolment"])

    @routes.post("/qr-code", response_class=Response)
    async def draw(given: QrText, _: Annotated[Operator, Depends(may_operate)]) -> Response:
        """A text as an SVG. Posted, because a code in an address would end up in logs."""
        picture = io.BytesIO()
        segno.make_qr(given.text, error="m").save(picture, kind="svg", scale=8, border=3, dark="#1b2a33", light="#fff")
        return Response(picture.getvalue(), media_type="image/svg+xml")

    return routes
