"""Object names in English: singular and plural, synonyms, categories, articles."""

from __future__ import annotations

import re

CANONICAL = {
    "aeroplane": "airplane", "plane": "airplane", "motorbike": "motorcycle", "bike": "bicycle", "sofa": "sofa",
    "couch": "sofa", "pottedplant": "plant", "potted plant": "plant", "houseplant": "plant", "flower": "plant",
    "diningtable": "table", "dining table": "table", "desk": "table", "tvmonitor": "television", "tv": "television",
    "monitor": "television", "screen": "television", "telly": "television", "cell phone": "phone", "cellphone": "phone",
    "mobile": "phone", "mobile phone": "phone", "telephone": "phone", "smartphone": "phone", "sports ball": "ball",
    "hair drier": "hair dryer", "hairdryer": "hair dryer", "donut": "doughnut", "mug": "cup", "coffee cup": "cup",
    "teacup": "cup", "rubber duck": "duck", "toy duck": "duck", "rubber ducky": "duck", "ducky": "duck",
    "duckling": "duck", "rubber duckling": "duck", "kitten": "cat", "kitty": "cat", "puppy": "dog", "doggy": "dog",
    "human": "person", "man": "person", "woman": "person", "guy": "person", "boy": "person", "girl": "person",
    "child": "person", "kid": "person", "lady": "person", "human being": "person", "someone": "person",
    "somebody": "person", "anyone": "person", "anybody": "person", "face": "person", "teddy": "teddy bear",
    "notebook computer": "laptop", "computer": "laptop", "fridge": "refrigerator", "automobile": "car", "pastry":
    "croissant", "hot-dog": "hot dog", "wineglass": "wine glass", "remote control": "remote", "purse": "handbag",
    "rucksack": "backpack", "plant pot": "plant", "tennis ball": "ball", "football": "ball", "sphere": "ball",
    "cube": "box", "block": "box", "carton": "box",
}  # fmt: skip
"""Our name for each detector label and each synonym."""

KINDS = {
    "fruit": "apple banana orange",
    "food": "apple banana orange sandwich broccoli carrot pizza doughnut cake croissant",
    "animal": "bird cat dog horse sheep cow elephant bear zebra giraffe duck", "pet": "cat dog bird",
    "toy": "duck teddybear ball kite frisbee", "vehicle": "car bus truck bicycle motorcycle train airplane boat",
    "furniture": "chair sofa bed table bench", "bird": "bird duck", "drink": "bottle cup",
}  # fmt: skip
"""Categories and the names in them."""

KNOWN = frozenset((
    "person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
    "fire hydrant", "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep", "cow", "elephant",
    "bear", "zebra", "giraffe", "backpack", "umbrella", "handbag", "tie", "suitcase", "frisbee", "skis", "snowboard",
    "ball", "kite", "baseball bat", "baseball glove", "skateboard", "surfboard", "tennis racket", "bottle",
    "wine glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple", "sandwich", "orange", "broccoli",
    "carrot", "hot dog", "pizza", "doughnut", "cake", "chair", "sofa", "plant", "bed", "table", "toilet", "television",
    "laptop", "mouse", "remote", "keyboard", "phone", "microwave", "oven", "toaster", "sink", "refrigerator", "book",
    "clock", "vase", "scissors", "teddy bear", "hair dryer", "toothbrush", "duck", "croissant", "box", "cylinder",
    "capsule",
))  # fmt: skip
"""Names that the detectors can recognise or that the simulator's scenes contain."""

ANYTHING = frozenset(
    ("thing", "object", "item", "anything", "something", "stuff", "everything", "one", "else", "anything else")
)
PAIRS = frozenset(("scissors", "skis", "glasses", "trousers", "jeans", "headphones", "shorts"))
"""Names that are always plural."""
PEOPLE = "person"

_NOT_THAT = frozenset(("hot dog", "teddy bear"))
"""Names whose last word is not the object's kind."""
_IRREGULAR = {
    "person": "people", "man": "men", "woman": "women", "child": "children", "mouse": "mice", "knife": "knives",
    "foot": "feet", "tooth": "teeth", "goose": "geese", "sheep": "sheep", "leaf": "leaves", "shelf": "shelves",
    "loaf": "loaves", "bus": "buses", "glass": "glasses", "sandwich": "sandwiches", "fish": "fish",
    "persons": "people",
}  # fmt: skip
_SINGULAR = {several: one for one, several in _IRREGULAR.items() if one != "persons"} | {"persons": "person"}
_ARTICLES = re.compile(r"^(?:(?:the|a|an|any|some|my|your|his|her|our|their|this|that|these|those|another|one) )+")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def plain(name: str) -> str:
    """Lower case, without article and trailing number, single spaces."""
    words = re.sub(r"[_\-\s]+", " ", name.casefold()).strip(" .,!?;:\"'")
    words = re.sub(r"(?<=\D) ?\d+$", "", words)
    return _ARTICLES.sub("", words)


def singular(name: str) -> str:
    """The singular; only the last word changes."""
    head, _, last = name.rpartition(" ")
    if name in PAIRS or (last in PAIRS and last != "glasses"):
        return name
    if last in _SINGULAR:
        last = _SINGULAR[last]
    elif last.endswith("ies") and len(last) > 4:
        last = last[:-3] + "y"
    elif re.search(r"(?:ss|x|ch|sh|zz)es$", last) or last.endswith("oes"):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith(("ss", "us", "is")):
        last = last[:-1]
    return f"{head} {last}" if head else last


def plural(name: str) -> str:
    """The plural; only the last word changes."""
    head, _, last = name.rpartition(" ")
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif last in PAIRS:
        pass
    elif re.search(r"(?:s|x|ch|sh|z|[^aeiou]o)$", last):
        last += "es"
    elif re.search(r"[^aeiou]y$", last):
        last = last[:-1] + "ies"
    else:
        last += "s"
    return f"{head} {last}" if head else last


def canonical(name: str) -> str:
    """The one name for all synonyms."""
    words = plain(name)
    one = singular(words)
    return CANONICAL.get(words) or CANONICAL.get(one) or one


def name_matches(name: str, asked: str) -> bool:
    """Whether an object of that name is what was asked for: "the rubber ducks" is a duck, "fruit" an apple."""
    have, want = canonical(name), canonical(asked)
    if want in ANYTHING or have == want:
        return True
    if have.replace(" ", "") in KINDS.get(want, "").split():
        return True
    # "plastic duck": the kind comes last. A label may be longer than the name, or the name than the label.
    shorter, longer = sorted((have, want), key=len)
    return bool(shorter) and longer.endswith(f" {shorter}") and longer not in _NOT_THAT


def with_article(name: str) -> str:
    if name in PAIRS:
        return f"some {name}"
    silent = name.startswith(("hour", "honest", "heir"))
    voiced = name[:1] in "aeio" or (name[:1] == "u" and not name.startswith(("uni", "use", "uk", "ut")))
    return f"an {name}" if voiced or silent else f"a {name}"


def number(count: int) -> str:
    return _NUMBERS[count] if 0 <= count < len(_NUMBERS) else str(count)


def counted(count: int, name: str) -> str:
    """ "a duck", "two ducks", "no ducks"."""
    return with_article(name) if count == 1 else f"{number(count)} {plural(name)}"


def listed(words: list[str]) -> str:
    """ "a, b and c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
