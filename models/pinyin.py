"""Chinese names in pinyin. The only file that imports pypinyin."""

from collections.abc import Iterator
from itertools import islice, product

_MOST = 16


def syllables(text: str) -> Iterator[tuple[str, ...]]:
    """Yield how Chinese characters may be read, one syllable a character, at most sixteen ways.

    Args:
        text: Chinese characters; simplified ones are read best.

    Returns:
        Lower-case syllables without tones; ü as `v`. Nothing for text with other characters.
    """
    from pypinyin import Style, pinyin  # noqa: PLC0415 - its dictionary is for Chinese names only

    readings = pinyin(text, style=Style.NORMAL, heteronym=True, errors="ignore")
    if len(readings) == len(text):
        usual = pinyin(text, style=Style.NORMAL)
        yield tuple(first for first, *_ in usual)
        yield from islice(product(*readings), _MOST)


def spellings(word: str) -> frozenset[str]:
    """Return the ways to write a syllable or word whose ü stands as `v`."""
    return frozenset(word.replace("v", other) for other in ("v", "u", "yu"))
