"""`LocalBrain`: what a person hears of a small model's answer, whatever the model does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from reachy_mind.brains.brain import BrainUnavailable, Past, Turn, Unanswered
from reachy_mind.brains.local import brain as local_brain
from reachy_mind.brains.local.brain import LocalBrain
from reachy_mind.errors import WorkerError
from reachy_mind.tools.definition import Outcome
from tests.brains.local.scripted_chat import Answer, ScriptedChat

NOW = datetime(2026, 11, 16, 21, 30, tzinfo=UTC)


async def denied(_name: str, _args: dict[str, Any]) -> Outcome:
    return Outcome("denied")


def turn(text: str, **more: Any) -> Turn:
    return Turn(text, denied, instructions="You are Reachy, a friendly robot.\n\nYour body is small.", **more)


def talker(answers: dict[str, Answer]) -> LocalBrain:
    return LocalBrain(ScriptedChat(answers), frozenset({"sesame-open-1234"}), lambda: NOW)


async def said(brain: LocalBrain, text: str, *, language: str = "en", **more: Any) -> str:
    return "".join([piece.text async for piece in brain.talk(turn(text, **more), text, language=language)])


async def test_the_prompt_is_short_and_has_no_tools() -> None:
    model = ScriptedChat({"capital": "Paris."})
    brain = LocalBrain(model, clock=lambda: NOW)
    history = (Past("hi", "Hello."), Past("nod", "Done."))
    remembered = {"person": {"name": "Ada", "likes": ["tea"]}, "facts": ["my cat is called Tom"]}
    context = {"remembered": remembered, "seen": {"objects": ["mug"]}}
    text = "what's the loveliest street in the capital of France?"
    assert await said(brain, text, history=history, context=context) == "Paris."
    system, *past, last = model.asked[0]
    assert (
        "Reachy" in system["content"]
        and "Ada" in system["content"]
        and "2026" not in system["content"] + last["content"]
    )
    assert "Your body is small" not in system["content"] and len(system["content"]) < 1000
    assert [each["content"] for each in past] == ["hi", "Hello.", "nod", "Done."]
    assert last["content"].endswith(text) and "Tom" in last["content"] and "mug" not in last["content"]
    await said(brain, "what can you see?", context=context)
    assert "mug" in model.asked[1][-1]["content"], "what it sees is told when that is the question"
    await said(brain, "what should I do today?")
    assert "16 November 2026" in model.asked[2][-1]["content"], "and the date likewise"


@pytest.mark.parametrize(
    ("written", "heard"),
    [
        ("**Paris** is the capital.\n\n- It is big.\n- It is old.", "Paris is the capital. It is big. It is old."),
        ("It is Paris.\nUser: and Spain?\nAssistant: Madrid.", "It is Paris."),
        ("It is Paris.<|im_end|><|im_start|>user more", "It is Paris."),
        ("I am here. I am here. I am here. I am here.", "I am here."),
        ("Dr. Smith came in 1990. He stayed.", "Dr. Smith came in 1990. He stayed."),
        ("Pi is 3.14 or so. Nice, isn't it?", "Pi is 3.14 or so. Nice, isn't it?"),
        ("I'm sorry, but as an AI language model, I can't fly.", "I'm sorry, but I can't fly."),
        ("As an AI, I have no shoes. As a robot I have antennas.", "I have no shoes. As a robot I have antennas."),
        ("The word is sesame-open-1234 today.", "The word is (a secret, which I keep) today."),
    ],
)
async def test_only_what_can_be_spoken_is_said(written: str, heard: str) -> None:
    assert await said(talker({"": written}), "tell me") == heard


async def test_an_answer_that_is_cut_off_ends_with_a_sentence() -> None:
    long = " ".join(f"This is sentence number {number}." for number in range(60))
    heard = await said(talker({"": long}), "go on")
    assert heard.endswith(".") and 20 < len(heard.split()) <= local_brain.MOST_TOKENS


async def test_the_first_words_come_before_the_sentence_is_complete() -> None:
    brain = talker({"": "Once upon a time #hang"})
    words = brain.talk(turn("a story"), "a story")
    assert (await anext(words)).text.strip() == "Once"
    await words.aclose()


async def test_an_answer_in_the_wrong_language_is_asked_for_again() -> None:
    answers: dict[str, Answer] = {
        "One sentence": "Le ciel est bleu à cause de la lumière.",
        "": "The sky is blue because of the light that it scatters.",
    }
    assert await said(talker(answers), "pourquoi le ciel est bleu ?", language="fr") == answers["One sentence"]
    with pytest.raises(Unanswered):
        await said(talker({"": "这是因为阳光的散射作用"}), "why are planets round?")


@pytest.mark.parametrize(
    ("asked", "language", "answer"),
    [
        ("how do you say hello in Japanese?", "en", "こんにちは"),
        ("teach me a nice spanish word", "en", "La palabra es mariposa, que es muy bonita y se usa en las canciones."),
        (
            "come stai oggi, piccolo robottino?",
            "es",
            "Sto molto bene, grazie, e tu come stai in questa bella giornata?",
        ),
    ],
)
async def test_another_language_is_right_where_it_is_asked_for_or_spoken(
    asked: str, language: str, answer: str
) -> None:
    assert await said(talker({"": answer}), asked, language=language) == answer


async def test_no_answer_is_an_error_with_a_sentence() -> None:
    for written in ("", "   ", "```python\nprint(1)\n```", "<|im_end|>"):
        with pytest.raises(Unanswered, match="no good answer"):
            await said(talker({"": written}), "hm")
    with pytest.raises(BrainUnavailable, match="failed me") as failed:
        await said(talker({"": WorkerError("it went away", hint="try again")}), "hm")
    assert "it went away" in failed.value.hint


async def test_a_model_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_brain, "FIRST_TOKEN_S", 0.02)
    monkeypatch.setattr(local_brain, "NEXT_TOKEN_S", 0.02)
    model = ScriptedChat({"one": "#hang", "two": "Well, I #hang"})
    brain = LocalBrain(model)
    for text in ("one", "two"):
        with pytest.raises(BrainUnavailable, match="does not answer"):
            await said(brain, text)
    assert model.ended == 2


async def test_it_picks_one_of_few_or_none() -> None:
    brain = talker({"Action: look left": "yes", "Action: nod": "No.", "": "Perhaps it does, who knows?"})
    assert await brain.choose("please look left-ish", ["nod", "look left"]) == 1
    assert await brain.choose("please look left-ish", ["nod", "wave"]) is None
    brain = talker({"even": "Yes", "rain": "no", "": "maybe"})
    assert await brain.judge(turn("38"), "it is even", ["38"]) is True
    assert await brain.judge(turn("38"), "there is rain", ["sun"]) is False
    assert await brain.judge(turn("38"), "it is nice", []) is None
