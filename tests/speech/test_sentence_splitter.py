"""Cutting a growing text into sentences."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reachy_mind.speech.sentence_splitter import LONGEST, Sentences, sentences, shortened

PLAIN = st.text(st.sampled_from("ab Z1.,!?…\n\"'`-*()3:。？é😀\t"), max_size=400) | st.text(max_size=300)


def streamed(text: str, sizes: list[int]) -> list[str]:
    stream, made = Sentences(), []
    while text:
        size = sizes.pop() if sizes else 3
        made += stream.feed(text[:size])
        text = text[size:]
    return made + stream.end()


@example("say `this` or ``that`` now", [1] * 40)
@given(PLAIN, st.lists(st.integers(1, 40), max_size=60))
def test_nothing_is_lost_nothing_is_doubled_and_the_order_is_kept(text, sizes):
    for made in (sentences(text), streamed(text, sizes)):
        assert "".join("".join(made).split()) == "".join(text.split())
        assert all(piece and piece == piece.strip() for piece in made)
        assert all(len(piece) <= LONGEST for piece in made if not piece.startswith("```"))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Dr. Smith paid $3.50 at 12:30 p.m. yesterday.|Then he left."),
        ("en", "It is 3.5 degrees.|Really?|Yes!"),
        ("en", "Wait... what?|I mean it…|Good."),
        ("en", '"Are you sure?" she asked.|He said "go."|Then he went.'),
        ("en", "See www.example.com for more.|The U.S. is big."),
        ("en", "You need:|1. Two eggs.|2. Some flour.|- A pan.|- Butter|That is all."),
        ("en", "This line is\nonly wrapped.|# A heading|A paragraph.|Another one."),
        ("en", "Look:|```\na = 1. b = 2.\n\nc = 3.\n```|That was code."),
        ("de", "Herr Dr. Müller kommt z.B. am 3. Oktober.|Das sind ca. 5 km.|Ja!"),
        ("fr", "C'est vrai ?|Oui !|Il est 12h30."),
        ("es", "¿Qué hora es?|Son las 3.5 horas.|¡Vale!"),
        ("ja", "こんにちは。|元気ですか？|はい！"),
    ],
)
def test_sentences_end_where_people_end_them(language, text):
    expected = text.split("|")
    written = text.replace("|", "\n" if "```" in text or "1. " in text or "#" in text else " ")
    if language == "ja":
        written = text.replace("|", "")
    if "Another one" in text:
        written = written.replace("\nA paragraph.\n", "\nA paragraph.\n\n")
    assert sentences(written, language) == expected


def test_a_sentence_is_given_as_soon_as_the_next_one_begins():
    stream = Sentences()
    assert stream.feed("Hello the") == []
    assert stream.feed("re. ") == []  # it might have been an abbreviation
    assert stream.feed("How") == ["Hello there."]
    assert stream.feed(" are you? I") == ["How are you?"]
    assert stream.feed(" paid 3.") == []
    assert stream.feed("50 for it.") == []
    assert stream.end() == ["I paid 3.50 for it."]
    assert stream.end() == []
    assert stream.feed("Again. And") == ["Again."]


def test_a_block_of_code_stays_in_one_piece_however_it_comes():
    text = "Before it. ```py\nx = 1. y = 2!\n``` After it."
    assert streamed(text, []) == ["Before it.", "```py\nx = 1. y = 2!\n```", "After it."]


def test_endless_text_is_cut_at_commas_spaces_or_anywhere():
    assert all(len(piece) <= LONGEST for piece in sentences("x" * 100_000))
    clauses = sentences("x yy zzz and more, " * 1000)
    assert all(len(piece) <= LONGEST for piece in clauses)
    assert all(piece.endswith("more,") for piece in clauses)
    assert shortened("word " * 100, 23)[0] == "word word word word"
