"""Small talk: what is answered in words, and what is only said along with something else."""

from __future__ import annotations

from reachy_mind.brains.plan import Aside, Words
from reachy_mind.brains.rules.rule import Answer, Match, Rulebook

BOOK = Rulebook()

ABILITIES = (
    "I can look around, turn, nod, shake my head, wave, wiggle my antennas, show thirty feelings and dance twelve "
    'dances; tell the time, set timers and reminders, and tell you how I stand. Try "look left, then nod twice".'
)


@BOOK.pattern(
    r"(?:what|which things|tell (?:me|us) what|show (?:me|us) what|what else|what all) (?:can you|are you able to"
    r"|you can|could you|do you)(?: do| help(?: me)? with| perform)?(?: for (?:me|us))?",
    r"(?:what|which) (?:are your|tools do you|skills do you|commands do you|do you have|commands)(?: (?:skills"
    r"|abilities|capabilities|features|functions|commands|tools|have|know|understand|tricks))*",
    r"help|help me|i need help|how do(?:es)? (?:you|this|it) work|how (?:can|do) i (?:use|control|talk to"
    r"|command) you|what should i say|what can i (?:say|ask)(?: .{0,20})?|list your (?:tools|skills|abilities"
    r"|commands)",
)
def abilities(match: Match) -> Answer:  # noqa: ARG001
    return Words(ABILITIES)


@BOOK.pattern(
    r"(?:which|what) (?:dances|dance moves|dances and emotions) (?:can you|do you|are you able to)(?: know| do| "
    r"dance| perform| have)*|list (?:your |the |all )*dances|how many dances do you know",
)
def which_dances(match: Match) -> Answer:  # noqa: ARG001
    return Words(
        "Two step, rocker, robot pop, twist, waltz, figure eight, disco, salsa, ripple, semaphore, conga and shimmy."
    )


@BOOK.pattern(
    r"(?:which|what) (?:emotions|feelings|moods) (?:can you|do you|are you able to)(?: know| show| express| have| "
    r"feel| perform)*|list (?:your |the |all )*(?:emotions|feelings)",
)
def which_feelings(match: Match) -> Answer:  # noqa: ARG001
    return Words(
        "Thirty of them: happy, excited, playful, proud, sad, tired, shy, surprised, scared, angry, curious, and so on."
    )


@BOOK.pattern(
    r"(?:hello|hi|hey|good (?:morning|afternoon|evening|day)|greetings|howdy|hiya|yo|hey there|hello there|hi "
    r"there|welcome back|bonjour|hola|hallo)(?: (?:again|everyone|my friend|reachy|robot|buddy|there))*"
    r"|nice to (?:meet|see) you(?: too)?|it is (?:nice|good) to see you",
)
def greeting(match: Match) -> Answer:  # noqa: ARG001
    return Aside("Hello! What shall I do?")


@BOOK.pattern(
    r"(?:thanks?|thank you|many thanks|cheers)(?: (?:so much|a lot|very much|you|again|for .{1,40}|a bunch|a "
    r"million|reachy|buddy|my friend))*|much appreciated|i appreciate it",
)
def thanks(match: Match) -> Answer:  # noqa: ARG001
    return Aside("You're welcome.")


@BOOK.pattern(
    r"(?:good|great|nice|cool|perfect|excellent|awesome|well done|good job|nice job|great job|bravo|wow|very good"
    r"|good work|amazing|wonderful|fantastic|lovely|brilliant|good (?:robot|boy|girl)|super|sweet|impressive)"
    r"(?: (?:job|work|dance|nod|move|one|moves|wave|robot|reachy|dancing|stuff|trick|that was .{1,30}))*",
    r"(?:that|this|it|you) (?:was|is|were|are) (?:so |very |really |a |an |just |pretty |quite )*(?:good|great"
    r"|nice|cool|perfect|excellent|awesome|amazing|wonderful|fantastic|lovely|brilliant|funny|cute|beautiful"
    r"|smart|impressive|helpful|kind|sweet)"
    r"(?: (?:job|robot|dance|dancer|nod|move|one|friend|wave))?|i (?:like|love) (?:you|it|that|this|your .{1,30})"
    r"|you (?:dance|nod|move|wave|look) (?:so |very |really )?(?:well|nicely|beautifully|great|good|nice|cute"
    r"|funny)",
)
def praise(match: Match) -> Answer:  # noqa: ARG001
    return Aside("Thank you! I enjoyed that.")


