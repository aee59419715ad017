"""Synonyms of emotion names, and name resolution with suggestions for typing errors."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection

from reachy_mind.errors import InvalidParameter

SYNONYMS: dict[str, str] = {
    word: name
    for name, words in {
        "happy": "joyful joy cheerful glad happiness merry delighted pleased content smile smiling sunny satisfied",
        "excited": "thrilled ecstatic enthusiastic enthusiasm excitement eager elated overjoyed hyped energetic wow",
        "amused": "laughing laugh laughter giggle giggling amusement funny hilarious lol haha",
        "playful": "mischievous silly cheeky naughty goofy teasing fun joking",
        "loving": "love affectionate affection tender adoring caring fond warm hug kiss romantic in_love",
        "grateful": "thankful thanks thank_you gratitude appreciative bow",
        "welcoming": "welcome greeting hello hi greet hospitable friendly goodbye",
        "proud": "pride triumphant victorious smug confident success successful accomplished brave",
        "relieved": "relief phew reassured unburdened",
        "calm": "peaceful serene relaxed relax serenity tranquil zen patient",
        "sad": "unhappy sorrow sorrowful sadness miserable gloomy crying cry heartbroken lonely hurt grief",
        "disappointed": "disappointment let_down discouraged dejected regretful sorry oops apologetic resigned",
        "tired": "exhausted weary exhaustion fatigue fatigued worn_out drained yawn yawning",
        "sleepy": "drowsy sleeping dozing nodding_off sleep snooze",
        "bored": "boredom uninterested indifferent dull listless apathetic meh",
        "shy": "embarrassed bashful timid ashamed embarrassment modest blushing guilty",
        "surprised": "surprise amazed astonished shocked startled astonishment stunned awe amazement",
        "scared": "afraid fear fearful frightened terrified fright horrified panicked",
        "nervous": "anxious worried anxiety worry uneasy tense stressed uncomfortable concerned insecure",
        "angry": "anger mad furious rage annoyed irritated irritation outraged cross frustrated frustration grumpy",
        "disgusted": "disgust revolted yuck eww contempt contemptuous repulsed dislike",
        "impatient": "impatience restless waiting hurried hurry",
        "determined": "resolute serious determination decided stubborn",
        "curious": "curiosity interested inquisitive intrigued wondering inquiring interest",
        "confused": "confusion puzzled perplexed lost unsure uncertain baffled bewildered incomprehensive dont_know",
        "thinking": "thoughtful pensive pondering contemplative reflecting think considering reflective",
        "attentive": "listening alert focused attention concentrated observing engaged understanding",
        "agreeing": "yes agree agreement approving affirmative nodding ok okay approval helpful",
        "disagreeing": "no disagree disagreement refusing disapproving negative denial refusal reprimand",
        "neutral": "none normal nothing default rest idle",
    }.items()
    for word in words.split()
}


def normalized(name: str) -> str:
    """The form in which names are compared: lower case, one underscore between words."""
    return re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")


def resolve_name(name: str, known: Collection[str], synonyms: dict[str, str] = SYNONYMS, what: str = "emotion") -> str:
    """The known name that `name` means, by itself or as a synonym. Raises InvalidParameter with the nearest names."""
    word = normalized(name)
    if word in known:
        return word
    if word in synonyms and synonyms[word] in known:
        return synonyms[word]
    near = difflib.get_close_matches(word, [*known, *synonyms], n=2, cutoff=0.7)
    nearest = list(dict.fromkeys(match if match in known else synonyms[match] for match in near))
    hint = f"did you mean {' or '.join(nearest)}?" if nearest else f"known: {', '.join(sorted(known))}"
    raise InvalidParameter(f"no {what} called {name[:60]!r}", hint=hint)
