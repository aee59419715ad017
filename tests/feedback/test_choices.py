"""What a person means by a request: taught once, for them alone, and for nothing that merely sounds like it."""

from __future__ import annotations

import pytest

from reachy_mind.feedback.choices import ChoiceExample, ChoicePolicy, ChosenCall, can_be_taught

DANCE, WAVE, NOD = ((ChosenCall(tool),) for tool in ("dance", "wave", "nod"))


def taught(request: str = "do the thing", calls: tuple[ChosenCall, ...] = DANCE, **about: object) -> ChoiceExample:
    fields: dict[str, object] = {"person": "ada", "lesson": 1} | about
    return ChoiceExample(request=request, calls=calls, **fields)  # type: ignore[arg-type]


def chosen(policy: ChoicePolicy, request: str = "do the thing", person: str = "ada") -> tuple[ChosenCall, ...]:
    choice = policy.choose(person, request)
    return choice.calls if choice is not None else ()


@pytest.mark.parametrize(
    "said",
    [
        "Do the thing, please!",
        "hey Reachy, could you do that thing again?",
        "um, just do the thing now",
        "the thing, do it",
        "do teh tihng",
        "I want you to do the thing",
    ],
)
def test_a_request_that_was_taught_once_is_known_in_other_words_for_it(said: str) -> None:
    assert chosen(ChoicePolicy([taught()]), said) == DANCE


@pytest.mark.parametrize(
    "said",
    [
        "do the dishes thing tomorrow",
        "don't do the thing",
        "did you do the thing?",
        "do the other thing",
        "do the think",
        "what is the thing?",
        "thing",
        "",
        "wave at grandma",
    ],
)
def test_a_sentence_that_shares_words_with_it_is_left_to_the_brain(said: str) -> None:
    assert chosen(ChoicePolicy([taught()]), said) == ()


def test_the_order_of_two_things_to_do_counts() -> None:
    policy = ChoicePolicy([taught("blink and then grin")])
    assert chosen(policy, "please blink and then grin") == DANCE
    assert chosen(policy, "grin and then blink") == ()


@pytest.mark.parametrize(
    ("request_taught", "said"),
    [
        ("mach das Ding", "kannst du mal das Ding machen?"),
        ("fais le truc", "tu peux faire le truc s'il te plaît"),
        ("haz la gracia", "¿puedes hacer la gracia, por favor?"),
        ("Стань тигром", "стань тигром!"),
    ],
)
def test_it_is_learned_in_any_language(request_taught: str, said: str) -> None:
    assert chosen(ChoicePolicy([taught(request_taught)]), said) == DANCE


def test_another_person_is_not_affected_and_one_who_is_not_named_is_a_person_too() -> None:
    policy = ChoicePolicy([taught(), taught(calls=NOD, person="", lesson=2)])
    assert (chosen(policy, person="bob"), chosen(policy, person=""), chosen(policy)) == ((), NOD, DANCE)


def test_the_last_correction_wins_even_over_one_that_was_praised() -> None:
    policy = ChoicePolicy([taught(), *(taught(weight=1.0, source="rating", lesson=2) for _ in range(9))])
    sure = policy.choose("ada", "do the thing")
    policy.add(taught(calls=NOD, lesson=3))
    now = policy.choose("ada", "do the thing")
    assert sure is not None and now is not None
    assert (now.calls, now.lesson, now.request) == (NOD, 3, "do the thing") and now.confidence < sure.confidence


def test_a_choice_that_is_rated_badly_is_not_made_again_until_it_is_wanted_again() -> None:
    policy = ChoicePolicy([taught(), taught(weight=-0.2, source="rating", lesson=2)])
    assert chosen(policy) == DANCE, "one mild word is no refusal"
    policy.add(taught(weight=-0.5, source="rating", lesson=3))
    assert chosen(policy) == ()
    policy.add(taught(lesson=4))
    assert chosen(policy) == DANCE


def test_praise_alone_teaches_no_choice() -> None:
    policy = ChoicePolicy([taught("make some noise", WAVE, weight=1.0, source="rating") for _ in range(5)])
    assert chosen(policy, "make some noise") == ()


def test_what_was_not_meant_is_not_chosen() -> None:
    policy = ChoicePolicy([taught(calls=WAVE, weight=-1.0), taught()])
    assert chosen(policy) == DANCE
    policy.add(taught(weight=-1.0, lesson=2))
    assert chosen(policy) == ()


def test_undo_and_forgetting_bring_back_what_was_before() -> None:
    policy = ChoicePolicy([taught(), taught(calls=NOD, lesson=2), taught(calls=WAVE, person="bob", lesson=3)])
    policy.remove(2)
    assert chosen(policy) == DANCE
    policy.forget("ada")
    assert chosen(policy) == () and chosen(policy, person="bob") == WAVE


def test_a_brain_can_be_preferred_in_place_of_calls() -> None:
    choice = ChoicePolicy([taught("tell me a tale", (), handoff="claude")]).choose("ada", "please tell me a tale")
    assert choice is not None and (choice.calls, choice.handoff) == ((), "claude")


@pytest.mark.parametrize("said", ["again", "do it", "the other one", "a bit louder", "nochmal", "encore plus", "", "!"])
def test_words_that_depend_on_what_was_done_before_are_never_taught(said: str) -> None:
    assert not can_be_taught(said)
    assert chosen(ChoicePolicy([taught(said)]), said) == ()


def test_a_person_who_teaches_without_end_takes_no_more_memory_and_the_newest_counts() -> None:
    calls = [(ChosenCall("dance", {"name": str(number)}),) for number in range(2000)]
    policy = ChoicePolicy([taught(calls=each, lesson=number) for number, each in enumerate(calls)])
    assert chosen(policy) == calls[-1]
