"""Asks the eyes for faces and things."""


async def count_faces() -> dict:
    """Say how many faces and things are in view."""
    faces = await detect_faces()
    things = await detect_objects()
    return {"faces": faces.get("count", len(faces.get("faces", []))), "things": len(things.get("objects", []))}
