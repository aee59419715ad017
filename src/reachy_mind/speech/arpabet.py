"""ARPAbet, the phonemes of CMU's dictionary, as the phonemes of the Kokoro voices, American or British."""

from __future__ import annotations

from collections.abc import Sequence

VOWELS = ("AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW")
CONSONANTS = (
    *("B", "CH", "D", "DH", "F", "G", "HH", "JH", "K", "L", "M", "N", "NG", "P", "R", "S", "SH", "T", "TH"),
    *("V", "W", "Y", "Z", "ZH"),
)
_STRESS = {"0": "", "1": "ˈ", "2": "ˌ"}
_AMERICAN = dict(
    zip(
        (*VOWELS, *CONSONANTS),
        (*"ɑ æ ʌ ɔ W I ɛ ɜɹ A ɪ i O Y ʊ u".split(), *"b ʧ d ð f ɡ h ʤ k l m n ŋ p ɹ s ʃ t θ v w j z ʒ".split()),
        strict=True,
    )
)
_BRITISH = _AMERICAN | {"AA": "ɒ", "AE": "a", "AO": "ɔː", "ER": "ɜː", "IY": "iː", "OW": "Q", "UW": "uː"}
_BEFORE_R = {"AA": "ɑː", "AO": "ɔː", "EH": "ɛː", "IH": "ɪə", "UH": "ʊə"}
"""British vowels that a following R lengthens; the R itself is silent unless a vowel follows."""


def phonemes(sounds: Sequence[str], *, british: bool) -> str:
    """Of sounds such as `["HH", "AH0", "L", "OW1"]`. Raises KeyError for what is no ARPAbet."""
    made = ""
    for place, sound in enumerate(sounds):
        name, stress = (sound[:-1], sound[-1]) if sound[-1].isdigit() else (sound, "")
        follower = sounds[place + 1] if place + 1 < len(sounds) else ""
        if british:
            made += _STRESS.get(stress, "") + _british(name, stress, follower, sounds[place + 2 : place + 3])
        else:
            before = sounds[place - 1][:2] if place else ""
            made += _STRESS.get(stress, "") + _american(name, stress, before, follower)
    return made


def _american(name: str, stress: str, before: str, follower: str) -> str:
    if stress == "0" and name in ("AH", "ER"):
        return "ə" if name == "AH" else "əɹ"
    if name == "T" and before in (*VOWELS, "R") and follower.endswith("0"):
        return "ɾ"
    return _AMERICAN[name]


def _british(name: str, stress: str, follower: str, after: Sequence[str]) -> str:
    voiced = follower[:2] in VOWELS
    if name == "R":
        return "ɹ" if voiced else ""
    if name == "ER":
        return ("ə" if stress == "0" else "ɜː") + ("ɹ" if voiced else "")
    if stress == "0" and name in ("AH", "IY"):
        return "ə" if name == "AH" else "i"
    if follower == "R" and name in _BEFORE_R and not (after and after[0][:2] in VOWELS and name in ("AA", "AO")):
        return _BEFORE_R[name]
    return _BRITISH[name]
