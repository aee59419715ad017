"""More sentences out of written ones, with their markup still true."""

from __future__ import annotations

import random
from pathlib import Path

from reachy_mind.brains.reflex.markup import Sentence, parse
from reachy_mind.learning import augmentation
from reachy_mind.learning.augmentation import Augmenter, joined, kept, padded, read_values, with_value

LOOK = parse("please <move_head direction=left>look left</> now")
TIMER = parse('<set_timer duration="ten minutes" label="tea">ten minutes for tea</>')
SENTENCES = [
    LOOK, TIMER, parse('<get_weather place="Oslo">weather in Oslo</>'), parse("<nod>nod</>"),
    parse('<look_at_world x="1" y="2" z="3">look at 1 2 3</>'), parse("after nod | <@again>again</>"),
]  # fmt: skip


def said(sentence: Sentence, place: int) -> str:
    segment = sentence.segments[place]
    return " ".join(sentence.words[segment.first : segment.last])


def test_joined_and_padded_sentences_keep_their_steps() -> None:
    both = padded(joined(LOOK, ["and", "then"], TIMER), ["hey", ","], front=True)
    assert [said(both, place) for place in (0, 1)] == ["look left", "ten minutes for tea"]
    first, last = both.segments[1].spans["duration"]
    assert both.words[first:last] == ("ten", "minutes")


def test_another_value_moves_what_is_behind_it() -> None:
    changed = with_value(TIMER, 0, "duration", ["an", "hour", "and", "a", "half"])
    first, last = changed.segments[0].spans["label"]
    assert said(changed, 0) == "an hour and a half for tea" and changed.words[first:last] == ("tea",)


def test_words_left_out_take_their_marks_along() -> None:
    short = kept(TIMER, [word != "minutes" for word in TIMER.words])
    assert short.words == ("ten", "for", "tea")
    assert short.segments[0].spans == {"duration": (0, 1), "label": (2, 3)}


def test_whatever_it_makes_can_be_learned_from() -> None:
    values = {("en", "place"): [("New", "York")], ("en", "label"): [("soft", "eggs")]}
    augment, choose = Augmenter(SENTENCES, values, seed=3), random.Random(3)
    made = [augment(choose.choice(SENTENCES)) for _ in range(2000)]
    for sentence in made:
        for segment in sentence.segments:
            assert 0 <= segment.first < segment.last <= len(sentence.words)
            assert all(segment.first <= a < b <= segment.last for a, b in segment.spans.values())
    assert len({sentence.words for sentence in made}) > 500
    assert any(segment.order == 2 for sentence in made for segment in sentence.segments)


def test_the_shipped_values_are_read() -> None:
    values = read_values(Path(augmentation.__file__).with_name("values.txt"))
    assert len(values["en", "place"]) > 100 and len(values["de", "task"]) > 50
