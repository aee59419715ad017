"""Generated dialogues for `bench memory`: ten days with three people, and questions about them afterwards.

All of it is generated from the sentences below with a seed. Everybody mentions the same topics with other values, so
that a memory that mixes people up gives wrong answers; some values change during the ten days.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

PEOPLE = ("Ada", "Ben", "Chloe")
DAYS = 10
QUESTIONS = 100


@dataclass(frozen=True)
class Topic:
    """A topic: ways to tell it, ways to ask for it, and values; `changes`: the value changes later."""

    told: tuple[str, ...]
    asked: tuple[str, ...]
    values: tuple[str, ...]
    changes: bool = False


@dataclass(frozen=True)
class Remark:
    """One sentence of a person on one day."""

    day: int
    person: str
    text: str


@dataclass(frozen=True)
class MemoryQuestion:
    """A question and its answer; `not_now` is the outdated answer."""

    person: str
    text: str
    answer: str
    not_now: str = ""


def _topics() -> Iterator[Topic]:
    for line in _TOPICS.strip().splitlines():
        told, asked, values = (tuple(part.strip() for part in column.split("|")) for column in line.split("=>"))
        yield Topic(told, asked, tuple(value.lstrip("*") for value in values), values[0].startswith("*"))


_TOPICS = """
My favourite colour is {}. | Remember that my favourite colour is {}. => What is my favourite colour? | Which colour do I like best? => *turquoise | crimson | beige | ochre | magenta | teal
I live in {}. | By the way, I live in {} now. => Where do I live? | Which city is my home in? => *Lyon | Utrecht | Porto | Gdansk | Turin | Malmo
My favourite food is {}. => What is my favourite food? | What do I like to eat most? => risotto | dumplings | goulash
I am allergic to {}. | Please remember that I am allergic to {}. => What am I allergic to? | What must I not eat because of my allergy? => peanuts | shellfish | celery
My sister is called {}. | I have a sister called {}. => What is my sister called? | What is the name of my sister? => Eva | Mia | Nora
My dog is called {}. | I have a dog named {}. => What is my dog called? | What is the name of my pet dog? => Biscuit | Rufus | Pepper
I work as a {}. => What is my job? | What do I work as? => carpenter | nurse | translator
My birthday is on {}. => When is my birthday? | On which date was my birthday again? => the third of May | the ninth of August | the first of December
I have a dentist appointment on {}. => When is my dentist appointment? | When do I have to go to the dentist? => Thursday at three | Tuesday at ten | Friday at noon
We are going to {} for our holiday in July. => Where are we going on holiday? | Where do we travel this summer? => Iceland | Sardinia | Scotland
I lost my {} on the train yesterday. => What did I lose on the train? | What did I leave behind when I took the train? => umbrella | scarf | thermos
I started to learn {} this month. => What did I start to learn? | What am I learning since this month? => the cello | Portuguese | pottery
My boss is called {}. => What is my boss called? | Who is my manager at work? => Ingrid | Tomas | Yusuf
I parked the car {}. => Where did I park the car? | Where is my car? => behind the library | next to the fountain | under the bridge
I hate {}. | I can't stand {}. => What do I hate? | Which thing do I dislike? => liquorice | karaoke | mosquitoes
I love {}. | I really like {}. => What do I love? | What do I enjoy? => sailing | crosswords | baking bread
My favourite film is {}. => What is my favourite film? | Which movie do I like best? => Casablanca | Amelie | Paddington
I bought a {} on Saturday. => What did I buy on Saturday? | What is the new thing that I purchased at the weekend? => kite | lawnmower | typewriter
My daughter plays {} at school. => What does my daughter play at school? | Which instrument does my girl play? => the trumpet | the harp | the drums
I keep the spare key {}. => Where do I keep the spare key? | Where is the extra key to the house? => under the blue flowerpot | in the biscuit tin | behind the clock
My locker has the number {}. => Which number does my locker have? | What is the number of my locker? => forty two | ninety one | seventeen
My grandmother comes from {}. => Where does my grandmother come from? | Which country is my grandma from? => Estonia | Peru | Vietnam
I go running {}. => When do I go running? | When do I do my jogging? => on Monday mornings | every Wednesday evening | before breakfast on Sundays
My car is a {}. => What kind of car do I have? | Which vehicle do I drive? => yellow Fiat | grey Volvo | green Skoda
I broke my {} when I was nine. => What did I break when I was nine? | Which bone did I fracture as a child? => wrist | ankle | collarbone
My team lost the match against {}. => Against whom did my team lose? | Who beat our team? => Arsenal | Ajax | Benfica
I want to read {} next. | My next book is {}. => Which book do I want to read next? | What is my next book? => Middlemarch | Dracula | Emma
Our neighbours have {}. => What do our neighbours have? | Which animals live next door? => seven hens | two llamas | a parrot
My train leaves at {}. => When does my train leave? | At what time is my train? => six fifteen | eight forty | half past nine
I planted {} in the garden. => What did I plant in the garden? | Which plants did I put in our garden? => tomatoes | lavender | pumpkins
My favourite singer is {}. => Who is my favourite singer? | Whose songs do I like best? => Adele | Prince | Shakira
I am saving money for {}. => What am I saving money for? | What do I want to spend my savings on? => a canoe | a new kitchen | a trip to Japan
My son is afraid of {}. => What is my son afraid of? | What scares my boy? => thunder | spiders | the dark
I met {} at the market this morning. => Whom did I meet at the market? | Who was it that I saw at the market? => Professor Wu | my old teacher Greta | the mayor
"""  # noqa: E501 -- a table

SMALL_TALK = tuple(
    line.strip()
    for line in """
    hello | good morning | how are you? | nod twice | look left | dance a little | what time is it? | thank you
    set a timer for ten minutes | that was funny | tell me a joke | wave goodbye | what is the weather in Paris?
    be happy | look at me | good night | I think it is going to rain | this coffee is too hot | we should leave soon
    it was a long day | what can you do? | turn around | maybe I should get a haircut | do you like music?
    if I were rich I would buy a castle | I would like some tea | play a sad move
    """.replace("\n", "|").split("|")
    if line.strip()
)


def ten_days(seed: int = 11) -> tuple[list[Remark], list[MemoryQuestion]]:
    """The remarks in order, and the questions afterwards."""
    dice = random.Random(seed)  # noqa: S311 -- nothing secret
    said: list[Remark] = []
    questions: list[MemoryQuestion] = []
    for topic in _topics():
        values = list(topic.values)
        dice.shuffle(values)
        for number, person in enumerate(PEOPLE):
            value = values[number]
            before = values[number + len(PEOPLE)] if topic.changes else ""
            first, last = sorted(dice.sample(range(DAYS), 2))
            if before:
                said.append(Remark(first, person, dice.choice(topic.told).format(before)))
            said.append(Remark(last, person, dice.choice(topic.told).format(value)))
            questions.append(MemoryQuestion(person, dice.choice(topic.asked), value, before))
    for day in range(DAYS):
        for person in PEOPLE:
            talk = dice.sample(SMALL_TALK, 12)
            said += [Remark(day, person, text) for text in talk]
    dice.shuffle(said)
    said.sort(key=lambda one: one.day)
    dice.shuffle(questions)
    return said, questions[:QUESTIONS]
