"""A linear classifier that recognises a stop in words nobody listed, in English, French, Spanish and German.

A text is its words without accents, capitals and punctuation, as speech to text gives them. Its features are runs of
one to three words, pairs of words with one between them, and runs of three to five letters of each word. Each feature
selects one of the weights by its hash; their sum, divided by the square root of the number of words, is compared with
a threshold. No feature is stored, so the file has one byte for each weight. `reachy_mind.learning.stop` trains it.
"""

from __future__ import annotations

import re
import struct
import unicodedata
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from zlib import crc32

from reachy_mind.brains.stop_lexicon import word_class
from reachy_mind.errors import MindError

WEIGHTS = Path(__file__).with_name("stop_weights.bin")
BITS = 18
"""There are two to the power of this many weights."""
MAGIC = b"RMSTOP1\n"
_HEADER = struct.Struct("<8sIff")
MOST_KNOWN = 20_000
"""Words whose letters are kept in memory as one number."""
_LETTERS = (3, 4, 5)
_WORD = re.compile(r"[a-z]+|[0-9]+")
_REPEATED = re.compile(r"(.)\1{2,}")
_MASK = (1 << BITS) - 1
_ELIDED = re.compile(r"\b(qu|[cdjlmnsty])'")
_SPELLED = re.compile(r"\b(?:[a-z] ){2,}[a-z]\b")


class DamagedWeights(MindError):
    """The file of weights can't be used."""

    code = "INVALID_PARAMETER"


def words_of(text: str) -> list[str]:
    """Lower-case words without accents. An apostrophe separates a French article or pronoun ("l'arrêt") and nothing
    else; three equal letters are one; numbers are 0."""
    bare = text.casefold()
    if not bare.isascii():
        bare = bare.replace("\u2019", "'")
        bare = "".join(c for c in unicodedata.normalize("NFKD", bare) if not unicodedata.combining(c))
        bare = bare.replace("\u0153", "oe")
    if "'" in bare:
        bare = _ELIDED.sub(r"\1 ", bare).replace("'", "")
    bare = _REPEATED.sub(r"\1", bare)
    words = _WORD.findall(bare)
    if len(words) > 2:
        spelled = _SPELLED.sub(lambda found: found[0].replace(" ", ""), " ".join(words))
        words = spelled.split()
    return ["0" if word[0].isdigit() else word for word in words]


def letter_features(word: str) -> list[int]:
    """The numbers of a word's runs of letters."""
    edged = f"<{word}>".encode()
    return [
        crc32(edged[at : at + length], length) & _MASK
        for length in _LETTERS
        for at in range(len(edged) - length + 1)
        if len(edged) > length or length == _LETTERS[0]
    ]


def word_features(words: list[str]) -> list[int]:
    """The numbers of a text's words and runs of words; the beginning and the end of the text count as words."""
    found = []
    before, last = "", "^"
    for word in (*words, "$"):
        pair = f"{last} {word}"
        found.append(crc32(word.encode()) & _MASK)
        found.append(crc32(pair.encode()) & _MASK)
        if before:
            found.append(crc32(f"{before} {pair}".encode()) & _MASK)
            found.append(crc32(f"{before} _ {word}".encode()) & _MASK)
        before, last = last, word
    return found


def class_features(words: list[str], classes: list[str]) -> list[int]:
    """The numbers of the classes of a text's words: runs of them, pairs at any distance, all of them in order."""
    found = []
    first, before, last, last_word = "", "", "^", "^"
    for name, word in zip((*classes, "$"), (*words, "$"), strict=True):
        pair = f"{last}+{name}"
        found.append(crc32(pair.encode(), 1) & _MASK)
        found.append(crc32(f"{last}+{word}".encode(), 4) & _MASK)
        found.append(crc32(f"{last_word}+{name}".encode(), 5) & _MASK)
        if before:
            found.append(crc32(f"{before}+{pair}".encode(), 1) & _MASK)
            found.append(crc32(f"{before}+{name}".encode(), 6) & _MASK)
        if first:
            found.append(crc32(f"{first}+{before}+{pair}".encode(), 7) & _MASK)
        first, before, last, last_word = before, last, name, word
    present = sorted({name for name in classes if name != "x"})
    for at, name in enumerate(present):
        found.append(crc32(name.encode(), 2) & _MASK)
        for other in present[at + 1 :]:
            found.append(crc32(f"{name}&{other}".encode(), 2) & _MASK)
    found.append(crc32("+".join(name for name in classes if name != "x").encode(), 3) & _MASK)
    found.append(crc32(b"%d unknown" % min(4, classes.count("x")), 3) & _MASK)
    return found


def features(words: list[str]) -> list[int]:
    """All features of a text."""
    found = word_features(words) + class_features(words, [word_class(word) for word in words])
    for word in words:
        found += letter_features(word)
    return found


@dataclass(frozen=True)
class StopClassifier:
    """Weights as signed bytes in units of `scale`; a text scores above 0 when it is a stop."""

    table: memoryview
    scale: float
    bias: float
    _known: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def load(cls, file: Path = WEIGHTS) -> StopClassifier:
        """Raises DamagedWeights, and OSError when there is no such file."""
        data = file.read_bytes()
        if len(data) != _HEADER.size + (1 << BITS):
            raise DamagedWeights(f"{file} has {len(data)} bytes", hint="train them anew: reachy-mind learn stop")
        magic, bits, scale, bias = _HEADER.unpack_from(data)
        if magic != MAGIC or bits != BITS:
            raise DamagedWeights(f"{file} has no weights of a stop", hint="train them anew: reachy-mind learn stop")
        return cls(memoryview(data)[_HEADER.size :].cast("b"), scale, bias)

    def score(self, text: str) -> float:
        """How far above the threshold a text is; below 0 it is no stop."""
        words = words_of(text)
        if not words:
            return -1.0
        table, known = self.table, self._known
        total = 0
        for word in words:
            letters = known.get(word)
            if letters is None:
                letters = sum([table[at] for at in letter_features(word)])
                if len(known) < MOST_KNOWN:
                    known[word] = letters
            total += letters
        for at in word_features(words):
            total += table[at]
        for at in class_features(words, [word_class(word) for word in words]):
            total += table[at]
        return total * self.scale / sqrt(len(words)) + self.bias


def packed(table: bytes, scale: float, bias: float) -> bytes:
    """The content of a file of weights."""
    return _HEADER.pack(MAGIC, BITS, scale, bias) + table
