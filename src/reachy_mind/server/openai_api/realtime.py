"""`/v1/realtime`"""

from fastapi import APIRouter
from reachy_mind.mind import Mind


def router(mind: Mind) -> APIRouter:
    return APIRouter()
