"""What people tell about others: single facts with their subject, pronouns resolved, corrections applied."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.memory.discourse import told
from reachy_mind.memory.fact_extraction import facts
from reachy_mind.memory.mentions import Exchange

TOLD = {
    "my aunt Rosa is ninety and grows roses": ["my aunt Rosa is ninety", "my aunt Rosa grows roses"],
    "My daughter Mia is 6 and loves dinosaurs": ["my daughter Mia is 6", "my daughter Mia loves dinosaurs"],
    "my aunt rosa is ninety": ["my aunt Rosa is ninety"],
    "our dog is called Biscuit": ["our dog is called Biscuit"],
    "Tom is allergic to nuts": ["Tom is allergic to nuts"],
    "Tom, my brother, is a vet": ["my brother Tom is a vet"],
    "my brother Tom, who lives in York, is 40": ["my brother Tom lives in York", "my brother Tom is 40"],
    "I have a brother called Ben who is forty and lives in Oslo": [
        "I have a brother called Ben",
        "my brother Ben is forty",
        "my brother Ben lives in Oslo",
    ],
    "this is my wife Anna": ["my wife is called Anna"],
    "the name of our dog is Rex": ["our dog is called Rex"],
    "my sister's husband Paul is a pilot": ["my sister's husband Paul is a pilot"],
    "my grandma is called Luise and she comes from Peru": [
        "my grandma is called Luise",
        "my grandma Luise comes from Peru",
    ],
    "My aunt Rosa is ninety. She lives in Leeds.": ["my aunt Rosa is ninety", "my aunt Rosa lives in Leeds"],
    "Thanks! My kids love pizza and hate peas": ["my kids love pizza", "my kids hate peas"],
    "my wife Anna doesn't eat meat": ["my wife Anna doesn't eat meat"],
    "my keys are on the shelf": ["my keys are on the shelf"],
    "Mia's favourite food is pasta": ["Mia's favourite food is pasta"],
    "I work nights at the hospital": ["I work nights at the hospital"],
    "ma tante Odile a 80 ans et cultive des roses": ["ma tante Odile a 80 ans", "ma tante Odile cultive des roses"],
    "mon frère s'appelle Luc, il habite à Nantes": ["mon frère s'appelle Luc", "mon frère Luc habite à Nantes"],
    "mi tío Pedro tiene 50 años y vive en Lima": ["mi tío Pedro tiene 50 años", "mi tío Pedro vive en Lima"],
    "a mi hija Mia le gustan los dinosaurios": ["a mi hija Mia le gustan los dinosaurios"],
    "meine Tochter Mia ist 6 und liebt Dinosaurier": ["meine Tochter Mia ist 6", "meine Tochter Mia liebt Dinosaurier"],
    "unser Hund heißt Rex": ["unser Hund heißt Rex"],
}
NOT_TOLD = """
dance is fun
Everybody loves pizza
Dinner is ready
my son is here
Reachy likes dancing
it is cold in here
she said hello
she is ninety
maybe my aunt is ninety
how old is my aunt?
nod twice
my back hurts when I sit
""".strip().splitlines()


@pytest.mark.parametrize("said", TOLD)
def test_each_fact_is_a_sentence_that_names_its_subject(said: str) -> None:
    assert [fact.content for fact in facts(said)] == TOLD[said]


@pytest.mark.parametrize("said", NOT_TOLD)
def test_what_tells_nothing_lasting_is_no_fact(said: str) -> None:
    assert told(said).facts == ()


@pytest.mark.parametrize("said", ["My daughter Mia is 6 and loves dinosaurs", "my aunt is ninety", "Tom hates tea"])
def test_what_is_told_about_others_never_enters_the_profile_of_the_speaker(said: str) -> None:
    assert [fact.profile for fact in facts(said)] == [None] * len(facts(said)) != []


def contents(*turns: str | tuple[str, str], known: tuple[str, ...] = ()) -> list[str]:
    """What the last of these turns tells; a turn is what was said, or that and the reply."""
    *before, (last, _) = [(turn, "") if isinstance(turn, str) else turn for turn in turns]
    return [fact.content for fact in told(last, [Exchange(*each) for each in before], known).facts]


def replaced(*turns: str | tuple[str, str], known: tuple[str, ...] = ()) -> set[str]:
    *before, (last, _) = [(turn, "") if isinstance(turn, str) else turn for turn in turns]
    made = told(last, [Exchange(*each) for each in before], known)
    assert made.corrects and made.facts
    return {content for fact in made.facts for content in fact.replaces}


def test_a_pronoun_is_the_last_one_that_fits() -> None:
    two = ("my sister Ana is 30 and my sister Eva is 12", "my brother Ben is a vet")
    assert contents(*two, "she plays the harp") == ["my sister Eva plays the harp"]
    assert contents(*two, "how old is Ana?", "she plays the harp") == ["my sister Ana plays the harp"]
    assert contents(*two, "he lives in Oslo") == ["my brother Ben lives in Oslo"]
    assert contents("my friend Max is tall", "my aunt grows roses", "he likes tea") == ["my friend Max likes tea"]
    assert contents("our cat is called Tiger", "it hates baths") == ["our cat Tiger hates baths"]
    assert contents("how is the weather?", "she is ninety") == []


def test_who_is_only_remembered_is_no_pronoun_but_is_known_by_name() -> None:
    assert contents("she is ninety", known=("my aunt Rosa grows roses",)) == []
    assert contents("Rosa is ninety", known=("my aunt Rosa grows roses",)) == ["my aunt Rosa is ninety"]


@pytest.mark.parametrize(
    ("turns", "now", "before"),
    [
        (
            ("my daughter Mia is six", "she is seven now, not six"),
            ["my daughter Mia is seven"],
            {"my daughter Mia is six"},
        ),
        (
            ("my sister is called Agnes and she sings well", "I said Ines, not Agnes"),
            ["my sister is called Ines", "my sister Ines sings well"],
            {"my sister is called Agnes", "my sister Agnes sings well"},
        ),
        (("I live in Cork", "I said York, not Cork"), ["I live in York"], {"I live in Cork"}),
        (
            (("my cousin is called Jim", "Your cousin is called Jim."), "no, that is my brother's name"),
            ["my brother is called Jim"],
            {"my cousin is called Jim"},
        ),
        (
            ("my aunt Rosa is ninety", "no, her name is Rose"),
            ["my aunt is called Rose", "my aunt Rose is ninety"],
            {"my aunt Rosa is ninety"},
        ),
        (
            ("my aunt Rosa grows roses", "no, she grows tulips, not roses"),
            ["my aunt Rosa grows tulips"],
            {"my aunt Rosa grows roses"},
        ),
        (
            (("what does Tom play?", "Tom plays chess."), "no, he plays the harp"),
            ["Tom plays the harp"],
            set(),
        ),
        (
            ("mon frère Luc habite à Nantes", "non, il habite à Brest"),
            ["mon frère Luc habite à Brest"],
            {"mon frère Luc habite à Nantes"},
        ),
    ],
)
def test_corrections_replace_what_was_believed(turns: tuple[str, ...], now: list[str], before: set[str]) -> None:
    assert contents(*turns) == now
    assert replaced(*turns) == before


def test_a_correction_reaches_what_was_told_another_day() -> None:
    known = ("my daughter Mia is six", "my aunt Rosa is ninety")
    assert replaced(("how old is Mia?", "Your daughter Mia is six."), "no, she is seven", known=known) == {known[0]}


@settings(max_examples=150, deadline=None)
@given(said=st.text(max_size=200), earlier=st.text(max_size=200))
def test_any_text_can_be_read(said: str, earlier: str) -> None:
    for fact in told(said, [Exchange(earlier, said)], [earlier]).facts:
        assert fact.content


@pytest.mark.parametrize("said", ["It's fine, don't worry.", "It is too loud.", "What time is it?"])
def test_what_the_robot_calls_its_own_is_nothing_of_the_persons(said: str) -> None:
    before = [Exchange("speak more quietly", "My loudspeaker is at 30 percent.")]
    assert not any("loudspeaker" in fact.content for fact in told(said, before).facts)