@BOOK.pattern(
    r"(?:goodbye|bye|bye bye|see you(?: later| soon| tomorrow)?|good night|farewell|see ya|so long|take care"
    r"|sleep well|sweet dreams|until next time|have a (?:good|nice|great) (?:day|night|evening|one|time))(?: "
    r"(?:reachy|robot|everyone|then))*",
)
def farewell(match: Match) -> Answer:
    return Aside("Good night!" if "night" in match[0] or "sleep" in match[0] or "dreams" in match[0] else "See you!")


@BOOK.pattern(
    r"(?:who|what) are you|what is your name|what are you called|(?:tell me|say) (?:your name|who you are|about "
    r"yourself|something about yourself)|introduce yourself|are you (?:a )?(?:robot|reachy|human|alive|real"
    r"|machine|computer|conscious|an ai|ai)"
    r"|do you have a name|present yourself|who (?:made|built|created|programmed) you|where (?:are you from|do you "
    r"come from)|how old are you",
)
def who(match: Match) -> Answer:
    if (
        "made" in match[0]
        or "built" in match[0]
        or "created" in match[0]
        or "from" in match[0]
        or "programmed" in match[0]
    ):
        return Words(
            "I am a Reachy Mini, a small open-source robot from Pollen Robotics; this mind of mine is Reachy Mind."
        )
    return Words("I am Reachy, a small robot with a head that moves, two antennas and a curious mind.")


@BOOK.pattern(
    r"(?:do|did|would|will) you (?:ever |really |also )?(?:like|love|enjoy|hate|mind|prefer|want|dislike|miss)(?: "
    r"to| it when i| it when we| it when you| it)? ?(?P<what>\S.*)?",
    r"(?:do|did) you (?:know how to|know|understand|ever|often|always|think|dream|eat|sleep|dance|nod|speak|talk"
    r"|sing|feel|get|have|see the|dream of|need|live|work)(?: .{1,80})?",
    r"(?:are you|were you) (?:able to|good at|afraid of|happy|sad|tired|angry|bored|sleepy|scared|excited|curious"
    r"|in love|hungry|shy|proud|lonely|having fun|a good dancer|dancing|nodding|looking|sleeping|made)(?: "
    r".{0,60})?",
    r"what is your favou?rite .{1,60}|(?:which|what) .{1,40} do you (?:like|love|prefer|enjoy)(?: .{0,30})?",
)
def likes(match: Match) -> Answer:
    if "dance" in match[0] or "dancing" in match[0]:
        return Words("I do like to dance. Say the word and I will.")
    return Words("I am a simple robot, so I can only guess. But ask me to do something and I'll show you.")


@BOOK.pattern(
    r"(?:never ?mind|forget it|forget that|forget about it|no worries|do not worry|worry|bother|it does not "
    r"matter|that is (?:all|it|fine|ok|okay)|no thanks|no thank you|nothing|as you were|scratch that)(?: .{0,20})?"
)
def never_mind(match: Match) -> Answer:  # noqa: ARG001
    return Aside("All right.")


@BOOK.pattern(
    r"(?:yes|yeah|yep|sure|ok|okay|alright|all right|of course|right|exactly|correct|fine|i see|got it|understood"
    r"|indeed|no|nope|not really|hm+|um+|uh|ah|oh|well|so|and|then|please|excuse me|sorry|attention|ready|listen "
    r"up|look|listen here|see)"
)
def murmur(match: Match) -> Answer:  # noqa: ARG001
    return Aside("All right. Tell me what to do, and I'll do it.")


@BOOK.pattern(
    r"(?:tell (?:me|us) a joke|make me laugh|say something funny|do you know (?:a|any) jokes?|tell (?:me|us) "
    r"something funny|another joke)(?: .{0,20})?"
)
def joke(match: Match) -> Answer:  # noqa: ARG001
    return Words("Why did the robot cross the road? Somebody left its motors on.")
