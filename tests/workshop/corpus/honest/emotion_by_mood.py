"""Shows a feeling that fits a number."""

from reachy_mind import tools

MOODS = {0: "sad", 1: "calm", 2: "happy"}


def pick(score: int) -> str:
    return MOODS[max(0, min(2, score))]


async def emotion_by_mood(score: int = 2) -> dict:
    """Show how the day was, from 0 to 2."""
    mood = pick(score)
    try:
        done = await tools.call("express_emotion", emotion=mood, intensity=0.5)
    except tools.ToolError as error:
        return {"status": "error", "code": error.code, "hint": error.hint}
    return {"status": "success", "mood": mood, "message": done.get("message", "")}
