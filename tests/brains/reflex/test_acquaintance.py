"""It knows who speaks: names are greeted, asked back, dropped and corrected in conversation, in four languages."""

from __future__ import annotations

import pytest

from reachy_mind.mind import Mind

CONVERSATIONS: dict[str, list[tuple[str, str]]] = {
    "an allergy is no name": [
        ("I am allergic to penicillin", "You are allergic to penicillin."),
        ("who am I?", "I don't know your name yet."),
    ],
    "a meeting is no name": [
        ("I am called to a meeting", "I'll remember that."),
        ("who am I?", "I don't know your name yet."),
    ],
    "asked back and confirmed": [
        ("I'm Quill", "Is Quill your name?"),
        ("yes", "Quill"),
        ("what's my name?", "Your name is Quill."),
    ],
    "asked back and refused": [
        ("I'm Zelda", "Is Zelda your name?"),
        ("no", "What is your name?"),
        ("Quinn", "Quinn"),
        ("what's my name?", "Your name is Quinn."),
    ],
    "denied": [
        ("my name is Mia", "Mia"),
        ("my name isn't Mia", "What is your name?"),
        ("who am I?", "I don't know"),
    ],
    "corrected": [
        ("I'm Sam", "Sam"),
        ("my name is not Sam, it's Pam", "Pam"),
        ("what's my name?", "Your name is Pam."),
    ],
    "a brother's": [
        ("hello, I'm Otto", "Otto"),
        ("no, that's my brother's name", "Your brother is called Otto."),
        ("what is my brother called?", "Your brother is called Otto."),
        ("who am I?", "I don't know your name yet."),
    ],
    "German": [
        ("ich bin Karl", "Karl"),
        ("nein, so heiße ich nicht", "Wie heißt du?"),
        ("Moritz", "Moritz"),
        ("wie heiße ich?", "Moritz"),
    ],
    "French": [
        ("je suis Claire", "Claire"),
        ("non, c'est le nom de ma sœur", "Ta sœur s'appelle Claire."),
    ],
    "Spanish": [("soy Lucía", "Lucía"), ("¿cómo me llamo?", "Lucía")],
    "a daughter's age is hers": [
        ("My daughter Mia is 6 and loves dinosaurs", "Your daughter Mia is 6 and loves dinosaurs."),
        ("how old am I?", "t"),
        ("how old is Mia?", "Your daughter Mia is 6."),
    ],
    "a colour from memory": [("Remember that my car is red. What colour is my car?", "Your car is red.")],
    "a place from memory": [("my keys are on the fridge. where are my keys?", "Your keys are on the fridge.")],
    "a train is no name": [("I go by train", ""), ("who am I?", "I don't know your name yet.")],
    "a cup has a name on it": [("This is Anna's cup", ""), ("who am I?", "I don't know your name yet.")],
    "a verb may be a name": [("It's Will", "Is Will your name?"), ("yes", "Will")],
    "approval in the words of a name": [("Ich heiße das gut", ""), ("wer bin ich?", "nicht")],
    "a call tomorrow": [("Llámame mañana", ""), ("¿quién soy?", "no")],
    "no feeling": [("ich bin Münchner", "")],
}
LOOKS = {"analyze_scene", "detect_objects", "look_at_object", "express_emotion"}


@pytest.mark.parametrize("turns", CONVERSATIONS.values(), ids=CONVERSATIONS.keys())
async def test_who_speaks(turns: list[tuple[str, str]]) -> None:
    conversation = None
    async with Mind(robot="none").session() as mind:
        for said, expected in turns:
            response = await mind.ask(said, conversation=conversation)
            conversation = response.conversation
            assert expected in response.text, said
            assert not LOOKS & {call.name for call in response.tool_calls}, said
            assert all(call.outcome.status == "ok" for call in response.tool_calls), said
