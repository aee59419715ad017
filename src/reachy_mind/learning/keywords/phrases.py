"""What the keyword network is trained on: phrases that are keywords, words that sound like them, sentences that hold
them, and ordinary sentences."""

from __future__ import annotations

import re
from pathlib import Path

from reachy_mind.brains.stop_words import is_stop

KEYWORDS: dict[str, tuple[str, ...]] = {
    "stop": (
        "Stop.",
        "Stop!",
        "Stop?",
        "Stop, stop!",
        "Stop! Stop!",
        "Stop stop stop!",
        "Stop it.",
        "Stop it!",
        "Stop that.",
        "Stop that!",
        "Stop now.",
        "Stop now!",
        "Stop please.",
        "Please stop.",
        "Please stop!",
        "Please, stop it.",
        "Okay, stop.",
        "Okay stop!",
        "No, stop!",
        "No no, stop.",
        "Hey, stop!",
        "Hey stop.",
        "Reachy, stop!",
        "Reachy stop.",
        "Stop, Reachy.",
        "Stop talking.",
        "Stop talking!",
        "Stop talking please.",
        "Please stop talking.",
        "Stop speaking.",
        "Stop moving.",
        "Stop right there.",
        "Stop right now!",
        "Just stop.",
        "Oh, stop.",
        "Stop dancing.",
        "Stop this.",
        "Now stop.",
        "Alright, stop.",
    ),
    "quiet": (
        "Quiet.",
        "Quiet!",
        "Quiet please.",
        "Quiet, please!",
        "Be quiet.",
        "Be quiet!",
        "Be quiet please.",
        "Please be quiet.",
        "Be quiet now.",
        "Reachy, be quiet.",
        "Quiet now.",
        "Shut up.",
        "Shut up!",
        "Shut up please.",
        "Oh shut up.",
        "Silence.",
        "Silence!",
        "Silence please.",
    ),
    "enough": (
        "Enough.",
        "Enough!",
        "That's enough.",
        "That's enough!",
        "That is enough.",
        "Okay, that's enough.",
        "Enough already.",
        "Enough now.",
        "Okay, enough.",
        "That's enough now.",
        "Thanks, that's enough.",
    ),
    "wait": (
        "Wait.",
        "Wait!",
        "Wait, wait!",
        "Wait a second.",
        "Wait a minute.",
        "Wait a moment.",
        "Hold on.",
        "Hold on!",
        "Hold on a second.",
        "Hold on a minute.",
        "Hang on.",
        "Hang on a second.",
        "Reachy, wait.",
        "No, wait.",
        "Oh wait.",
        "Wait please.",
    ),
    "hey_reachy": (
        "Hey Reachy.",
        "Hey Reachy!",
        "Hey Reachy?",
        "Hey, Reachy.",
        "Hey, Reachy!",
        "Hey Reachy,",
    ),
}
"""Phrases by the keyword that they are."""
WEIGHTS: dict[str, int] = {"stop": 10, "quiet": 4, "enough": 3, "wait": 4, "hey_reachy": 7}
"""How often each keyword is said, relative to the others."""

NEAR = """
step|steps|step it|stuff|stock|stack|stomp|stump|stub|stab|stoop|steep|stay|star|start|started|store|storm|story|stone
spot|spots|stopped|stopper|stopping|stopwatch|top|tops|on top|shop|the shop|chop|drop|drop it|pop|hop|crop|swap
swapped|desktop|laptop|hilltop|rooftop|tiptop|workshop|bookshop|coffee shop|a stop|the stop|non-stop|bus stop
full stop|scotch|sob|sop|sought|soft|salt|sort|stalk|stark|stood|stand|stamp|stamped|stitch|stick|still|steam|street
strap|strip|quite|quite it|quite right|choir|client|riot|diet|quilt|quit|quick|require|queen|white|while|wide|why it
quieter|pirate|be kind|be right|be careful|be nice|big white|the client|peak white|what's up|cut up|get up|set up
sit up|show up|shut down|shut it|shut the door|shutter|shuttle|sharp|shack|should have|science|silent|sirens|violence
balance|licence|silencer|assignments|salads|a knife|a nap|and off|cough|rough|tough|stuff enough|a lot|on off
in a huff|in half|an oaf|unit|enormous|another|a nuff|that's a lot|that's awful|that's nice|that's odd|that's tough
that's rough|that's all|that's another|that's it|weight|way|ways|wade|wait for it|awake|waste|waist|went|late|eight
ate|great|straight|we ate|waiter|waiting|waited|whale|cold on|told on|old one|all done|hold it|hold up|hold this
holding|wholesome|hung on|hand on|rang on|hanger|bang on|can on|hey|hey Richie|hey Rachel|hey Ricky|hey peachy
hey teacher|hey Richard|hey Rita|hey Reggie|hey Becky|hey Lucy|hey there|hey ready|hey really|hey reach me|hey reading
hey Beechy|hey you|hey guys|hey listen|hey Charlie|hey everybody|hay|reach|reached|reaches|reaching|peachy|preachy
teach|teacher|beach|beachy|lychee|itchy|ready|really|reading|richer|each one|rich|Richie|Ricky|Rachel|teaching
preacher|bleach|breach|screech|reach it|reach in|reaches in|each|creature|feature|fetch|day reachy|they reach it
say peachy|may reach|away each|the reach|play chess|a teacher|okay Richie|okay teacher|hi Richie|yes|no|okay|right
sure|mhm|uh huh|yeah|thanks|thank you|hello|hi|go on|go|up|down|left|on|off|seven|six|nine|zero|what|who|where|when
how|why|really|nice|cool|wow|great|good|oh|ah|hmm|sorry|please|maybe|next|more|again|louder|slower|faster
"""
"""Words and phrases that sound like keywords, or are as short; none is one."""

