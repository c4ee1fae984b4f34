"""Japanese names in kana and in Latin letters, by Sudachi's readings and a table."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import islice, pairwise, product

from sudachipy import Dictionary, Tokenizer

_READINGS = 4
_VOWELS = ("a", "i", "u", "e", "o")
_ROWS = {
    "": "アイウエオ", "k": "カキクケコ", "s": "サシスセソ", "t": "タチツテト", "n": "ナニヌネノ",
    "h": "ハヒフヘホ", "m": "マミムメモ", "r": "ラリルレロ", "g": "ガギグゲゴ", "z": "ザジズゼゾ",
    "d": "ダヂヅデド", "b": "バビブベボ", "p": "パピプペポ",
}  # fmt: skip
_OTHERS = {"ヤ": "ya", "ユ": "yu", "ヨ": "yo", "ワ": "wa", "ヲ": "o", "ヴ": "vu"}
_SMALL = {"ャ": "ya", "ュ": "yu", "ョ": "yo", "ァ": "a", "ィ": "i", "ゥ": "u", "ェ": "e", "ォ": "o"}
_HEPBURN = (
    ("sy", "sh"), ("ty", "ch"), ("zy", "j"), ("dy", "j"), ("si", "shi"), ("ti", "chi"),
    ("tu", "tsu"), ("hu", "fu"), ("zi", "ji"), ("di", "ji"), ("du", "zu"),
)  # fmt: skip
_VOICED = dict(
    zip(
        "ガギグゲゴザジズゼゾダヅデドバビブベボ",
        "カキクケコサシスセソタツテトハヒフヘホ",
        strict=True,
    )
)
_SWITCHED = _VOICED | {plain: voiced for voiced, plain in _VOICED.items()}
_KANA_ONLY = re.compile(r"[ァ-ヺー・]+")


def name_readings(name: str) -> tuple[frozenset[str], ...]:
    """Return the parts of a name, family name first, each with its readings in katakana.

    Args:
        name: in Chinese characters or kana; a space or a point between its parts counts.

    Returns:
        As many sets as there are parts; empty where nothing tells how a part is read.
    """
    parts: list[frozenset[str]] = []
    for piece in re.split(r"[\s・]+", name.strip()):
        words = [(word.surface(), word.reading_form()) for word in _tokenizer().tokenize(piece)]
        found = [_readings(surface, reading) for surface, reading in words]
        if not all(found):
            return ()
        parts += found
    return tuple(parts)


def joined(parts: tuple[frozenset[str], ...], limit: int = 16) -> Iterator[tuple[str, ...]]:
    """Yield the readings of a whole name, one for each part; nothing without parts."""
    return islice(product(*map(sorted, parts)), limit if parts else 0)


def family_name(name: str) -> str | None:
    """Return the family name where the dictionary splits a name into family and given name."""
    words = list(_tokenizer().tokenize(re.sub(r"\s+", "", name)))
    is_family = len(words) > 1 and words[0].part_of_speech()[3] == "姓"
    return words[0].surface() if is_family else None


def whole_names(text: str) -> Iterator[str]:
    """Yield where a family name and a given name stand side by side."""
    found = [(word.surface(), word.part_of_speech()[3]) for word in _tokenizer().tokenize(text)]
    for (family, first), (given, second) in pairwise(found):
        if (first, second) == ("姓", "名"):
            yield family + given


def switched(katakana: str) -> Iterator[str]:
    """Yield a reading with one sound after the first voiced or not, as Shibasaki and Shibazaki."""
    for place, char in enumerate(katakana):
        if place and char in _SWITCHED:
            yield katakana[:place] + _SWITCHED[char] + katakana[place + 1 :]


def hiragana(katakana: str) -> str:
    """Return katakana as hiragana."""
    return "".join(chr(ord(c) - 96) if "ァ" <= c <= "ヶ" else c for c in katakana)


def katakana(text: str) -> str:
    """Return a text with its hiragana as katakana."""
    return "".join(chr(ord(c) + 96) if "ぁ" <= c <= "ゖ" else c for c in text)


@lru_cache(maxsize=4096)
def latin(katakana: str) -> frozenset[str]:
    """Return the ways to write a reading in lower-case Latin letters, without marks.

    Hepburn and Kunrei, long vowels written out, left out or as "oh", n or m before b, m and p.
    """
    kunrei = _kunrei(katakana)
    hepburn = kunrei
    for old, new in _HEPBURN:
        hepburn = hepburn.replace(old, new)
    forms = {kunrei, hepburn, hepburn.replace("cch", "tch"), kunrei.replace("du", "zu")}
    forms |= {re.sub("n(?=[bmp])", "m", form) for form in forms}
    short = {re.sub("o[uo]", "o", form).replace("uu", "u") for form in forms}
    with_h = {re.sub("o[uo](?![aiueo])", "oh", form) for form in forms}
    return frozenset(forms | short | with_h | {re.sub("^o[uo]", "o", form) for form in forms})


def _kunrei(katakana: str) -> str:
    text = ""
    for char in katakana:
        if char == "ッ":
            text += "*"
        elif char == "ン":
            text += "n"
        elif char == "ー":
            text += text[-1:] if text[-1:] in _VOWELS else ""
        elif char in _SMALL:
            small = _SMALL[char]
            text = text[:-1] + (small if text[-1:] != "" else "")
        else:
            text += _table().get(char, "")
    return re.sub(r"\*(.?)", r"\1\1", text)


@cache
def _table() -> dict[str, str]:
    rows = {
        kana: consonant + vowel
        for consonant, row in _ROWS.items()
        for kana, vowel in zip(row, _VOWELS, strict=True)
    }
    return rows | _OTHERS


def _readings(surface: str, reading: str) -> frozenset[str]:
    """Return how a word may be read: as it stands here, and as a name elsewhere."""
    found = [reading, *_as_name(surface)]
    kana = (word for word in found if _KANA_ONLY.fullmatch(word))
    return frozenset(islice(dict.fromkeys(kana), _READINGS))


def _as_name(surface: str) -> Iterator[str]:
    for entry in _dictionary().lookup(surface):
        if entry.part_of_speech()[2] == "人名":
            yield entry.reading_form()


@cache
def _dictionary() -> Dictionary:
    return Dictionary()


def _tokenizer() -> Tokenizer:
    """Return a tokenizer of one's own: steps run in threads, and two cannot use one at a time."""
    return _dictionary().create()