HOLDING = """
The bus stop is just around the corner from our house.
We took the train to the last stop and walked from there.
It rained all day and did not stop until the evening.
She could not stop laughing when she saw the picture.
He would never stop talking about his new bicycle.
I want to stop by the shop on the way home.
They stopped at the shop to buy some bread and milk.
Once he starts he just does not stop at all.
Please don't stop the story, it is so exciting.
Don't stop now, we are nearly there.
The car came to a full stop in front of the gate.
There is a non-stop flight to Lisbon every morning.
Nothing can stop a good idea from spreading.
Did the music stop before the guests went home?
The doctor told him to stop smoking as soon as possible.
When the rain stops we will go out and play.
The children would not stop asking questions.
You have to stop at the red light and look both ways.
A stopwatch measures the time that a runner needs.
The heart never stops beating, not even at night.
The king ordered the music to stop at midnight.
Without a break they worked, never stopping to rest.
This is the third stop of the tour through the city.
I could not stop thinking about what you told me.
We had to stop the car because of a tree on the road.
The town is quiet in the evening and loud in the morning.
It was a quiet night and nobody heard a thing.
The library is a quiet place where people like to read.
He was a quiet man who never said very much.
Keep the children quiet while the baby sleeps upstairs.
The engine is so quiet that you hardly hear it.
It was quite a long way to the top of the hill.
Nobody could shut up the shop before the last guest had left.
There was a long silence before anybody dared to speak.
They sat in silence and watched the fire burn down.
There is enough food in the house for the whole week.
I have had enough of this weather for one year.
She was not old enough to travel on her own.
Are you warm enough or do you want another blanket?
He is tall enough to reach the upper shelf.
Strangely enough the door was open when we came back.
That is good enough for me, thank you very much.
We have not got enough chairs for all of the guests.
I can hardly wait for the summer holidays to begin.
They had to wait a minute at the crossing for the train.
Nobody likes to wait in the cold for such a long time.
The waiter brought the menu and we waited for the soup.
You will have to wait for your turn like everybody else.
We wait a moment until the water boils and add the rice.
He tried to hold on to the rope with both of his hands.
She put her hold on the ladder and climbed to the roof.
The coats hang on the wall behind the kitchen door.
The weight of the box was eight kilograms or so.
He reached the top of the tower and looked around.
They say each of us can reach the stars one day.
The teacher asked the children to stay at the table.
I said hey to Rachel and she waved at me from the beach.
The robot is called Reachy and it lives in our kitchen.
Have you met Reachy, the little robot with two antennas?
My friend says that Reachy can dance and tell stories.
I think Reachy is asleep, so let us come back later.
He said hey and reached for the door.
Then they said okay, each of them a little louder.
Every day each one of us reads a page of the book.
We may reach each of the islands by boat in an hour.
The play reaches its end when the curtain falls.
"""
"""Sentences in which a keyword, or something like it, is a word among others: no order to the robot."""

TAILS = (
    "What time is it?",
    "Look to the left.",
    "Tell me a joke.",
    "Can you hear me?",
    "What is the weather like today?",
    "Set a timer for ten minutes.",
    "Dance for us, please.",
    "What do you see?",
    "Nod your head.",
    "How are you?",
    "Play some music.",
    "Do you know my name?",
)
"""What is said after the wake word."""
ENGLISH = (  # noqa: SIM905 -- words are easier to read and to add to than a list of strings
    "body company continuing everyday followups head idioms memory motion nearmisses noise requests short sight"
    " statements talk world"
).split()
_SENTENCES = Path(__file__).parents[2] / "brains" / "reflex" / "sentences"
_MARKUP = re.compile(r"<[^>]*>|\([^)]*\)|\[[^\]]*\]|[{}|*_#]")
_ORDER = re.compile(
    r"(^|[,.;:!?]\s*)((please|okay|ok|no|hey|oh|just|now|reachy|then|and|but|so)[ ,]+)*"
    r"(stop|quiet|be quiet|shut up|silence|enough|that's enough|that is enough|wait|hold on|hang on)\b|\bhey,? reachy",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[A-Za-z0-9 ,.;:!?'-]{18,110}")


def near() -> list[str]:
    return [phrase.strip().capitalize() + "." for line in NEAR.split("\n") for phrase in line.split("|") if phrase]


def holding() -> list[str]:
    return [line for line in HOLDING.split("\n") if line]


def sentences() -> list[str]:
    """Ordinary English sentences, without any that is or begins with a keyword: those of the reflex reader."""
    found = []
    for name in ENGLISH:
        for line in (_SENTENCES / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            text = " ".join(_MARKUP.sub(" ", line).split())
            if (
                line.startswith("#")
                or line[2:3] == ":"
                or not _PLAIN.fullmatch(text)
                or _ORDER.search(text)
                or is_stop(text)
            ):
                continue
            found.append(text)
    return sorted(set(found))
